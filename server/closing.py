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

    def frame(self) -> bytes:
        """The last message, as it goes out."""
        bye = Bye(code=self.code, reason=self.why, retry_seconds=self.retry_seconds)
        return text_frame(encode(bye))
