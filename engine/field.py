"""The two board halves: who stands where, in what order, and what a unit can aim at (100.3, 200).

`Field` is the first layer of a battle. Each further layer adds one hundred of the rulebook:
lines and batches (600), statuses and numbers (300, 700), deaths and revivals (500), activations
(400), and at last the phases of a tick (100).
"""

from __future__ import annotations

from engine.board import CELLS, ROW, BoardUnit
from engine.chance import Chance
from engine.definitions import Card, Line, Stats, start_numbers
from engine.log import Log
from engine.setup import Setup
from engine.unit import Unit


class Field:
    """Units by side, and the cells they hold."""

    def __init__(self, setup: Setup, record: Log) -> None:
        self.setup = setup
        self.rules = setup.rules
        self.catalog = setup.catalog
        self.chance = Chance(setup.seed)
        self.record = record
        self.tick = -1
        self.units: tuple[list[Unit], list[Unit]] = ([], [])
        # Who holds each cell. A dying unit holds its cell until its death has resolved (200.2).
        self.cells: tuple[list[Unit | None], list[Unit | None]] = ([None] * CELLS, [None] * CELLS)
        # Who holds a cell, by side and in initiative order: until a cell changes.
        self._holders: list[list[Unit] | None] = [None, None]
        self._all_holders: list[Unit] | None = None
        self.waiting = 0  # deaths that have fallen and not yet resolved
        for side in (0, 1):
            passives = self._passives(side)
            for placed in setup.boards[side].units:
                self._place(side, placed, passives)
        self.first_side = self.chance.initiative()

    # Building (300.2, 900)

    def _passives(self, side: int) -> dict[str, Stats]:
        """900.2: counted once, when the battle is set up."""
        counts: dict[str, int] = {}
        for placed in self.setup.boards[side].units:
            for name in self.catalog.cards[placed.card].resonance:
                counts[name] = counts.get(name, 0) + 1
        return {name: self.catalog.resonances[name].passives(n) for name, n in counts.items()}

    def _place(self, side: int, placed: BoardUnit, passives: dict[str, Stats]) -> None:
        card = self.catalog.cards[placed.card]
        parts = [card.stats, placed.scrip, *[passives[name] for name in card.resonance]]
        lines = card.lines
        for name in placed.runes:
            rune = self.catalog.runes[name]
            parts.append(rune.stats)
            lines += rune.lines
        self.build(side, placed.cell, card, placed.runes, start_numbers(parts), lines)

    def build(
        self,
        side: int,
        cell: int,
        card: Card,
        runes: tuple[str, ...],
        start: Stats,
        lines: tuple[Line, ...],
    ) -> Unit:
        """A new unit on a free cell. 800.49b: the starting Vessel is part of being built."""
        number = len(self.units[side])
        unit = Unit(side, number, cell, card, runes, start, lines)
        if "phylactery" in card.keywords:
            unit.vessels = min(self.rules.vessel_start, self.rules.vessel_max)
        self.units[side].append(unit)
        self.hold(side, cell, unit)
        return unit

    # Order (100.3). These lists are not to be changed: they are given again. While no death is
    # waiting, whoever holds a cell lives.

    def side_living(self, side: int) -> list[Unit]:
        """The living units of a side by ascending cell."""
        holders = self._side_holders(side)
        return holders if self.waiting == 0 else [u for u in holders if u.vitality > 0]

    def living(self) -> list[Unit]:
        """Every living unit in initiative order."""
        holders = self._all_holders
        if holders is None:
            first = self.first_side
            holders = self._side_holders(first) + self._side_holders(1 - first)
            self._all_holders = holders
        return holders if self.waiting == 0 else [u for u in holders if u.vitality > 0]

    def _side_holders(self, side: int) -> list[Unit]:
        holders = self._holders[side]
        if holders is None:
            holders = [unit for unit in self.cells[side] if unit is not None]
            self._holders[side] = holders
        return holders

    def hold(self, side: int, cell: int, unit: Unit | None) -> None:
        """Puts a unit on a cell, or frees it."""
        self.cells[side][cell] = unit
        self._holders[side] = None
        self._all_holders = None

    # Cells (200)

    def free_cell(self, side: int, wanted: int = -1) -> int:
        """200.4: the cell asked for if it is free, else the lowest free one; -1 for none."""
        cells = self.cells[side]
        if wanted >= 0 and cells[wanted] is None:
            return wanted
        for cell in range(CELLS):
            if cells[cell] is None:
                return cell
        return -1

    def adjacent(self, unit: Unit) -> list[Unit]:
        """200.3: living neighbours in the row or the column; a dead unit lies where it died."""
        return [u for u in self.side_living(unit.side) if is_adjacent(u.cell, unit.cell)]

    def weakest_ally(self, unit: Unit) -> list[Unit]:
        """The least Vitality left among living allies, itself too; the lowest cell of equals."""
        allies = self.side_living(unit.side)
        return [min(allies, key=lambda ally: ally.vitality)] if allies else []

    # The Focus roll (400.4)

    def focus_roll(self, unit: Unit) -> Unit | None:
        """One living enemy by the unit's Focus profile, or None where there is none."""
        candidates = self.side_living(1 - unit.side)
        if unit.has("rabid"):
            # 500.9f, 800.50: not those revived after its last activation ended.
            candidates = [u for u in candidates if u.revived_at <= unit.watched_from]
        if not candidates:
            return None
        narrowed = narrow(unit.card.focus, candidates)
        return narrowed[self.chance.focus(len(narrowed))]


def is_adjacent(cell: int, other: int) -> bool:
    """200.1, 200.3: cells of one half, next to each other in the row or the column."""
    if cell // ROW == other // ROW:
        return abs(cell - other) == 1
    return abs(cell - other) == ROW


def narrow(profile: str, candidates: list[Unit]) -> list[Unit]:
    """400.4: those among whom the profile draws."""
    if profile == "any":
        return candidates
    if profile == "weakest":
        least = min(unit.vitality for unit in candidates)
        return [unit for unit in candidates if unit.vitality == least]
    if profile == "strongest":
        most = max(unit.vitality for unit in candidates)
        return [unit for unit in candidates if unit.vitality == most]
    row = 0 if profile == "front" else 1
    return [unit for unit in candidates if unit.cell // ROW == row] or candidates
