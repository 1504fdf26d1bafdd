"""Where the server's chance comes from: ids, tokens and the secrets of rounds.

Nothing of it ever reaches the engine but the seed, which `protocol.fairness` derives.
"""

from __future__ import annotations

import secrets
from typing import Final

from protocol.messages import RoomId, Token

# Digits and letters that are not taken for one another when read out.
ALPHABET: Final = "23456789abcdefghjkmnpqrstuvwxyz"
ROOM_ID_LENGTH: Final = 8  # 31**8: a guess hits one of a thousand rooms once in 850 million


class Mint:
    """Makes what must not be guessed."""

    def room_id(self) -> RoomId:
        return RoomId("".join(secrets.choice(ALPHABET) for _ in range(ROOM_ID_LENGTH)))

    def token(self) -> Token:
        return Token(secrets.token_urlsafe(32))

    def secret(self) -> bytes:
        """32 bytes that decide a round together with the players' nonces."""
        return secrets.token_bytes(32)

    def offer_id(self) -> str:
        """Of the board of one who is not there; it serves as a nonce."""
        return secrets.token_hex(16)

    def error_id(self) -> str:
        """What a log line, a file and an error message have in common."""
        return secrets.token_hex(6)
