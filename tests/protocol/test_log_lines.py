"""The lines of a log, read again: the same events, and nothing that no battle writes."""

from __future__ import annotations

from typing import Any

import pytest

from engine import Battle, event_line
from protocol.log_lines import NoLog, read_lines
from protocol.messages import MAX_INTEGER

from .battles import case_setups, random_setup
from .logs import END, START, Line, encoded, line

BEGUN = [START, END]


def refused(lines: list[Any]) -> tuple[int, str]:
    """Where and why it is no log."""
    with pytest.raises(NoLog) as raised:
        list(read_lines(encoded(lines)))
    return raised.value.place, str(raised.value)


def test_every_line_reads_as_the_event_that_wrote_it() -> None:
    kinds: set[str] = set()
    for setup in [*case_setups(), *map(random_setup, range(40))]:
        battle = Battle(setup)
        battle.run()
        lines = battle.log().decode().splitlines(keepends=True)
        events = list(read_lines(text.encode() for text in lines))
        assert [event_line(event) for event in events] == lines
        kinds.update(event.kind for event in events)
    assert len(kinds) == 25, "every kind there is"


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("strike", {"unit": "a0", "target": None}),
        ("strike", {"unit": "a0"}),
        ("strike", {"unit": "a0", "target": "b0", "more": 1}),
        ("strike", {"unit": "a0", "target": "b0", "revived": "a0"}),
        ("ward", {"unit": "a0", "source": 3, "amount": 1, "ward": 1}),
        ("ward", {"unit": "a0", "source": "a0", "amount": -1, "ward": 1}),
        ("ward", {"unit": "a0", "source": "a0", "amount": 1, "ward": -1}),
        ("ward", {"unit": "a0", "source": "a0", "amount": 1, "ward": MAX_INTEGER + 1}),
        ("ward", {"unit": "a0", "source": "a0", "amount": 1, "ward": 1.0}),
        ("charge", {"unit": "a0", "amount": -MAX_INTEGER - 1, "charge": 0}),
        ("charge", {"unit": "a0", "amount": MAX_INTEGER + 1, "charge": 0}),
        ("activation", {"unit": "a0", "nested": 0}),
        ("status", {"unit": "a0", "source": None, "status": "sleep", "amount": 1, "total": 1}),
        (
            "stat",
            {"unit": "a0", "source": None, "stat": "ward", "amount": 1, "value": 1, "until": None},
        ),
        ("grant", {"unit": "a0", "keyword": "flying", "until": None}),
        ("grant", {"unit": "a0", "keyword": "rabid", "until": "life"}),
        ("death", {"unit": "a0", "cell": 8, "killer": None, "sweep": False}),
        ("death", {"unit": "a0", "cell": -1, "killer": None, "sweep": False}),
        ("line", {"unit": "a0", "on": "noon", "source": "x", "index": 0}),
        ("line", {"unit": "a0", "on": "hit", "source": None, "index": 0}),
        ("vessel_points", {"side": "c", "raw": 1, "points": 1, "units": []}),
        ("vessel_points", {"side": "a", "raw": 1, "points": 1, "units": [0]}),
        ("battle_end", {"winner": None, "reason": "forfeit", "digest": ""}),
        ("battle_end", {"winner": "c", "reason": "timeout", "digest": ""}),
        ("magic", {}),
    ],
)
def test_a_line_has_what_its_kind_has(kind: str, fields: dict[str, Any]) -> None:
    assert refused([START, line(1, kind, **fields)])[0] == 1


@pytest.mark.parametrize("place", [{"tick": -1}, {"tick": None}, {"batch": -1}, {"batch": "0"}])
def test_a_line_has_a_tick_and_perhaps_a_batch(place: dict[str, Any]) -> None:
    assert refused([START, {**END, **place}])[0] == 1


@pytest.mark.parametrize(
    "fields", [{"cell": 9}, {"more": 1}, {"runes": "x"}, {"id": 0}, {"vitality": None}]
)
def test_a_unit_of_the_start_has_what_it_is_built_of(fields: dict[str, Any]) -> None:
    unit = {**START["units"][0], **fields}
    assert refused([{**START, "units": [unit]}])[0] == 0


def test_a_line_says_more_on_a_revival_channel_and_only_there() -> None:
    fields: Line = {"unit": "a0", "source": "x", "index": 0}
    more: Line = {"revived": "a0", "cause": "phylactery", "killer": None}
    list(read_lines(encoded([START, line(1, "line", on="revived", **fields, **more)])))
    place, why = refused([START, line(1, "line", on="ally_revived", **fields)])
    assert (place, why) == (1, "a line on `ally_revived` says revived and cause and killer more")
    place, why = refused([START, line(1, "line", on="hit", **fields, **more)])
    assert (place, why) == (1, "a line on `hit` says nothing more")
    assert refused([START, line(1, "line", on="revived", **fields, revived="a0")])[0] == 1


@pytest.mark.parametrize(
    ("lines", "place", "why"),
    [
        ([END], 0, "a log begins with `battle_start`, and has no other"),
        ([START, START], 1, "a log begins with `battle_start`, and has no other"),
        ([{**START, "tick": 1}], 0, "a battle starts on tick 0"),
        ([START, {**END, "tick": 7}, END], 2, "tick 5 comes after tick 7"),
        ([START, END, END], 2, "nothing comes after `battle_end`"),
    ],
)
def test_time_goes_on_from_the_one_start_to_the_end(lines: list[Any], place: int, why: str) -> None:
    assert refused(lines) == (place, why)


def test_a_log_may_break_off_and_be_empty() -> None:
    assert [event.kind for event in read_lines(encoded([START]))] == ["battle_start"]
    assert list(read_lines([])) == []


@pytest.mark.parametrize(
    "text", [b"", b"3", b"{", b'{"kind":"chain_cut"}', b'{"kind":"\xff"}', b"[" * 100_000]
)
def test_what_is_no_object_of_a_kind_is_no_line(text: bytes) -> None:
    with pytest.raises(NoLog) as raised:
        list(read_lines([*encoded([START]), text]))
    assert raised.value.place == 1


def test_the_sentence_is_short_whatever_the_line_holds() -> None:
    (_, value), (_, field) = (
        refused([START, line(1, "x" * 9999)]),
        refused([START, {**END, "x" * 9999: 1}]),
    )
    for why in (value, field):
        assert "xx…xx" in why
        assert len(why) < 200
    assert value.endswith("at `$.kind`")


def test_a_line_is_read_when_it_is_asked_for() -> None:
    events = read_lines([*encoded([START]), b"no line"])
    assert next(events).kind == "battle_start"
    with pytest.raises(NoLog):
        next(events)


def test_reading_ends_with_the_end() -> None:
    assert [event.tick for event in read_lines(encoded(BEGUN))] == [0, 5]
