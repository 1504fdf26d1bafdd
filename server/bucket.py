"""How much may come from somebody, of messages, frames or requests: a token bucket, asked before
anything is even parsed.
"""

from __future__ import annotations

from collections import OrderedDict


class Bucket:
    """Holds up to `burst` tokens and gets `rate` a second; whatever comes takes one."""

    def __init__(self, rate: float, burst: int, now: float) -> None:
        self._rate = rate
        self._burst = burst
        self._tokens = float(burst)
        self._at = now

    def has(self, now: float, tokens: int = 1) -> bool:
        """Whether so many are in it."""
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now
        return self._tokens >= tokens

    def take(self, now: float, tokens: int = 1) -> bool:
        """Whether one is let through that counts for so many."""
        if not self.has(now, tokens):
            return False
        self._tokens -= tokens
        return True

    def charge(self, now: float, tokens: int) -> None:
        """Takes so many, also more than are there: they are owed."""
        self.has(now)
        self._tokens -= tokens


class Buckets:
    """A bucket for each of those who come; of the many, those are remembered who came last.

    Who is forgotten begins with a full one again: it takes as many addresses to make it so.
    """

    def __init__(self, rate: float, burst: int, most: int = 4096) -> None:
        self._rate = rate
        self._burst = burst
        self._most = most
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def has(self, who: str, now: float) -> bool:
        """Whether anything of theirs would be let through; that somebody asks is not remembered."""
        bucket = self._buckets.get(who)
        return bucket is None or bucket.has(now)

    def take(self, who: str, now: float, tokens: int = 1) -> bool:
        """Whether what this one asks for is let through; it counts for so many."""
        return self._of(who, now).take(now, tokens)

    def charge(self, who: str, now: float, tokens: int) -> None:
        """This one has had so many."""
        self._of(who, now).charge(now, tokens)

    def _of(self, who: str, now: float) -> Bucket:
        bucket = self._buckets.pop(who, None) or Bucket(self._rate, self._burst, now)
        self._buckets[who] = bucket
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return bucket
