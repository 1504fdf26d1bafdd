"""Makes a battle's frames some steps before they are due.

A battle that has the processor's caches to itself for a few steps is fought several times as fast
as one that takes turns with a hundred others. What is made waits here, unseen, for its time.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Final, NamedTuple

from protocol.frames import FeedWriter, Frames, Standing

# More would save little, and keep a thousand battles that begin together from their first tick.
STEPS: Final = 6


class Made(NamedTuple):
    """A tick's frames, how things stand after it, and which tick is next; infinity after the
    last."""

    tick: int
    frames: Frames
    standing: Standing
    next_tick: float


class Ahead:
    """The steps of a battle, one by one. What a step raises is raised when it would be its turn."""

    def __init__(self, writer: FeedWriter) -> None:
        self.next_tick: float = writer.next_tick()
        self.standing = writer.maker.standing()
        self._writer = writer
        self._made: deque[Made] = deque()
        self._failure: Exception | None = None

    @property
    def over(self) -> bool:
        """Whether the last step has been taken."""
        return self.next_tick == math.inf

    def step(self) -> Made:
        """The step to the end of `next_tick`. Only while it is not over."""
        if not self._made:
            self._make()
        made = self._made.popleft()
        self.standing, self.next_tick = made.standing, made.next_tick
        return made

    def _make(self) -> None:
        if self._failure is not None:
            raise self._failure
        try:
            while len(self._made) < STEPS and not self._writer.over:
                self._made.append(self._make_one())
        except Exception as failure:
            if not self._made:
                raise
            self._failure = failure

    def _make_one(self) -> Made:
        writer = self._writer
        tick, frames = writer.step()
        next_tick = math.inf if writer.over else writer.next_tick()
        return Made(tick, frames, writer.maker.standing(), next_tick)
