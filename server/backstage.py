"""What all stages share: the settings, the clocks, the journal, and what is to be done with what
leaves a room."""

from __future__ import annotations

from dataclasses import dataclass, field

import trio

from server.ahead import SpareTime
from server.boards import BoardStore
from server.config import Config
from server.edition import Edition, edition_of
from server.fanout import Crier
from server.journal.clock import Clock
from server.journal.writer import Journal
from server.metrics import Metrics
from server.metronome import Metronome
from server.watchdog import Watchdog


class Battles:
    """Which arenas have a battle that runs, and a way to wait until none has."""

    def __init__(self) -> None:
        self._running: set[object] = set()
        self._over = trio.Event()

    def __len__(self) -> int:
        return len(self._running)

    def note(self, arena: object, *, runs: bool) -> None:
        if runs:
            self._running.add(arena)
            return
        self._running.discard(arena)
        if not self._running:
            self._over.set()

    async def over(self) -> None:
        """Waits until none runs."""
        while self._running:
            self._over = trio.Event()
            await self._over.wait()


@dataclass
class Backstage:
    """One for a process. `draining`: nothing new begins any more."""

    config: Config
    metronome: Metronome
    journal: Journal
    clock: Clock
    boards: BoardStore
    watchdog: Watchdog
    metrics: Metrics
    edition: Edition = field(init=False)
    battles: Battles = field(default_factory=Battles)
    crier: Crier = field(init=False)
    spare_time: SpareTime = field(init=False)
    draining: bool = False

    def __post_init__(self) -> None:
        self.edition = edition_of(self.config.catalog)
        self.crier = Crier(self.metrics)
        self.spare_time = SpareTime(self.watchdog)
        self.metronome.then = self.crier.cry
        self.metronome.meanwhile = self.spare_time.use
