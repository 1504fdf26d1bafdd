"""A room that fails is closed, and no other room notices."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import pytest
from trio.testing import MockClock

from protocol.messages import Create, Join, Result, RoomState
from server.match import Match
from server.room import Room
from server.telling import Teller
from tests.server.rooms import submit
from tests.server.visitors import get_ready, open_world


async def test_a_room_that_fails_is_closed_and_no_other_notices(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Match, *__: object) -> None:
        raise ZeroDivisionError("made to fail")

    async with open_world() as world:
        ada, bob = await world.pair()
        cid, dan = await world.pair()
        monkeypatch.setattr(Match, "submit", fail)
        await ada.say(submit(0))
        assert await bob.hear_end() == 1011
        monkeypatch.undo()
        assert [room.id for room in world.hall.listing()] == [cid.place]
        await get_ready(cid, dan)
        await dan.hear_until(Result)


async def test_a_room_that_fails_even_as_it_closes_fails_alone(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_world() as world:
        ada, bob = await world.pair()
        cid, dan = await world.pair()
        state = Room.state

        def fail(room: Room) -> RoomState:
            if room.id == ada.place:
                raise ZeroDivisionError("made to fail")
            return state(room)

        monkeypatch.setattr(Room, "state", fail)
        await ada.say(submit(0))
        assert await bob.hear_end() == 1011
        assert [room.id for room in world.hall.listing()] == [cid.place]
        assert (
            await world.visit(ada.place).refused(Join(version=1, name="Eve"))
        ).code == "no_such_room"
        await get_ready(cid, dan)
        await dan.hear_until(Result)


async def test_a_room_that_is_refused_leaves_nothing_behind(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        before = len(world.metronome._timed)
        error = await world.visit("new").refused(Create(version=1, name="A\u0434\u0430"))
        assert error.code == "bad_name"
        assert len(world.metronome._timed) == before


async def test_a_room_that_fails_as_it_tells_its_news_fails_alone(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    offers = Teller.offers

    def fail(teller: Teller, now: float) -> object:
        if teller.room.id == ada.place and teller.feed.battle and len(teller.feed.entries) > 20:
            raise ZeroDivisionError("made to fail")
        return offers(teller, now)

    async with open_world() as world:
        ada, bob = await world.pair()
        cid, dan = await world.pair()
        monkeypatch.setattr(Teller, "offers", fail)
        await get_ready(ada, bob)
        await get_ready(cid, dan)
        assert await bob.hear_end() == 1011
        await dan.hear_until(Result)
        assert [room.id for room in world.hall.listing()] == [cid.place]
