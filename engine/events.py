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
    return render([event])


# What stands before each value of a kind's row, made once.
_BEFORE: Final[dict[str, tuple[str, ...]]] = {
    kind: tuple(f',"{name}":' for name in (*names, *REVIVAL_LINE_FIELDS))
    for kind, names in EVENT_FIELDS.items()
}
_KIND: Final[dict[str, str]] = {kind: f',"kind":"{kind}"' for kind in EVENT_FIELDS}
_MOST_KEPT: Final = 4096
_kept: Final[dict[str, str]] = {}  # ids and names as JSON; the same few hundred come all the time


def render(events: list[Event]) -> str:
    """The log lines of events, one after another: the bytes `json.dumps` would give, sooner."""
    pieces: list[str] = []
    tick, batch, head = -1, None, ""
    for event in events:
        if event.tick != tick or event.batch != batch or not head:
            tick, batch = event.tick, event.batch
            head = f'{{"tick":{tick},"batch":{"null" if batch is None else str(batch)}'
        pieces.append(head)
        pieces.append(_KIND[event.kind])
        before = _BEFORE[event.kind]
        for index, value in enumerate(event.values):
            pieces.append(before[index])
            if isinstance(value, str):
                pieces.append(_kept.get(value) or _quoted(value))
            elif isinstance(value, bool):
                pieces.append("true" if value else "false")
            elif isinstance(value, int):
                pieces.append(str(value))
            elif value is None:
                pieces.append("null")
            else:
                pieces.append(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
        pieces.append("}\n")
    return "".join(pieces)


def _quoted(text: str) -> str:
    if len(_kept) >= _MOST_KEPT:
        _kept.clear()
    quoted = json.dumps(text, ensure_ascii=False)
    _kept[text] = quoted
    return quoted
