"""What is served to plain HTTP on the same port: a page, the list of rooms, the schema, health.

Answers are made from the hall as it stands, replays from the journal; nothing here changes
anything.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from http import HTTPStatus
from types import MappingProxyType
from typing import Final

import msgspec
import structlog
from websockets.datastructures import Headers
from websockets.http11 import Response

from protocol.messages import BattleId
from protocol.schema import schema_bytes
from server.hall import Hall
from server.metrics import CONTENT_TYPE
from server.replay import Replay, encode, listing, replay_of
from server.retelling import Untellable, WrittenOtherwise
from server.static import StaticFile, read_static
from server.streams import Busy

SECURITY: Final = {
    "Content-Security-Policy": "default-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}

METHODS: Final = ("GET", "HEAD")

# To whom it may go better the next time.
RETRY: Final = {"Retry-After": "1"}

LATEST: Final = "/api/replays"
REPLAYS: Final = "/replays/"
STREAM: Final = "/stream"
STREAM_TOKENS: Final = 4
LISTED: Final = 100  # of the latest
# The page's own: nothing inline, nothing from elsewhere, in nobody's frame.
PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

TEXT: Final = "text/plain; charset=utf-8"
JSON: Final = "application/json"

log = structlog.get_logger()


async def answer(hall: Hall, path: str, headers: Headers) -> Response:
    """The answer to a GET that is no WebSocket handshake. A HEAD is told the same, but its body."""
    known = headers.get_all("If-None-Match")
    if path in FILES:
        return _file(FILES[path], known, {"Content-Security-Policy": PAGE_POLICY})
    if path == "/api/catalog":
        return _file(hall.printed, known)
    if path in PAGES:
        return PAGES[path](hall)
    if path == LATEST or path.startswith(REPLAYS):
        return await _kept(hall, path)
    if path.startswith("/rooms/"):
        upgrade = {"Upgrade": "websocket"}
        return respond(HTTPStatus.UPGRADE_REQUIRED, "This is a WebSocket.\n", extra=upgrade)
    return _nothing_here()


def respond(
    status: HTTPStatus, body: str | bytes, kind: str = TEXT, extra: dict[str, str] | None = None
) -> Response:
    """A whole response; the connection closes after it."""
    data = body.encode() if isinstance(body, str) else body
    own = {"Content-Type": kind, "Content-Length": str(len(data)), "Connection": "close"}
    headers = Headers({**own, **SECURITY, **(extra or {})})
    return Response(status.value, status.phrase, headers, data)


async def _kept(hall: Hall, path: str) -> Response:
    """What of the journal is asked for."""
    try:
        if path == LATEST:
            return respond(HTTPStatus.OK, listing(await hall.journal.replays(LISTED)), JSON)
        if path.endswith(STREAM):
            return await _streamed(hall, BattleId(path.removeprefix(REPLAYS).removesuffix(STREAM)))
        replay = await _replay(hall, BattleId(path.removeprefix(REPLAYS)))
    except sqlite3.Error as error:
        log.error("replays cannot be read", why=str(error))  # noqa: TRY400 - where is no matter
        sentence = "Replays cannot be read at the moment.\n"
        return respond(HTTPStatus.SERVICE_UNAVAILABLE, sentence, extra=RETRY)
    return _nothing_here() if replay is None else respond(HTTPStatus.OK, encode(replay), JSON)


async def _replay(hall: Hall, battle: BattleId) -> Replay | None:
    fought = await hall.journal.fought(battle)
    return None if fought is None else replay_of(fought)


async def _streamed(hall: Hall, battle: BattleId) -> Response:
    try:
        body = await hall.streams.of(battle, partial(_replay, hall))
    except Busy:
        sentence = "Too many replays are asked for at once.\n"
        return respond(HTTPStatus.SERVICE_UNAVAILABLE, sentence, extra=RETRY)
    except WrittenOtherwise as other:
        return respond(HTTPStatus.GONE, f"{other}\n")
    except Untellable as untellable:
        log.error("a replay cannot be told", battle=battle, why=str(untellable))  # noqa: TRY400
        sentence = "This replay was not kept as it was.\n"
        return respond(HTTPStatus.INTERNAL_SERVER_ERROR, sentence)
    return _nothing_here() if body is None else respond(HTTPStatus.OK, body, JSON)


def tokens_of(path: str) -> int:
    """How many requests this one counts for: so many times the work of another."""
    return STREAM_TOKENS if path.startswith(REPLAYS) and path.endswith(STREAM) else 1


def _nothing_here() -> Response:
    return respond(HTTPStatus.NOT_FOUND, "There is nothing here.\n")


def _health(_: Hall) -> Response:
    return respond(HTTPStatus.OK, "ok\n")


def _readiness(hall: Hall) -> Response:
    if hall.draining:
        return respond(HTTPStatus.SERVICE_UNAVAILABLE, "draining\n")
    return respond(HTTPStatus.OK, "ready\n")


def _rooms(hall: Hall) -> Response:
    return respond(HTTPStatus.OK, msgspec.json.encode({"rooms": hall.listing()}), JSON)


def _schema(_: Hall) -> Response:
    return respond(HTTPStatus.OK, schema_bytes(), JSON)


def _metrics(hall: Hall) -> Response:
    return respond(HTTPStatus.OK, hall.exporter.text(), CONTENT_TYPE)


def _file(
    file: StaticFile, known: Sequence[str], more: Mapping[str, str] = MappingProxyType({})
) -> Response:
    """What stays the same; nothing but its tag to whom `known`, If-None-Match, says has it."""
    extra = {"ETag": file.etag, "Cache-Control": "no-cache", **more}
    if file.etag in known:
        return respond(HTTPStatus.NOT_MODIFIED, b"", file.kind, extra)
    return respond(HTTPStatus.OK, file.body, file.kind, extra)


FILES: Final = read_static()

# Whoever watches over the server may have its address in common with strangers, and these answers
# cost no more than a refusal.
PROBES: Final = ("/healthz", "/readyz")

PAGES: Final[dict[str, Callable[[Hall], Response]]] = {
    "/healthz": _health,
    "/readyz": _readiness,
    "/metrics": _metrics,
    "/api/rooms": _rooms,
    "/schema.json": _schema,
}
