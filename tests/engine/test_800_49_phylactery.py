"""800.49 Phylactery: every clause of the given law, a to l, and its numbers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.stage import (
    Half,
    Json,
    Story,
    card,
    caster,
    do,
    dummy,
    fight,
    on,
    striker,
)

VAULT = dummy("vault", keywords=["phylactery"])  # a living taker of points


def bearer(*lines: Json, **fields: object) -> Json:
    """Falls to a blow of 5, and has a Vessel."""
    return card("bearer", *lines, **({"vitality": 5, "keywords": ["phylactery"]} | fields))


def fear(stacks: int, *more: Json, **fields: Any) -> Json:
    return caster(do("dread", stacks=stacks), *more, name="fear", **fields)


def earned(story: Story) -> list[tuple[int, int, list[str]]]:
    """Raw, points and takers of each conversion."""
    return [(e["raw"], e["points"], e["units"]) for e in story.all("vessel_points")]


# 800.49a


def test_800_49a_it_does_nothing_while_the_unit_is_alive() -> None:
    story = fight({0: bearer(vitality=50)}, {0: striker(5)}, until=80)
    story.never("vessel_spent")
    assert story.state("a0").vessels == 1


def test_800_49a_one_that_dies_holding_no_vessel_dies_for_good() -> None:
    story = fight({0: bearer(), 1: dummy()}, {0: striker(5)}, until=400)
    assert story.ticks("death") == [10, 20]
    assert story.ticks("revival") == [10]
    assert story.state("a0").vitality == 0


def test_800_49a_a_vessel_without_the_keyword_is_no_charge() -> None:
    # A grant of the keyword that has ended leaves what was earned, and no revival.
    grant = do("grant", "self", keyword="phylactery", seconds=0.25)
    brief = card("brief", on("battle_start", grant), vitality=5)
    half: Half = {0: brief, 1: fear(2, speed=500, focus="back")}
    story = fight(half, {0: striker(5), 4: dummy()}, until=10)
    assert story.state("a0").vessels == 1
    story.never("revival")


# 800.49b


def test_800_49b_the_starting_vessel_is_there_before_any_battle_start_line() -> None:
    kills = card("kills", on("battle_start", do("damage", "enemies", amount=5)))
    story = fight({0: kills}, {0: bearer(), 1: dummy()}, until=0)
    assert [unit["vessels"] for unit in story.one("battle_start")["units"]] == [0, 1, 0]
    story.saw({"kind": "death", "unit": "b0"}, {"kind": "revival", "unit": "b0"})


def test_800_49b_a_summoned_unit_is_built_with_it() -> None:
    summoner = caster(do("summon", card="bearer"), once=True)
    story = fight({0: summoner}, {0: striker(5, speed=60)}, also=(bearer(),), until=17)
    assert story.ticks("revival", unit="a1") == [17]


@pytest.mark.parametrize(("rules", "held"), [({}, 1), ({"vessel_start": 0}, 0)])
def test_800_49b_it_is_one_unless_a_rule_says_otherwise(rules: Json, held: int) -> None:
    assert fight({0: bearer()}, {0: dummy()}, until=0, **rules).state("a0").vessels == held


def test_800_49b_more_than_the_maximum_builds_the_maximum() -> None:
    story = fight({0: bearer()}, {0: dummy()}, until=0, vessel_start=9, vessel_max=3)
    assert story.state("a0").vessels == 3


# 800.49c


def test_800_49c_points_are_earned_by_the_side_and_pool_into_one_raw_total() -> None:
    both = (do("dread", stacks=2), do("freeze", seconds=1))
    starts = card("starts", on("battle_start", *both, do("freeze", "enemies", seconds=1)))
    story = fight({0: starts, 1: starts, 2: VAULT}, {0: dummy(), 1: dummy()}, until=0)
    assert earned(story) == [(6, 9, ["a2"])]  # 2 + 2 stacks, and two Frozen units
    assert story.state("a0").progress == 0  # who applied it earns nothing for itself


@pytest.mark.parametrize(
    "applies", [do("freeze", "adjacent", seconds=1), do("dread", "adjacent", stacks=1)]
)
def test_800_49c_it_is_the_side_of_whose_effect_applied_it_whoever_bears_it(applies: Json) -> None:
    story = fight({0: caster(applies, once=True), 1: VAULT}, {0: VAULT}, until=10)
    assert [e["side"] for e in story.all("vessel_points")] == ["a"]
    assert earned(story) == [(1, 3, ["a1"])]


def test_800_49c_a_unit_counts_as_frozen_by_unit_not_by_incarnation() -> None:
    kill = (do("freeze", seconds=1), do("damage", amount=5), do("freeze", seconds=1))
    story = fight({0: caster(*kill, once=True), 1: VAULT}, {0: bearer()}, until=10)
    assert story.units("status") == ["b0", "b0"]
    assert story.ticks("revival") == [10]
    assert earned(story) == [(1, 3, ["a1"])]


def test_800_49c_whoever_froze_it_first_in_the_batch_counts_it() -> None:
    back = on("ally_revived", do("freeze", "other_allies", seconds=1))
    kill = (do("freeze", "enemies", seconds=1), do("damage", amount=5))
    half: Half = {0: bearer(), 1: card("mate", back), 2: VAULT}
    story = fight({0: caster(*kill, once=True), 1: VAULT}, half, until=10)
    # Side b freezes b0 and b2 again: both are counted already.
    assert [(e["side"], e["raw"]) for e in story.all("vessel_points")] == [("a", 3)]


# 800.49d


def test_800_49d_the_total_goes_in_full_to_every_living_phylactery_unit() -> None:
    half: Half = {0: fear(3, once=True), 1: VAULT, 2: VAULT, 3: dummy(), 7: VAULT}
    story = fight(half, {0: VAULT}, until=10)
    assert earned(story) == [(3, 7, ["a1", "a2", "a4"])]
    assert [(e["unit"], e["progress"]) for e in story.all("vessel")] == [
        ("a1", 7),
        ("a2", 7),
        ("a4", 7),
    ]


@pytest.mark.parametrize(
    ("raw", "points"), [(1, 3), (2, 6), (3, 7), (4, 8), (5, 9), (6, 9), (10, 9)]
)
def test_800_49d_two_rate_bands(raw: int, points: int) -> None:
    story = fight({0: fear(raw, once=True), 1: VAULT}, {0: dummy()}, until=10)
    assert earned(story) == [(raw, points, ["a1"])]


def test_800_49d_bands_of_a_battles_own() -> None:
    bands = [[1, 5], [2, 0], [4, 2]]
    story = fight({0: fear(8, once=True), 1: VAULT}, {0: dummy()}, until=10, vessel_bands=bands)
    assert earned(story) == [(8, 5 + 0 + 8, ["a1"])]
    story = fight({0: fear(8, once=True), 1: VAULT}, {0: dummy()}, until=10, vessel_bands=[])
    assert earned(story) == [(8, 0, [])]
    story.never("vessel")


def test_800_49d_living_is_asked_when_the_batch_closes() -> None:
    # a1 dies for good in the batch that earns, a2 dies and is back before it closes.
    grant = on("battle_start", do("grant", "self", keyword="phylactery"))
    poor = card("poor", grant, vitality=5)
    blow = do("damage", "other_allies", amount=5)
    story = fight({0: fear(1, blow, once=True), 1: poor, 2: bearer()}, {0: dummy()}, until=10)
    assert story.units("death") == ["a1", "a2"]
    assert earned(story) == [(1, 3, ["a2"])]


# 800.49e


def test_800_49e_an_activation_and_its_whole_trigger_tree_is_one_batch() -> None:
    answers = card("answers", on("macabre", do("dread", "enemies", stacks=1)))
    half: Half = {0: striker(5, on("kill", do("dread", stacks=1))), 1: answers, 2: VAULT}
    story = fight(half, {0: card("weak", vitality=5), 1: dummy()}, until=10)
    assert earned(story) == [(2, 6, ["a2"])]


def test_800_49e_a_nested_activation_joins_the_batch_already_open() -> None:
    caller = caster(do("activate", "other_allies"), once=True)
    half: Half = {0: caller, 1: fear(1, speed=0), 2: fear(1, speed=0), 3: VAULT}
    story = fight(half, {0: dummy()}, until=10)
    assert len(story.all("activation", nested=True)) == 3
    assert earned(story) == [(2, 6, ["a3"])]


def test_800_49e_a_death_and_everything_it_fires_is_one_batch() -> None:
    fire = on("battle_start", do("burn", "self", stacks=5))
    rattle = card("rattle", fire, on("death", do("dread", "enemies", stacks=1)), vitality=5)
    mourner = card("mourner", on("macabre", do("dread", "enemies", stacks=1)))
    story = fight({0: rattle, 1: mourner, 2: VAULT}, {0: dummy()}, until=20)
    assert earned(story) == [(2, 6, ["a2"])]
    # Two deaths of one Burn phase are two batches.
    story = fight({0: rattle, 1: rattle, 2: VAULT}, {0: dummy()}, until=20)
    assert earned(story) == [(1, 3, ["a2"]), (1, 3, ["a2"])]


def test_800_49e_a_revival_and_its_listeners_is_one_batch() -> None:
    afraid = do("dread", "enemies", stacks=1)
    undying = card("undying", on("revived", afraid), vitality=5, keywords=["everlasting"])
    half: Half = {0: undying, 1: undying, 2: VAULT}
    blow = caster(do("damage", "enemies", amount=5), once=True)
    story = fight(half, {0: blow}, until=15, everlasting_ticks=5)
    assert earned(story) == [(1, 3, ["a2"]), (1, 3, ["a2"])]


def test_800_49e_the_battle_start_pass_is_one_batch() -> None:
    starts = card("starts", on("battle_start", do("dread", "enemies", stacks=1)))
    story = fight({0: starts, 1: starts, 2: VAULT}, {0: dummy()}, until=0)
    assert earned(story) == [(2, 6, ["a2"])]


# 800.49f


def test_800_49f_five_units_are_worth_the_same_capped_award_as_one() -> None:
    wide = caster(do("freeze", "enemies", seconds=1), name="wide", once=True)
    five: Half = dict.fromkeys(range(5), dummy())
    story = fight({0: wide, 1: VAULT}, five, until=10)
    assert earned(story) == [(5, 9, ["a1"])]
    story = fight({0: wide, 1: VAULT}, dict.fromkeys(range(8), dummy()), until=10)
    assert earned(story) == [(8, 9, ["a1"])]
    story = fight({0: fear(5, once=True), 1: VAULT}, {0: dummy()}, until=10)
    assert earned(story) == [(5, 9, ["a1"])]


def test_800_49f_a_revivals_listeners_cannot_finance_the_revival_after_it() -> None:
    # It dies again in the batch of its own revival: what that earns is not yet there to spend.
    lines = (
        on("revived", do("dread", "enemies", stacks=9)),
        on("revived", do("damage", "self", amount=5)),
    )
    half: Half = {0: bearer(*lines), 1: dummy()}
    story = fight(half, {0: caster(do("damage", amount=5), once=True)}, until=40, vessel_cost=1)
    assert story.ticks("death") == [10, 10]
    assert story.ticks("revival") == [10]
    assert earned(story) == [(9, 9, [])]


# 800.49g


def test_800_49g_reapplying_freeze_in_the_batch_adds_nothing() -> None:
    cold = caster(do("freeze", seconds=1), do("freeze", seconds=5))
    story = fight({0: cold, 1: VAULT}, {0: dummy()}, until=20)
    assert earned(story) == [(1, 3, ["a1"]), (1, 3, ["a1"])]  # a new batch counts it anew


def test_800_49g_dread_is_counted_by_stacks_applied() -> None:
    story = fight({0: fear(4, do("dread", stacks=1)), 1: VAULT}, {0: dummy()}, until=20)
    assert [raw for raw, _, _ in earned(story)] == [5, 5]
    story = fight({0: fear(4, do("dread", stacks=9)), 1: VAULT}, {0: dummy()}, until=10)
    assert [raw for raw, _, _ in earned(story)] == [10]  # the cap is in the way of three


# 800.49h


def test_800_49h_a_unit_at_the_maximum_ignores_incoming_points() -> None:
    half: Half = {0: fear(1), 1: VAULT}
    story = fight(half, {0: dummy()}, until=60)
    takers = [units for _, _, units in earned(story)]
    assert takers == [["a1"]] * 4 + [[]] * 2
    assert (story.state("a1").vessels, story.state("a1").progress) == (2, 2)
    story.never("vessel", tick=50)


def test_800_49h_progress_is_held_one_point_short_of_another() -> None:
    half: Half = {0: fear(5, once=True), 1: VAULT}
    story = fight(half, {0: dummy()}, until=10, vessel_cost=4)
    last = story.one("vessel")
    assert (last["vessels"], last["progress"]) == (2, 3)  # 9 points: a Vessel, and 5 left


def test_800_49h_points_past_one_vessel_carry_over() -> None:
    half: Half = {0: fear(5), 1: VAULT}
    story = fight(half, {0: dummy()}, until=20, vessel_max=9, dread_cap=99)
    assert [(e["vessels"], e["progress"]) for e in story.all("vessel")] == [(1, 9), (2, 8)]
    story = fight(half, {0: dummy()}, until=10, vessel_max=9, vessel_cost=2)
    assert [(e["vessels"], e["progress"]) for e in story.all("vessel")] == [(5, 1)]


# 800.49i


def test_800_49i_deathrattle_macabre_and_kill_credit_see_a_real_death_first() -> None:
    half: Half = {0: bearer(on("death", do("ward", "allies", amount=1))), 1: VAULT}
    mourner = striker(5, on("macabre", do("ward", amount=2)), on("kill", do("ward", amount=3)))
    story = fight(half, {0: mourner}, until=10)
    assert [(e["unit"], e["amount"]) for e in story.all("ward")] == [
        ("a1", 1),  # not a0 itself: it is dead
        ("b0", 2),
        ("b0", 3),
    ]
    story.saw({"kind": "ward", "amount": 3}, {"kind": "vessel_spent"}, {"kind": "revival"})
    assert story.battle.unit("b0").kills == 1


def test_800_49i_one_vessel_is_spent() -> None:
    story = fight({0: bearer()}, {0: striker(5)}, until=10, vessel_start=2)
    assert story.one("vessel_spent") == {
        "tick": 10,
        "batch": 1,
        "kind": "vessel_spent",
        "unit": "a0",
        "vessels": 1,
        "progress": 0,
    }


# 800.49j


def test_800_49j_the_revival_is_immediate_and_leaves_nothing_pending() -> None:
    story = fight({0: bearer()}, {0: striker(5)}, until=10)
    assert story.on_tick(10)[-2:] == [("vessel_spent", "a0"), ("revival", "a0")]
    assert story.state("a0").return_due is None
    assert not story.battle.over


def test_800_49j_a_vessel_never_holds_a_round_open() -> None:
    story = fight({0: bearer()}, {0: striker(5)}, until=400)
    assert story.ticks("revival") == [10]
    assert story.one("battle_end")["tick"] == 20


# 800.49k


def test_800_49k_the_sweep_spends_no_vessel() -> None:
    story = fight({0: bearer()}, {0: VAULT}, time_limit=30)
    assert story.units("death", sweep=True) == ["a0", "b0"]
    story.never("vessel_spent")
    story.never("revival")
    assert story.one("battle_end")["reason"] == "timeout"
    assert story.state("a0").vessels == 1


# 800.49l


def test_800_49l_it_returns_to_its_cell_though_a_deathrattle_wants_it() -> None:
    rattle = bearer(on("death", do("summon", card="token", count=8)))
    story = fight({2: rattle, 3: dummy()}, {0: striker(5)}, also=(card("token"),), until=10)
    assert [e["cell"] for e in story.all("summon")] == [0, 1, 4, 5, 6, 7]
    assert story.one("revival")["cell"] == 2


def test_800_49l_it_returns_to_its_cell_though_others_are_free() -> None:
    story = fight({5: bearer(), 7: dummy()}, {0: striker(5)}, until=10)
    assert story.one("revival")["cell"] == 5


def test_800_49l_a_full_board_does_not_stop_it() -> None:
    half: Half = dict.fromkeys(range(8), dummy()) | {5: bearer()}
    story = fight(half, {0: striker(5)}, until=10)
    assert story.one("revival")["cell"] == 5
