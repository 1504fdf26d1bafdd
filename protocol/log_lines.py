"""The lines of a log, read again: what a replay holds of its battle.

A line has the fields of its kind and no others, each of the type that the log's table gives it. Of
their order no more is asked than that time goes on between a start and an end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta

from engine import EVENT_FIELDS, Event
from engine.board import CELLS
from engine.definitions import BUFF_STATS, CAUSES, CHANNELS, KEYWORDS, STATUSES
from engine.events import REVIVAL_LINE_FIELDS, Value

from .messages import MAX_INTEGER, Seat
from .wire_events import BUILT_FIELDS, REVIVAL_LINES

_Number = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
_Change = Annotated[int, Meta(ge=-MAX_INTEGER, le=MAX_INTEGER)]

# Fields that are no plain number. Some kinds hold something else under the same name.
_TYPES: Final[dict[str, object]] = {
    **dict.fromkeys(("id", "unit", "target", "revived", "card", "digest", "focus"), str),
    **dict.fromkeys(("killer", "source"), str | None),
    **dict.fromkeys(("nested", "sweep"), bool),
    **dict.fromkeys(("runes", "keywords", "units"), list[str]),
    **dict.fromkeys(("side", "initiative"), Seat),
    "cell": Annotated[int, Meta(ge=0, lt=CELLS)],
    "status": Literal[STATUSES],
    "stat": Literal[BUFF_STATS],
    "keyword": Literal[KEYWORDS],
    "on": Literal[CHANNELS],
    "cause": Literal[CAUSES],
    "winner": Seat | None,
    "reason": Literal["elimination", "timeout"],
}
_Built: Any = msgspec.defstruct(
    "Built",
    [(name, _TYPES.get(name, _Number)) for name in BUILT_FIELDS],
    forbid_unknown_fields=True,
)
_OF_KIND: Final[dict[tuple[str, str], object]] = {
    ("battle_start", "units"): list[_Built],
    ("line", "source"): str,
    ("status", "amount"): _Change,
    ("stat", "amount"): _Change,
    ("charge", "amount"): _Change,
    ("stat", "until"): _Number | None,
    ("grant", "until"): _Number | Literal["battle"] | None,
}


def _row(kind: str, names: Iterable[str]) -> list[Any]:
    """The fields of a struct."""
    types = [(name, _OF_KIND.get((kind, name), _TYPES.get(name, _Number))) for name in names]
    more = REVIVAL_LINE_FIELDS if kind == "line" else ()
    return types + [(name, _TYPES[name] | msgspec.UnsetType, UNSET) for name in more]


_LINES: Final = {
    kind: msgspec.defstruct(
        kind,
        [("tick", _Number), ("batch", _Number | None), *_row(kind, names)],
        tag_field="kind",
        tag=kind,
        forbid_unknown_fields=True,
    )
    for kind, names in EVENT_FIELDS.items()
}
_DECODER: Final[msgspec.json.Decoder[Any]] = msgspec.json.Decoder(reduce(or_, _LINES.values()))


class NoLog(ValueError):  # noqa: N818 - says what was read
    """No battle has left such lines; `place` is the first that is wrong, counted from 0."""

    def __init__(self, place: int, why: str) -> None:
        super().__init__(why)
        self.place = place


def read_lines(lines: Iterable[bytes | msgspec.Raw]) -> Iterator[Event]:
    """The events of a log, which may break off. Raises `NoLog`."""
    last: Event | None = None
    for place, line in enumerate(lines):
        try:
            event = _event(_DECODER.decode(line))
        except msgspec.MsgspecError as error:
            raise NoLog(place, _short(str(error))) from None
        if sentence := _out_of_order(event, last):
            raise NoLog(place, sentence)
        yield event
        last = event


def _short(sentence: str) -> str:
    """A sentence that may have any of the line's texts in its midst, cut short there."""
    return sentence if len(sentence) <= 200 else f"{sentence[:100]}…{sentence[-60:]}"


def _out_of_order(event: Event, last: Event | None) -> str:
    """What is wrong with an event after the one before it; "" for nothing."""
    if (event.kind == "battle_start") != (last is None):
        return "a log begins with `battle_start`, and has no other"
    if last is None:
        return "" if event.tick == 0 else "a battle starts on tick 0"
    if event.tick < last.tick:
        return f"tick {event.tick} comes after tick {last.tick}"
    if last.kind == "battle_end":
        return "nothing comes after `battle_end`"
    return ""


def _event(line: Any) -> Event:
    kind = line.__struct_config__.tag
    names = EVENT_FIELDS[kind]
    if kind == "line":
        names += _said_more(line)
    values: list[Value] = [getattr(line, name) for name in names]
    if kind == "battle_start":
        values[1] = [msgspec.structs.asdict(unit) for unit in line.units]
    return Event(line.tick, line.batch, kind, tuple(values))


def _said_more(line: Any) -> tuple[str, ...]:
    """What a `line` says more on a revival channel, all of it, and elsewhere nothing (500.9h)."""
    due = REVIVAL_LINE_FIELDS if line.on in REVIVAL_LINES else ()
    said = tuple(name for name in REVIVAL_LINE_FIELDS if getattr(line, name) is not UNSET)
    if said != due:
        raise msgspec.ValidationError(
            f"a line on `{line.on}` says {' and '.join(due) or 'nothing'} more"
        )
    return due
