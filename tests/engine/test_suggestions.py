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
from engine.definitions import AIMS, BUFF_STATS, CHANNELS, FOCUS_PROFILES
from engine.faults import LONGEST_NAME, did_you_mean
from engine.printing import CARD_FIELDS, VERB_FIELDS
from tests.engine.stage import card, on
from tests.engine.test_refusals import (
    Told,
    battle_faults,
    card_faults,
    catalog_faults,
    plain,
    told,
)


def test_suggestions_are_of_near_names_only() -> None:
    names = ("reliquary", "whetbone")
    assert did_you_mean("reliqary", names) == '; did you mean "reliquary"?'
    assert did_you_mean("zzz", names) == ""
    assert did_you_mean("reliqary", ()) == ""


def test_a_long_name_is_near_none_and_is_cut_short_where_it_is_repeated() -> None:
    known = "k" * LONGEST_NAME
    assert did_you_mean(known, [known]) == f'; did you mean "{known}"?'
    assert did_you_mean(known + "k", [known]) == ""
    assert [path for path, _ in battle_faults(plain(**{known: 1, known + "kk": 1}))] == [
        known,
        f"{known}…",
    ]


def effect_of(verb: str = "ward", on_channel: str = "hurt", **fields: object) -> Told:
    return card_faults(lines=[on(on_channel, {"verb": verb, "amount": 1, **fields})])


@pytest.mark.parametrize(
    ("faults", "known"),
    [
        (effect_of(on_channel="zz"), CHANNELS),
        (effect_of(verb="zz"), tuple(VERB_FIELDS)),
        (effect_of(aim="zz"), AIMS),
        (effect_of(verb="buff", stat="zz"), BUFF_STATS),
        (card_faults(focus="zz"), FOCUS_PROFILES),
        (card_faults(focus="z" * 100), FOCUS_PROFILES),
        (card_faults(zz=1), CARD_FIELDS),
    ],
)
def test_where_no_name_is_near_those_there_are_are_told(
    faults: Told, known: tuple[str, ...]
) -> None:
    ((_, sentence),) = faults
    assert sentence.endswith(f"; known: {', '.join(known)}")
    assert len(known) <= reading.MOST_TOLD


def test_where_there_are_many_or_none_they_are_not_told() -> None:
    units = [{"cell": 0, "card": "zz", "runes": ["zz"]}]
    with pytest.raises(Refused) as refused:
        read_board({"units": units}, base_catalog(), Rules())
    assert told(refused.value) == [
        ("units[0].card", 'no card "zz"'),
        ("units[0].runes[0]", 'no rune "zz"'),
    ]
    assert card_faults(resonance=["kin"]) == [("resonance[0]", 'no resonance "kin"')]


def test_of_a_file_many_more_are_suggested_and_not_without_end() -> None:
    most = reading.MOST_SUGGESTIONS_OF_A_FILE
    cards = [card(f"x{number}", focus="frnt") for number in range(most + 2)]
    faults = catalog_faults({"cards": cards})
    assert len(faults) == most + 2
    assert sum("did you mean" in sentence for _, sentence in faults) == most
    cards = [card(f"x{number}", focus="frnt") for number in range(50)]
    assert all("did you mean" in sentence for _, sentence in battle_faults(plain(cards=cards))[:50])
    board = {"units": [{"cell": 0, "card": "rimewich", "runes": ["reliqary"] * 20}]}
    for suggestions in (reading.MOST_SUGGESTIONS, 20):
        with pytest.raises(Refused) as refused:
            read_board(board, base_catalog(), Rules(), most_suggestions=suggestions)
        sentences = [fault.message for fault in refused.value.faults]
        assert sum("did you mean" in sentence for sentence in sentences) == suggestions


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
