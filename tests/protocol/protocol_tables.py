"""The tables of PROTOCOL.md that follow from the code.

`python -m tests.protocol.protocol_tables` writes them into the page anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from engine import EVENT_FIELDS, Event
from engine.events import REVIVAL_LINE_FIELDS
from protocol.codes import CloseCode, ErrorCode
from protocol.session import TRANSITIONS
from protocol.view import STATUS_FIELDS, TELLS
from protocol.wire_events import FLAG_COLUMNS, KINDS, UNIT_COLUMNS, WORD_COLUMNS, channel_of
from server.commands import Ended, Enter, Shut, Wake
from server.room_table import NEXT

PROTOCOL_MD = Path(__file__).parents[2] / "protocol" / "PROTOCOL.md"
_BLOCK = re.compile(r"<!-- table: (\w+) -->\n(.*?)<!-- end -->", re.DOTALL)

# What the server sees, in words; what a player says is its message's type.
_SEEN = {
    Enter: "a player comes in",
    Ended: "the battle ends",
    Wake: "a deadline passes",
    Shut: "the server fails at it",
}


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    heads = list(head)
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def code(text: object) -> str:
    """As code, in Markdown."""
    return f"`{text}`"


def codes(names: Iterable[object]) -> str:
    """A list of code."""
    return ", ".join(code(name) for name in names)


def diagram(edges: Mapping[tuple[str, str], list[str]], first: str, last: str) -> str:
    """A state diagram, its moves joined by the states they lead from and to."""
    lines = [f"    {a} --> {b}: {', '.join(moves)}\n" for (a, b), moves in edges.items()]
    head = f"```mermaid\nstateDiagram-v2\n    [*] --> {first}\n"
    return f"{head}{''.join(lines)}    {last} --> [*]\n```\n"


def rooms() -> str:
    """The room's table, and its diagram."""
    rows, edges = [], dict[tuple[str, str], list[str]]()
    for (phase, kind), following in NEXT.items():
        seen = _SEEN.get(kind) or getattr(kind, "__struct_config__", None)
        if seen is None:
            continue  # changes no phase
        move = seen if isinstance(seen, str) else str(seen.tag)
        rows.append((code(phase), move if kind in _SEEN else code(move), codes(following)))
        for then in following:
            if then != phase:
                edges.setdefault((phase, then), []).append(move)
    moves = table(("phase", "what happens", "the phase then is"), rows)
    return f"{diagram(edges, 'waiting', 'closed')}\n{moves}"


def session() -> str:
    """The states of a client's session."""
    edges = dict[tuple[str, str], list[str]]()
    for (state, move), then in TRANSITIONS.items():
        edges.setdefault((state, then), []).append(move)
    return diagram(edges, "connecting", "ended")


def events() -> str:
    """Every kind of event."""
    rows = []
    for number, kind in enumerate(KINDS):
        fields, channel = codes(EVENT_FIELDS[kind]), code(channel_of(Event(0, 0, kind, ("", ""))))
        if kind == "line":
            fields += f"; on `revived` and `ally_revived` also {codes(REVIVAL_LINE_FIELDS)}"
            channel += ", or on those two `revival`"
        rows.append((str(number), code(kind), fields, channel))
    return table(("number", "kind", "fields", "channel"), rows)


def columns() -> str:
    """How the fields of events are written."""
    rows = [
        (
            f"{codes(UNIT_COLUMNS)}; the items of `units`",
            "a unit as a number: `a0`, `a1`, `a2` are 0, 1, 2; `b0`, `b1`, `b2` are -1, -2, -3; "
            "or null. But the `source` of a `line` is a card or rune, see below",
        ),
        (codes(FLAG_COLUMNS), "1 if true; left out, being the last, if not"),
    ]
    for name, words in WORD_COLUMNS.items():
        listed = ", ".join(f"{number} {code(word)}" for number, word in enumerate(words))
        rows.append((code(name), f"{listed}; any other word is text"))
    rows.append(("all others", "as they are"))
    return table(("field", "is written as"), rows)


def tells() -> str:
    """What events tell a mirror."""
    rows = [("`activation`", "`charge` is 1000 less; nothing, if it is `nested`")]
    for kind, (field, source) in TELLS.items():
        more = ", and `ward` is less by the event's `absorbed`" if kind == "damage" else ""
        rows.append((code(kind), f"{code(field)} is the event's {code(source)}{more}"))
    more = "of `vitality`, `max_vitality` is also more by the event's `amount`"
    rows.append(("`stat`", f"the field that `stat` names is the event's `value`; {more}"))
    fields = ", ".join(f"{code(field)} ({code(word)})" for word, field in STATUS_FIELDS.items())
    rows.append(("`status`", f"the status's field is the event's `total`: {fields}"))
    rows.append(("`status_end`", "the status's field is 0; `frozen_until` is null"))
    return table(("event", "of its `unit`"), rows)


def errors() -> str:
    """Every error code."""
    rows = ((code(error.value), error.meaning, error.advice) for error in ErrorCode)
    return table(("code", "meaning", "what to do"), rows)


def closes() -> str:
    """Every close code."""
    rows = ((str(close.value), close.meaning, close.then.value) for close in CloseCode)
    return table(("code", "meaning", "then"), rows)


BLOCKS = {
    function.__name__: function
    for function in (rooms, session, events, columns, tells, errors, closes)
}


def written(text: str) -> dict[str, str]:
    """The blocks that stand in the page, by name."""
    return dict(_BLOCK.findall(text))


def rewritten(text: str) -> str:
    """The page with every block as it should be."""
    return _BLOCK.sub(
        lambda found: f"<!-- table: {found[1]} -->\n{BLOCKS[found[1]]()}<!-- end -->", text
    )


if __name__ == "__main__":
    PROTOCOL_MD.write_text(rewritten(PROTOCOL_MD.read_text()))
