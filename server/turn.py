"""Whose turn it is to write on a socket: the library's, or that of one who writes past it."""

from __future__ import annotations

from types import TracebackType
from typing import Final, Protocol

import trio
import websockets.protocol
from websockets.protocol import State

_OPEN: Final = State.OPEN


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
