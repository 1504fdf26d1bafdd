"""The library's connection, which says at any moment whether others may write on its socket.

Frames of a feed are written past the library, straight to the socket. That is right only while the
library is not writing itself, has nothing left to write, and has not begun to close. It does all of
this under its send lock, or in `close_stream`, so that is where it is noted.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, Protocol

import trio
import websockets.protocol
from websockets.exceptions import ConnectionClosedError, TooManyFragments
from websockets.protocol import Event, State
from websockets.server import ServerProtocol
from websockets.trio.server import ServerConnection

from protocol.codes import CloseCode
from server.bucket import Bucket

_OPEN: Final = State.OPEN
_CLOSING: Final = State.CLOSING

_numbers: Final = itertools.count(1)


class Writer(Protocol):
    """One who writes on the socket past the library."""

    def hold(self, *, held: bool) -> None:
        """Whether it may not write now."""


class Turn:
    """A send lock that holds a writer whenever anybody else has it, or wants it."""

    __slots__ = ("_closed", "_lock", "_protocol", "_writer")

    def __init__(self, protocol: websockets.protocol.Protocol) -> None:
        self._closed = False
        self._lock = trio.Lock()
        self._protocol = protocol
        self._writer: Writer | None = None

    def bind(self, writer: Writer) -> None:
        """Tells this writer from now on. It is told rather than asked, because it wants to know
        for each tick, and there are ten thousand of them."""
        self._writer = writer
        self._look()
        if self._closed:
            self._writer = None

    async def __aenter__(self) -> None:
        self._hold(held=True)  # before it has the lock: getting it lets others run
        try:
            await self._lock.acquire()
        except BaseException:
            self._look()
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._lock.release()
        self._look()

    def close(self) -> None:
        """The socket is about to be closed, and its number may become another's."""
        self._closed = True
        self._hold(held=True)
        self._writer = None  # which holds the line, and that its turn

    @property
    def is_closed(self) -> bool:
        return self._closed

    def locked(self) -> bool:
        return self._lock.locked()

    def _look(self) -> None:
        """Whether the writer may write now."""
        self._hold(
            held=self._closed
            or self._lock.locked()
            or self._protocol.state is not _OPEN
            or bool(self._protocol.writes)
        )

    def _hold(self, *, held: bool) -> None:
        if self._writer is not None:
            self._writer.hold(held=held)


class Line(ServerConnection):
    """One connection."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.number = next(_numbers)  # the later it was opened, the higher
        self.turn = Turn(self.protocol)
        # All that the library does with its lock, a turn can do.
        self.send_lock = self.turn  # type: ignore[assignment]
        self.unheard = False  # since it was set: nothing has come from the other side
        self.frames: Bucket | None = None  # how many may come
        self.protocol.receive_data = _reading(self)  # type: ignore[assignment, method-assign]

    def read_on(self, data: bytes) -> None:
        """What the library's reader had in hand as the stream was closed is read no more; it would
        take this for a failure of its own."""
        if self.turn.is_closed:
            return
        was_open = self.protocol.state is _OPEN
        ServerProtocol.receive_data(self.protocol, data)
        if was_open and self.protocol.state is _CLOSING:
            for event in self.protocol.events_received():
                self.process_event(event)
            self.recv_messages.close()

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

    def _fail(self, code: CloseCode, why: str) -> None:
        """Ends the connection from this side, and waits for nobody."""
        if self.protocol.state is _OPEN:
            self.protocol.fail(code, why)
            self.recv_messages.close()
            self.nursery.start_soon(self.send_data)

    def process_event(self, event: Event) -> None:
        """Passes on what came. Frames are counted here, where all of them pass: a message may be
        sent in any number of pieces, empty ones too, and between them as many pings."""
        self.unheard = False
        if self.recv_messages.closed:
            return
        if self.frames is None or self.frames.take(trio.current_time()):
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


def _reading(line: Line) -> Callable[[bytes], None]:
    """What hands on to the line what came, and does not hold it."""
    held = weakref.ref(line)

    def read(data: bytes) -> None:
        if (line := held()) is not None:
            line.read_on(data)

    return read


def _nothing() -> None:
    """Instead of what would hold on to a line that is closed."""
