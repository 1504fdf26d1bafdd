"""500.9, as the house reads it where the given law is open. The clauses have their own file."""

from __future__ import annotations

import pytest

from engine import Refused
from tests.engine.revivals import undying
from tests.engine.stage import (
    Half,
    Json,
    battle_object,
    card,
    caster,
    do,
    dummy,
    fight,
    on,
    read_setup,
    striker,
)


def blast(amount: int = 5) -> Json:
    return caster(do("damage", "enemies", amount=amount), name="blast", once=True)


# Vessels and Vessel Points (reading of 500.9c, 800.49b)


def test_500_9_vessels_and_points_stay_through_death_less_the_one_spent() -> None:
    earner = caster(do("dread", stacks=1), name="earner", speed=500, focus="back")  # 3 points
    half: Half = {0: card("bearer", vitality=5, keywords=["phylactery"]), 1: earner}
    story = fight(half, {0: striker(5), 4: dummy()}, until=10)
    # Four activations brought 12 points: one Vessel more, and 2 left. The fifth found it full.
    spent = story.one("vessel_spent")
    assert (spent["vessels"], spent["progress"]) == (1, 2)
    now = story.state("a0")
    assert (now.vessels, now.progress, now.incarnation) == (1, 2, 1)


def test_500_9_a_revival_does_not_grant_the_starting_vessel_again() -> None:
    both = undying(keywords=["phylactery", "everlasting"])
    story = fight({0: both, 1: dummy()}, {0: striker(5)}, until=35, everlasting_ticks=5)
    assert [e["cause"] for e in story.all("revival")] == [
        "phylactery",
        "everlasting",
        "everlasting",
    ]
    assert story.state("a0").vessels == 0


# Waiting returns (500.9a)


FILLER = caster(do("summon", card="token", count=8), name="filler", once=True, speed=90)  # tick 12


def test_500_9a_of_two_that_wait_the_oldest_death_goes_first() -> None:
    half: Half = {2: undying(name="later", vitality=6), 6: undying(name="first"), 7: FILLER}
    foes: Half = {0: striker(6, speed=200), 1: striker(5, speed=80, name="second")}
    tokens = (card("token", vitality=50),)
    story = fight(half, foes, also=tokens, until=90, everlasting_ticks=10)
    assert story.units("return_due")[:2] == ["a1", "a0"]
    assert story.units("revival")[0] == "a1"
    assert story.all("revival")[0]["tick"] == story.all("death")[2]["tick"] + 1


def test_500_9a_an_outer_death_is_older_than_one_nested_inside_it() -> None:
    bomb = on("death", do("damage", "other_allies", amount=5))
    inner, outer = undying(name="inner"), undying(bomb, name="outer", vitality=4)
    story = fight({0: inner, 1: outer, 2: dummy()}, {0: striker(4)}, until=16, everlasting_ticks=5)
    assert story.units("death") == ["a1", "a0"]
    assert story.units("return_due") == ["a0", "a1"]  # the inner one was through first
    assert story.units("revival") == ["a1", "a0"]


# Keywords granted (500.9g)


def grants(*lasting: Json, name: str = "grants") -> Json:
    effects = [do("grant", "self", keyword="rabid", **fields) for fields in lasting]
    return undying(on("battle_start", *effects), name=name)


@pytest.mark.parametrize(
    ("lasting", "kept"),
    [
        (({"battle": True},), True),
        (({},), False),
        (({"seconds": 50},), False),
        (({"seconds": 50}, {"battle": True}), True),
        (({"battle": True}, {"seconds": 50}), True),
    ],
)
def test_500_9g_only_a_grant_made_for_the_battle_outlives_a_death(
    lasting: tuple[Json, ...], kept: bool
) -> None:
    story = fight({0: grants(*lasting), 1: dummy()}, {0: blast()}, until=15, everlasting_ticks=5)
    assert story.state("a0").incarnation == 1
    assert ("rabid" in story.state("a0").keywords) == kept


@pytest.mark.parametrize("lasting", [{}, {"seconds": 50}])
def test_500_9g_a_grant_is_in_force_during_the_death_it_ends_with(lasting: Json) -> None:
    grant = do("grant", "self", keyword="phylactery", **lasting)
    earns = caster(do("dread", stacks=2), name="earns", speed=500, focus="back")
    half: Half = {0: card("brief", on("battle_start", grant), vitality=5), 1: earns}
    story = fight(half, {0: striker(5), 4: dummy()}, until=10)
    assert story.ticks("revival", cause="phylactery") == [10]  # with a Vessel it earned
    assert story.state("a0").keywords == ()


# The two channels (500.9h, i, j)


def test_500_9h_the_self_channel_is_first_then_the_allied_one_in_order() -> None:
    hears = on("ally_revived", do("ward", amount=1))
    friend = card("friend", hears)
    half: Half = {7: friend, 0: friend, 4: undying(on("revived", do("ward", amount=2)), hears)}
    story = fight(half, {0: blast()}, until=15, everlasting_ticks=5)
    assert story.units("ward") == ["a1", "a0", "a2"]


@pytest.mark.parametrize("cause", ["phylactery", "everlasting"])
def test_500_9j_an_ally_revived_line_that_names_a_cause_is_refused(cause: str) -> None:
    picky = card("picky", on("ally_revived", do("ward", amount=1), cause=cause))
    with pytest.raises(Refused) as refused:
        read_setup(battle_object({0: picky}, {0: dummy()}))
    [fault] = refused.value.faults
    assert fault.path == "cards[0].lines[0].cause"
    assert fault.message == "a line on ally_revived cannot name a cause; only revived can"


# The killer (500.9k)


def test_500_9k_a_killer_that_died_and_came_back_is_a_legal_target_again() -> None:
    avenger = card("avenger", on("ally_revived", do("burn", "killer", stacks=1)), focus="back")
    revenge = on("death", do("damage", "killer", amount=5))
    slayer = caster(
        do("damage", "focus", amount=5),
        name="slayer",
        once=True,
        vitality=5,
        keywords=["phylactery"],
    )
    story = fight({0: undying(revenge), 1: avenger}, {0: slayer, 4: dummy()}, until=209)
    assert story.state("b0").incarnation == 1
    story = fight({0: undying(revenge), 1: avenger}, {0: slayer, 4: dummy()}, until=210)
    assert story.one("status")["unit"] == "b0"
    story.never("fallback")


def test_500_9k_the_fallback_is_drawn_as_the_clause_resolves() -> None:
    # The second clause finds its killer gone because the first one took it.
    own = on("revived", do("damage", "killer", amount=9), do("burn", "killer", stacks=1))
    slayer = caster(do("damage", amount=5), name="slayer", once=True, vitality=9)
    story = fight({0: undying(own), 1: dummy()}, {0: slayer, 1: dummy()}, until=210)
    assert story.on_tick(210)[1:] == [
        ("line", "a0"),
        ("damage", "b0"),
        ("death", "b0"),
        ("fallback", "a0"),
        ("status", "b1"),
    ]


def test_500_9k_with_nobody_to_fall_back_on_the_clause_does_nothing() -> None:
    own = on("revived", do("burn", "killer", stacks=1), do("ward", amount=1))
    revenge = on("death", do("damage", "killer", amount=9))
    bearer = undying(own, revenge, keywords=["phylactery"])
    story = fight({0: bearer}, {0: striker(5, vitality=9)})
    assert story.units("death") == ["a0", "b0"]
    story.never("fallback")
    story.never("status")
    assert story.units("ward") == ["a0"]  # the rest of the line is done


def test_500_9k_a_death_lines_killer_does_not_fall_back() -> None:
    mutual = on("death", do("damage", "enemies", amount=9), do("burn", "killer", stacks=1))
    bearer = card("bearer", mutual, vitality=5)
    half: Half = {0: bearer, 1: dummy()}
    story = fight(half, {0: striker(5, vitality=9), 1: dummy()}, until=10)
    assert story.units("death") == ["a0", "b0"]
    story.never("fallback")
    story.never("status")


def test_500_9k_a_death_lines_killer_may_be_any_living_unit() -> None:
    mad = caster(do("damage", "weakest_ally", amount=5), once=True, name="mad")
    spiteful = card("spiteful", on("death", do("burn", "killer", stacks=1)), vitality=5)
    story = fight({0: spiteful, 1: mad}, {0: dummy()}, until=10)
    assert story.one("status")["unit"] == "a1"  # an ally
