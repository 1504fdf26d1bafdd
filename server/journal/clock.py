"""Wall-clock time and the clock that the server runs by.

The server's own clock only goes forward and means nothing to the next process; the wall's means the
same to every process, and may be set anew under us. So the server lives by its own, and the two are
compared for what is written down: at the start, and again now and then.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import structlog
import trio

EVERY_SECONDS: Final = 10.0
# Further apart than clocks drift.
SET_SECONDS: Final = 1.0

log = structlog.get_logger()


@dataclass
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


class Comparison:
    """Compares the two anew. The metronome calls it."""

    def __init__(self, clock: Clock, wall: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._wall = wall

    def work(self, now: float) -> float:
        ahead = self._wall() - trio.current_time()
        moved, self._clock.ahead = ahead - self._clock.ahead, ahead
        if abs(moved) > SET_SECONDS:
            log.warning("the clock was set", seconds=round(moved, 1))
        return now + EVERY_SECONDS
