"""Draws boards at random, as alike as they can be but for what is on them.

All have the same number of units, and any cards that can be paid for together are as likely as any
others: were cheap ones taken for what is left, they would be weighed with the dear ones there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from engine import Board, Catalog, Fault, Refused, Rules, read_board

CELLS: Final = range(8)
UNITS: Final = 6  # as people build, and most samples
MOST_RUNES: Final = 2  # 200.6

# Of six cards that are drawn; of the base set two of three can be paid for.
MOST_TRIES: Final = 1000


@dataclass
class Place:
    """A unit in the making."""

    cell: int
    card: str
    runes: list[str] = field(default_factory=list)
    scrip: dict[str, int] = field(default_factory=dict)


def draw(dice: Random, catalog: Catalog, rules: Rules) -> Board:
    """A board drawn at random, its budget spent to the last Scrip that buys anything. Raises
    `Refused` where the catalog has no cards for it."""
    cards = _draw_cards(dice, catalog, rules.scrip_budget)
    cells = dice.sample(CELLS, UNITS)
    places = [Place(cell, card) for cell, card in zip(cells, cards, strict=True)]
    left = rules.scrip_budget - sum(catalog.cards[card].price for card in cards)
    while price := _buy(dice, catalog, places, left):
        left -= price
    return read_board({"units": [vars(place) for place in places]}, catalog, rules)


def _draw_cards(dice: Random, catalog: Catalog, budget: int) -> Sequence[str]:
    cards = list(catalog.cards.values())
    for _ in range(MOST_TRIES):
        drawn = dice.choices(cards, k=UNITS)
        if sum(card.price for card in drawn) <= budget:
            return [card.id for card in drawn]
    sentence = f"hardly any {UNITS} cards together cost {budget} Scrip or less"
    raise Refused([Fault("cards", sentence)])


def _buy(dice: Random, catalog: Catalog, places: Sequence[Place], left: int) -> int:
    """Buys a unit a rune or a point of a stat, whatever can be paid for; the price, or 0."""
    place = dice.choice(places)
    stats = {name: price for name, price in catalog.prices._asdict().items() if 0 < price <= left}
    runes = {
        rune.id: rune.price
        for rune in catalog.runes.values()
        if 0 < rune.price <= left and rune.id not in place.runes and len(place.runes) < MOST_RUNES
    }
    if not stats and not runes:
        return 0
    bought = dice.choice([*runes, *stats])
    if bought in runes:
        place.runes.append(bought)
        return runes[bought]
    place.scrip[bought] = place.scrip.get(bought, 0) + 1
    return int(stats[bought])
