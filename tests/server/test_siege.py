"""A server besieged over real sockets: whatever strangers do is answered as documented, or ends
their connection; nothing of it is in the logs as a failure, stays in memory, or reaches others.
"""

from __future__ import annotations

import gc
import random
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest
import trio
from websockets.frames import Opcode

from protocol.client import open_client
from protocol.messages import Create, RoomId, Welcome
from server.app import Running
from server.config import Config
from server.door import socket_of
from server.limits import Limits
from server.line import Line
from server.stage import Stage
from tests.server.rooms import RULES
from tests.server.strangers import (
    ASSAULTS,
    CREATE,
    NASTY,
    PATIENCE_SECONDS,
    WATCH,
    Assault,
    come,
    come_in,
    frame,
    handshake,
    listened,
    until,
)
from tests.server.test_live import running

# So short that a test does not wait, so long that a busy machine keeps up.
LIMITS = Limits(
    hello_seconds=1.0,
    close_seconds=0.3,
    stall_seconds=1.0,
    resume_seconds=0,
    address_refusals_burst=1_000_000,  # who is served comes from where the assault does
)
CONFIG = Config(port=0, rules=RULES, limits=LIMITS)


def lines() -> int:
    """Connections that are in memory."""
    gc.collect()
    return sum(isinstance(one, Line) for one in gc.get_objects())


async def until_all_is_gone(server: Running) -> None:
    await until(lambda: not lines() and not len(server.hall))
    assert len(server.hall.keepalive) == 0


@asynccontextmanager
async def a_room(server: Running) -> AsyncIterator[Stage]:
    """A room with one player in it."""
    async with open_client(server.url, Create(version=1, name="Ada")) as client:
        async for update in client:
            if isinstance(update, Welcome):
                yield server.hall.find(update.room.id)
                break


async def one_is_served(server: Running) -> None:
    async with a_room(server) as stage:
        assert stage.room.phase == "waiting"


@pytest.mark.parametrize("assault", ASSAULTS, ids=[one.__name__ for one in ASSAULTS])
async def test_an_assault_leaves_nothing_behind(assault: Assault) -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    with listened():
        async with running(CONFIG) as server:
            async with trio.open_nursery() as nursery:
                for number in range(12):
                    nursery.start_soon(assault, server, random.Random(seed + number))
                await one_is_served(server)
            await until_all_is_gone(server)
            await one_is_served(server)


@pytest.mark.parametrize("case", NASTY, ids=[" ".join(case)[:40] for case in NASTY])
async def test_a_request_is_answered_whatever_it_says(case: tuple[str, ...]) -> None:
    with listened():
        async with running(CONFIG) as server:
            stranger = await come(server)
            assert await stranger.status(handshake(case[0], *case[1:])) < 500
            stranger.reset()


async def test_all_at_once() -> None:
    """Every assault, many times over, while a thousand look on."""
    seed = random.randrange(1 << 32)
    print("seed", seed)
    dice = random.Random(seed)
    with listened():
        async with running(CONFIG) as server, trio.open_nursery() as nursery:
            for number in range(120):
                nursery.start_soon(dice.choice(ASSAULTS), server, random.Random(seed + number))
        assert lines() == 0


async def test_a_thousand_at_once_are_let_in_and_go() -> None:
    welcomed, everyone = 0, trio.Event()

    async def look_on(server: Running, room: RoomId, leave: trio.Event) -> None:
        nonlocal welcomed
        stranger = await come_in(server, f"/rooms/{room}")
        await stranger.send(frame(WATCH))
        assert b'"welcome"' in await stranger.stream.receive_some(1 << 16)
        welcomed += 1
        if welcomed == 1000:
            everyone.set()
        await leave.wait()
        stranger.reset()

    with listened():
        async with running(Config(port=0, rules=RULES)) as server, a_room(server) as stage:
            leave = trio.Event()
            async with trio.open_nursery() as nursery:
                for _ in range(1000):
                    nursery.start_soon(partial(look_on, server, stage.room.id, leave))
                with trio.fail_after(PATIENCE_SECONDS):
                    await everyone.wait()
                assert len(stage.room.spectators) == 1000
                leave.set()
            await until(lambda: not stage.room.spectators and len(stage.audience) == 1)
            assert stage.room.phase == "waiting"  # the player has seen none of it


async def test_thousands_who_say_nothing_hold_up_nobody() -> None:
    limits = Limits(hello_seconds=1e6, connections=20_000, connections_per_address=20_000)
    with listened():
        async with running(Config(port=0, rules=RULES, limits=limits)) as server:
            silent = [await come(server) for _ in range(2000)]
            with trio.fail_after(PATIENCE_SECONDS):
                await one_is_served(server)
            for stranger in silent:
                stranger.reset()
            await until(lambda: lines() <= 1)


async def test_past_the_limit_some_are_told_and_the_rest_is_not_read() -> None:
    limits = Limits(connections_per_address=10, hello_seconds=1e6)
    with listened():
        async with running(Config(port=0, rules=RULES, limits=limits)) as server:
            inside = [await come_in(server) for _ in range(10)]
            told = [await (await come(server)).status(handshake()) for _ in range(5)]
            assert told == [429] * 5
            idle = [await come(server) for _ in range(30)]
            assert await idle[-1].drain() == b""
            refused = server.hall.metrics.refused
            assert refused["http_429"] == 5
            assert refused["door"] > 0
            for stranger in inside:
                stranger.reset()


async def test_a_first_message_is_small_and_in_time() -> None:
    with listened():
        async with running(CONFIG) as server:
            large = await come_in(server)
            await large.send(frame(b" " * (LIMITS.hello_bytes + 1)))
            assert b"\x03\xf1" in await large.drain()  # 1009
            silent = await come_in(server)
            assert b"\x0f\xa3" in await silent.drain()  # 4003
            binary = await come_in(server)
            await binary.send(frame(CREATE, Opcode.BINARY))
            assert b'"binary"' in await binary.stream.receive_some(1 << 16)


async def test_a_flood_before_the_first_message_is_ended() -> None:
    with listened():
        async with running(CONFIG) as server:
            stranger = await come_in(server)
            await stranger.send(*[frame(b"{")] * 100)
            assert b"\x03\xf0" in await stranger.drain()  # 1008
            assert server.hall.metrics.refused["too_fast"] > LIMITS.messages_refused
            await until(lambda: server.hall.metrics.closed["1008"] == 1)


async def test_the_system_holds_no_more_for_one_connection_than_the_limit() -> None:
    config = Config(port=0, rules=RULES, limits=Limits(socket_bytes=12_345))
    async with running(config) as server, a_room(server) as stage:
        (follower,) = stage.audience
        found = socket_of(follower._line.stream)
        assert found is not None
        # The system counts what it needs itself, too: twice as much.
        assert found.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) in (12_345, 2 * 12_345)
