"""Near names are suggested, and what that costs is bounded."""

from __future__ import annotations

import pytest

from engine import (
    Refused,
    Rules,
    base_catalog,
    read_board,
    reading,
)
from engine.faults import LONGEST_NAME, did_you_mean
from tests.engine.test_refusals import battle_faults, plain


def test_suggestions_are_of_near_names_only() -> None:
    names = ("reliquary", "whetbone")
    assert did_you_mean("reliqary", names) == '; did you mean "reliquary"?'
    assert did_you_mean("zzz", names) == ""
    assert did_you_mean("reliqary", ()) == ""


def test_a_long_name_is_near_none_and_is_cut_short_where_it_is_repeated() -> None:
    known = "k" * LONGEST_NAME
    assert did_you_mean(known, [known]) == f'; did you mean "{known}"?'
    assert did_you_mean(known + "k", [known]) == ""
    assert battle_faults(plain(**{known: 1, known + "kk": 1})) == [
        (known, "unknown field"),
        (f"{known}…", "unknown field"),
    ]


def test_near_names_are_looked_for_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def nearest(name: str, _known: object) -> str:
        asked.append(name)
        return ""

    monkeypatch.setattr(reading, "did_you_mean", nearest)
    units = [{"cell": 0, "card": "bone-squird", "runes": ["relic"] * 7, "card2": 1}] * 8
    with pytest.raises(Refused) as refused:
        read_board({"units": units, "unit": []}, base_catalog(), Rules())
    assert len(refused.value.faults) > 80
    assert 0 < len(asked) <= reading.MOST_SUGGESTIONS
