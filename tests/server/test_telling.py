"""What a room's decisions have people told: a slice of them in one go, so that nobody waits long;
and for how long what was told can be told again.
"""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pytest
import trio
from trio.testing import MockClock

import server.telling
from protocol.messages import BattleId, Result, Token
from server.commands import Terms
from server.cursor import Cursor
from server.fanout import Offer, write_all
from server.feed import ALL
from server.metrics import Metrics
from server.sessions import Sessions
from server.stage import Stage
from server.telling import Teller, Telling
from tests.protocol.battles import sample_setup
from tests.server.feeds import Written, read, room
from tests.server.visitors import get_ready, open_world


async def test_more_spectators_than_are_told_in_one_go(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.telling, "ROW_SEATS", 2)
    async with open_world() as world:
        ada, bob = await world.pair(best_of=1)
        watchers = [await world.watch(ada.place) for _ in range(7)]
        await get_ready(ada, bob)
        await ada.hear_until(Result)
        told = trio.current_time()
        for eve in watchers:
            await eve.hear_until(Result)
            assert eve.frames() == ada.frames()
        assert trio.current_time() - told < 0.01


async def test_a_room_tells_one_slice_in_one_go_whatever_is_told_of_it(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    slices = [0]  # of each go
    tell = Stage._tell

    def count_anew(stage: Stage, tellings: Sequence[Telling]) -> None:
        slices.append(0)
        tell(stage, tellings)

    def count(offers: Sequence[Offer], metrics: Metrics) -> None:
        slices[-1] += 1
        write_all(offers, metrics)

    monkeypatch.setattr(server.telling, "ROW_SEATS", 2)
    monkeypatch.setattr(server.telling, "write_all", count)
    monkeypatch.setattr(Stage, "_tell", count_anew)
    async with open_world() as world:
        ada, bob = await world.pair(best_of=1)
        watchers = [await world.watch(ada.place) for _ in range(7)]
        await get_ready(ada, bob)
        for eve in watchers:
            await eve.hear_until(Result)
    assert max(slices) == 1


async def test_feeds_are_let_go_that_nobody_may_come_back_for() -> None:
    """As a battle begins: a room in which one follows on the other does not grow."""
    async with open_world() as world:
        ada, _ = await world.pair()
        stage = world.hall.find(ada.place)
        teller = Teller(stage.sessions, stage.teller.room, 100.0, Metrics())
        stage.sessions.longest_delay = 30.0
        setup = sample_setup("red-kennel", "slow-kiln")
        there: list[list[int]] = []
        for number, now in enumerate((10.0, 20.0, 30.0, 151.0, 155.0, 1000.0), 1):
            terms = Terms(BattleId(f"r.{number}"), number, 1, setup, "", b"", {}, {})
            teller.tell([teller.open(terms, teller.room, now)], now)
            there.append([n for n in range(1, 7) if teller.feed_of(BattleId(f"r.{n}"))])
    assert there == [[1], [1, 2], [1, 2, 3], [2, 3, 4], [2, 3, 4, 5], [5, 6]]


def test_battles_of_before_are_fought_again_as_a_reader_comes_to_them() -> None:
    """And the last, in which more is said."""
    filled: list[int] = []

    def fill(number: int, written: Written) -> None:
        filled.append(number)
        written.ticks("t", "t")
        written.say(f"result {number}")

    made = [Written(number, f"r.{number}") for number in (1, 2, 3, 4)]
    for number, written in enumerate(made, 1):
        written.feed.fill_later(partial(fill, number, written))
    teller = Teller(Sessions(lambda: Token("t"), 60), room(1), 100.0, Metrics())
    teller.take_over([written.feed for written in made], 0.0)
    feed = teller.feed_of(BattleId("r.2"))
    assert feed is not None
    assert filled == [2, 4]
    cursor = Cursor(feed, 0, ALL)
    assert read(cursor.take(1 << 20, stop=(3, 0))) == ["begin r.2", "t0", "t1", "result 2"]
    assert read(cursor.take(1)) == ["begin r.3"]
    assert filled == [2, 4, 3]
    rest = ["t0", "t1", "result 3", "begin r.4", "t0", "t1", "result 4"]
    assert read(cursor.rest()) == rest
    assert filled == [2, 4, 3]


@pytest.mark.parametrize("all_at_once", [True, False])
def test_a_reader_is_not_at_the_end_of_a_battle_of_before(all_at_once: bool) -> None:
    first, second = Written(1, "r.1"), Written(2, "r.2")
    first.feed.next = second.feed
    second.feed.fill_later(partial(second.ticks, "t"))
    cursor = Cursor(first.feed, 0, ALL)
    assert read(cursor.rest() if all_at_once else cursor.take(1 << 20)) == [
        "begin r.1",
        "begin r.2",
        "t0",
    ]
