"""The ways in which a secret could be written into something else, and a mint that remembers all
the secrets it has made."""

from __future__ import annotations

import base64
from collections.abc import Iterator

from protocol.messages import Token
from server.mint import Mint


class Ledger(Mint):
    """Chance as in earnest, and a record of it."""

    def __init__(self) -> None:
        self.secrets: list[bytes] = []
        self.tokens: list[Token] = []

    def token(self) -> Token:
        self.tokens.append(super().token())
        return self.tokens[-1]

    def secret(self) -> bytes:
        self.secrets.append(super().secret())
        return self.secrets[-1]


def written(secret: bytes) -> Iterator[bytes]:
    """The secret as it is, in hex, in decimal and in base64, wherever in a text it begins."""
    yield secret
    yield secret.hex().encode()
    yield secret.hex().upper().encode()
    for order in ("big", "little"):
        yield str(int.from_bytes(secret, order)).encode()
    for comma in (", ", ","):
        yield comma.join(map(str, secret)).encode()
    for alphabet in (b"+/", b"-_"):
        for before in range(3):
            # What the neighbours share in the first and the last character is left out.
            whole = base64.b64encode(bytes(before) + secret, alphabet).rstrip(b"=")
            yield whole[(before * 8 + 5) // 6 : (before + len(secret)) * 8 // 6]


def found(secret: bytes, text: bytes) -> bytes | None:
    """The way in which a secret stands in the text, if it does."""
    return next((form for form in written(secret) if form in text), None)
