"""A client's WebSocket connection, which ends when it is to end.

The library stops reading while too many messages wait to be taken, and whoever closes the
connection then waits for a reader that nobody wakes. And it asks for signs of life no longer once
one took more time than there is between two: a line that then goes dead is never seen to be.
"""

from __future__ import annotations

import logging
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

from websockets.trio.client import ClientConnection
from websockets.trio.client import connect as library_connect

# The library logs a line that is dead as a failure of its own, and what nobody handles is printed:
# a traceback, in the middle of what is shown. Whoever uses the connection is told in any case.
_LOG: Final = logging.getLogger(__name__)
_LOG.addHandler(logging.NullHandler())


class Connection(ClientConnection):
    """The library's, whose reader is woken as its stream is closed, and which goes on asking."""

    _latency = 0.0

    @property
    def latency(self) -> float:
        """Of the last sign of life, in seconds; at most the time between two, from which the
        library takes it."""
        return min(self._latency, self.ping_interval or 0.0)

    @latency.setter
    def latency(self, seconds: float) -> None:
        self._latency = seconds

    async def close_stream(self) -> None:
        try:
            await super().close_stream()
        finally:
            if self.recv_flow_control is not None:
                self.recv_flow_control.set()


def connect(url: str, **options: Any) -> AbstractAsyncContextManager[ClientConnection]:
    """The library's `connect`, with such a connection and without compression."""
    return library_connect(
        url, create_connection=Connection, compression=None, logger=_LOG, **options
    )
