"""The operator's settings, and a server that runs under them."""

from __future__ import annotations

import json
import ssl
import subprocess
import sys
from pathlib import Path

import jwt
import pytest
import trustme
from websockets.exceptions import InvalidStatus
from websockets.trio.client import connect

from protocol.codec import decode_to_client, encode
from protocol.messages import Create, Error, Resume, Watch, Welcome
from server.addresses import read_network
from server.cli.ticket import ticket
from server.config import Config
from server.limits import Limits
from server.security import Insecure, Security, read_security
from server.tickets import make_ticket, read_claims, with_secret
from tests.server.rooms import RULES
from tests.server.strangers import come, come_in, handshake, listened
from tests.server.test_live import running

SECRET = "0123456789abcdef" * 2
SERVE = [sys.executable, "-c", "from server.cli import main; main()", "serve", "--port", "0"]


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_a_server_for_this_machine_needs_nothing(host: str) -> None:
    assert read_security(host) == Security()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.7", "example.org", ""])  # noqa: S104
def test_a_server_for_others_asks_for_tickets(host: str) -> None:
    with pytest.raises(Insecure, match=r"--ticket-secret .* or --ticket-key; .*--host 127.0.0.1"):
        read_security(host)
    assert read_security(host, ticket_secret=SECRET).tickets is not None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("https://Game.example.org/", "https://game.example.org"),
        ("https://game.example.org", "https://game.example.org"),
        ("https://game.example.org:443", "https://game.example.org"),
        ("http://game.example.org:80/", "http://game.example.org"),
        ("http://game.example.org:443", "http://game.example.org:443"),
        ("https://game.example.org:08443", "https://game.example.org:8443"),
        ("https://xn--spl-qla.example", "https://xn--spl-qla.example"),
        ("http://[0:0:0:0:0:0:0:1]:80", "http://[::1]"),
        ("capacitor://localhost:3", "capacitor://localhost:3"),
    ],
)
def test_an_origin_as_browsers_say_it(text: str, said: str) -> None:
    assert read_security("127.0.0.1", origins=[text]).origins == (said,)


@pytest.mark.parametrize(
    "text",
    [
        *("foo", "", "*", "null", "https://", "https://a/b", "https://a b"),
        *("https://a:x", "https://a:", "https://a:65536", "https://:443", "https://[::1"),
        *("https://[1.2.3]", "https://*.example.org", "https://a,https://b"),
    ],
)
def test_an_origin_that_no_browser_ever_says(text: str) -> None:
    with pytest.raises(Insecure, match=r"--origin: .* is no origin"):
        read_security("127.0.0.1", origins=[text])


@pytest.mark.parametrize("text", ["https://spöl.example", "https://SPÖL.example:443/"])
def test_an_origin_is_asked_for_in_the_form_that_browsers_send(text: str) -> None:
    with pytest.raises(Insecure, match=r"--origin: .* the name's xn-- form"):
        read_security("127.0.0.1", origins=[text])


@pytest.mark.parametrize("text", ["ws://game.example.org", "wss://game.example.org"])
def test_an_origin_is_the_pages_and_not_the_servers(text: str) -> None:
    with pytest.raises(Insecure, match=r"--origin: .* is no page's"):
        read_security("127.0.0.1", origins=[text])


def test_the_process_says_so_and_does_not_start() -> None:
    ended = subprocess.run(
        [*SERVE, "--host", "0.0.0.0"],  # noqa: S104
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert ended.returncode == 2
    (line,) = ended.stderr.splitlines()
    assert line.startswith("phylactery: without tickets, 0.0.0.0 would let in everyone")


def test_what_cannot_be(tmp_path: Path) -> None:
    empty = tmp_path / "empty.pem"
    empty.write_text("")
    for settings, sentence in (
        ({"ticket_secret": "short"}, "--ticket-secret: its 5 bytes are too few"),
        ({"ticket_key": empty}, "it is no public key in PEM"),
        ({"ticket_key": tmp_path / "none"}, "cannot read .*none: No such file"),
        ({"ticket_secret": SECRET, "ticket_key": empty}, "signed with one of them"),
        ({"tls_cert": empty}, "one is of no use without the other"),
        ({"tls_key": empty}, "one is of no use without the other"),
        (
            {"tls_cert": empty, "tls_key": empty},
            "--tls-cert .*, --tls-key .*: no cert",
        ),
        (
            {"tls_cert": tmp_path / "none", "tls_key": empty},
            "none, .*: cannot be read: No such",
        ),
        ({"trusted_proxies": ["10.0.0.1/8"]}, "--trusted-proxy: 10.0.0.1/8 has host bits set"),
        ({"trusted_proxies": ["proxy"]}, "--trusted-proxy: 'proxy' does not appear"),
    ):
        with pytest.raises(Insecure, match=sentence):
            read_security("127.0.0.1", **settings)


def test_the_command_makes_tickets_that_the_server_reads(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    status = ticket(SECRET, player="ada", name="Ada", room="r1", role="player", minutes=5)
    assert status == 0
    made = capfdbinary.readouterr().out.decode().strip()
    assert with_secret(SECRET).read(made) == read_claims("ada", "Ada", "r1", "player")
    assert jwt.get_unverified_header(made)["alg"] == "HS256"


@pytest.mark.parametrize(
    ("secret", "name", "said"),
    [
        ("short", "Ada", "phylactery: --secret: its 5 bytes are too few"),
        (SECRET, "A" * 25, "phylactery: --name: Expected `str` of length <= 24"),
    ],
)
def test_a_ticket_that_cannot_be_made(
    secret: str, name: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ticket(secret, player="ada", name=name, room=None, role=None, minutes=5) == 2
    assert capsys.readouterr().err.startswith(said)


async def test_over_tls_a_battle_server_is_the_same(tmp_path: Path) -> None:
    authority = trustme.CA()
    issued = authority.issue_cert("localhost", "127.0.0.1")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    issued.cert_chain_pems[0].write_to_path(cert)
    issued.private_key_pem.write_to_path(key)
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    security = read_security("127.0.0.1", tls_cert=cert, tls_key=key)
    config = Config(port=0, rules=RULES, security=security, limits=Limits(hello_seconds=1.0))
    with listened() as logged:
        async with running(config) as server:
            assert server.url.startswith("wss://127.0.0.1:")
            plain = await come(server)
            await plain.send(handshake())
            await plain.drain()
            silent = await come(server)
            await silent.send(b"\x16\x03\x01")
            async with connect(
                f"{server.url}/rooms/new", ssl=trusting, proxy=None, compression=None
            ) as client:
                await client.send(encode(Create(version=1, name="Ada")), text=True)
                welcome = decode_to_client(bytes(await client.recv(decode=False)))
                assert isinstance(welcome, Welcome)
            await silent.drain()
    assert "127.0.0.1" in logged.getvalue()


async def status_of(url: str, **headers: str) -> int:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        async with connect(url, additional_headers=named, proxy=None, compression=None):
            return 101
    except InvalidStatus as invalid:
        return invalid.response.status_code


async def test_behind_a_proxy_everyone_is_counted_by_their_own_address() -> None:
    limits = Limits(connections_per_address=1)
    proxied = Security(proxies=(read_network("127.0.0.0/8"),))
    for security, statuses in ((proxied, [429, 101, 429]), (Security(), [429, 429, 429])):
        async with running(Config(port=0, limits=limits, security=security)) as server:
            url, ada = f"{server.url}/rooms/new", {"X-Forwarded-For": "9.9.9.9"}
            async with connect(url, additional_headers=ada, proxy=None, compression=None):
                assert statuses == [
                    await status_of(url, X_Forwarded_For="9.9.9.9"),
                    await status_of(url, X_Forwarded_For="8.8.8.8"),
                    await status_of(url, X_Forwarded_For="8.8.8.8, 9.9.9.9"),
                ]


async def test_the_log_says_who_comes_from_where() -> None:
    security = Security(proxies=(read_network("127.0.0.1"),), tickets=with_secret(SECRET))
    with listened() as logged:
        async with running(Config(port=0, security=security)) as server:
            headers = {"X-Forwarded-For": "9.9.9.9"}
            async with connect(
                f"{server.url}/rooms/new", additional_headers=headers, proxy=None
            ) as client:
                await client.send(encode(Watch(version=1)), text=True)
                error = decode_to_client(bytes(await client.recv(decode=False)))
                assert isinstance(error, Error)
                assert error.code == "wrong_url"
                good = make_ticket(SECRET, read_claims("ada-7", "Ada", None, None), 5)
                await client.send(encode(Create(version=1, name="X", ticket=good)), text=True)
                welcome = decode_to_client(bytes(await client.recv(decode=False)))
                assert isinstance(welcome, Welcome)
            async with connect(
                f"{server.url}/rooms/{welcome.room.id}", additional_headers=headers, proxy=None
            ) as client:
                await client.send(encode(Resume(version=1, token=welcome.token)), text=True)
                await client.recv()
    said = [json.loads(line) for line in logged.getvalue().splitlines() if line.startswith("{")]
    (comes,) = (line for line in said if line["event"] == "comes")
    assert (comes["address"], comes["player"], comes["session"]) == ("9.9.9.9", "ada-7", "p1")
    assert comes["room"]
    (back,) = (line for line in said if line["event"] == "comes back")
    assert (back["address"], back["session"]) == ("9.9.9.9", "p1")


async def test_pages_are_served_to_a_full_house() -> None:
    async with running(Config(port=0, limits=Limits(connections=1))) as server:
        inside, outside = await come_in(server), await come(server)
        assert await outside.status(handshake()) == 503
        outside = await come(server)
        assert await outside.status(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n") == 200
        inside.reset()


async def test_connections_are_not_begun_without_end() -> None:
    """Each by itself holds nothing for long; but the handshakes alone take a server's time."""
    limits = Limits(connections_per_address=3, handshakes_per_second=0.01)
    security = read_security("127.0.0.1", trusted_proxies=["127.0.0.1"])
    async with running(Config(port=0, limits=limits, security=security)) as server:

        def request(address: str) -> bytes:
            return handshake("/rooms/new", f"X-Forwarded-For: {address}")

        for address in ("9.9.9.9", "9.9.9.9", "9.9.9.9", "8.8.8.8"):
            stranger = await come(server)
            assert await stranger.status(request(address)) == 101
            stranger.reset()
        stranger = await come(server)
        await stranger.send(request("9.9.9.9"))
        refused = await stranger.drain()
        assert refused.startswith(b"HTTP/1.1 429")
        assert b"Too many handshakes" in refused
        assert server.hall.metrics.refused["http_429"] == 1
        page = b"GET /api/rooms HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 9.9.9.9\r\n\r\n"
        assert await (await come(server)).status(page) == 200  # which has a limit of its own


async def test_connections_begin_as_often_as_their_own_rate_says() -> None:
    """What is no right handshake counts too, and holds nothing."""
    limits = Limits(connections_per_address=50, handshakes_per_second=1e6, requests_per_second=0.01)
    wrong = handshake().replace(b"Sec-WebSocket-Key", b"X")
    async with running(Config(port=0, limits=limits)) as server:
        assert {await (await come(server)).status(wrong) for _ in range(60)} == {400}


async def test_a_replay_to_be_played_counts_for_four_pages() -> None:
    limits = Limits(requests_burst=6, requests_per_second=0.01)
    async with running(Config(port=0, limits=limits, data=":memory:")) as server:
        told = []
        for path in ("/replays/x/stream", "/replays/x", "/replays/x/stream", "/replays/x"):
            request = f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
            told.append(await (await come(server)).status(request))
        assert told == [404, 404, 429, 404]


async def test_pages_are_not_asked_for_without_end() -> None:
    limits = Limits(requests_burst=3, requests_per_second=0.1)
    async with running(Config(port=0, limits=limits)) as server:
        request = b"GET /api/rooms HTTP/1.1\r\nHost: x\r\n\r\n"
        told = [await (await come(server)).status(request) for _ in range(5)]
        assert told == [200, 200, 200, 429, 429]
        assert server.hall.metrics.refused["http_429"] == 2
        for probe in (b"/healthz", b"/readyz"):  # whoever asks may have a stranger's address
            request = b"GET " + probe + b" HTTP/1.1\r\nHost: x\r\n\r\n"
            assert await (await come(server)).status(request) == 200
        inside = await come_in(server)  # who plays is not held up by it
        inside.reset()
