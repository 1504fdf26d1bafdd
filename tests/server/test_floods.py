"""Who says too much or nothing at all."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from protocol.messages import (
    Error,
    Forfeit,
)
from server.limits import Limits
from tests.server.visitors import open_world


async def test_who_says_nothing_is_shown_out(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        visitor = world.visit("new")
        assert await visitor.hear_end() == 4003
        assert trio.current_time() == pytest.approx(Limits().hello_seconds, abs=0.1)


async def test_messages_that_come_too_fast_are_refused_and_then_it_is_enough(
    autojump_clock: MockClock,
) -> None:
    limits = Limits(messages_burst=5, messages_refused=3)
    async with open_world(limits) as world:
        ada = await world.create()  # takes one
        for _ in range(4):
            assert (await ada.refused(Forfeit())).code == "wrong_phase"
        assert (await ada.refused(Forfeit())).code == "too_fast"
        await trio.sleep(1)  # and a wait makes it good
        assert (await ada.refused(Forfeit())).code == "wrong_phase"
        for _ in range(20):
            await ada.say(Forfeit())
        assert await ada.hear_end() == 1008


async def test_once_it_is_enough_nothing_more_is_answered(autojump_clock: MockClock) -> None:
    limits = Limits(messages_burst=5, messages_refused=3)
    async with open_world(limits) as world:
        ada = await world.create()  # takes one
        await ada.say_at_once([Forfeit()] * 200)
        assert await ada.hear_end() == 1008
        codes = [message.code for message in ada.heard if isinstance(message, Error)]
        assert codes == ["wrong_phase"] * 4 + ["too_fast"] * 4


async def test_who_ends_before_being_let_in_is_counted(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        stranger = world.visit("new")
        await stranger.say("x" * (Limits().hello_bytes + 1))
        assert await stranger.hear_end() == 1009
        await wait_all_tasks_blocked()
        assert world.hall.metrics.closed == {"1009": 1}


# Rooms.


async def test_only_those_in_a_row_that_come_too_fast_are_too_many(
    autojump_clock: MockClock,
) -> None:
    limits = Limits(messages_per_second=1, messages_burst=1, messages_refused=1)
    async with open_world(limits) as world:
        ada = await world.create()  # takes the one
        for _ in range(5):
            assert (await ada.refused(Forfeit())).code == "too_fast"
            await trio.sleep(1)
            assert (await ada.refused(Forfeit())).code == "wrong_phase"
