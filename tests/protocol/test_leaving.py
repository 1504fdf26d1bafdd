"""How a client leaves for good: it says so, and lets the server close the connection."""

from __future__ import annotations

import trio
import trio.testing
from trio.testing import MockClock

from protocol.client import GOODBYE_SECONDS, INBOX
from protocol.messages import Leave, RoomUpdate
from protocol.session import Lost

from .test_client import until_it_ends, watching
from .test_session import ROOM
from .wires import Server


async def test_leaving_says_so_and_ends(autojump_clock: MockClock) -> None:
    server = Server(autojump_clock)
    async with watching(server) as client:
        wire = await server.welcomed()
        await anext(client)
        await client.leave()
        assert isinstance(await wire.hears(), Leave)
        await wire.gone.wait()
        assert [update async for update in client] == []
        await client.leave()
    assert len(server.tries) == 1


async def test_leaving_waits_for_the_server_to_close_whatever_it_says_before(
    autojump_clock: MockClock,
) -> None:
    server = Server(autojump_clock)
    async with watching(server) as client, trio.open_nursery() as nursery:
        wire = await server.welcomed()
        await anext(client)
        wire.says(*[RoomUpdate(ROOM)] * (4 * INBOX))  # more than wait for who reads no more
        await trio.testing.wait_all_tasks_blocked()
        start = trio.current_time()
        nursery.start_soon(client.leave)
        assert isinstance(await wire.hears(), Leave)
        await trio.sleep(GOODBYE_SECONDS / 2)
        wire.says(RoomUpdate(ROOM))
        assert not wire.gone.is_set()
        wire.closes(1000)
        await wire.gone.wait()
        assert wire.read_to_its_end
        assert [update async for update in client] == []
    assert trio.current_time() - start == GOODBYE_SECONDS / 2
    assert len(server.tries) == 1


async def test_leaving_does_not_wait_long(autojump_clock: MockClock) -> None:
    server = Server(autojump_clock)
    async with watching(server) as client:
        wire = await server.welcomed()
        await anext(client)
        start = trio.current_time()
        await client.leave()
        await wire.gone.wait()
        assert trio.current_time() - start == GOODBYE_SECONDS


async def test_who_waits_for_news_while_another_leaves_is_told_of_the_end(
    autojump_clock: MockClock,
) -> None:
    server = Server(autojump_clock)
    async with watching(server) as client, trio.open_nursery() as nursery:
        wire = await server.welcomed()
        await anext(client)
        nursery.start_soon(client.leave)
        await wire.hears()
        wire.closes(1000)
        assert await until_it_ends(client) == []


async def test_leaving_while_away_tries_nothing_more(autojump_clock: MockClock) -> None:
    server = Server(autojump_clock)
    async with watching(server) as client:
        wire = await server.welcomed()
        wire.closes()
        await anext(client)
        assert isinstance(await anext(client), Lost)
        await client.leave()
        await trio.sleep(100)
    assert len(server.tries) == 1
