"""Draws boards at random, as alike as they can be but for what is on them.

All have the same number of units, and any cards that can be paid for together are as likely as any
others: were cheap ones taken for what is left, they would be weighed with the dear ones there.

Each thing has dice of its own, and whichever of them throws most is taken. So a card that is added
stands where its dice throw more than all others, and all other boards are what they were: what it
does to the game is not lost among boards that merely are other ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from random import Random
from typing import Final

from engine import Board, Catalog, Fault, Refused, Rules, read_board

CELLS: Final = range(8)
UNITS: Final = 6  # as people build, and most samples
MOST_RUNES: Final = 2  # 200.6

# Of six cards that are drawn; of the base set two of three can be paid for.
MOST_TRIES: Final = 1000

THROW: Final = 8  # bytes
THROWS: Final = 8  # in a digest


class Dice:
    """The dice of everything that may stand on one board."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._digests: dict[tuple[str, int], bytes] = {}

    def pick(self, throw: int, names: Iterable[str]) -> str:
        """The one of them that throws most: with every throw each is as likely as any other."""
        page, place = divmod(throw, THROWS)
        first = THROW * place
        return max(names, key=lambda name: self._digest(name, page)[first : first + THROW])

    def _digest(self, name: str, page: int) -> bytes:
        digest = self._digests.get((name, page))
        if digest is None:
            text = f"{self._seed} {page} {name}".encode()
            digest = self._digests[name, page] = blake2b(text, digest_size=THROW * THROWS).digest()
        return digest


@dataclass
class Place:
    """A unit in the making."""

    cell: int
    card: str
    runes: list[str] = field(default_factory=list)
    scrip: dict[str, int] = field(default_factory=dict)


def draw(seed: str, catalog: Catalog, rules: Rules) -> Board:
    """The board that this seed draws, its budget spent to the last Scrip that buys anything. Raises
    `Refused` where the catalog has no cards for it."""
    places_dice = Random(seed)  # noqa: S311 - to be foreseen is its purpose
    cells = places_dice.sample(CELLS, UNITS)
    cards = _draw_cards(Dice(f"{seed} cards"), catalog, rules.scrip_budget)
    places = [Place(cell, card) for cell, card in zip(cells, cards, strict=True)]
    left = rules.scrip_budget - sum(catalog.cards[card].price for card in cards)
    dice, throw = Dice(f"{seed} purchases"), 0
    while price := _buy(places_dice.choice(places), dice, throw, catalog, left):
        left -= price
        throw += 1
    return read_board({"units": [vars(place) for place in places]}, catalog, rules)


def _draw_cards(dice: Dice, catalog: Catalog, budget: int) -> Sequence[str]:
    prices = {card.id: card.price for card in catalog.cards.values()}
    for first in range(0, MOST_TRIES * UNITS, UNITS):
        drawn = [dice.pick(throw, prices) for throw in range(first, first + UNITS)]
        if sum(prices[card] for card in drawn) <= budget:
            return drawn
    sentence = f"hardly any {UNITS} cards together cost {budget} Scrip or less"
    raise Refused([Fault("cards", sentence)])


def _buy(place: Place, dice: Dice, throw: int, catalog: Catalog, left: int) -> int:
    """Buys a unit a rune or a point of a stat, whatever can be paid for; the price, or 0."""
    prices = {("stat", name): price for name, price in catalog.prices._asdict().items()}
    if len(place.runes) < MOST_RUNES:
        runes = (rune for rune in catalog.runes.values() if rune.id not in place.runes)
        prices.update({("rune", rune.id): rune.price for rune in runes})
    names = {" ".join(one): one for one, price in prices.items() if 0 < price <= left}
    if not names:
        return 0
    kind, bought = thing = names[dice.pick(throw, names)]
    if kind == "rune":
        place.runes.append(bought)
    else:
        place.scrip[bought] = place.scrip.get(bought, 0) + 1
    return int(prices[thing])
