"""What a room is given as it is made: what all rooms share, and what its maker asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine import Catalog, Rules
from protocol.messages import Speed
from server.commands import Stored
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


@dataclass(frozen=True)
class Options:
    """What the maker of a room asked for."""

    speed: Speed = 1
    best_of: int = 3
    private: bool = False
    quick: bool = False  # made by quick match: offers a stored opponent to one who waits alone
