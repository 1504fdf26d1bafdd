"""Lines, batches and chains (600), and what a batch's closing pays in Vessel Points (800.49).

This layer decides whether a line fires and in which batch; what its effects do is said further up.
"""

from __future__ import annotations

from typing import Final

from engine.definitions import SIDES, Effect
from engine.field import Field
from engine.log import Log
from engine.setup import Setup
from engine.unit import Ability, Unit


class Moment:
    """What a line's aims can speak of besides the board: who struck, died, killed or returned."""

    __slots__ = ("attacker", "cause", "killer", "revived", "target")

    def __init__(
        self,
        target: Unit | None = None,
        attacker: Unit | None = None,
        killer: Unit | None = None,
        revived: Unit | None = None,
        cause: str = "",
    ) -> None:
        self.target = target
        self.attacker = attacker
        self.killer = killer
        self.revived = revived
        self.cause = cause


class Batch:
    """What one batch has counted so far (600.3)."""

    __slots__ = ("cut", "frozen", "lines", "raw")

    def __init__(self) -> None:
        self.raw = [0, 0]  # by side: Dread stacks and uniquely Frozen units (800.49c)
        self.frozen: list[Unit] = []  # already counted (800.49g)
        self.lines = 0
        self.cut = False


NO_MOMENT: Final = Moment()


def convert(raw: int, bands: tuple[tuple[int, int], ...]) -> int:
    """800.49d: Vessel Points for a raw total, through the rate bands; what is above is worth 0."""
    points = 0
    for size, rate in bands:
        taken = min(raw, size)
        points += taken * rate
        raw -= taken
    return points


class Lines(Field):
    """Fires lines within batches. `batch` is None outside one; `cuts` of them were cut (600.5)."""

    def __init__(self, setup: Setup, record: Log) -> None:
        super().__init__(setup, record)
        self.batch: Batch | None = None
        self.batches = 0
        self.cuts = 0
        self.depth = 0  # lines that are firing, one inside another
        self.over = False

    def perform(self, unit: Unit, effect: Effect, moment: Moment) -> None:
        """Does one effect of a line of `unit`."""
        raise NotImplementedError

    def end_if_decided(self) -> None:
        """100.5, asked where no death is waiting."""
        raise NotImplementedError

    # Batches

    def open_batch(self) -> bool:
        """Opens a batch, unless one is open to be joined (500.9m, 800.49e). True if it did: then
        close it."""
        if self.batch is not None:
            return False
        self.batch = Batch()
        self.record.move(self.tick, self.batches)
        self.batches += 1
        return True

    def close_batch(self) -> None:
        """600.4, 800.49f: converts each side's raw total once, and awards it in full."""
        batch = self.batch
        assert batch is not None, "only who opened a batch closes it"
        for side in (0, 1):
            if batch.raw[side] > 0:
                self._award(side, batch.raw[side])
        self.batch = None
        self.record.move(self.tick, None)
        if self.waiting == 0:
            self.end_if_decided()

    def _award(self, side: int, raw: int) -> None:
        points = convert(raw, self.rules.vessel_bands)
        takers: list[Unit] = []
        if points > 0:
            # 800.49d: living as the batch closes. 800.49h: at the maximum, it takes nothing.
            takers = [
                unit
                for unit in self.side_living(side)
                if unit.has("phylactery") and unit.vessels < self.rules.vessel_max
            ]
        self.record.add("vessel_points", (SIDES[side], raw, points, [unit.id for unit in takers]))
        for unit in takers:
            self._take_points(unit, points)
            self.record.add("vessel", (unit.id, unit.vessels, unit.progress))

    def _take_points(self, unit: Unit, points: int) -> None:
        cost = self.rules.vessel_cost
        unit.progress += points
        while unit.progress >= cost and unit.vessels < self.rules.vessel_max:
            unit.vessels += 1
            unit.progress -= cost
        if unit.vessels == self.rules.vessel_max:
            # 800.49h: held one point short of forming another.
            unit.progress = min(unit.progress, cost - 1)

    # Lines

    def fire(self, unit: Unit, channel: str, moment: Moment) -> None:
        """Fires the unit's lines of a channel. Those left when it dies between two do not fire,
        even if it has come back (600.1); a dead unit's own death lines all do."""
        life = unit.incarnation
        abilities = unit.abilities.get(channel)
        if abilities is None:
            return
        for ability in abilities:
            if self._is_spent():
                return
            if channel != "death" and not unit.lives_as(life):
                return
            self.fire_line(unit, ability, moment)

    def fire_all(self, units: list[Unit], channel: str, moment: Moment) -> None:
        """Fires the lines of each of the units, in order, that is still in the life in which it
        heard of the event."""
        heard = [(unit, unit.incarnation) for unit in units if channel in unit.abilities]
        for unit, life in heard:
            if unit.lives_as(life):
                self.fire(unit, channel, moment)

    def fire_line(self, unit: Unit, ability: Ability, moment: Moment) -> bool:
        """Fires one line, all of its effects, if its filter, its limit and the chain allow it."""
        line = ability.line
        if line.cause and line.cause != moment.cause:
            return False  # 500.9i
        if ability.used or not self._within_chain():
            return False
        if line.once:
            ability.used = True
        self._log_line(unit, ability, moment)
        self.depth += 1
        for effect in line.effects:
            self.perform(unit, effect, moment)
        self.depth -= 1
        return True

    def _is_spent(self) -> bool:
        """Whether no line can fire any more in this batch, and the log has said so."""
        batch = self.batch
        return batch is not None and batch.cut and batch.lines >= self.rules.chain_lines

    def _within_chain(self) -> bool:
        """600.5: whether one more line may fire in this batch; counts it if so."""
        batch = self.batch
        if batch is None:
            return True  # a lethal line that answers Burn is outside any batch
        if batch.lines < self.rules.chain_lines and self.depth < self.rules.chain_depth:
            batch.lines += 1
            return True
        if not batch.cut:
            batch.cut = True
            self.cuts += 1
            self.record.add("chain_cut", ())
        return False

    def _log_line(self, unit: Unit, ability: Ability, moment: Moment) -> None:
        line = ability.line
        if moment.revived is None:
            self.record.add("line", (unit.id, line.on, line.source, line.index))
            return
        killer = moment.killer.id if moment.killer is not None else None
        self.record.add(
            "line",
            (unit.id, line.on, line.source, line.index, moment.revived.id, moment.cause, killer),
        )
