"""What may be said from counts: shares and movements, each with how far off chance may have it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, NamedTuple

# Of the normal distribution: what lies within it either way is 95 %.
CONFIDENCE: Final = 1.959964


class Share(NamedTuple):
    """How many of so many; a draw may be half of one."""

    points: float
    of: float

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

    def worth_only(self, part: float) -> Share:
        """The same share of as many fewer as what is known of it is worth: dependent ones say less
        than as many independent ones."""
        return Share(self.points * part, self.of * part)

    def interval(self) -> tuple[float, float]:
        """Between which two the true share lies, with 95 % confidence (Wilson's score interval)."""
        if not self.of:
            return 0.0, 1.0
        square = CONFIDENCE**2 / self.of
        middle = (self.value + square / 2) / (1 + square)
        spread = self.value * (1 - self.value) / self.of + square / (4 * self.of)
        half = CONFIDENCE * math.sqrt(spread) / (1 + square)
        return max(middle - half, 0.0), min(middle + half, 1.0)

    def half(self) -> float:
        """How far from it the interval reaches at most."""
        low, high = self.interval()
        return max(self.value - low, high - self.value)

    def to_object(self) -> dict[str, object]:
        low, high = self.interval()
        value = self.value if self.of else None
        return {"value": value, "low": low, "high": high, "of": round(self.of)}

    def is_apart_from(self, value: float) -> bool:
        """Whether chance alone hardly makes this of such a share."""
        low, high = self.interval()
        return not low <= value <= high


class Moved(NamedTuple):
    """How far a figure has moved with a change, and how far either way that may be off, with 95 %
    confidence; `at_all`: whether anything has."""

    value: float
    half: float
    at_all: bool = True

    @staticmethod
    def of_pairs(total: float, squares: float, pairs: int, one: float = 1) -> Moved:
        """The mean of differences, of which the sum and the sum of squares are known; `one` is what
        a pair can differ by.

        Chance is given two pairs more, that differ by one of it together: where few have differed
        the interval would else be none, however few there are (Agresti and Min).
        """
        if not pairs:
            return Moved(0.0, math.inf, at_all=False)
        spread = squares + one**2 - total**2 / (pairs + 2)
        half = CONFIDENCE * math.sqrt(max(spread, 0.0)) / (pairs + 2)
        value, middle = total / pairs, total / (pairs + 2)
        return Moved(value, half + abs(value - middle), at_all=squares > 0)

    def is_sure(self) -> bool:
        """Whether chance alone hardly makes it."""
        return abs(self.value) > self.half

    def times(self, factor: float) -> Moved:
        """In another unit."""
        return Moved(self.value * factor, self.half * factor, self.at_all)

    def to_object(self) -> dict[str, object]:
        return {"value": self.value, "low": self.value - self.half, "high": self.value + self.half}
