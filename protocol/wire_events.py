"""The battle's log as frames carry it: which channel an event is in, how an event is written short,
and how a frame writes a run of them so that the three channels together give back every line.

An event is its kind's number and the values of its row in the log's table, in the row's order. The
columns say how each value is written: a unit's id as one number, a known word as its place in its
list, a flag as 1 or, at the end of the row, not at all. All else is written as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

from engine import EVENT_FIELDS, UNIT_FIELDS, Event
from engine.definitions import BUFF_STATS, CAUSES, CHANNELS, KEYWORDS, STATUSES
from engine.events import REVIVAL_LINE_FIELDS, Value

from .messages import Channel, Events, Frame, WireEvent
from .sources import Sources

_CHANNEL_OF: Final[dict[str, Channel]] = {
    "revival": "revival",
    "return_due": "revival",
    "fallback": "revival",
    "vessel_points": "vessel",
    "vessel": "vessel",
    "vessel_spent": "vessel",
}
REVIVAL_LINES: Final = ("revived", "ally_revived")

# A kind's number is its place here.
KINDS: Final = tuple(EVENT_FIELDS)

_KIND_OF: Final[dict[object, str]] = dict(enumerate(KINDS))

# How `battle_start` writes a unit: UNIT_FIELDS up to its numbers, which is all it has when built.
BUILT_FIELDS: Final = UNIT_FIELDS[: UNIT_FIELDS.index("ward") + 1]

# Columns by the name of the field. Words that are not in their list are written out.
UNIT_COLUMNS: Final = ("unit", "target", "killer", "revived", "source")
WORD_COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "on": CHANNELS,
    "status": STATUSES,
    "stat": BUFF_STATS,
    "keyword": KEYWORDS,
    "cause": CAUSES,
}
FLAG_COLUMNS: Final = ("nested", "sweep")


class LogLine(NamedTuple):
    """An event and its place in the log, counted from 0."""

    line: int
    event: Event


class _Words:
    """A column of words, and their numbers."""

    def __init__(self, place: int, words: tuple[str, ...]) -> None:
        self.place = place  # in the row
        self.numbers: dict[object, object] = {word: number for number, word in enumerate(words)}
        self.words: dict[object, object] = dict(enumerate(words))


class _Layout:
    """How the events of a kind are written: what stands where in their row."""

    def __init__(self, kind: str, channel: Channel, names: tuple[str, ...]) -> None:
        self.kind = kind
        self.number = KINDS.index(kind)
        self.channel = channel
        self.length = 1 + len(names)
        self.flag = names[-1:] in [(name,) for name in FLAG_COLUMNS]
        self.units: list[int] = []  # places in the row
        self.words: list[_Words] = []
        for place, name in enumerate(names, 1):
            if name in WORD_COLUMNS:
                self.words.append(_Words(place, WORD_COLUMNS[name]))
            # The source of a line is the card or rune it is printed on.
            elif name in UNIT_COLUMNS and (kind, name) != ("line", "source"):
                self.units.append(place)


_LAYOUTS: Final = {
    kind: _Layout(kind, _CHANNEL_OF.get(kind, "tick"), names)
    for kind, names in EVENT_FIELDS.items()
}
_REVIVAL_LINE: Final = _Layout("line", "revival", EVENT_FIELDS["line"] + REVIVAL_LINE_FIELDS)
_SOURCE: Final = 1 + EVENT_FIELDS["line"].index("source")
_BUILT: Final = 1 + EVENT_FIELDS["battle_start"].index("units")
_TAKERS: Final = 1 + EVENT_FIELDS["vessel_points"].index("units")


def channel_of(event: Event) -> Channel:
    """The one channel whose frames carry this event."""
    return _layout_of(event).channel


def _layout_of(event: Event) -> _Layout:
    if event.kind == "line" and event.values[1] in REVIVAL_LINES:
        return _REVIVAL_LINE
    return _LAYOUTS[event.kind]


class _Run:
    """The events of one frame: a line and a batch stand wherever the run breaks."""

    def __init__(self) -> None:
        self.events: Events = []
        self._line = -1  # of the next event, if the run does not break
        self._batch: int | None = None

    def add(self, line: int, batch: int | None, row: WireEvent) -> None:
        if line != self._line or batch != self._batch:
            self.events.append(line)
            self.events.append(batch)
        self.events.append(row)
        self._line = line + 1
        self._batch = batch


def units_of(event: Event) -> Iterator[str]:
    """The units that an event names, but those of `battle_start`."""
    for place in _layout_of(event).units:
        if (unit_id := event.values[place - 1]) is not None:
            yield cast("str", unit_id)
    if event.kind == "vessel_points":
        yield from cast("list[str]", event.values[_TAKERS - 1])


def write_events(line: int, events: Sequence[Event], sources: Sources) -> dict[Channel, Events]:
    """What the frames of a tick carry of its events, of which the first stands on `line`."""
    runs: dict[Channel, _Run] = {}
    for event in events:
        layout = _layout_of(event)
        run = runs.get(layout.channel)
        if run is None:
            run = runs[layout.channel] = _Run()
        run.add(line, event.batch, _row(layout, event, sources))
        line += 1
    return {channel: run.events for channel, run in runs.items()}


def read_events(frame: Frame, sources: Sources | None = None) -> Iterator[LogLine]:
    """The log lines in a frame; without `sources`, what a line is printed on stays a number.

    Raises `ValueError` for a list that no frame has.
    """
    line: int | None = None
    batch: int | None = None
    items = iter(frame.events)
    for item in items:
        if isinstance(item, list):
            if line is None:
                raise ValueError("a frame's events begin with a line and a batch")
            yield LogLine(line, read_event(frame.tick, batch, item, sources))
            line += 1
        else:
            line, batch = _place(item, next(items, ()))


def _row(layout: _Layout, event: Event, sources: Sources) -> WireEvent:
    row: list[Any] = [layout.number, *event.values]
    for place in layout.units:
        row[place] = _unit_number(row[place])
    for column in layout.words:
        row[column.place] = column.numbers.get(row[column.place], row[column.place])
    if layout.flag:
        if row[-1]:
            row[-1] = 1
        else:
            row.pop()
    elif event.kind == "line":
        row[_SOURCE] = sources.write(row[_SOURCE])
    elif event.kind == "vessel_points":
        row[_TAKERS] = [_unit_number(unit_id) for unit_id in row[_TAKERS]]
    elif event.kind == "battle_start":
        row[_BUILT] = [list(unit.values()) for unit in row[_BUILT]]
    return row


def read_event(
    tick: int, batch: int | None, row: WireEvent, sources: Sources | None = None
) -> Event:
    """The event again. Raises `ValueError` for a row that is none."""
    try:
        kind = _KIND_OF[row[0]]
        values = _read_values(kind, list(row), sources)
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"{row} is no event: {error}") from error
    return Event(tick, batch, kind, values)


def _read_values(kind: str, row: list[Any], sources: Sources | None) -> tuple[Value, ...]:
    layout = _LAYOUTS[kind]
    if kind == "line" and len(row) > layout.length:
        layout = _REVIVAL_LINE
    if layout.flag and len(row) == layout.length - 1:
        row.append(False)
    if len(row) != layout.length:
        raise ValueError(f"a {kind} has {layout.length - 1} values")
    if layout.flag:
        row[-1] = bool(row[-1])
    for place in layout.units:
        row[place] = _unit_id(row[place])
    for column in layout.words:
        if isinstance(row[column.place], int):
            row[column.place] = column.words[row[column.place]]
    if kind == "line" and sources is not None:
        row[_SOURCE] = sources.read(row[_SOURCE])
    elif kind == "vessel_points":
        row[_TAKERS] = [_unit_id(number) for number in row[_TAKERS]]
    elif kind == "battle_start":
        row[_BUILT] = [dict(zip(BUILT_FIELDS, unit, strict=True)) for unit in row[_BUILT]]
    return tuple(row[1:])


def _place(line: object, batch: object) -> tuple[int, int | None]:
    if isinstance(line, int) and (batch is None or isinstance(batch, int)):
        return line, batch
    raise ValueError("a line and a batch stand together")


# The same few come all the time.
@lru_cache(4096)
def _unit_number(unit_id: object) -> object:
    """a0, a1, a2 are 0, 1, 2; b0, b1, b2 are -1, -2, -3."""
    if not isinstance(unit_id, str):
        return unit_id
    number = int(unit_id[1:])
    return number if unit_id[0] == "a" else ~number


def _unit_id(number: object) -> object:
    if not isinstance(number, int):
        return number
    return f"a{number}" if number >= 0 else f"b{~number}"
