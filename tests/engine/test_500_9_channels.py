"""500.9 Revival, clauses h to m: who hears of it, and what comes of that."""

from __future__ import annotations

import pytest

from engine.chance import Chance
from tests.engine.revivals import CAUSES, VAULT, revive, slayer, undying
from tests.engine.stage import (
    A_FIRST,
    Half,
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

REVIVED = on("revived", do("ward", amount=1))

# 500.9h


@pytest.mark.parametrize("cause", CAUSES)
def test_500_9h_two_channels_self_then_allies_both_with_cause_and_killer(cause: str) -> None:
    hears = on("ally_revived", do("ward", amount=2))
    half: Half = {3: undying(REVIVED, hears, cause=cause), 1: card("friend", hears)}
    story = fight(half, {0: slayer(), 1: card("foe", hears)}, until=20, everlasting_ticks=5)
    own, allied = (e for e in story.all("line") if "revived" in e)
    told = {"revived": "a1", "cause": cause, "killer": "b0"}
    assert own.items() >= {"unit": "a1", "on": "revived", **told}.items()
    assert allied.items() >= {"unit": "a0", "on": "ally_revived", **told}.items()


# 500.9i


@pytest.mark.parametrize("cause", CAUSES)
def test_500_9i_a_line_that_names_the_other_cause_is_refused(cause: str) -> None:
    lines = [on("revived", do("ward", amount=n), cause=c) for n, c in enumerate(CAUSES, 1)]
    story = revive(undying(*lines, cause=cause))
    assert [e["amount"] for e in story.all("ward")] == [CAUSES.index(cause) + 1]


def test_500_9i_a_granted_everlasting_on_a_phylactery_bearer_does_not_cross() -> None:
    lines = [on("revived", do("ward", amount=n), cause=c) for n, c in enumerate(CAUSES, 1)]
    granter = caster(do("grant", "other_allies", keyword="everlasting"), speed=200)
    half: Half = {0: undying(*lines, cause="phylactery"), 1: granter}
    story = fight(half, {0: striker(6)}, until=25, everlasting_ticks=5)
    assert [(e["tick"], e["amount"]) for e in story.all("ward")] == [(10, 1), (25, 2)]


# 500.9j


@pytest.mark.parametrize("cause", CAUSES)
def test_500_9j_the_allied_channel_answers_every_revival_on_its_side(cause: str) -> None:
    friend = card("friend", on("ally_revived", do("ward", "revived", amount=4)))
    story = revive(undying(cause=cause), friend)
    assert story.units("ward") == ["a0"]


def test_500_9j_whether_or_not_the_revived_carries_phylactery() -> None:
    friend = card("friend", on("ally_revived", do("ward", amount=4)), keywords=["phylactery"])
    grant = on("battle_start", do("grant", "self", keyword="everlasting"))
    plain = card("plain", grant, vitality=5)
    story = revive(plain, friend)
    assert [(e["unit"], e["tick"]) for e in story.all("ward")] == [("a1", 15)]


# 500.9k


@pytest.mark.parametrize("cause", CAUSES)
def test_500_9k_a_listener_may_aim_at_the_revived_or_at_the_killer(cause: str) -> None:
    avenger = card(
        "avenger",
        on("ally_revived", do("burn", "killer", stacks=1), do("ward", "revived", amount=1)),
        focus="back",
    )
    own = on("revived", do("dread", "killer", stacks=1))
    half: Half = {0: undying(own, cause=cause, focus="back"), 1: avenger}
    story = fight(half, {0: slayer(), 4: dummy()}, until=20, everlasting_ticks=5)
    assert story.one("status", status="dread")["unit"] == "b0"
    assert story.one("status", status="burn")["unit"] == "b0"
    assert story.one("ward")["unit"] == "a0"
    story.never("fallback")


@pytest.mark.parametrize("cause", CAUSES)
def test_500_9k_killer_gone_falls_back(cause: str) -> None:
    revenge = on("death", do("damage", "killer", amount=9))
    avenger = card("avenger", on("ally_revived", do("burn", "killer", stacks=1)), focus="back")
    half: Half = {0: undying(revenge, cause=cause), 1: avenger}
    foes: Half = {0: slayer(vitality=9), 1: dummy(), 4: dummy()}
    story = fight(half, foes, until=19, everlasting_ticks=5)
    assert story.ticks("death", unit="b0") == [10]
    assert story.one("revival")["killer"] == "b0"
    back = story.one("fallback")  # the listener's own Focus roll, and its own profile
    assert (back["unit"], back["target"]) == ("a1", "b2")
    assert story.one("status")["unit"] == "b2"


def test_500_9k_killer_that_is_no_longer_a_legal_target_falls_back() -> None:
    mad = caster(do("damage", "weakest_ally", amount=5), once=True, name="mad")
    own = on("revived", do("burn", "killer", stacks=1))
    story = fight({0: undying(own), 1: mad}, {0: dummy()}, until=19, everlasting_ticks=5)
    assert story.one("revival")["killer"] == "a1"  # an ally killed it
    assert story.one("fallback")["target"] == "b0"
    assert story.one("status")["unit"] == "b0"


def test_500_9k_everlasting_holds_the_killers_identity_while_the_unit_is_down() -> None:
    avenger = card("avenger", on("ally_revived", do("burn", "killer", stacks=1)), focus="back")
    half: Half = {0: undying(), 1: avenger}
    story = fight(half, {0: slayer(), 4: striker(1)}, until=220)
    assert story.one("revival", tick=210)["killer"] == "b0"
    assert story.one("status")["unit"] == "b0"


def test_500_9k_the_fallback_is_a_focus_roll_of_the_battles_generator() -> None:
    own = on("revived", do("burn", "killer", stacks=1))
    mad = caster(do("damage", "weakest_ally", amount=5), once=True, name="mad")
    foes: Half = dict.fromkeys(range(8), dummy())
    story = fight({0: undying(own, focus="any"), 1: mad}, foes, until=19, everlasting_ticks=5)
    chance = Chance(A_FIRST)
    chance.below(2)
    assert story.one("fallback")["target"] == f"b{chance.below(8)}"


# 500.9l

QUICKENS = on("revived", do("quicken", speed=300))


def test_500_9l_the_reliquary_gives_speed_until_the_next_activation() -> None:
    who = worn(undying(cause="phylactery", speed=50), rune("reliquary", QUICKENS))
    story = revive(who, until=12)
    assert (story.state("a0").rate, story.state("a0").speed) == (350, 50)
    story = revive(who, until=60)
    # 350 a tick up to the activation of tick 13; 50 a tick from then on, from 50.
    assert story.ticks("activation", unit="a0") == [13, 32, 52]
    assert [(e["tick"], e["speed"]) for e in story.all("quicken")] == [(10, 300), (13, 0)]
    assert story.state("a0").rate == 50


def test_500_9l_reapplying_does_not_add_the_larger_amount_stands() -> None:
    speeds = [on("battle_start", do("quicken", speed=speed)) for speed in (30, 50, 40, 50)]
    story = fight({0: card("quick", *speeds)}, {0: dummy()}, until=1)
    assert [e["speed"] for e in story.all("quicken")] == [30, 50]
    assert story.state("a0").charge == 50


def test_500_9l_an_ordinary_speed_buff_on_a_revival_listener_lasts() -> None:
    buff = on("revived", do("buff", stat="speed", amount=150))
    who = worn(undying(buff, cause="phylactery", speed=50), rune("reliquary", QUICKENS))
    story = revive(who, until=60)
    assert story.ticks("quicken", speed=0) == [12]
    assert len(story.ticks("activation", unit="a0")) > 5
    assert story.state("a0").speed == 200


# 500.9m


def test_500_9m_a_revival_and_every_passive_it_triggers_are_one_batch() -> None:
    friend = card("friend", on("ally_revived", do("dread", "killer", stacks=1)))
    own = on("revived", do("dread", "killer", stacks=1))
    half: Half = {0: undying(own), 1: friend, 2: friend, 3: VAULT}
    story = fight(half, {0: slayer()}, until=20, everlasting_ticks=5)
    assert {*story.batches("revival"), *story.batches("line", unit="a1")} == {2}
    points = story.one("vessel_points")
    assert (points["batch"], points["raw"], points["points"]) == (2, 3, 7)


def test_500_9m_a_vessel_revival_and_its_passives_pool_with_what_led_to_them() -> None:
    afraid = do("dread", "enemies", stacks=1)
    friend = card("friend", on("ally_revived", afraid))
    half: Half = {0: undying(on("revived", afraid), cause="phylactery"), 1: friend, 2: VAULT}
    thorns = caster(do("damage", amount=5), do("freeze", "self", seconds=1), once=True)
    story = fight(half, {0: thorns, 1: VAULT}, until=10)
    assert {event["batch"] for event in story.events if event["tick"] == 10} == {1}
    assert [(e["side"], e["raw"]) for e in story.all("vessel_points")] == [("a", 4), ("b", 1)]


def test_500_9m_a_chain_of_listeners_does_not_pay_for_the_revival_after_it() -> None:
    # Two fall to one blow. What a0's revival earns comes too late for a1, which has no Vessel.
    friend = card("friend", on("ally_revived", do("dread", "killer", stacks=9)))
    grant = on("battle_start", do("grant", "self", keyword="phylactery"))
    poor = card("poor", grant, vitality=5)
    half: Half = {0: undying(cause="phylactery"), 1: poor, 2: friend}
    blow = caster(do("damage", "enemies", amount=5), once=True)
    story = fight(half, {0: blow}, until=20, vessel_cost=1)
    assert story.units("revival") == ["a0"]
    assert story.units("death") == ["a0", "a1"]
    assert story.one("vessel_points")["batch"] == story.one("revival")["batch"]
