"""The events of a battle: the rulebook's table of kinds, and the exact bytes of a log line.

An event is a row of that table: `kind`, the tick, the batch, and the values in the table's order.
The log is one JSON object a line; the digest is the SHA-256 over those bytes.
"""

from __future__ import annotations

import json
from typing import Final

# What an event's field can hold: nested lists and dicts stand only in `battle_start`.
Value = str | int | bool | None | list[str] | list[dict[str, object]]

NUMBERS: Final = ("vitality", "max_vitality", "power", "speed", "armor", "ward")

EVENT_FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "battle_start": ("initiative", "units"),
    "activation": ("unit", "nested"),
    "strike": ("unit", "target"),
    "line": ("unit", "on", "source", "index"),
    "fallback": ("unit", "target"),
    "damage": ("unit", "source", "amount", "absorbed", "vitality"),
    "heal": ("unit", "source", "amount", "vitality"),
    "ward": ("unit", "source", "amount", "ward"),
    "status": ("unit", "source", "status", "amount", "total"),
    "status_end": ("unit", "status"),
    "stat": ("unit", "source", "stat", "amount", "value", "until"),
    "quicken": ("unit", "speed"),
    "grant": ("unit", "keyword", "until"),
    "grant_end": ("unit", "keyword"),
    "charge": ("unit", "amount", "charge"),
    "endure": ("unit", "vitality"),
    "death": ("unit", "cell", "killer", "sweep"),
    "vessel_spent": ("unit", "vessels", "progress"),
    "return_due": ("unit", "due"),
    "revival": ("unit", "cause", "cell", "killer", "incarnation", *NUMBERS),
    "vessel_points": ("side", "raw", "points", "units"),
    "vessel": ("unit", "vessels", "progress"),
    "summon": ("unit", "source", "cell", "card", *NUMBERS),
    "chain_cut": (),
    "battle_end": ("winner", "reason", "digest"),
}

# A `line` on a revival channel says three things more (500.9h).
REVIVAL_LINE_FIELDS: Final = ("revived", "cause", "killer")


class Event:
    """One row of the log. `values` stand in the order of `field_names(event)`."""

    __slots__ = ("batch", "kind", "tick", "values")

    def __init__(self, tick: int, batch: int | None, kind: str, values: tuple[Value, ...]) -> None:
        self.tick = tick
        self.batch = batch
        self.kind = kind
        self.values = values

    def __repr__(self) -> str:
        return f"Event({event_line(self).rstrip()})"


def field_names(event: Event) -> tuple[str, ...]:
    """The names of `event.values`, in order."""
    names = EVENT_FIELDS[event.kind]
    if event.kind == "line" and len(event.values) > len(names):
        return names + REVIVAL_LINE_FIELDS
    return names


def event_object(event: Event) -> dict[str, object]:
    """The event as the JSON object of its log line, keys in the line's order."""
    head: dict[str, object] = {"tick": event.tick, "batch": event.batch, "kind": event.kind}
    head.update(zip(field_names(event), event.values, strict=True))
    return head


def event_line(event: Event) -> str:
    """The log line: compact JSON, not escaped beyond what JSON demands, and a newline."""
    pieces = [line_head(event.tick, event.batch)]
    add_row(pieces, event.kind, event.values)
    return "".join(pieces)


def line_head(tick: int, batch: int | None) -> str:
    """How the lines of a tick and a batch begin."""
    return f'{{"tick":{tick},"batch":{"null" if batch is None else str(batch)}'


def add_row(pieces: list[str], kind: str, values: tuple[Value, ...]) -> None:
    """Adds the pieces of a log line that follow its head."""
    columns = _COLUMNS[kind]
    if not values:
        pieces.append(f',"kind":"{kind}"')
    for index, value in enumerate(values):
        pieces.append(columns[index].write(value))
    pieces.append("}\n")


_MOST_KEPT: Final = 4096
_MOST_NUMBERS: Final = 256
_quoted: Final[dict[str, str]] = {}  # ids and names as JSON; the same few come all the time


def _quote(text: str) -> str:
    if len(_quoted) >= _MOST_KEPT:
        _quoted.clear()
    _quoted[text] = quoted = json.dumps(text, ensure_ascii=False)
    return quoted


class _Column:
    """How the values of a column are written, with all that stands before them. The same few come
    all the time: they are written once."""

    __slots__ = ("before", "false", "null", "numbers", "texts", "true")

    def __init__(self, before: str) -> None:
        self.before = before
        self.null = f"{before}null"
        self.true = f"{before}true"
        self.false = f"{before}false"
        self.texts: dict[str, str] = {}
        self.numbers: list[str] = []  # from 0 up

    def write(self, value: Value) -> str:
        if isinstance(value, str):
            return self.texts.get(value) or self._keep(value)
        if isinstance(value, bool):
            return self.true if value else self.false
        if isinstance(value, int):
            if 0 <= value < len(self.numbers):
                return self.numbers[value]
            return self._number(value)
        if value is None:
            return self.null
        return self.before + to_json(value)

    def _keep(self, text: str) -> str:
        if len(self.texts) >= _MOST_KEPT:
            self.texts.clear()
        self.texts[text] = written = self.before + to_json(text)
        return written

    def _number(self, number: int) -> str:
        for small in range(len(self.numbers), min(number + 1, _MOST_NUMBERS)):
            self.numbers.append(f"{self.before}{small}")
        return f"{self.before}{number}"


def _columns(kind: str, names: tuple[str, ...]) -> tuple[_Column, ...]:
    befores = [f',"{name}":' for name in names]
    if befores:
        befores[0] = f',"kind":"{kind}"{befores[0]}'
    return tuple(_Column(before) for before in befores)


_COLUMNS: Final = {
    kind: _columns(kind, (*names, *REVIVAL_LINE_FIELDS) if kind == "line" else names)
    for kind, names in EVENT_FIELDS.items()
}


def to_json(value: object) -> str:
    """What `json.dumps` writes, compact and not escaped beyond what JSON demands."""
    if isinstance(value, str):
        return _quoted.get(value) or _quote(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return f"[{','.join([to_json(item) for item in value])}]"
    if isinstance(value, dict):
        return f"{{{','.join([f'{to_json(key)}:{to_json(item)}' for key, item in value.items()])}}}"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
