"""A renewed certificate: handshakes show it, whoever is there stays, and a bad one is not taken."""

from __future__ import annotations

import signal
import socket
import ssl
from pathlib import Path

import pytest
import trio
import trustme
from websockets.trio.client import connect

from protocol.codec import decode_to_client, encode
from protocol.messages import Create, Error, Forfeit, Welcome
from server.tls import Tls, UnfitCertificate
from tests.chaos.process import ServerProcess


class Files:
    """Where a server's certificate and key are."""

    def __init__(self, folder: Path) -> None:
        self.cert, self.key = folder / "cert.pem", folder / "key.pem"
        self.authority = trustme.CA()

    def renew(self) -> None:
        issued = self.authority.issue_cert("localhost", "127.0.0.1")
        issued.cert_chain_pems[0].write_to_path(self.cert)
        issued.private_key_pem.write_to_path(self.key)

    def shown(self) -> bytes:
        """What a server shows that has read the files."""
        return ssl.PEM_cert_to_DER_cert(self.cert.read_text())

    def trusting(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        self.authority.configure_trust(context)
        return context


@pytest.fixture
def files(tmp_path: Path) -> Files:
    files = Files(tmp_path)
    files.renew()
    return files


def shown_by(port: int, files: Files, name: str | None, most: ssl.TLSVersion) -> bytes:
    """The certificate of a handshake; without a name, of a client that says none."""
    context = files.trusting()
    context.maximum_version = most
    context.check_hostname = name is not None
    with (
        socket.create_connection(("127.0.0.1", port), timeout=10) as plain,
        context.wrap_socket(plain, server_hostname=name) as secure,
    ):
        return secure.getpeercert(binary_form=True) or b""


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", None])
@pytest.mark.parametrize("most", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_a_renewed_certificate_is_shown_after_a_signal(
    tmp_path: Path, files: Files, name: str | None, most: ssl.TLSVersion
) -> None:
    server = ServerProcess(tmp_path, "--tls-cert", str(files.cert), "--tls-key", str(files.key))
    await server.start()
    url = f"wss://localhost:{server.port}/rooms/new"

    async def shown() -> bytes:
        return await trio.to_thread.run_sync(shown_by, server.port, files, name, most)

    before = files.shown()
    assert await shown() == before
    async with connect(url, ssl=files.trusting(), proxy=None, compression=None) as client:
        await client.send(encode(Create(version=1, name="Ada")), text=True)
        assert isinstance(decode_to_client(await client.recv(decode=False)), Welcome)
        files.renew()
        assert await shown() == before
        server.signal(signal.SIGHUP)
        await server.logged("reloads")
        assert await shown() == files.shown() != before
        await client.send(encode(Forfeit()), text=True)  # whoever is there stays
        assert isinstance(decode_to_client(await client.recv(decode=False)), Error)
    await server.stop()
    assert server.faults() == []


async def test_files_that_are_unfit_are_not_taken(tmp_path: Path, files: Files) -> None:
    server = ServerProcess(tmp_path, "--tls-cert", str(files.cert), "--tls-key", str(files.key))
    await server.start()
    before = files.shown()
    key = files.key.read_bytes()
    files.renew()
    files.key.write_bytes(key)  # another certificate's
    server.signal(signal.SIGHUP)
    await server.logged("reload failed")
    most = ssl.TLSVersion.TLSv1_3
    assert await trio.to_thread.run_sync(shown_by, server.port, files, "localhost", most) == before
    (fault,) = server.faults()
    assert "KEY_VALUES_MISMATCH" in fault
    await server.stop()


async def test_without_tls_the_signal_does_no_harm(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path)
    await server.start()
    server.signal(signal.SIGHUP)
    await server.logged("reloads")
    await server.stop()


# Told to reload as soon as it begins to find its modules.
HASTE = """
import os, signal, sys
from server.cli import main
class Haste:
    def find_spec(self, name, *_):
        if name == "server.cli.app":
            os.kill(os.getpid(), signal.SIGHUP)
sys.meta_path.insert(0, Haste())
main()
"""


async def test_a_signal_that_comes_while_it_starts_waits_until_it_can_be_heeded(
    tmp_path: Path,
) -> None:
    server = ServerProcess(tmp_path, program=HASTE)
    await server.start()
    await server.logged("reloads")
    await server.stop()


def test_what_cannot_be_read_again_changes_nothing(files: Files) -> None:
    tls = Tls(files.cert, files.key)
    files.cert.unlink()
    with pytest.raises(UnfitCertificate, match=r"--tls-cert .*cert.pem, .*: cannot be read"):
        tls.read_again()
    files.renew()
    files.key.write_text("no key")
    with pytest.raises(UnfitCertificate, match="--tls-key"):
        tls.read_again()
