"""100 Time: ticks, the set-up, the order of units and phases, and the ways a battle ends."""

from __future__ import annotations

from decimal import Decimal

import pytest

from engine import Refused
from engine.chance import Chance
from tests.engine.stage import (
    A_FIRST,
    B_FIRST,
    EVERY_TICK,
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


@pytest.mark.parametrize(("seconds", "ticks"), [(1, 20), (1.5, 30), (0.05, 1), (0.35, 7)])
def test_100_1_seconds_are_twenty_ticks_each(seconds: float, ticks: int) -> None:
    freezer = caster(do("freeze", seconds=seconds), once=True)
    story = fight({0: freezer}, {0: dummy()})
    assert story.one("status", status="freeze")["amount"] == ticks
    assert story.one("status", status="freeze")["total"] == 10 + ticks


@pytest.mark.parametrize(
    "timed",
    [
        do("freeze", seconds=0.03),
        do("buff", stat="power", amount=1, seconds=0.03),
        do("grant", keyword="rabid", seconds=0.03),
    ],
    ids=lambda effect: str(effect["verb"]),
)
def test_100_1_a_part_of_a_tick_is_refused(timed: Json) -> None:
    with pytest.raises(Refused) as refused:
        read_setup(battle_object({0: caster(timed)}, {0: dummy()}))
    [fault] = refused.value.faults
    assert fault.path == "cards[0].lines[0].do[0].seconds"
    assert fault.message == f"{Decimal('0.03')} seconds are not a whole number of ticks (0.05)"


@pytest.mark.parametrize("seed", ["a", "b", "case", "骨", "another text"])
def test_100_2_the_first_draw_is_the_initiative(seed: str) -> None:
    story = fight({0: dummy()}, {0: dummy()}, seed=seed, until=0)
    assert story.one("battle_start")["initiative"] == "ab"[Chance(seed).below(2)]


def test_100_2_the_seeds_of_the_stage_give_the_side_of_their_name() -> None:
    for seed, side in ((A_FIRST, "a"), (B_FIRST, "b")):
        story = fight({0: dummy()}, {0: dummy()}, seed=seed, until=0)
        assert story.one("battle_start")["initiative"] == side


@pytest.mark.parametrize(
    ("seed", "order"), [(A_FIRST, ["a0", "a1", "b0"]), (B_FIRST, ["b0", "a0", "a1"])]
)
def test_100_2_battle_start_lines_fire_on_tick_0_in_order_as_one_batch(
    seed: str, order: list[str]
) -> None:
    starter = card("starter", on("battle_start", do("dread", "enemies", stacks=1)))
    story = fight({5: starter, 2: starter}, {7: starter}, seed=seed, until=0)
    assert story.events[0]["kind"] == "battle_start"
    assert story.units("line", on="battle_start", tick=0) == order
    assert story.batches("line") == [0, 0, 0]
    assert [e["raw"] for e in story.all("vessel_points", batch=0)] == [2, 2]  # pooled: one pass


def test_100_2_the_initiative_is_drawn_before_anything_else_is() -> None:
    starter = card("starter", on("battle_start", do("burn", stacks=1)))
    story = fight({0: starter}, dict.fromkeys(range(8), dummy()), until=0)
    chance = Chance(A_FIRST)
    chance.below(2)
    assert story.one("status")["unit"] == f"b{chance.below(8)}"


@pytest.mark.parametrize(
    ("seed", "order"),
    [(A_FIRST, ["a0", "a1", "b0", "b1"]), (B_FIRST, ["b0", "b1", "a0", "a1"])],
)
def test_100_3_in_order_is_the_first_side_by_cell_then_the_other(
    seed: str, order: list[str]
) -> None:
    half = {6: striker(1), 1: striker(1)}
    story = fight(half, half, seed=seed, until=10)
    assert [unit["id"] for unit in story.one("battle_start")["units"]] == order
    assert story.units("activation", tick=10) == order


def test_100_3_a_summoned_unit_stands_in_the_order_of_its_cell() -> None:
    token = card("token", on("macabre", do("ward", amount=1)))
    summoner = caster(do("summon", card="token"), do("damage", amount=9), once=True)
    mourner = card("mourner", on("macabre", do("ward", amount=1)))
    story = fight(
        {2: summoner, 5: mourner}, {0: dummy(), 1: card("weak", vitality=9)}, also=(token,)
    )
    assert story.one("summon")["unit"] == "a2"
    assert story.units("line", on="macabre") == ["a2", "a1"]  # cells 0 and 5


def burning(**fields: object) -> Json:
    """Sets itself on fire when the battle starts."""
    return card("burning", on("battle_start", do("burn", "self", stacks=5)), **fields)


def test_100_4_returns_come_before_burn() -> None:
    undying = card("undying", vitality=5, keywords=["everlasting"])
    story = fight({0: undying, 1: burning()}, {0: striker(5)}, everlasting_ticks=10)
    assert story.on_tick(20)[:2] == [("revival", "a0"), ("damage", "a1")]


def test_100_4_burn_comes_before_charge() -> None:
    phoenix = burning(vitality=5, speed=50, keywords=["phylactery"])
    story = fight({0: phoenix, 1: dummy()}, {0: dummy()}, until=20)
    assert story.ticks("revival") == [20]
    story.never("activation")  # it would have been full on tick 20
    assert story.state("a0").charge == 50  # the new life's first gain


def test_100_4_returns_come_before_charge() -> None:
    undying = card("undying", vitality=5, speed=7, keywords=["everlasting"])
    story = fight({0: undying, 1: dummy()}, {0: striker(5)}, everlasting_ticks=5, until=15)
    assert story.ticks("revival") == [15]
    assert story.state("a0").charge == 7


def test_100_4_activations_come_before_endings() -> None:
    freezer = caster(do("freeze", seconds=1), do("buff", "self", stat="power", amount=1), once=True)
    story = fight({0: freezer, 1: striker(1)}, {0: dummy()}, until=30)
    assert story.on_tick(30)[-1] == ("status_end", "b0")
    story.saw({"kind": "strike", "tick": 30}, {"kind": "status_end", "tick": 30})


def test_100_4a_returns_due_together_come_oldest_death_first_each_a_batch() -> None:
    undying = card("undying", vitality=5, keywords=["everlasting"])
    blast = caster(do("damage", "enemies", amount=5), once=True)
    story = fight({0: undying, 1: undying, 2: dummy()}, {0: blast}, everlasting_ticks=10)
    assert story.units("revival", tick=20) == ["a0", "a1"]
    first, second = story.batches("revival")
    assert first is not None
    assert second == first + 1


def test_100_4b_burn_is_on_ticks_that_20_divides() -> None:
    late = caster(do("burn", "enemies", stacks=9), once=True, speed=77)
    story = fight({0: late}, {0: dummy()}, until=100)
    assert story.ticks("activation")[0] == 13
    assert story.ticks("damage") == [20, 40, 60, 80, 100]


def test_100_4c_a_unit_gains_its_speed_unless_frozen() -> None:
    freezer = caster(do("freeze", seconds=1), once=True)
    story = fight({0: freezer}, {0: card("runner", speed=3)}, until=9)
    assert story.state("b0").charge == 27
    story = fight({0: freezer}, {0: card("runner", speed=3)}, until=30)
    assert story.state("b0").charge == 30  # ten gains; frozen for ticks 11 to 30
    story = fight({0: freezer}, {0: card("runner", speed=3)}, until=31)
    assert story.state("b0").charge == 33


def test_100_4d_full_charge_is_asked_when_the_units_turn_comes() -> None:
    pusher = caster(do("charge", "allies", amount=1000), once=True)
    late, early = card("late", power=1), card("early", power=1)
    story = fight({0: early, 1: pusher, 2: late}, {0: dummy()}, until=12)
    assert story.ticks("activation", unit="a2") == [10]  # its turn was still to come
    assert story.ticks("activation", unit="a0") == [11]  # its turn had passed


def test_100_4d_who_dies_or_is_frozen_before_its_turn_does_not_activate() -> None:
    freezer = caster(do("freeze", "enemies", seconds=1), once=True)
    story = fight({0: freezer}, {0: striker(1)}, until=10)
    assert story.units("activation") == ["a0"]
    story = fight({0: striker(5)}, {0: striker(1, name="weak", vitality=5), 1: dummy()}, until=10)
    assert story.units("activation") == ["a0"]


def test_100_4d_the_order_is_the_one_that_held_when_the_phase_began() -> None:
    token = card("token", on("macabre", do("ward", amount=1)), power=1)
    summoner = caster(do("summon", card="token"), do("charge", "allies", amount=1000), once=True)
    story = fight({0: summoner}, {0: dummy()}, also=(token,), until=11)
    assert story.one("summon")["cell"] == 1
    assert story.ticks("activation", unit="a1") == [11]  # built within the phase of tick 10


def test_100_4d_a_unit_activates_once_a_tick_each_a_batch() -> None:
    story = fight({0: striker(1, speed=2500), 1: striker(1, speed=2500)}, {0: dummy()}, until=2)
    assert story.units("activation") == ["a0", "a1", "a0", "a1"]
    assert story.batches("activation") == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("seed", "order"),
    [(A_FIRST, ["a0", "a1", "b0", "b1"]), (B_FIRST, ["b0", "b1", "a0", "a1"])],
)
def test_100_4e_what_lasts_d_ticks_from_t_ends_on_t_plus_d_in_order(
    seed: str, order: list[str]
) -> None:
    buffs = do("buff", "allies", stat="power", amount=1, seconds=0.5)
    half = {3: caster(buffs, once=True), 1: dummy()}
    story = fight(half, half, seed=seed)
    assert story.units("stat", source=None) == order
    assert set(story.ticks("stat", source=None)) == {20}


def test_100_5_a_side_with_no_living_unit_loses() -> None:
    story = fight({0: striker(5)}, {0: card("weak", vitality=5)})
    end = story.one("battle_end")
    assert (end["tick"], end["winner"], end["reason"]) == (10, "a", "elimination")
    story = fight({0: card("weak", vitality=5)}, {0: striker(5)})
    assert story.one("battle_end")["winner"] == "b"


def test_100_5_neither_side_with_a_living_unit_is_a_draw() -> None:
    bomb = card("bomb", on("death", do("damage", "enemies", amount=5)), vitality=5)
    story = fight({0: striker(5, vitality=5)}, {0: bomb})
    end = story.one("battle_end")
    assert (end["winner"], end["reason"]) == (None, "elimination")


def test_100_5_it_is_never_decided_inside_a_batch() -> None:
    bearer = card("bearer", vitality=5, keywords=["phylactery"])
    story = fight({0: striker(5)}, {0: bearer}, until=10)
    story.saw({"kind": "death", "unit": "b0"}, {"kind": "revival", "unit": "b0"})
    story.never("battle_end")


def test_100_5_it_is_not_decided_while_a_death_waits() -> None:
    fire = card("fire", on("battle_start", do("burn", "self", stacks=5)), vitality=5)
    story = fight({0: fire}, {0: fire})
    assert story.units("death") == ["a0", "b0"]  # each its own batch
    assert story.one("battle_end")["winner"] is None


def test_100_5_nothing_pending_holds_a_decided_battle_open() -> None:
    undying = card("undying", vitality=5, keywords=["everlasting"])
    story = fight({0: striker(5)}, {0: undying}, until=500)
    assert story.one("return_due")["due"] == 210
    assert story.one("battle_end")["tick"] == 10
    assert story.events[-1]["kind"] == "battle_end"


def test_100_5_nothing_happens_after_the_end() -> None:
    story = fight({0: striker(5), 1: striker(5)}, {0: card("weak", vitality=5)})
    assert story.units("activation") == ["a0"]  # a1 was as full, and its turn was to come
    assert story.battle.over
    assert story.battle.tick == 10


def buffed() -> Json:
    """Buffs itself for a second when the battle starts."""
    return card("buffed", on("battle_start", do("buff", stat="armor", amount=1, seconds=1)))


DUE_ON_20 = {
    "return": card("undying", vitality=5, keywords=["everlasting"]),  # felled on tick 10
    "burn": burning(),
    "activation": card("eager", speed=50),
    "ending": buffed(),
}


@pytest.mark.parametrize("due", ["return", "burn", "activation", "ending"])
def test_100_5_nothing_happens_after_a_return_that_decides(due: str) -> None:
    revenge = on("revived", do("damage", "enemies", amount=5), cause="everlasting")
    avenger = card("avenger", revenge, vitality=5, keywords=["everlasting"])
    blast = caster(do("damage", "enemies", amount=5), vitality=5, once=True)
    half = {0: avenger, 1: DUE_ON_20[due], 2: dummy()}
    story = fight(half, {0: blast}, everlasting_ticks=10)
    assert [kind for kind, _ in story.on_tick(20)] == [
        "revival",
        "line",
        "damage",
        "death",
        "battle_end",
    ]
    if due == "activation":
        assert story.state("a1").charge == 950


@pytest.mark.parametrize("due", ["activation", "ending"])
def test_100_5_nothing_happens_after_a_burn_that_decides(due: str) -> None:
    story = fight({1: DUE_ON_20[due]}, {0: burning(vitality=5)})
    assert [kind for kind, _ in story.on_tick(20)] == ["damage", "death", "battle_end"]
    if due == "activation":
        assert story.state("a0").charge == 950


def test_100_5_nothing_happens_after_an_activation_that_decides() -> None:
    half = {0: striker(5, speed=50), 1: DUE_ON_20["ending"]}
    story = fight(half, {0: card("weak", vitality=5)}, time_limit=20)
    assert story.on_tick(20)[-2:] == [("death", "b0"), ("battle_end", None)]


def test_100_6_the_sweep_comes_after_the_last_ticks_phases_in_order() -> None:
    story = fight({1: striker(1), 0: dummy()}, {0: dummy()}, time_limit=10, seed=B_FIRST)
    story.saw({"kind": "damage", "tick": 10, "unit": "b0"}, {"kind": "death", "tick": 10})
    deaths = story.all("death", sweep=True, killer=None, batch=None)
    assert [death["unit"] for death in deaths] == ["b0", "a0", "a1"]
    assert [death["cell"] for death in deaths] == [0, 0, 1]
    end = story.one("battle_end")
    assert (end["tick"], end["winner"], end["reason"]) == (10, None, "timeout")


def test_100_6_nothing_answers_the_sweep() -> None:
    lines = (on("death", do("ward", "other_allies", amount=1)), on("macabre", do("ward", amount=1)))
    last = card("last", *lines, keywords=["phylactery", "everlasting"])
    story = fight({0: last, 1: last}, {0: last}, time_limit=5)
    kinds = [event["kind"] for event in story.events]
    assert kinds == ["battle_start", "death", "death", "death", "battle_end"]
    assert all(unit.vitality == 0 for unit in story.battle.snapshot().units)


def test_100_6_a_battle_decided_on_the_last_tick_has_no_sweep() -> None:
    story = fight({0: striker(5)}, {0: card("weak", vitality=5)}, time_limit=10)
    story.never("death", sweep=True)
    assert story.one("battle_end")["reason"] == "elimination"


def test_100_6_time_limit_is_1200_ticks_where_no_rule_says_otherwise() -> None:
    story = fight({0: dummy()}, {0: card("dummy", speed=0)}, until=EVERY_TICK * 2)
    assert story.one("battle_end")["tick"] == 1200
