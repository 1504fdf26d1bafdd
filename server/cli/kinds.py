"""What a file is, told by its keys: a board, a battle or a catalog."""

from __future__ import annotations

from typing import Final, Literal

from engine import Fault, Refused
from engine.catalog import KINDS

Kind = Literal["board", "battle", "catalog"]

CATALOG_KEYS: Final = (*(name for kind in KINDS for name in kind), "prices", "rules")
HAS: Final[dict[Kind, str]] = {
    "board": "units",
    "battle": "a seed and the boards a and b",
    "catalog": "cards, runes, resonances, prices or rules",
}


def kind_of(value: object) -> Kind | None:
    """None where its keys do not tell. A battle may hold a catalog's keys too."""
    if not isinstance(value, dict):
        return None
    if "boards" in value or "seed" in value:
        return "battle"
    if "units" in value:
        return "board"
    return "catalog" if any(key in value for key in CATALOG_KEYS) else None


def expect(kind: Kind, value: object) -> object:
    """The value, unless it plainly is something else. Raises `Refused`."""
    found = kind_of(value)
    if found in (kind, None):
        return value
    raise Refused([Fault("", f"this is a {found}, not a {kind}; a {kind} has {HAS[kind]}")])
