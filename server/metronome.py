"""One task keeps the time of all rooms: whatever is due is run, and nothing that is run waits.

Deadlines are absolute, so that lateness does not add up. A task of its own for each of a thousand
rooms would spend most of a core on switching between them.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable
from typing import Final, Protocol

import trio

# Pieces of work between two looks at the sockets: so few that whoever waits to be read does not
# notice, so many that looking costs little.
PIECES: Final = 16

# Entries of the heap that are out of date, and may stay so before it is worth cleaning.
SPARE: Final = 1024


class Timed(Protocol):
    """What can be due."""

    def work(self, now: float) -> float:
        """Does what is due, a small piece of it, and says when to come again; infinity: never.

        Must not raise: each is its own error boundary.
        """


class Metronome:
    """Runs what is due, the most overdue first. Times are trio's clock."""

    def __init__(self) -> None:
        # Called with the time when what was due is done.
        self.then: Callable[[float], None] | None = None
        # Called while nothing is due: does a piece of what can wait, in no more than so many
        # seconds; whether it did.
        self.meanwhile: Callable[[float], bool] | None = None
        # The heap holds no reference to what it is about: a room that has closed must not live on
        # until the last of its deadlines would have passed.
        self._heap: list[tuple[float, int]] = []
        self._timed: dict[int, Timed] = {}
        self._when: dict[Timed, tuple[float, int]] = {}
        self._order = itertools.count()
        self._sleep: trio.CancelScope | None = None

    def schedule(self, timed: Timed, due: float) -> None:
        """Replaces whatever was scheduled for it. Infinity forgets it."""
        before = self._when.get(timed)
        if before is not None:
            if before[0] == due:
                return
            del self._when[timed]
            del self._timed[before[1]]
        if due == math.inf:
            return
        entry = due, next(self._order)
        self._when[timed] = entry
        self._timed[entry[1]] = timed
        heapq.heappush(self._heap, entry)
        if len(self._heap) > 2 * len(self._when) + SPARE:
            self._heap = list(self._when.values())
            heapq.heapify(self._heap)
        if self._sleep is not None and due < self._sleep.deadline:
            self._sleep.deadline = due

    async def run(self) -> None:
        """Keeps the time until cancelled."""
        while True:
            now = trio.current_time()
            pieces = PIECES
            while pieces and self._work(now):
                pieces -= 1
            if self.then is not None:
                self.then(trio.current_time())
            if pieces and not self._use_spare_time():
                await self._sleep_until(self._next_due())
            else:
                await trio.lowlevel.checkpoint()

    def _work(self, now: float) -> bool:
        """Runs the one that is most overdue; whether there was one."""
        heap = self._heap
        while heap and heap[0][0] <= now:
            timed = self._timed.pop(heapq.heappop(heap)[1], None)
            if timed is not None:  # else it was scheduled anew, or forgotten
                del self._when[timed]
                self.schedule(timed, timed.work(now))
                return True
        return False

    def _use_spare_time(self) -> bool:
        """Whether there may be more to do than to sleep."""
        seconds = self._next_due() - trio.current_time()
        if seconds <= 0:
            return True
        return self.meanwhile is not None and self.meanwhile(seconds)

    def _next_due(self) -> float:
        while self._heap and self._heap[0][1] not in self._timed:
            heapq.heappop(self._heap)  # it was scheduled anew, or forgotten
        return self._heap[0][0] if self._heap else math.inf

    async def _sleep_until(self, due: float) -> None:
        with trio.CancelScope(deadline=due) as self._sleep:
            await trio.sleep_forever()
        self._sleep = None
