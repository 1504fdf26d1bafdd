"""Gets one client its place in the feed, as fast as it reads and no faster.

A client that keeps up is written to straight away, by whoever adds to the feed: the shared bytes
are put on its non-blocking socket, together with those of the row that it sits in, or by itself,
and nobody waits. One whose socket is full, that took only a part, or whose connection is writing
something else, rises and is left to a task of its own, which sends the rest, catches up by cursor,
and ends. Streams that are no sockets (TLS) have such a task for as long as they last.
"""

from __future__ import annotations

import math
import os
from typing import Final, Protocol

import trio
from websockets.frames import Frame, Opcode

from protocol.codec import encode
from protocol.codes import CloseCode
from protocol.messages import AnyToClient
from server.closing import Closing
from server.cursor import Cursor
from server.feed import text_frame
from server.limits import Limits
from server.line import Line
from server.metrics import Metrics
from server.outbox import Outbox
from server.sender import Gone, Sender

UNREAD: Final = Closing(CloseCode.TRY_LATER, "nothing was read for too long")

PING: Final = Frame(Opcode.PING, b"").serialize(mask=False)


class Seats(Protocol):
    """Where those sit who read the same from one place."""

    cursor: Cursor

    def rise(self, follower: Follower, /) -> None:
        """It has a place of its own from now on."""


class Follower:
    """One connection's delivery. All but its task is synchronous and never waits. The greeting is
    ready to go out."""

    __slots__ = (
        "_busy",
        "_close_by",
        "_closing",
        "_held_since",
        "_limits",
        "_line",
        "_nursery",
        "_outbox",
        "_row",
        "_sender",
        "_sending",
        "_wake",
        "greeted",
        "held",
        "metrics",
        "number",
    )

    def __init__(
        self,
        line: Line,
        cursor: Cursor,
        limits: Limits,
        greeting: bytes = b"",
        metrics: Metrics | None = None,
    ) -> None:
        self.greeted = trio.Event()  # the greeting has been given to the system
        self._line = line
        self._row: Seats | None = None  # that it sits in
        self.held = False  # as its turn says
        self._held_since = math.inf
        line.turn.bind(self)
        self._limits = limits
        self.metrics = metrics or Metrics()
        self._sender = Sender(line, limits, self.metrics)
        # Good for as long as it is not held: it is, for good, before the socket closes.
        self.number = -1 if self._sender.socket is None else self._sender.socket.fileno()
        self._outbox = Outbox(cursor, greeting, limits, trio.current_time())
        self._closing: Closing | None = None
        self._close_by = math.inf
        self._busy = True  # its task has not caught up yet
        self._nursery: trio.Nursery | None = None
        self._sending: trio.CancelScope | None = None  # of the task, while there is one
        self._wake: trio.Event | None = None  # while the task waits for something to do

    @property
    def cursor(self) -> Cursor:
        """Its place in the feed; while it sits in a row, the row's."""
        return self._outbox.cursor

    @property
    def size(self) -> int:
        """How many are told in its turn, while it stands."""
        return 1

    @property
    def may_sit(self) -> bool:
        """Whether all that it is sent from now on is what everyone is sent, as far as is known."""
        return not self._busy and not self.held and self.cursor.reads_all

    def attend(self, nursery: trio.Nursery) -> None:
        """Delivers from now on. Whenever it needs its task, that runs in this nursery; it may be
        cancelled at any time, and the connection is of no use afterwards."""
        self._nursery = nursery
        nursery.start_soon(self._run)

    # For the audience, and its connection.

    def sit(self, row: Seats) -> None:
        """Reads on with this row, which stands where it stands itself. Only where it `may_sit`."""
        self._row = row
        self._outbox.cursor = row.cursor

    def rise(self) -> None:
        """Has a place of its own from now on, if it sat in a row."""
        row, self._row = self._row, None
        if row is not None:
            self._outbox.cursor = row.cursor.another()
            row.rise(self)

    def hold(self, *, held: bool) -> None:
        """Its turn's call: whether it may not write now."""
        if held and not self.held:
            self._held_since = trio.current_time()
        self.held = held
        if held:
            self.rise()

    # For those who add to the feed.

    def push(self) -> None:
        """Sends what is new in the feed, or leaves it to the task."""
        if data := self.offer():
            self.write(data)
            self.metrics.sent(data)

    def offer(self) -> bytes:
        """What is new in the feed, for a socket that is free and is then written to; empty where
        there is nothing, and where it is left to the task."""
        self.rise()  # or all of its row would be taken to have been told
        if self._busy or self.held:
            self._hand_over()
            return b""
        return self.cursor.rest()

    def say(self, message: AnyToClient) -> None:
        """Sends a message to this client alone, after all that the feed held before it."""
        data = text_frame(encode(message))
        if not self._busy:
            self.push()
        if not self._busy and not self.held:
            self.write(data)
            self.metrics.sent(data)
            return
        if not self._outbox.has_room_for(data):
            self.close(UNREAD)
            return
        self._outbox.put(data)
        self._hand_over()

    def ping(self) -> bool:
        """Asks for a sign of life, unless other things are on their way; whether it did."""
        if not self._busy and not self.held:
            self.write(PING)
        elif self._wake is not None and self._outbox.is_clear:
            self._outbox.put_here(PING)
            self._wake.set()
        else:
            self._close_if_stuck()
            return False
        self._line.unheard = True
        return True

    def _close_if_stuck(self) -> None:
        """The library waits for its own answers to be read, and would wait for ever."""
        if self.held and not self._busy:
            held_seconds = trio.current_time() - self._held_since
            if held_seconds > self._limits.stall_seconds:
                self.close(UNREAD)

    @property
    def is_unheard(self) -> bool:
        """Whether nothing has come from the client since the last ping."""
        return self._line.unheard

    @property
    def is_closing(self) -> bool:
        return self._closing is not None

    def close(self, closing: Closing) -> None:
        """Ends the connection once all that was said before is sent, or too long is waited for.

        A delayed reader is let see the end of a room that has closed.
        """
        if self._closing is not None and not self._lingers():
            return
        self._closing = closing
        if not self._lingers():
            self._close_by = trio.current_time() + self._limits.close_seconds
            if self._sending is not None:
                self._sending.deadline = self._close_by
        self._hand_over()

    def _hand_over(self) -> None:
        """Leaves what there is to do to the task, which there may be already."""
        if self._wake is not None:
            self._wake.set()
        elif not self._busy and self._nursery is not None:
            self.rise()
            self._busy = True
            self._outbox.note_even(trio.current_time())
            self.metrics.catch_ups += 1
            self._nursery.start_soon(self._run)

    def write(self, data: bytes) -> None:
        """Writes to a socket that is free; what it does not take is left to the task."""
        try:
            taken = os.write(self.number, data)
        except OSError:  # it is full; or it is broken, which the task finds out in its turn
            taken = 0
        if taken < len(data):
            self.leave(data[taken:])

    def leave(self, rest: bytes) -> None:
        """Leaves to the task what was not taken."""
        self._sender.leave(rest)
        self._hand_over()

    # The client's own task.

    async def _run(self) -> None:
        """Delivers until a push can go on alone, or the connection is to be closed; closes it."""
        try:
            with trio.CancelScope(deadline=self._close_by) as self._sending:
                await self._deliver()
            if not self._busy:
                return
        except trio.TooSlowError:
            self._closing = self._closing or UNREAD
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            self._sender.cut()
        except Gone:
            return
        await self._sender.close(self._closing or Closing(CloseCode.NORMAL, ""))

    async def _deliver(self) -> None:
        while True:
            batch = self._next_batch()
            if batch or self._sender.has_rest:  # the rest of what a push could not write
                await self._sender.send(batch)
                self.greeted.set()
            elif self._closing is not None and (not self._lingers() or self.cursor.at_end):
                await self._sender.send(self._closing.frame())
                return
            elif self._sender.socket is None or self.cursor.delay or self._closing is not None:
                await self._rest()
                self._outbox.note_even(trio.current_time())
            else:
                self._busy = False
                self._sending = None
                return

    async def _rest(self) -> None:
        """Waits until there is something to do."""
        self._wake = trio.Event()
        with trio.CancelScope(deadline=self.cursor.due()):
            await self._wake.wait()
        self._wake = None

    def _next_batch(self) -> bytes:
        self._sender.check()
        now = trio.current_time()
        if self._outbox.has_lost_touch(now):
            raise trio.TooSlowError
        batch = self._outbox.next_batch(now)
        self.metrics.skipped += self._outbox.skipped
        return batch

    def _lingers(self) -> bool:
        """Whether the end is still to be seen of a room that has closed."""
        if self._closing is None or not self.cursor.delay:
            return False
        return self._closing.code is CloseCode.ROOM_CLOSED
