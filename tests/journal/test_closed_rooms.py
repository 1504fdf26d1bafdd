"""What is kept of rooms that have closed, and of what is refused."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import msgspec
import pytest
import trio
from trio.testing import MockClock

from protocol.messages import (
    Forfeit,
    Leave,
)
from server.journal.records import ClosedRecord, PutRoom, unpack
from server.limits import Limits
from tests.journal.coming_back import after
from tests.journal.worlds import universe


async def test_of_rooms_that_closed_the_record_stays(autojump_clock: MockClock) -> None:
    async with universe(Limits(waiting_seconds=5)) as it:
        ada = await (await it.server()).create()
        await ada.hear_end()
        async with after(it) as world:
            ((row,),) = world.store._db.execute("SELECT record FROM closed").fetchall()
            record = unpack(row, ClosedRecord)
            assert (record.state.id, record.why) == (ada.place, "nothing happened for too long")
            assert len(world.hall) == 0


@pytest.mark.parametrize("role", ["player", "spectator"])
async def test_what_is_said_to_a_room_that_has_closed_does_not_bring_it_back(
    autojump_clock: MockClock, role: str
) -> None:
    async with universe() as it:
        world = await it.server()
        ada = await world.create()
        bob = await world.watch(ada.place)
        stage = world.hall.find(ada.place)
        player = stage.sessions.find(ada.welcome.token, trio.current_time())
        spectator = stage.sessions.find(bob.welcome.token, trio.current_time())
        assert player is not None
        assert spectator is not None
        assert stage.said(player, Leave()) is None
        if role == "player":
            assert stage.said(player, Forfeit()) is not None
        else:
            assert stage.said(spectator, Leave()) is not None
        stage.once_kept(lambda: None)
        await ada.hear_end()
        await world.journal_settled()
        assert it.kept().rooms == ()
        async with after(it) as world:
            assert len(world.hall) == 0


async def test_a_closed_room_that_an_older_server_has_left_is_dropped(
    autojump_clock: MockClock,
) -> None:
    async with universe() as it:
        world = await it.server()
        await world.create()
        await world.journal_settled()
        (kept,) = it.kept().rooms
        world.hall.journal.put([PutRoom(msgspec.structs.replace(kept.record, phase="closed"))])
        async with after(it) as world:
            assert len(world.hall) == 0
            await world.journal_settled()
            assert it.kept().rooms == ()


async def test_what_is_refused_writes_nothing(autojump_clock: MockClock) -> None:
    async with universe() as it:
        world = await it.server()
        ada = await world.create()
        await world.journal_settled()
        puts: list[object] = []
        world.hall.journal.put = lambda *what: puts.append(what)  # type: ignore[method-assign]
        assert (await ada.refused(Forfeit())).code == "wrong_phase"
        assert puts == []
