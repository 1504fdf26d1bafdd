"""What came of the battles between boards: of every pairing, and of a board against some."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from server.odds.counts import DEEDS, VICTORY, Count
from server.odds.plan import Pairing
from server.odds.shares import Moved, Share


@dataclass
class Fought:
    """Battles between two boards, from number 0 on: in the world as it is, if there is a change and
    they are legal without it; and with it. `squares`: of each figure, the sum of the squares of how
    far each battle has moved it."""

    has_change: bool = False
    before: Count | None = None
    after: Count = field(default_factory=Count)
    squares: Count = field(default_factory=Count)

    def note(self, before: Count | None, after: Count) -> None:
        """One battle, which comes after the others."""
        self.after.add(after)
        if before is not None:
            self._earlier().add(before)
            self.squares.add(after.squares(before))

    def add(self, other: Fought) -> None:
        """Those of another piece, which come after these."""
        self.has_change = other.has_change
        self.after.add(other.after)
        if other.before is not None:
            self._earlier().add(other.before)
            self.squares.add(other.squares)

    def _earlier(self) -> Count:
        if self.before is None:
            self.before = Count()
        return self.before

    def turned(self) -> list[int]:
        """The numbers of the battles that end for another than before the change."""
        if self.before is None:
            return []
        both = zip(self.before.points, self.after.points, strict=True)
        return [number for number, (before, after) in enumerate(both) if before != after]

    def ending_moved(self, name: str) -> Moved | None:
        """How the share of battles that ended like this has moved."""
        if self.before is None:
            return None
        total = getattr(self.after, name) - getattr(self.before, name)
        return Moved.of_pairs(total, getattr(self.squares, name), self.after.battles)

    def deeds_moved(self, side: int, index: int) -> Sequence[Moved | None]:
        """How far what a unit does in a battle has moved, in the order of a deed's fields."""
        if self.before is None:
            return [None for _ in DEEDS]
        three = [count.deeds[side][index] for count in (self.before, self.after, self.squares)]
        figures = [[getattr(deeds, name) for deeds in three] for name in DEEDS]
        battles = self.after.battles
        return [Moved.of_pairs(after - before, sq, battles) for before, after, sq in figures]


class Met(NamedTuple):
    """How a board fared against some others: its share, and how that has moved."""

    share: Share
    moved: Moved | None

    @staticmethod
    def of(fought: Sequence[tuple[Fought, bool]]) -> Met:
        """In all of these; in each it is the first board, or the second."""
        after = [_points(one.after, is_first) for one, is_first in fought]
        share = Share(sum(map(sum, after)) / VICTORY, sum(map(len, after)))
        before = [_points(one.before, is_first) for one, is_first in fought if one.before]
        return Met(
            share.worth_only(_independence(after)),
            _moved(before, after) if len(before) == len(after) else None,
        )


def _points(count: Count, is_first: bool) -> Sequence[int]:
    return count.points if is_first else [VICTORY - points for points in count.points]


def _independence(points: Sequence[Sequence[int]]) -> float:
    """What share of these says, compared with as many that do not depend on each other: those of
    the same number were fought with the same dice."""
    together = _spread([sum(row) for row in zip(*points, strict=True)])
    alone = sum(map(_spread, points))
    return min(alone / together, 1.0) if together else 1.0


def _spread(numbers: Sequence[int]) -> float:
    return len(numbers) * sum(n * n for n in numbers) - sum(numbers) ** 2


def _moved(before: Sequence[Sequence[int]], after: Sequence[Sequence[int]]) -> Moved:
    rows = zip(zip(*before, strict=True), zip(*after, strict=True), strict=True)
    moves = [sum(new) - sum(old) for old, new in rows]
    squares = sum(move * move for move in moves)
    moved = Moved.of_pairs(sum(moves), squares, len(moves), VICTORY)
    return moved.times(1 / VICTORY / len(after))


class Tournament:
    """All pairings of some boards."""

    def __init__(self) -> None:
        self.pairs: dict[tuple[str, str], Fought] = {}

    def take(self, pairing: Pairing, fought: Fought) -> None:
        """A piece has been fought."""
        self.pairs.setdefault((pairing.a, pairing.b), Fought()).add(fought)

    def met(self, name: str, others: Iterable[str]) -> Met | None:
        """How a board fared against these; None where it met none of them."""
        found = [
            (self.pairs[pair], is_first)
            for other in others
            for pair, is_first in (((name, other), True), ((other, name), False))
            if pair in self.pairs
        ]
        return Met.of(found) if found else None

    @property
    def has_moved(self) -> bool:
        """Whether any battles were fought both without a change and with it."""
        return any(one.before is not None for one in self.pairs.values())
