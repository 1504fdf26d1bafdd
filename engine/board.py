"""A submitted board: which card stands where, with which runes and Scrip grants (200.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.catalog import Catalog
from engine.definitions import Stats
from engine.faults import Fault, Refused
from engine.printing import read_stats
from engine.reading import MOST_SUGGESTIONS, Faults, Reader
from engine.rules import Rules

CELLS: Final = 8
ROW: Final = 4  # cells in a row
MOST_RUNES: Final = 2
MOST_READ: Final = 64  # units of a board that holds too many


@dataclass(frozen=True)
class BoardUnit:
    cell: int
    card: str
    runes: tuple[str, ...]
    scrip: Stats

    def to_object(self) -> dict[str, object]:
        plain: dict[str, object] = {"cell": self.cell, "card": self.card}
        if self.runes:
            plain["runes"] = list(self.runes)
        scrip = {name: points for name, points in self.scrip._asdict().items() if points}
        if scrip:
            plain["scrip"] = scrip
        return plain


@dataclass(frozen=True)
class Board:
    """A legal board; its units stand in cell order."""

    units: tuple[BoardUnit, ...]

    def to_object(self) -> dict[str, object]:
        """The board in its one canonical form as a JSON object."""
        return {"units": [unit.to_object() for unit in self.units]}

    def price(self, catalog: Catalog) -> int:
        """What the cards, runes and grants cost together, in Scrip."""
        return sum(unit_price(unit, catalog) for unit in self.units)


def unit_price(unit: BoardUnit, catalog: Catalog) -> int:
    runes = sum(catalog.runes[name].price for name in unit.runes)
    grants = sum(p * n for p, n in zip(catalog.prices, unit.scrip, strict=True))
    return catalog.cards[unit.card].price + runes + grants


def read_board(
    value: object,
    catalog: Catalog,
    rules: Rules,
    path: str = "",
    most_suggestions: int = MOST_SUGGESTIONS,
) -> Board:
    """A legal board from a plain object; `Refused` names every fault by its path.

    `name` and `text` may stand in the object, for people; they are not part of the board.
    """
    faults = Faults(most_suggestions)
    board = board_from(value, catalog, rules, path, faults)
    if faults:
        raise Refused(faults)
    return board


def board_from(
    value: object,
    catalog: Catalog,
    rules: Rules,
    path: str,
    faults: Faults,
    whole: bool = True,
) -> Board:
    """As `read_board`, but adds to `faults`. Of a catalog that is not whole something could not be
    read, which a board may speak of."""
    reader = Reader(value, path, faults)
    reader.only(("units", "name", "text"))
    reader.text("name", default="")
    reader.text("text", default="", longest=500)
    units: list[BoardUnit] = []
    price = 0
    for unit_path, item in _items(reader):
        unit, cost = _read_unit(item, unit_path, catalog, faults, whole)
        units.append(unit)
        price += cost
    _check_cells(reader, units)
    if price > rules.scrip_budget:
        reader.fault("units", f"cost {price} Scrip of a budget of {rules.scrip_budget}")
    return Board(tuple(sorted(units, key=lambda unit: unit.cell)))


def _items(reader: Reader) -> list[tuple[str, object]]:
    """The units with their paths; none where there are too many to be read one by one."""
    if reader.missing("units"):
        return []
    items = reader.items("units")
    if isinstance(reader.fields["units"], list) and not 1 <= len(items) <= CELLS:
        reader.fault("units", f"a board holds 1 to {CELLS} units, not {len(items)}")
    return items if len(items) <= MOST_READ else []


def _read_unit(
    value: object, path: str, catalog: Catalog, faults: Faults, whole: bool
) -> tuple[BoardUnit, int]:
    """A unit, and its price as far as it can be told."""
    reader = Reader(value, path, faults)
    reader.only(("cell", "card", "runes", "scrip"))
    cell = reader.integer("cell", 0, CELLS - 1)
    before = len(faults)
    card = reader.choice("card", "card", tuple(catalog.cards), all_known=whole)
    runes = reader.names("runes", "rune", tuple(catalog.runes), all_known=whole)
    worn = reader.fields.get("runes")
    if isinstance(worn, list) and len(worn) > MOST_RUNES:
        reader.fault("runes", f"a unit wears up to {MOST_RUNES} runes, not {len(worn)}")
    unit = BoardUnit(cell, card, runes, read_stats(reader, "scrip", 0))
    return unit, unit_price(unit, catalog) if card and len(faults) == before else 0


def _check_cells(reader: Reader, units: list[BoardUnit]) -> None:
    taken: dict[int, int] = {}
    faulty = {fault.path for fault in reader.faults}
    for index, unit in enumerate(units):
        unit_path = f"{reader.at('units')}[{index}]"
        item_path = f"{unit_path}.cell"
        if unit_path in faulty or item_path in faulty:
            continue
        if unit.cell in taken:
            sentence = f"cell {unit.cell} is held by units[{taken[unit.cell]}]"
            reader.faults.append(Fault(item_path, sentence))
        taken.setdefault(unit.cell, index)
