"""Steps made before they are due are the same steps, and nothing of them shows before its time."""

from __future__ import annotations

import math

import pytest

from engine import Battle
from protocol.frames import FedTick, FeedWriter
from protocol.messages import BattleId
from server.ahead import STEPS, Ahead
from server.battles import BattleRun
from server.commands import Terms
from server.feed import ALL, Feed
from server.metrics import Metrics
from tests.protocol.battles import BATTLE, sample_setup

SETUP = sample_setup("candle-tide", "slow-kiln")
TICK_SECONDS = 0.05


def test_it_gives_the_steps_of_the_battle_and_how_things_stand_at_each() -> None:
    plain = FeedWriter(Battle(SETUP), BATTLE)
    ahead = Ahead(FeedWriter(Battle(SETUP), BATTLE))
    while not ahead.over:
        assert ahead.next_tick == plain.next_tick()
        step, expected = ahead.step(), plain.step()
        assert (step.tick, step.frames) == expected
        assert ahead.standing.snapshot() == plain.maker.standing().snapshot()
    assert plain.over


class Failing(FeedWriter):
    """Fails at its third step."""

    steps = 0

    def step(self) -> FedTick:
        self.steps += 1
        if self.steps == 3:
            raise ZeroDivisionError("made to fail")
        return super().step()


def test_what_a_step_raises_is_raised_when_it_is_its_turn_and_ever_after() -> None:
    ahead = Ahead(Failing(Battle(SETUP), BATTLE))
    assert STEPS > 3
    ahead.step()
    last = ahead.step()
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            ahead.step()
    assert ahead.standing.tick == last.tick


def battle_run() -> BattleRun:
    terms = Terms(BattleId("r.1"), 1, 1, SETUP, "", b"", {})
    return BattleRun(terms, Feed(1, terms.battle), TICK_SECONDS, 0.0, Metrics())


def test_a_battle_that_is_stopped_has_the_log_of_what_was_told() -> None:
    whole, battle = battle_run(), Battle(SETUP)
    now = 0.0
    while whole.advance(now) is None:
        battle.advance(whole.tick)
        assert whole.log() == battle.log()
        now = whole.due
    assert whole.due == math.inf
    battle.run()
    assert whole.log() == battle.log()


def test_the_result_is_not_known_before_the_last_frames_are_told() -> None:
    run = battle_run()
    told = 0
    while (ended := run.advance(run.due)) is None:
        assert len(run.feed.entries) >= told
        told = len(run.feed.entries)
    last = run.feed.entries[-1].bytes_for(ALL)
    assert ended.tick == run.tick
    assert f",{run.tick},".encode() in last
    assert run.feed.entries[-1].made_at == run.tick * TICK_SECONDS
