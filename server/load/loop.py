"""One thread, many sockets: calls whoever has something to read, and whoever's time has come.

A task for each of ten thousand clients would cost more than the server that is to be measured; so
would asking `selectors` what it knows of each that is ready.
"""

from __future__ import annotations

import heapq
import itertools
import select
import sys
import time
from collections.abc import Callable
from typing import Final

READ: Final = select.POLLIN
WRITE: Final = select.POLLOUT
# The numbers of `epoll`; elsewhere the modules do not have them, and what is asked for is `READ`.
ENDED: Final = 1 << 13  # EPOLLRDHUP
# Once for all that has come (EPOLLET): who is called reads all of it, and again where it has ended.
# Otherwise the system asks each socket that was read whether there is more, and the server pays for
# that too: the socket is taken from the processor that writes.
NEWS: Final = READ | ENDED | 1 << 31

Call = Callable[[], None]


class Poll:
    """As `select.epoll`, where there is none; for a few hundred clients."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self.unregister = self._poll.unregister

    def register(self, fd: int, events: int) -> None:
        self._poll.register(fd, events & (READ | WRITE))

    def modify(self, fd: int, events: int) -> None:
        self._poll.modify(fd, events & (READ | WRITE))

    def poll(self, seconds: float, _: int) -> list[tuple[int, int]]:
        return self._poll.poll(1000 * seconds)


def poller() -> select.epoll | Poll:
    return select.epoll() if sys.platform == "linux" else Poll()


class Loop:
    """Times are of `time.monotonic`; `now` is when whoever was called last was called."""

    def __init__(self) -> None:
        self.now = time.monotonic()
        self._poller = poller()
        self._calls: dict[int, Call] = {}  # by descriptor
        self._timers: list[tuple[float, int, Call]] = []
        self._order = itertools.count()

    def watch(self, fd: int, events: int, call: Call) -> None:
        """Calls whenever the descriptor is ready, until `forget`."""
        self._poller.register(fd, events)
        self._calls[fd] = call

    def change(self, fd: int, events: int, call: Call) -> None:
        self._poller.modify(fd, events)
        self._calls[fd] = call

    def forget(self, fd: int) -> None:
        self._poller.unregister(fd)
        del self._calls[fd]

    def __contains__(self, fd: int) -> bool:
        return fd in self._calls

    def after(self, seconds: float, call: Call) -> None:
        """Calls once."""
        heapq.heappush(self._timers, (time.monotonic() + seconds, next(self._order), call))

    def run_once(self, most_seconds: float) -> None:
        """Waits until something is due, no longer than so long, and does it."""
        wait = self._timers[0][0] - time.monotonic() if self._timers else most_seconds
        calls = self._calls
        for fd, events in self._poller.poll(max(0.0, min(wait, most_seconds)), len(calls) + 1):
            call = calls.get(fd)
            if call is not None:  # else one called before it has closed it
                self.now = time.monotonic()
                call()
                while events & ENDED and calls.get(fd) is call:
                    call()
        self.now = time.monotonic()
        while self._timers and self._timers[0][0] <= self.now:
            heapq.heappop(self._timers)[2]()
