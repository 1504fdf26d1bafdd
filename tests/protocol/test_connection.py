"""A client's connection over real sockets: that it ends, whatever waits to be read."""

from __future__ import annotations

from functools import partial

import trio
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
        with trio.fail_after(10):
            async with connect(f"ws://127.0.0.1:{port}", close_timeout=0.1) as connection:
                while connection.recv_flow_control is None:  # noqa: ASYNC110 - nothing else tells
                    await trio.sleep(0.01)
        nursery.cancel_scope.cancel()
