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
from server.row import ROW_SEATS, Row

# Rows that many have left are many turns for few.
SPARE_ROWS: Final = 16

# A row of players takes spectators too until so many sit there, who are told when players are: a
# small room has one row, and one for two players alone would cost it as much as two of them more.
FRONT: Final = 30


class Audience:
    """The followers of one room. Players are told at once, and who sits with them; then spectators
    in turn."""

    def __init__(self) -> None:
        self._players: set[Follower] = set()
        self._standing: dict[Follower, None] = {}
        self._rows: dict[Row, bool] = {}  # whether they are told at once
        self._open_rows: dict[tuple[int, bool], Row] = {}  # the newest, by channels
        self._first: OrderedDict[Listener, None] = OrderedDict()  # who is still to be told at once
        self._then: OrderedDict[Listener, None] = OrderedDict()  # whose turn is still to come

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
        self._standing[follower] = None
        if plays:
            self._players.add(follower)

    def remove(self, follower: Follower) -> None:
        follower.rise()
        self._stand_down(follower)
        self._players.discard(follower)

    def _stand_down(self, follower: Follower) -> None:
        """It stands no more, and its turn is no longer its own."""
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
        for row, at_once in self._rows.items():
            (self._first if at_once else self._then)[row] = None
        for follower in self._standing:
            self._turns_of(follower)[follower] = None

    def next_turns(self, most: int) -> list[Listener]:
        """Whose turn it is now: all who are told at once, and up to `most` others, or one row."""
        at_once = list(self._first)
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
        return at_once + spectators

    def _turns_of(self, follower: Follower) -> OrderedDict[Listener, None]:
        return self._first if follower in self._players else self._then

    def _seat_all(self) -> None:
        """All sit down who may."""
        if len(self._rows) > SPARE_ROWS + 2 * self._seated // ROW_SEATS:
            for follower in list(chain.from_iterable(self._rows)):
                follower.rise()
        # Players first: spectators sit with them, not they with spectators.
        may_sit = [one for one in self._standing if one.may_sit]
        for follower in sorted(may_sit, key=lambda one: one not in self._players):
            row = self._row_for(follower)
            if row.cursor.mark == follower.cursor.mark:
                self._stand_down(follower)  # if its turn is to come, it is the row's now
                row.seat(follower)

    def _row_for(self, follower: Follower) -> Row:
        """The row that has a seat for them, or will have, as soon as they have read as far."""
        mask = follower.cursor.mask
        front = self._open_rows.get((mask, True))
        at_once = follower in self._players or (front is not None and front.size < FRONT)
        kind = mask, at_once
        row = self._open_rows.get(kind)
        if row is None or row.size >= ROW_SEATS:
            row = Row(follower.cursor.another(), self._rose)
            self._open_rows[kind] = row
            self._rows[row] = at_once
        return row

    def _rose(self, row: Row, follower: Follower) -> None:
        """The row's call: this one stands again. If the row's turn is still to come, so is its."""
        self._standing[follower] = None
        if row in self._first or row in self._then:
            self._turns_of(follower)[follower] = None
        if not row.size:
            self._forget(row)

    def _forget(self, row: Row) -> None:
        """Nobody sits there any more."""
        del self._rows[row]
        self._first.pop(row, None)
        self._then.pop(row, None)
        self._open_rows = {k: other for k, other in self._open_rows.items() if other is not row}
