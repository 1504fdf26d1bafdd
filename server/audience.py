"""Everyone who follows a room, and whose turn it is to be told what is new.

A round of telling goes over all of them once, a slice at a time, so that ten thousand in one room
hold up nobody in another. When the feed grows before a round is over, the next one begins where it
stands: each is told all there is when their turn comes, and nobody is passed over.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from server.delivery import Follower


class Audience:
    """The followers of one room. Players are told at once, spectators in turn."""

    def __init__(self) -> None:
        self._players: set[Follower] = set()
        self._spectators: set[Follower] = set()
        self._turns: deque[Follower] = deque()  # of spectators; those who left drop out in passing
        self._left = 0  # turns that are left of this round

    def __len__(self) -> int:
        return len(self._players) + len(self._spectators)

    def __iter__(self) -> Iterator[Follower]:
        yield from self._players
        yield from self._spectators

    def add(self, follower: Follower, *, plays: bool) -> None:
        """Adds one whom its own task is telling all that is there now."""
        if plays:
            self._players.add(follower)
        else:
            self._spectators.add(follower)
            self._turns.append(follower)

    def remove(self, follower: Follower) -> None:
        self._players.discard(follower)
        self._spectators.discard(follower)

    @property
    def has_turns_left(self) -> bool:
        return self._left > 0

    def announce(self) -> None:
        """Begins a round: something was added to the feed."""
        for follower in self._players:
            follower.push()
        self._left = len(self._turns)

    def sweep(self, most: int) -> None:
        """Gives up to `most` spectators their turn."""
        for _ in range(min(most, self._left)):
            self._left -= 1
            follower = self._turns.popleft()
            if follower in self._spectators:
                self._turns.append(follower)
                follower.push()
