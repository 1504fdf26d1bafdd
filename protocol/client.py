"""A client: the I/O around a `Session`. It connects, says what the session would say, hands on
what comes, and comes back by itself when the connection is lost.

    async with open_client("ws://localhost:8750", Quick(version=1, name="Ada")) as client:
        async for update in client:
            ...

What is received is taken in by the task that iterates, at the moment it gets it: so the mirror is
always at the update in hand. A caller that stops iterating stops reading from the server.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Final, NamedTuple, Protocol
from urllib.parse import urlsplit

import msgspec
import trio
from websockets.exceptions import ConnectionClosed, WebSocketException

from .codec import Undecodable, decode_to_client, encode
from .codes import CloseCode
from .connection import connect
from .messages import Error, FirstMessage, Leave, PlayerMessage, Resume, RoomId
from .mirror import Mirror, MirrorError
from .session import Ending, Lost, Session, Update
from .trouble import why

# Messages that wait for whoever iterates; past this the server's own limits take over.
INBOX: Final = 32
# A snapshot of two full boards and all they summoned is about 10 KB.
MAX_BYTES_IN: Final = 2**20
ATTEMPT_BYTES: Final = 16
# For the first message to be answered, before the connection is given up for another.
ANSWER_SECONDS: Final = 10.0
# For the connection to be closed by the server, once `leave` was said.
GOODBYE_SECONDS: Final = 1.0
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")


class Socket(Protocol):
    """What the client needs of a WebSocket connection."""

    async def send(self, message: bytes, *, text: bool | None = None) -> None:
        """Send a message; with `text`, as a text frame. Raises `ConnectionClosed`."""

    async def recv(self, decode: bool | None = None) -> bytes | str:
        """The next message. Raises `ConnectionClosed`."""


Connect = Callable[[str], AbstractAsyncContextManager[Socket]]


class NotAdmitted(Exception):  # noqa: N818 - what the server says
    """The first message was refused, for good."""

    def __init__(self, error: Error) -> None:
        self.error = error
        faults = "".join(f"\n  {fault.path}: {fault.message}" for fault in error.faults)
        super().__init__(f"{error.message}{faults}")


class GaveUp(Exception):  # noqa: N818 - what the client does
    """The server could not be reached for as long as it would have kept the session. Its cause is
    what kept the last connection from being made, if anything did."""


class _Closed(NamedTuple):
    code: int
    reason: str


def websocket(url: str) -> AbstractAsyncContextManager[Socket]:
    """A connection as the client makes it by default."""
    local = urlsplit(url).hostname in _LOOPBACK
    return connect(
        url,
        max_size=MAX_BYTES_IN,
        ping_interval=10,
        ping_timeout=10,
        close_timeout=1,
        proxy=None if local else True,
    )


@asynccontextmanager
async def open_client(
    base_url: str,
    first: FirstMessage,
    room: RoomId | None = None,
    *,
    patience_seconds: float = 0.0,
    connect: Connect = websocket,
) -> AsyncIterator[Client]:
    """A client that connects at once. Leaving the block closes the connection; a player's seat is
    kept for the resume window all the same, unless `leave` was called.

    `room` is for `join`, `watch` and `resume`. Exceptions of the block come out as they are.
    """
    session = Session(with_attempt(first), room, patience_seconds=patience_seconds)
    client = Client(base_url, session, connect)
    raised: BaseException | None = None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        try:
            yield client
        except trio.Cancelled:
            raise
        except BaseException as error:
            raised = error
        nursery.cancel_scope.cancel()
    if raised is not None:
        raise raised


def with_attempt(first: FirstMessage) -> FirstMessage:
    """The message with a secret of its own, which it may have already: said again after a loss, it
    finds what came of it the first time."""
    if isinstance(first, Resume) or first.attempt is not None:
        return first
    return msgspec.structs.replace(first, attempt=secrets.token_urlsafe(ATTEMPT_BYTES))


class Client:
    """A session and its connections. `run` keeps it connected; iterate for what comes."""

    def __init__(self, base_url: str, session: Session, connect: Connect = websocket) -> None:
        self.session = session
        self._base_url = base_url.rstrip("/")
        self._connect = connect
        self._socket: Socket | None = None
        self._connection = trio.CancelScope()
        self._gone = trio.Event()  # set when the connection has ended
        self._dropped = False
        self._failure: Exception | None = None  # of the last connection
        self._inbox_in, self._inbox = trio.open_memory_channel[bytes | _Closed](INBOX)
        self._delays_in, self._delays = trio.open_memory_channel[float](1)

    @property
    def mirror(self) -> Mirror:
        """The battle, as of the update in hand."""
        return self.session.mirror

    async def send(self, message: PlayerMessage) -> bool:
        """Say something to the room; False if there is no connection to say it on.

        What was said just before a loss may or may not have come: the welcome that follows says
        how things stand, and the caller decides anew.
        """
        socket = self._socket
        if socket is None or self.session.state != "joined":
            return False
        try:
            await socket.send(encode(message), text=True)
        except ConnectionClosed:
            return False
        except trio.Cancelled:
            self._connection.cancel()  # half a frame may be on the wire
            raise
        return True

    async def leave(self) -> None:
        """Give up the seat for good; iteration ends. The server closes the connection then, and is
        given a moment for it: who hangs up first looks to it like one who was cut off."""
        said = await self.send(Leave())
        if self.session.state != "ended":
            self.session.left()
        if said:
            with trio.move_on_after(GOODBYE_SECONDS):
                await self._hung_up()
        self._finish()

    def __aiter__(self) -> Client:
        return self

    async def __anext__(self) -> Update:
        """The next message, frame, loss or trouble. Cancelling it loses nothing.

        Ends when the session has ended. Raises `NotAdmitted` and `GaveUp`.
        """
        while self.session.state != "ended":
            item = await self._inbox.receive()
            if isinstance(item, _Closed):
                if lost := self._closed(item):
                    return lost
            elif not self._dropped:
                return self._taken_in(item)
        raise StopAsyncIteration

    async def run(self) -> None:
        """Keep the session connected until it ends; runs beside whoever iterates."""
        while self.session.state != "ended":
            await self._inbox_in.send(await self._one_connection())
            try:
                await trio.sleep(await self._delays.receive())
            except trio.EndOfChannel:
                return
            if self.session.state == "away":
                self.session.retry()

    def _taken_in(self, data: bytes) -> Update:
        try:
            message = decode_to_client(data)
            self.session.received(message)
        except Undecodable as error:
            return self.session.note(error)
        except MirrorError as error:
            # What this connection still brings does not fit either; a resume brings it again.
            self._dropped = True
            self._connection.cancel()
            return self.session.note(error)
        if isinstance(message, Error) and self.session.state == "greeting":
            self._connection.cancel()  # refused for now; to be tried again
        if self.session.ending:
            self._end(self.session.ending)
        return message

    async def _hung_up(self) -> None:
        """Waits until the server has closed the connection; what it says before is not taken in."""
        with suppress(trio.WouldBlock):
            while True:  # whoever reads from it may wait for room
                self._inbox.receive_nowait()
        await self._gone.wait()

    def _closed(self, closed: _Closed) -> Lost | None:
        self._dropped = False
        then = self.session.lost(closed.code, closed.reason, trio.current_time())
        if isinstance(then, Lost):
            self._delays_in.send_nowait(then.retry_seconds)
            return then
        self._end(then)
        return None

    def _end(self, ending: Ending) -> None:
        self._finish()
        if ending.error is not None:
            raise NotAdmitted(ending.error)
        if ending.how == "gave_up":
            raise GaveUp(ending.reason) from self._failure

    def _finish(self) -> None:
        self._delays_in.close()
        self._connection.cancel()

    async def _one_connection(self) -> _Closed:
        self._failure = None
        with trio.CancelScope() as self._connection:
            try:
                async with self._connect(self._base_url + self.session.path()) as socket:
                    return await self._talk(socket)
            except (OSError, WebSocketException, trio.BrokenResourceError) as error:
                self._failure = error
                return _Closed(CloseCode.LOST, why(error))
        return _Closed(CloseCode.LOST, "dropped")

    async def _talk(self, socket: Socket) -> _Closed:
        try:
            await socket.send(encode(self.session.opened()), text=True)
            self._socket, self._gone = socket, trio.Event()
            with trio.fail_after(ANSWER_SECONDS):
                data = await socket.recv(decode=False)
            while True:
                if self.session.state != "ended":  # else it is only waited for the end
                    await self._inbox_in.send(data if isinstance(data, bytes) else data.encode())
                data = await socket.recv(decode=False)
        except trio.TooSlowError:
            return _Closed(CloseCode.LOST, "no answer")
        except ConnectionClosed as closed:
            if closed.rcvd is None:
                return _Closed(CloseCode.LOST, str(closed))
            return _Closed(closed.rcvd.code, closed.rcvd.reason)
        finally:
            self._socket = None
            self._gone.set()
