"""Whose turn it is: everyone is told in every round, players first, and in slices."""

from __future__ import annotations

from typing import cast

from server.audience import Audience
from server.delivery import Follower


class Told:
    """Stands in for a follower: counts how often it was its turn."""

    def __init__(self) -> None:
        self.times = 0


def audience(players: int, spectators: int) -> tuple[Audience, list[Told], list[Told]]:
    everyone = Audience()
    first, rest = [Told() for _ in range(players)], [Told() for _ in range(spectators)]
    for told in first:
        everyone.add(cast(Follower, told), plays=True)
    for told in rest:
        everyone.add(cast(Follower, told), plays=False)
    return everyone, first, rest


def sweep(everyone: Audience, most: int) -> None:
    for one in everyone.next_turns(most):
        cast(Told, one).times += 1


def sweep_out(everyone: Audience, most: int) -> int:
    """Sweeps until the round is over; how many sweeps that took."""
    sweeps = 0
    while everyone.has_turns_left:
        sweep(everyone, most)
        sweeps += 1
    return sweeps


def test_a_round_tells_players_at_once_and_spectators_in_slices() -> None:
    everyone, players, spectators = audience(2, 10)
    everyone.announce()
    sweep(everyone, 4)
    assert [told.times for told in players] == [1, 1]
    assert sum(told.times for told in spectators) == 4
    assert sweep_out(everyone, 4) == 2
    assert [told.times for told in spectators] == [1] * 10
    sweep(everyone, 4)  # a round that is over tells nobody twice
    assert [told.times for told in players + spectators] == [1] * 12


def test_nobody_is_passed_over_when_rounds_come_faster_than_they_end() -> None:
    everyone, _, spectators = audience(0, 10)
    for _ in range(10):
        everyone.announce()
        sweep(everyone, 4)
    assert {told.times for told in spectators} == {4}


def test_who_has_left_is_told_nothing_and_holds_up_nobody() -> None:
    everyone, _, spectators = audience(0, 10)
    everyone.announce()
    sweep(everyone, 3)
    for told in spectators[::2]:
        everyone.remove(cast(Follower, told))
    sweep_out(everyone, 3)
    assert [told.times for told in spectators[1::2]] == [1] * 5
    assert [told.times for told in spectators[::2]] == [
        1,
        1,
        0,
        0,
        0,
    ]  # the first and third had had their turn
    everyone.announce()
    sweep_out(everyone, 3)
    assert [told.times for told in spectators[1::2]] == [2] * 5
    assert [told.times for told in spectators[::2]] == [1, 1, 0, 0, 0]
    assert len(everyone) == 5


def test_who_comes_during_a_round_is_told_from_the_next_on() -> None:
    everyone, _, _ = audience(0, 3)
    everyone.announce()
    late = Told()
    everyone.add(cast(Follower, late), plays=False)
    sweep_out(everyone, 2)
    assert late.times == 0  # its own task tells it all that is there
    everyone.announce()
    sweep_out(everyone, 2)
    assert late.times == 1
