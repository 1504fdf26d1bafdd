"""One WebSocket connection of a simulated client: from connecting to its end, without waiting."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from protocol.codes import CloseCode
from server.load.loop import NEWS, READ, WRITE, Loop
from server.load.tally import Tally
from server.load.wire import (
    CLOSE,
    HEAD_END,
    MOST_BYTES,
    PING,
    TEXT,
    FrameReader,
    NotOurs,
    handshake,
    pong,
    text,
)

READ_BYTES: Final = 1 << 16
# What the system is asked to hold for one who reads slowly: as little as it allows.
SLOW_BUFFER: Final = 1 << 11
LOST: Final = 1006
_RESET: Final = struct.pack("ii", 1, 0)  # lingering for no time: the other side sees a reset


@dataclass(frozen=True)
class Address:
    """Where the server is: as sockets want it, and as the handshake says it."""

    family: int
    place: tuple[object, ...]
    host: str


class Link:
    """Says one thing first and hands on every text message; `gone` is called once, with a code.

    `takes` is shown what comes as it comes, where that begins a message, and says whether it takes
    all of it.
    """

    __slots__ = (
        "_code",
        "_first",
        "_gone",
        "_heard",
        "_loop",
        "_reader",
        "_request",
        "_socket",
        "_takes",
        "_tally",
    )

    def __init__(
        self,
        loop: Loop,
        tally: Tally,
        heard: Callable[[bytes], None],
        gone: Callable[[int], None],
        takes: Callable[[bytes], bool] | None = None,
    ) -> None:
        self._loop = loop
        self._tally = tally
        self._heard = heard
        self._gone = gone
        self._takes = takes
        self._socket: socket.socket | None = None
        self._reader = FrameReader()
        self._request = b""  # what is left to say of the handshake, then what came of the answer
        self._first = b""
        self._code = LOST

    def open(self, address: Address, path: str, first: bytes, *, slow: bool = False) -> None:
        """Connects; `first` is the payload of the first message."""
        self._socket = connection = socket.socket(address.family, socket.SOCK_STREAM)
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if slow:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SLOW_BUFFER)
        self._request = handshake(address.host, path)
        self._first = text(first)
        connection.connect_ex(address.place)
        self._loop.watch(connection.fileno(), WRITE, self._connected)

    def say(self, payload: bytes) -> None:
        """A text message; dropped with the connection if there is none."""
        self._send(text(payload))

    def pause(self) -> None:
        """Nothing is read any more but by `read`."""
        if self._socket is not None:
            self._loop.forget(self._socket.fileno())

    def drop(self, *, reset: bool = False) -> None:
        """Ends the connection without a word; `gone` is not called."""
        if self._socket is None:
            return
        if self._socket.fileno() in self._loop:
            self.pause()
        if reset:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self._socket.close()
        self._socket = None

    def _readable(self) -> None:
        while self.read(READ_BYTES) == READ_BYTES:
            pass  # there may be more

    def read(self, most: int = READ_BYTES) -> int:
        """Reads once what there is; how many bytes that were."""
        if self._socket is None:
            return 0
        try:
            data = self._socket.recv(most)
        except BlockingIOError:
            return 0
        except OSError:
            data = b""
        if not data:
            self._end()
            return 0
        self._tally.bytes += len(data)
        self._take_in(data)
        return len(data)

    def _take_in(self, data: bytes) -> None:
        """Hands on what it says, as far as a server of ours would say it."""
        try:
            if self._takes is not None and self._reader.is_clear and self._takes(data):
                return
            for kind, payload in self._reader.feed(data):
                if kind == TEXT:
                    self._heard(payload)
                else:
                    self._control(kind, payload)
        except NotOurs as garbage:
            self._end_at(garbage)

    def _connected(self) -> None:
        assert self._socket is not None, "what is closed is not watched"
        if self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            self._end()
            return
        self._send(self._request)
        self._request = b""
        if self._socket is not None:
            self._loop.change(self._socket.fileno(), READ, self._answered)

    def _answered(self) -> None:
        assert self._socket is not None, "what is closed is not watched"
        try:
            data = self._socket.recv(READ_BYTES)
        except OSError:
            data = b""
        head, found, rest = (self._request + data).partition(HEAD_END)
        if not data or (found and b" 101 " not in head.partition(b"\r\n")[0]):
            self._end()
        elif not found:
            self._request = head
            if len(head) > MOST_BYTES:
                self._end_at(NotOurs("handshake too long"))
        else:
            self._loop.change(self._socket.fileno(), NEWS, self._readable)
            self._send(self._first)
            if rest:
                self._take_in(rest)

    def _control(self, kind: int, payload: bytes) -> None:
        if kind == PING:
            self._send(pong(payload))
        elif kind == CLOSE:
            self._code = int.from_bytes(payload[:2]) if payload else LOST
            self._end()
        else:
            raise NotOurs(f"frame of kind {kind:#04x}")

    def _send(self, data: bytes) -> None:
        if self._socket is None:
            return
        try:
            sent = self._socket.send(data)
        except OSError:
            sent = 0
        if sent < len(data):  # a client says little: a socket that is full is a dead one
            self._end()

    def _end_at(self, garbage: NotOurs) -> None:
        self._tally.error(str(garbage))
        self._code = CloseCode.PROTOCOL_ERROR
        self._end()

    def _end(self) -> None:
        if self._socket is not None:
            self.drop()
            self._gone(self._code)
