"""Asks every client for a sign of life, now and then, and closes those that give none.

One round for all of them, run by the metronome: a task and a timer for each of ten thousand would
cost more memory than the rest of a connection, and a fifth of the processor's time.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Final

import trio

from protocol.codes import CloseCode
from server.closing import Closing
from server.delivery import Follower
from server.metronome import Metronome

# Those whose turn comes within so many seconds are asked together.
STEP_SECONDS: Final = 0.25

SILENT: Final = Closing(CloseCode.TRY_LATER, "no answer to a ping")


class Keepalive:
    """All clients of a server, in the order of their turns. A client is asked every `seconds`, and
    has until its next turn to be heard of."""

    def __init__(
        self, metronome: Metronome, seconds: float, next_beat: Callable[[float], float]
    ) -> None:
        self._metronome = metronome
        self._seconds = seconds
        self._next_beat = next_beat  # when the process is awake anyway
        self._turns: OrderedDict[Follower, float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._turns)

    def __iter__(self) -> Iterator[Follower]:
        return iter(tuple(self._turns))

    def add(self, follower: Follower) -> None:
        self._turns[follower] = trio.current_time() + self._seconds
        if len(self._turns) == 1:
            self._metronome.schedule(self, self._due())

    def remove(self, follower: Follower) -> None:
        self._turns.pop(follower, None)

    def work(self, now: float) -> float:
        """The metronome's call."""
        for _ in range(len(self._turns)):  # nobody twice, however soon their next turn is
            follower, due = next(iter(self._turns.items()))
            if due > now:
                break
            self._turns[follower] = now + self._seconds
            self._turns.move_to_end(follower)
            if follower.is_unheard:
                follower.close(SILENT)
            else:
                follower.ping()
        return self._due()

    def _due(self) -> float:
        first = next(iter(self._turns.values()), math.inf)
        return first if first == math.inf else self._next_beat(first + STEP_SECONDS)
