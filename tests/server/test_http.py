"""What plain HTTP gets from the server's port."""

from __future__ import annotations

import http.client
import json
import sqlite3

import pytest
import trio
from websockets.exceptions import InvalidStatus
from websockets.trio.client import connect

from protocol.client import open_client
from protocol.messages import Create, Welcome
from protocol.schema import schema
from server.app import Running
from server.config import Config
from server.journal.store import Store
from server.limits import Limits
from server.security import Security
from tests.server.strangers import come, handshake, written
from tests.server.test_live import running

Answer = tuple[int, dict[str, str], str]


async def get(server: Running, path: str, **headers: str) -> Answer:
    """Status, headers in small letters, and body."""

    def ask() -> Answer:
        client = http.client.HTTPConnection(server.host, server.port, timeout=10)
        client.request("GET", path, headers=headers)
        answer = client.getresponse()
        named = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, named, answer.read().decode()

    return await trio.to_thread.run_sync(ask)


async def test_pages() -> None:
    async with running() as server:
        for path, kind in (
            ("/", "text/html"),
            ("/?a=b", "text/html"),
            ("/healthz", "text/plain"),
            ("/readyz", "text/plain"),
            ("/api/rooms", "application/json"),
            ("/schema.json", "application/json"),
        ):
            status, headers, body = await get(server, path)
            assert status == 200
            assert headers["content-type"].startswith(kind)
            assert headers["x-content-type-options"] == "nosniff"
            assert "default-src 'none'" in headers["content-security-policy"]
            assert body
        status, _, body = await get(server, "/schema.json")
        assert json.loads(body) == json.loads(json.dumps(schema()))


async def test_what_is_not_there() -> None:
    async with running() as server:
        assert (await get(server, "/nothing"))[0] == 404
        assert (await get(server, "/../etc/passwd"))[0] == 404
        status, headers, _ = await get(server, "/rooms/new")
        assert (status, headers["upgrade"]) == (426, "websocket")


async def test_the_list_of_rooms_shows_the_public_ones() -> None:
    async with running() as server:
        async with open_client(server.url, Create(version=1, name="<b>Ada</b>")) as client:
            async for update in client:
                if isinstance(update, Welcome):
                    break
            rooms = json.loads((await get(server, "/api/rooms"))[2])["rooms"]
            assert [room["a"]["name"] for room in rooms] == ["<b>Ada</b>"]
        hello = Create(version=1, name="Bob", key="swordfish")
        async with open_client(server.url, hello) as client:
            async for update in client:
                if isinstance(update, Welcome):
                    break
            body = (await get(server, "/api/rooms"))[2]
            assert "Bob" not in body
            assert "swordfish" not in body


async def test_compression_is_off_even_for_who_offers_it() -> None:
    offer = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"
    async with running() as server:
        stranger = await come(server)
        await stranger.send(handshake("/rooms/new", offer))
        head = (await stranger.read_head()).lower()
        assert head.startswith("http/1.1 101 ")
        assert "sec-websocket-extensions" not in head
        async with connect(f"{server.url}/rooms/new", proxy=None, compression="deflate") as client:
            assert client.protocol.extensions == []


async def test_readiness_ends_before_the_server_does() -> None:
    async with running() as server:
        server.hall.drain()
        assert (await get(server, "/readyz"))[0] == 503
        assert (await get(server, "/healthz"))[0] == 200


@pytest.mark.parametrize("path", ["/api/replays", "/replays/none"])
async def test_replays_that_cannot_be_read_are_to_be_asked_for_later(
    monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    def fail(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    friend = "https://friend.example"
    config = Config(port=0, data=":memory:", security=Security(origins=(friend,)))
    with written() as logged:
        async with running(config) as server:
            monkeypatch.setattr(Store, "replays", fail)
            monkeypatch.setattr(Store, "fought", fail)
            status, headers, body = await get(server, path, Origin=friend)
            assert (status, headers["retry-after"]) == (503, "1")
            assert body == "Replays cannot be read at the moment.\n"
            assert headers["access-control-allow-origin"] == friend
            assert (await get(server, "/api/rooms"))[0] == 200
    lines = [json.loads(line) for line in logged.getvalue().splitlines()]
    (said,) = (line for line in lines if line["level"] == "error")
    assert (said["event"], said["why"]) == ("replays cannot be read", "disk I/O error")
    assert "exception" not in said


async def status_of(url: str, origin: str | None = None) -> int:
    """The status with which a WebSocket handshake is answered."""
    headers = {"Origin": origin} if origin else {}
    try:
        async with connect(url, additional_headers=headers, proxy=None, compression=None):
            return 101
    except InvalidStatus as invalid:
        return invalid.response.status_code


async def test_a_page_of_another_origin_may_not_connect() -> None:
    config = Config(port=0, security=Security(origins=("https://friend.example",)))
    async with running(config) as server:
        url = f"{server.url}/rooms/new"
        assert await status_of(url) == 101
        assert await status_of(url, f"http://{server.host}:{server.port}") == 101
        assert await status_of(url, "https://friend.example") == 101
        assert await status_of(url, "https://foe.example") == 403
        assert await status_of(url, "null") == 403


async def test_a_page_that_may_connect_may_read_what_there_is_to_read() -> None:
    friend = "https://friend.example"
    allowed = "access-control-allow-origin"
    async with running(Config(port=0, security=Security(origins=(friend,)))) as server:
        for path in ("/api/rooms", "/api/catalog", "/schema.json", "/replays/none"):
            _, headers, _ = await get(server, path, Origin=friend)
            assert (headers[allowed], headers["vary"]) == (friend, "Origin")
            _, headers, _ = await get(server, path, Origin="https://foe.example")
            assert (headers.get(allowed), headers["vary"]) == (None, "Origin")
        for path in ("/", "/metrics"):
            _, headers, _ = await get(server, path, Origin=friend)
            assert headers.get(allowed) is None
    async with running(Config(port=0)) as server:
        _, headers, _ = await get(server, "/api/rooms", Origin=friend)
        assert (headers.get(allowed), headers.get("vary")) == (None, None)


async def test_who_may_never_connect_is_not_told_when_to_try_again() -> None:
    async with running(Config(port=0, limits=Limits(connections_per_address=0))) as server:
        handshake = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
        handshake["Sec-WebSocket-Key"] = "dGhlIHNhbXBsZSBub25jZQ=="
        status, headers, _ = await get(server, "/rooms/new", **handshake, Origin="https://a.b")
        assert (status, headers.get("retry-after")) == (403, None)
        status, headers, _ = await get(server, "/rooms/new", **handshake)
        assert (status, headers.get("retry-after")) == (429, "1")


async def test_no_more_connections_than_the_limits() -> None:
    for limits, status in (
        (Limits(connections=1), 503),
        (Limits(connections_per_address=1), 429),
    ):
        async with running(Config(port=0, limits=limits)) as server:
            url = f"{server.url}/rooms/new"
            async with connect(url, proxy=None, compression=None):
                assert await status_of(url) == status
            with trio.fail_after(60):  # the next one is let in as soon as the first is gone
                while await status_of(url) != 101:
                    pass


async def test_a_websocket_to_nowhere() -> None:
    async with running() as server:
        assert await status_of(f"{server.url}/nothing") == 404
