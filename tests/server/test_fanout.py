"""All rooms' audiences are told together: everyone is looked at first, and then all is written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import cast

import pytest

from server.delivery import Follower
from server.fanout import Crier, Offer, offers_of, write_all
from server.feed import text_frame
from server.metrics import Metrics

DATA = text_frame(b'["tick"]')


class Reader:
    """Stands in for a follower: writes go into a pipe, which is read here."""

    def __init__(self, news: bytes = DATA) -> None:
        self.end, self.number = os.pipe()
        os.set_blocking(self.number, False)
        self.metrics = Metrics()
        self.left = b""
        self._news = news

    def offer(self) -> bytes:
        news, self._news = self._news, b""
        return news

    def leave(self, rest: bytes) -> None:
        self.left += rest

    def read(self) -> bytes:
        os.set_blocking(self.end, False)
        try:
            return os.read(self.end, 1 << 20)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        os.close(self.end)
        if self.number >= 0:
            os.close(self.number)


@pytest.fixture
def readers() -> Iterator[list[Reader]]:
    three = [Reader(), Reader(b""), Reader(text_frame(b'["vessel"]'))]
    yield three
    for reader in three:
        reader.close()


def offers(readers: list[Reader]) -> list[Offer]:
    return offers_of(cast(list[Follower], readers))


def test_only_who_has_something_new_is_offered_it(readers: list[Reader]) -> None:
    assert [cast(Reader, one) for one, _ in offers(readers)] == [readers[0], readers[2]]
    assert offers(readers) == []


def test_each_is_written_what_it_was_offered_and_it_is_counted(readers: list[Reader]) -> None:
    write_all(offers(readers))
    assert [reader.read() for reader in readers] == [DATA, b"", text_frame(b'["vessel"]')]
    assert readers[0].metrics.frames == 2
    assert [reader.left for reader in readers] == [b""] * 3


def test_what_a_socket_does_not_take_is_left_to_its_task(readers: list[Reader]) -> None:
    full, broken, free = readers
    large = text_frame(b"x" * (1 << 20))
    full.offer()
    write_all(cast(list[Offer], [(full, large), (free, DATA)]))
    assert full.read() + full.left == large
    assert free.read() == DATA
    os.close(broken.number)
    number, broken.number = broken.number, -1
    write_all(cast(list[Offer], [(broken, DATA), (free, DATA)]))
    assert number >= 0
    assert broken.left == DATA
    assert free.read() == DATA


class Room:
    """Has news for some readers; notes what had been written when it was asked."""

    def __init__(self, readers: list[Reader]) -> None:
        self.asked = 0
        self.seen: list[bytes] = []
        self._readers = readers

    def offers(self) -> list[Offer]:
        self.asked += 1
        self.seen = [reader.read() for reader in self._readers]
        return offers(self._readers)


def test_all_rooms_are_asked_before_anyone_is_written_to(readers: list[Reader]) -> None:
    crier = Crier()
    first, second = Room(readers[:1]), Room(readers)
    crier.hail(first)
    crier.hail(second)
    crier.hail(first)
    crier.cry()
    assert (first.asked, second.asked) == (1, 1)
    assert second.seen == [b"", b"", b""]
    assert [reader.read() for reader in readers] == [DATA, b"", text_frame(b'["vessel"]')]
    crier.cry()
    assert (first.asked, second.asked) == (1, 1)
