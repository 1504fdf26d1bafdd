"""The library's connection, which says at any moment whether others may write on its socket.

Frames of a feed are written past the library, straight to the socket. That is right only while the
library is not writing itself, has nothing left to write, and has not begun to close. It does all of
this under its send lock, or in `close_stream`, so that is where it is noted.

Before that a line sees to it that every request is answered: also one that the library gives up on,
and one that more comes with than a request.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Any, Final, Protocol, Self, cast

import trio
from websockets.exceptions import ConnectionClosedError, TooManyFragments
from websockets.frames import Frame
from websockets.http11 import Response
from websockets.protocol import SEND_EOF, Event, State
from websockets.server import ServerProtocol
from websockets.trio.server import ServerConnection

from protocol.codes import CloseCode
from server.bucket import Bucket
from server.limits import Limits
from server.turn import Turn

# As much of a request as holds its method.
BEGINNING_BYTES: Final = 16
# Of what comes at once, so much is taken apart between two looks at how many frames it was: most
# messages are shorter, and it holds no more than some two hundred frames.
SLICE_BYTES: Final = 1024

# How clients go: left, went away, closed without a code.
GOODBYES: Final = (CloseCode.NORMAL, CloseCode.GOING_AWAY, 1005)

_CONNECTING: Final = State.CONNECTING
_OPEN: Final = State.OPEN
_CLOSING: Final = State.CLOSING

_numbers: Final = itertools.count(1)


class Host(Protocol):
    """Who answers."""

    def refuse(self, line: Line, beginning: bytes) -> Response:
        """The answer to what the library cannot read as a request, and which begins like this."""

    def uncount(self, line: Line) -> None:
        """There will be no conversation. Said once or more, also of who was not let in."""


class Line(ServerConnection):
    """One connection."""

    def __init__(
        self, *args: Any, host: Host, limits: Limits | None = None, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self._host = host
        self._beginning = b""  # of the request
        self._early = b""  # what has come with the request, after it
        self._is_held = False  # nothing more is read
        self.number = next(_numbers)  # the later it was opened, the higher
        self.counted_for: str | None = None  # the address that has one connection more by it
        self.turn = Turn(self.protocol)
        # All that the library does with its lock, a turn can do.
        self.send_lock = self.turn  # type: ignore[assignment]
        self.unheard = False  # since it was set: nothing has come from the other side
        # How many may come, the first ones with the request.
        self._frames = None if limits is None else _frames_of(limits)
        self.protocol.receive_data = _reading(self)  # type: ignore[assignment, method-assign]

    async def handshake(self, *args: Any, **options: Any) -> None:
        """As the library's, but nothing more is read until the conversation begins: it has none
        with who has closed or broken the protocol by the end of this, nor a word for them."""
        begins = False
        try:
            await super().handshake(*args, **options)
            begins = self.protocol.state is _OPEN
        finally:
            if not begins:  # also where time was up while the answer, which opens it, went out
                self._expect_no_more()

    def will_answer(self, response: Response) -> None:
        """The request's answer goes out next. Where it lets nobody in, all that is waited for is
        the other side's end."""
        if response.status_code != HTTPStatus.SWITCHING_PROTOCOLS or self.server.closing:
            self._expect_no_more()

    def _expect_no_more(self) -> None:
        self._host.uncount(self)
        self._let_read()

    async def __aenter__(self) -> Self:
        """The conversation begins, with what has come already."""
        self._let_read()  # before there are messages, which may hold up reading themselves
        early, self._early = self._early, b""
        if early:
            self.read_on(early)
            self._take_in()
            self.nursery.start_soon(self._flush)
        return await super().__aenter__()

    def _let_read(self) -> None:
        if self._is_held:
            self._is_held = False
            self.resume_reading()

    def _read_request(self, data: bytes) -> None:
        """Line by line, as what comes after it is not looked at before it is answered: the library
        would answer nothing any more once it has found no frame there."""
        protocol = self.protocol
        self._beginning = (self._beginning + data[:BEGINNING_BYTES])[:BEGINNING_BYTES]
        at = 0
        while at < len(data) and not protocol.events and not protocol.eof_sent:
            end = data.find(b"\n", at) + 1 or len(data)
            ServerProtocol.receive_data(protocol, data[at:end])
            at = end
        if protocol.events:
            self._early, self._is_held = data[at:], True
            self.pause_reading()
        elif protocol.eof_sent:
            protocol.writes[:] = self._host.refuse(self, self._beginning).serialize(), SEND_EOF

    def read_on(self, data: bytes) -> None:
        """What the library's reader had in hand as the stream was closed is read no more; it would
        take this for a failure of its own."""
        if self.turn.is_closed:
            return
        state = self.protocol.state
        if state is _CONNECTING and not self.protocol.eof_sent:
            self._read_request(data)
            return
        for at in range(0, len(data), SLICE_BYTES):
            if at:
                self._take_in()
            ServerProtocol.receive_data(self.protocol, data[at : at + SLICE_BYTES])
        if state is _OPEN and self.protocol.state is _CLOSING:
            self._take_in()
            self.recv_messages.close()

    def _take_in(self) -> None:
        """What has been taken apart; the library, too, does so with what is left to it."""
        for event in self.protocol.events_received():
            self.process_event(event)

    async def recv(self, decode: bool | None = None) -> Any:
        """As the library's, but for the end: once the other side has closed or broken the protocol
        nothing more is said, and whoever hears it need not wait for the socket to be closed too."""
        try:
            return await self.recv_messages.get(decode)
        except EOFError:
            pass
        except UnicodeDecodeError:
            self._fail(CloseCode.NOT_UTF8, "text that is not UTF-8")
        except TooManyFragments:
            self._fail(CloseCode.TOO_BIG, "too many pieces")
        protocol = self.protocol
        raise ConnectionClosedError(
            protocol.close_rcvd, protocol.close_sent, protocol.close_rcvd_then_sent
        )

    @property
    def ended_with(self) -> int:
        """The code of whichever side closed first; 1006 where none did."""
        protocol = self.protocol
        first = protocol.close_rcvd if protocol.close_rcvd_then_sent else protocol.close_sent
        return int(CloseCode.LOST if first is None else first.code)

    @property
    def counted_as(self) -> str:
        """As `ended_with`, of those codes that are known; what the server's own mean, no client can
        say."""
        code = self.ended_with
        is_theirs = self.protocol.close_rcvd is not None and self.protocol.close_rcvd_then_sent
        return "other" if is_theirs and code not in GOODBYES else str(code)

    def _fail(self, code: CloseCode, why: str) -> None:
        """Ends the connection from this side, and waits for nobody."""
        if self.protocol.state is _OPEN:
            self.protocol.fail(code, why)
            self.recv_messages.close()
            self.nursery.start_soon(self._flush)

    def process_event(self, event: Event) -> None:
        """Passes on what came. Frames are counted here, where all of them pass: a message may be
        sent in any number of pieces, empty ones too, and between them as many pings."""
        self.unheard = False
        if self.recv_messages.closed:
            return
        frames = self._frames if isinstance(event, Frame) else None  # a request is none
        if frames is None or frames.take(trio.current_time()):
            super().process_event(event)
        else:
            self._fail(CloseCode.POLICY, "frames came too fast")

    async def send_data(self) -> None:
        """Called for all that comes, and mostly there is nothing to send: a pong is no reason to
        take its turn from whoever writes.

        Once the other side is gone nobody takes what is left; the library counts on there being
        nothing left, and would call it a failure of its own."""
        if not self.protocol.writes:
            return
        try:
            await super().send_data()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            if not self.protocol.reader.eof:
                raise

    async def _flush(self) -> None:
        """Sends what is left. Whether somebody is there to take it, the reader finds out; here it
        would end the server."""
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            await self.send_data()

    async def close_stream(self) -> None:
        self.turn.close()
        try:
            await super().close_stream()
        finally:
            # The library leaves its reader waiting for room that nobody will make any more.
            if self.recv_flow_control is not None:
                self.recv_flow_control.set()
            self._let_go()

    def _let_go(self) -> None:
        """Nothing that a connection leaves behind is to wait for Python to look for cycles: the
        reader in the middle of a frame, and errors with all that was going on as they came."""
        self.recv_messages.pause = self.recv_messages.resume = _nothing
        protocol = self.protocol
        protocol.parser.close()
        for error in (self.connection_exc, protocol.parser_exc, protocol.handshake_exc):
            while error is not None:
                error.__traceback__ = None
                error = error.__context__


def lines_of(host: Host, limits: Limits | None = None) -> type[Line]:
    """What the library calls to make a connection; without limits, any number of frames may come
    on it."""
    return cast(type[Line], partial(Line, host=host, limits=limits))


def _frames_of(limits: Limits) -> Bucket:
    return Bucket(limits.frames_per_second, limits.frames_burst, trio.current_time())


def _reading(line: Line) -> Callable[[bytes], None]:
    """What hands on to the line what came, and does not hold it."""
    held = weakref.ref(line)

    def read(data: bytes) -> None:
        if (line := held()) is not None:
            line.read_on(data)

    return read


def _nothing() -> None:
    """Instead of what would hold on to a line that is closed."""
