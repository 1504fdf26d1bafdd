"""The one source of chance: xoshiro128**, and every kind of draw a battle makes, by name.

The rulebook lists the same draws; a test compares the two.
"""

from __future__ import annotations

import hashlib
from typing import Final

WORD: Final = 0xFFFFFFFF


class Chance:
    """The battle's generator. Its state is the first 16 bytes of SHA-256 over the seed's UTF-8."""

    __slots__ = ("s0", "s1", "s2", "s3")

    def __init__(self, seed: str) -> None:
        state = hashlib.sha256(seed.encode()).digest()[:16]
        self.s0 = int.from_bytes(state[0:4], "little")
        self.s1 = int.from_bytes(state[4:8], "little")
        self.s2 = int.from_bytes(state[8:12], "little")
        self.s3 = int.from_bytes(state[12:16], "little")
        if not (self.s0 | self.s1 | self.s2 | self.s3):
            self.s3 = 1

    def next(self) -> int:
        """The next 32-bit word."""
        s1 = self.s1
        product = (s1 * 5) & WORD
        product = ((product << 7) | (product >> 25)) & WORD
        self.s2 ^= self.s0
        self.s3 ^= s1
        self.s1 ^= self.s2
        self.s0 ^= self.s3
        self.s2 ^= (s1 << 9) & WORD
        self.s3 = ((self.s3 << 11) | (self.s3 >> 21)) & WORD
        return (product * 9) & WORD

    def below(self, n: int) -> int:
        """A number from 0 to n - 1, each as likely as any other."""
        limit = (1 << 32) - (1 << 32) % n
        x = self.next()
        while x >= limit:
            x = self.next()
        return x % n

    # Every draw of a battle is one of these two.

    def initiative(self) -> int:
        """100.2: the side that has it, 0 = a, 1 = b."""
        return self.below(2)

    def focus(self, candidates: int) -> int:
        """400.4: which candidate; a draw among one takes nothing from the generator."""
        return self.below(candidates) if candidates > 1 else 0
