"""What a client does with one of its connections, and what it does not take on to the next."""

from __future__ import annotations

from functools import partial

import msgspec
import pytest
import trio
import trio.testing
from trio.testing import MockClock
from websockets.trio.server import ServerConnection, serve

from protocol.client import GaveUp, websocket
from protocol.messages import Forfeit, TickFrame, Welcome
from protocol.session import Lost

from .battles import BATTLE
from .test_client import until_it_ends, watching
from .test_session import BEGIN
from .wires import Server


async def test_what_came_before_a_gap_was_found_is_one_trouble_with_it(
    autojump_clock: MockClock,
) -> None:
    server = Server(autojump_clock)
    async with watching(server) as client:
        wire = await server.welcomed()
        frames = (TickFrame(BATTLE, tick, tick, []) for tick in (0, 2, 3, 4))
        wire.says(BEGIN, *map(msgspec.json.encode, frames))
        await trio.testing.wait_all_tasks_blocked()
        while not isinstance(await anext(client), Lost):
            pass
        assert client.session.troubles == {"Gap": 1}


async def test_a_connection_on_which_half_a_message_may_be_is_given_up(
    autojump_clock: MockClock,
) -> None:
    server = Server(autojump_clock)
    async with watching(server) as client:
        wire = await server.welcomed()
        assert isinstance(await anext(client), Welcome)
        with trio.CancelScope() as impatient:
            impatient.cancel()
            await client.send(Forfeit())
        assert impatient.cancelled_caught
        with trio.fail_after(60):
            await wire.gone.wait()
            assert isinstance(await anext(client), Lost)


async def test_giving_up_names_no_failure_but_the_last_connections(
    autojump_clock: MockClock,
) -> None:
    server = Server(autojump_clock)
    server.refuse = 1
    async with watching(server, patience_seconds=20) as client:
        with pytest.raises(GaveUp, match="no answer") as gave_up:
            await until_it_ends(client)
    assert len(server.tries) > 1
    assert gave_up.value.__cause__ is None


async def test_a_server_on_this_machine_is_reached_past_a_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)

    async def greet(connection: ServerConnection) -> None:
        await connection.send(b"here", text=True)

    async with trio.open_nursery() as nursery:
        server = await nursery.start(partial(serve, greet, 0, host="127.0.0.1"))
        port = server.listeners[0].socket.getsockname()[1]
        with trio.fail_after(60):
            async with websocket(f"ws://127.0.0.1:{port}") as connection:
                assert await connection.recv(decode=False) == b"here"
        nursery.cancel_scope.cancel()
