"""Every request is answered and, where it is refused, counted: whatever its method, whatever is
wrong with it, and whatever comes after it in the same segment.
"""

from __future__ import annotations

import json

import pytest

from server.app import Running
from server.config import Config
from server.limits import Limits
from tests.server.rooms import RULES
from tests.server.strangers import come, handshake, listened
from tests.server.test_live import running

CONFIG = Config(port=0, rules=RULES, limits=Limits(hello_seconds=2.0, close_seconds=0.3))
Answer = tuple[int, dict[str, str], bytes]


def request(line: str, *more: str) -> bytes:
    return "\r\n".join((line, "Host: x", *more, "", "")).encode("latin-1")


async def ask(server: Running, *parts: bytes, leaves: bool = False) -> Answer:
    """Status, headers in small letters, and body. Whoever `leaves` says at once that nothing more
    will come of them."""
    stranger = await come(server)
    await stranger.send(b"".join(parts))
    if leaves:
        await stranger.stream.send_eof()
    head, _, body = (await stranger.drain(5)).partition(b"\r\n\r\n")
    await stranger.stream.aclose()
    lines = head.decode("latin-1").split("\r\n")
    headers = (line.partition(": ") for line in lines[1:])
    return int(lines[0].split()[1]), {name.lower(): value for name, _, value in headers}, body


@pytest.mark.parametrize(
    "asked",
    [
        request("POST /api/rooms HTTP/1.1"),
        request("DELETE / HTTP/1.1"),
        request("OPTIONS /api/rooms HTTP/1.1"),
        request("get / HTTP/1.1"),
        request("FROBNICATE / HTTP/1.1"),
        request("POST / HTTP/1.1", "Content-Length: 5") + b"hello",
        request("PUT / HTTP/1.1", "Content-Length: 900000") + b"x" * 900_000,
        request("POST / HTTP/1.1", "Transfer-Encoding: chunked") + b"0\r\n\r\n",
        handshake().replace(b"GET", b"POST"),
    ],
    ids=lambda asked: asked[:40].decode(),
)
async def test_a_method_that_is_none_of_those_that_read_is_not_allowed(asked: bytes) -> None:
    with listened():
        async with running(CONFIG) as server:
            status, headers, body = await ask(server, asked)
            assert (status, headers["allow"]) == (405, "GET, HEAD")
            assert body == b"Only GET and HEAD are answered.\n"
            assert server.hall.metrics.refused == {"http_405": 1}


@pytest.mark.parametrize("path", ["/", "/healthz", "/api/rooms", "/nothing", "/rooms/new"])
async def test_a_head_is_told_what_a_get_is_but_the_body(path: str) -> None:
    async with running(CONFIG) as server:
        status, headers, body = await ask(server, request(f"GET {path} HTTP/1.1"))
        assert await ask(server, request(f"HEAD {path} HTTP/1.1")) == (status, headers, b"")
        assert int(headers["content-length"]) == len(body) > 0


async def test_a_head_is_no_handshake() -> None:
    async with running(CONFIG) as server:
        status, headers, body = await ask(server, handshake().replace(b"GET", b"HEAD"))
        assert (status, headers["upgrade"], body) == (426, "websocket", b"")


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (request("GET / HTTP/1.1", "Content-Length: 5") + b"hello", 400),
        (request("GET / HTTP/1.1", "Transfer-Encoding: chunked"), 400),
        (request("GET / HTTP/1.1", "X: a\0b"), 400),
        (request("GET / HTTP/1.1", "no header"), 400),
        (request("GET / HTTP/1.1", "X y: z"), 400),
        (request("GET /\xff HTTP/1.1"), 400),
        (request("GET / HTTP/2"), 400),
        (request("GET / HTTP/0.9"), 400),
        (request("GET /"), 400),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
        (b"GET / HTTP/1.1\nHost: x\n\n", 400),
        (b"\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\n", 400),  # as a client of TLS begins
        (request("GET /" + "x" * 9000 + " HTTP/1.1"), 414),
        (request("GET / HTTP/1.1", "X: " + "x" * 9000), 431),
        (request("GET / HTTP/1.1", *["X: y"] * 200), 431),
        (handshake().replace(b"Sec-WebSocket-Key", b"X"), 400),
        (handshake().replace(b"HTTP/1.1", b"HTTP/1.0"), 505),
    ],
    ids=lambda value: value[:40].decode("latin-1") if isinstance(value, bytes) else None,
)
async def test_what_is_no_request_is_told_so_and_counted(asked: bytes, status: int) -> None:
    with listened() as logged:
        async with running(CONFIG) as server:
            told, headers, body = await ask(server, asked)
            assert (told, len(body)) == (status, int(headers["content-length"]))
            assert body.endswith(b".\n")
            assert server.hall.metrics.refused == {f"http_{status}": 1}
    (line,) = [line for line in logged.getvalue().splitlines() if "turned away" in line]
    assert (json.loads(line)["status"], json.loads(line)["address"]) == (status, "127.0.0.1")


async def test_what_is_no_request_is_told_so_also_where_it_comes_drop_by_drop() -> None:
    async with running(CONFIG) as server:
        stranger = await come(server)
        for byte in request("POST / HTTP/1.1", "Content-Length: 5"):
            await stranger.send(bytes([byte]))
        assert (await stranger.read_head()).startswith("HTTP/1.1 405 ")
        await stranger.stream.aclose()


@pytest.mark.parametrize(
    "more", [b"", b"\r\n", b"hello", request("GET / HTTP/1.1"), b"x" * 200_000]
)
@pytest.mark.parametrize("leaves", [False, True])
async def test_what_comes_after_a_request_keeps_nobody_from_the_answer(
    more: bytes, leaves: bool
) -> None:
    with listened():
        async with running(CONFIG) as server:
            for path in ("/healthz", "/api/replays"):
                status, _, body = await ask(
                    server, request(f"GET {path} HTTP/1.1"), more, leaves=leaves
                )
                assert (status, bool(body)) == (200, True)
            assert not server.hall.metrics.refused
