"""What the simulated clients count, and how it adds up over clients and processes."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field, fields


@dataclass
class Tally:
    """Counts of one process; all but `open` only grow."""

    open: int = 0  # connections that are in a room now
    joined: int = 0  # connections that were let into a room, resumed ones too
    resumed: int = 0
    dropped: int = 0  # by the clients, on purpose
    battles: int = 0  # whose result players of seat a have heard
    frames: int = 0
    bytes: int = 0  # all that was received
    skipped: int = 0  # frames, of which the server said so
    stalled: int = 0  # closed by the server because they took nothing, on purpose too
    gaps: int = 0  # frames that are missing
    doubles: int = 0
    digests: int = 0  # checked
    digest_failures: int = 0
    errors: dict[str, int] = field(default_factory=dict)  # by what went wrong

    def add(self, other: Tally) -> None:
        for name in (f.name for f in fields(self) if f.name != "errors"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for what, number in other.errors.items():
            self.error(what, number)

    def error(self, what: str, number: int = 1) -> None:
        self.errors[what] = self.errors.get(what, 0) + number

    @property
    def faults(self) -> int:
        """What must be none for the test to be passed."""
        return self.gaps + self.doubles + self.digest_failures

    def to_object(self) -> dict[str, object]:
        return asdict(self)


class Lags:
    """How late frames came, against the beat of their battle.

    The server sends no times, and nobody's clock is compared with its: a battle's ticks are due at
    a fixed distance, so whatever frame of it came soonest after its tick's place in that beat shows
    where the beat lies, and a frame's lag is how much later than that it came. What every frame
    of the battle has in common (the way there) is left out; the server's lateness is in it.

    For each battle, how many frames came at `arrival - tick * length`, in whole milliseconds.
    """

    def __init__(self) -> None:
        self.battles: dict[str, Counter[int]] = {}

    def of(self, battle: str) -> Counter[int]:
        """The counts of a battle, to be added to."""
        counts = self.battles.get(battle)
        if counts is None:
            counts = self.battles[battle] = Counter()
        return counts

    def add(self, other: Lags) -> None:
        for battle, counts in other.battles.items():
            self.of(battle).update(counts)

    def distribution(self) -> Counter[int]:
        """How many frames of all battles came so many milliseconds late."""
        total: Counter[int] = Counter()
        for counts in self.battles.values():
            first = min(counts)
            for place, number in counts.items():
                total[place - first] += number
        return total


def quantile(distribution: Counter[int], share: float) -> int | None:
    """The value that this share of all does not pass; None of nothing."""
    left = share * distribution.total()
    for value in sorted(distribution):
        left -= distribution[value]
        if left <= 0:
            return value
    return None
