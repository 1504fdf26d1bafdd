"""What the server counts of itself, for `/metrics`.

Counting happens in the hottest places, so it is adding to plain numbers; what Prometheus wants is
made of them when it asks. Nothing here knows of rooms or sockets.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from prometheus_client import CollectorRegistry, GCCollector, ProcessCollector, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

# Seconds. 0.05 is a tick at speed 1: a tick that is later than that has missed the next one.
BOUNDS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


class Histogram:
    """How many values lay within each bound."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.sum = 0.0

    def add(self, value: float, times: int = 1) -> None:
        """Counts a value, in seconds, that was seen so often."""
        self.counts[bisect_left(BOUNDS, value)] += times
        self.sum += value * times

    def buckets(self) -> Iterator[tuple[str, int]]:
        """Each bound as text, and how many values were at most that."""
        total = 0
        for bound, count in zip((*map(str, BOUNDS), "+Inf"), self.counts, strict=True):
            total += count
            yield bound, total


class Metrics:
    """The counts of one server; they only grow."""

    def __init__(self) -> None:
        self.lateness = Histogram()  # of ticks, against their deadlines
        self.lag = Histogram()  # from a tick's deadline to the write to those who keep up
        self.frames = 0
        self.bytes = 0
        self.skipped = 0  # frames
        self.catch_ups = 0  # times that a client was left to its own task
        self.battles: Counter[str] = Counter()  # by how they ended
        self.refused: Counter[str] = Counter()  # by error code, or what turned a connection away
        self.closed: Counter[str] = Counter()  # WebSocket connections that ended, let in or not
        self.engine_seconds = 0.0
        self.boards_dropped = 0
        self._counted: tuple[bytes, int] = b"", 0  # what was last sent, and how many frames it is

    def sent(self, data: bytes, times: int = 1) -> None:
        """Whole frames, as they went out, and to how many."""
        if data is not self._counted[0]:
            self._counted = data, count_frames(data)
        self.bytes += len(data) * times
        self.frames += self._counted[1] * times


def count_frames(data: bytes) -> int:
    """How many WebSocket frames these are: whole and unmasked, as a server sends them."""
    count = at = 0
    while at < len(data):
        size, at = data[at + 1], at + 2
        if size > 125:
            width = 2 if size == 126 else 8
            size, at = int.from_bytes(data[at : at + width]), at + width
        at += size
        count += 1
    return count


class Level(NamedTuple):
    """What goes up and down, and is asked for when it is wanted."""

    name: str
    about: str
    now: Callable[[], float]


class Exposition(Collector):
    """Makes metrics of counts and levels."""

    def __init__(self, metrics: Metrics, levels: tuple[Level, ...]) -> None:
        self._metrics = metrics
        self._levels = levels

    def collect(self) -> Iterator[Metric]:
        counts = self._metrics
        yield _histogram("tick_lateness", "From a tick's deadline to its run.", counts.lateness)
        about = "From a tick's deadline, or a change, to its write to one who keeps up."
        yield _histogram("delivery_lag", about, counts.lag)
        for name, about, value in (
            ("frames", "Frames that were sent.", counts.frames),
            ("sent_bytes", "Bytes of the frames that were sent.", counts.bytes),
            ("skipped_frames", "Frames that slow clients were moved past.", counts.skipped),
            ("catch_ups", "Times that a client did not take all at once.", counts.catch_ups),
            ("engine_seconds", "Time spent in the engine.", counts.engine_seconds),
            ("boards_dropped", "Stored boards that newer ones displaced.", counts.boards_dropped),
        ):
            yield CounterMetricFamily(f"phylactery_{name}", about, value)
        for name, about, label, numbers in (
            ("battles", "Battles, by how they ended.", "reason", counts.battles),
            ("refused", "What was refused, by error code or HTTP status.", "why", counts.refused),
            ("closed", "WebSocket connections that ended, let in or not.", "code", counts.closed),
        ):
            family = CounterMetricFamily(f"phylactery_{name}", about, labels=[label])
            for key, number in numbers.items():
                family.add_metric([key], number)
            yield family
        for level in self._levels:
            yield GaugeMetricFamily(f"phylactery_{level.name}", level.about, level.now())


class Exporter:
    """Answers `/metrics`, with what the system says of the process besides."""

    def __init__(self, metrics: Metrics, *levels: Level) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(Exposition(metrics, levels))
        ProcessCollector(registry=self._registry)
        GCCollector(registry=self._registry)

    def text(self) -> bytes:
        return generate_latest(self._registry)


def _histogram(name: str, about: str, histogram: Histogram) -> Metric:
    return HistogramMetricFamily(
        f"phylactery_{name}_seconds",
        about,
        buckets=list(histogram.buckets()),
        sum_value=histogram.sum,
    )
