"""How a connection is to end, and how that is said."""

from __future__ import annotations

from dataclasses import dataclass

from protocol.codec import encode
from protocol.codes import CloseCode
from protocol.messages import Bye
from server.feed import text_frame


@dataclass(frozen=True)
class Closing:
    """Said in a last message, and then by the closing handshake."""

    code: CloseCode
    why: str
    retry_seconds: float | None = None

    def message(self) -> Bye:
        """The last message."""
        return Bye(code=self.code, reason=self.why, retry_seconds=self.retry_seconds)

    def frame(self) -> bytes:
        """The same, as it goes out."""
        return text_frame(encode(self.message()))
