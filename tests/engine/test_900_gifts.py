"""900 Runes, resonance, Scrip: what a unit is given before the battle, and Reliquary."""

from __future__ import annotations

import pytest

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


def test_900_1_a_rune_gives_stats_lines_or_both_to_its_bearer() -> None:
    ring = rune("ring", on("battle_start", do("ward", amount=2)), power=3, ward=4)
    story = fight({0: worn(dummy(), ring), 1: dummy()}, {0: dummy()}, until=0)
    assert (story.state("a0").power, story.state("a0").ward) == (3, 6)
    assert (story.state("a1").power, story.state("a1").ward) == (0, 0)


def test_900_1_each_bearer_has_the_limit_of_its_own_line() -> None:
    ring = rune("ring", on("hurt", do("ward", amount=1), once="battle"))
    half: Half = {0: worn(dummy(), ring), 1: worn(dummy(), ring)}
    blast = caster(do("damage", "enemies", amount=2))
    assert fight(half, {0: blast}, until=40).units("ward") == ["a0", "a1"]


def kin(*steps: tuple[int, int]) -> Json:
    return {"id": "kin", "steps": [{"count": n, "stats": {"power": p}} for n, p in steps]}


def powers(count: int, *steps: tuple[int, int]) -> set[int]:
    """The Power of each of so many units that share a resonance of these steps."""
    half: Half = dict.fromkeys(range(count), card("kindred", resonance=["kin"]))
    story = fight(half, {0: card("kindred", resonance=["kin"])}, resonances=(kin(*steps),), until=0)
    return {story.state(f"a{number}").power for number in range(count)}


@pytest.mark.parametrize(("count", "power"), [(1, 0), (2, 5), (3, 5), (4, 9), (5, 9)])
def test_900_2_the_highest_step_whose_count_is_met_goes_to_each(count: int, power: int) -> None:
    assert powers(count, (2, 5), (4, 9)) == {power}
    assert powers(count, (4, 9), (2, 5)) == {power}  # whatever the order they are written in


def test_900_2_it_goes_to_those_who_share_it_and_to_no_others() -> None:
    half: Half = {0: card("kindred", resonance=["kin"]), 1: dummy()}
    story = fight(half, {0: dummy()}, resonances=(kin((1, 5)),), until=0)
    assert (story.state("a0").power, story.state("a1").power) == (5, 0)


def test_900_2_a_unit_may_bear_several() -> None:
    other = kin((1, 30)) | {"id": "other"}
    both = card("both", resonance=["kin", "other"])
    story = fight({0: both}, {0: dummy()}, resonances=(kin((1, 5)), other), until=0)
    assert story.state("a0").power == 35


def test_900_2_steps_stay_as_they_were_counted_deaths_or_not() -> None:
    kindred = card("kindred", resonance=["kin"], vitality=5, keywords=["phylactery"])
    mortal = card("mortal", resonance=["kin"], vitality=4)
    half: Half = {0: kindred, 1: mortal, 2: dummy()}
    story = fight(half, {0: striker(5)}, resonances=(kin((2, 7)),), until=20)
    assert story.ticks("death", unit="a1") == [10]
    assert story.one("revival", unit="a0")["power"] == 7


def test_900_2_summoned_units_neither_count_nor_get_any() -> None:
    kindred = card("kindred", resonance=["kin"])
    summoner = caster(do("summon", card="kindred"), once=True)
    half: Half = {0: summoner, 1: kindred}
    story = fight(half, {0: dummy()}, resonances=(kin((1, 5), (2, 9)),), until=10)
    assert story.one("summon")["power"] == 0
    assert story.state("a1").power == 5


def test_900_3_a_scrip_grant_is_stats_for_one_unit() -> None:
    half: Half = {0: worn(dummy(), vitality=1, power=2, speed=3, armor=4, ward=5), 1: dummy()}
    story = fight(half, {0: dummy()}, until=0)
    bought = story.state("a0")
    assert (bought.power, bought.speed, bought.armor, bought.ward) == (2, 3, 4, 5)
    assert bought.vitality == story.state("a1").vitality + 1


def quickened(*lines: Json, **fields: object) -> Json:
    return card("quick", on("battle_start", do("quicken", speed=30)), *lines, **fields)


def test_900_4_a_quickening_adds_to_speed_until_the_next_activation() -> None:
    story = fight({0: quickened(speed=20)}, {0: dummy()}, until=19)
    assert (story.state("a0").charge, story.state("a0").rate) == (950, 50)
    story = fight({0: quickened(speed=20)}, {0: dummy()}, until=20)
    assert story.all("quicken")[-1]["speed"] == 0
    assert (story.state("a0").charge, story.state("a0").rate) == (0, 20)


def test_900_4_any_kind_of_activation_ends_it_and_one_that_has_ended_is_not_logged_again() -> None:
    caller = caster(do("activate", "other_allies"))
    story = fight({0: quickened(), 1: caller}, {0: dummy()}, until=20)
    assert story.ticks("quicken", speed=0) == [10]


def test_900_4_it_is_no_buff_and_adds_on_top_of_the_floored_speed() -> None:
    slowed = on("battle_start", do("buff", "self", stat="speed", amount=-50))
    story = fight({0: quickened(slowed, speed=20)}, {0: dummy()}, until=1)
    assert story.one("stat")["value"] == 0
    assert (story.state("a0").speed, story.state("a0").rate) == (0, 30)
    # A stat's value leaves a quickening out.
    hastened = on("battle_start", do("buff", "self", stat="speed", amount=5))
    story = fight({0: quickened(hastened, speed=20)}, {0: dummy()}, until=0)
    assert story.one("stat")["value"] == 25


def test_900_4_death_ends_it_without_a_log_entry() -> None:
    fields: Json = {"vitality": 5, "keywords": ["phylactery"]}
    story = fight({0: quickened(**fields)}, {0: striker(5)}, until=10)
    assert story.ticks("revival") == [10]
    assert [e["speed"] for e in story.all("quicken")] == [30]
    assert story.state("a0").quickened == 0
    story = fight({0: quickened(vitality=5), 1: dummy()}, {0: striker(5)}, until=10)
    assert story.state("a0").quickened == 0


def test_900_4_the_sweep_ends_it_too() -> None:
    story = fight({0: quickened()}, {0: dummy()}, time_limit=5)
    assert story.one("death", unit="a0")["sweep"]
    assert story.state("a0").quickened == 0
