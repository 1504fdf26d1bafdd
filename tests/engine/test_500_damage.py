"""500 Damage, mitigation and death: 500.1 to 500.6. Revival has a file of its own."""

from __future__ import annotations

import pytest

from tests.engine.stage import (
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


def blast(amount: int, *more: Json, **fields: object) -> Json:
    """Damages all enemies once, on tick 10."""
    return caster(do("damage", "enemies", amount=amount), *more, name="blast", once=True, **fields)


@pytest.mark.parametrize(
    ("power", "dread", "armor", "dealt"),
    [
        (100, 0, 0, 100),
        (100, 3, 0, 85),
        (99, 1, 0, 94),  # 94.05
        (19, 1, 0, 18),  # 18.05
        (100, 10, 20, 30),  # Dread first, then Armor
        (10, 0, 10, 1),
        (10, 0, 99, 1),  # at least 1, where the amount was above 0
        (1, 10, 0, 1),  # 0.5
        (0, 0, 5, 0),
    ],
)
def test_500_1_less_5_percent_a_dread_stack_then_less_armor_at_least_1(
    power: int, dread: int, armor: int, dealt: int
) -> None:
    fear = on("battle_start", do("dread", "self", stacks=dread))
    story = fight({0: striker(power, fear)}, {0: dummy(armor=armor)}, until=10)
    assert story.one("damage")["amount"] == dealt


def test_500_1_twenty_stacks_leave_nothing_but_the_least() -> None:
    fear = on("battle_start", do("dread", "self", stacks=20))
    story = fight({0: striker(50, fear)}, {0: dummy()}, until=10, dread_cap=20)
    assert story.one("damage")["amount"] == 1


def test_500_1_ward_absorbs_and_vitality_stops_at_0() -> None:
    story = fight({0: striker(7)}, {0: card("warded", vitality=5, ward=10)})
    seen = [(e["amount"], e["absorbed"], e["vitality"]) for e in story.all("damage")]
    assert seen == [(0, 7, 5), (4, 3, 1), (1, 0, 0)]


def test_500_1_ward_absorbs_what_armor_left() -> None:
    story = fight({0: striker(7)}, {0: dummy(armor=2, ward=3)}, until=10)
    dealt = story.one("damage")
    assert (dealt["amount"], dealt["absorbed"]) == (2, 3)
    assert story.state("b0").ward == 0


def test_500_1_a_strike_of_0_is_dealt_all_the_same() -> None:
    hits = on("hit", do("ward", amount=1))
    hurt = on("hurt", do("ward", amount=2))
    story = fight({0: striker(0, hits)}, {0: card("target", hurt, armor=3)}, until=10)
    assert story.one("damage")["amount"] == 0
    assert story.units("ward") == ["a0"]  # a hit, but nobody is hurt


def test_500_2_the_first_armed_lethal_line_fires_and_the_unit_has_lived_throughout() -> None:
    spite = rune("spite", on("lethal", do("endure", vitality=3), once="life"))
    luck = rune("luck", on("lethal", do("endure", vitality=4), once="life"))
    story = fight({0: striker(10)}, {0: worn(card("bearer", vitality=10), spite, luck)})
    assert [(e["tick"], e["vitality"]) for e in story.all("endure")] == [(10, 3), (20, 4)]
    assert [e["source"] for e in story.all("line", on="lethal")] == ["spite", "luck"]
    assert story.ticks("death") == [30]
    assert story.all("damage")[0]["vitality"] == 0  # what the line answered
    assert story.all("damage")[1]["amount"] == 3


def test_500_2_it_fires_before_the_next_target() -> None:
    defiant = card("defiant", on("lethal", do("endure", vitality=1), once="life"), vitality=5)
    story = fight({0: blast(5)}, {0: defiant, 1: card("weak", vitality=5), 2: dummy()}, until=10)
    assert story.on_tick(10)[2:] == [
        ("damage", "b0"),
        ("line", "b0"),
        ("endure", "b0"),
        ("damage", "b1"),
        ("damage", "b2"),
        ("death", "b1"),
    ]


def test_500_2_who_endures_is_hurt_and_gives_nobody_a_kill() -> None:
    lines = (
        on("lethal", do("endure", vitality=1), once="life"),
        on("hurt", do("ward", "allies", amount=1)),
    )
    killer = striker(10, on("kill", do("ward", amount=1)))
    story = fight({0: killer}, {0: card("defiant", *lines, vitality=10)}, until=10)
    story.saw({"kind": "endure"}, {"kind": "line", "on": "hurt"}, {"kind": "ward", "unit": "b0"})
    story.never("line", on="kill")


def test_500_2_vitality_is_set_to_just_what_endure_says() -> None:
    defiant = card("defiant", on("lethal", do("endure", vitality=50), once="life"), vitality=10)
    story = fight({0: striker(10)}, {0: defiant}, until=10)
    assert story.one("endure")["vitality"] == 50  # (reading) past the maximum too
    assert (story.state("b0").vitality, story.state("b0").max_vitality) == (50, 10)


def test_500_2_a_limit_of_the_battle_is_used_up_for_good() -> None:
    lethal = on("lethal", do("endure", vitality=1), once="battle")
    bearer = card("bearer", lethal, vitality=10, keywords=["phylactery"])
    story = fight({0: striker(10)}, {0: bearer})
    assert story.ticks("endure") == [10]
    assert story.ticks("death") == [20, 30]


def test_500_3_all_targets_first_then_what_it_triggered_then_the_deaths() -> None:
    hurt = card("hurt", on("hurt", do("ward", amount=1)))
    story = fight({0: blast(5)}, {0: card("weak", vitality=5), 1: hurt, 2: hurt}, until=10)
    assert story.on_tick(10)[2:] == [
        ("damage", "b0"),
        ("damage", "b1"),
        ("damage", "b2"),
        ("line", "b1"),
        ("ward", "b1"),
        ("line", "b2"),
        ("ward", "b2"),
        ("death", "b0"),
    ]


def test_500_3_a_strikes_own_lines_come_before_hurt_and_before_the_death() -> None:
    lines = (on("hit", do("ward", amount=1)), on("new_target", do("ward", amount=2)))
    hurt = card("hurt", on("hurt", do("ward", amount=3)))
    story = fight({0: striker(5, *lines)}, {0: hurt}, until=10)
    assert [e["on"] for e in story.all("line")] == ["new_target", "hit", "hurt"]
    story = fight({0: striker(5, *lines)}, {0: card("weak", vitality=5), 1: hurt}, until=10)
    story.saw({"on": "new_target"}, {"on": "hit"}, {"kind": "death"})


def test_500_3_new_target_and_hit_are_one_event_for_the_striker() -> None:
    # It falls to its own new_target line, and is back before its hit lines: they do not fire.
    lines = (on("new_target", do("damage", "self", amount=5)), on("hit", do("ward", amount=1)))
    bearer = striker(1, *lines, vitality=5, keywords=["phylactery"])
    story = fight({0: bearer, 1: dummy()}, {0: dummy()}, until=10)
    assert story.ticks("revival") == [10]
    story.never("ward")


def test_500_3_deaths_resolve_in_the_order_they_fell_each_wholly_before_the_next() -> None:
    mourner = on("macabre", do("ward", amount=1))
    first = card("first", on("death", do("ward", "other_allies", amount=2)), vitality=5)
    half = {0: first, 1: card("second", mourner, vitality=5), 2: card("last", mourner)}
    story = fight({0: blast(5)}, half, until=10)
    assert story.on_tick(10)[5:] == [
        ("death", "b0"),
        ("line", "b0"),
        ("ward", "b2"),
        ("line", "b2"),
        ("ward", "b2"),
        ("death", "b1"),
        ("line", "b2"),
        ("ward", "b2"),
    ]


def test_500_3_a_death_caused_inside_resolves_inside() -> None:
    bomb = card("bomb", on("death", do("damage", "other_allies", amount=5)), vitality=5)
    half = {0: bomb, 1: card("near", vitality=9), 2: card("weak", vitality=5), 3: dummy()}
    story = fight({0: blast(5)}, half, until=10)
    # b2 fell with b0; b1 falls to b0's death line, and resolves within b0's death.
    assert story.units("death") == ["b0", "b1", "b2"]


def test_500_4_the_killer_is_whose_damage_took_the_last_vitality() -> None:
    story = fight({0: striker(3), 1: striker(3)}, {0: card("weak", vitality=5)}, until=10)
    assert story.one("death")["killer"] == "a1"


def burner(stacks: int, name: str, speed: int) -> Json:
    return caster(do("burn", stacks=stacks), name=name, once=True, speed=speed)


def test_500_4_of_burn_it_is_the_unit_that_last_added() -> None:
    half = {0: burner(50, "much", 100), 1: burner(1, "late", 90)}
    story = fight(half, {0: card("weak", vitality=50), 1: dummy()}, until=20)
    assert story.one("damage")["source"] == "a1"
    assert story.one("death")["killer"] == "a1"


def test_500_4_it_may_be_gone_and_is_still_the_killer() -> None:
    doomed = burner(50, "doomed", 100) | {"vitality": 5}
    story = fight({0: doomed, 1: dummy()}, {0: striker(5), 1: card("weak", vitality=9)}, until=20)
    assert story.ticks("death", unit="a0") == [10]
    assert story.one("death", unit="b1")["killer"] == "a0"
    assert story.one("damage", unit="b1")["source"] == "a0"


def dying(**fields: object) -> Json:
    return card("dying", on("death", do("ward", "other_allies", amount=1)), vitality=5, **fields)


MOURNER = card("mourner", on("macabre", do("ward", amount=2)))
HUNTER = striker(5, on("macabre", do("ward", amount=3)), on("kill", do("ward", amount=4)))


def test_500_5_death_lines_then_macabre_in_order_then_kill_then_the_vessel() -> None:
    story = fight({0: HUNTER}, {0: dying(keywords=["phylactery"]), 1: MOURNER}, until=10)
    assert story.on_tick(10)[3:] == [
        ("death", "b0"),
        ("line", "b0"),
        ("ward", "b1"),
        ("line", "a0"),
        ("ward", "a0"),
        ("line", "b1"),
        ("ward", "b1"),
        ("line", "a0"),
        ("ward", "a0"),
        ("vessel_spent", "b0"),
        ("revival", "b0"),
    ]
    assert [e["on"] for e in story.all("line")] == ["death", "macabre", "macabre", "kill"]


def test_500_5_no_kill_credit_for_an_ally_or_for_the_dead() -> None:
    suicide = caster(do("damage", "other_allies", amount=5), name="mad")
    mad = suicide | {"lines": [*suicide["lines"], on("kill", do("ward", amount=1))]}
    story = fight({0: mad, 1: card("weak", vitality=5), 2: dummy()}, {0: dummy()}, until=10)
    assert story.one("death")["killer"] == "a0"
    assert story.battle.unit("a0").kills == 0
    story.never("line", on="kill")

    revenge = card("revenge", on("death", do("damage", "killer", amount=9)), vitality=5)
    killer = striker(5, on("kill", do("ward", amount=1)), vitality=9)
    story = fight({0: killer, 1: dummy()}, {0: revenge, 1: dummy()}, until=10)
    assert story.units("death") == ["b0", "a0"]
    story.never("line", on="kill")
    assert story.battle.unit("a0").kills == 1  # the count goes up all the same


def test_500_5_everlasting_is_due_ten_seconds_after_the_death_killer_kept() -> None:
    story = fight({0: HUNTER}, {0: dying(keywords=["everlasting"]), 1: MOURNER}, until=215)
    assert story.on_tick(10)[-1] == ("return_due", "b0")
    assert story.all("return_due")[0]["due"] == 210
    back = story.all("revival")[0]
    assert (back["tick"], back["killer"]) == (210, "a0")


def test_500_5_everlasting_by_a_grant_in_force_as_it_died() -> None:
    for seconds, returns in ((9, 1), (0.45, 0)):
        grant = do("grant", "self", keyword="everlasting", seconds=seconds)
        brief = card("brief", on("battle_start", grant), vitality=5)
        story = fight({0: striker(5)}, {0: brief, 1: dummy()}, until=10)
        assert len(story.all("return_due")) == returns


def test_500_6_the_vessel_is_used_first_and_everlasting_when_there_is_none() -> None:
    both = card("both", vitality=5, keywords=["phylactery", "everlasting"])
    story = fight({0: striker(5)}, {0: both, 1: dummy()}, everlasting_ticks=15)
    assert [(e["tick"], e["cause"]) for e in story.all("revival")] == [
        (10, "phylactery"),
        (35, "everlasting"),
    ]
    assert story.ticks("return_due")[0] == 20
