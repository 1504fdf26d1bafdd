"""Everyone is told that the server goes down, in whatever state they are."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from protocol.codes import CloseCode
from protocol.messages import Bye, Leave, Watch
from server.closing import Closing
from tests.server.visitors import Visitor, World, open_world

RESTART = Closing(CloseCode.RESTART, "the server restarts", 1.5)


def restart() -> Closing:
    return RESTART


async def newcomer(world: World) -> Visitor:
    """One who has said nothing yet."""
    return world.visit("new")


async def player(world: World) -> Visitor:
    return await world.create()


async def delayed(world: World) -> Visitor:
    """One who still sees the end of a room that has closed."""
    ada = await world.create()
    visitor = await world.watch(ada.place, delay_seconds=30)
    await ada.say(Leave())
    await ada.hear_end()
    assert len(world.hall) == 0
    return visitor


@pytest.mark.parametrize("who", [newcomer, player, delayed])
async def test_whoever_is_there_is_told(
    who: Callable[[World], Awaitable[Visitor]], autojump_clock: MockClock
) -> None:
    async with open_world() as world:
        visitor = await who(world)
        await wait_all_tasks_blocked()
        start = trio.current_time()
        world.hall.dismiss_all(restart)
        bye = await visitor.hear_until(Bye)
        assert (bye.code, bye.retry_seconds) == (CloseCode.RESTART, 1.5)
        assert await visitor.hear_end() == CloseCode.RESTART
        assert trio.current_time() == start


async def test_whoever_comes_just_then_is_told(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada = await world.create()
        world.hall.dismiss_all(restart)
        visitor = world.visit(ada.place)
        assert (await visitor.hear_until(Bye)).code == CloseCode.RESTART
        assert await visitor.hear_end() == CloseCode.RESTART


async def test_who_is_being_let_in_is_told(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock
) -> None:
    """Their session is kept first, which takes a while."""
    async with open_world() as world:
        ada = await world.create()
        await wait_all_tasks_blocked()
        kept: list[object] = []
        monkeypatch.setattr(
            world.hall.journal, "put", lambda _, then=None, __=None: kept.append(then)
        )
        visitor = world.visit(ada.place)
        await visitor.say(Watch(version=1))
        await wait_all_tasks_blocked()
        world.hall.dismiss_all(restart)
        for then in kept:
            if callable(then):
                then()
        assert (await visitor.hear_until(Bye)).code == CloseCode.RESTART
        assert await visitor.hear_end() == CloseCode.RESTART


async def test_what_is_not_kept_yet_is_in_no_list(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock
) -> None:
    async with open_world() as world:
        kept: list[object] = []
        monkeypatch.setattr(
            world.hall.journal, "put", lambda _, then=None, __=None: kept.append(then)
        )
        visitor = world.visit("new")
        await visitor.say('{"type":"create","version":1,"name":"Ada"}')
        await wait_all_tasks_blocked()
        assert len(world.hall) == 1
        assert world.hall.listing() == []
        for then in kept:
            if callable(then):
                then()
        (listed,) = world.hall.listing()
        assert listed.a is not None
