"""What is said of shares and movements: that it may be said."""

from __future__ import annotations

import math
from random import Random

import pytest

from server.odds.counts import Count
from server.odds.plan import Pairing
from server.odds.results import Fought, Tournament
from server.odds.shares import Moved, Share
from server.odds.worth import Moves, Standing


def one(winner: int | None) -> Count:
    count = Count()
    count.note(winner, 9, timeout=False, cut=False)
    return count


def test_a_share_lies_in_wilsons_interval() -> None:
    assert Share(8, 10).interval() == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert Share(0, 10).interval() == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert Share(0, 0).interval() == (0.0, 1.0)
    assert Share(8, 10).half() == pytest.approx(0.8 - 0.4902, abs=1e-4)
    assert not Share(8, 10).is_apart_from(0.5)
    assert Share(80, 100).is_apart_from(0.5)


def test_a_movement_is_within_what_its_pairs_say() -> None:
    moved = Moved.of_pairs(total=10, squares=30, pairs=1000)
    assert moved.value == 0.01
    assert moved.half == pytest.approx(1.96 * math.sqrt(31 - 100 / 1002) / 1002, abs=3e-5)
    assert not moved.is_sure()
    assert Moved.of_pairs(30, 30, 1000).is_sure()


def test_what_few_battles_have_moved_is_not_sure_and_what_none_has_is_known_to_be_so() -> None:
    assert not Moved.of_pairs(1, 1, 1).is_sure()
    assert not Moved.of_pairs(1, 1, 1000).is_sure()
    assert not Moved.of_pairs(0, 0, 1000).at_all
    assert Moved.of_pairs(0, 2, 1000).at_all


def test_nineteen_of_twenty_intervals_hold_what_is_true() -> None:
    """Of 100 battles, where a change turns one in ten, twice as often for as against."""
    dice, held = Random("intervals"), 0
    for _ in range(400):
        turns = dice.choices((1, -1, 0), (2, 1, 27), k=100)
        moved = Moved.of_pairs(sum(turns), sum(turn * turn for turn in turns), 100)
        held += abs(moved.value - 1 / 30) <= moved.half
    assert 0.93 <= held / 400 <= 0.98


def test_a_movement_compares_battle_with_battle() -> None:
    """As many are won as before, and the same ones; or others."""
    same, others = Fought(has_change=True), Fought(has_change=True)
    for number in range(100):
        same.note(one(number % 2), one(number % 2))
        others.note(one(number % 2), one((number + 1) % 2))
    moved, other = same.ending_moved("won"), others.ending_moved("won")
    assert moved is not None
    assert other is not None
    assert (moved.value, moved.at_all, same.turned()) == (0, False, [])
    assert (other.value, other.at_all, others.turned()) == (0, True, list(range(100)))
    assert other.half > 0.15 > moved.half


def test_the_battles_of_two_pairings_with_the_same_dice_are_told_as_what_they_are_worth() -> None:
    """Twice the same hundred battles say no more than a hundred."""
    played = Tournament()
    for other in ("b", "c"):
        fought = Fought()
        for number in range(100):
            fought.note(None, one(number * 7 % 10 % 2))
        played.take(Pairing("a", other, 0, 100), fought)
    alone, both = played.met("a", ["b"]), played.met("a", ["b", "c"])
    assert alone is not None
    assert both is not None
    assert both.share.value == alone.share.value == 0.5
    assert both.share.half() == pytest.approx(alone.share.half())
    assert played.met("c", ["a"]) == alone._replace(share=alone.share.others())


def test_a_board_met_from_the_second_place_moves_the_other_way() -> None:
    played, fought = Tournament(), Fought(has_change=True)
    for _ in range(50):
        fought.note(one(0), one(1))
    played.take(Pairing("a", "b", 0, 50), fought)
    first, second = played.met("a", ["b"]), played.met("b", ["a"])
    assert first is not None
    assert second is not None
    assert first.moved is not None
    assert second.moved is not None
    assert first.moved.value == -second.moved.value == -1
    assert first.moved.half == second.moved.half < 0.15


def standing(one: str, boards: int, points: int) -> Standing:
    found = Standing()
    found.boards[one], found.points[one] = boards, points
    return found


def test_a_cards_movement_counts_boards_that_are_the_same_as_the_same() -> None:
    """A thousand battles; in the first case one in twenty goes otherwise, in the second as many go
    well, but others."""
    still, other = Moves(), Moves()
    before, after = Standing(), Standing()
    for number in range(1000):
        old = standing("x", 1, 2 * (number % 2))
        new = standing("x", 1, 2 if number % 20 == 0 else 2 * (number % 2))
        apart = standing("x", 1, 2 if number % 20 == 1 else 2 * ((number + 1) % 2))
        still.note(old, new)
        other.note(old, apart)
        before.add(old)
        after.add(new)
    moved, apart_moved = still.moved("x", before, after), other.moved("x", before, after)
    assert moved is not None
    assert apart_moved is not None
    assert moved.value == apart_moved.value == pytest.approx(0.05)
    assert moved.is_sure()
    assert moved.half < 0.015 < 0.04 < apart_moved.half
    assert still.moved("x", Standing(), after) is None
