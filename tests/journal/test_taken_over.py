"""What a room still is after a restart: its options, what was asked for, how old it is, who may
come back, and which of its battles they may have missed.
"""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from protocol.messages import BattleId, Begin, Error, Forfeit, Leave, Rematch, Result, RoomUpdate
from server.boards import MemoryBoards
from server.commands import KeepBoard
from server.journal.records import ClosedRecord, KeptRoom, Round, unpack
from server.journal.recovery import _recent
from server.journal.store import Most
from server.limits import Limits
from tests.journal import records as made
from tests.journal.coming_back import after, back
from tests.journal.worlds import KeptWorld, universe
from tests.server.rooms import board
from tests.server.visitors import get_ready


async def test_the_next_battle_is_as_fast_as_the_room_was_made(autojump_clock: MockClock) -> None:
    async with universe() as it:
        ada, bob = await (await it.server()).pair(speed=4)
        async with after(it) as world:
            ada, bob = await back(world, ada), await back(world, bob)
            await get_ready(ada, bob)
            assert (await ada.hear_until(Begin)).speed == 4


async def test_a_rematch_that_was_asked_for_is_still_asked_for(autojump_clock: MockClock) -> None:
    async with universe() as it:
        ada, bob = await (await it.server()).pair(best_of=1)
        await get_ready(ada, bob)
        await ada.hear_until(Result)
        await ada.hear_phase("over")
        await ada.say(Rematch())
        await ada.hear_until(RoomUpdate)
        async with after(it) as world:
            await back(world, ada)
            bob = await back(world, bob)
            room = bob.welcome.room
            assert [seat and seat.rematch for seat in (room.a, room.b)] == [True, False]
            await bob.say(Rematch())
            await bob.hear_phase("building")


async def test_a_token_that_was_good_until_another_got_through_is_not_good_again(
    autojump_clock: MockClock,
) -> None:
    async with universe() as it:
        world = await it.server()
        ada = await world.create()
        await ada.drop()
        again = await back(world, ada)
        await wait_all_tasks_blocked()  # a ping comes after the welcome, and is answered
        assert (await again.refused(Forfeit())).code == "wrong_phase"
        async with after(it) as world:
            old = await world.resume(ada, ada.welcome.token)
            assert (await old.hear_until(Error)).code == "bad_token"
            await back(world, again)


async def test_a_room_is_as_old_as_it_was(autojump_clock: MockClock) -> None:
    async with universe() as it:
        world = await it.server()
        ada = await world.create()
        await world.journal_settled()
        (kept,) = it.kept().rooms
        await trio.sleep(50)
        async with after(it) as world:
            again = await back(world, ada)
            await again.say(Leave())
            await again.hear_end()
            await world.journal_settled()
            ((row,),) = world.store._db.execute("SELECT record FROM closed").fetchall()
        record = unpack(row, ClosedRecord)
        assert record.opened == pytest.approx(kept.record.opened, abs=1.0)
        assert record.closed > record.opened + 50


async def test_a_rooms_number_grows_with_every_restart(autojump_clock: MockClock) -> None:
    async with universe() as it:
        ada = await (await it.server()).create()
        seq = ada.welcome.room.seq
        for restarts in (1, 2):
            async with after(it) as world:
                assert world.hall.find(ada.place).room.seq == seq + restarts


@pytest.mark.parametrize(("delay", "missed"), [(0.0, [3, 4]), (100.0, [2, 3, 4])])
def test_who_looks_on_late_may_have_missed_more(delay: float, missed: list[int]) -> None:
    """Of battles that begin every hundred seconds, where one may have missed as many."""
    fights = [
        msgspec.structs.replace(made.fight(BattleId(f"r.{n}"), n), started=100.0 * n)
        for n in range(1, 5)
    ]
    late = msgspec.structs.replace(made.session(2), delay=delay)
    rounds = tuple(Round(fight, None) for fight in fights)
    kept = KeptRoom(made.room(), (made.session(1), late), rounds)
    assert [one.record.round for one in _recent(kept, 99.0)] == missed


def stored(world: KeptWorld) -> list[str]:
    """Whose boards may be fought, the oldest first."""
    boards = world.hall._boards
    assert isinstance(boards, MemoryBoards)
    return [one.name for key, one in boards._boards.items() if key not in boards._samples]


async def test_whoever_fought_most_has_pushed_out_nobody_after_a_restart(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.journal.worlds.MOST", Most(replays=9, boards=6, closed=9))
    async with universe(Limits(boards=6, boards_per_player=2)) as it:
        world = await it.server()
        stage = world.hall.find((await world.create()).place)
        for number, name in enumerate("ABCDEZZZZZ"):
            stage._keep([], [KeepBoard(name, board(number % 5))])
        assert stored(world) == [*"BCDEZZ"]
        async with after(it) as world:
            assert stored(world) == [*"BCDEZZ"]
        it.config = replace(it.config, limits=Limits(boards=6, boards_per_player=1))
        async with after(it) as world:
            assert stored(world) == [*"BCDEZ"]
            await world.journal_settled()
            assert [one.name for one in it.kept().boards] == [*"BCDEZ"]


async def test_where_none_is_to_be_kept_none_is(autojump_clock: MockClock) -> None:
    async with universe(Limits(boards_per_player=0)) as it:
        world = await it.server()
        stage = world.hall.find((await world.create()).place)
        stage._keep([], [KeepBoard("Ada", board(0))])
        await world.journal_settled()
        assert it.kept().boards == ()
