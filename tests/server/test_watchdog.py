"""What hangs is ended, and nothing else notices."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import gc
import json
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from types import FrameType
from typing import cast

import pytest
import trio
from trio.testing import MockClock

from engine import Battle
from protocol.messages import BattleId, Result
from server.battles import BattleRun
from server.commands import Terms
from server.feed import Feed
from server.limits import Limits
from server.metrics import Metrics
from server.watchdog import Hung, Watchdog
from tests.engine.stage import endless, read_setup
from tests.server.visitors import get_ready, open_world


@pytest.fixture(autouse=True)
def as_in_a_server() -> Iterator[None]:
    """Nobody looks for cycles in the middle of a tick: what is raised in a `__del__`, or in what
    is called back then, is lost, and pytest would tell of it."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def spin(seconds: float) -> None:
    """Keeps the processor for so long."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def files_of(folder: Path) -> tuple[str, str]:
    """The one file there is, and what is in it."""
    (file,) = folder.iterdir()
    return str(file), file.read_text()


def test_work_that_goes_on_for_too_long_is_ended() -> None:
    dog = Watchdog(0.1)
    with dog.on_guard(), pytest.raises(Hung), dog:
        spin(5)


def test_work_that_loses_what_was_raised_is_ended_all_the_same() -> None:
    def lose_it_and_go_on() -> None:
        with suppress(Hung):
            spin(5)
        spin(5)

    dog = Watchdog(0.1)
    with dog.on_guard(), pytest.raises(Hung), dog:
        lose_it_and_go_on()


def test_work_that_comes_to_its_end_is_let_be() -> None:
    dog = Watchdog(0.2)
    with dog.on_guard():
        for _ in range(8):
            with dog:
                spin(0.05)
        spin(0.5)  # what is not watched may take its time


def test_work_is_not_ended_where_it_has_just_come_to_its_end() -> None:
    """Or nobody would note that, and whatever comes next would be ended in its place."""
    dog = Watchdog(0.0)  # too long is any time, and the timer does not run

    def look(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is Watchdog.__exit__.__code__:
            handler(signal.SIGALRM, frame)

    with dog.on_guard():
        handler = cast(Callable[[int, FrameType | None], None], signal.getsignal(signal.SIGALRM))
        sys.setprofile(look)
        try:
            with dog:
                pass
        finally:
            sys.setprofile(None)
        handler(signal.SIGALRM, None)  # nothing is watched any more
        with pytest.raises(Hung), dog:
            handler(signal.SIGALRM, None)


@pytest.mark.parametrize(
    ("clock", "is_ended"), [("monotonic", False), ("thread_time", True)], ids=["frozen", "at work"]
)
def test_work_that_did_not_have_the_processor_is_let_be(
    monkeypatch: pytest.MonkeyPatch, clock: str, is_ended: bool
) -> None:
    """As of a process that was stopped for a while, or had to wait for others."""
    dog = Watchdog(1.0)
    jumped = getattr(time, clock)() + 1000.0
    with dog.on_guard():
        handler = cast(Callable[[int, FrameType | None], None], signal.getsignal(signal.SIGALRM))
        with pytest.raises(Hung) if is_ended else nullcontext(), dog:
            monkeypatch.setattr(time, clock, lambda: jumped)
            handler(signal.SIGALRM, None)


def test_a_tick_without_end_is_ended_whatever_form_the_engine_has() -> None:
    terms = Terms(BattleId("r.1"), 1, 1, read_setup(endless()), "", b"", {}, {})
    run = BattleRun(terms, Feed(1, terms.battle), 0.05, 0, Metrics())
    dog = Watchdog(0.1)
    with dog.on_guard(), pytest.raises(Hung), dog:
        run.advance(0.05)
    assert run.tick == 0


async def test_a_battle_whose_tick_hangs_is_void_and_the_others_go_on(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    step = Battle.step

    def hang(battle: Battle) -> object:
        if battle.setup.seed == seeds[0] and battle.tick > 100:
            spin(60)
        return step(battle)

    seeds: list[str] = []
    async with open_world(Limits(hang_seconds=0.2), faults=tmp_path) as world:
        with world.hall.watchdog.on_guard():
            ada, bob = await world.pair(best_of=1)
            cid, dan = await world.pair(best_of=1)
            await get_ready(ada, bob)
            await bob.hear_phase("battle")
            terms = world.hall.find(ada.place).room.match.terms
            assert terms is not None
            seeds.append(terms.setup.seed)
            monkeypatch.setattr(Battle, "step", hang)
            await get_ready(cid, dan)
            assert (await bob.hear_until(Result)).reason == "void"
            assert (await dan.hear_until(Result)).digest is not None
    file, text = files_of(tmp_path)
    assert json.loads(text)["seed"] == seeds[0]
    # The file fights the same battle: here it does not hang.
    command = [sys.executable, "-c", "from server.cli import main; main()", "battle", file]
    fought = await trio.run_process(command, capture_stdout=True)
    assert json.loads(fought.stdout.splitlines()[-1])["kind"] == "battle_end"
