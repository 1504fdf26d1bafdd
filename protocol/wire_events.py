"""The battle's log as frames carry it: which channel an event is in, how an event is written short,
and how a frame writes a run of them so that the three channels together give back every line.

An event is its kind's number and the values of its row in the log's table, in the row's order. The
columns say how each value is written: a unit's id as one number, a known word as its place in its
list, a flag as 1 or, at the end of the row, not at all. All else is written as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, cast

from engine import EVENT_FIELDS, UNIT_FIELDS, Event
from engine.definitions import BUFF_STATS, CAUSES, CHANNELS, KEYWORDS, STATUSES
from engine.events import REVIVAL_LINE_FIELDS, Value

from .messages import Channel, Events, Frame, WireEvent

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


def channel_of(event: Event) -> Channel:
    """The one channel whose frames carry this event."""
    if event.kind == "line":
        return "revival" if event.values[1] in REVIVAL_LINES else "tick"
    return _CHANNEL_OF.get(event.kind, "tick")


def write_events(lines: Iterable[LogLine]) -> Events:
    """The events of one frame: a line number and a batch stand wherever the run breaks."""
    events: Events = []
    expected: tuple[int, int | None] | None = None
    for line, event in lines:
        if (line, event.batch) != expected:
            events += (line, event.batch)
        events.append(write_event(event))
        expected = (line + 1, event.batch)
    return events


def read_events(frame: Frame) -> Iterator[LogLine]:
    """The log lines in a frame. Raises `ValueError` for a list that no frame has."""
    line: int | None = None
    batch: int | None = None
    items = iter(frame.events)
    for item in items:
        if isinstance(item, list):
            if line is None:
                raise ValueError("a frame's events begin with a line and a batch")
            yield LogLine(line, read_event(frame.tick, batch, item))
            line += 1
        else:
            line, batch = _place(item, next(items, ()))


def write_event(event: Event) -> WireEvent:
    """The event as frames have it."""
    number, columns = _ROWS[event.kind]
    row: WireEvent = [number]
    for column, value in zip(columns, event.values, strict=False):
        row.append(column.write(value))
    if row[-1] is False:
        row.pop()
    return row


def read_event(tick: int, batch: int | None, row: WireEvent) -> Event:
    """The event again. Raises `ValueError` for a row that is none."""
    try:
        kind = _KIND_OF[row[0]]
        columns = _ROWS[kind].columns
        values = [column.read(value) for column, value in zip(columns, row[1:], strict=False)]
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"{row} is no event") from error
    if columns and columns[-1] is _FLAG and len(row) == len(columns):
        values.append(False)
    elif len(row) - 1 not in (len(columns), len(EVENT_FIELDS[kind])):
        raise ValueError(f"{row} is no {kind}")
    return Event(tick, batch, kind, cast("tuple[Value, ...]", tuple(values)))


def _place(line: object, batch: object) -> tuple[int, int | None]:
    if isinstance(line, int) and (batch is None or isinstance(batch, int)):
        return line, batch
    raise ValueError("a line and a batch stand together")


class _Column(NamedTuple):
    write: Callable[[object], object]
    read: Callable[[object], object]


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


def _word_column(words: tuple[str, ...]) -> _Column:
    numbers: dict[object, object] = {word: number for number, word in enumerate(words)}
    listed: dict[object, object] = dict(enumerate(words))
    return _Column(
        lambda word: numbers.get(word, word),
        lambda number: listed[number] if isinstance(number, int) else number,
    )


def _each(change: Callable[[object], object]) -> Callable[[object], object]:
    return lambda values: [change(value) for value in cast("list[object]", values)]


def _as_it_is(value: object) -> object:
    return value


_PLAIN: Final = _Column(_as_it_is, _as_it_is)
_UNIT: Final = _Column(_unit_number, _unit_id)
_FLAG: Final = _Column(lambda flag: 1 if flag else False, bool)
_BUILT: Final = _Column(
    _each(lambda unit: list(cast("dict[str, object]", unit).values())),
    _each(lambda unit: dict(zip(BUILT_FIELDS, cast("list[object]", unit), strict=True))),
)


def _column(kind: str, name: str) -> _Column:
    if name == "units":
        return _BUILT if kind == "battle_start" else _Column(_each(_unit_number), _each(_unit_id))
    if name in WORD_COLUMNS:
        return _word_column(WORD_COLUMNS[name])
    if name in FLAG_COLUMNS:
        return _FLAG
    # The source of a line is the card or rune it is printed on.
    return _UNIT if name in UNIT_COLUMNS and (kind, name) != ("line", "source") else _PLAIN


class _Row(NamedTuple):
    number: int
    columns: tuple[_Column, ...]


def _row(number: int, kind: str, names: tuple[str, ...]) -> _Row:
    more = REVIVAL_LINE_FIELDS if kind == "line" else ()
    return _Row(number, tuple(_column(kind, name) for name in names + more))


_ROWS: Final = {
    kind: _row(number, kind, names) for number, (kind, names) in enumerate(EVENT_FIELDS.items())
}
