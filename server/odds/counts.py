"""How battles ended, in counts that add up, and what may be said from them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from typing import Final, NamedTuple

from engine import TICKS_PER_SECOND
from server.load.tally import quantile

# Of the normal distribution: what lies within it either way is 95 %.
CONFIDENCE: Final = 1.959964

QUARTILES: Final = (0.25, 0.5, 0.75)


class Share(NamedTuple):
    """How many of so many; a draw may be half of one."""

    points: float
    of: int

    @property
    def value(self) -> float:
        """Between 0 and 1; nan of none."""
        return self.points / self.of if self.of else math.nan

    @staticmethod
    def together(shares: Iterable[Share]) -> Share:
        """Of all battles of these."""
        points, of = zip(*shares, strict=True)
        return Share(sum(points), sum(of))

    def others(self) -> Share:
        """What is left of them."""
        return Share(self.of - self.points, self.of)

    def interval(self) -> tuple[float, float]:
        """Between which two the true share lies, with 95 % confidence (Wilson's score interval)."""
        if not self.of:
            return 0.0, 1.0
        square = CONFIDENCE**2 / self.of
        middle = (self.value + square / 2) / (1 + square)
        spread = self.value * (1 - self.value) / self.of + square / (4 * self.of)
        half = CONFIDENCE * math.sqrt(spread) / (1 + square)
        return max(middle - half, 0.0), min(middle + half, 1.0)

    def to_object(self) -> dict[str, object]:
        low, high = self.interval()
        value = self.value if self.of else None
        return {"value": value, "low": low, "high": high, "of": self.of}

    def is_apart_from(self, value: float) -> bool:
        """Whether chance alone hardly makes this of such a share."""
        low, high = self.interval()
        return not low <= value <= high


@dataclass
class Deeds:
    """What a unit did in some battles, all together."""

    dealt: int = 0  # Vitality that enemies lost by it
    kills: int = 0  # of enemies
    deaths: int = 0
    revivals: int = 0
    stood: int = 0  # battles at whose end it was living; of what was summoned, how many were

    def add(self, other: Deeds) -> None:
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))


@dataclass
class Count:
    """Battles between two boards, from the first one's side. `deeds`: for each board its units in
    cell order, and at last all that it summoned; none where nobody looked."""

    won: int = 0
    lost: int = 0
    drawn: int = 0
    timeouts: int = 0
    turned: int = 0  # won by another than before the change
    ticks: Counter[int] = field(default_factory=Counter)
    deeds: tuple[list[Deeds], list[Deeds]] = field(default_factory=lambda: ([], []))

    @property
    def battles(self) -> int:
        return self.won + self.lost + self.drawn

    @property
    def share(self) -> Share:
        """The first board's, a draw being half of a victory."""
        return Share(self.won + self.drawn / 2, self.battles)

    @property
    def winner(self) -> int | None:
        """Of a single battle: 0 is the first board, 1 the second."""
        return 0 if self.won else 1 if self.lost else None

    def note(self, winner: int | None, tick: int, *, timeout: bool) -> None:
        """A battle has ended like this."""
        self.won += winner == 0
        self.lost += winner == 1
        self.drawn += winner is None
        self.timeouts += timeout
        self.ticks[tick] += 1

    def seconds(self) -> tuple[float, float, float]:
        """The quartiles of how long they lasted."""
        low, middle, high = (quantile(self.ticks, share) or 0 for share in QUARTILES)
        return low / TICKS_PER_SECOND, middle / TICKS_PER_SECOND, high / TICKS_PER_SECOND

    def to_object(self) -> dict[str, object]:
        """`units`: of both boards, in cell order and then the summoned, where anybody looked."""
        return {
            "won": self.won,
            "lost": self.lost,
            "drawn": self.drawn,
            "timeouts": self.timeouts,
            "share": self.share.to_object(),
            "seconds": self.seconds(),
            "units": [[asdict(one) for one in deeds] for deeds in self.deeds],
        }

    def add(self, other: Count) -> None:
        for name in ("won", "lost", "drawn", "timeouts", "turned"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.ticks += other.ticks
        for mine, theirs in zip(self.deeds, other.deeds, strict=True):
            mine.extend(Deeds() for _ in theirs[len(mine) :])
            for one, more in zip(mine, theirs, strict=True):
                one.add(more)
