"""Damage, mitigation, death and revival (500, 800.49)."""

from __future__ import annotations

import bisect

from engine.effects import Effects
from engine.lines import NO_MOMENT, Moment
from engine.log import Log
from engine.setup import Setup
from engine.unit import NEVER, Unit


class Blow:
    """What one effect's damage did, before anything it triggers."""

    __slots__ = ("fallen", "hurt", "source")

    def __init__(self, source: Unit) -> None:
        self.source = source
        self.fallen: list[Unit] = []
        self.hurt: list[tuple[Unit, int]] = []  # lost Vitality or Ward in this life, and live


class Deaths(Effects):
    """Deals damage, resolves the deaths it causes, and brings units back."""

    def __init__(self, setup: Setup, record: Log) -> None:
        super().__init__(setup, record)
        self.deaths = 0
        self.revivals = 0
        self.returns: list[Unit] = []  # dead, with an Everlasting return due; oldest death first

    # Damage

    def deal(self, source: Unit, targets: list[Unit], amount: int) -> Blow:
        """500.1, and the first of 500.3: damages every target, in order, and nothing else."""
        blow = Blow(source)
        weakened = amount * (100 - 5 * source.dread) // 100
        for target in targets:
            dealt = weakened - target.armor()
            if dealt < 1:
                dealt = 1 if amount > 0 else 0
            if self.wound(source, target, dealt):
                blow.fallen.append(target)
            elif dealt > 0:
                blow.hurt.append((target, target.incarnation))
        return blow

    def wound(self, source: Unit | None, target: Unit, dealt: int) -> bool:
        """500.1 from Ward on, and 500.2. True if the target fell."""
        absorbed = min(target.ward, dealt)
        lost = min(target.vitality, dealt - absorbed)
        target.ward -= absorbed
        target.vitality -= lost
        source_id = source.id if source is not None else None
        self.record.add("damage", (target.id, source_id, lost, absorbed, target.vitality))
        if target.vitality > 0 or self._endures(target):
            return False
        target.killer = source
        if target.activations_open:  # 400.2: an activation ends when its unit dies
            target.activations_open = 0
            target.watched_from = self.revivals
        self.waiting += 1
        return True

    def _endures(self, unit: Unit) -> bool:
        """500.2: the first armed lethal line fires at once."""
        for ability in unit.abilities.get("lethal", ()):
            if not ability.used:
                return self.fire_line(unit, ability, NO_MOMENT)
        return False

    def damage(self, source: Unit, targets: list[Unit], amount: int) -> None:
        """The whole of one effect that damages (500.3)."""
        self.settle(self.deal(source, targets, amount))

    def settle(self, blow: Blow) -> None:
        """The rest of 500.3: the hurt lines of those it hurt, in order, then the deaths."""
        for unit, life in blow.hurt:
            if unit.lives_as(life):
                self.fire(unit, "hurt", Moment(attacker=blow.source))
        self.resolve(blow.fallen)

    # Death (500.5)

    def resolve(self, fallen: list[Unit]) -> None:
        """500.3: in the order in which they fell, each wholly before the next."""
        for unit in fallen:
            opened = self.open_batch()
            self._die(unit)
            self.waiting -= 1
            if opened:
                self.close_batch()

    def _die(self, unit: Unit) -> None:
        killer = unit.killer
        unit.quickened = 0  # 900.4
        unit.death_number = self.deaths
        self.deaths += 1
        killer_id = killer.id if killer is not None else None
        self.record.add("death", (unit.id, unit.cell, killer_id, False))
        self.fire(unit, "death", Moment(killer=killer))
        self.fire_all([u for u in self.living() if u is not unit], "macabre", NO_MOMENT)
        if killer is not None and killer.side != unit.side:
            killer.kills += 1
            self.fire_all([killer], "kill", NO_MOMENT)
        # 500.9b, 800.49i: the Vessel is spent only now. 800.49a: none, and it dies for good.
        # 800.49j, l: it is back at once, in the cell it still holds.
        if unit.vessels > 0 and unit.has("phylactery"):
            unit.vessels -= 1
            self.record.add("vessel_spent", (unit.id, unit.vessels, unit.progress))
            self.revive(unit, "phylactery", unit.cell)
        else:
            self._leave(unit)

    def _leave(self, unit: Unit) -> None:
        """500.5 vi: its cell is free; an Everlasting unit will be back."""
        self.hold(unit.side, unit.cell, None)
        if unit.has("everlasting"):
            unit.return_due = self.tick + self.rules.everlasting_ticks
            # A death that resolved inside another is the younger one, though it was through first.
            bisect.insort(self.returns, unit, key=lambda returning: returning.death_number)
            self.record.add("return_due", (unit.id, unit.return_due))

    # Revival (500.9)

    def revive(self, unit: Unit, cause: str, cell: int) -> None:
        """500.9c: both causes hand off to this body."""
        self.revivals += 1
        unit.incarnation += 1
        unit.revived_at = self.revivals
        unit.return_due = NEVER
        unit.cell = cell
        self.hold(unit.side, cell, unit)
        unit.begin_life()
        killer_id = unit.killer.id if unit.killer is not None else None
        head = (unit.id, cause, cell, killer_id, unit.incarnation)
        self.record.add("revival", (*head, *unit.numbers()))
        # 500.9h: the self channel first, then the allied one; both carry cause and killer.
        moment = Moment(killer=unit.killer, revived=unit, cause=cause)
        self.fire(unit, "revived", moment)
        allies = [ally for ally in self.side_living(unit.side) if ally is not unit]
        self.fire_all(allies, "ally_revived", moment)

    def try_return(self, unit: Unit) -> None:
        """500.9a: to a free slot of its own half, or not yet."""
        cell = self.free_cell(unit.side, unit.cell)
        if cell < 0:
            return
        self.returns.remove(unit)
        self.open_batch()
        self.revive(unit, "everlasting", cell)
        self.close_batch()
