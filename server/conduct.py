"""What one address may still say, on however many connections: the limits of a connection are new
with each new one.

Most refusals are nobody's fault: a room was full, a phase was over. Some take the server work to
find and to tell, or are guesses at what is secret. Those have a price, and whoever cannot pay any
more is not listened to for a while.
"""

from __future__ import annotations

from typing import Final

from protocol.codes import ErrorCode
from server.bucket import Buckets
from server.limits import Limits

PRICES: Final[dict[str, int]] = {
    ErrorCode.NOT_JSON: 1,
    ErrorCode.TOO_DEEP: 1,
    ErrorCode.UNKNOWN_TYPE: 1,
    ErrorCode.BAD_MESSAGE: 1,
    ErrorCode.BOARD_REFUSED: 1,
    ErrorCode.WRONG_KEY: 10,
}
# Who comes says hello, sends a board and is ready: all that are allowed may do so at once.
MESSAGES_AT_ONCE: Final = 3


class Conduct:
    """Counts messages and refusals by address."""

    def __init__(self, limits: Limits) -> None:
        # Whoever has none left begins again with less than none, or would be told of every second.
        self._fine = limits.address_refusals_burst // 2
        at_once = MESSAGES_AT_ONCE * limits.connections_per_address
        self._messages = Buckets(limits.address_messages_per_second, at_once)
        self._refusals = Buckets(limits.address_refusals_per_second, limits.address_refusals_burst)

    def may_speak(self, address: str, now: float, *, trusted: bool = False) -> bool:
        """Whether one more message of theirs is read. Who is trusted does not pay for what others
        of that address have said."""
        heard = trusted or self._refusals.has(address, now)
        return heard and self._messages.take(address, now)

    def was_refused(self, address: str, code: str, now: float) -> bool:
        """Counts a refusal; whether with this one they are not listened to any more."""
        price = PRICES.get(code, 0)
        if not price or not self._refusals.has(address, now):
            return False
        self._refusals.charge(address, now, price)
        if self._refusals.has(address, now):
            return False
        self._refusals.charge(address, now, self._fine)
        return True
