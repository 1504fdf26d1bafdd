"""600 Lines, batches, chains: what fires, in which batch, and where a chain is cut."""

from __future__ import annotations

import pytest

from tests.engine.stage import (
    EVERY_TICK,
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


def warding(channel: str, amount: int = 1, **limits: str) -> Json:
    return on(channel, do("ward", amount=amount), **limits)


# 600.1


def test_600_1_effects_in_order_and_lines_as_printed_card_first_then_runes_as_worn() -> None:
    lines = (on("activation", do("ward", amount=1), do("ward", amount=2)), warding("activation", 3))
    bearer = striker(1, *lines)
    runes = (rune("z", warding("activation", 4)), rune("a", warding("activation", 5)))
    story = fight({0: worn(bearer, *runes)}, {0: dummy()}, until=10)
    assert [e["amount"] for e in story.all("ward")] == [1, 2, 3, 4, 5]
    printed = [(e["source"], e["index"]) for e in story.all("line")]
    assert printed == [("striker", 0), ("striker", 1), ("z", 0), ("a", 0)]


def test_600_1_index_counts_all_the_lines_of_its_card() -> None:
    story = fight({0: striker(1, warding("hurt"), warding("kill"), warding("hit"))}, {0: dummy()})
    assert story.all("line")[0]["index"] == 2


def test_600_1_a_limit_of_a_life_and_of_the_battle() -> None:
    lines = (
        warding("hurt", 1, once="life"),
        warding("hurt", 2, once="battle"),
        warding("hurt", 3),
    )
    bearer = card("bearer", *lines, vitality=35, keywords=["phylactery"])
    story = fight({0: bearer}, {0: striker(10)}, until=70)
    assert story.ticks("revival") == [50]
    assert story.ticks("ward", amount=1) == [10, 60]
    assert story.ticks("ward", amount=2) == [10]
    assert story.ticks("ward", amount=3) == [10, 20, 30, 40, 60, 70]


def test_600_1_if_it_dies_between_two_lines_of_one_event_the_rest_do_not_fire() -> None:
    lines = (on("hit", do("damage", "self", amount=5)), on("hit", do("ward", "allies", amount=1)))
    bearer = striker(1, *lines, vitality=5, keywords=["phylactery"])
    story = fight({0: bearer, 1: dummy()}, {0: dummy()}, until=10)
    assert story.ticks("revival") == [10]
    story.never("ward")


def test_600_1_all_death_lines_fire_though_the_bearer_is_dead() -> None:
    wards = tuple(on("death", do("ward", "allies", amount=n)) for n in (1, 2))
    story = fight({0: card("rattle", *wards, vitality=5), 1: dummy()}, {0: striker(5)}, until=10)
    assert [e["amount"] for e in story.all("ward")] == [1, 2]


# 600.2


def test_600_2_hit_is_every_strike_dealt_and_new_target_the_first_of_this_life() -> None:
    lines = (warding("hit", 1), warding("new_target", 2))
    story = fight({0: striker(1, *lines)}, {0: dummy()}, until=30)
    assert story.ticks("ward", amount=1) == [10, 20, 30]
    assert story.ticks("ward", amount=2) == [10]


def test_600_2_a_new_life_of_the_striker_has_struck_nobody() -> None:
    bearer = striker(1, warding("new_target"), vitality=5, keywords=["phylactery"])
    story = fight({0: bearer}, {0: striker(3, speed=50, name="foe")}, until=60)
    assert story.ticks("revival") == [40]
    assert story.ticks("ward") == [10, 50]


def test_600_2_damage_of_a_line_is_no_hit() -> None:
    lines = (warding("hit"), warding("new_target"), on("activation", do("damage", amount=1)))
    story = fight({0: striker(1, *lines, strike=False)}, {0: dummy()}, until=30)
    assert story.ticks("damage") == [10, 20, 30]
    story.never("ward")


def test_600_2_hurt_is_damage_from_a_unit_that_took_vitality_or_ward() -> None:
    hurt = on("hurt", do("charge", amount=1))
    story = fight({0: striker(5)}, {0: card("warded", hurt, ward=9)}, until=20)
    assert story.ticks("charge") == [10, 20]
    assert [e["amount"] for e in story.all("damage")] == [0, 1]
    burner = caster(do("burn", stacks=1), once=True)
    story = fight({0: burner}, {0: card("burnt", hurt)}, until=20)
    assert story.ticks("damage") == [20]
    story.never("charge")


def test_600_2_hurt_is_asked_of_the_life_that_was_hurt() -> None:
    # b0 is hurt with all the others, falls to b1's answer, and is back before its own turn.
    answer = on("hurt", do("damage", "other_allies", amount=50))
    bearer = card("bearer", warding("hurt"), vitality=20, keywords=["phylactery"])
    blast = caster(do("damage", "enemies", amount=5), once=True)
    story = fight({0: blast}, {0: card("first", answer), 1: bearer}, until=10)
    assert story.ticks("revival") == [10]
    story.never("ward")


def test_600_2_kill_macabre_and_death_are_heard_by_whom_they_concern() -> None:
    three = (warding("kill", 1), warding("macabre", 2), on("death", do("ward", "allies", amount=3)))
    half: Half = {0: striker(5, *three), 1: card("near", *three)}
    foes: Half = {0: card("weak", *three, vitality=5), 1: card("far", *three)}
    story = fight(half, foes, until=10)
    assert [(e["unit"], e["on"]) for e in story.all("line")] == [
        ("b0", "death"),
        ("a0", "macabre"),
        ("a1", "macabre"),
        ("b1", "macabre"),
        ("a0", "kill"),
    ]


def test_600_2_listeners_are_fixed_when_their_channels_turn_comes() -> None:
    # b2 is summoned by the first to mourn; it was not there when the channel's turn came.
    first = card("first", on("macabre", do("summon", card="token")))
    token = card("token", warding("macabre"))
    half: Half = {0: first, 1: card("weak", vitality=5)}
    story = fight({0: striker(5)}, half, also=(token,), until=10)
    assert story.units("summon") == ["b2"]
    story.never("ward")
    # But one that a death line summons is there before the mourning begins.
    half = {0: dummy(), 1: card("weak", on("death", do("summon", card="token")), vitality=5)}
    story = fight({0: striker(5)}, half, also=(token,), until=10)
    assert story.units("ward") == ["b2"]


def test_600_2_a_listener_that_died_and_came_back_before_its_turn_does_not_fire() -> None:
    cruel = card("cruel", on("macabre", do("damage", "other_allies", amount=9), once="battle"))
    bearer = card("bearer", warding("macabre"), vitality=9, keywords=["phylactery"])
    half: Half = {0: cruel, 1: bearer, 2: card("weak", vitality=5)}
    story = fight({0: striker(5)}, half, until=10)
    assert story.units("death") == ["b2", "b1"]
    story.never("ward")


# 600.3, 600.4


def test_600_3_an_activation_a_death_a_revival_and_the_battle_start_pass_open_batches() -> None:
    fire = card("fire", on("battle_start", do("burn", "self", stacks=9)), vitality=9)
    undying = fire | {"keywords": ["everlasting"]}
    half: Half = {0: undying, 1: striker(1, speed=EVERY_TICK // 30)}
    story = fight(half, {0: dummy()}, until=31, everlasting_ticks=5)
    assert story.batches("status", tick=0) == [0]
    assert story.batches("death") == [1]
    assert story.batches("revival") == [2]
    assert story.batches("activation") == [3]


def test_600_3_what_would_open_one_while_one_is_open_joins_it() -> None:
    bearer = card("bearer", warding("revived"), vitality=5, keywords=["phylactery"])
    caller = caster(do("activate", "other_allies"))
    story = fight({0: caller, 1: dummy()}, {0: dummy()}, until=10)
    assert story.batches("activation") == [1, 1]
    story = fight({0: striker(5)}, {0: bearer}, until=10)
    assert story.batches("death") == story.batches("line", on="revived") == [1]
    assert {event["batch"] for event in story.events[1:]} == {1}


def test_600_3_each_burn_death_is_a_batch_of_its_own() -> None:
    fire = card("fire", on("battle_start", do("burn", "self", stacks=9)), vitality=9)
    story = fight({0: fire, 1: fire, 2: dummy()}, {0: dummy()}, until=20)
    assert story.batches("death") == [1, 2]


def test_600_4_on_closing_each_sides_raw_is_converted_and_awarded() -> None:
    fear = do("dread", "enemies", stacks=1)
    answer = card("answer", on("hurt", fear, fear), keywords=["phylactery"])
    brave = striker(1, on("activation", fear), keywords=["phylactery"])
    story = fight({0: brave}, {0: answer}, until=10)
    assert story.on_tick(10)[-4:] == [
        ("vessel_points", None),
        ("vessel", "a0"),
        ("vessel_points", None),
        ("vessel", "b0"),
    ]
    assert [(e["side"], e["raw"], e["points"]) for e in story.all("vessel_points")] == [
        ("a", 1, 3),
        ("b", 2, 6),
    ]


# 600.5


@pytest.mark.parametrize(("rules", "fired"), [({}, 256), ({"chain_lines": 7}, 7)])
def test_600_5_at_most_256_lines_fire_in_one_batch(rules: Json, fired: int) -> None:
    many = [on("activation", do("ward", amount=1)) for _ in range(300)]
    story = fight({0: striker(1, *many)}, {0: dummy()}, until=20, **rules)
    assert len(story.all("line", batch=1)) == fired
    cut = story.one("chain_cut", batch=1)  # once, though more were dropped
    assert story.events.index(cut) == story.events.index(story.all("ward", batch=1)[-1]) + 1
    assert len(story.all("line", batch=2)) == fired  # each batch has its own count


@pytest.mark.parametrize(("rules", "deep"), [({}, 24), ({"chain_depth": 3}, 3)])
def test_600_5_at_most_24_of_them_one_inside_another(rules: Json, deep: int) -> None:
    brawler = card("brawler", on("hurt", do("damage", "attacker", amount=1)))
    story = fight({0: striker(1) | {"lines": brawler["lines"]}}, {0: brawler}, until=10, **rules)
    assert len(story.all("line", on="hurt")) == deep
    story.one("chain_cut")


def test_600_5_lines_side_by_side_are_no_deeper() -> None:
    lines = [on("activation", do("ward", amount=1)) for _ in range(9)]
    story = fight({0: striker(1, *lines)}, {0: dummy()}, until=10, chain_depth=1)
    assert len(story.all("line")) == 9
    story.never("chain_cut")


def test_600_5_a_dropped_line_does_not_use_up_its_limit() -> None:
    busy = striker(1, *[warding("hit", once="battle") for _ in range(3)])
    target = card("target", warding("hurt", once="battle"))
    story = fight({0: busy}, {0: target}, until=20, chain_lines=3)
    assert story.ticks("chain_cut") == [10]
    assert story.ticks("line", unit="b0") == [20]


def test_600_5_a_dropped_lethal_line_saves_nobody() -> None:
    lethal = on("lethal", do("endure", vitality=1), once="battle")
    bearer = card("bearer", lethal, vitality=5, keywords=["phylactery"])
    story = fight({0: striker(5)}, {0: bearer}, until=10, chain_lines=0)
    story.never("endure")
    assert story.on_tick(10)[3:5] == [("chain_cut", None), ("death", "b0")]


def test_600_5_outside_a_batch_nothing_is_cut() -> None:
    # (reading) Burn is outside any batch: a lethal line that answers it is counted in none.
    lethal = on("lethal", do("endure", vitality=1), once="life")
    burner = caster(do("burn", stacks=9))
    story = fight({0: burner}, {0: card("bearer", lethal, vitality=5)}, until=20, chain_lines=1)
    assert story.batches("endure") == [None]
