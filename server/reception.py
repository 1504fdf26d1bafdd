"""What becomes of a request: a page, a refusal, or a conversation.

It stands between the door, which counts sockets, and the conversation, which knows nothing of
HTTP. Whatever strangers write into a request line or a header is answered; nothing raises.
"""

from __future__ import annotations

from collections import Counter
from http import HTTPMethod, HTTPStatus
from typing import Final
from urllib.parse import unquote, urlsplit

import structlog
import trio
from websockets.datastructures import Headers
from websockets.exceptions import HeaderLineTooLong, RequestLineTooLong, TooManyHeaders
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

OTHER_METHODS: Final = {str(method) for method in HTTPMethod} - {*http.METHODS}
NO_METHOD: Final = "Only GET and HEAD are answered."
NO_REQUEST: Final = "This is no request of HTTP/1.1 without a body, and no other is answered."
# What goes with a refusal: when to try again, where it may go better the next time.
MORE: Final = {
    HTTPStatus.METHOD_NOT_ALLOWED: {"Allow": ", ".join(http.METHODS)},
    HTTPStatus.TOO_MANY_REQUESTS: http.RETRY,
    HTTPStatus.SERVICE_UNAVAILABLE: http.RETRY,
}

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
        # Connections by address, from when they are let in: many handshakes may come at once.
        self._here: Counter[str] = Counter()
        # A page of someone else's can be shown under a name that leads to this machine; behind a
        # proxy, and where others connect, a name is what the server is known by.
        self._names = bool(config.security.proxies) or not is_loopback(config.host)

    async def process_request(
        self, connection: ServerConnection, request: Request
    ) -> Response | None:
        """Lets a WebSocket handshake for a room go on; answers everything else."""
        address = self._sender(connection, request)
        if request.method not in http.METHODS:
            return self._turn_away(HTTPStatus.METHOD_NOT_ALLOWED, NO_METHOD, address)
        response = await self._answer(connection, request, address)
        if response is not None and request.method == "HEAD":
            response.body = b""
        return response

    async def _answer(
        self, connection: ServerConnection, request: Request, address: str
    ) -> Response | None:
        path = path_of(request)
        if wants_websocket(request) and path.startswith(ROOMS):
            status, why = self._objection(connection, request, address)
            return None if status is None else self._turn_away(status, why, address)
        if path in http.PROBES or self._requests.take(
            address, trio.current_time(), http.tokens_of(path)
        ):
            response = await http.answer(self._hall, path, request.headers)
            if path.startswith(SHARED):
                response.headers.update(sharing(request.headers, self._config.security.origins))
            return response
        why = "Too many requests from your address."
        return self._turn_away(HTTPStatus.TOO_MANY_REQUESTS, why, address)

    def process_response(
        self, connection: ServerConnection, request: Request, response: Response
    ) -> None:
        """Counts a handshake that the library has found to be none."""
        line_of(connection).will_answer(response)
        if connection.protocol.handshake_exc is not None:
            self._note(HTTPStatus(response.status_code), self._sender(connection, request))

    def refuse(self, line: Line, beginning: bytes) -> Response:
        """Whom a proxy has it from is not known: the headers cannot be read."""
        method, space, _ = beginning.decode("latin-1").partition(" ")
        address = sender(peer_of(line.stream), (), ())
        if space and method in OTHER_METHODS:
            return self._turn_away(HTTPStatus.METHOD_NOT_ALLOWED, NO_METHOD, address)
        match line.protocol.handshake_exc:
            case RequestLineTooLong():
                status, why = HTTPStatus.REQUEST_URI_TOO_LONG, "The request's line is too long."
            case HeaderLineTooLong() | TooManyHeaders():
                status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
                why = "The request's headers are too long, or too many."
            case _:
                status, why = HTTPStatus.BAD_REQUEST, NO_REQUEST
        response = self._turn_away(status, why, address)
        if method == "HEAD":
            response.body = b""
        return response

    def _turn_away(self, status: HTTPStatus, why: str, address: str) -> Response:
        self._note(status, address)
        return http.respond(status, f"{why}\n", extra=MORE.get(status))

    def _note(self, status: HTTPStatus, address: str) -> None:
        log.debug("turned away", status=status.value, address=address)
        self._hall.metrics.refused[f"http_{status.value}"] += 1

    async def handle(self, connection: ServerConnection) -> None:
        """A connection after its handshake, until it is closed."""
        if connection.request is None:
            raise AssertionError("a handshake has a request")
        line = line_of(connection)
        try:
            send_no_more_than(line.stream, self._config.limits.socket_bytes)
            place = path_of(connection.request).removeprefix(ROOMS)
            address = self._sender(line, connection.request)
            # Headers are as large as a stranger makes them, and not asked for again.
            connection.request, connection.response = Request("", Headers()), None
            await converse(line, self._hall, place, Caller(address))
        finally:
            self.uncount(line)

    def uncount(self, line: Line) -> None:
        address, line.counted_for = line.counted_for, None
        if address is not None:
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
        self._here[address] += 1
        line_of(connection).counted_for = address
        return None, ""

    def _sender(self, connection: ServerConnection, request: Request) -> str:
        said = request.headers.get_all("X-Forwarded-For")
        return sender(peer_of(connection.stream), said, self._config.security.proxies)


def line_of(connection: ServerConnection) -> Line:
    """The connection as what it is."""
    if not isinstance(connection, Line):
        raise AssertionError("a connection is a line")  # noqa: TRY004 - nobody else's mistake
    return connection


def wants_websocket(request: Request) -> bool:
    """Whether it is a WebSocket handshake; whether a right one, the library sees to."""
    said = [value.lower() for value in request.headers.get_all("Upgrade")]
    return request.method == "GET" and said == ["websocket"]


def path_of(request: Request) -> str:
    """The path that is asked for; empty where the target is no URL."""
    try:
        return unquote(urlsplit(request.path).path)
    except ValueError:  # brackets that hold no address, after two slashes
        return ""
