"""300 Units: their numbers, what changes them, and what living and dead mean."""

from __future__ import annotations

import pytest

from tests.engine.stage import (
    B_FIRST,
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


def test_300_1_a_unit_is_written_with_all_it_is_built_of() -> None:
    knight: Json = card("knight", vitality=9, power=3, speed=7, armor=2, ward=4, focus="back")
    knight |= {"keywords": ["rabid", "phylactery"]}
    story = fight({4: worn(knight, rune("plain"), rune("fine"))}, {0: dummy()}, until=0)
    assert story.one("battle_start")["units"][0] == {
        "id": "a0",
        "cell": 4,
        "card": "knight",
        "runes": ["plain", "fine"],
        "focus": "back",
        "keywords": ["rabid", "phylactery"],
        "vessels": 1,
        "progress": 0,
        "vitality": 9,
        "max_vitality": 9,
        "power": 3,
        "speed": 7,
        "armor": 2,
        "ward": 4,
    }


def test_300_1_what_a_card_leaves_out() -> None:
    plain = {"id": "plain", "vitality": 5, "power": 1, "speed": 2}
    story = fight({0: plain}, {0: dummy()}, until=0)
    written = story.one("battle_start")["units"][0]
    assert (written["armor"], written["ward"], written["focus"]) == (0, 0, "any")
    assert written["keywords"] == []


def test_300_1_a_status_that_a_unit_is_immune_to_does_not_stick() -> None:
    statuses = (do("dread", stacks=1), do("burn", stacks=1), do("freeze", seconds=1))
    immune = dummy(immune=["dread", "burn", "freeze"])
    story = fight({0: caster(*statuses)}, {0: immune})
    story.never("status")
    story.never("vessel_points")


def test_300_2_battle_start_numbers_are_the_sum_of_four() -> None:
    bearer = card("bearer", vitality=10, power=3, speed=5, armor=1, ward=2, resonance=["kin"])
    gift = rune("gift", vitality=20, power=30, speed=50, armor=10, ward=20)
    steps = [{"count": 1, "stats": {"vitality": 100, "power": 300, "speed": 500}}]
    kin = {"id": "kin", "steps": steps}
    half = {0: worn(bearer, gift, vitality=1000, power=3000, armor=1000, ward=2000)}
    story = fight(half, {0: dummy()}, resonances=(kin,), until=0)
    built = story.state("a0")
    assert (built.vitality, built.max_vitality, built.power) == (1130, 1130, 3333)
    assert (built.speed, built.armor, built.ward) == (555, 1011, 2022)


def test_300_2_none_falls_below_0_and_vitality_not_below_1() -> None:
    bearer = card("bearer", vitality=10, power=3, speed=5, armor=1, ward=2)
    curse = rune("curse", vitality=-50, power=-50, speed=-50, armor=-50, ward=-50)
    story = fight({0: worn(bearer, curse)}, {0: dummy()}, until=0)
    built = story.state("a0")
    assert (built.vitality, built.max_vitality, built.power) == (1, 1, 0)
    assert (built.speed, built.armor, built.ward) == (0, 0, 0)


def test_300_2_only_the_sum_is_held_at_0() -> None:
    curse = rune("curse", power=-5)
    story = fight({0: worn(card("bearer", power=3), curse, power=4)}, {0: dummy()}, until=0)
    assert story.state("a0").power == 2


@pytest.mark.parametrize("stat", ["power", "speed", "armor"])
def test_300_2_a_buff_is_added_to_what_was_held_at_0(stat: str) -> None:
    bearer = card("bearer", on("battle_start", do("buff", stat=stat, amount=4)))
    cursed = worn(bearer, rune("curse", **{stat: -50}))
    assert fight({0: cursed}, {0: dummy()}, until=0).one("stat")["value"] == 4


def buffer(amount: int, stat: str = "power", **fields: object) -> Json:
    return caster(do("buff", "other_allies", stat=stat, amount=amount, **fields), once=True)


def test_300_3_a_buff_lasts_for_its_duration() -> None:
    story = fight({0: card("bearer", power=3), 1: buffer(4, seconds=1)}, {0: dummy()}, until=29)
    given = story.one("stat", unit="a0")
    assert (given["amount"], given["value"], given["until"]) == (4, 7, 30)
    assert story.state("a0").power == 7
    story = fight({0: card("bearer", power=3), 1: buffer(4, seconds=1)}, {0: dummy()}, until=30)
    ended = story.one("stat", unit="a0", source=None)
    assert (ended["amount"], ended["value"], ended["until"]) == (-4, 3, None)
    assert story.state("a0").power == 3


def test_300_3_a_buff_without_a_duration_lasts_for_the_life() -> None:
    bearer = card("bearer", power=3, vitality=5, keywords=["phylactery"])
    story = fight({0: bearer, 1: buffer(4)}, {0: striker(5, speed=50)}, until=19)
    assert story.one("stat", unit="a0")["until"] is None
    assert story.state("a0").power == 7
    story = fight({0: bearer, 1: buffer(4)}, {0: striker(5, speed=50)}, until=20)
    assert story.state("a0").power == 3


def test_300_3_the_number_shown_and_used_never_falls_below_0() -> None:
    half = {0: striker(3), 1: buffer(-10, seconds=1)}
    story = fight(half, {0: dummy()}, until=30)
    assert story.all("stat", unit="a0")[0]["value"] == 0
    # Used: on tick 20 it deals nothing. The sum stood at -7, so the end gives back all of 3.
    assert [e["amount"] for e in story.all("damage", source="a0")] == [3, 0, 0]
    assert story.all("stat", unit="a0")[1]["value"] == 3
    assert story.state("a0").power == 3


def test_300_3_armor_below_0_adds_nothing_to_damage() -> None:
    half = {0: card("bearer", armor=1, vitality=90), 1: buffer(-9, "armor")}
    story = fight(half, {0: striker(5)}, until=10)
    assert story.one("stat")["value"] == story.state("a0").armor == 0
    assert story.one("damage")["amount"] == 5


def test_300_3_speed_and_armor_are_buffed_and_used() -> None:
    story = fight({0: card("bearer", speed=1), 1: buffer(9, "speed")}, {0: dummy()}, until=20)
    assert story.state("a0").charge == 10 * 1 + 10 * 10
    half = {0: card("bearer", armor=1, vitality=90), 1: buffer(2, "armor")}
    story = fight(half, {0: striker(5)}, until=10)
    assert story.one("damage")["amount"] == 2
    story = fight({0: card("bearer", speed=1), 1: buffer(-9, "speed")}, {0: dummy()}, until=20)
    assert story.state("a0").charge == 10


def test_300_3_vitality_rises_in_both_its_numbers() -> None:
    wounded = card("wounded", vitality=30)
    half = {0: wounded, 1: buffer(7, "vitality")}
    story = fight(half, {0: striker(10)}, seed=B_FIRST, until=10)
    # (reading) the value logged is what is left
    assert story.one("stat", unit="a0")["value"] == 27
    assert (story.state("a0").vitality, story.state("a0").max_vitality) == (27, 37)


def test_300_4_a_unit_that_has_fallen_is_no_target() -> None:
    revenge = card("revenge", on("hurt", do("ward", "enemies", amount=1)))
    victim = card("victim", on("death", do("ward", "allies", amount=1)), vitality=5)
    blast = caster(do("damage", "enemies", amount=5), once=True)
    weak = card("weak", vitality=5)
    story = fight({0: victim, 1: weak, 2: dummy()}, {0: blast}, until=10)
    assert story.units("ward") == ["a2"]  # a1 has fallen too, and its death still waits
    story = fight({0: revenge}, {0: striker(5), 1: weak}, until=10)
    assert story.units("ward") == ["b0", "b1"]


def test_300_4_an_enemy_that_has_fallen_is_none() -> None:
    mad = caster(do("damage", "other_allies", amount=5), once=True)
    mourner = card("mourner", on("macabre", do("ward", "enemies", amount=1)))
    weak = card("weak", vitality=5)
    story = fight({0: mad, 1: weak, 2: weak}, {0: mourner}, until=10)
    assert story.units("ward") == ["a0", "a0"]


def test_300_4_a_unit_that_has_fallen_has_no_lines_that_fire_but_its_death_lines() -> None:
    lines = tuple(
        on(channel, do("ward", "other_allies", amount=1))
        for channel in ("hurt", "macabre", "kill", "death")
    )
    blast = caster(do("damage", "enemies", amount=5), once=True)
    story = fight({0: card("weak", *lines, vitality=5), 1: dummy()}, {0: blast}, until=10)
    assert [e["on"] for e in story.all("line", unit="a0")] == ["death"]
    # Two fall to one effect: the second's death line may not mourn, nor the first.
    story = fight({0: card("weak", *lines, vitality=5), 1: dummy(vitality=5)}, {0: blast})
    assert [e["on"] for e in story.all("line", unit="a0")] == ["death"]


def test_300_4_the_dead_neither_charge_nor_activate() -> None:
    story = fight({0: card("weak", vitality=5, speed=90), 1: dummy()}, {0: striker(5)}, until=30)
    story.never("activation", unit="a0")
    assert story.state("a0").charge == 900
    assert story.state("a0").rate == 0


def test_300_5_numbers_and_statuses_of_the_dead_bear_on_their_death_lines() -> None:
    rattle = card("rattle", on("death", do("damage", "enemies", percent=100)), vitality=5, power=90)
    buffs = caster(do("buff", "other_allies", stat="power", amount=10), name="buffer", speed=500)
    dread = do("dread", "enemies", stacks=2)
    killer = caster(dread, do("damage", "enemies", amount=5), once=True, speed=500)
    story = fight({0: rattle, 1: buffs}, {0: killer}, until=2)
    assert story.one("damage", source="a0")["amount"] == 100 * 90 // 100


def test_300_5_a_revival_clears_them_without_a_log_entry() -> None:
    statuses = (
        do("dread", stacks=1),
        do("burn", stacks=1),
        do("freeze", seconds=9),
        do("buff", "focus", stat="power", amount=1, seconds=3),
    )
    bearer = card("bearer", vitality=5, keywords=["phylactery"])
    story = fight({0: bearer}, {0: caster(*statuses, do("damage", amount=5), once=True)}, until=10)
    assert story.ticks("revival") == [10]
    story.never("status_end")
    story.never("stat", source=None)
    reborn = story.state("a0")
    assert (reborn.dread, reborn.burn, reborn.frozen_until, reborn.power) == (0, 0, None, 0)


def test_300_5_nothing_of_a_dead_unit_ends() -> None:
    timed = (
        do("freeze", seconds=1),
        do("buff", "focus", stat="power", amount=1, seconds=1),
        do("grant", "focus", keyword="rabid", seconds=1),
    )
    kill = caster(*timed, do("damage", amount=5), once=True)
    story = fight({0: card("weak", vitality=5), 1: dummy()}, {0: kill}, until=60)
    story.never("status_end")
    story.never("stat", source=None)
    story.never("grant_end")
    dead = story.state("a0")
    assert (dead.frozen_until, dead.power, dead.keywords) == (30, 1, ("rabid",))


def test_300_5_what_the_last_life_was_timed_for_does_not_end_in_the_next() -> None:
    bearer = card("bearer", vitality=5, power=9, keywords=["phylactery"])
    timed = do("buff", "focus", stat="power", amount=-4, seconds=1)
    kill = caster(timed, do("damage", amount=5), once=True)
    story = fight({0: bearer}, {0: kill}, until=60)
    story.never("stat", source=None)
    assert story.state("a0").power == 9
