"""What the server counts, and how it says so."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import gc
import subprocess
import sys

import pytest
import trio
from prometheus_client.parser import text_string_to_metric_families
from trio.testing import MockClock

from protocol.messages import Result
from server import http
from server.feed import text_frame
from server.garbage import LEAST, MANY, Garbage
from server.metrics import BOUNDS, Exporter, Histogram, Level, Metrics, count_frames
from tests.server.visitors import get_ready, open_world

REASONS = ("elimination", "timeout")


def values(text: bytes) -> dict[str, float]:
    return {
        sample.name + "".join(f" {value}" for value in sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


@pytest.mark.parametrize("sizes", [(), (0,), (125,), (126, 5), (70_000, 1, 300)])
def test_frames_are_counted_by_their_heads(sizes: tuple[int, ...]) -> None:
    assert count_frames(b"".join(text_frame(b"x" * size) for size in sizes)) == len(sizes)


def test_a_histogram_counts_up_to_each_bound() -> None:
    histogram = Histogram()
    histogram.add(0.001)
    histogram.add(0.04, 3)
    histogram.add(99.0)
    counts = dict(histogram.buckets())
    assert [counts["0.001"], counts["0.03"], counts["0.05"], counts["+Inf"]] == [1, 1, 4, 5]
    assert list(counts)[:-1] == [str(bound) for bound in BOUNDS]
    assert histogram.sum == pytest.approx(99.121)


def test_levels_are_asked_for_when_they_are_wanted() -> None:
    rooms = [1]
    exporter = Exporter(Metrics(), Level("rooms", "Rooms.", lambda: len(rooms)))
    assert values(exporter.text())["phylactery_rooms"] == 1
    rooms.append(2)
    assert values(exporter.text())["phylactery_rooms"] == 2


async def test_a_battle_shows_in_the_metrics(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada, bob = await world.pair(best_of=1)
        eve = await world.watch(ada.place)
        await get_ready(ada, bob)
        async with trio.open_nursery() as nursery:
            for visitor in (ada, bob, eve):
                nursery.start_soon(visitor.hear_until, Result)
        page = http._metrics(world.hall)
        told = values(bytes(page.body))
    assert page.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    heard = sum(len(visitor.frames()) for visitor in (ada, bob, eve))
    ticks = {frame.tick for frame in ada.frames()}
    assert told["phylactery_frames_total"] >= heard >= 3 * len(ticks) > 0
    assert told["phylactery_sent_bytes_total"] > 10 * heard
    assert sum(told.get(f"phylactery_battles_total {reason}", 0) for reason in REASONS) == 1
    assert told["phylactery_tick_lateness_seconds_count"] >= len(ticks)
    assert told["phylactery_engine_seconds_total"] > 0
    assert told["phylactery_connections"] == 3
    assert told["phylactery_rooms"] == 1
    assert told["phylactery_battles_running"] == 0


def test_cycles_are_collected_once_enough_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    standing, ended, collected = [0], [0], list[int]()
    monkeypatch.setattr(gc, "collect", lambda: collected.append(ended[0]))
    monkeypatch.setattr(gc, "get_count", lambda: (0, 0, 0))
    garbage = Garbage(lambda: standing[0], lambda: ended[0])
    first = LEAST + 1
    for standing[0], ended[0] in ((0, LEAST), (0, first), (0, first + 1), (10_000, first + 10_000)):
        assert garbage.work(100.0) > 100.0
    assert collected == [first]
    ended[0] += 1
    garbage.work(200.0)
    assert collected == [first, first + 10_001]


def test_cycles_are_collected_once_there_is_much_more(monkeypatch: pytest.MonkeyPatch) -> None:
    made, collected = [0], list[int]()
    monkeypatch.setattr(gc, "collect", lambda: collected.append(made[0]))
    monkeypatch.setattr(gc, "get_count", lambda: (made[0], 0, 0))
    garbage = Garbage(lambda: 0, lambda: 0)
    for made[0] in (MANY, MANY + 1, 0):
        garbage.work(100.0)
    assert collected == [MANY + 1]


def test_python_does_not_look_for_cycles_by_itself_in_a_server() -> None:
    code = "import gc; from server.garbage import take_over; take_over(); print(gc.isenabled())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
