"""The servers of the fan-out benchmark: `python -m tests.bench.fanout_servers KIND FRAMES`.

Each tells its port, welcomes whoever says something, waits for `go` on standard input, sends a
frame every twentieth of a second to all, and tells the CPU time that this took.
"""

from __future__ import annotations

import json
import select
import socket
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Final, cast

import trio
from websockets.frames import Frame, Opcode
from websockets.trio.connection import broadcast
from websockets.trio.server import ServerConnection
from websockets.trio.server import serve as serve_websockets
from websockets.utils import accept_key

from server.audience import Audience
from server.cursor import Cursor
from server.delivery import Follower
from server.fanout import offers_of, write_all
from server.feed import ALL, Feed, text_frame, wire_frames
from server.limits import Limits
from server.line import Host, Line, lines_of
from server.metrics import Metrics
from server.open_files import allow_open_files
from server.row import ROW_SEATS

TICK_SECONDS: Final = 0.05
# Ticks that do not count: the first frames on a connection cost every server more.
WARM_UP: Final = 20
WELCOME: Final = b'{"type":"welcome"}'
OPEN_FILES: Final = 20_000
# Connections stay open for the sink to read what is left; then whoever started this ends it.
HOLD_SECONDS: Final = 60.0


def say(**what: object) -> None:
    print(json.dumps(what), flush=True)


async def told_to_go() -> None:
    await trio.lowlevel.wait_readable(sys.stdin.fileno())


class Beat:
    """Ticks on absolute deadlines, and the CPU time since the first that counts."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._cpu = 0.0

    def wait(self, tick: int) -> float:
        """Seconds until this tick."""
        if tick == WARM_UP:
            self._cpu = time.process_time()
        return max(0.0, self._start + tick * TICK_SECONDS - time.monotonic())

    def end(self) -> None:
        say(cpu_seconds=time.process_time() - self._cpu)


# Ours: feed, cursors, followers and the audience, on the library's connections.


class Performance:
    """A feed that is followed by all who come."""

    def __init__(self, frames: list[bytes]) -> None:
        self._frames = frames
        self._feed = Feed(0)
        self._audience = Audience()
        self._limits = Limits()
        self._metrics = Metrics()

    async def handle(self, connection: ServerConnection) -> None:
        assert isinstance(connection, Line), "it was asked for"
        await connection.recv()
        cursor = Cursor(self._feed, len(self._feed.entries), ALL)
        follower = Follower(connection, cursor, self._limits, text_frame(WELCOME), self._metrics)
        self._audience.add(follower, plays=False)
        async with trio.open_nursery() as nursery:
            follower.attend(nursery)
            await connection.wait_closed()

    async def play(self) -> None:
        beat = Beat()
        for tick, frame in enumerate(self._frames):
            await trio.sleep(beat.wait(tick))
            self._feed.add_frames(wire_frames({"tick": frame}), trio.current_time())
            self._audience.announce()
            while self._audience.has_turns_left:
                write_all(offers_of(self._audience.next_turns(ROW_SEATS)), self._metrics)
                await trio.lowlevel.checkpoint()
        beat.end()
        await trio.sleep(HOLD_SECONDS)


async def ours(frames: list[bytes]) -> None:
    performance = Performance(frames)
    async with trio.open_nursery() as nursery:
        await _listen(nursery, performance.handle, lines_of(cast("Host", None)))
        await told_to_go()
        await performance.play()


# websockets' own broadcast.


async def broadcasting(frames: list[bytes]) -> None:
    connections: list[ServerConnection] = []

    async def handle(connection: ServerConnection) -> None:
        await connection.recv()
        connections.append(connection)
        await connection.send(WELCOME, text=True)
        await trio.sleep_forever()

    async with trio.open_nursery() as nursery:
        await _listen(nursery, handle, ServerConnection)
        await told_to_go()
        beat = Beat()
        for tick, frame in enumerate(frames):
            await trio.sleep(beat.wait(tick))
            await broadcast(connections, frame, text=True)
        beat.end()
        await trio.sleep(HOLD_SECONDS)


async def _listen(
    nursery: trio.Nursery,
    handle: Callable[[ServerConnection], Awaitable[None]],
    kind: type[ServerConnection],
) -> None:
    """Serves on a free port, and tells which."""
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    serving = partial(
        serve_websockets,
        handle,
        listeners=listeners,
        compression=None,
        ping_interval=None,
        create_connection=kind,
    )
    await nursery.start(serving)
    say(port=listeners[0].socket.getsockname()[1], path="/")


# The system call and nothing else.


def bare(frames: list[bytes]) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
        say(port=listener.getsockname()[1], path="/")
        sockets = _accept_until_go(listener)
        for one in sockets:
            one.setblocking(False)
        beat = Beat()
        for tick, frame in enumerate(frames):
            time.sleep(beat.wait(tick))
            data = text_frame(frame)
            for one in sockets:
                one.send(data)
        beat.end()
        time.sleep(HOLD_SECONDS)


def _accept_until_go(listener: socket.socket) -> list[socket.socket]:
    sockets: list[socket.socket] = []
    while True:
        ready, _, _ = select.select([listener, sys.stdin], [], [])
        if listener not in ready:
            return sockets
        one, _ = listener.accept()
        request = one.recv(4096)
        key = request.split(b"Sec-WebSocket-Key: ")[1].split(b"\r\n")[0].decode()
        one.sendall(
            f"HTTP/1.1 {HTTPStatus.SWITCHING_PROTOCOLS.value} \r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Accept: {accept_key(key)}\r\n\r\n".encode()
        )
        one.recv(4096)
        one.sendall(Frame(Opcode.TEXT, WELCOME).serialize(mask=False))
        sockets.append(one)


def main(kind: str, file: str) -> None:
    allow_open_files(OPEN_FILES)
    frames = Path(file).read_bytes().splitlines()
    if kind == "bare":
        bare(frames)
    else:
        trio.run(ours if kind == "ours" else broadcasting, frames)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
