"""Events on the wire: short, and the same again; every line of the log in exactly one channel."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import EVENT_FIELDS, Battle, Event, event_line
from engine.definitions import CHANNELS as LINE_CHANNELS
from protocol.logbook import Logbook, LogTorn
from protocol.messages import CHANNELS, VesselFrame, WireEvent
from protocol.mirror import channel_of_frame
from protocol.sources import Sources
from protocol.wire_events import (
    BUILT_FIELDS,
    KINDS,
    channel_of,
    read_event,
    read_events,
    write_events,
)

from .battles import BATTLE, boards_of, fed, frames_of, random_setup, sample_setup

SOURCES = Sources(
    {
        "a": {"units": [{"card": "bone-squire", "runes": ["reliquary"]}]},
        "b": {"units": [{"card": "rimewitch"}, {"card": "bone-squire"}]},
    }
)


def row_of(event: Event) -> WireEvent:
    """The event alone, as frames have it."""
    ((*_, row),) = write_events(0, [event], SOURCES).values()
    assert isinstance(row, list)
    return row


def same(event: Event) -> None:
    """The event comes back from the wire, through JSON, as it was."""
    row = json.loads(json.dumps(row_of(event)))
    assert event_line(read_event(event.tick, event.batch, row, SOURCES)) == event_line(event)


@pytest.mark.parametrize(
    ("event", "row"),
    [
        (Event(1, 0, "activation", ("a0", False)), [1, 0]),
        (Event(1, 0, "activation", ("b0", True)), [1, -1, 1]),
        (Event(1, 0, "strike", ("b11", "a12")), [2, -12, 12]),
        (Event(1, 0, "line", ("a0", "hurt", "rimewitch", 1)), [3, 0, 4, 2, 1]),
        (Event(1, 0, "line", ("a7", "hurt", "summoned card", 1)), [3, 7, 4, "summoned card", 1]),
        (
            Event(1, 0, "line", ("a0", "revived", "reliquary", 0, "a0", "everlasting", None)),
            [3, 0, 9, 1, 0, 0, 1, None],
        ),
        (Event(1, 0, "status", ("a1", None, "freeze", 40, 61)), [8, 1, None, 1, 40, 61]),
        (Event(1, 0, "grant", ("a1", "rabid", "battle")), [12, 1, 2, "battle"]),
        (Event(1, 0, "grant", ("a1", "new keyword", None)), [12, 1, "new keyword", None]),
        (Event(9, None, "death", ("a0", 3, None, True)), [16, 0, 3, None, 1]),
        (Event(9, None, "death", ("a0", 3, "b2", False)), [16, 0, 3, -3]),
        (Event(9, 4, "vessel_points", ("b", 6, 9, ["b0", "b2"])), [20, "b", 6, 9, [-1, -3]]),
        (Event(9, 4, "chain_cut", ()), [23]),
        (Event(9, None, "battle_end", (None, "timeout", "ab")), [24, None, "timeout", "ab"]),
    ],
)
def test_an_event_and_its_row(event: Event, row: list[object]) -> None:
    assert row_of(event) == row
    same(event)


def test_battle_start_writes_units_as_rows() -> None:
    start = Battle(sample_setup("red-kennel", "slow-kiln")).step()[0]
    assert start.kind == "battle_start"
    units = start.values[1]
    assert isinstance(units, list)
    for unit in units:
        assert isinstance(unit, dict)
        assert tuple(unit) == BUILT_FIELDS
    same(start)


@pytest.mark.parametrize(
    "row",
    [
        [],
        [25],
        [-1, 0],
        [8, 0, 0, -1, 1, 1],
        ["strike"],
        [2, 0],
        [2, 0, 1, 2],
        [3, 0, 4, 3, 1],
        [3, 0, 4, -1, 1],
        [3, 0, 4, None, 1],
        [20, "a", 1, 1, 5],
        [0, "a", [[1]]],
        [{}],
    ],
)
def test_a_row_that_is_no_event_is_refused(row: list[object]) -> None:
    with pytest.raises(ValueError, match="is no"):
        read_event(0, None, row, SOURCES)


@pytest.mark.parametrize("events", [[[2, 0, 1]], [3, [2, 0, 1]], ["a", 1], [1]])
def test_events_without_their_place_are_refused(events: list[object]) -> None:
    with pytest.raises(ValueError, match="line and a batch"):
        list(read_events(VesselFrame(BATTLE, 0, 5, events)))  # type: ignore[arg-type]


def test_without_sources_a_line_is_read_but_for_what_it_is_printed_on() -> None:
    event = read_event(0, None, [3, 0, 4, 99, 1])
    assert event.values == ("a0", "hurt", 99, 1)


def test_a_line_and_a_batch_stand_where_the_run_breaks() -> None:
    log = [Event(5, batch, "chain_cut", ()) for batch in (2, 2, 3, 3, None)]
    log.insert(3, Event(5, 3, "vessel", ("a0", 0, 1)))
    events = write_events(7, log, SOURCES)
    assert events == {
        "tick": [7, 2, [23], [23], 9, 3, [23], 11, 3, [23], 12, None, [23]],
        "vessel": [10, 3, [21, 0, 0, 1]],
    }
    again = [
        (line, event.batch, event.kind)
        for run in events.values()
        for line, event in read_events(VesselFrame(BATTLE, 0, 5, run))
    ]
    assert sorted(again) == [(line, event.batch, event.kind) for line, event in enumerate(log, 7)]


def test_every_kind_of_event_has_its_channel() -> None:
    channels = {kind: channel_of(Event(0, 0, kind, ("a0", "hit"))) for kind in EVENT_FIELDS}
    assert {kind for kind, channel in channels.items() if channel == "vessel"} == {
        "vessel_points",
        "vessel",
        "vessel_spent",
    }
    assert {kind for kind, channel in channels.items() if channel == "revival"} == {
        "revival",
        "return_due",
        "fallback",
    }
    on = [on for on in LINE_CHANNELS if channel_of(Event(0, 0, "line", ("a0", on))) == "revival"]
    assert on == ["revived", "ally_revived"]


def test_the_numbers_of_kinds_are_fixed() -> None:
    # They are on the wire: a change here is another version of the protocol.
    assert tuple(EVENT_FIELDS) == KINDS
    assert KINDS.index("damage") == 5
    assert KINDS.index("battle_end") == 24


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_the_three_channels_together_are_the_whole_log(seed: int) -> None:
    setup = random_setup(seed)
    battle = Battle(setup)
    result = battle.run()
    logbook = Logbook(Sources(boards_of(setup)))
    seen = dict.fromkeys(CHANNELS, 0)
    for tick in fed(setup):
        for frame in frames_of(tick):
            channel = channel_of_frame(frame)
            assert frame.seq == seen[channel]
            seen[channel] += 1
            assert all(channel_of(event) == channel for _, event in read_events(frame))
            logbook.add(frame)
    assert "".join(logbook.lines()).encode() == battle.log()
    assert logbook.digest() == result.digest


def test_a_logbook_knows_what_is_missing_or_double() -> None:
    setup = sample_setup("full-barrow", "frozen-ledger")
    frames = [frame for tick in fed(setup) for frame in frames_of(tick)]
    logbook = Logbook(Sources(boards_of(setup)))
    for frame in frames[1:]:
        logbook.add(frame)
    with pytest.raises(LogTorn, match="line 0 is missing"):
        logbook.lines()
    with pytest.raises(LogTorn, match="came twice"):
        logbook.add(next(frame for frame in frames[1:] if frame.events))
    unfinished = Logbook(Sources(boards_of(setup)))
    unfinished.add(frames[0])
    with pytest.raises(LogTorn):
        unfinished.digest()


def test_a_logbook_of_other_boards_takes_nothing() -> None:
    logbook = Logbook(SOURCES)
    with pytest.raises(LogTorn, match="no card or rune of these boards"):
        logbook.add(VesselFrame(BATTLE, 0, 5, [0, None, [21, 0, 0, 1], [3, 0, 4, 3, 1]]))
    assert logbook.lines() == []
