"""700 Statuses: Dread, Freeze, Burn, and what ends all three."""

from __future__ import annotations

import pytest

from tests.engine.stage import (
    B_FIRST,
    Half,
    Json,
    card,
    caster,
    do,
    dummy,
    fight,
    on,
    striker,
)

VAULT = dummy("vault", keywords=["phylactery"])


def test_700_1_dread_weakens_what_its_bearer_deals() -> None:
    fear = caster(do("dread", stacks=4), once=True)
    story = fight({0: fear}, {0: striker(100)}, until=20)
    assert [e["amount"] for e in story.all("damage")] == [80, 80]


@pytest.mark.parametrize(("rules", "cap"), [({}, 10), ({"dread_cap": 4}, 4)])
def test_700_1_stacks_over_the_cap_are_no_success(rules: Json, cap: int) -> None:
    fear = caster(do("dread", stacks=cap - 1), name="fear")
    story = fight({0: fear, 1: VAULT}, {0: dummy()}, until=30, **rules)
    added = [(e["amount"], e["total"]) for e in story.all("status")]
    assert added == [(cap - 1, cap - 1), (1, cap)]
    assert [e["raw"] for e in story.all("vessel_points")] == [cap - 1, 1]


def test_700_1_stacks_on_an_immune_unit_are_no_success() -> None:
    fear = caster(do("dread", stacks=3), name="fear")
    story = fight({0: fear, 1: VAULT}, {0: dummy(immune=["dread"])}, until=30)
    story.never("status")
    story.never("vessel_points")


def test_700_2_a_frozen_unit_gains_no_charge_and_does_not_activate() -> None:
    freezer = caster(do("freeze", seconds=1), once=True)
    story = fight({0: freezer}, {0: striker(1, speed=110)}, until=31)
    # 1100 on tick 10, when it was frozen before its turn; it goes on from there on tick 31.
    assert story.ticks("activation", unit="b0") == [31]
    assert story.state("b0").charge == 1100 + 110 - 1000


def test_700_2_nor_does_it_activate_nested() -> None:
    caller = caster(do("freeze", "other_allies", seconds=1), do("activate", "other_allies"))
    story = fight({0: caller, 1: dummy()}, {0: dummy()}, until=10)
    story.never("activation", nested=True)


def test_700_2_a_positive_charge_does_nothing_to_it_a_negative_one_does() -> None:
    freezer = caster(
        do("freeze", seconds=1), do("charge", "focus", amount=5), do("charge", "focus", amount=-3)
    )
    story = fight({0: freezer}, {0: card("runner", speed=1)}, until=10)
    assert [(e["amount"], e["charge"]) for e in story.all("charge")] == [(-3, 7)]


def freezes(*seconds: int) -> Json:
    return caster(*(do("freeze", seconds=s) for s in seconds), once=True)


def test_700_2_reapplying_keeps_the_later_end() -> None:
    for order in ((1, 2), (2, 1)):
        story = fight({0: freezes(*order)}, {0: dummy()}, until=60)
        assert [e["total"] for e in story.all("status")][-1] == 50
        assert story.ticks("status_end") == [50]


def test_700_2_reapplied_for_no_longer_it_logs_its_ticks_and_the_end_that_stands() -> None:
    story = fight({0: freezes(2, 1)}, {0: dummy()}, until=10)
    assert [(e["amount"], e["total"]) for e in story.all("status")] == [(40, 50), (20, 50)]


def test_700_2_it_succeeds_longer_or_not_unless_immune() -> None:
    freezer = caster(do("freeze", "enemies", seconds=1), name="freezer", speed=500)
    story = fight(
        {0: freezer, 1: VAULT}, {0: dummy(), 1: dummy("cold", immune=["freeze"])}, until=4
    )
    assert story.units("status") == ["b0", "b0"]
    assert [e["raw"] for e in story.all("vessel_points")] == [1, 1]


def test_700_2_an_end_that_stands_keeps_its_place_among_the_endings() -> None:
    buff = do("buff", "focus", stat="power", amount=1, seconds=1)
    freeze = do("freeze", seconds=1)
    for effects, order in (
        ((freeze, buff, freeze), ["status_end", "stat"]),
        ((do("freeze", seconds=0.5), buff, freeze), ["stat", "status_end"]),
    ):
        story = fight({0: caster(*effects, once=True)}, {0: dummy()}, until=30)
        assert [kind for kind, _ in story.on_tick(30)][-2:] == order


def burning(stacks: int, *lines: Json, name: str = "burning", **fields: object) -> Json:
    return card(name, on("battle_start", do("burn", "self", stacks=stacks)), *lines, **fields)


def test_700_3_every_20_ticks_its_stacks_in_damage_and_one_stack_less() -> None:
    story = fight({0: burning(2)}, {0: dummy()}, until=80)
    assert [(e["tick"], e["amount"]) for e in story.all("damage")] == [(20, 2), (40, 1)]
    lost = story.one("status", amount=-1)
    assert (lost["source"], lost["total"], lost["batch"]) == (None, 1, None)
    assert story.ticks("status_end", status="burn") == [40]


def test_700_3_no_armor_no_dread_but_ward_and_nobody_is_hurt() -> None:
    hurt = on("hurt", do("heal", amount=1))
    afraid = on("battle_start", do("dread", "self", stacks=10))
    story = fight({0: burning(7, hurt, afraid, armor=5, ward=3)}, {0: dummy()}, until=20)
    dealt = story.one("damage")
    assert (dealt["amount"], dealt["absorbed"], dealt["source"]) == (4, 3, "a0")
    story.never("line", on="hurt")


def test_700_3_first_all_are_damaged_then_all_lose_a_stack_then_deaths_resolve() -> None:
    half: Half = {0: burning(5, name="weak", vitality=5), 1: burning(3)}
    story = fight(half, {0: burning(1, name="last")}, seed=B_FIRST, until=20)
    assert story.on_tick(20) == [
        ("damage", "b0"),
        ("damage", "a0"),
        ("damage", "a1"),
        ("status_end", "b0"),
        ("status", "a1"),  # a0 is no longer living
        ("death", "a0"),
    ]
    assert [event["batch"] for event in story.events if event["tick"] == 20][:5] == [None] * 5


def test_700_3_the_source_is_the_unit_that_added_last() -> None:
    first = caster(do("burn", stacks=3), name="first", once=True)
    later = caster(do("burn", stacks=1), name="later", once=True)
    story = fight({0: later, 1: first}, {0: dummy()}, until=20)
    assert story.one("damage")["source"] == "a1"
    assert story.one("damage")["amount"] == 4


def test_700_3_an_immune_unit_does_not_burn() -> None:
    story = fight({0: burning(3, immune=["burn"])}, {0: dummy()}, until=20)
    story.never("status")
    story.never("damage")


def test_700_4_cleanse_ends_dread_freeze_and_burn_in_that_order() -> None:
    sick = (do("burn", stacks=2), do("freeze", seconds=1), do("dread", stacks=2))
    story = fight({0: caster(*sick, do("cleanse", "enemies"), once=True)}, {0: dummy()}, until=40)
    assert [e["status"] for e in story.all("status_end", tick=10)] == ["dread", "freeze", "burn"]
    assert len(story.all("status_end")) == 3  # Freeze does not end a second time
    clean = story.state("b0")
    assert (clean.dread, clean.burn, clean.frozen_until) == (0, 0, None)
    story.never("damage")


def test_700_4_cleanse_logs_only_what_it_ends() -> None:
    cleaner = caster(do("dread", stacks=1), do("cleanse", "enemies"), once=True, focus="back")
    story = fight({0: cleaner}, {0: dummy(), 4: dummy()}, until=10)
    assert [(e["unit"], e["status"]) for e in story.all("status_end")] == [("b1", "dread")]
