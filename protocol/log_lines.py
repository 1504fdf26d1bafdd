"""The lines of a log, read again: what a replay holds of its battle.

A line has the fields of its kind and no others, each of the type that the log's table gives it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta

from engine import EVENT_FIELDS, Event
from engine.definitions import BUFF_STATS, CAUSES, CHANNELS, KEYWORDS, STATUSES
from engine.events import REVIVAL_LINE_FIELDS, Value

from .messages import MAX_INTEGER, Reason, Seat
from .wire_events import BUILT_FIELDS, REVIVAL_LINES

_Number = Annotated[int, Meta(ge=-MAX_INTEGER, le=MAX_INTEGER)]
_UnitId = Annotated[str, Meta(pattern=r"^[ab](0|[1-9][0-9]{0,8})(?!\n)$")]
_Texts = list[str]

# Fields that are no number. Some kinds hold something else under the same name.
_TYPES: Final[dict[str, object]] = {
    **dict.fromkeys(("unit", "target", "revived"), _UnitId),
    **dict.fromkeys(("killer", "source"), _UnitId | None),
    **dict.fromkeys(("card", "digest", "focus"), str),
    **dict.fromkeys(("nested", "sweep"), bool),
    **dict.fromkeys(("runes", "keywords"), _Texts),
    **dict.fromkeys(("side", "initiative"), Seat),
    "id": _UnitId,
    "status": Literal[STATUSES],
    "stat": Literal[BUFF_STATS],
    "keyword": Literal[KEYWORDS],
    "on": Literal[CHANNELS],
    "cause": Literal[CAUSES],
    "winner": Seat | None,
    "reason": Reason,
    "units": list[_UnitId],
}
_Built: Any = msgspec.defstruct(
    "Built", [(name, _TYPES.get(name, _Number)) for name in BUILT_FIELDS]
)
_OF_KIND: Final[dict[tuple[str, str], object]] = {
    ("battle_start", "units"): list[_Built],
    ("line", "source"): str,
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
        kw_only=True,
    )
    for kind, names in EVENT_FIELDS.items()
}
_DECODER: Final[msgspec.json.Decoder[Any]] = msgspec.json.Decoder(reduce(or_, _LINES.values()))


class NoLine(ValueError):  # noqa: N818 - says what was read
    """Something that stands in a log is no line of one; `place` is where, counted from 0."""

    def __init__(self, place: int, why: str) -> None:
        super().__init__(why)
        self.place = place


def read_lines(lines: Iterable[bytes | msgspec.Raw]) -> Iterator[Event]:
    """The events of a log. Raises `NoLine`."""
    for place, line in enumerate(lines):
        try:
            yield _event(_DECODER.decode(line))
        except msgspec.MsgspecError as error:
            raise NoLine(place, str(error)) from None


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
        raise msgspec.ValidationError(f"a line on `{line.on}` says {due or 'nothing'} more")
    return due
