"""A battle told again by its log: the same frames, tick for tick, as when it was fought."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Battle, Setup
from protocol.frames import FedTick, FeedWriter, sources_of
from protocol.log_lines import read_lines
from protocol.recording import Recording

from .battles import BATTLE, case_setups, fed, random_setup, sample_setups


def recorded(setup: Setup) -> Recording:
    """The battle fought, its log written and read again."""
    battle = Battle(setup)
    battle.run()
    vessels = min(setup.rules.vessel_start, setup.rules.vessel_max)
    return Recording(read_lines(battle.log().splitlines()), setup.catalog.cards, vessels)


def told(setup: Setup) -> list[FedTick]:
    """All that the battle's log feeds."""
    writer = FeedWriter(recorded(setup), BATTLE, sources_of(setup))
    ticks = []
    while not writer.over:
        ticks.append(writer.step())
    return ticks


def test_the_log_of_a_sample_battle_makes_the_frames_of_the_battle() -> None:
    for setup in sample_setups():
        assert told(setup) == fed(setup)


def test_the_log_of_a_case_makes_the_frames_of_the_battle() -> None:
    for setup in case_setups():
        assert told(setup) == fed(setup)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 100_000))
def test_the_log_of_any_battle_makes_the_frames_of_the_battle(seed: int) -> None:
    setup = random_setup(seed)
    assert told(setup) == fed(setup)
