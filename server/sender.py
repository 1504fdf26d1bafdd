"""Writes to one connection, and waits for it: never for longer than the limits say.

What stands between two writers on one connection is the library's own: its send lock, and its list
of bytes to send, which whoever holds the lock next sends first. The rest of a frame goes to the
head of that list, so that neither a ping nor a close frame can come between its halves.

A cancelled send may leave half a frame behind, and a peer that reads nothing holds up the library's
own closing: every wait here has a deadline, after which the stream is closed by force.
"""

from __future__ import annotations

from collections import deque
from typing import Final

import trio
from websockets.protocol import State

from server.closing import Closing
from server.limits import Limits
from server.line import Line
from server.metrics import Metrics

# A stream that cannot say how much it took gets pieces, so that each is seen to be taken.
PIECE: Final = 1 << 13

_OPEN: Final = State.OPEN


class Gone(Exception):  # noqa: N818 - nothing went wrong: the connection is closing
    """The connection is no longer open."""


class Sender:
    """Sends to one connection, a piece at a time. `socket` is None where the stream is none (TLS),
    which cannot be written to but by waiting."""

    __slots__ = ("_cut", "_limits", "_line", "_lock", "_metrics", "_protocol", "socket")

    def __init__(self, line: Line, limits: Limits, metrics: Metrics) -> None:
        self.socket = line.stream.socket if isinstance(line.stream, trio.SocketStream) else None
        self._line = line
        self._lock = line.send_lock
        self._protocol = line.protocol
        self._limits = limits
        self._metrics = metrics
        self._cut = False  # nothing more can be written: half a frame may be on the wire

    @property
    def has_rest(self) -> bool:
        """Whether there is something that was begun before, and goes out first."""
        return bool(self._protocol.writes)

    def leave(self, rest: bytes) -> None:
        """What a write that did not wait has begun, and could not end."""
        self._protocol.writes.append(rest)

    def check(self) -> None:
        """Raises `Gone` where nothing more can be said."""
        if self._protocol.state is not _OPEN:
            raise Gone

    async def send(self, data: bytes) -> None:
        """Sends under the lock. `TooSlowError` where nothing is taken for too long."""
        with trio.fail_after(self._limits.stall_seconds) as patience:
            async with self._lock:
                self.check()
                left = deque(memoryview(d) for d in (*self._protocol.data_to_send(), data))
                try:
                    while left:
                        left[0] = left[0][await self._send_some(left[0]) :]
                        patience.deadline = trio.current_time() + self._limits.stall_seconds
                        if not left[0]:
                            left.popleft()
                finally:
                    self._protocol.writes[:0] = [bytes(data) for data in left]
        self._metrics.sent(data)

    async def _send_some(self, data: memoryview) -> int:
        """How many bytes were taken. A socket that is cancelled has taken none."""
        if self.socket is not None:
            return await self.socket.send(data)
        self._cut = True
        piece = data[:PIECE]
        await self._line.stream.send_all(piece)
        self._cut = False
        return len(piece)

    def cut(self) -> None:
        """Writing has failed: not even a closing can be said."""
        self._cut = True

    async def close(self, closing: Closing) -> None:
        """Ends the connection: by the closing handshake, if there is time for it."""
        with trio.move_on_after(0 if self._cut else self._limits.close_seconds):
            await self._line.aclose(closing.code, closing.why)
        await trio.aclose_forcefully(self._line.stream)
