"""What keeps out whoever does not belong: the operator's settings, read and checked.

The one rule that is not for choosing: a server that others can reach asks for tickets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address
from pathlib import Path
from typing import Final

from server import tickets
from server.addresses import Network, is_loopback, read_network
from server.tls import Tls, UnfitCertificate

# A scheme, a host, perhaps a port, and nothing else (RFC 6454, 6.1).
ORIGIN: Final = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*)://"
    r"(?:(?P<name>[a-z0-9._~-]+)|\[(?P<address>[0-9a-f:.]+)\])"
    r"(?::(?P<port>[0-9]{1,5}))?"
)
# What a browser leaves out, because the scheme says it.
DEFAULT_PORTS: Final = {"http": 80, "https": 443}
LARGEST_PORT: Final = 65535
# Where a WebSocket leads; the page that opens it has come from elsewhere.
NO_PAGES: Final = ("ws", "wss")


@dataclass(frozen=True)
class Security:
    """Of one server. The defaults are for a server that this machine alone can reach."""

    tickets: tickets.Tickets | None = None  # None: everyone is a guest
    tls: Tls | None = None
    proxies: tuple[Network, ...] = ()  # whose word is taken for a client's address
    origins: tuple[str, ...] = ()  # of pages that may connect, besides the server's own


class Insecure(ValueError):  # noqa: N818 - a sentence for the operator
    """With these settings the server must not, or cannot, start."""


def read_security(
    host: str,
    *,
    ticket_secret: str | None = None,
    ticket_key: Path | None = None,
    tls_cert: Path | None = None,
    tls_key: Path | None = None,
    trusted_proxies: Sequence[str] = (),
    origins: Sequence[str] = (),
) -> Security:
    """The settings of a server that listens on `host`. Raises `Insecure`."""
    reader = _read_tickets(ticket_secret, ticket_key)
    if reader is None and not is_loopback(host):
        raise Insecure(
            f"without tickets, {host} would let in everyone who can reach it, under any name."
            " Set --ticket-secret (or PHYLACTERY_TICKET_SECRET) or --ticket-key;"
            " or listen to this machine alone, with --host 127.0.0.1"
        )
    return Security(
        tickets=reader,
        tls=_read_tls(tls_cert, tls_key),
        proxies=tuple(_read_proxy(text) for text in trusted_proxies),
        origins=tuple(_read_origin(text) for text in origins),
    )


def _read_tickets(secret: str | None, key: Path | None) -> tickets.Tickets | None:
    if secret is not None and key is not None:
        raise Insecure("--ticket-secret and --ticket-key: tickets are signed with one of them")
    try:
        if secret is not None:
            return tickets.with_secret(secret)
        if key is not None:
            return tickets.with_public_key(key.read_bytes())
    except tickets.UnfitKey as unfit:
        name = "--ticket-secret" if key is None else f"--ticket-key {key}"
        raise Insecure(f"{name}: {unfit}") from None
    except OSError as error:
        raise Insecure(f"--ticket-key: cannot read {key}: {error.strerror}") from None
    return None


def _read_tls(cert: Path | None, key: Path | None) -> Tls | None:
    if cert is None and key is None:
        return None
    if cert is None or key is None:
        raise Insecure("--tls-cert and --tls-key: one is of no use without the other")
    try:
        return Tls(cert, key)
    except UnfitCertificate as unfit:
        raise Insecure(str(unfit)) from None


def _read_origin(text: str) -> str:
    """As a browser says it: in small letters, without a slash at its end, and without the port
    that its scheme stands for."""
    if not text.isascii():
        raise Insecure(f"--origin: {text} is not as a browser says it; write the name's xn-- form")
    origin = text.rstrip("/").lower()
    found = ORIGIN.fullmatch(origin)
    host = None if found is None else _read_host(found["name"], found["address"])
    if found is None or host is None or int(found["port"] or 0) > LARGEST_PORT:
        raise Insecure(f"--origin: {text} is no origin; one looks like https://game.example.org")
    scheme, port = found["scheme"], found["port"]
    if scheme in NO_PAGES:
        raise Insecure(f"--origin: {text} is no page's; one looks like https://game.example.org")
    if port is None or int(port) == DEFAULT_PORTS.get(scheme):
        return f"{scheme}://{host}"
    return f"{scheme}://{host}:{int(port)}"


def _read_host(name: str | None, address: str | None) -> str | None:
    """None for brackets that hold no address."""
    if address is None:
        return name
    try:
        return f"[{IPv6Address(address)}]"
    except ValueError:
        return None


def _read_proxy(text: str) -> Network:
    try:
        return read_network(text)
    except ValueError as error:
        raise Insecure(f"--trusted-proxy: {error}") from None
