"""The server: what is where, within which limits, and how it starts and ends.

    GET /, /healthz, /readyz, /api/rooms, /schema.json      server.http; anyone
    ws  /rooms/new      create          limits.rooms
    ws  /rooms/quick    quick           limits.rooms
    ws  /rooms/{id}     join            two seats
                        watch           limits.spectators
                        resume          limits.resume_seconds

Every connection is bound by limits.connections, .connections_per_address, .hello_seconds,
.message_bytes and .messages_per_second; see `server.limits`.
"""

from __future__ import annotations

import random
import socket
from collections import Counter
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Final, cast
from urllib.parse import urlsplit

import structlog
import trio
from websockets.http11 import Request, Response
from websockets.trio.server import Server, ServerConnection
from websockets.trio.server import serve as serve_websockets

from protocol.codes import CloseCode
from server import http
from server.config import Config
from server.connection import converse
from server.delivery import Closing
from server.hall import Hall
from server.metronome import Metronome

ROOMS: Final = "/rooms/"

log = structlog.get_logger()


@dataclass(frozen=True)
class Running:
    """A server that accepts connections."""

    host: str
    port: int
    hall: Hall

    @property
    def url(self) -> str:
        """Where clients connect: `ws://127.0.0.1:8750`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"ws://{host}:{self.port}"


async def serve(
    config: Config, *, task_status: trio.TaskStatus[Running] = trio.TASK_STATUS_IGNORED
) -> None:
    """Serves until cancelled; then tells everyone, waits for nobody for long, and returns.

    Raises `OSError` where it cannot listen.
    """
    listeners = await trio.open_tcp_listeners(config.port, host=config.host)
    house = House(config, listeners)
    async with trio.open_nursery() as nursery:
        await nursery.start(house.run)
        port = cast(int, listeners[0].socket.getsockname()[1])
        running = Running(config.host, port, house.hall)
        log.info("listening", url=running.url)
        try:
            task_status.started(running)
            await trio.sleep_forever()
        finally:
            with trio.CancelScope(shield=True):
                await house.shut()
            log.info("stopped")


class House:
    """Everything that runs while the server does; ended by `shut` and by nothing else."""

    def __init__(self, config: Config, listeners: list[trio.SocketListener]) -> None:
        self._config = config
        self._listeners = listeners
        self._metronome = Metronome()
        self.hall = Hall(config, self._metronome)
        self._addresses: Counter[str] = Counter()  # connections that are open, by address
        self._scope = trio.CancelScope(shield=True)
        self._server: Server | None = None

    async def run(self, *, task_status: trio.TaskStatus[None]) -> None:
        limits = self._config.limits
        with self._scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._metronome.run)
                self._server = await nursery.start(
                    partial(
                        serve_websockets,
                        self._handle,
                        listeners=self._listeners,
                        process_request=self._process_request,
                        server_header=None,
                        compression=None,  # 27 KiB a connection against 67
                        open_timeout=limits.hello_seconds,
                        ping_interval=limits.ping_seconds,
                        ping_timeout=limits.ping_seconds,
                        close_timeout=limits.close_seconds,
                        max_size=limits.message_bytes,
                        max_queue=4,
                    )
                )
                task_status.started()

    async def shut(self) -> None:
        """Takes in nobody new, tells everyone, and leaves those behind who do not listen."""
        self.hall.draining = True
        if self._server is not None:
            self._server.closing = True
            self._server.serve_nursery.cancel_scope.cancel()
            # Not all at the same moment, when the server is back.
            retry = round(random.uniform(1, 3), 1)  # noqa: S311
            self.hall.dismiss_all(Closing(CloseCode.RESTART, "the server restarts", retry))
            with trio.move_on_after(2 * self._config.limits.close_seconds):
                await self._server.handlers_waiter.wait()
        self._scope.cancel()

    def _process_request(self, connection: ServerConnection, request: Request) -> Response | None:
        """Lets a WebSocket handshake for a room go on; answers everything else."""
        path = urlsplit(request.path).path
        if not (http.wants_websocket(request) and path.startswith(ROOMS)):
            return http.answer(self.hall, path)
        if not http.is_origin_allowed(request, self._config.origins):
            return http.respond(HTTPStatus.FORBIDDEN, "This origin may not connect.\n")
        limits = self._config.limits
        if self._addresses.total() >= limits.connections:
            return http.respond(HTTPStatus.SERVICE_UNAVAILABLE, "The server is full.\n")
        if self._addresses[_address(connection)] >= limits.connections_per_address:
            return http.respond(HTTPStatus.TOO_MANY_REQUESTS, "Too many connections.\n")
        return None

    async def _handle(self, connection: ServerConnection) -> None:
        if connection.request is None:
            raise AssertionError("a handshake has a request")
        if isinstance(connection.stream, trio.SocketStream):
            size = self._config.limits.socket_bytes
            connection.stream.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, size)
        place = urlsplit(connection.request.path).path.removeprefix(ROOMS)
        address = _address(connection)
        self._addresses[address] += 1
        try:
            await converse(connection, self.hall, place)
        finally:
            self._addresses[address] -= 1
            if not self._addresses[address]:
                del self._addresses[address]


def _address(connection: ServerConnection) -> str:
    try:
        return str(connection.remote_address[0])
    except OSError:  # a socket that was reset or closed before its handshake was through
        return "gone"
