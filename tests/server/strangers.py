"""Raw connections to a server, and the worst that strangers do with them."""

from __future__ import annotations

import io
import random
import socket
import struct
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import pytest
import structlog
import trio
from websockets.frames import Frame, Opcode

from protocol.codec import encode
from protocol.messages import Create, Forfeit, Watch
from server.app import Running
from server.log import set_up_logging

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
CREATE = encode(Create(version=1, name="Ada"))
WATCH = encode(Watch(version=1))
# A limit on what hangs, not on what is slow.
PATIENCE_SECONDS = 60.0

Assault = Callable[[Running, random.Random], Awaitable[None]]


def handshake(path: str = "/rooms/new", *more: str, host: str = "localhost") -> bytes:
    """A WebSocket handshake; `more` are further header lines."""
    lines = (
        f"GET {path} HTTP/1.1",
        f"Host: {host}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {KEY}",
        "Sec-WebSocket-Version: 13",
        *more,
    )
    return "\r\n".join((*lines, "", "")).encode("utf-8", "surrogateescape")


def frame(data: bytes, opcode: Opcode = Opcode.TEXT, *, fin: bool = True) -> bytes:
    """A frame as a client sends it."""
    return Frame(opcode, data, fin).serialize(mask=True)


class Stranger:
    """One raw connection."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream

    async def send(self, *parts: bytes) -> None:
        """Sends, or finds that nobody is there any more."""
        try:
            for part in parts:
                await self.stream.send_all(part)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass

    async def read_head(self) -> str:
        """The head of the answer; what comes after it in the same read is left out."""
        data = b""
        with trio.fail_after(PATIENCE_SECONDS):
            while b"\r\n\r\n" not in data and (more := await self.stream.receive_some(1 << 16)):
                data += more
        return data.partition(b"\r\n\r\n")[0].decode("latin-1")

    async def status(self, request: bytes) -> int:
        """The status with which a request is answered; 0 where the connection is closed."""
        await self.send(request)
        head = await self.read_head()
        return int(head.split()[1]) if head else 0

    async def drain(self, seconds: float = PATIENCE_SECONDS) -> bytes:
        """All that comes until the other side closes; it must within this time."""
        data = b""
        try:
            with trio.fail_after(seconds):
                while more := await self.stream.receive_some(1 << 16):
                    data += more
        except trio.BrokenResourceError:
            pass
        return data

    def reset(self) -> None:
        """The connection ends as if the cable had been cut on both sides of a packet."""
        self.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.stream.socket.close()


async def come(server: Running) -> Stranger:
    return Stranger(await trio.open_tcp_stream(server.host, server.port))


async def come_in(server: Running, path: str = "/rooms/new") -> Stranger:
    """One who is past the handshake."""
    stranger = await come(server)
    assert await stranger.status(handshake(path)) == 101
    return stranger


async def until(condition: Callable[[], object]) -> None:
    """Waits for what a server does in its own time; it must sooner or later."""
    with trio.fail_after(PATIENCE_SECONDS):
        while not condition():  # noqa: ASYNC110 - nothing in a server tells when it has forgotten
            await trio.sleep(0.05)


# What they do. Each ends with its connection closed, by whichever side.


async def no_http(server: Running, dice: random.Random) -> None:
    stranger = await come(server)
    await stranger.send(dice.randbytes(dice.randrange(1, 4000)), b"\r\n\r\n")
    await stranger.drain()


async def half_a_handshake(server: Running, dice: random.Random) -> None:
    stranger, whole = await come(server), handshake()
    await stranger.send(whole[: dice.randrange(len(whole))])
    if dice.random() < 0.5:
        stranger.reset()
    else:
        await stranger.drain()


async def drop_by_drop(server: Running, dice: random.Random) -> None:
    """A slow handshake: a byte now and then, so that something always comes."""
    stranger = await come(server)
    for byte in handshake()[: dice.randrange(5, 60)]:
        await stranger.send(bytes([byte]))
        await trio.sleep(0.01)
    await stranger.drain()


async def endless_headers(server: Running, dice: random.Random) -> None:
    stranger = await come(server)
    await stranger.send(handshake()[:-2], *[b"X-More: %d\r\n" % dice.getrandbits(60)] * 2000)
    await stranger.drain()


async def noise_after_the_handshake(server: Running, dice: random.Random) -> None:
    stranger = await come_in(server)
    await stranger.send(dice.randbytes(dice.randrange(1, 3000)))
    if dice.random() < 0.3:
        stranger.reset()
    else:
        await stranger.drain()


async def half_a_frame(server: Running, dice: random.Random) -> None:
    stranger, whole = await come_in(server), frame(CREATE)
    await stranger.send(whole[: dice.randrange(1, len(whole))])
    if dice.random() < 0.5:
        stranger.reset()
    else:
        await stranger.drain()


async def forbidden_frames(server: Running, dice: random.Random) -> None:
    stranger = await come_in(server)
    bad = (
        Frame(Opcode.TEXT, CREATE).serialize(mask=False),
        frame(b"no beginning", Opcode.CONT),
        b"\x89\xfe\x00\xc8" + bytes(204),  # a ping of 200 bytes
        b"\xb3\x80\0\0\0\0",
        b"\xff\x80\0\0\0\0",
        frame(b"\xff\xfe"),
        b"\x81\xff" + b"\x7f" + b"\xff" * 7 + b"\0\0\0\0",
        b"\x88\x81\0\0\0\0x",
        b"\x88\x82\0\0\0\0\x00\x01",
        frame(b"{", fin=False) + frame(b"{"),
        frame(b"[" * 300_000),
        frame(CREATE, Opcode.BINARY),
    )
    await stranger.send(dice.choice(bad), frame(b"", Opcode.CLOSE))
    await stranger.drain()


async def bits_of_a_message(server: Running, dice: random.Random) -> None:
    """A message without end, in the smallest pieces."""
    stranger = await come_in(server)
    bits = dice.randrange(9_000, 10_000)
    await stranger.send(frame(b"", fin=False), *[frame(b" ", Opcode.CONT, fin=False)] * bits)
    await stranger.drain()


async def nonsense(server: Running, dice: random.Random) -> None:
    """Messages that are none, before there is a room and in one."""
    stranger = await come_in(server)
    if dice.random() < 0.5:
        await stranger.send(frame(CREATE))
    for _ in range(dice.randrange(40)):
        whole = bytearray(dice.choice((CREATE, encode(Forfeit()), b'{"type":"board","board":{}}')))
        for _ in range(dice.randrange(4)):
            whole[dice.randrange(len(whole))] = dice.randrange(0x20, 0x7F)
        await stranger.send(frame(bytes(whole)))
    await stranger.send(frame(b"", Opcode.CLOSE))
    await stranger.drain()


async def flood(server: Running, dice: random.Random) -> None:
    """As fast as they go, and nothing is read of the answers."""
    stranger = await come_in(server)
    with trio.move_on_after(2):
        await stranger.send(*[frame(dice.choice((b"{", CREATE)))] * 3000)
    await stranger.drain()


async def silence(server: Running, dice: random.Random) -> None:
    stranger = await (come_in(server) if dice.random() < 0.5 else come(server))
    await stranger.drain()


async def nasty_headers(server: Running, dice: random.Random) -> None:
    """What is not as it should be is answered by a status, and whatever it is, not by 500."""
    stranger = await come(server)
    path, *more = dice.choice(NASTY)
    status = await stranger.status(handshake(path, *more))
    assert status < 500, (path, more)
    stranger.reset()


NASTY: tuple[tuple[str, ...], ...] = (
    ("//[",),
    ("//[/rooms/new",),
    ("http://[::1/rooms/new",),
    ("/rooms/" + "x" * 7000,),
    ("/rooms/%00%ff",),
    ("/rooms/../../etc/passwd",),
    ("*",),
    ("/rooms/new", "Host: another"),
    ("/rooms/new", "Origin: http://[", "X: y"),
    ("/rooms/new", "Origin: null"),
    ("/rooms/new", "Origin: http://localhost", "Origin: http://localhost"),
    ("/rooms/new", "Origin: http://localhost:99999999"),
    ("/rooms/new", "Upgrade: websocket"),
    ("/rooms/new", "Connection: close"),
    ("/rooms/new", "Sec-WebSocket-Key: x"),
    ("/rooms/new", "Sec-WebSocket-Version: 99"),
    ("/rooms/new", "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=x"),
    ("/rooms/new", "Sec-WebSocket-Protocol: ,,,"),
    ("/rooms/new", "X-Forwarded-For: 999.999.999.999, [::1"),
    ("/rooms/new", "Content-Length: 100"),
    ("/rooms/new", "Transfer-Encoding: chunked"),
    ("/metrics", "Upgrade: h2c"),
    ("/healthz", "Upgrade: websocket", "Upgrade: websocket"),
)

ASSAULTS: tuple[Assault, ...] = (
    no_http,
    half_a_handshake,
    drop_by_drop,
    endless_headers,
    noise_after_the_handshake,
    half_a_frame,
    forbidden_frames,
    bits_of_a_message,
    nonsense,
    flood,
    silence,
    nasty_headers,
)


@contextmanager
def written() -> Iterator[io.StringIO]:
    """All that is logged, by the server and by the libraries below it."""
    before, out = structlog.get_config(), io.StringIO()
    set_up_logging("debug", out)
    try:
        yield out
    finally:
        structlog.configure(**before)


@contextmanager
def listened() -> Iterator[io.StringIO]:
    """All that is logged; no failure may be in it."""
    with written() as out:
        yield out
    said = out.getvalue()
    for word in ("Traceback", "exception", '"level":"error"', " failed"):
        if word in said:
            pytest.fail(f"{word} in the log:\n{said[-4000:]}")
