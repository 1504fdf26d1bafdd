"""Faults for whoever has the file before them: beside the path, which counts from 0, the id of the
card that it leads into, and how TOML writes a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from engine import Fault
from engine.catalog import KINDS
from engine.reading import describe, is_clean

_DEFINITIONS: Final = tuple(name for kind in KINDS for name in kind)
_HEAD: Final = re.compile(rf"({'|'.join(_DEFINITIONS)})\[(\d+)\](?!\.id$)")
_INDEX: Final = re.compile(r"\[\d+\]")

# The lists of objects that stand in others.
_INNER_LISTS: Final = ("lines", "do", "steps", "units")
_NO_LIST: Final = "must be a list, not an object"


def pointed(faults: Iterable[Fault], value: object, *, toml: bool) -> list[Fault]:
    """The same faults of a file's value; their paths stay."""
    return [
        fault._replace(message=f"{fault.message}{_brackets(fault, toml)}{_owner(fault, value)}")
        for fault in faults
    ]


def _owner(fault: Fault, value: object) -> str:
    """` (in "toll-warden")`, for what is a card's, a rune's or a resonance's."""
    head = _HEAD.match(fault.path)
    if head is None or not isinstance(value, dict):
        return ""
    items, index = value.get(head[1]), int(head[2])
    item = items[index] if isinstance(items, list) and index < len(items) else None
    name = item.get("id") if isinstance(item, dict) else None
    return f" (in {describe(name)})" if isinstance(name, str) and name and is_clean(name) else ""


def _brackets(fault: Fault, toml: bool) -> str:
    if not toml or fault.message != _NO_LIST:
        return ""
    table = _INDEX.sub("", fault.path)
    is_of_tables = table in _DEFINITIONS or table.rpartition(".")[2] in _INNER_LISTS
    return f"; write [[{table}]]" if is_of_tables else ""
