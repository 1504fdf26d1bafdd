"""Battles that stand still where a test wants them to, however fast or slow the machine is."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import pytest
import trio

from engine import Battle
from server import arena
from server.battles import BattleRun
from server.stage import Stage

Deed = Callable[[], Awaitable[None]]


class HeldBattle(BattleRun):
    """A battle that goes no further than the tick it is let run to."""

    def __init__(self, *told: Any) -> None:
        super().__init__(*told)
        self.ticks = all_ticks(Battle(self.terms.setup))
        self._bound: float = 0
        self._held_since = math.inf  # when the next tick would have been due
        self._reached = trio.Event()

    async def reach(self, tick: int, stage: Stage) -> None:
        """Lets it run to this tick, and waits until it is there."""
        if self.tick < tick:
            self._reached = trio.Event()
            self.let_run(tick, stage)
            await self._reached.wait()

    def let_run(self, tick: float, stage: Stage) -> None:
        self._bound = tick
        if self._held_since < math.inf:
            now = trio.current_time()
            self._start += now - self._held_since
            self.due, self._held_since = now, math.inf
            stage.reschedule()

    def _step(self) -> None:
        super()._step()
        if self.tick >= self._bound:
            self.due, self._held_since = math.inf, self.due
            self._reached.set()


def all_ticks(battle: Battle) -> list[int]:
    """Every tick on which something happens."""
    ticks = []
    while not battle.over:
        battle.step()
        ticks.append(battle.tick)
    return ticks


class Conductor:
    """Holds the next battle of the servers in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._begun = trio.Event()
        monkeypatch.setattr(arena, "BattleRun", self._begin)

    def _begin(self, *told: Any) -> BattleRun:
        if self._begun.is_set():
            return BattleRun(*told)
        self._battle = HeldBattle(*told)
        self._begun.set()
        return self._battle

    async def conduct(self, stage: Stage, deeds: Iterable[tuple[float, Deed]]) -> None:
        """Lets the battle run from deed to deed, each at a share of it below 1, and stands still
        while it is done; then to its end."""
        await self._begun.wait()
        battle = self._battle
        for share, deed in sorted(deeds, key=lambda one: one[0]):
            await battle.reach(battle.ticks[int(share * (len(battle.ticks) - 1))], stage)
            await deed()
        battle.let_run(math.inf, stage)
