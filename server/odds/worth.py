"""What each card and each rune is worth: how often boards win that have it, whatever else stands
on them and whatever they meet."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from engine import Battle, Board, Setup
from server.odds.counts import DRAW, VICTORY
from server.odds.drawing import draw
from server.odds.plan import Draws, Grounds
from server.odds.shares import CONFIDENCE, Moved, Share
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
        return Share(self.points[one] / VICTORY, self.boards[one])

    def average(self) -> Share:
        """Of all of them together: what one is to be compared with."""
        return Share.together([self.share(one) for one in self.boards])


class Both(NamedTuple):
    """What one card or rune came to in one battle, without a change and with it: the boards that
    had it, and their points."""

    boards: int
    points: int
    boards_then: int
    points_then: int


@dataclass
class Moves:
    """Of each id, how many battles there were of each kind."""

    battles: dict[str, Counter[Both]] = field(default_factory=dict)

    def note(self, before: Standing, after: Standing) -> None:
        """One battle, in which these came to that."""
        for one in before.boards | after.boards:
            both = Both(
                before.boards[one], before.points[one], after.boards[one], after.points[one]
            )
            self.battles.setdefault(one, Counter())[both] += 1

    def add(self, other: Moves) -> None:
        for one, battles in other.battles.items():
            self.battles.setdefault(one, Counter()).update(battles)

    def moved(self, one: str, before: Standing, after: Standing) -> Moved | None:
        """How far its share has moved; None where no board had it before, or none has it then.

        Both shares are quotients, of boards that are mostly the same ones: what each battle adds to
        either (to a first approximation) tells how far chance takes the two apart.
        """
        boards, then = before.boards[one], after.boards[one]
        if not boards or not then:
            return None
        old, new = before.share(one).value, after.share(one).value
        # One battle more of either, which went quite otherwise: a few say little.
        spread = 1 / boards**2 + 1 / then**2
        for both, battles in self.battles[one].items():
            added = (both.points_then / VICTORY - new * both.boards_then) / then
            added -= (both.points / VICTORY - old * both.boards) / boards
            spread += battles * added**2
        return Moved(new - old, CONFIDENCE * math.sqrt(spread))


@dataclass
class Worth:
    """Of a catalog's cards and runes."""

    battles: int = 0
    cut: int = 0  # battles in which chains of lines were cut (600.5)
    cards: Standing = field(default_factory=Standing)
    runes: Standing = field(default_factory=Standing)

    def note(self, board: Board, points: int) -> None:
        """A board has fought."""
        self.cards.note((unit.card for unit in board.units), points)
        self.runes.note((rune for unit in board.units for rune in unit.runes), points)

    def add(self, other: Worth) -> None:
        self.battles += other.battles
        self.cut += other.cut
        self.cards.add(other.cards)
        self.runes.add(other.runes)


@dataclass
class Weighed:
    """Boards that were drawn, in the world as it is, and with the change if there is one."""

    worths: list[Worth] = field(default_factory=list)
    cards: Moves = field(default_factory=Moves)
    runes: Moves = field(default_factory=Moves)

    def note(self, worths: list[Worth]) -> None:
        """One battle in each world."""
        self._add(worths)
        if len(worths) > 1:
            self.cards.note(worths[0].cards, worths[1].cards)
            self.runes.note(worths[0].runes, worths[1].runes)

    def take(self, _: Draws, other: Weighed) -> None:
        """A piece has been fought."""
        self._add(other.worths)
        self.cards.add(other.cards)
        self.runes.add(other.runes)

    def _add(self, worths: list[Worth]) -> None:
        self.worths.extend(Worth() for _ in worths[len(self.worths) :])
        for worth, more in zip(self.worths, worths, strict=True):
            worth.add(more)


def weigh(grounds: Grounds, draws: Draws) -> Weighed:
    """How a piece went, in each world: the boards are drawn from it, with the same dice."""
    weighed = Weighed()
    for number in range(draws.first, draws.first + draws.battles):
        weighed.note([one_battle(grounds, which, number) for which in range(len(grounds.worlds))])
    return weighed


def one_battle(grounds: Grounds, which: int, number: int) -> Worth:
    """The battle of this number, in one of the worlds."""
    catalog, rules = grounds.worlds[which]
    seed = grounds.plan.seed_of(number)
    a, b = (draw(f"{seed} {side}", catalog, rules) for side in "ab")
    battle = Battle(Setup(seed, rules, catalog, (a, b)), quiet=True, pulse=let_signals_in)
    winner = battle.run().winner
    worth = Worth(1, int(battle.cuts > 0))
    for side, board in zip("ab", (a, b), strict=True):
        worth.note(board, DRAW if winner is None else VICTORY * (winner == side))
    return worth
