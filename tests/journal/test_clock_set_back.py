"""The wall's clock was set back while the server was down: nothing waits long for it."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock

from protocol.messages import (
    Begin,
    Quick,
    Result,
    Welcome,
)
from server.limits import Limits
from server.mint import Mint
from tests.journal.coming_back import after, back
from tests.journal.worlds import universe
from tests.server.rooms import RULES
from tests.server.visitors import get_ready, mirror_of

DAY = 86_400.0


@pytest.mark.parametrize("set_back", [10.0, DAY], ids=str)
async def test_a_battle_goes_on_though_the_wall_clock_was_set_back(
    set_back: float, autojump_clock: MockClock
) -> None:
    """It is not so far as it was seen to be, and is told anew from its beginning."""
    async with universe(down_seconds=1) as it:
        world = await it.server()
        ada, bob = await world.pair(best_of=1)
        await get_ready(ada, bob)
        while not bob.frames() or bob.frames()[-1].tick < 400:
            await bob.hear()
        it.ahead -= set_back
        async with after(it) as world:
            now = trio.current_time()
            again, whole = await back(world, bob), await back(world, ada, whole=True)
            for visitor in (again, whole):
                assert (await visitor.hear_until(Result)).reason != "void"
                mirror_of(visitor)  # which finds no gap and no double
            assert again.frames() == whole.frames()
            assert trio.current_time() - now < 61


async def test_deadlines_are_no_further_away_though_the_wall_clock_was_set_back(
    autojump_clock: MockClock,
) -> None:
    limits = Limits(resume_seconds=20, waiting_seconds=100, building_seconds=50)
    async with universe(limits, mint=Mint()) as it:
        world = await it.server()
        ada = world.visit("quick")
        await ada.say(Quick(version=1, name="Ada"))
        waiting = (await ada.hear_until(Welcome)).room.id
        building, battle = await world.pair(), await world.pair()
        await get_ready(*battle)
        await battle[1].hear_until(Begin)
        it.ahead -= DAY
        async with after(it) as world:
            places = waiting, building[0].place, battle[0].place
            rooms = [world.hall.find(place).room for place in places]
            now = trio.current_time() + 1e-3
            assert [room.phase for room in rooms] == ["waiting", "building", "battle"]
            lasts = RULES.time_limit / 20 + limits.battle_grace_seconds
            for room, longest in zip(rooms, (100, 50, lasts), strict=True):
                assert longest - 1 < room.phase_due - now < longest
                assert room.opened < now
            assert 4 < rooms[0].offer_due - now < 5


async def test_what_was_seen_with_a_delay_comes_in_time_though_the_wall_clock_was_set_back(
    autojump_clock: MockClock,
) -> None:
    async with universe(Limits(over_seconds=300)) as it:
        world = await it.server()
        ada, bob = await world.pair(best_of=1)
        eve = await world.watch(ada.place, delay_seconds=30)
        await get_ready(ada, bob)
        await bob.hear_until(Result)
        it.ahead -= DAY
        async with after(it) as world:
            now = trio.current_time()
            again = await back(world, eve)
            await again.hear_until(Result)
            mirror_of(eve, again)
            assert 25 < trio.current_time() - now <= 30
