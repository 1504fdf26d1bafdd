"""A client's WebSocket connection, which ends when it is to end.

The library stops reading while too many messages wait to be taken, and whoever closes the
connection then waits for a reader that nobody wakes.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any

from websockets.trio.client import ClientConnection
from websockets.trio.client import connect as library_connect


class Connection(ClientConnection):
    """The library's, whose reader is woken as its stream is closed."""

    async def close_stream(self) -> None:
        try:
            await super().close_stream()
        finally:
            if self.recv_flow_control is not None:
                self.recv_flow_control.set()


def connect(url: str, **options: Any) -> AbstractAsyncContextManager[ClientConnection]:
    """The library's `connect`, with such a connection and without compression."""
    return library_connect(url, create_connection=Connection, compression=None, **options)
