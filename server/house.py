"""What a room is given as it is made: what all rooms share, and what its maker asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine import Catalog, Rules
from protocol.messages import RoomPhase, Speed
from server.commands import Stored, Terms
from server.limits import Limits


@dataclass(frozen=True)
class House:
    """What all rooms of a server share: the rules, the limits, and where chance comes from."""

    rules: Rules
    catalog: Catalog
    limits: Limits
    secret: Callable[[], bytes]
    stored: Callable[[], Stored | None]
    tick_seconds: Callable[[int], float]  # of a room's speed

    def longest(self, phase: RoomPhase, terms: Terms | None) -> float:
        """How many seconds a room may be in this phase; `terms` are those of its last battle."""
        limits = self.limits
        match phase:
            case "waiting":
                return limits.waiting_seconds
            case "building":
                return limits.building_seconds
            case "battle":
                if terms is None:
                    raise AssertionError("a battle runs without its terms")
                lasts = terms.setup.rules.time_limit * self.tick_seconds(terms.speed)
                return lasts + limits.battle_grace_seconds
            case "over":
                return limits.over_seconds
            case "closed":
                return 0.0


@dataclass(frozen=True)
class Options:
    """What the maker of a room asked for."""

    speed: Speed = 1
    best_of: int = 3
    private: bool = False
    quick: bool = False  # made by quick match: offers a stored opponent to one who waits alone
