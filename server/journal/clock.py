"""Wall-clock time and the clock that the server runs by.

The server's own clock only goes forward and means nothing to the next process; the wall's means the
same to every process, and may be set anew under us. So the two are compared once, at the start.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import trio


@dataclass(frozen=True)
class Clock:
    """`ahead` is how many seconds the wall is ahead of the server's clock. Infinity stays."""

    ahead: float

    def wall(self, at: float) -> float:
        """Seconds since 1970."""
        return at + self.ahead

    def here(self, wall: float) -> float:
        """The same moment by the server's clock; negative if it is from before its beginning."""
        return wall - self.ahead


def compare(wall: Callable[[], float] = time.time) -> Clock:
    """The two clocks as they stand now."""
    return Clock(wall() - trio.current_time())
