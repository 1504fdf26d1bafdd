"""Each verb: what it does, what it logs, and when it changes nothing and logs nothing."""

from __future__ import annotations

import pytest

from engine.printing import VERB_FIELDS
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
    rune,
    striker,
    worn,
)


def starts(*effects: Json, **fields: object) -> Story:
    """One unit does the effects as the battle starts."""
    return fight(
        {0: card("starter", on("battle_start", *effects), **fields)}, {0: dummy()}, until=0
    )


def test_verb_damage_is_an_amount_or_a_percentage_of_the_bearers_power() -> None:
    assert starts(do("damage", amount=7)).one("damage")["amount"] == 7
    assert starts(do("damage", percent=150), power=9).one("damage")["amount"] == 13
    assert starts(do("damage", percent=100)).one("damage")["amount"] == 0
    # Power as it stands, buffs and all.
    buff = do("buff", stat="power", amount=11)
    assert starts(buff, do("damage", percent=100), power=9).one("damage")["amount"] == 20


def test_verb_heal_is_up_to_the_maximum() -> None:
    hurt = do("damage", "self", amount=10)
    story = starts(hurt, do("heal", amount=4), do("heal", amount=40), do("heal", amount=1))
    full = 100_000
    assert [(e["amount"], e["vitality"]) for e in story.all("heal")] == [(4, full - 6), (6, full)]


def test_verb_heal_does_nothing_to_who_endures_past_the_maximum() -> None:
    lethal = on("lethal", do("endure", vitality=9), once="life")
    full = card("full", lethal, on("hurt", do("heal", amount=3)), vitality=5)
    story = fight({0: striker(5)}, {0: full}, until=10)
    assert story.units("line", on="hurt") == ["b0"]
    story.never("heal")


def test_verb_ward_adds() -> None:
    story = starts(do("ward", amount=4), do("ward", amount=3), do("ward", amount=0), ward=1)
    assert [(e["amount"], e["ward"]) for e in story.all("ward")] == [(4, 5), (3, 8)]


def test_verb_dread_adds_stacks() -> None:
    story = starts(do("dread", "self", stacks=2), do("dread", "self", stacks=3))
    assert [(e["amount"], e["total"]) for e in story.all("status")] == [(2, 2), (3, 5)]
    starts(do("dread", "self", stacks=0)).never("status")


def test_verb_burn_adds_stacks_without_a_cap() -> None:
    story = starts(do("burn", stacks=20), do("burn", stacks=30), do("burn", stacks=0))
    assert [(e["amount"], e["total"]) for e in story.all("status")] == [(20, 20), (30, 50)]


def test_verb_freeze_lasts_for_seconds() -> None:
    status = starts(do("freeze", seconds=2)).one("status")
    assert (status["status"], status["amount"], status["total"]) == ("freeze", 40, 40)


@pytest.mark.parametrize(("stat", "base"), [("power", 3), ("speed", 4), ("armor", 5)])
def test_verb_buff_adds_to_a_number_or_takes_away(stat: str, base: int) -> None:
    buffs = (do("buff", stat=stat, amount=2), do("buff", stat=stat, amount=-1))
    story = starts(*buffs, do("buff", stat=stat, amount=0), power=3, speed=4, armor=5)
    assert [(e["stat"], e["value"]) for e in story.all("stat")] == [
        (stat, base + 2),
        (stat, base + 1),
    ]


def test_verb_quicken_gives_speed() -> None:
    story = starts(do("quicken", speed=5), do("quicken", speed=0))
    assert story.one("quicken")["speed"] == 5
    assert story.state("a0").quickened == 5


def grants(*lasting: Json, until: int = 0, **fields: object) -> Story:
    effects = [do("grant", keyword="rabid", **fields) for fields in lasting]
    granted = card("granted", on("battle_start", *effects), **fields)
    return fight({0: granted}, {0: dummy()}, until=until)


def test_verb_grant_is_for_the_life_for_seconds_or_for_the_battle() -> None:
    assert grants({}).one("grant")["until"] is None
    assert grants({"seconds": 2}).one("grant")["until"] == 40
    assert grants({"battle": True}).one("grant")["until"] == "battle"
    assert grants({"battle": False}).one("grant")["until"] is None
    assert grants({}).state("a0").keywords == ("rabid",)


def test_verb_grant_for_seconds_ends_on_its_tick() -> None:
    story = grants({"seconds": 2}, until=39)
    story.never("grant_end")
    assert story.state("a0").keywords == ("rabid",)
    story = grants({"seconds": 2}, until=40)
    assert story.one("grant_end")["keyword"] == "rabid"
    assert story.state("a0").keywords == ()


@pytest.mark.parametrize(
    "lasting",
    [
        ({"seconds": 2}, {"seconds": 2}),
        ({"seconds": 2}, {"seconds": 1}),
        ({}, {"seconds": 99}),
        ({"battle": True}, {}),
    ],
)
def test_verb_grant_changes_nothing_where_one_lasts_at_least_as_long(
    lasting: tuple[Json, ...],
) -> None:
    assert len(grants(*lasting).all("grant")) == 1


def test_verb_grant_changes_nothing_where_the_unit_has_it_itself() -> None:
    grants({"battle": True}, keywords=["rabid"]).never("grant")


@pytest.mark.parametrize(
    ("longer", "ends"), [({"seconds": 3}, [60]), ({}, []), ({"battle": True}, [])]
)
def test_verb_grant_a_longer_one_takes_the_place_of_a_shorter_one_and_of_its_end(
    longer: Json, ends: list[int]
) -> None:
    story = grants({"seconds": 1}, longer, until=40)
    assert len(story.all("grant")) == 2
    story.never("grant_end")
    assert story.state("a0").keywords == ("rabid",)
    assert grants({"seconds": 1}, longer, until=70).ticks("grant_end") == ends


def test_verb_charge_moves_charge_and_not_below_empty() -> None:
    effects = (
        do("charge", amount=300),
        do("charge", amount=-100),
        do("charge", amount=-900),
        do("charge", amount=-1),
        do("charge", amount=0),
    )
    story = starts(*effects)
    assert [(e["amount"], e["charge"]) for e in story.all("charge")] == [
        (300, 300),
        (-100, 200),
        (-200, 0),
    ]


def test_verb_charge_may_go_past_full() -> None:
    story = starts(do("charge", amount=2500))
    assert story.state("a0").charge == 2500


def test_verb_cleanse_ends_statuses() -> None:
    story = starts(do("dread", "self", stacks=1), do("cleanse"), do("cleanse"))
    assert story.one("status_end")["status"] == "dread"


TOKEN = card("token", vitality=7, power=1, speed=2, armor=3, ward=4, keywords=["phylactery"])


def test_verb_summon_builds_on_the_bearers_half() -> None:
    summoner = card("summoner", on("battle_start", do("summon", card="token")))
    story = fight({0: dummy(), 1: summoner}, {0: dummy()}, also=(TOKEN,), until=0)
    assert story.one("summon") == {
        "tick": 0,
        "batch": 0,
        "kind": "summon",
        "unit": "a2",
        "source": "a1",
        "cell": 2,
        "card": "token",
        "vitality": 7,
        "max_vitality": 7,
        "power": 1,
        "speed": 2,
        "armor": 3,
        "ward": 4,
    }
    assert story.state("a2").vessels == 1


def test_verb_summon_does_not_fire_battle_start_lines_or_wear_runes() -> None:
    summoner = card("summoner", on("battle_start", do("summon", card="summoner")))
    who = worn(summoner, rune("gift", power=5), speed=2)
    story = fight({0: who}, {0: dummy()}, until=0)
    assert story.units("summon") == ["a1"]
    built = story.state("a1")
    assert (built.power, built.speed, built.runes) == (0, 0, ())


def test_verb_summon_stops_where_no_cell_is_free() -> None:
    summoner = card("summoner", on("battle_start", do("summon", card="token", count=9)))
    story = fight({3: summoner}, {0: dummy()}, also=(TOKEN,), until=0)
    assert [e["cell"] for e in story.all("summon")] == [0, 1, 2, 4, 5, 6, 7]
    full: Half = dict.fromkeys(range(8), dummy()) | {3: summoner}
    fight(full, {0: dummy()}, also=(TOKEN,), until=0).never("summon")


def test_verb_activate_activates_each_in_order_unless_dead_or_frozen() -> None:
    killer = card("a", on("activation", do("damage", "other_allies", amount=5)), strike=False)
    weak = card("weak", vitality=5)
    caller = caster(do("activate", "adjacent"), once=True)
    half: Half = {0: killer, 1: caller, 2: weak, 3: weak}
    story = fight(half, {0: dummy()}, until=10)
    assert story.units("activation") == ["a1", "a0"]
    assert story.units("death") == ["a2", "a3"]


def test_verb_activate_may_aim_at_an_enemy() -> None:
    story = fight({0: caster(do("activate", "focus"), once=True)}, {0: dummy()}, until=10)
    assert story.one("activation", nested=True)["unit"] == "b0"
    assert story.one("strike") == {
        "tick": 10,
        "batch": 1,
        "kind": "strike",
        "unit": "b0",
        "target": "a0",
    }


def test_verb_endure_sets_vitality() -> None:
    lethal = on("lethal", do("endure", vitality=3), once="life")
    story = fight({0: striker(5)}, {0: card("defiant", lethal, vitality=5)}, until=10)
    assert story.one("endure")["vitality"] == 3
    assert story.state("b0").vitality == 3


def test_every_verb_is_here() -> None:
    tested = {name.split("_")[2] for name in globals() if name.startswith("test_verb_")}
    assert tested == set(VERB_FIELDS)
