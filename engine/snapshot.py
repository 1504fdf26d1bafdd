"""What a battle's state is to those who look at it: one record a unit, and a digest of all.

The mirror on the other side of the wire holds the same records and computes the same digest.
Fields are integers, strings, nulls and lists of strings, so that every JSON writer gives the same
bytes for them.
"""

from __future__ import annotations

import hashlib
import json
from typing import Final, NamedTuple


class UnitState(NamedTuple):
    """A unit at the end of a tick. Its side is the first letter of its id.

    A unit is living while `vitality` is above 0; a dead one keeps its last numbers and statuses
    until it is revived (300.5), but its `rate` is 0.
    """

    id: str
    cell: int
    card: str
    runes: tuple[str, ...]
    focus: str
    keywords: tuple[str, ...]  # its own as printed, then those granted to it
    vessels: int
    progress: int  # Vessel Points toward the next Vessel
    vitality: int  # what is left
    max_vitality: int
    power: int
    speed: int  # without a quickening
    armor: int
    ward: int
    quickened: int  # Speed that lasts until the next activation (900.4)
    dread: int  # stacks
    burn: int  # stacks
    frozen_until: int | None  # the tick at whose end Freeze ends
    incarnation: int  # first life 0
    return_due: int | None  # the tick on which its Everlasting return is first tried
    charge: int
    rate: int  # Charge it gains in the next tick's Charge phase


UNIT_FIELDS: Final = UnitState._fields


class Snapshot(NamedTuple):
    """All units ever built, side a by number, then side b by number, at the end of `tick`."""

    tick: int
    units: tuple[UnitState, ...]


def state_digest(snapshot: Snapshot) -> str:
    """16 hex digits of SHA-256 over `[tick,[unit,...]]`, each unit the array of its fields."""
    text = json.dumps(snapshot, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
