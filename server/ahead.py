"""Battles run ahead of the clock while nothing is due, and their frames wait until they are.

A process that wakes for every tick finds the processor's caches cold each time: a tick made among
others costs a third of one that is made alone. What was made before its time is nobody's business:
whatever is asked of a battle is as of the last tick that was given out.
"""

from __future__ import annotations

import math
import re
import time
from collections import deque
from typing import Final, NamedTuple, Protocol

from engine import Battle, state_digest
from protocol.codec import decode_to_client
from protocol.frames import FeedWriter, FrameMaker
from protocol.messages import CHANNELS, Next, RevivalFrame, SnapshotMessage, TickFrame, VesselFrame
from protocol.mirror import Mirror
from server.feed import payload_of, wire_frames
from server.watchdog import Watchdog

# Made in one go, by a compiled engine most battles whole, since each time begins with cold caches
# again; but no more than so many ticks wait, and who says something meanwhile does not notice. Who
# joins is sent what a mirror makes of all that was given out since, in about the same time. Less
# time than the least is too little to begin.
TICKS: Final = 256
SECONDS: Final = 0.005
LEAST_SECONDS: Final = 0.001

_TICK_OF_LINE: Final = re.compile(rb'^\{"tick":(\d+)', re.MULTILINE)


class Tick(NamedTuple):
    """A tick of a battle, and the frames it makes, as they go out."""

    number: int
    frames: dict[int, bytes]
    following: int | None  # the number of the next one, if there is one


class Told:
    """A battle as it was after the last tick that was given out, though more are made.

    That is what anyone knows who was told so far: so a mirror, which is made when somebody asks.
    """

    def __init__(self, maker: FrameMaker) -> None:
        self.tick = -1
        self._maker = maker
        self._base: FrameMaker | None = None  # while the maker is ahead: as it was before
        self._since: list[bytes] = []  # frames given out since that the mirror was not told
        self._mirror = Mirror()

    def part(self) -> None:
        """The maker goes ahead."""
        self._base = self._maker.copy()

    def meet(self) -> None:
        """All that was made is given out."""
        self._base, self._since, self._mirror = None, [], Mirror()

    def tell(self, tick: Tick) -> None:
        """This one is given out."""
        self.tick = tick.number
        if self._base is not None:
            self._since += tick.frames.values()

    def snapshot(self) -> SnapshotMessage:
        """The whole state, and the numbers that follow."""
        if self._base is None:
            return self._maker.snapshot()
        if self._base.tick == self.tick:
            return self._base.snapshot()
        mirror = self._mirror
        if mirror.battle is None:
            mirror.load(self._base.snapshot())
        for data in self._since:
            frame = decode_to_client(payload_of(data))
            assert isinstance(frame, TickFrame | RevivalFrame | VesselFrame), "it was made as one"
            mirror.apply(frame)
        self._since.clear()
        return _snapshot(mirror, self.tick)


def _snapshot(mirror: Mirror, tick: int) -> SnapshotMessage:
    position = mirror.position
    assert position is not None, "it is in a battle"
    state = mirror.state_at(tick)
    return SnapshotMessage(
        battle=position.battle,
        tick=tick,
        next=Next(**{channel: getattr(position, channel) + 1 for channel in CHANNELS}),
        units=[list(unit) for unit in state.units],
        digest=state_digest(state),
    )


class AheadWriter:
    """Drives a battle and gives out its ticks, some of which it may have made before."""

    def __init__(self, writer: FeedWriter[Battle]) -> None:
        self.told = Told(writer.maker)
        # The tick that `step` will give out; None once the last one is.
        self.following: int | None = writer.next_tick()
        self._writer = writer
        self._waiting: deque[Tick] = deque()
        self._failure: Exception | None = None  # of the tick that follows those

    @property
    def is_ahead(self) -> bool:
        """Whether more is known of the battle than was given out."""
        return bool(self._waiting) or self._failure is not None

    @property
    def over(self) -> bool:
        """The last tick is given out."""
        return self.following is None

    def step(self) -> Tick:
        """The next tick. Raises what making it raised."""
        waiting = self._waiting
        if waiting:
            tick = waiting.popleft()
            self.told.tell(tick)
            if not waiting and self._failure is None:
                self.told.meet()
        elif self._failure is not None:
            raise self._failure
        else:
            tick = self._make()
            self.told.tell(tick)
        self.following = tick.following
        return tick

    def look_ahead(self, ticks: int, seconds: float = math.inf) -> None:
        """Makes the ticks that come next, where none waits: so many, unless they take too long."""
        if self.is_ahead or self.over:
            return
        self.told.part()
        until = time.perf_counter() + seconds
        while not self._writer.over:
            self._waiting.append(self._make())
            if len(self._waiting) == ticks or time.perf_counter() > until:
                break

    def fail(self, failure: Exception) -> None:
        """What `look_ahead` raised is raised again in its time."""
        self._failure = failure

    def log(self) -> bytes:
        """The battle's log up to the last tick given out."""
        log = self._writer.battle.log()
        if self.is_ahead:
            for line in _TICK_OF_LINE.finditer(log):
                if int(line[1]) > self.told.tick:
                    return log[: line.start()]
        return log

    def _make(self) -> Tick:
        writer = self._writer
        tick, frames = writer.step()
        return Tick(tick, wire_frames(frames), None if writer.over else writer.next_tick())


class Runner(Protocol):
    """What can run ahead."""

    def look_ahead(self, ticks: int, seconds: float) -> None:
        """Makes some ticks that are not due. May raise whatever the engine raises."""

    def fail_in_time(self, failure: Exception) -> None:
        """What that raised comes up again when it is due."""


class SpareTime:
    """Lets battles run ahead, one after the other, while nothing else is to be done."""

    def __init__(self, watchdog: Watchdog) -> None:
        self._watchdog = watchdog
        self._waiting: dict[Runner, None] = {}  # in order

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, run: Runner) -> None:
        self._waiting.setdefault(run)

    def drop(self, run: Runner) -> None:
        self._waiting.pop(run, None)

    def use(self, seconds: float) -> bool:
        """One battle runs ahead, for longer than that by no more than a tick; whether one did.
        Never raises what a battle does."""
        run = next(iter(self._waiting), None)
        if run is None or seconds < LEAST_SECONDS:
            return False
        del self._waiting[run]
        try:
            with self._watchdog:
                run.look_ahead(TICKS, min(seconds, SECONDS))
        except Exception as failure:
            run.fail_in_time(failure)
        return True
