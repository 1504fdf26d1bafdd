"""A server behind TLS, for those who trust it and those who do not."""

from __future__ import annotations

import ssl
from dataclasses import replace
from pathlib import Path

import pytest
import trio
import trustme

from protocol.messages import PROTOCOL_VERSION, Watch
from protocol.trouble import why
from server.cli.output import AT_FAULT
from server.cli.run import first_of
from server.cli.verify import verify
from server.cli.watch import watch_on
from server.config import Config
from server.security import Security
from server.tls import Tls
from tests.cli.test_play import CONFIG, Lines, room_of, server, start, troubled
from tests.cli.test_reaching import answering

WATCH = Watch(version=PROTOCOL_VERSION)
NOT_TRUSTED = "TLS failed: the certificate is not trusted"


@pytest.fixture
def secure(tmp_path: Path) -> Config:
    """A server's settings; `ca.pem` in the folder is who signed its certificate."""
    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1")
    issued.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    issued.private_key_pem.write_to_path(tmp_path / "key.pem")
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    return replace(CONFIG, security=Security(tls=Tls(tmp_path / "cert.pem", tmp_path / "key.pem")))


async def test_a_certificate_that_is_not_trusted_is_told_as_such(secure: Config) -> None:
    async with server(secure) as url:
        with troubled(NOT_TRUSTED) as caught:
            await watch_on(Lines(), "x", url, WATCH)
        said = str(first_of(caught.value))
        assert "SSL_CERT_FILE" in said
        assert "phylactery serve" not in said


async def test_whoever_names_the_authority_comes_in(
    secure: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    async with server(secure) as url, trio.open_nursery() as nursery:
        await room_of(start(nursery, url, way="create"))
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("answer", [b"SSH-2.0-OpenSSH\r\n", b""])
async def test_what_does_not_speak_tls_is_told_as_such(answer: bytes) -> None:
    sentence = "TLS failed: what answers there does not speak it$"
    with answering(answer) as place, troubled(sentence):
        await watch_on(Lines(), "x", f"wss://{place}", WATCH)


async def test_who_speaks_plainly_to_a_server_with_tls_is_told_so(secure: Config) -> None:
    async with server(secure) as url:
        with troubled("a server with TLS is reached with wss://$"):
            await watch_on(Lines(), "x", url.replace("wss", "ws"), WATCH)


async def test_a_replay_behind_a_certificate_that_is_not_trusted(
    secure: Config, capsys: pytest.CaptureFixture[str]
) -> None:
    async with server(secure) as url:
        place = url.replace("wss", "https") + "/replays/x"
        assert await trio.to_thread.run_sync(verify, place) == AT_FAULT
    said = capsys.readouterr().err
    assert f"cannot be fetched: {NOT_TRUSTED}" in said
    assert "urlopen" not in said


def test_another_failure_of_tls_is_told_by_its_name() -> None:
    failure = ssl.SSLError(1, "[SSL: NO_PROTOCOLS_AVAILABLE] no protocols available (_ssl.c:1)")
    failure.reason = "NO_PROTOCOLS_AVAILABLE"
    assert why(failure) == "TLS failed: no protocols available"


@pytest.mark.parametrize("kind", [ssl.SSLEOFError, ssl.SSLZeroReturnError])
def test_an_end_in_place_of_an_answer_is_told_alike_whoever_sees_it(
    kind: type[ssl.SSLError],
) -> None:
    failure = kind(6, "TLS/SSL connection has been closed (EOF) (_ssl.c:992)")
    failure.reason = None  # type: ignore[assignment]
    assert why(failure) == "TLS failed: what answers there does not speak it"
