"""Draws boards at random, each legal, and with the budget spent to the last Scrip that buys
anything."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Final

from engine import Board, Catalog, Rules, read_board

CELLS: Final = range(8)
UNITS: Final = (5, 7)  # as people build: fewer are rare, and more leave nothing for their runes
MOST_RUNES: Final = 2  # 200.6


@dataclass
class Place:
    """A unit in the making."""

    cell: int
    card: str
    runes: list[str] = field(default_factory=list)
    scrip: dict[str, int] = field(default_factory=dict)


class Draft:
    """A board in the making."""

    def __init__(self, dice: Random, catalog: Catalog, rules: Rules) -> None:
        self._dice = dice
        self._catalog = catalog
        self._rules = rules
        self._left = rules.scrip_budget
        self._places: list[Place] = []

    def board(self) -> Board:
        """Cards first, then runes while there is a unit to wear one, then Scrip: each as likely as
        any other that can be paid for."""
        for cell in self._dice.sample(CELLS, self._dice.randint(*UNITS)):
            self._take_card(cell)
        while self._places and (self._take_rune() or self._take_scrip()):
            pass
        units = [vars(place) for place in self._places]
        return read_board({"units": units}, self._catalog, self._rules)

    def _take_card(self, cell: int) -> None:
        cards = [card for card in self._catalog.cards.values() if card.price <= self._left]
        if cards:
            card = self._dice.choice(cards)
            self._left -= card.price
            self._places.append(Place(cell, card.id))

    def _take_rune(self) -> bool:
        """Whether the unit that it would be for has taken one."""
        worn = self._dice.choice(self._places).runes
        runes = [
            rune
            for rune in self._catalog.runes.values()
            if rune.price <= self._left and rune.id not in worn and len(worn) < MOST_RUNES
        ]
        if runes:
            rune = self._dice.choice(runes)
            self._left -= rune.price
            worn.append(rune.id)
        return bool(runes)

    def _take_scrip(self) -> bool:
        """Whether a point of a stat could be paid for."""
        prices = self._catalog.prices._asdict()
        stats = [stat for stat, price in prices.items() if 0 < price <= self._left]
        if stats:
            stat = self._dice.choice(stats)
            self._left -= prices[stat]
            scrip = self._dice.choice(self._places).scrip
            scrip[stat] = scrip.get(stat, 0) + 1
        return bool(stats)


def draw(dice: Random, catalog: Catalog, rules: Rules) -> Board:
    """A board drawn at random. Raises `Refused` where the catalog has no card for the budget."""
    return Draft(dice, catalog, rules).board()
