"""The hottest path: the same bytes to everyone whose turn it is, of all rooms that have news.

A system call drives out of the processor's caches what the next client's turn to be looked at
needs, and wakes a reader, who then works beside us while there is more to read. So all that
is due is fought first, of all rooms; then everyone is looked at; and then all is written.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Protocol

from server.delivery import Follower

Offer = tuple[Follower, bytes]


def offers_of(followers: Iterable[Follower]) -> list[Offer]:
    """What is new for each, of those whose sockets are free. It is to be written at once."""
    return [(one, data) for one in followers if (data := one.offer())]


def write_all(offers: Sequence[Offer]) -> None:
    """Writes to each what it was offered; what a socket does not take is left to its task."""
    for one, data in offers:
        try:
            taken = os.write(one.number, data)
        except OSError:  # it is full; or it is broken, which the task finds out in its turn
            taken = 0
        if taken < len(data):
            one.leave(data[taken:])
    if offers:
        metrics = offers[0][0].metrics
        for data, times in Counter(map(itemgetter(1), offers)).items():
            metrics.sent(data, times)


class Newsworthy(Protocol):
    """One who may have news for many."""

    def offers(self) -> list[Offer]:
        """What those are offered whose turn it is. Must not raise, and tells nobody itself."""


class Crier:
    """Tells the audiences of all rooms together, after each round of the metronome's."""

    def __init__(self) -> None:
        self._hailing: dict[Newsworthy, None] = {}

    def hail(self, one: Newsworthy) -> None:
        """It has news, which are told when the round is over."""
        self._hailing[one] = None

    def cry(self) -> None:
        """Tells all that there is to tell."""
        hailing, self._hailing = self._hailing, {}
        if hailing:
            write_all([offer for one in hailing for offer in one.offers()])
