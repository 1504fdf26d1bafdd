"""Whoever runs a battle can stop it."""

from __future__ import annotations

import pytest

from engine import Battle
from tests.engine.samples import own_cards
from tests.engine.stage import (
    STOUT,
    Json,
    battle_object,
    card,
    caster,
    do,
    endless,
    on,
    read_setup,
)


class Stopped(Exception):  # noqa: N818 - what has happened
    """What the tests' pulses raise."""


class Pulse:
    """Raises at its last beat."""

    def __init__(self, beats: int) -> None:
        self.left = beats

    def __call__(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise Stopped


def growing() -> Json:
    """With every return the hydra is more, within all limits; the rampart, which nothing takes,
    keeps its side standing."""
    more = [do("summon", card="hydra", count=6), do("damage", "allies", amount=STOUT)]
    hydra = card("hydra", on("revived", *more), vitality=1, keywords=["everlasting"])
    rampart = card("rampart", vitality=1_000_000_000, armor=STOUT)
    killer = caster(do("damage", "enemies", amount=STOUT), once=True)
    return battle_object({0: rampart, 1: hydra}, {0: killer}, everlasting_ticks=1)


@pytest.mark.parametrize("quiet", [False, True])
@pytest.mark.parametrize("value", [endless(), growing()], ids=["endless", "growing"])
def test_pulse_stops_a_battle_within_a_tick(value: Json, quiet: bool) -> None:
    battle = Battle(read_setup(value), quiet, Pulse(200))
    with pytest.raises(Stopped):
        battle.run()
    assert battle.tick < 20


def test_pulse_is_as_frequent_in_both_modes_and_changes_nothing() -> None:
    setup = own_cards(7)
    untouched = Battle(setup).run()
    beats = []
    for quiet in (False, True):
        pulse = Pulse(0)
        result = Battle(setup, quiet, pulse).run()
        assert result._replace(digest="") == untouched._replace(digest="")
        beats.append(-pulse.left)
    assert beats[0] == beats[1] > 0
