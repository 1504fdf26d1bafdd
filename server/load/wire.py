"""The least of WebSocket that a simulated client needs, so that clients are not what is measured.

Reads what this server sends and nothing else: whole, unmasked messages. Whatever is not so raises.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from typing import Final

from websockets.frames import Frame, Opcode

TEXT: Final = 0x81  # FIN and opcode 1
CLOSE: Final = 0x88
PING: Final = 0x89

HEAD_END: Final = b"\r\n\r\n"


# Of one frame. Two full boards and all they summoned are about 10 KB.
MOST_BYTES: Final = 2**20


class NotOurs(Exception):  # noqa: N818 - says what the bytes are
    """What came is not what a phylactery server sends; its text is what it is counted as."""


def handshake(host: str, path: str) -> bytes:
    """The request that opens a WebSocket. The answer's key is not checked: nobody is in between."""
    key = base64.b64encode(os.urandom(16)).decode()
    return (
        f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
    ).encode()


def text(payload: bytes) -> bytes:
    """A message as a client sends it."""
    return Frame(Opcode.TEXT, payload).serialize(mask=True)


def pong(payload: bytes) -> bytes:
    return Frame(Opcode.PONG, payload).serialize(mask=True)


class FrameReader:
    """Cuts what is received into frames; keeps the half that is there of the next one."""

    __slots__ = ("_rest",)

    def __init__(self) -> None:
        self._rest = b""

    @property
    def is_clear(self) -> bool:
        """Whether what comes next begins a frame."""
        return not self._rest

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """The first byte and the payload of each whole frame. To be gone through to its end.
        Raises `NotOurs`."""
        if self._rest:
            data = self._rest + data
        at, end = 0, len(data)
        while at + 2 <= end:
            size, start = data[at + 1], at + 2
            if size > 125:
                if size > 127:
                    raise NotOurs("masked frame")
                start += 2 if size == 126 else 8
                if start > end:
                    break
                size = int.from_bytes(data[at + 2 : start])
                if size > MOST_BYTES:
                    raise NotOurs("frame too long")
            if start + size > end:
                break
            yield data[at], data[start : start + size]
            at = start + size
        self._rest = data[at:]
