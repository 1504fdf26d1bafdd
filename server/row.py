"""The hottest path: the same bytes to all who stand at one place in the feed.

Those who keep up and want the same channels read the same bytes from the same place for as long as
nothing holds them up. So they sit in a row, which has one cursor for all of them: what is new is
looked for once, and each costs one system call and a comparison.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Final

from server.cursor import Cursor
from server.delivery import Follower

# Told in one go: some four milliseconds' work. Less would cost more for each: between two rows
# those who read go to sleep, and waking them is what a write then has to pay for.
ROW_SEATS: Final = 512


class Row:
    """Followers who read on from one place, by the numbers of their sockets. None of them is busy,
    held, or has anything of its own to be sent first; who is, or has, rises before that."""

    __slots__ = ("_followers", "_rose", "cursor")

    def __init__(self, cursor: Cursor, rose: Callable[[Row, Follower], None]) -> None:
        self.cursor = cursor
        self._followers: dict[int, Follower] = {}
        self._rose = rose

    def __iter__(self) -> Iterator[Follower]:
        return iter(self._followers.values())

    @property
    def size(self) -> int:
        """How many are told in its turn."""
        return len(self._followers)

    def seat(self, follower: Follower) -> None:
        """One who `may_sit`, and stands where the row stands."""
        self._followers[follower.number] = follower
        follower.sit(self)

    def rise(self, follower: Follower) -> None:
        """The follower's call: it stands again."""
        del self._followers[follower.number]
        self._rose(self, follower)

    def offer(self) -> bytes:
        """What is new in the feed. It is to be written at once."""
        return self.cursor.rest()

    def write(self, data: bytes) -> None:
        """Writes to all. Those rise whose socket does not take all of it."""
        write, size = os.write, len(data)
        short: list[tuple[int, int]] = []
        for number in self._followers:
            try:
                taken = write(number, data)
            except OSError:  # it is full; or it is broken, which its task finds out in its turn
                taken = 0
            if taken != size:
                short.append((number, taken))
        for number, taken in short:
            self._followers[number].leave(data[taken:])
