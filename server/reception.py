"""What becomes of a request: a page, a refusal, or a conversation.

It stands between the door, which counts sockets, and the conversation, which knows nothing of
HTTP. Whatever strangers write into a request line or a header is answered; nothing raises.
"""

from __future__ import annotations

from collections import Counter
from http import HTTPStatus
from typing import Final
from urllib.parse import unquote, urlsplit

import structlog
import trio
from websockets.datastructures import Headers
from websockets.http11 import Request, Response
from websockets.trio.server import ServerConnection

from server import http
from server.addresses import is_loopback, sender
from server.bucket import Buckets
from server.callers import Caller
from server.config import Config
from server.connection import converse
from server.door import Crowd, peer_of, send_no_more_than
from server.gate import is_origin_allowed, sharing
from server.hall import Hall
from server.line import Line

ROOMS: Final = "/rooms/"
# What pages of the origins that may connect may read too.
SHARED: Final = ("/api/", "/replays/", "/schema.json")

log = structlog.get_logger()


class Reception:
    """Receives every connection of one server."""

    def __init__(self, config: Config, hall: Hall, crowd: Crowd) -> None:
        self._config = config
        self._hall = hall
        self._crowd = crowd
        limits = config.limits
        self._requests = Buckets(limits.requests_per_second, limits.requests_burst)
        # All that an address may have open can come at once: after a restart it does.
        self._handshakes = Buckets(limits.handshakes_per_second, limits.connections_per_address)
        self._here: Counter[str] = Counter()  # connections in conversation, by address
        # A page of someone else's can be shown under a name that leads to this machine; behind a
        # proxy, and where others connect, a name is what the server is known by.
        self._names = bool(config.security.proxies) or not is_loopback(config.host)

    async def process_request(
        self, connection: ServerConnection, request: Request
    ) -> Response | None:
        """Lets a WebSocket handshake for a room go on; answers everything else."""
        path, address = path_of(request), self._sender(connection, request)
        if wants_websocket(request.headers) and path.startswith(ROOMS):
            status, why = self._objection(connection, request, address)
            if status is None:
                return None
        elif path in http.PROBES or self._requests.take(
            address, trio.current_time(), http.tokens_of(path)
        ):
            response = await http.answer(self._hall, path, request.headers)
            if path.startswith(SHARED):
                response.headers.update(sharing(request.headers, self._config.security.origins))
            return response
        else:
            status, why = HTTPStatus.TOO_MANY_REQUESTS, "Too many requests from your address."
        log.debug("turned away", status=status.value, address=address)
        self._hall.metrics.refused[f"http_{status.value}"] += 1
        # What is forbidden will be so the next time too.
        later = {} if status is HTTPStatus.FORBIDDEN else http.RETRY
        return http.respond(status, f"{why}\n", extra=later)

    async def handle(self, connection: ServerConnection) -> None:
        """A connection after its handshake, until it is closed."""
        if connection.request is None or not isinstance(connection, Line):
            raise AssertionError("a handshake has a request, and a connection is a line")
        send_no_more_than(connection.stream, self._config.limits.socket_bytes)
        place = path_of(connection.request).removeprefix(ROOMS)
        address = self._sender(connection, connection.request)
        # Headers are as large as a stranger makes them, and not asked for again.
        connection.request, connection.response = Request("", Headers()), None
        self._here[address] += 1
        try:
            await converse(connection, self._hall, place, Caller(address))
        finally:
            self._here[address] -= 1
            if not self._here[address]:
                del self._here[address]

    def _objection(
        self, connection: ServerConnection, request: Request, address: str
    ) -> tuple[HTTPStatus | None, str]:
        security, now = self._config.security, trio.current_time()
        if not is_origin_allowed(request.headers, security.origins, names=self._names):
            return HTTPStatus.FORBIDDEN, "This origin may not connect."
        if not self._handshakes.take(address, now):
            return HTTPStatus.TOO_MANY_REQUESTS, "Too many handshakes from your address."
        if self._crowd.is_full(now):
            return HTTPStatus.SERVICE_UNAVAILABLE, "The server is full."
        most = self._config.limits.connections_per_address
        if self._here[address] >= most or self._crowd.is_one_too_many(
            peer_of(connection.stream), now
        ):
            return HTTPStatus.TOO_MANY_REQUESTS, "Too many connections from your address."
        return None, ""

    def _sender(self, connection: ServerConnection, request: Request) -> str:
        said = request.headers.get_all("X-Forwarded-For")
        return sender(peer_of(connection.stream), said, self._config.security.proxies)


def wants_websocket(headers: Headers) -> bool:
    """Whether it is a WebSocket handshake; whether a right one, the library sees to."""
    return [value.lower() for value in headers.get_all("Upgrade")] == ["websocket"]


def path_of(request: Request) -> str:
    """The path that is asked for; empty where the target is no URL."""
    try:
        return unquote(urlsplit(request.path).path)
    except ValueError:  # brackets that hold no address, after two slashes
        return ""
