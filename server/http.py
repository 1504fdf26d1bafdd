"""What is served to plain HTTP on the same port: a page, the list of rooms, the schema, health.

Answers are made from the hall as it stands; nothing here changes anything or waits.
"""

from __future__ import annotations

import html
from collections.abc import Callable
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

import msgspec
import orjson
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from protocol.messages import RoomState, SeatState
from protocol.schema import schema
from server.hall import Hall

SECURITY: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}

TEXT: Final = "text/plain; charset=utf-8"
JSON: Final = "application/json"
HTML: Final = "text/html; charset=utf-8"


def answer(hall: Hall, path: str) -> Response:
    """The answer to a GET that is no WebSocket handshake."""
    if path in PAGES:
        return PAGES[path](hall)
    if path.startswith("/rooms/"):
        upgrade = {"Upgrade": "websocket"}
        return respond(HTTPStatus.UPGRADE_REQUIRED, "This is a WebSocket.\n", extra=upgrade)
    return respond(HTTPStatus.NOT_FOUND, "There is nothing here.\n")


def respond(
    status: HTTPStatus, body: str | bytes, kind: str = TEXT, extra: dict[str, str] | None = None
) -> Response:
    """A whole response; the connection closes after it."""
    data = body.encode() if isinstance(body, str) else body
    headers = Headers({"Content-Type": kind, "Content-Length": str(len(data)), **SECURITY})
    headers["Connection"] = "close"
    for name, value in (extra or {}).items():
        headers[name] = value
    return Response(status.value, status.phrase, headers, data)


def wants_websocket(request: Request) -> bool:
    return request.headers.get("Upgrade", "").lower() == "websocket"


def is_origin_allowed(request: Request, allowed: tuple[str, ...]) -> bool:
    """A browser says which page opens the connection: only our own may, and those configured.

    Programs that are no browsers send no origin; a page cannot leave it out.
    """
    origin = request.headers.get("Origin")
    if origin is None or origin in allowed:
        return True
    return urlsplit(origin).netloc == request.headers.get("Host")


def _health(_: Hall) -> Response:
    return respond(HTTPStatus.OK, "ok\n")


def _readiness(hall: Hall) -> Response:
    if hall.draining:
        return respond(HTTPStatus.SERVICE_UNAVAILABLE, "draining\n")
    return respond(HTTPStatus.OK, "ready\n")


def _rooms(hall: Hall) -> Response:
    rooms = {"rooms": [msgspec.to_builtins(room) for room in hall.listing()]}
    return respond(HTTPStatus.OK, orjson.dumps(rooms), JSON)


def _schema(_: Hall) -> Response:
    return respond(HTTPStatus.OK, orjson.dumps(schema()), JSON)


def _page(hall: Hall) -> Response:
    rows = "".join(_row(room) for room in reversed(hall.listing()))
    table = f"<table><tr>{_HEAD}</tr>{rows}</table>" if rows else "<p>No public room is open.</p>"
    return respond(HTTPStatus.OK, _PAGE.format(table=table), HTML)


def _row(room: RoomState) -> str:
    cells = (
        room.id,
        room.phase,
        _seat(room.a),
        _seat(room.b),
        f"{room.round}, best of {room.best_of}",
        str(room.spectators),
    )
    return f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in cells)}</tr>"


def _seat(seat: SeatState | None) -> str:
    return "free" if seat is None else f"{seat.name} ({seat.wins})"


_HEAD: Final = "".join(
    f"<th>{name}</th>" for name in ("Room", "Phase", "Seat a", "Seat b", "Round", "Spectators")
)

_PAGE: Final = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Phylactery</title>
<style>body{{font:16px/1.5 system-ui;margin:2rem auto;max-width:60rem;padding:0 1rem}}
td,th{{text-align:left;padding:.25rem 1rem .25rem 0}}</style>
<h1>Phylactery</h1>
<p>Battles are on <code>ws:</code> at this address: play with <code>phylactery play</code>, look on
with <code>phylactery watch ROOM</code>.</p>
{table}
</html>
"""

PAGES: Final[dict[str, Callable[[Hall], Response]]] = {
    "/": _page,
    "/healthz": _health,
    "/readyz": _readiness,
    "/api/rooms": _rooms,
    "/schema.json": _schema,
}
