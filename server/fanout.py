"""All rooms that have news tell them together, after each round of the metronome's.

A system call drives out of the processor's caches what the next client's turn to be looked at
needs, and wakes a reader, who then works beside us while there is more to read. So all that
is due is fought first, of all rooms; then everyone is looked at; and then all is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from server.metrics import Metrics


class Listener(Protocol):
    """Who is told by one call: a row, or somebody who stands."""

    @property
    def size(self) -> int:
        """How many they are."""

    def offer(self) -> bytes:
        """What is new for them, if their sockets are free. It is to be written at once."""

    def write(self, data: bytes) -> None:
        """Writes to each. What a socket does not take is left to its follower's task."""


Offer = tuple[Listener, bytes]


def offers_of(listeners: Iterable[Listener]) -> list[Offer]:
    """What is new for each, where there is anything. It is to be written at once."""
    return [(one, data) for one in listeners if (data := one.offer())]


def write_all(offers: Sequence[Offer], metrics: Metrics) -> None:
    """Writes to all what they were offered."""
    for listener, data in offers:
        metrics.sent(data, listener.size)
        listener.write(data)


class Newsworthy(Protocol):
    """One who may have news for many."""

    def offers(self, now: float) -> list[Offer]:
        """What those are offered whose turn it is now. Must not raise, and tells nobody itself."""


class Crier:
    """Tells the audiences of all rooms together, after each round of the metronome's."""

    def __init__(self, metrics: Metrics) -> None:
        self._hailing: dict[Newsworthy, None] = {}
        self._metrics = metrics

    def hail(self, one: Newsworthy) -> None:
        """It has news, which are told when the round is over."""
        self._hailing[one] = None

    def cry(self, now: float) -> None:
        """Tells all that there is to tell."""
        hailing, self._hailing = self._hailing, {}
        if hailing:
            write_all([offer for one in hailing for offer in one.offers(now)], self._metrics)
