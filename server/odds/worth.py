"""What each card and each rune is worth: how often boards win that have it, whatever else stands
on them and whatever they meet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

from engine import Battle, Board, Setup
from server.odds.counts import Share
from server.odds.drawing import draw
from server.odds.plan import Draws, Grounds
from server.watchdog import let_signals_in


@dataclass
class Standing:
    """By id: how many boards had it, and what points they made: 2 for a victory, 1 for a draw."""

    boards: Counter[str] = field(default_factory=Counter)
    points: Counter[str] = field(default_factory=Counter)

    def note(self, ids: Iterable[str], points: int) -> None:
        """A board had these."""
        for one in set(ids):
            self.boards[one] += 1
            self.points[one] += points

    def add(self, other: Standing) -> None:
        self.boards.update(other.boards)
        self.points.update(other.points)

    def share(self, one: str) -> Share:
        """Of the battles of boards that had it, those they won; a draw is half of one."""
        return Share(self.points[one] / 2, self.boards[one])

    def average(self) -> Share:
        """Of all of them together: what one is to be compared with."""
        return Share.together([self.share(one) for one in self.boards])

    def to_object(self) -> dict[str, object]:
        return {one: self.share(one).to_object() for one in sorted(self.boards)}


@dataclass
class Worth:
    """Of a catalog's cards and runes."""

    battles: int = 0
    cards: Standing = field(default_factory=Standing)
    runes: Standing = field(default_factory=Standing)

    def note(self, board: Board, points: int) -> None:
        """A board has fought."""
        self.cards.note((unit.card for unit in board.units), points)
        self.runes.note((rune for unit in board.units for rune in unit.runes), points)

    def to_object(self) -> dict[str, object]:
        cards, runes = self.cards.to_object(), self.runes.to_object()
        return {"battles": self.battles, "cards": cards, "runes": runes}

    def add(self, other: Worth) -> None:
        self.battles += other.battles
        self.cards.add(other.cards)
        self.runes.add(other.runes)


def weigh(grounds: Grounds, draws: Draws) -> list[Worth]:
    """How a piece went, with each catalog: the boards are drawn from it, with the same dice."""
    worths = [Worth() for _ in grounds.catalogs]
    for number in range(draws.first, draws.first + draws.battles):
        seed = f"{grounds.plan.seed} {number}"
        for catalog, worth in zip(grounds.catalogs, worths, strict=True):
            dice = Random(seed)  # noqa: S311 - to be foreseen is its purpose
            boards = draw(dice, catalog, grounds.rules), draw(dice, catalog, grounds.rules)
            setup = Setup(seed, grounds.rules, catalog, boards)
            winner = Battle(setup, quiet=True, pulse=let_signals_in).run().winner
            worth.battles += 1
            for side, board in zip("ab", boards, strict=True):
                worth.note(board, 1 if winner is None else 2 * (winner == side))
    return worths
