"""Everyone who follows a room, and whose turn it is to be told what is new.

Those who keep up sit in rows and are told by the row; the others stand, and are told one by one.
Who stands where a row stands, and has nothing else to be sent, sits down.

A round of telling goes over all of them once, a slice at a time, so that ten thousand in one room
hold up nobody in another. When the feed grows before a round is over, the next one begins where it
stands: each is told all there is when their turn comes, and nobody is passed over.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from itertools import chain
from typing import Final

from server.delivery import Follower
from server.fanout import Listener
from server.row import SEATS, Row

# Rows that many have left are many turns for few.
SPARE_ROWS: Final = 16


class Audience:
    """The followers of one room. Players are told at once, spectators in turn."""

    def __init__(self) -> None:
        self._rows: dict[Row, bool] = {}  # whether they are players
        self._standing: dict[Follower, bool] = {}  # the same
        self._open_rows: dict[tuple[int, bool], Row] = {}  # the newest, by channels
        self._first: OrderedDict[Listener, None] = OrderedDict()  # players whose turn is to come
        self._then: OrderedDict[Listener, None] = OrderedDict()  # spectators whose turn is to come

    def __len__(self) -> int:
        return len(self._standing) + self._seated

    def __iter__(self) -> Iterator[Follower]:
        yield from self._standing
        yield from chain.from_iterable(self._rows)

    @property
    def _seated(self) -> int:
        return sum(row.size for row in self._rows)

    def add(self, follower: Follower, *, plays: bool) -> None:
        """Adds one whom its own task is telling all that is there now."""
        self._standing[follower] = plays

    def remove(self, follower: Follower) -> None:
        follower.rise()
        self._first.pop(follower, None)
        self._then.pop(follower, None)
        self._standing.pop(follower, None)

    @property
    def has_turns_left(self) -> bool:
        return bool(self._first or self._then)

    def announce(self) -> None:
        """Begins a round: something was added to the feed."""
        if self._standing:
            self._seat_all()
        # Who still waits from the round before keeps their place.
        for row, plays in self._rows.items():
            self._turns_of(plays=plays)[row] = None
        for follower, plays in self._standing.items():
            self._turns_of(plays=plays)[follower] = None

    def next_turns(self, most: int) -> list[Listener]:
        """Whose turn it is now: all players first, and up to `most` spectators, or one row."""
        players = list(self._first)
        self._first.clear()
        spectators: list[Listener] = []
        told = 0
        for listener in self._then:
            if told and told + listener.size > most:
                break
            told += listener.size
            spectators.append(listener)
        for listener in spectators:
            del self._then[listener]
        return players + spectators

    def _turns_of(self, *, plays: bool) -> OrderedDict[Listener, None]:
        return self._first if plays else self._then

    def _seat_all(self) -> None:
        """All sit down who may."""
        if len(self._rows) > SPARE_ROWS + 2 * self._seated // SEATS:
            for follower in list(chain.from_iterable(self._rows)):
                follower.rise()
        for follower in [one for one in self._standing if one.may_sit]:
            row = self._row_for(follower)
            if row.cursor.mark == follower.cursor.mark:
                self.remove(follower)  # with its turn, if that is to come: it is the row's now
                row.seat(follower)

    def _row_for(self, follower: Follower) -> Row:
        """The row that has a seat for them, or will have, as soon as they have read as far."""
        kind = follower.cursor.mask, self._standing[follower]
        row = self._open_rows.get(kind)
        if row is None or row.size >= SEATS:
            row = Row(follower.cursor.another(), self._rose)
            self._open_rows[kind] = row
            self._rows[row] = kind[1]
        return row

    def _rose(self, row: Row, follower: Follower) -> None:
        """The row's call: this one stands again. If the row's turn is still to come, so is its."""
        plays = self._standing[follower] = self._rows[row]
        turns = self._turns_of(plays=plays)
        if row in turns:
            turns[follower] = None
        if not row.size:
            self._forget(row)

    def _forget(self, row: Row) -> None:
        """Nobody sits there any more."""
        del self._rows[row]
        self._first.pop(row, None)
        self._then.pop(row, None)
        self._open_rows = {k: other for k, other in self._open_rows.items() if other is not row}
