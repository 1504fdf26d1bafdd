"""Each aim: whom it means, in which order, and which verbs aim where by default."""

from __future__ import annotations

import pytest

from engine.definitions import AIM_CHANNELS, AIMS, CHANNELS, FOCUSED_VERBS
from engine.printing import VERB_FIELDS, read_card
from engine.reading import Faults
from tests.engine.stage import Half, Json, Worn, card, caster, do, dummy, fight, on, striker

LINE: dict[int, Json | Worn] = {0: dummy(), 2: dummy(), 3: dummy(), 4: dummy(), 7: dummy()}


def touched(aim: str, seed: str = "a") -> list[str]:
    """Whom an aim of the unit in cell 3 (a2) means as the battle starts."""
    toucher = card("toucher", on("battle_start", do("ward", aim, amount=1)))
    return fight(LINE | {3: toucher}, LINE, seed=seed, until=0).units("ward")


def test_aim_self_is_the_bearer() -> None:
    assert touched("self") == ["a2"]


def test_aim_enemies_is_every_living_enemy_in_order() -> None:
    assert touched("enemies") == ["b0", "b1", "b2", "b3", "b4"]


def test_aim_allies_is_every_living_unit_of_its_side_itself_too() -> None:
    assert touched("allies") == ["a0", "a1", "a2", "a3", "a4"]


def test_aim_other_allies_leaves_the_bearer_out() -> None:
    assert touched("other_allies") == ["a0", "a1", "a3", "a4"]


def test_aim_adjacent_is_the_living_neighbours() -> None:
    assert touched("adjacent") == ["a1", "a4"]


def test_aim_adjacent_of_the_dead_is_around_the_cell_it_died_in() -> None:
    rattle = card("rattle", on("death", do("ward", "adjacent", amount=1)), vitality=5)
    assert fight(LINE | {3: rattle}, {0: striker(5)}, until=10).units("ward") == ["a1", "a4"]


def test_aim_focus_is_one_living_enemy_by_the_bearers_profile() -> None:
    roller = caster(do("ward", "focus", amount=1), focus="back")
    story = fight({0: roller}, {0: dummy(), 1: dummy(), 6: dummy()}, until=10)
    assert story.units("ward") == ["b2"]


def test_aim_focus_rolls_anew_for_each_effect() -> None:
    roller = caster(*(do("ward", "focus", amount=1) for _ in range(12)), focus="any")
    assert len(set(fight({0: roller}, LINE, until=10).units("ward"))) > 1


def test_aim_target_is_the_unit_struck() -> None:
    for channel in ("hit", "new_target"):
        marker = striker(1, on(channel, do("ward", "target", amount=1)))
        story = fight({0: marker}, {0: dummy(), 1: card("weak", vitality=9)}, until=10)
        assert story.units("ward") == ["b1"]


def test_aim_target_that_has_fallen_is_nobody() -> None:
    marker = striker(9, on("hit", do("burn", "target", stacks=1), do("ward", amount=1)))
    story = fight({0: marker}, {0: dummy(), 1: card("weak", vitality=9)}, until=10)
    story.never("status")
    assert story.units("ward") == ["a0"]


def test_aim_attacker_is_the_unit_that_hurt_the_bearer() -> None:
    bearer = card("bearer", on("hurt", do("burn", "attacker", stacks=1)), focus="front")
    story = fight({0: dummy(), 5: striker(1)}, {0: bearer}, until=10)
    assert story.units("status") == ["a1"]


@pytest.mark.parametrize("channel", ["death", "revived", "ally_revived"])
def test_aim_killer_is_the_unit_that_killed(channel: str) -> None:
    line = on(channel, do("burn", "killer", stacks=1))
    bearer = card("bearer", line, vitality=5, keywords=["phylactery"])
    half: Half = {0: bearer, 1: card("friend", line)}
    story = fight(half, {0: dummy(), 3: striker(5)}, until=10)
    assert story.units("status") == ["b1"]


def test_aim_revived_is_the_ally_that_came_back() -> None:
    friend = card("friend", on("ally_revived", do("ward", "revived", amount=1)))
    bearer = card("bearer", vitality=5, keywords=["phylactery"])
    story = fight({0: friend, 4: bearer}, {0: striker(5)}, until=10)
    assert story.units("ward") == ["a1"]


def test_aim_revived_that_has_fallen_again_is_nobody() -> None:
    ends = card("ends", on("ally_revived", do("damage", "revived", amount=5)))
    late = card("late", on("ally_revived", do("ward", "revived", amount=1)))
    bearer = card("bearer", vitality=5, keywords=["phylactery"])
    story = fight({0: ends, 1: late, 4: bearer}, {0: striker(5)}, until=10)
    assert story.units("death") == ["a2", "a2"]
    story.never("ward")


def test_aim_weakest_ally_is_the_least_vitality_left_itself_too() -> None:
    toucher = card("toucher", on("battle_start", do("ward", "weakest_ally", amount=1)))
    story = fight({0: card("weak", vitality=9), 1: toucher}, {0: dummy()}, until=0)
    assert story.units("ward") == ["a0"]
    story = fight({0: dummy(), 1: toucher | {"vitality": 9}}, {0: dummy()}, until=0)
    assert story.units("ward") == ["a1"]


def test_aim_weakest_ally_is_the_lowest_cell_of_equals() -> None:
    assert touched("weakest_ally") == ["a0"]


def test_aim_with_no_legal_target_does_nothing() -> None:
    lone = card("lone", on("battle_start", do("ward", "other_allies", amount=1)))
    story = fight({0: lone}, {0: dummy()}, until=0)
    assert [event["kind"] for event in story.events] == ["battle_start", "line"]


NEEDS: dict[str, Json] = {
    "freeze": {"seconds": 1},
    "buff": {"stat": "power", "amount": 1},
    "grant": {"keyword": "rabid"},
    "summon": {"card": "token"},
}


def written(verb: str, on_channel: str, **fields: object) -> tuple[str, Faults]:
    """The aim that a card is read with, and its faults."""
    number = VERB_FIELDS[verb][0]
    effect = {"verb": verb, **NEEDS.get(verb, {}), **fields}
    if number and number not in effect:
        effect[number] = 1
    line: Json = {"on": on_channel, "do": [effect]}
    if on_channel == "lethal":
        line["once"] = "life"
    faults = Faults()
    read = read_card(
        {"id": "x", "vitality": 1, "power": 1, "speed": 1, "lines": [line]}, "", faults
    )
    return read.lines[0].effects[0].aim, faults


@pytest.mark.parametrize("verb", VERB_FIELDS)
def test_aim_by_default_is_focus_for_four_verbs_and_self_for_the_others(verb: str) -> None:
    aim, faults = written(verb, "lethal" if verb == "endure" else "activation")
    assert not faults
    assert aim == ("focus" if verb in ("damage", "dread", "burn", "freeze") else "self")
    assert (verb in FOCUSED_VERBS) == (aim == "focus")


@pytest.mark.parametrize("channel", [name for name in CHANNELS if name != "lethal"])
@pytest.mark.parametrize("aim", AIMS)
def test_aim_that_its_channel_does_not_have_is_refused(aim: str, channel: str) -> None:
    _, faults = written("ward", channel, aim=aim)
    if aim == "self" and channel == "death":
        assert [str(fault) for fault in faults] == [
            "lines[0].do[0].aim: a death line cannot aim at self: it is dead"
        ]
    elif channel in AIM_CHANNELS.get(aim, CHANNELS):
        assert not faults
    else:
        where = " and ".join(AIM_CHANNELS[aim])
        assert [str(fault) for fault in faults] == [
            f"lines[0].do[0].aim: a line on {channel} has no {aim}; it is an aim of {where}"
        ]


def test_aim_channels_are_those_of_the_rulebook() -> None:
    assert AIM_CHANNELS == {
        "target": ("hit", "new_target"),
        "attacker": ("hurt",),
        "killer": ("death", "revived", "ally_revived"),
        "revived": ("ally_revived",),
    }


def test_every_aim_is_here() -> None:
    for aim in AIMS:
        assert any(name.startswith(f"test_aim_{aim}_") for name in globals()), aim
