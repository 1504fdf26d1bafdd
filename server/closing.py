"""How a connection is to end, and how that is said."""

from __future__ import annotations

import random
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

    @property
    def bye(self) -> bytes:
        """The last message."""
        return encode(Bye(code=self.code, reason=self.why, retry_seconds=self.retry_seconds))

    def frame(self) -> bytes:
        """The last message, as it goes out."""
        return text_frame(self.bye)


def restart() -> Closing:
    """The server is going down, and is expected to be back."""
    # Not all at the same moment, when it is.
    retry_seconds = round(random.uniform(1, 3), 2)  # noqa: S311
    return Closing(CloseCode.RESTART, "the server restarts", retry_seconds)
