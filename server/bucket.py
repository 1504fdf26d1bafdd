"""How many messages a client may send: a token bucket, asked before a message is even parsed."""

from __future__ import annotations


class Bucket:
    """Holds up to `burst` tokens and gets `rate` a second; every message takes one."""

    def __init__(self, rate: float, burst: int, now: float) -> None:
        self.refused = 0  # in a row
        self._rate = rate
        self._burst = burst
        self._tokens = float(burst)
        self._at = now

    def take(self, now: float) -> bool:
        """Whether a message is let through."""
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now
        if self._tokens < 1:
            self.refused += 1
            return False
        self._tokens -= 1
        self.refused = 0
        return True
