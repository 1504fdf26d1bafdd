"""Where a room's battles are fought, one at a time.

It is the battle's error boundary: one that fails ends as void, and the room goes on.
"""

from __future__ import annotations

from structlog.typing import FilteringBoundLogger

from server.backstage import Backstage
from server.battles import BattleRun, write_fault
from server.commands import Ended, Terms
from server.journal.keeping import Course
from server.telling import Opening


class Arena:
    """A room's battle. `run` is the one that runs; perhaps nobody has heard of it yet."""

    def __init__(self, backstage: Backstage, log: FilteringBoundLogger) -> None:
        self.run: BattleRun | None = None
        self._backstage = backstage
        self._log = log

    def prepare(self, opening: Opening) -> BattleRun | None:
        """A battle that begins soon; None if it fails from the start."""
        terms, metrics = opening.terms, self._backstage.metrics
        tick_seconds = self._backstage.config.tick_seconds(terms.speed)
        self._log.info("battle begins", battle=terms.battle)
        try:
            with self._backstage.watchdog:
                return BattleRun(terms, opening.feed, tick_seconds, opening.started, metrics)
        except Exception:
            self._log_fault(terms, tick=-1)
            return None

    def hold(self, run: BattleRun | None) -> None:
        """This is the battle from now on; it may run ahead of its time."""
        if self.run is not None:
            self._backstage.spare_time.drop(self.run)
        if run is not None:
            self._backstage.spare_time.add(run)
        self.run = run
        self._backstage.battles.note(self, runs=run is not None)

    def advance(self, run: BattleRun, now: float) -> Ended | None:
        """Runs the ticks that are due; how the battle has ended, if it has."""
        try:
            with self._backstage.watchdog:
                ended = run.advance(now)
        except Exception:
            self._log_fault(run.terms, run.tick)
            return run.stopped(None, "void")
        if ended is None and run.has_caught_up:
            self._backstage.spare_time.add(run)
        return ended

    def clear(self, run: BattleRun, ended: Ended) -> Course:
        """The battle has ended like this; what is kept of it."""
        self.hold(None)
        self._backstage.metrics.battles[ended.reason] += 1
        latest = round(run.latest, 4)
        self._log.info("battle ends", battle=ended.battle, reason=ended.reason, latest=latest)
        # What has failed is not asked for its log.
        log = b"" if ended.reason == "void" else run.log()
        return Course(ended.tick, log)

    def _log_fault(self, terms: Terms, tick: int) -> None:
        """In an exception handler: logs what it takes to fail like this again."""
        config = self._backstage.config
        error_id = config.mint.error_id()
        file = write_fault(config.faults, error_id, terms.setup)
        about = {"battle": terms.battle, "tick": tick, "error_id": error_id, "file": file}
        self._log.exception("battle failed", **about)
