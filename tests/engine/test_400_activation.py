"""400 Charge and activation: full Charge, the Strike, the Focus roll, nested activations."""

from __future__ import annotations

import pytest

from engine.chance import Chance
from tests.engine.stage import (
    A_FIRST,
    EVERY_TICK,
    Half,
    Json,
    Worn,
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

FULL: dict[int, Json | Worn] = dict.fromkeys(range(8), dummy())


def test_400_1_full_charge_is_1000() -> None:
    assert fight({0: striker(1, speed=1)}, {0: dummy()}, until=1100).ticks("activation") == [1000]
    assert fight({0: striker(1, speed=999)}, {0: dummy()}, until=2).ticks("activation") == [2]


def test_400_1_what_is_over_stays() -> None:
    story = fight({0: striker(1, speed=300)}, {0: dummy()}, until=10)
    assert story.ticks("activation") == [4, 7, 10]
    story = fight({0: striker(1, speed=300)}, {0: dummy()}, until=4)
    assert story.state("a0").charge == 200


def test_400_2_said_then_quickening_then_strike_then_lines() -> None:
    starts = on("battle_start", do("quicken", speed=900))
    acts = on("activation", do("ward", amount=1))
    story = fight({0: striker(1, starts, acts)}, {0: dummy()}, until=1)
    assert story.on_tick(1) == [
        ("activation", "a0"),
        ("quicken", "a0"),
        ("strike", "a0"),
        ("damage", "b0"),
        ("line", "a0"),
        ("ward", "a0"),
    ]


def test_400_2_a_card_may_say_that_it_does_not_strike() -> None:
    story = fight({0: striker(1, on("activation", do("ward", amount=1)), strike=False)}, FULL)
    story.never("strike")
    assert story.ticks("ward") == [10, 20, 30, 40]


def test_400_2_an_activation_ends_when_its_unit_dies_even_if_a_vessel_brings_it_back() -> None:
    thorns = card("thorns", on("hurt", do("damage", "attacker", amount=5)))
    lines = (on("activation", do("ward", amount=1)), on("activation", do("ward", amount=2)))
    brave = striker(1, *lines, vitality=5, keywords=["phylactery"])
    story = fight({0: brave, 1: dummy()}, {0: thorns}, until=10)
    story.saw({"kind": "activation", "unit": "a0"}, {"kind": "revival", "unit": "a0"})
    story.never("ward")


def test_400_2_the_lines_left_when_it_dies_between_two_do_not_fire() -> None:
    lines = (
        on("activation", do("damage", "self", amount=5)),
        on("activation", do("ward", "allies", amount=1)),
    )
    brave = striker(1, *lines, vitality=5, keywords=["phylactery"])
    story = fight({0: brave, 1: dummy()}, {0: dummy()}, until=10)
    assert story.ticks("revival") == [10]
    story.never("ward")


def test_400_2_a_line_that_has_begun_does_all_of_its_effects() -> None:
    martyr = caster(do("damage", "self", amount=5), do("ward", "allies", amount=1), vitality=5)
    story = fight({0: martyr, 1: dummy()}, {0: dummy()}, until=10)
    story.saw({"kind": "death", "unit": "a0"}, {"kind": "ward", "unit": "a1"})


def test_400_3_a_strike_deals_power_to_the_target_of_one_focus_roll() -> None:
    story = fight({0: striker(7)}, FULL | {3: card("weak", vitality=9)}, until=10)
    assert story.one("strike") == {
        "tick": 10,
        "batch": 1,
        "kind": "strike",
        "unit": "a0",
        "target": "b3",
    }
    dealt = story.one("damage")
    assert (dealt["unit"], dealt["source"], dealt["amount"], dealt["vitality"]) == (
        "b3",
        "a0",
        7,
        2,
    )


def test_400_3_with_no_legal_target_nothing_happens() -> None:
    bearer = card("bearer", vitality=5, keywords=["phylactery"])
    # Its second Strike finds only a unit that came back during this activation (800.50).
    story = fight({0: striker(5, keywords=["rabid"])}, {0: bearer}, until=10)
    assert story.ticks("strike") == [10]
    assert story.on_tick(10)[-1] == ("revival", "b0")


HALF: Half = {
    1: dummy("low", vitality=50),
    3: dummy("high", vitality=900),
    4: dummy("low", vitality=50),
    6: dummy("high", vitality=900),
}


@pytest.mark.parametrize(
    ("profile", "targets"),
    [
        ("any", ["b0", "b1", "b2", "b3"]),
        ("front", ["b0", "b1"]),
        ("back", ["b2", "b3"]),
        ("weakest", ["b0", "b2"]),
        ("strongest", ["b1", "b3"]),
    ],
)
def test_400_4_the_profile_narrows_and_one_of_what_is_left_is_drawn(
    profile: str, targets: list[str]
) -> None:
    one_by_one = card("roller", on("activation", do("charge", "focus", amount=1)), focus=profile)
    roller = one_by_one | {"speed": EVERY_TICK, "strike": False}
    story = fight({0: roller}, HALF, until=30)
    chance = Chance(A_FIRST)
    chance.below(2)
    drawn = [targets[chance.below(len(targets))] for _ in range(30)]
    assert story.units("charge") == drawn
    assert set(drawn) == set(targets)


@pytest.mark.parametrize(("profile", "cell"), [("front", 5), ("back", 2)])
def test_400_4_an_empty_row_gives_all(profile: str, cell: int) -> None:
    story = fight({0: striker(1, focus=profile)}, {cell: dummy()}, until=10)
    assert story.one("strike")["target"] == "b0"


def test_400_4_weakest_looks_at_the_vitality_that_is_left() -> None:
    wounded = worn(
        dummy(vitality=50), rune("cut", on("battle_start", do("damage", "self", amount=9)))
    )
    story = fight({0: striker(1)}, {0: dummy("slight", vitality=45), 1: wounded}, until=10)
    assert story.one("strike")["target"] == "b1"
    story = fight({0: striker(1, focus="strongest")}, {0: dummy("slight", vitality=45), 1: wounded})
    assert story.all("strike")[0]["target"] == "b0"


def test_400_4_a_draw_among_one_takes_nothing_from_the_generator() -> None:
    lone = striker(1, focus="front")
    roller = caster(do("charge", "focus", amount=1), focus="back")
    story = fight({0: lone, 1: roller}, {0: dummy(), 4: dummy(), 5: dummy(), 6: dummy()})
    chance = Chance(A_FIRST)
    chance.below(2)
    assert story.units("charge") == [f"b{1 + chance.below(3)}" for _ in range(4)]


def test_400_4_the_profile_is_any_where_a_card_does_not_say_one() -> None:
    roller = {"id": "roller", "vitality": 5, "power": 1, "speed": EVERY_TICK}
    story = fight({0: roller}, FULL, until=60)
    assert len({e["target"] for e in story.all("strike")}) == 8


def test_400_5_a_nested_activation_takes_no_charge_and_joins_the_batch() -> None:
    caller = caster(do("activate", "other_allies"), once=True)
    called = striker(2, on("activation", do("ward", amount=1)), speed=30)
    story = fight({0: caller, 1: called}, {0: dummy()}, until=10)
    outer, inner = story.all("activation")
    assert (outer["unit"], outer["nested"]) == ("a0", False)
    assert (inner["unit"], inner["nested"]) == ("a1", True)
    assert inner["batch"] == outer["batch"]
    story.saw(inner, {"kind": "strike", "unit": "a1"}, {"kind": "ward", "unit": "a1"})
    assert story.state("a1").charge == 300


def test_400_5_a_nested_activation_ends_a_quickening_too() -> None:
    caller = caster(do("quicken", "other_allies", speed=9), do("activate", "other_allies"))
    story = fight({0: caller, 1: dummy()}, {0: dummy()}, until=10)
    story.saw({"kind": "activation", "unit": "a1", "nested": True}, {"kind": "quicken", "speed": 0})
