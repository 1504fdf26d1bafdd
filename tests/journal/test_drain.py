"""The server is about to stop: nothing begins, what runs ends, and everyone knows."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock

from protocol.messages import Accept, Error, Offer, Quick, Ready, Rematch, Result, Welcome
from tests.server.rooms import NONCE, submit
from tests.server.visitors import get_ready, open_world


async def test_everyone_is_told_once(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada, bob = await world.pair()
        world.hall.drain()
        world.hall.drain()
        for one in (ada, bob):
            said = await one.hear_until(Error)
            assert (said.code, said.re) == ("draining", None)
        assert (await ada.refused("{}")).code == "bad_message"  # and not the same once more


async def test_no_round_begins(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada, bob = await world.pair()
        for one in (ada, bob):
            await one.say(submit(0))
        await ada.say(Ready(NONCE))
        while (await bob.hear_phase("building")).room.a is None:
            pass
        world.hall.drain()
        await bob.hear_until(Error)
        said = await bob.refused(Ready(NONCE))
        assert (said.code, said.re) == ("draining", "ready")
        assert len(world.hall.battles) == 0


async def test_no_series_begins_and_the_battle_that_runs_is_waited_for(
    autojump_clock: MockClock,
) -> None:
    async with open_world() as world:
        ada, bob = await world.pair(best_of=1)
        await get_ready(ada, bob)
        await bob.hear_phase("battle")
        world.hall.drain()
        began = trio.current_time()
        await world.hall.battles.over()
        lasted = trio.current_time() - began
        assert lasted == pytest.approx((await bob.hear_until(Result)).tick / 20, abs=0.5)
        await bob.hear_phase("over")
        assert (await bob.refused(Rematch())).code == "draining"
        await world.hall.battles.over()  # at once, now


async def test_nobody_is_matched_with_who_waits_while_the_server_drains(
    autojump_clock: MockClock,
) -> None:
    async with open_world() as world:
        ada = world.visit("quick")
        await ada.say(Quick(version=1, name="Ada"))
        await ada.hear_until(Welcome)
        world.hall.drain()
        bob = world.visit("quick")
        assert (await bob.refused(Quick(version=1, name="Bob"))).code == "draining"


async def test_no_stored_board_is_fought(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada = world.visit("quick")
        await ada.say(Quick(version=1, name="Ada"))
        offer = await ada.hear_until(Offer)
        world.hall.drain()
        assert (await ada.hear_until(Error)).re is None  # everyone is told
        said = await ada.refused(Accept(offer.offer))
        assert (said.code, said.re) == ("draining", "accept")
