"""Logs written by hand, for the tests of this folder."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

Line = dict[str, Any]


def line(tick: int, kind: str, batch: int | None = 1, **fields: Any) -> Line:
    return {"tick": tick, "batch": batch, "kind": kind, **fields}


def built(unit_id: str, **fields: Any) -> Line:
    """A unit of `battle_start`."""
    return {
        "id": unit_id,
        "cell": int(unit_id[1:]),
        "card": "wisp",
        "runes": [],
        "focus": "front",
        "keywords": ["rabid"],
        "vessels": 0,
        "progress": 0,
        "vitality": 9,
        "max_vitality": 9,
        "power": 3,
        "speed": 100,
        "armor": 0,
        "ward": 2,
        **fields,
    }


START: Final = line(
    0, "battle_start", None, initiative="a", units=[built("a0"), built("a1"), built("b0")]
)
END: Final = line(5, "battle_end", None, winner=None, reason="timeout", digest="0" * 32)


def encoded(lines: Iterable[object]) -> list[bytes]:
    return [json.dumps(one).encode() for one in lines]
