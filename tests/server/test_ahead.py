"""Battles that run ahead of the clock: until a tick is due nobody can see that it was made."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import math
import random
import time
import weakref
from collections.abc import Iterator

import pytest
import trio
from trio.testing import MockClock

from engine import Battle, Setup
from protocol.codec import encode
from protocol.frames import FedTick, FeedWriter, sources_of, writer_of
from protocol.messages import BattleId, Forfeit, Result, SnapshotMessage, TickFrame
from protocol.mirror import Mirror
from server.ahead import LEAST_SECONDS, SECONDS, TICKS, AheadWriter, SpareTime
from server.battles import BattleRun
from server.commands import Terms
from server.feed import ALL, Feed, wire_frames
from server.metrics import Metrics
from server.watchdog import Hung, Watchdog
from tests.protocol.battles import BATTLE, random_setup, sample_setup
from tests.server.visitors import get_ready, mirror_of, open_world

TICK_SECONDS = 0.05


def kennel() -> Setup:
    return sample_setup("red-kennel", "slow-kiln")


class Failing(FeedWriter[Battle]):
    """Fails at the tenth tick, which it has begun."""

    steps = 0

    def step(self) -> FedTick:
        self.steps += 1
        if self.steps == 10:
            self.battle.step()
            raise ZeroDivisionError("made to fail")
        return super().step()


def a_run(setup: Setup | None = None) -> BattleRun:
    terms = Terms(BattleId("r.1"), 1, 1, setup or kennel(), "", b"", {}, {})
    return BattleRun(terms, Feed(1, terms.battle), TICK_SECONDS, 100.0, Metrics())


def check_that_it_stands_at(ahead: AheadWriter, plain: FeedWriter[Battle]) -> None:
    assert ahead.told.tick == plain.maker.tick
    assert ahead.over == plain.over
    assert ahead.following == (None if plain.over else plain.next_tick())
    assert ahead.log() == plain.battle.log()
    assert encode(ahead.told.snapshot()) == encode(plain.maker.snapshot())


# The writer.


@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_asked_is_as_if_it_were_not_ahead(seed: int) -> None:
    dice = random.Random(seed)
    setup = random_setup(seed) if seed % 2 else kennel()
    ahead, plain = (writer_of(Battle(setup), BATTLE) for _ in range(2))
    writer = AheadWriter(ahead)
    while not writer.over:
        if dice.random() < 0.3:
            writer.look_ahead(dice.randint(1, 40))
        if dice.random() < 0.5:
            check_that_it_stands_at(writer, plain)
        tick, frames = plain.step()
        assert writer.step()[:2] == (tick, wire_frames(frames))
    check_that_it_stands_at(writer, plain)
    writer.look_ahead(10)
    check_that_it_stands_at(writer, plain)


def test_asking_again_does_not_begin_again(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[SnapshotMessage] = []
    load = Mirror.load

    def note(mirror: Mirror, snapshot: SnapshotMessage) -> None:
        loaded.append(snapshot)
        load(mirror, snapshot)

    monkeypatch.setattr(Mirror, "load", note)
    writer = AheadWriter(writer_of(Battle(kennel()), BATTLE))
    writer.look_ahead(20)
    for _ in range(19):
        writer.step()
        writer.told.snapshot()
    assert len(loaded) == 1


def test_a_writer_that_has_caught_up_holds_nothing_back() -> None:
    writer = AheadWriter(writer_of(Battle(kennel()), BATTLE))
    writer.look_ahead(5)
    for _ in range(5):
        writer.step()
    assert (writer.told._base, writer.told._since) == (None, [])


def test_ticks_that_take_long_are_made_one_at_a_time() -> None:
    """Or the others would have to wait, and the watchdog would take them for one that hangs."""
    writer = AheadWriter(writer_of(Battle(kennel()), BATTLE))
    writer.look_ahead(TICKS, 0.0)
    writer.step()
    assert not writer.is_ahead


def test_a_failure_comes_after_all_that_was_made_before_it() -> None:
    writer = AheadWriter(Failing(Battle(kennel()), BATTLE, sources_of(kennel())))
    plain = writer_of(Battle(kennel()), BATTLE)
    with pytest.raises(ZeroDivisionError) as raised:
        writer.look_ahead(TICKS)
    writer.fail(raised.value)
    for _ in range(9):
        tick, frames = plain.step()
        assert writer.step()[:2] == (tick, wire_frames(frames))
        check_that_it_stands_at(writer, plain)
    writer.look_ahead(TICKS)  # does nothing: there is nothing to be had
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            writer.step()
        check_that_it_stands_at(writer, plain)


# The run.


def test_a_battle_fought_to_its_end_is_not_over_before_its_time() -> None:
    run, plain = a_run(), a_run()
    run.look_ahead(10_000)
    ended = None
    while ended is None:
        assert run.due == plain.due < math.inf
        now = run.due
        ended = plain.advance(now)
        assert run.advance(now) == ended
        assert run.tick == plain.tick
        for mask in range(ALL + 1):
            assert run.feed.entries[-1].bytes_for(mask) == plain.feed.entries[-1].bytes_for(mask)
        assert run.stopped("a", "forfeit") == plain.stopped("a", "forfeit")
        assert run.log() == plain.log()
        assert run.feed.keyframe() == plain.feed.keyframe()
    made, right = ([entry.made_at for entry in one.feed.entries] for one in (run, plain))
    assert made == right
    assert run._metrics.lateness.counts == plain._metrics.lateness.counts


def test_looking_ahead_delivers_nothing_and_counts_its_time() -> None:
    run = a_run()
    run.look_ahead(10)
    assert (run.tick, run.due, run.feed.entries, run.latest) == (-1, 100.0, [], 0.0)
    assert run._metrics.engine_seconds > 0
    assert sum(run._metrics.lateness.counts) == 0
    assert run.log() == b""


def test_a_battle_wants_to_run_ahead_again_once_all_is_told() -> None:
    run = a_run()
    wants = [run.has_caught_up]
    run.look_ahead(2)
    for _ in range(2):
        wants.append(run.has_caught_up)
        run.advance(run.due)
    wants.append(run.has_caught_up)
    run.advance_to(10_000)
    wants.append(run.has_caught_up)
    assert wants == [True, False, False, True, False]


# When there is time.


class Runs:
    """Notes that it ran ahead; raises, or goes on without end, if it is to."""

    def __init__(self, raises: Exception | None = None, seconds: float = 0) -> None:
        self.raised: Exception | None = None
        self.ran = 0
        self.most: list[float] = []
        self._raises = raises
        self._seconds = seconds

    def look_ahead(self, ticks: int, seconds: float) -> None:
        self.most.append(seconds)
        self.ran += ticks
        end = time.thread_time() + self._seconds
        while time.thread_time() < end:
            pass
        if self._raises is not None:
            raise self._raises

    def fail_in_time(self, failure: Exception) -> None:
        self.raised = failure


@pytest.fixture
def spare_time() -> Iterator[SpareTime]:
    dog = Watchdog(0.1)
    with dog.on_guard():
        yield SpareTime(dog)


def test_battles_run_ahead_one_at_a_time_in_the_order_they_came(spare_time: SpareTime) -> None:
    one, two, gone = Runs(), Runs(), Runs()
    for run in (one, gone, two, one):
        spare_time.add(run)
    spare_time.drop(gone)
    ran = []
    for _ in range(3):
        used = spare_time.use(math.inf)
        ran.append((used, one.ran, two.ran))
    assert ran == [(True, TICKS, 0), (True, TICKS, TICKS), (False, TICKS, TICKS)]
    assert gone.ran == 0


def test_nobody_runs_ahead_for_longer_than_there_is_time(spare_time: SpareTime) -> None:
    run = Runs()
    for seconds in (math.inf, 2 * LEAST_SECONDS, LEAST_SECONDS / 2):
        spare_time.add(run)
        assert spare_time.use(seconds) == (seconds >= LEAST_SECONDS)
    assert run.most == [SECONDS, 2 * LEAST_SECONDS]
    assert max(run.most) <= TICK_SECONDS / 10
    assert len(spare_time) == 1


def test_what_is_raised_is_kept_for_its_time(spare_time: SpareTime) -> None:
    error = ZeroDivisionError()
    fails, hangs, runs = Runs(error), Runs(seconds=5), Runs()
    for run in (fails, hangs, runs):
        spare_time.add(run)
    for _ in range(3):
        assert spare_time.use(math.inf)
    assert fails.raised is error
    assert isinstance(hangs.raised, Hung)
    assert (runs.ran, runs.raised) == (TICKS, None)


def test_a_battle_that_is_dropped_does_not_live_on(spare_time: SpareTime) -> None:
    runs = [Runs(), Runs()]
    refs = [weakref.ref(run) for run in runs]
    for run in runs:
        spare_time.add(run)
    spare_time.use(math.inf)
    spare_time.drop(runs[1])
    del run, runs
    assert [ref() for ref in refs] == [None, None]


# In a room.


async def test_a_battle_is_ahead_of_what_is_told(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        spare_time = world.hall._backstage.spare_time
        ada, bob = await world.pair(best_of=3)
        await get_ready(ada, bob)
        await bob.hear_until(TickFrame)
        await trio.sleep(4.01)
        run = world.hall.find(ada.place).run
        assert run is not None
        assert run._writer.is_ahead
        assert 60 < run.tick <= 80
        await ada.say(Forfeit())
        result = await bob.hear_until(Result)
        assert run.tick == result.tick <= 81
        assert mirror_of(bob).tick <= result.tick
        assert len(spare_time) == 0
        await get_ready(ada, bob)
        await bob.hear_until(Result)
        assert len(spare_time) == 0


async def test_a_battle_that_is_stopped_while_it_wants_time_is_forgotten(
    autojump_clock: MockClock,
) -> None:
    async with open_world() as world:
        world.metronome.meanwhile = None
        ada, bob = await world.pair(best_of=1)
        await get_ready(ada, bob)
        await bob.hear_until(TickFrame)
        spare_time = world.hall._backstage.spare_time
        assert len(spare_time) == 1
        await ada.say(Forfeit())
        await bob.hear_until(Result)
        assert len(spare_time) == 0
