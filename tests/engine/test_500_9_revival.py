"""500.9 Revival, clauses a to g: how a unit comes back, and as what."""

from __future__ import annotations

import pytest

from tests.engine.revivals import CAUSES, revive, slayer, undying
from tests.engine.stage import (
    Half,
    Json,
    card,
    caster,
    do,
    dummy,
    fight,
    on,
    rune,
    striker,
    worn,
)

# 500.9a


def test_500_9a_everlasting_revives_10_seconds_after_the_death() -> None:
    story = fight({0: undying(), 1: dummy()}, {0: slayer()}, until=400)
    assert story.ticks("death") == [10]
    assert story.one("return_due")["due"] == 10 + 10 * 20
    assert story.ticks("revival", cause="everlasting") == [210]


def test_500_9a_only_if_combat_is_still_running() -> None:
    story = fight({0: undying()}, {0: slayer()}, until=400)
    story.never("revival")
    story = fight({0: undying(), 1: dummy()}, {0: slayer()}, until=400, time_limit=209)
    story.never("revival")


FILLER = caster(do("summon", card="token", count=8), name="filler", once=True, speed=90)  # tick 12


def test_500_9a_it_searches_its_own_half_and_retries_while_no_slot_is_open() -> None:
    half: Half = {0: undying(), 1: FILLER}
    story = fight(half, {0: slayer()}, also=(card("token"),), until=900, everlasting_ticks=5)
    assert len(story.all("summon")) == 7
    story.never("revival")  # delayed indefinitely by a full board, with 7 cells free over there
    assert story.state("a0").return_due == 15


def test_500_9a_the_slot_that_opens_is_taken_on_the_next_tick() -> None:
    hunter = striker(5, speed=40)  # ticks 25, 50
    half: Half = {3: undying(), 1: FILLER}
    tokens = (card("token", vitality=9),)
    story = fight(half, {0: slayer(), 1: hunter}, also=tokens, until=60, everlasting_ticks=5)
    [opened] = story.all("death")[1:]
    back = story.one("revival")
    assert opened["tick"] == 50
    assert (back["unit"], back["tick"], back["cell"]) == ("a1", 51, opened["cell"])
    assert story.state("a1").cell == opened["cell"] != 3


# 500.9b


def test_500_9b_a_vessel_is_spent_the_moment_the_death_has_resolved() -> None:
    story = revive(undying(on("death", do("ward", "allies", amount=1)), cause="phylactery"))
    assert story.on_tick(10)[2:] == [
        ("damage", "a0"),
        ("death", "a0"),
        ("line", "a0"),
        ("ward", "a1"),
        ("vessel_spent", "a0"),
        ("revival", "a0"),
    ]
    assert story.one("vessel_spent")["vessels"] == story.state("a0").vessels == 0
    story.never("return_due")


def test_500_9b_it_returns_to_the_cell_it_died_in_whatever_is_full() -> None:
    full: Half = dict.fromkeys(range(8), dummy()) | {6: undying(cause="phylactery")}
    story = fight(full, {0: slayer()}, until=20)
    assert story.one("death")["cell"] == 6
    assert (story.one("revival")["tick"], story.one("revival")["cell"]) == (10, 6)


# 500.9c


@pytest.mark.parametrize("cause", CAUSES)
def test_500_9c_it_returns_at_full_vitality_with_its_battle_start_numbers(cause: str) -> None:
    bearer = undying(cause=cause, power=1, speed=2, armor=0, resonance=["kin"])
    kin = {"id": "kin", "steps": [{"count": 1, "stats": {"power": 10, "ward": 1}}]}
    who = worn(bearer, rune("gift", speed=3), vitality=4, power=100)
    blows = (do("buff", "focus", stat="vitality", amount=2), do("damage", amount=7))
    story = revive(who, None, *blows, resonances=(kin,))
    back = story.one("revival", cause=cause)
    numbers = (back["vitality"], back["max_vitality"], back["power"], back["speed"], back["ward"])
    assert numbers == (9, 9, 111, 5, 1)
    assert story.state("a0").vitality == 9


@pytest.mark.parametrize("cause", CAUSES)
def test_500_9c_statuses_timed_effects_and_stat_changes_are_gone(cause: str) -> None:
    effects = (
        do("dread", stacks=2),
        do("burn", stacks=2),
        do("freeze", seconds=30),
        do("ward", "focus", amount=3),
        do("buff", "focus", stat="power", amount=7),
        do("buff", "focus", stat="speed", amount=7),
        do("buff", "focus", stat="armor", amount=-2, seconds=30),
        do("quicken", "focus", speed=7),
        do("grant", "focus", keyword="rabid", seconds=30),
        do("damage", amount=3),
    )
    bearer = undying(cause=cause, power=1, speed=3, armor=2)
    story = revive(bearer, None, *effects, do("damage", amount=4))
    story.one("revival", cause=cause)
    now = story.state("a0")
    assert (now.dread, now.burn, now.frozen_until, now.quickened) == (0, 0, None, 0)
    assert (now.power, now.speed, now.armor, now.ward, now.vitality) == (1, 3, 2, 0, 5)
    assert now.keywords == (cause,)


# 500.9d


@pytest.mark.parametrize(("cause", "back"), [("phylactery", 10), ("everlasting", 15)])
def test_500_9d_charge_restarts_from_empty(cause: str, back: int) -> None:
    story = revive(undying(cause=cause, speed=99), until=back + 11)
    assert story.state("a0").incarnation == 1
    # a comes first: on tick 10 it had its 990 already. 11 gains give 1089: one activation.
    gains = 11 if cause == "phylactery" else 12
    assert story.ticks("activation", unit="a0") == [back + (11 if cause == "phylactery" else 10)]
    assert story.state("a0").charge == gains * 99 - 1000


# 500.9e


def test_500_9e_once_per_life_effects_are_re_armed() -> None:
    spite = rune("spite", on("lethal", do("endure", vitality=1), once="life"))
    hears = on("revived", do("charge", amount=1), once="life")
    half: Half = {0: worn(undying(hears), spite), 1: dummy()}
    story = fight(half, {0: striker(5)}, until=80, everlasting_ticks=5)
    assert story.ticks("endure") == [10, 30, 50, 70]
    assert story.ticks("death") == [20, 40, 60, 80]
    assert story.ticks("charge") == [25, 45, 65]


def test_500_9e_once_per_battle_effects_are_not() -> None:
    luck = rune("luck", on("lethal", do("endure", vitality=1), once="battle"))
    story = fight(
        {0: worn(undying(), luck), 1: dummy()}, {0: striker(5)}, until=80, everlasting_ticks=5
    )
    assert story.ticks("endure") == [10]


# 500.9f


def test_500_9f_rabid_excludes_the_new_incarnation_for_one_activation() -> None:
    rabid = striker(5, keywords=["rabid"])
    story = fight({0: undying(cause="phylactery"), 1: dummy()}, {0: rabid}, until=20)
    # Revived during the activation: left out for the rest of that one, not of the next.
    assert [(e["tick"], e["target"]) for e in story.all("strike")] == [
        (10, "a0"),
        (10, "a1"),
        (20, "a0"),
        (20, "a1"),
    ]


def test_500_9f_rabid_excludes_it_for_the_whole_next_activation_else() -> None:
    rabid = striker(5, keywords=["rabid"])
    half: Half = {0: undying(), 1: dummy()}
    story = fight(half, {0: rabid}, until=30, everlasting_ticks=5)  # back on tick 15
    assert [e["target"] for e in story.all("strike", tick=20)] == ["a1"]
    assert [e["target"] for e in story.all("strike", tick=30)] == ["a0", "a1"]


def test_500_9f_new_target_effects_fire_for_it_again() -> None:
    marker = striker(1, on("new_target", do("charge", "target", amount=1)))
    half: Half = {0: undying(cause="phylactery", vitality=2), 1: dummy()}
    story = fight(half, {0: marker}, until=60)
    assert story.units("strike") == ["b0"] * 6
    assert [e["unit"] for e in story.all("charge")] == ["a0", "a0", "a1"]
    assert story.ticks("line", on="new_target") == [10, 30, 50]


# 500.9g


def test_500_9g_a_battle_long_grant_survives_and_can_revive_again() -> None:
    granter = caster(
        do("grant", "other_allies", keyword="everlasting", battle=True), once=True, speed=200
    )
    half: Half = {0: card("mortal", vitality=5), 1: granter}
    story = fight(half, {0: striker(5)}, until=80, everlasting_ticks=5)
    assert story.ticks("revival", unit="a0") == [15, 25, 35, 45, 55, 65, 75]
    assert story.state("a0").keywords == ("everlasting",)


@pytest.mark.parametrize("lasting", [{}, {"seconds": 30}])
def test_500_9g_a_shorter_grant_revives_once_and_is_gone(lasting: Json) -> None:
    granter = caster(
        do("grant", "other_allies", keyword="everlasting", **lasting), once=True, speed=200
    )
    half: Half = {0: card("mortal", vitality=5), 1: granter}
    story = fight(half, {0: striker(5)}, until=80, everlasting_ticks=5)
    assert story.ticks("revival", unit="a0") == [15]
    assert story.ticks("death", unit="a0") == [10, 20]


def test_500_9g_its_own_ability_is_there_again() -> None:
    story = fight({0: undying(), 1: dummy()}, {0: striker(5)}, until=40, everlasting_ticks=5)
    assert story.ticks("revival") == [15, 25, 35]
