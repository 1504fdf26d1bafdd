"""The conformance cases: a battle each, and what its log must and must not show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.engine.stage import Json, matches, missing_in_order, play

CASES = sorted((Path(__file__).parent / "cases").glob("*.json"))
TO_THE_END = 1_000_000


def test_the_cases_are_there() -> None:
    assert len(CASES) >= 11


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    case: Json = json.loads(path.read_text(encoding="utf-8"))
    events = play(case["battle"], TO_THE_END).events
    assert missing_in_order(case["in_order"], events) is None, case["why"]
    for unwanted in case["never"]:
        assert not [event for event in events if matches(unwanted, event)], case["why"]
    for wanted, times in case["count"]:
        assert sum(matches(wanted, event) for event in events) == times, case["why"]


def test_a_case_can_fail() -> None:
    event = {"kind": "ward", "unit": "a0", "amount": 1}
    other = {"kind": "death", "unit": "a0"}
    assert missing_in_order([other], [event]) == other
    assert missing_in_order([event, event], [event]) == event
    assert missing_in_order([other, event], [event, other]) == event
    assert not matches({"killer": None}, event)
