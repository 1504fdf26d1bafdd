"""How battles ended, in counts that add up."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Final

from engine import TICKS_PER_SECOND
from server.load.tally import quantile
from server.odds.shares import Share

QUARTILES: Final = (0.25, 0.5, 0.75)

# A battle's worth to a board.
VICTORY: Final = 2
DRAW: Final = 1


@dataclass
class Deeds:
    """What a unit did in some battles, all together."""

    dealt: int = 0  # Vitality that enemies lost by it
    kills: int = 0  # of enemies
    deaths: int = 0
    revivals: int = 0
    stood: int = 0  # battles at whose end it was living; of what was summoned, how many were

    def add(self, other: Deeds) -> None:
        for name in DEEDS:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def squares(self, other: Deeds) -> Deeds:
        """The squares of how far the two are apart."""
        return Deeds(*((getattr(self, name) - getattr(other, name)) ** 2 for name in DEEDS))


DEEDS: Final = tuple(one.name for one in fields(Deeds))


@dataclass
class Count:
    """Battles between two boards, from the first one's side. `points`: what each gave it, in their
    order. `deeds`: for each board its units in cell order, and at last all that it summoned; none
    where nobody looked."""

    won: int = 0
    lost: int = 0
    drawn: int = 0
    timeouts: int = 0
    cut: int = 0  # had chains of lines that were cut (600.5)
    points: bytearray = field(default_factory=bytearray)
    ticks: Counter[int] = field(default_factory=Counter)
    deeds: tuple[list[Deeds], list[Deeds]] = field(default_factory=lambda: ([], []))

    @property
    def battles(self) -> int:
        return self.won + self.lost + self.drawn

    @property
    def share(self) -> Share:
        """The first board's, a draw being half of a victory."""
        return Share(self.won + self.drawn / 2, self.battles)

    def note(self, winner: int | None, tick: int, *, timeout: bool, cut: bool) -> None:
        """A battle has ended like this; 0 is the first board, 1 the second."""
        self.won += winner == 0
        self.lost += winner == 1
        self.drawn += winner is None
        self.timeouts += timeout
        self.cut += cut
        self.points.append(DRAW if winner is None else VICTORY * (winner == 0))
        self.ticks[tick] += 1

    def seconds(self) -> tuple[float, float, float]:
        """The quartiles of how long they lasted."""
        low, middle, high = (quantile(self.ticks, share) or 0 for share in QUARTILES)
        return low / TICKS_PER_SECOND, middle / TICKS_PER_SECOND, high / TICKS_PER_SECOND

    def add(self, other: Count) -> None:
        """Those of the other, which come after them."""
        for name in ENDINGS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.points += other.points
        self.ticks += other.ticks
        for mine, theirs in zip(self.deeds, other.deeds, strict=True):
            mine.extend(Deeds() for _ in theirs[len(mine) :])
            for one, more in zip(mine, theirs, strict=True):
                one.add(more)

    def squares(self, other: Count) -> Count:
        """Of one battle that was fought in two ways: the squares of how far they are apart."""
        a, b = (
            [one.squares(more) for one, more in zip(mine, theirs, strict=True)]
            for mine, theirs in zip(self.deeds, other.deeds, strict=True)
        )
        endings = {name: (getattr(self, name) - getattr(other, name)) ** 2 for name in ENDINGS}
        return Count(**endings, deeds=(a, b))


ENDINGS: Final = ("won", "lost", "drawn", "timeouts", "cut")
