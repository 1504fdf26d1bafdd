"""Everyone who follows a room, and whose turn it is to be told what is new.

A round of telling goes over all of them once, a slice at a time, so that ten thousand in one room
hold up nobody in another. When the feed grows before a round is over, the next one begins where it
stands: each is told all there is when their turn comes, and nobody is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator

from server.delivery import Follower


class Audience:
    """The followers of one room. Players are told at once, spectators in turn."""

    def __init__(self) -> None:
        self._players: set[Follower] = set()
        self._players_wait = False  # for what is new in this round
        self._places: dict[Follower, int] = {}  # of spectators, in the list of turns
        self._turns: list[Follower | None] = []  # None: one who has left
        self._next = 0  # whose turn it is
        self._end = 0  # of the turns of this round
        self._left = 0  # of them that are still to come

    def __len__(self) -> int:
        return len(self._players) + len(self._places)

    def __iter__(self) -> Iterator[Follower]:
        yield from self._players
        yield from self._places

    def add(self, follower: Follower, *, plays: bool) -> None:
        """Adds one whom its own task is telling all that is there now."""
        if plays:
            self._players.add(follower)
            return
        self._places[follower] = len(self._turns)
        self._turns.append(follower)

    def remove(self, follower: Follower) -> None:
        self._players.discard(follower)
        place = self._places.pop(follower, None)
        if place is not None:
            self._turns[place] = None

    @property
    def has_turns_left(self) -> bool:
        return self._left > 0 or self._players_wait

    def announce(self) -> None:
        """Begins a round: something was added to the feed."""
        self._players_wait = True
        if not self._left and len(self._turns) > 2 * len(self._places):
            self._close_up()
        self._end = self._left = len(self._turns)

    def next_turns(self, most: int) -> list[Follower]:
        """Whose turn it is now: all players first, and up to `most` spectators."""
        turns: list[Follower | None] = [*self._players] if self._players_wait else []
        self._players_wait = False
        while most > 0 and self._left > 0:
            if self._next == self._end:
                self._next = 0
            stop = min(self._end, self._next + most, self._next + self._left)
            some = self._turns[self._next : stop]
            self._next += len(some)
            self._left -= len(some)
            most -= len(some)
            turns += some
        return [one for one in turns if one is not None]

    def _close_up(self) -> None:
        """Forgets the places of those who have left."""
        self._turns = list(self._places)
        self._places = {follower: place for place, follower in enumerate(self._places)}
        self._next = 0
