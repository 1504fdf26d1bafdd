"""A battle in real time: runs the ticks whose time has come, and puts their frames into the feed.

Ticks are integers on absolute deadlines: tick n is due n tick lengths after the start, whatever
happened on the way, so that lateness never adds up. What the battle does is the engine's, and the
frames are the protocol's; here is only when.
"""

from __future__ import annotations

import json
import math
import os
import time
from pathlib import Path
from typing import Final

from engine import Battle, Setup
from protocol.frames import FeedWriter, sources_of
from protocol.messages import Seat
from server.ahead import AheadWriter
from server.commands import Ended, Reason, Terms
from server.feed import Feed
from server.metrics import Metrics
from server.watchdog import let_signals_in

# Of one battle in one go. Only a server that was held up, or has just come back, has more to do.
MOST_TICKS: Final = 100


class BattleRun:
    """One battle that runs into one feed. May raise whatever the engine raises.

    `since` is when this process came by it: ticks that were due before are nobody's lateness here.
    """

    def __init__(
        self,
        terms: Terms,
        feed: Feed,
        tick_seconds: float,
        start: float,
        metrics: Metrics,
        since: float = -math.inf,
    ) -> None:
        self.terms = terms
        self.feed = feed
        self._metrics = metrics
        self.latest = 0.0  # how late a tick has been at worst, in seconds
        self._tick_seconds = tick_seconds
        self._time_limit = terms.setup.rules.time_limit
        self._start = start
        self._since = since
        self._battle = Battle(terms.setup, pulse=let_signals_in)
        self._writer = AheadWriter(FeedWriter(self._battle, terms.battle, sources_of(terms.setup)))
        self.due = start  # when the next tick is to run; infinity after the last
        feed.snapshot = self._writer.told.snapshot

    @property
    def tick(self) -> int:
        """The last tick that is in the feed; -1 before the first."""
        return self._writer.told.tick

    @property
    def has_caught_up(self) -> bool:
        """Whether it could run ahead again."""
        return not self._writer.is_ahead and self.due < math.inf

    def postpone(self, start: float) -> None:
        """It begins later, and has not begun yet."""
        assert self.tick < 0, "it has begun"
        self._start = self.due = start

    def advance(self, now: float) -> Ended | None:
        """Runs the ticks that are due; how the battle ended, if it has."""
        before = time.perf_counter()
        try:
            for _ in range(MOST_TICKS):
                late = now - self.due
                if late < 0:
                    break
                if self.due >= self._since:
                    self.latest = max(self.latest, late)
                    self._metrics.lateness.add(late)
                self._step()
        finally:
            self._metrics.engine_seconds += time.perf_counter() - before
        return self._ended() if self._writer.over else None

    def advance_to(self, tick: int) -> None:
        """Runs all ticks up to this one, as they ran before."""
        while (following := self._writer.following) is not None and following <= tick:
            self._step()

    def look_ahead(self, ticks: int, seconds: float = math.inf) -> None:
        """Makes some ticks that are not due. Nobody sees them until they are."""
        before = time.perf_counter()
        try:
            self._writer.look_ahead(ticks, seconds)
        finally:
            self._metrics.engine_seconds += time.perf_counter() - before

    def fail_in_time(self, failure: Exception) -> None:
        """What looking ahead raised is raised again when the tick is due that it was to make."""
        self._writer.fail(failure)

    def _step(self) -> None:
        tick, frames, following = self._writer.step()
        if tick > self._time_limit:
            raise AssertionError(f"tick {tick} is past the battle's time limit")
        self.feed.add_frames(frames, self.due)
        if following is None:
            self.due = math.inf
        else:
            self.due = self._start + following * self._tick_seconds

    def log(self) -> bytes:
        """The battle's log, as far as it is in the feed."""
        return self._writer.log()

    def stopped(self, winner: Seat | None, reason: Reason) -> Ended:
        """How the battle ended that goes no further than it has."""
        return Ended(self.terms.battle, winner, reason, self.tick, None)

    def _ended(self) -> Ended:
        result = self._battle.result
        assert result is not None, "it is over"
        return Ended(self.terms.battle, result.winner, result.reason, result.tick, result.digest)


def write_fault(folder: Path, error_id: str, setup: Setup) -> str | None:
    """Writes the file with which `phylactery battle` fights a battle that failed once more; where
    it is, or None if it cannot be written, which must not make anything worse."""
    path = folder / f"{error_id}.json"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(path, "x", encoding="utf-8", opener=_owners_alone) as file:
            json.dump(setup.to_object(), file, ensure_ascii=False)
    except OSError:
        return None
    return str(path)


def _owners_alone(path: str, flags: int) -> int:
    """Opens a new file for nobody else to read: it holds the seed and both boards."""
    return os.open(path, flags, 0o600)
