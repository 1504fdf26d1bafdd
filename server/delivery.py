"""Gets one client its place in the feed, as fast as it reads and no faster.

A client that keeps up is written to straight away, by whoever adds to the feed: `push` puts the
shared bytes on its non-blocking socket and waits for nothing. One whose socket is full, that took
only a part, or whose connection is writing something else, is left to its own task, `run`, which
sends the rest and catches up by cursor. The same task serves streams that are no sockets (TLS).

What stands between two writers on one connection is the library's own: its `send_lock`, and its
list of bytes to send, which whoever holds the lock next sends first. The rest of a frame goes to
the head of that list, so that neither a ping nor a close frame can come between its halves.

A cancelled send may leave half a frame behind, and a peer that reads nothing holds up the library's
own closing: every wait here has a deadline, after which the stream is closed by force.
"""

from __future__ import annotations

import os
from collections import deque
from dataclasses import dataclass
from typing import Final

import trio
from websockets.protocol import State
from websockets.trio.server import ServerConnection

from protocol.codec import encode
from protocol.codes import CloseCode
from protocol.messages import AnyToClient, Bye
from server.cursor import NOWHERE, Cursor, Mark
from server.feed import text_frame
from server.limits import Limits

# A stream that cannot say how much it took gets pieces, so that each is seen to be taken.
PIECE: Final = 1 << 13

_OPEN: Final = State.OPEN  # asked for once for each client and tick


class Gone(Exception):  # noqa: N818 - nothing went wrong: the connection is closing
    """The connection is no longer open."""


@dataclass(frozen=True)
class Closing:
    """How a connection is to end."""

    code: CloseCode
    why: str
    retry_seconds: float | None = None

    def frame(self) -> bytes:
        bye = Bye(code=self.code, reason=self.why, retry_seconds=self.retry_seconds)
        return text_frame(encode(bye))


class Follower:
    """One connection's delivery. All but `run` is synchronous and never waits.

    The greeting, ready to go out, comes before anything of the feed. A delay of the cursor's holds
    back the feed, but not the messages to this client alone.
    """

    def __init__(
        self,
        connection: ServerConnection,
        cursor: Cursor,
        limits: Limits,
        greeting: bytes = b"",
    ) -> None:
        self.cursor = cursor
        self.greeted = trio.Event()  # the greeting has been given to the system
        self._connection = connection
        self._socket = (
            connection.stream.socket if isinstance(connection.stream, trio.SocketStream) else None
        )
        self._limits = limits
        self._since = trio.current_time()
        self._private: deque[tuple[Mark, bytes]] = deque([(cursor.mark, greeting)])
        self._closing: Closing | None = None
        self._busy = True  # its task has not caught up yet
        self._cut = False  # perhaps half a frame is on the wire
        self._wake = trio.Event()
        self._sending = trio.CancelScope()

    @property
    def keeps_up(self) -> bool:
        """Whether a push writes by itself, and nothing is left to the task."""
        return not self._busy

    # For those who add to the feed.

    def push(self) -> None:
        """Sends what is new in the feed, or leaves it to the task."""
        if self._busy or not self._is_free():
            self._hand_over()
        elif data := self.cursor.rest():
            self._write(data)

    def say(self, message: AnyToClient) -> None:
        """Sends a message to this client alone, after all that the feed held before it."""
        data = text_frame(encode(message))
        if not self._busy:
            self.push()
        if not self._busy:
            self._write(data)
            return
        if len(self._private) >= self._limits.private_messages:
            self.close(Closing(CloseCode.TRY_LATER, "nothing was read for too long"))
            return
        self._private.append((self._mark_of_now(), data))
        self._wake.set()

    def close(self, closing: Closing) -> None:
        """Ends the connection once all that was said before is sent, or too long is waited for.

        A delayed reader is let see the end of a room that has closed.
        """
        if self._closing is not None and not self._lingers():
            return
        self._closing = closing
        if not self._lingers():
            self._sending.deadline = trio.current_time() + self._limits.close_seconds
        self._hand_over()

    def _hand_over(self) -> None:
        self._busy = True
        self._wake.set()

    def _is_free(self) -> bool:
        """Whether nothing can come between, or is left of, what is written now."""
        connection, protocol = self._connection, self._connection.protocol
        return (
            self._socket is not None
            and protocol.state is _OPEN
            and not protocol.writes
            and not connection.send_lock.locked()
            and connection.send_in_progress is None
        )

    def _write(self, data: bytes) -> None:
        """Writes to a socket that is free; what it does not take is left to the task."""
        if self._socket is None:
            raise AssertionError("only a socket is written to directly")
        try:
            # Asked for each time: a closed socket's number may have become another's.
            taken = os.write(self._socket.fileno(), data)
        except BlockingIOError:
            taken = 0
        except OSError:
            self._hand_over()  # the reading side sees what happened, and ends the connection
            return
        if taken < len(data):
            self._connection.protocol.writes.append(data[taken:])
            self._hand_over()

    # The client's own task.

    async def run(self) -> None:
        """Delivers whatever `push` leaves to it, until the connection is to be closed; closes it.

        May be cancelled at any time; the connection is of no use afterwards.
        """
        try:
            with self._sending:
                await self._deliver()
        except trio.TooSlowError:
            self._closing = Closing(CloseCode.TRY_LATER, "nothing was read for too long")
        except (Gone, OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            return  # the reading side sees it too, and ends the connection
        await self._shut()

    async def _deliver(self) -> None:
        while True:
            self._wake = trio.Event()
            batch = self._next_batch(trio.current_time())
            if batch:
                await self._send(batch)
                self.greeted.set()
            elif self._closing is not None and (not self._lingers() or self.cursor.at_end):
                await self._send(self._closing.frame())
                return
            else:
                await self._rest()

    async def _rest(self) -> None:
        """Waits until there is something to do. From here on a push writes by itself."""
        self._busy = self.cursor.delay > 0 or self._closing is not None
        with trio.CancelScope(deadline=self.cursor.due()):
            await self._wake.wait()
        self._busy = True

    def _next_batch(self, now: float) -> bytes:
        """What is to be sent next: the feed, and in their places the messages for this client."""
        if self._connection.protocol.state is not _OPEN:
            raise Gone
        if self._is_late(now) and (skipped := self.cursor.skip()):
            return skipped
        parts: list[bytes] = []
        size = 0
        while size < self._limits.send_bytes:
            if self._private and self._private[0][0] <= self.cursor.mark:
                part = self._private.popleft()[1]
            else:
                part = self._take(now, self._limits.send_bytes - size)
                if not part and not (self._private and self._private[0][0] <= self.cursor.mark):
                    break
            parts.append(part)
            size += len(part)
        return b"".join(parts)

    def _take(self, now: float, limit: int) -> bytes:
        stop = self._private[0][0] if self._private else NOWHERE
        return self.cursor.take(limit, now, stop)

    def _is_late(self, now: float) -> bool:
        """Too far behind. One who came late is not late for what was there before."""
        due = max(self.cursor.due(), self._since)
        return not self.cursor.delay and now - due > self._limits.behind_seconds

    def _mark_of_now(self) -> Mark:
        if self.cursor.delay:
            return self.cursor.mark
        feed = self.cursor.feed
        while feed.next is not None:
            feed = feed.next
        return feed.number, len(feed.entries)

    def _lingers(self) -> bool:
        """Whether the end is still to be seen of a room that has closed."""
        if self._closing is None or not self.cursor.delay:
            return False
        return self._closing.code is CloseCode.ROOM_CLOSED

    async def _send(self, data: bytes) -> None:
        """Sends under the lock. `TooSlowError` where nothing is taken for too long."""
        connection = self._connection
        with trio.fail_after(self._limits.stall_seconds) as patience:
            async with connection.send_lock:
                if connection.protocol.state is not _OPEN:
                    raise Gone
                left = deque(memoryview(d) for d in (*connection.protocol.data_to_send(), data))
                try:
                    while left:
                        left[0] = left[0][await self._send_some(left[0]) :]
                        patience.deadline = trio.current_time() + self._limits.stall_seconds
                        if not left[0]:
                            left.popleft()
                finally:
                    connection.protocol.writes[:0] = [bytes(data) for data in left]

    async def _send_some(self, data: memoryview) -> int:
        """How many bytes were taken. A socket that is cancelled has taken none."""
        if self._socket is not None:
            return await self._socket.send(data)
        self._cut = True
        piece = data[:PIECE]
        await self._connection.stream.send_all(piece)
        self._cut = False
        return len(piece)

    async def _shut(self) -> None:
        closing = self._closing or Closing(CloseCode.NORMAL, "")
        with trio.move_on_after(0 if self._cut else self._limits.close_seconds):
            await self._connection.aclose(closing.code, closing.why)
        await trio.aclose_forcefully(self._connection.stream)
