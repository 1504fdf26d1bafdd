"""The sockets of simulated clients: what comes is taken whole where that may be, or cut up."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress

import pytest
from websockets.frames import Close, CloseCode, Frame, Opcode

from server.feed import text_frame
from server.load import link as link_module
from server.load import loop as loop_module
from server.load.link import LOST, Address, Link
from server.load.loop import READ, Loop, Poll, poller
from server.load.tally import Tally
from server.load.wire import HEAD_END, MOST_BYTES

A, B = (text_frame(payload) for payload in (b"[1]", b"[2]"))
PING = Frame(Opcode.PING, b"").serialize(mask=False)
BYE = Frame(Opcode.CLOSE, Close(CloseCode.TRY_AGAIN_LATER, "").serialize()).serialize(mask=False)


@pytest.fixture(params=[poller, Poll])
def loop(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Loop:
    monkeypatch.setattr(loop_module, "poller", request.param)
    return Loop()


class Ends:
    """A link that is open, and the server's end of it."""

    def __init__(self, loop: Loop, listener: socket.socket) -> None:
        self.tally = Tally()
        self.takes = False
        self.offered: list[bytes] = []
        self.heard: list[bytes] = []
        self.gone: list[int] = []
        self.loop = loop
        link = Link(loop, self.tally, self.heard.append, self.gone.append, self._take)
        link.open(Address(socket.AF_INET, listener.getsockname(), "here"), "/", b"first")
        self.server = listener.accept()[0]
        loop.run_once(1)
        request = self.server.recv(9999)
        assert request.endswith(HEAD_END)
        self.come(b"HTTP/1.1 101 Switching Protocols" + HEAD_END)
        self.server.recv(9999)

    def come(self, data: bytes) -> None:
        self.server.sendall(data)
        self.loop.run_once(1)

    def _take(self, data: bytes) -> bool:
        self.offered.append(data)
        return self.takes


def opened(loop: Loop, listener: socket.socket) -> tuple[Tally, list[int], socket.socket]:
    """A link that waits for the answer to its handshake: what it counts, how it ends, and the
    server's end of it."""
    tally, gone = Tally(), list[int]()
    link = Link(loop, tally, lambda _: None, gone.append)
    link.open(Address(socket.AF_INET, listener.getsockname(), "here"), "/", b"first")
    server = listener.accept()[0]
    loop.run_once(1)
    return tally, gone, server


@pytest.fixture
def ends(loop: Loop) -> Iterator[Ends]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ends = Ends(loop, listener)
        with ends.server:
            yield ends


def test_what_is_taken_whole_is_not_heard(ends: Ends) -> None:
    ends.takes = True
    ends.come(A + B)
    assert (ends.offered, ends.heard) == ([A + B], [])
    assert ends.tally.bytes == len(A + B)


def test_what_is_not_taken_is_heard_and_answered(ends: Ends) -> None:
    ends.come(A + PING + B)
    assert ends.heard == [b"[1]", b"[2]"]
    assert ends.server.recv(9999)[0] == 0x80 | Opcode.PONG
    ends.come(A + BYE)
    assert (len(ends.heard), ends.gone) == (3, [CloseCode.TRY_AGAIN_LATER])
    assert ends.offered == [A + PING + B, A + BYE]


def test_the_rest_of_a_frame_is_not_offered(ends: Ends) -> None:
    ends.come(A + B[:3])
    ends.takes = True
    ends.come(B[3:])
    assert (ends.offered, ends.heard) == ([A + B[:3]], [b"[1]", b"[2]"])
    ends.come(A)
    assert ends.offered[1:] == [A]


def test_who_is_forgotten_by_another_that_was_called_is_not_called(loop: Loop) -> None:
    pipes = [os.pipe() for _ in range(2)]
    called: list[int] = []

    def call(number: int) -> None:
        called.append(number)
        loop.forget(pipes[1 - number][0])

    for number, (reader, writer) in enumerate(pipes):
        loop.watch(reader, READ, lambda number=number: call(number))  # type: ignore[misc]
        os.write(writer, b"x")
    loop.run_once(1)
    assert len(called) == 1
    for end in sum(pipes, ()):
        os.close(end)


def test_all_is_read_that_came_at_once(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system says but once that something came."""
    monkeypatch.setattr(link_module, "READ_BYTES", len(A))
    ends.come(A + B + A)
    assert ends.heard == [b"[1]", b"[2]", b"[1]"]


@pytest.mark.parametrize("reset", [False, True])
def test_an_end_is_seen_that_came_with_something(ends: Ends, *, reset: bool) -> None:
    ends.server.sendall(A)
    if reset:
        linger = struct.pack("ii", 1, 0)
        ends.server.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    ends.server.close()
    for _ in range(2):
        ends.loop.run_once(0.1)
    assert ends.gone == [LOST]
    assert ends.heard == [b"[1]"]


GARBAGE = {
    "masked frame": Frame(Opcode.TEXT, b"x").serialize(mask=True),
    "frame of kind 0x82": Frame(Opcode.BINARY, b"x").serialize(mask=False),
    "frame of kind 0x01": Frame(Opcode.TEXT, b"x", fin=False).serialize(mask=False),
    "frame too long": b"\x81\x7f" + (MOST_BYTES + 1).to_bytes(8),
}


@pytest.mark.parametrize("what", GARBAGE)
def test_what_no_server_of_ours_says_is_counted_and_ends_the_link(ends: Ends, what: str) -> None:
    ends.come(A + GARBAGE[what] + B)
    assert ends.heard == [b"[1]"]
    assert ends.gone == [CloseCode.PROTOCOL_ERROR]
    assert ends.tally.errors == {what: 1}


def test_garbage_that_comes_with_the_handshake_or_in_place_of_it_ends_the_link(loop: Loop) -> None:
    switching = b"HTTP/1.1 101 Switching Protocols" + HEAD_END
    with socket.create_server(("127.0.0.1", 0)) as listener:
        tally, gone, server = opened(loop, listener)
        with server:
            server.sendall(switching + GARBAGE["masked frame"])
            loop.run_once(1)
        assert (gone, tally.errors) == ([CloseCode.PROTOCOL_ERROR], {"masked frame": 1})
        tally, gone, server = opened(loop, listener)
        with server:
            server.setblocking(False)
            sent = 0
            while not gone and sent < 2 * MOST_BYTES:
                with suppress(BlockingIOError):
                    sent += server.send(b"x" * 65_536)
                loop.run_once(1)
        assert (gone, tally.errors) == ([CloseCode.PROTOCOL_ERROR], {"handshake too long": 1})
