"""What came of a plan: of every pairing, or of every card and rune."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from server.odds.counts import Count
from server.odds.plan import Draws, Pairing
from server.odds.worth import Worth


class Fought(NamedTuple):
    """Battles between two boards: with the catalog as it is, where they are legal in it, and with
    the change; which are the same where there is none."""

    before: Count | None
    after: Count

    @property
    def has_change(self) -> bool:
        return self.before is not self.after

    def to_object(self) -> dict[str, object]:
        if not self.has_change:
            return {"now": self.after.to_object()}
        before = None if self.before is None else self.before.to_object()
        return {"now": before, "changed": self.after.to_object(), "turned": self.after.turned}


class Tournament:
    """All pairings of some boards."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], list[Count | None]] = {}

    def take(self, pairing: Pairing, counts: Sequence[Count | None]) -> None:
        """A piece has been fought."""
        empty = [None if count is None else Count() for count in counts]
        known = self._counts.setdefault((pairing.a, pairing.b), empty)
        for count, more in zip(known, counts, strict=True):
            if count is not None and more is not None:
                count.add(more)

    @property
    def pairs(self) -> dict[tuple[str, str], Fought]:
        found = {}
        for pair, counts in self._counts.items():
            before, after = counts[0], counts[-1]
            assert after is not None, "all boards are legal with the change"
            found[pair] = Fought(before, after)
        return found

    def to_object(self) -> dict[str, object]:
        """For machines. Shares between 0 and 1, times in seconds."""
        pairs = [{"a": a, "b": b, **one.to_object()} for (a, b), one in self.pairs.items()]
        return {"pairs": pairs}


class Weighing:
    """Boards that were drawn, with the catalog as it is, and with the change if there is one."""

    def __init__(self) -> None:
        self.worths: list[Worth] = []

    def take(self, _: Draws, worths: Sequence[Worth]) -> None:
        """A piece has been fought."""
        self.worths.extend(Worth() for _ in worths[len(self.worths) :])
        for worth, more in zip(self.worths, worths, strict=True):
            worth.add(more)

    def to_object(self) -> dict[str, object]:
        """For machines. Shares between 0 and 1."""
        names = ("now", "changed")[: len(self.worths)]
        worths = zip(names, self.worths, strict=True)
        return {name: worth.to_object() for name, worth in worths}
