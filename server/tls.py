"""The server's certificate, and the newest of it while the server runs."""

from __future__ import annotations

import ssl
from pathlib import Path


class UnfitCertificate(ValueError):  # noqa: N818 - a sentence for the operator
    """The files are not there, or no certificate and its key."""


class Tls:
    """A certificate and its key, in files. Raises `UnfitCertificate` where they are none."""

    def __init__(self, cert: Path, key: Path) -> None:
        self._cert = cert
        self._key = key
        self._newest = self._read()
        # What every handshake begins with. Loading another certificate into one context could fail
        # half way, and leave it with a key that does not fit: so there is one for each reading.
        self.context = self._read()
        self.context.sni_callback = self._show_newest

    def read_again(self) -> None:
        """From now on handshakes are made with what the files hold now. Where that is unfit, they
        go on as before. Connections that stand are left alone."""
        self._newest = self._read()

    def _show_newest(self, connection: ssl.SSLObject, _name: str | None, _: ssl.SSLContext) -> None:
        """The library's call in each handshake, also where the client names no server."""
        connection.context = self._newest

    def _read(self) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.set_alpn_protocols(["http/1.1"])
        files = f"--tls-cert {self._cert}, --tls-key {self._key}"
        try:
            # A key that asks for a password would wait at a terminal that nobody sits at.
            context.load_cert_chain(self._cert, self._key, password="")
        except ssl.SSLError as error:
            reason = error.reason or "no certificate, or no key without a password, in PEM"
            raise UnfitCertificate(f"{files}: {reason}") from None
        except OSError as error:
            raise UnfitCertificate(f"{files}: cannot be read: {error.strerror}") from None
        return context
