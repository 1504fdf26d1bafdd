"""One task keeps the time of all rooms: whatever is due is run, and nothing that is run waits.

Deadlines are absolute, so that lateness does not add up. A task of its own for each of a thousand
rooms would spend most of a core on switching between them.
"""

from __future__ import annotations

import heapq
import itertools
import math
from typing import Final, Protocol

import trio

# Pieces of work between two looks at the sockets: so few that whoever waits to be read does not
# notice, so many that looking costs little.
PIECES: Final = 16


class Timed(Protocol):
    """What can be due."""

    def work(self, now: float) -> float:
        """Does what is due, a small piece of it, and says when to come again; infinity: never.

        Must not raise: each is its own error boundary.
        """


class Metronome:
    """Runs what is due, the most overdue first. Times are trio's clock."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Timed]] = []
        self._due: dict[Timed, float] = {}
        self._order = itertools.count()
        self._sleep: trio.CancelScope | None = None

    def schedule(self, timed: Timed, due: float) -> None:
        """Replaces whatever was scheduled for it. Infinity forgets it."""
        if due == self._due.get(timed, math.inf):
            return
        if due == math.inf:
            del self._due[timed]
            return
        self._due[timed] = due
        heapq.heappush(self._heap, (due, next(self._order), timed))
        if self._sleep is not None and due < self._sleep.deadline:
            self._sleep.deadline = due

    async def run(self) -> None:
        """Keeps the time until cancelled."""
        while True:
            now = trio.current_time()
            pieces = PIECES
            while pieces and self._work(now):
                pieces -= 1
            if pieces:
                await self._sleep_until(self._next_due())
            else:
                await trio.lowlevel.checkpoint()

    def _work(self, now: float) -> bool:
        """Runs the one that is most overdue; whether there was one."""
        if self._next_due() > now:
            return False
        _, _, timed = heapq.heappop(self._heap)
        del self._due[timed]
        self.schedule(timed, timed.work(now))
        return True

    def _next_due(self) -> float:
        while self._heap and self._due.get(self._heap[0][2]) != self._heap[0][0]:
            heapq.heappop(self._heap)  # it was scheduled anew, or forgotten
        return self._heap[0][0] if self._heap else math.inf

    async def _sleep_until(self, due: float) -> None:
        with trio.CancelScope(deadline=due) as self._sleep:
            await trio.sleep_forever()
        self._sleep = None
