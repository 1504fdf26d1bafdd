"""A WebSocket that ends as it begins: it is told why, and counted as any other."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import struct
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest
import trio
from trio.testing import MockClock, memory_stream_pair, wait_all_tasks_blocked
from websockets.frames import Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.trio.server import Server

from server.bucket import Bucket
from server.config import Config
from server.door import Crowd
from server.hall import Hall
from server.limits import Limits
from server.line import SLICE_BYTES, Line
from server.metronome import Metronome
from server.reception import Reception
from tests.server.peers import open_connection
from tests.server.rooms import RULES
from tests.server.strangers import CREATE, come, frame, handshake, listened, until
from tests.server.test_live import running

CONFIG = Config(port=0, rules=RULES, limits=Limits(hello_seconds=2.0, close_seconds=0.3))
CLOSE = frame(struct.pack(">H", 1000), Opcode.CLOSE)
BROKEN = frame(b"", Opcode.CONT)  # of no message
BYE = b"\x88\x02\x03\xe8"
WRONG = b"\x88\x1f\x03\xeaunexpected continuation frame"


@pytest.mark.parametrize(
    ("said", "told", "code"),
    [
        (BROKEN, WRONG, "1002"),
        (CLOSE, BYE, "1000"),
        (frame(CREATE) + BROKEN, WRONG, "1002"),
        (frame(CREATE) + CLOSE, BYE, "1000"),
        (BROKEN + b"x" * 100_000, WRONG, "1002"),
        (frame(b"\x03\xf3", Opcode.CLOSE), b"\x88\x02\x03\xf3", "other"),
        (frame(b"\x0b\xb8", Opcode.CLOSE), b"\x88\x02\x0b\xb8", "other"),
    ],
    ids=[
        "broken",
        "closed",
        "hello and broken",
        "hello and closed",
        "broken, and more",
        "closed as if the server had failed",
        "closed with a code of their own",
    ],
)
@pytest.mark.parametrize("leaves", [False, True])
async def test_who_ends_in_the_segment_of_the_handshake_is_told_and_counted(
    said: bytes, told: bytes, code: str, leaves: bool
) -> None:
    with listened():
        async with running(CONFIG) as server:
            stranger = await come(server)
            await stranger.send(handshake() + said)
            if leaves:
                await stranger.stream.send_eof()
            heard = await stranger.drain(5)
            assert heard.startswith(b"HTTP/1.1 101 ")
            assert heard.endswith(told)
            await stranger.stream.aclose()
            await until(lambda: server.hall.metrics.closed)
            assert server.hall.metrics.closed == {code: 1}
            await until(lambda: not len(server.hall.keepalive))


async def test_frames_in_the_segment_of_the_handshake_count() -> None:
    limits = replace(CONFIG.limits, frames_per_second=0.001, frames_burst=50)
    async with running(replace(CONFIG, limits=limits)) as server:
        stranger = await come(server)
        await stranger.send(handshake() + frame(b"", Opcode.PING) * 5_000)
        heard = await stranger.drain(5)
        await stranger.stream.aclose()
        assert heard.endswith(b"\x03\xf0frames came too fast")
        # What came with the one too many is answered, and no more.
        assert 50 <= heard.count(b"\x8a\x00") <= 50 + SLICE_BYTES // 6 + 1
        await until(lambda: server.hall.metrics.closed)
        assert server.hall.metrics.closed == {"1008": 1}


async def test_a_first_message_in_the_segment_of_the_handshake_is_heard() -> None:
    async with running(CONFIG) as server:
        stranger = await come(server)
        await stranger.send(handshake() + frame(CREATE))
        heard = b""
        with trio.fail_after(5):
            while b'"welcome"' not in heard:
                heard += await stranger.stream.receive_some(1 << 16)
        stranger.reset()


class Hasty(trio.abc.Stream):
    """The server's end of a line to somebody who has answered before the server looks again."""

    def __init__(self, stream: trio.abc.Stream, other: trio.abc.Stream, answer: bytes) -> None:
        self._stream = stream
        self._other = other
        self._answer = answer

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await self._stream.send_all(data)
        if answer := self._answer:
            self._answer = b""
            await self._other.send_all(answer)
            await wait_all_tasks_blocked()

    async def wait_send_all_might_not_block(self) -> None:
        await self._stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        return await self._stream.receive_some(max_bytes)

    async def aclose(self) -> None:
        await self._stream.aclose()


def line_on(nursery: trio.Nursery, stream: trio.abc.Stream, hall: Hall, **server: bool) -> Line:
    """A line before its handshake, to a server of which this is known."""
    host = Reception(CONFIG, hall, Crowd(CONFIG.limits))
    known = cast("Server", SimpleNamespace(**{"closing": False, **server}))
    return Line(nursery, stream, ServerProtocol(), known, host=host, close_timeout=1)


async def shake(line: Line) -> None:
    """As the library does."""
    host = line._host
    assert isinstance(host, Reception)
    await line.handshake(host.process_request, host.process_response, None)
    assert line.protocol.state is State.OPEN, "it has no conversation with others"
    async with line:
        await host.handle(line)


async def read_all(stream: trio.abc.ReceiveStream) -> bytes:
    heard = bytearray()
    while more := await stream.receive_some():
        heard += more
    return bytes(heard)


@pytest.mark.parametrize(
    ("answer", "told", "code"), [(BROKEN, WRONG, "1002"), (CLOSE, BYE, "1000")]
)
async def test_who_ends_as_they_are_let_in_is_told_and_counted(
    answer: bytes, told: bytes, code: str, autojump_clock: MockClock
) -> None:
    hall = Hall(CONFIG, Metronome())
    ours, theirs = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        line = line_on(nursery, Hasty(ours, theirs, answer), hall)
        await theirs.send_all(handshake())
        nursery.start_soon(shake, line)
        heard = await read_all(theirs)
        await theirs.aclose()
    assert heard.startswith(b"HTTP/1.1 101 ")
    assert heard.endswith(told)
    assert hall.metrics.closed == {code: 1}


async def test_a_server_that_closes_waits_for_no_longer_than_who_is_turned_away(
    autojump_clock: MockClock,
) -> None:
    hall = Hall(CONFIG, Metronome())
    ours, theirs = memory_stream_pair()
    since = trio.current_time()
    async with trio.open_nursery() as nursery:
        line = line_on(nursery, ours, hall, closing=True)
        await theirs.send_all(handshake())
        host = line._host
        assert isinstance(host, Reception)
        nursery.start_soon(line.handshake, host.process_request, host.process_response, None)
        assert (await theirs.receive_some()).startswith(b"HTTP/1.1 503 ")
        await theirs.aclose()
    assert trio.current_time() == since


async def test_who_is_not_answered_in_time_leaves_nothing_that_waits(
    autojump_clock: MockClock,
) -> None:
    async def never(*_: object) -> None:
        await trio.sleep_forever()

    ours, theirs = memory_stream_pair()
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            line = line_on(nursery, ours, Hall(CONFIG, Metronome()))
            await theirs.send_all(handshake())
            with trio.move_on_after(1):
                await line.handshake(never)
            await trio.aclose_forcefully(ours)


class Gone(Hasty):
    """The server's end of a line to somebody whose end has just gone; the reader is yet to see."""

    async def send_all(self, _: bytes | bytearray | memoryview) -> None:
        raise trio.BrokenResourceError


@pytest.mark.parametrize("early", [False, True])
async def test_who_is_gone_as_they_are_told_of_their_fault_ends_nobody_else(
    early: bool, autojump_clock: MockClock
) -> None:
    ours, theirs = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        line = open_connection(nursery, Gone(ours, theirs, b""))
        if early:
            line._early = BROKEN
        else:
            line._frames = Bucket(0.0, 1, trio.current_time())
            await theirs.send_all(frame(b"", Opcode.PONG) * 2)
        await line.__aenter__()
        await wait_all_tasks_blocked()  # and the nursery stands
        assert line.protocol.state is State.CLOSING
        await theirs.aclose()
