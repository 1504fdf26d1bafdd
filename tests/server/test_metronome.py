"""The time of all rooms: what is due is run in order, and lateness never adds up."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import math
import weakref
from collections.abc import Callable

import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from server.metronome import PIECES, SPARE, Metronome


class Noted:
    """Notes when it ran; comes again when `again` says."""

    def __init__(self, again: Callable[[float], float] = lambda _: math.inf) -> None:
        self.ran: list[float] = []
        self._again = again

    def work(self, now: float) -> float:
        self.ran.append(now)
        return self._again(now)


async def test_what_is_due_runs_when_it_is_due(autojump_clock: MockClock) -> None:
    metronome = Metronome()
    three, one = Noted(), Noted()
    metronome.schedule(three, 3.0)
    metronome.schedule(one, 1.0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(metronome.run)
        await trio.sleep(10)
        nursery.cancel_scope.cancel()
    assert (one.ran, three.ran) == ([1.0], [3.0])


async def test_a_sooner_deadline_wakes_it_and_a_later_one_replaces(
    autojump_clock: MockClock,
) -> None:
    metronome = Metronome()
    far, moved, forgotten = Noted(), Noted(), Noted()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(metronome.run)
        metronome.schedule(far, 100.0)
        await trio.sleep(1)
        metronome.schedule(moved, 5.0)
        metronome.schedule(moved, 7.0)
        metronome.schedule(forgotten, 6.0)
        metronome.schedule(forgotten, math.inf)
        await trio.sleep(20)
        nursery.cancel_scope.cancel()
    assert (moved.ran, forgotten.ran, far.ran) == ([7.0], [], [])


async def test_ten_minutes_of_ticks_do_not_drift(autojump_clock: MockClock) -> None:
    """Each comes late by whatever the clock had to do; the next is due as if it had not been."""
    metronome = Metronome()
    ticks = 0

    def again(_: float) -> float:
        nonlocal ticks
        ticks += 1
        return ticks * 0.05

    noted = Noted(again)
    metronome.schedule(noted, 0.0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(metronome.run)
        await trio.sleep(600.01)
        nursery.cancel_scope.cancel()
    assert noted.ran == [number * 0.05 for number in range(12_001)]


async def test_work_without_end_holds_up_nobody(autojump_clock: MockClock) -> None:
    """Others run after a few pieces, also where something is always due."""
    metronome = Metronome()
    greedy = Noted(lambda now: now)
    metronome.schedule(greedy, 0.0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(metronome.run)
        for _ in range(5):
            before = len(greedy.ran)
            await trio.lowlevel.checkpoint()
            assert len(greedy.ran) - before <= 2 * PIECES
        nursery.cancel_scope.cancel()
    assert greedy.ran


def test_what_is_forgotten_does_not_live_on() -> None:
    """Neither itself nor, for long, a trace of its many deadlines."""
    metronome = Metronome()
    noted = Noted()
    for second in range(10_000):
        metronome.schedule(noted, 600.0 + second)
    assert len(metronome._heap) <= SPARE + 2
    metronome.schedule(noted, math.inf)
    gone = weakref.ref(noted)
    del noted
    assert gone() is None


async def test_the_most_overdue_is_first(autojump_clock: MockClock) -> None:
    metronome = Metronome()
    order: list[str] = []

    class Named(Noted):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

        def work(self, now: float) -> float:
            order.append(self.name)
            return super().work(now)

    await trio.sleep(10)
    for name, due in (("c", 9.0), ("a", 1.0), ("b", 4.0)):
        metronome.schedule(Named(name), due)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(metronome.run)
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert order == ["a", "b", "c"]


# While nothing is due.


async def test_what_can_wait_is_done_once_all_is_told_and_before_it_sleeps(
    autojump_clock: MockClock,
) -> None:
    metronome = Metronome()
    order: list[str] = []
    pieces = ["one", "two"]

    def meanwhile(seconds: float) -> bool:
        assert seconds == 1.0 - trio.current_time() or seconds == math.inf
        order.append(pieces.pop(0) if pieces else "nothing")
        return order[-1] != "nothing"

    def work(now: float) -> float:
        order.append(f"due {now:g}")
        return math.inf

    metronome.then = lambda _: order.append("told")
    metronome.meanwhile = meanwhile
    metronome.schedule(Noted(work), 1.0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(metronome.run)
        await trio.sleep(0.5)
        assert order == ["told", "one", "told", "two", "told", "nothing"]
        order.clear()
        await trio.sleep(10)
        nursery.cancel_scope.cancel()
    assert order == ["due 1", "told", "nothing"]


async def test_what_falls_due_does_not_wait_for_what_can_wait(mock_clock: MockClock) -> None:
    """Nor does it where telling took its time, nor do others who have something to do."""
    metronome = Metronome()
    order: list[str] = []
    metronome.then = lambda _: mock_clock.jump(1.0)

    def meanwhile(_: float) -> bool:
        order.append("piece")
        mock_clock.jump(2.0)
        return len(order) < 12

    def work(now: float) -> float:
        order.append(f"due {now:g}")
        return math.inf

    async def other() -> None:
        for _ in range(3):
            await trio.lowlevel.checkpoint()
            order.append("other")

    metronome.meanwhile = meanwhile
    for due in (0.5, 3.5, 6.0):
        metronome.schedule(Noted(work), due)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(metronome.run)
        await trio.lowlevel.checkpoint()
        nursery.start_soon(other)
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    said = [word for word in order if word != "other"]
    print(order)
    assert said[:7] == ["due 1", "piece", "due 4", "piece", "due 7", "piece", "piece"]
    assert order.index("other") < len(order) - 5
