"""A connection of the server's with a peer that reads only when a test says so."""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import trio
from trio.testing import lockstep_stream_pair, memory_stream_pair
from websockets.datastructures import Headers
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.trio.server import Server

from server.cursor import Cursor
from server.delivery import Follower
from server.feed import ALL, Feed
from server.limits import Limits
from server.line import Host, Line
from tests.server.feeds import Reader

KINDS = ("memory", "lockstep", "socket")
PONG = b"\x8a\x80mask"  # an empty one, as a client sends it


def streams(kind: str, buffer_bytes: int = 0) -> tuple[trio.abc.Stream, trio.abc.Stream]:
    """Both ends of a connection: one that takes everything at once, one that takes nothing before
    it is read, or a pair of sockets with what they hold."""
    if kind == "memory":
        return memory_stream_pair()
    if kind == "lockstep":
        return lockstep_stream_pair()
    ours, theirs = trio.socket.socketpair()
    for end in (ours, theirs):
        if buffer_bytes:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, buffer_bytes)
    return trio.SocketStream(ours), trio.SocketStream(theirs)


def open_connection(
    nursery: trio.Nursery, stream: trio.abc.Stream, limits: Limits | None = None
) -> Line:
    """A connection after its handshake."""
    connection = Line(
        nursery,
        stream,
        ServerProtocol(state=State.OPEN),
        cast("Server", None),
        host=cast("Host", None),
        limits=limits,
        close_timeout=1,
    )
    connection.request = Request("/", Headers())
    return connection


class Peer:
    """The other end. `heard` is what it has read so far."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self.heard: list[str] = []
        self._reader = Reader()

    async def read(self) -> list[str]:
        """Reads once, whatever there is; what came."""
        data = await self.stream.receive_some(1 << 16)
        words = self._reader.words(bytes(data)) if data else ["end"]
        self.heard += words
        return words

    async def read_until(self, last: str) -> list[str]:
        """Reads until this word; all that was heard."""
        with trio.fail_after(300):
            while last not in self.heard:
                await self.read()
                assert self.heard[-1] in {"end", last} or "end" not in self.heard, self.heard
        return self.heard

    def read_now(self) -> list[str]:
        """What is there at this moment, without letting any task run."""
        assert isinstance(self.stream, trio.SocketStream)
        try:
            data = os.read(self.stream.socket.fileno(), 1 << 16)
        except BlockingIOError:
            return []
        words = self._reader.words(data)
        self.heard += words
        return words


class Link:
    """A follower on a feed, its connection and its peer."""

    def __init__(self, follower: Follower, connection: Line, peer: Peer) -> None:
        self.follower = follower
        self.connection = connection
        self.peer = peer


@asynccontextmanager
async def link(
    feed: Feed,
    kind: str,
    limits: Limits | None = None,
    *,
    at: int | None = None,
    greeting: bytes = b"",
    delay: float = 0.0,
    buffer_bytes: int = 0,
) -> AsyncIterator[Link]:
    """A follower whose task runs, from the end of the feed on unless `at` says where."""
    ours, theirs = streams(kind, buffer_bytes)
    async with trio.open_nursery() as nursery:
        connection = open_connection(nursery, ours)
        cursor = Cursor(feed, len(feed.entries) if at is None else at, ALL, delay=delay)
        follower = Follower(connection, cursor, limits or Limits(), greeting)
        follower.attend(nursery)
        yield Link(follower, connection, Peer(theirs))
        nursery.cancel_scope.cancel()
