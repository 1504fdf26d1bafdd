"""A server's end of a client's connections, as a test holds it, without sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio
import trio.testing
from trio.testing import MockClock
from websockets.exceptions import ConnectionClosedError
from websockets.frames import Close

from protocol.codec import decode_to_server, encode
from protocol.messages import (
    AnyToClient,
    AnyToServer,
)

from .test_session import welcome


class Wire:
    """The server's end of a connection: what a test says and hears."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._to_client, self._from_server = trio.open_memory_channel[bytes](1000)
        self._to_server, self._from_client = trio.open_memory_channel[bytes](1000)
        self.gone = trio.Event()
        self._close: Close | None = None
        self.read_to_its_end = False

    # The client's side, as a websockets connection has it.

    async def send(self, message: bytes, *, text: bool | None = None) -> None:
        assert text
        await trio.lowlevel.checkpoint()
        if self._close is not None or self.gone.is_set():
            raise ConnectionClosedError(self._close, None)
        self._to_server.send_nowait(message)

    async def recv(self, decode: bool | None = None) -> bytes:
        assert decode is False
        try:
            return await self._from_server.receive()
        except trio.EndOfChannel:
            self.read_to_its_end = True
            raise ConnectionClosedError(self._close, None) from None

    # The test's side.

    async def hears(self) -> AnyToServer:
        message = decode_to_server(await self._from_client.receive())
        assert not isinstance(message, tuple)
        return message

    def says(self, *messages: AnyToClient | bytes) -> None:
        for message in messages:
            data = message if isinstance(message, bytes) else encode(message)
            self._to_client.send_nowait(data)

    def closes(self, code: int | None = None) -> None:
        self._close = None if code is None else Close(code, "closed by the test")
        self._to_client.close()


class Server:
    """Hands out wires; refuses as many connections as it is told."""

    def __init__(self, clock: MockClock) -> None:
        self._clock = clock
        self._wires_in, self._wires = trio.open_memory_channel[Wire](10)
        self.refuse = 0
        self.tries: list[float] = []

    @asynccontextmanager
    async def connect(self, url: str) -> AsyncIterator[Wire]:
        self.tries.append(self._clock.current_time())
        await trio.lowlevel.checkpoint()
        if self.refuse:
            self.refuse -= 1
            raise OSError("nobody listens")
        wire = Wire(url)
        self._wires_in.send_nowait(wire)
        try:
            yield wire
        finally:
            wire.gone.set()

    async def wire(self) -> Wire:
        return await self._wires.receive()

    async def welcomed(self, name: str = "t0") -> Wire:
        wire = await self.wire()
        await wire.hears()
        wire.says(welcome(name))
        return wire
