"""800.50 to 800.52: Rabid, Everlasting, Macabre and Deathrattle."""

from __future__ import annotations

import pytest

from tests.engine.stage import STOUT, Half, Json, card, caster, do, dummy, fight, on, striker

WEAK: Half = dict.fromkeys(range(8), card("weak", vitality=5))
RABID = ["rabid"]


@pytest.mark.parametrize(("rules", "strikes"), [({}, 8), ({"rabid_strikes": 3}, 3)])
def test_800_50_when_its_strike_kills_it_strikes_again_up_to_eight(
    rules: Json, strikes: int
) -> None:
    # Eight fall, and eight more would: the death line of each brings another.
    rattle = card("weak", on("death", do("summon", card="token")), vitality=5)
    token = card("token", vitality=4)
    half: Half = dict.fromkeys(range(5), rattle)
    story = fight({0: striker(5, keywords=RABID)}, half, also=(token,), until=10, **rules)
    assert len(story.all("strike")) == strikes
    assert story.batches("strike") == [1] * strikes


def test_800_50_a_strike_that_does_not_kill_is_the_last() -> None:
    half: Half = {0: card("weak", vitality=5), 1: card("tough", vitality=6)}
    story = fight({0: striker(5, keywords=RABID)}, half, until=10)
    assert [e["target"] for e in story.all("strike")] == ["b0", "b1"]


def test_800_50_without_the_keyword_there_is_one_strike() -> None:
    assert len(fight({0: striker(5)}, WEAK, until=10).all("strike")) == 1


def test_800_50_what_a_line_kills_gives_no_strike() -> None:
    hunter = striker(1, on("hit", do("damage", "focus", amount=4)), keywords=RABID)
    story = fight({0: hunter}, WEAK, until=10)
    assert len(story.all("strike")) == 1
    assert len(story.all("death")) == 1


def test_800_50_a_granted_rabid_is_as_good_for_as_long_as_it_lasts() -> None:
    grant = on("battle_start", do("grant", "self", keyword="rabid", seconds=0.75))
    story = fight({0: striker(5, grant)}, WEAK, until=20)
    assert len(story.all("strike", tick=10)) == 8
    story = fight({0: striker(5, grant, speed=60)}, WEAK, until=20)
    assert len(story.all("strike", tick=17)) == 1


def test_800_50_it_strikes_no_more_once_it_has_died() -> None:
    revenge = card("weak", on("death", do("damage", "killer", amount=1)), vitality=5)
    hunter = striker(5, keywords=["rabid", "phylactery"], vitality=1)
    story = fight({0: hunter}, dict.fromkeys(range(8), revenge), until=10)
    assert story.ticks("revival", unit="a0") == [10]
    assert len(story.all("strike")) == 1


def test_800_50_the_first_activation_leaves_out_all_revived_since_the_battle_began() -> None:
    bearer = card("bearer", vitality=5, keywords=["phylactery"])
    half: Half = {0: bearer, 1: dummy()}
    first = striker(5, name="first", speed=200)
    story = fight({0: first, 1: striker(5, keywords=RABID)}, half, until=10)
    assert story.ticks("revival") == [5]
    assert [e["target"] for e in story.all("strike", unit="a1")] == ["b1"]


def test_800_50_a_nested_activation_counts_as_the_one_that_left_it_out() -> None:
    undying = card("undying", vitality=5, keywords=["everlasting"])
    caller = caster(do("activate", "other_allies"), speed=60, name="caller", once=True)  # tick 17
    half: Half = {0: undying, 1: dummy()}
    story = fight({0: striker(5, keywords=RABID), 1: caller}, half, until=20, everlasting_ticks=5)
    assert story.ticks("revival") == [15]
    assert [e["target"] for e in story.all("strike", tick=17)] == ["b1"]
    assert [e["target"] for e in story.all("strike", tick=20)] == ["b0", "b1"]


def test_800_50_aims_at_focus_leave_it_out_too() -> None:
    bearer = card("bearer", vitality=5, keywords=["phylactery"])
    follows = striker(5, on("activation", do("burn", "focus", stacks=1)), keywords=RABID)
    story = fight({0: follows}, {0: bearer, 1: dummy()}, until=10)
    assert story.units("status") == ["b1"]


def test_800_50_others_are_not_bound_by_what_a_rabid_unit_leaves_out() -> None:
    bearer = card("bearer", vitality=5, keywords=["phylactery"])
    half: Half = {0: striker(5, keywords=RABID), 1: striker(1, name="plain")}
    story = fight(half, {0: bearer, 1: dummy()}, until=10)
    assert [e["target"] for e in story.all("strike", unit="a1")] == ["b0"]


def test_800_50_an_activation_ends_at_the_moment_its_unit_falls() -> None:
    # a0 falls to b0's answer; b1 falls while a0's death resolves, and is back before a0 is. So b1
    # was revived after a0's last activation, and is left out of the whole of its next one.
    lines = (
        on("activation", do("damage", "enemies", amount=1), once="battle"),
        on("activation", do("burn", "focus", stacks=1)),
    )
    hunter = striker(0, *lines, strike=False, keywords=["rabid", "phylactery"], vitality=5)
    answer = card("answer", on("hurt", do("damage", "attacker", amount=5), once="battle"))
    bearer = card("bearer", vitality=5, keywords=["phylactery"])
    cruel = card("cruel", on("macabre", do("damage", "adjacent", amount=9), once="battle"))
    cruel["vitality"] = 2 * STOUT
    story = fight({0: hunter, 1: dummy()}, {0: answer, 2: bearer, 3: cruel}, until=20)
    assert story.units("revival") == ["b1", "a0"]
    assert story.ticks("status") == [20]
    assert story.units("status") == ["b0"]  # by its profile it would have been b1


@pytest.mark.parametrize("speed", [100, 250])  # none before it falls on tick 7; one, on tick 4
def test_800_50_to_fall_between_two_activations_ends_none(speed: int) -> None:
    fields: Json = {"keywords": ["rabid", "phylactery"], "vitality": 5}
    rabid = striker(0, speed=speed, **fields)
    first = caster(do("damage", amount=5), name="first", once=True, speed=200)  # tick 5
    second = caster(do("damage", amount=5), name="second", once=True, speed=143)  # tick 7
    bearer = card("bearer", vitality=5, keywords=["phylactery"])
    story = fight({0: rabid, 1: first}, {0: bearer, 1: second}, until=20)
    assert [(e["tick"], e["unit"]) for e in story.all("revival")] == [(5, "b0"), (7, "a0")]
    after = [e["target"] for e in story.all("strike", unit="a0") if e["tick"] > 7]
    assert after[0] == "b1"  # b0 came back after its last activation, or the start


def test_800_50_what_was_revived_before_it_fell_it_leaves_out_no_longer() -> None:
    # b0 came back during the activation in which a0 fell to b1's answer: that one has ended.
    answer = card("answer", on("hurt", do("damage", "attacker", amount=5), once="battle"))
    bearer = card("bearer", vitality=5, keywords=["phylactery"])
    hunter = striker(5, keywords=["rabid", "phylactery"], vitality=5)
    story = fight({0: hunter, 1: dummy()}, {0: bearer, 1: answer}, until=20)
    assert story.units("revival") == ["b0", "a0"]
    assert [e["target"] for e in story.all("strike", tick=10)] == ["b0", "b1"]
    assert story.all("strike", tick=20)[0]["target"] == "b0"


def test_800_51_everlasting_is_a_keyword_of_its_own_or_granted() -> None:
    own = card("own", vitality=5, keywords=["everlasting"])
    grant = on("battle_start", do("grant", "self", keyword="everlasting"))
    for bearer in (own, card("granted", grant, vitality=5)):
        story = fight({0: bearer, 1: dummy()}, {0: striker(5)}, until=10)
        assert story.one("return_due")["due"] == 210


def test_800_52_macabre_and_deathrattle_are_macabre_and_death_lines() -> None:
    rattle = card("rattle", on("death", do("ward", "allies", amount=1)), vitality=5)
    macabre = card("macabre", on("macabre", do("ward", amount=2)))
    story = fight({0: rattle, 1: macabre}, {0: striker(5)}, until=10)
    assert [(e["unit"], e["amount"]) for e in story.all("ward")] == [("a1", 1), ("a1", 2)]
