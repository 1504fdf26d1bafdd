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
from server.journal.writer import nothing
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


def hold_back(world: World, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Nothing is kept until this is called."""
    kept: list[Callable[[], None]] = []

    def put(_: object, then: Callable[[], None] = nothing, __: object = None) -> None:
        kept.append(then)

    monkeypatch.setattr(world.hall.journal, "put", put)

    def keep() -> None:
        for then in kept:
            then()

    return keep


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
        keep = hold_back(world, monkeypatch)
        visitor = world.visit(ada.place)
        await visitor.say(Watch(version=1))
        await wait_all_tasks_blocked()
        world.hall.dismiss_all(restart)
        keep()
        assert (await visitor.hear_until(Bye)).code == CloseCode.RESTART
        assert await visitor.hear_end() == CloseCode.RESTART


async def test_what_is_not_kept_yet_is_in_no_list(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock
) -> None:
    async with open_world() as world:
        keep = hold_back(world, monkeypatch)
        visitor = world.visit("new")
        await visitor.say('{"type":"create","version":1,"name":"Ada"}')
        await wait_all_tasks_blocked()
        assert len(world.hall) == 1
        assert world.hall.listing() == []
        keep()
        (listed,) = world.hall.listing()
        assert listed.a is not None
