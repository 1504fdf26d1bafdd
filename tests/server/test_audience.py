"""Whose turn it is: everyone is told in every round, who plays or sits with them at once, the rest
in slices; by the row those who keep up, one by one the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import pytest

from server import audience as audience_module
from server.audience import FRONT, Audience
from server.cursor import Cursor
from server.delivery import Follower, Seats
from server.feed import ALL, BIT, Feed
from tests.server.feeds import Written


class Told:
    """Stands in for a follower: counts how often it was told."""

    made = 0

    def __init__(self, feed: Feed, mask: int = ALL) -> None:
        Told.made += 1
        self.number = Told.made
        self.times = 0
        self.size = 1
        self.cursor = Cursor(feed, 0, mask)
        self.may_sit = False
        self.row: Seats | None = None

    def offer(self) -> bytes:
        return self.cursor.rest()

    def sit(self, row: Seats) -> None:
        assert self.cursor.mark == row.cursor.mark, "or it would miss something"
        self.row, self.cursor = row, row.cursor

    def rise(self) -> None:
        row, self.row = self.row, None
        if row is not None:
            self.cursor = row.cursor.another()
            row.rise(cast(Follower, self))


class Hall:
    """An audience of stand-ins, and what they follow."""

    def __init__(self, players: int, spectators: int) -> None:
        self.written = Written()
        self.everyone = Audience()
        self.players = [self.come(plays=True) for _ in range(players)]
        self.spectators = [self.come() for _ in range(spectators)]

    def come(self, *, plays: bool = False, mask: int = ALL) -> Told:
        told = Told(self.written.feed, mask)
        self.everyone.add(cast(Follower, told), plays=plays)
        return told

    def leave(self, told: Told) -> None:
        self.everyone.remove(cast(Follower, told))

    def announce(self) -> None:
        self.written.ticks("t")
        self.everyone.announce()

    def sweep(self, most: int = 1000) -> list[int]:
        """Tells those whose turn it is; how many each turn told."""
        sizes = []
        for listener in self.everyone.next_turns(most):
            told = (
                [listener] if isinstance(listener, Told) else list(cast(Iterable[Told], listener))
            )
            listener.offer()
            for one in told:
                one.times += 1
            sizes.append(listener.size)
        return sizes

    def sweep_out(self, most: int) -> int:
        """Sweeps until the round is over; how many sweeps that took."""
        sweeps = 0
        while self.everyone.has_turns_left:
            self.sweep(most)
            sweeps += 1
        return sweeps

    def seat(self) -> None:
        """A round after which all may sit, and the next one, in which they do."""
        self.announce()
        self.sweep()
        for told in (*self.players, *self.spectators):
            told.may_sit = True
        self.announce()
        self.sweep()
        self.forget()

    def forget(self) -> None:
        for told in (*self.players, *self.spectators):
            told.times = 0


def times(some: Iterable[Told]) -> list[int]:
    return [told.times for told in some]


# Who stands, one by one.


def test_a_round_tells_players_at_once_and_spectators_in_slices() -> None:
    hall = Hall(2, 10)
    hall.announce()
    hall.sweep(4)
    assert times(hall.players) == [1, 1]
    assert sum(times(hall.spectators)) == 4
    assert hall.sweep_out(4) == 2
    assert times(hall.spectators) == [1] * 10
    hall.sweep(4)  # a round that is over tells nobody twice
    assert times(hall.players + hall.spectators) == [1] * 12


def test_nobody_is_passed_over_when_rounds_come_faster_than_they_end() -> None:
    hall = Hall(0, 10)
    for _ in range(10):
        hall.announce()
        hall.sweep(4)
    assert sum(times(hall.spectators)) == 40
    assert min(times(hall.spectators)) >= 3


def test_who_has_left_is_told_nothing_and_holds_up_nobody() -> None:
    hall = Hall(0, 10)
    hall.announce()
    hall.sweep(3)
    for told in hall.spectators[::2]:
        hall.leave(told)
    hall.sweep_out(3)
    assert times(hall.spectators[1::2]) == [1] * 5
    assert times(hall.spectators[::2]) == [1, 1, 0, 0, 0]  # the first two had had their turn
    hall.announce()
    hall.sweep_out(3)
    assert times(hall.spectators[1::2]) == [2] * 5
    assert times(hall.spectators[::2]) == [1, 1, 0, 0, 0]
    assert len(hall.everyone) == 5


def test_who_comes_during_a_round_is_told_from_the_next_on() -> None:
    hall = Hall(0, 3)
    hall.announce()
    late = hall.come()
    hall.sweep_out(2)
    assert late.times == 0  # its own task tells it all that is there
    hall.announce()
    hall.sweep_out(2)
    assert late.times == 1


# Who sits, by the row.


def test_who_keeps_up_sits_with_those_who_want_the_same() -> None:
    hall = Hall(2, 5)
    hall.spectators += [hall.come(mask=BIT["vessel"]) for _ in range(3)]
    hall.seat()
    hall.announce()
    assert sorted(hall.sweep()) == [3, 7]
    assert times(hall.players + hall.spectators) == [1] * 10
    assert len(hall.everyone) == 10
    assert len(list(hall.everyone)) == 10


def test_spectators_of_a_small_room_sit_with_its_players_and_all_are_told_at_once() -> None:
    hall = Hall(0, 5)
    hall.players = [hall.come(plays=True) for _ in range(2)]  # who came last
    hall.seat()
    hall.announce()
    assert hall.sweep(1) == [7]


def test_spectators_of_a_large_room_do_not_keep_its_players_waiting() -> None:
    hall = Hall(2, 100)
    hall.seat()
    hall.announce()
    assert hall.sweep(1) == [FRONT, 102 - FRONT]
    assert times(hall.players) == [1, 1]
    hall.announce()
    for told in (hall.players[0], hall.spectators[0]):
        told.may_sit = False
        told.rise()
    assert hall.sweep(1) == [FRONT - 2, 1, 102 - FRONT], "who has played goes on to be first"
    assert hall.sweep(1) == [1]


def test_a_row_has_so_many_seats_and_is_one_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audience_module, "ROW_SEATS", 4)
    hall = Hall(0, 10)
    hall.seat()
    hall.announce()
    assert [hall.sweep(4) for _ in range(3)] == [[4], [4], [2]]
    assert times(hall.spectators) == [1] * 10


def test_who_stands_elsewhere_in_the_feed_does_not_sit_down() -> None:
    hall = Hall(0, 3)
    hall.seat()
    late = hall.come()
    late.may_sit = True  # and it has read nothing yet
    hall.announce()
    assert sorted(hall.sweep()) == [1, 3]
    hall.announce()
    assert hall.sweep() == [4]


@pytest.mark.parametrize("players", [0, 1])
def test_who_rises_before_the_turn_of_its_row_is_told_alone(players: int) -> None:
    hall = Hall(players, 4 - players)
    hall.seat()
    hall.announce()
    everyone = hall.players + hall.spectators
    for told in everyone[:2]:
        told.may_sit = False
        told.rise()
    assert sorted(hall.sweep()) == [1, 1, 2]
    assert times(everyone) == [1] * 4


def test_who_rises_after_the_turn_of_its_row_has_had_it() -> None:
    hall = Hall(0, 3)
    hall.seat()
    hall.announce()
    hall.sweep()
    hall.spectators[0].may_sit = False
    hall.spectators[0].rise()
    assert not hall.everyone.has_turns_left
    hall.announce()
    assert sorted(hall.sweep()) == [1, 2]
    assert times(hall.spectators) == [2] * 3


def test_who_sits_down_has_no_turn_of_its_own_any_more() -> None:
    """Or it would read on for the whole row, whose others would miss what it was told."""
    hall = Hall(0, 3)
    hall.seat()
    hall.announce()
    hall.spectators[0].may_sit = False
    hall.spectators[0].rise()  # its turn is still to come
    hall.spectators[0].may_sit = True
    hall.announce()
    assert hall.sweep() == [3]
    assert times(hall.spectators) == [1] * 3


def test_who_has_left_a_row_is_told_nothing() -> None:
    hall = Hall(0, 3)
    hall.seat()
    hall.announce()
    hall.leave(hall.spectators[0])
    assert hall.sweep() == [2]
    assert times(hall.spectators) == [0, 1, 1]
    for told in hall.spectators:
        hall.leave(told)
    hall.announce()
    assert not hall.everyone.has_turns_left, "an empty row is no turn"
    assert len(hall.everyone) == 0


def test_rows_that_many_have_left_are_seated_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audience_module, "ROW_SEATS", 4)
    monkeypatch.setattr(audience_module, "SPARE_ROWS", 1)
    hall = Hall(0, 80)
    hall.seat()
    for at, told in enumerate(hall.spectators):
        if at % 4:
            hall.leave(told)
    stay = hall.spectators[::4]
    hall.announce()
    assert hall.sweep() == [1] * 20, "nobody stands who could make room"
    hall.come()
    hall.announce()
    assert sorted(hall.sweep()) == [1, 4, 4, 4, 4, 4]
    assert times(stay) == [2] * 20
