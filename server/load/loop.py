"""One thread, many sockets: calls whoever has something to read, and whoever's time has come.

A task for each of ten thousand clients would cost more than the server that is to be measured.
"""

from __future__ import annotations

import heapq
import itertools
import selectors
import time
from collections.abc import Callable
from typing import Final

READ: Final = selectors.EVENT_READ
WRITE: Final = selectors.EVENT_WRITE

Call = Callable[[], None]


class Loop:
    """Times are of `time.monotonic`; `now` is when whoever was called last was called."""

    def __init__(self) -> None:
        self.now = time.monotonic()
        self._selector = selectors.DefaultSelector()
        self._timers: list[tuple[float, int, Call]] = []
        self._order = itertools.count()

    def watch(self, fd: int, events: int, call: Call) -> None:
        """Calls whenever the descriptor is ready, until `forget`."""
        self._selector.register(fd, events, call)

    def change(self, fd: int, events: int, call: Call) -> None:
        self._selector.modify(fd, events, call)

    def forget(self, fd: int) -> None:
        self._selector.unregister(fd)

    def __contains__(self, fd: int) -> bool:
        return fd in self._selector.get_map()

    def after(self, seconds: float, call: Call) -> None:
        """Calls once."""
        heapq.heappush(self._timers, (time.monotonic() + seconds, next(self._order), call))

    def run_once(self, most_seconds: float) -> None:
        """Waits until something is due, no longer than so long, and does it."""
        wait = self._timers[0][0] - time.monotonic() if self._timers else most_seconds
        ready = self._selector.select(max(0.0, min(wait, most_seconds)))
        watched = self._selector.get_map()
        for key, _ in ready:
            if key.fd in watched:  # else one called before it has closed it
                self.now = time.monotonic()
                key.data()
        self.now = time.monotonic()
        while self._timers and self._timers[0][0] <= self.now:
            heapq.heappop(self._timers)[2]()
