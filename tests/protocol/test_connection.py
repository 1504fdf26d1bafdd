"""A client's connection over real sockets: that it ends, whatever waits to be read."""

from __future__ import annotations

import logging
from functools import partial

import pytest
import trio
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request
from websockets.server import ServerProtocol
from websockets.trio.server import ServerConnection, serve

from protocol.connection import connect

MANY = 200  # more than the library lets wait, and than it takes from the socket at once
LARGE = "x" * 50_000


async def say_too_much(connection: ServerConnection) -> None:
    for _ in range(MANY):
        await connection.send(LARGE)


async def test_who_reads_nothing_can_leave_all_the_same() -> None:
    async with trio.open_nursery() as nursery:
        server = await nursery.start(partial(serve, say_too_much, 0, host="127.0.0.1"))
        port = server.listeners[0].socket.getsockname()[1]
        with trio.fail_after(60):
            async with connect(f"ws://127.0.0.1:{port}", close_timeout=0.1) as connection:
                while connection.recv_flow_control is None:  # noqa: ASYNC110 - nothing else tells
                    await trio.sleep(0.01)
        nursery.cancel_scope.cancel()


async def test_compression_is_not_asked_for() -> None:
    async with trio.open_nursery() as nursery:
        server = await nursery.start(partial(serve, say_too_much, 0, host="127.0.0.1"))
        port = server.listeners[0].socket.getsockname()[1]
        with trio.fail_after(60):
            async with connect(f"ws://127.0.0.1:{port}", close_timeout=0.1) as connection:
                assert connection.protocol.extensions == []
        nursery.cancel_scope.cancel()


async def answer_once_and_late(stream: trio.SocketStream) -> None:
    """A server that takes its time for the first ping, and is never heard of again."""
    protocol = ServerProtocol()
    protocol.receive_data(await stream.receive_some())
    (request,) = protocol.events_received()
    assert isinstance(request, Request)
    protocol.send_response(protocol.accept(request))
    await stream.send_all(b"".join(protocol.data_to_send()))
    protocol.receive_data(await stream.receive_some())
    await trio.sleep(0.2)
    await stream.send_all(b"".join(protocol.data_to_send()))
    await trio.sleep_forever()


async def until_it_is_seen_to_be_dead() -> None:
    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(
            partial(trio.serve_tcp, answer_once_and_late, 0, host="127.0.0.1")
        )
        port = listeners[0].socket.getsockname()[1]
        pings = {"ping_interval": 0.1, "ping_timeout": 1.0, "close_timeout": 0.1}
        with trio.fail_after(60):
            async with connect(f"ws://127.0.0.1:{port}", **pings) as connection:
                with pytest.raises(ConnectionClosed):
                    await connection.recv()
        nursery.cancel_scope.cancel()


async def test_a_slow_answer_is_not_the_last_that_is_asked_for() -> None:
    await until_it_is_seen_to_be_dead()


async def test_a_dead_line_prints_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])  # as in a program that sets up none
    await until_it_is_seen_to_be_dead()
    assert capsys.readouterr().err == ""
