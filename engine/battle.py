"""A battle: set up, then stepped from tick to tick until it is over (100)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, NamedTuple, cast

from engine.activations import Activations
from engine.definitions import SIDES
from engine.events import NUMBERS, Event
from engine.lines import NO_MOMENT
from engine.log import Log
from engine.setup import Setup
from engine.snapshot import Snapshot, UnitState
from engine.unit import FULL_CHARGE, Unit

BURN_EVERY: Final = 20  # ticks (100.4b)


class Result(NamedTuple):
    """How a battle ended. `digest` is that of its log, "" of a quiet battle."""

    winner: Literal["a", "b"] | None
    reason: Literal["elimination", "timeout"]
    tick: int
    digest: str


class Battle(Activations):
    """One battle. `step` until `over`; then `result` says how it went.

    A quiet battle keeps no log and gives no events; its result is the same but for the digest.

    No limit keeps cards that build more of themselves from making a tick as long as they like.
    `pulse` is called every so often while the battle runs, so that who runs it can stop it, by
    raising; a battle that was stopped is good for nothing more.
    """

    def __init__(
        self, setup: Setup, quiet: bool = False, pulse: Callable[[], None] | None = None
    ) -> None:
        super().__init__(setup, Log(quiet, pulse))
        self.result: Result | None = None
        self._next = -1  # as `next_tick` last found it; it stands until that tick has run

    # What a caller asks

    def step(self) -> list[Event]:
        """Runs the next tick on which anything can happen; gives its events, perhaps none."""
        assert not self.over, "a battle that is over has no next tick"
        self._run(self.next_tick())
        return self.record.take()

    def advance(self, tick: int) -> list[Event]:
        """Runs all that happens up to and including `tick`; gives the events."""
        while not self.over and self.next_tick() <= tick:
            self._run(self.next_tick())
        if not self.over and self.tick < tick:
            self._idle(tick)
        return self.record.take()

    def run(self) -> Result:
        """Runs the battle to its end."""
        while not self.over:
            self._run(self.next_tick())
        assert self.result is not None, "a battle that is over has a result"
        return self.result

    def next_tick(self) -> int:
        """The next tick on which anything but Charge can change; idle ones before it may be
        jumped."""
        if self._next <= self.tick:
            self._next = self._find_next(self.tick)
        return self._next

    def snapshot(self) -> Snapshot:
        """Every unit ever built, at the end of `tick`."""
        return Snapshot(self.tick, tuple(u.state() for side in self.units for u in side))

    def unit(self, unit_id: str) -> Unit:
        """The unit with that id."""
        return self.units[SIDES.index(unit_id[0])][int(unit_id[1:])]

    def state(self, unit_id: str) -> UnitState:
        """The unit with that id as a snapshot has it, at the end of `tick`."""
        return self.unit(unit_id).state()

    def digest(self) -> str:
        """The digest of the log so far."""
        return self.record.digest()

    def log(self) -> bytes:
        """The log so far, a JSON object a line."""
        return self.record.text()

    # Ticks

    def _find_next(self, now: int) -> int:
        if now < 0:
            return 0
        soonest = min(self.rules.time_limit, self._next_return())
        burning = now + BURN_EVERY - now % BURN_EVERY
        for unit in self.living():
            rate = unit.rate()
            if unit.burn and burning < soonest:
                soonest = burning
            if rate > 0 or (unit.charge >= FULL_CHARGE and not unit.is_frozen()):
                missing = FULL_CHARGE - unit.charge
                ticks = (missing + rate - 1) // rate if missing > 0 else 1
                soonest = min(soonest, now + ticks)
            for ending in unit.endings:
                soonest = min(soonest, ending.tick)
        return soonest

    def _next_return(self) -> int:
        """The tick of the next return that can succeed. One that finds no free cell waits for a
        death, and deaths happen only on ticks that are run anyway."""
        soonest = self.rules.time_limit
        for unit in self.returns:
            if self.free_cell(unit.side) >= 0:
                soonest = min(soonest, max(unit.return_due, self.tick + 1))
        return soonest

    def _idle(self, tick: int) -> None:
        """Moves on to `tick`, with nothing but Charge to move."""
        ticks = tick - self.tick
        if ticks > 0:
            for unit in self.living():
                unit.charge += unit.rate() * ticks
            self.tick = tick

    def _run(self, tick: int) -> None:
        if tick > 0:
            self._idle(tick - 1)
        self.tick = tick
        self.record.move(tick, None)
        if tick == 0:
            self._begin()
            return
        self._returns()
        if not self.over:
            self._burns()
        if not self.over:
            self._charges()
            self._activations()
        if not self.over:
            self._endings()
            if tick >= self.rules.time_limit:
                self._sweep()

    def _begin(self) -> None:
        """100.2."""
        units = self.living()
        written: list[dict[str, object]] = [_written(unit) for unit in units]
        self.record.add("battle_start", (SIDES[self.first_side], written))
        self.open_batch()
        self.fire_all(units, "battle_start", NO_MOMENT)
        self.close_batch()

    def _returns(self) -> None:
        """100.4a: oldest death first, each one batch."""
        for unit in list(self.returns):
            if unit.return_due <= self.tick:
                self.try_return(unit)
                if self.over:
                    return

    def _burns(self) -> None:
        """100.4b, 700.3."""
        if self.tick % BURN_EVERY:
            return
        bearers = [unit for unit in self.living() if unit.burn]
        fallen = [unit for unit in bearers if self.wound(unit.burner, unit, unit.burn)]
        for unit in bearers:
            if unit.vitality > 0:
                self._burn_down(unit)
        self.resolve(fallen)

    def _burn_down(self, unit: Unit) -> None:
        unit.burn -= 1
        if unit.burn:
            self.record.add("status", (unit.id, None, "burn", -1, unit.burn))
        else:
            self.record.add("status_end", (unit.id, "burn"))

    def _charges(self) -> None:
        """100.4c."""
        for unit in self.living():
            unit.charge += unit.rate()

    def _activations(self) -> None:
        """100.4d: in the order that held when the phase began."""
        for unit in self.living():
            if unit.vitality > 0 and unit.charge >= FULL_CHARGE and not unit.is_frozen():
                unit.charge -= FULL_CHARGE
                self.open_batch()
                self.activate(unit, nested=False)
                self.close_batch()
                if self.over:
                    return

    def _endings(self) -> None:
        """100.4e: of one unit, in the order in which they were set."""
        for unit in self.living():
            if not unit.endings:
                continue
            due = [ending for ending in unit.endings if ending.tick == self.tick]
            if due:
                unit.endings = [ending for ending in unit.endings if ending.tick != self.tick]
                for ending in due:
                    self.end(unit, ending)

    # The end

    def end_if_decided(self) -> None:
        """100.5."""
        stands_a, stands_b = bool(self.side_living(0)), bool(self.side_living(1))
        if stands_a and stands_b:
            return
        winner = "a" if stands_a else "b" if stands_b else None
        self._end(winner, "elimination")

    def _sweep(self) -> None:
        """100.6, 800.49k: the deaths that end a battle; nothing answers them."""
        for unit in self.living():
            unit.vitality = 0
            self.waiting += 1  # and nothing resolves it
            unit.quickened = 0  # 900.4
            self.record.add("death", (unit.id, unit.cell, None, True))
        self._end(None, "timeout")

    def _end(self, winner: str | None, reason: Literal["elimination", "timeout"]) -> None:
        self.over = True
        digest = "" if self.record.quiet else self.record.digest()
        self.result = Result(cast(Literal["a", "b"] | None, winner), reason, self.tick, digest)
        self.record.add("battle_end", (winner, reason, digest))


def _written(unit: Unit) -> dict[str, object]:
    """A unit as `battle_start` writes it."""
    head: dict[str, object] = {
        "id": unit.id,
        "cell": unit.cell,
        "card": unit.card.id,
        "runes": list(unit.runes),
        "focus": unit.card.focus,
        "keywords": list(unit.keywords),
        "vessels": unit.vessels,
        "progress": unit.progress,
    }
    head.update(zip(NUMBERS, unit.numbers(), strict=True))
    return head
