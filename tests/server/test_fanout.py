"""All rooms' audiences are told together: everyone is looked at first, and then all is written."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from server.fanout import Crier, Offer, offers_of, write_all
from server.feed import text_frame
from server.metrics import Metrics

DATA = text_frame(b'["tick"]')
OTHER = text_frame(b'["vessel"]')


class Reader:
    """One who is told by one call, into a pipe that is read here."""

    def __init__(self, news: bytes = DATA, size: int = 1) -> None:
        self.size = size
        self._end, self._number = os.pipe()
        os.set_blocking(self._end, False)
        self._news = news

    def offer(self) -> bytes:
        news, self._news = self._news, b""
        return news

    def write(self, data: bytes) -> None:
        assert os.write(self._number, data) == len(data)

    def read(self) -> bytes:
        try:
            return os.read(self._end, 1 << 20)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        os.close(self._end)
        os.close(self._number)


@pytest.fixture
def readers() -> Iterator[list[Reader]]:
    three = [Reader(), Reader(b""), Reader(OTHER, size=7)]
    yield three
    for reader in three:
        reader.close()


def test_only_who_has_something_new_is_offered_it(readers: list[Reader]) -> None:
    assert [one for one, _ in offers_of(readers)] == [readers[0], readers[2]]
    assert offers_of(readers) == []


def test_each_is_written_what_it_was_offered_and_it_is_counted(readers: list[Reader]) -> None:
    metrics = Metrics()
    write_all(offers_of(readers), metrics)
    assert [reader.read() for reader in readers] == [DATA, b"", OTHER]
    assert metrics.frames == 1 + 7
    assert metrics.bytes == len(DATA) + 7 * len(OTHER)


class Room:
    """Has news for some readers; notes what had been written when it was asked."""

    def __init__(self, readers: list[Reader]) -> None:
        self.asked: list[float] = []
        self.seen: list[bytes] = []
        self._readers = readers

    def offers(self, now: float) -> list[Offer]:
        self.asked.append(now)
        self.seen = [reader.read() for reader in self._readers]
        return offers_of(self._readers)


def test_all_rooms_are_asked_before_anyone_is_written_to(readers: list[Reader]) -> None:
    crier = Crier(Metrics())
    first, second = Room(readers[:1]), Room(readers)
    crier.hail(first)
    crier.hail(second)
    crier.hail(first)
    crier.cry(5.0)
    assert (first.asked, second.asked) == ([5.0], [5.0])
    assert second.seen == [b"", b"", b""]
    assert [reader.read() for reader in readers] == [DATA, b"", OTHER]
    crier.cry(5.0)
    assert (first.asked, second.asked) == ([5.0], [5.0])
