"""What is wrong is told by itself: nothing follows of it that the writer never wrote."""

from __future__ import annotations

from typing import Any

import pytest

from engine import Rules, read_battle, read_rules
from engine.catalog import EMPTY
from engine.faults import Refused
from engine.rules import RANGES
from tests.engine.stage import Json, card, do, on
from tests.engine.test_refusals import (
    Told,
    battle_faults,
    card_faults,
    catalog_faults,
    effect_faults,
    plain,
    told,
)

ENDURE = do("endure", vitality=1)


def line_faults(line: object) -> list[str]:
    """Where the faults of a line are."""
    return [path.removeprefix("lines[0]") for path, _ in card_faults(lines=[line])]


@pytest.mark.parametrize(
    "line",
    [
        on("lethl", ENDURE, once="life"),
        on("ally_revive", do("ward", "revived", amount=5)),
        on("revive", do("dread", "killer", stacks=1), cause="phylactery"),
        on("hitt", do("burn", "target", stacks=1)),
        {"on": 5, "do": [do("heal", "attacker", amount=1)]},
        {"do": [ENDURE], "cause": "everlasting"},
    ],
)
def test_a_channel_that_is_none_says_nothing_of_the_rest_of_its_line(line: Json) -> None:
    assert line_faults(line) == [".on"]


@pytest.mark.parametrize(
    ("line", "path"),
    [
        (on("death", do("heal", "alies", amount=5)), ".do[0].aim"),
        (on("lethal", do("endure", "slef", vitality=1), once="life"), ".do[0].aim"),
        (on("lethal", do("endur", vitality=1), once="life"), ".do[0].verb"),
        (on("lethal", ENDURE, once="live"), ".once"),
        ({"on": "lethal", "once": "life", "do": 7}, ".do"),
        ({"on": "lethal", "once": "life", "do": []}, ".do"),
        (on("hurt", 7), ".do[0]"),  # type: ignore[arg-type]
        (7, ""),
    ],
)
def test_a_field_that_is_wrong_is_the_only_fault(line: object, path: str) -> None:
    assert line_faults(line) == [path]


@pytest.mark.parametrize("verbs", [("endur", "heal"), ("endur", "endur")])
def test_a_lethal_line_holds_one_effect_whatever_its_verb_was_to_be(verbs: tuple[str, ...]) -> None:
    effects = [do(verb, amount=1, aim="self") for verb in verbs]
    assert line_faults(on("lethal", *effects, once="life"))[-1] == ".do"


@pytest.mark.parametrize("amount", [{}, {"amount": "3"}, {"amount": 10**10}])
def test_an_amount_that_cannot_be_read_is_not_too_low_for_vitality(amount: Json) -> None:
    faults = effect_faults("buff", stat="vitality", **amount)
    assert [path for path, _ in faults] == ["amount"]
    assert "can only be raised" not in faults[0][1]


def test_a_cause_is_refused_on_other_channels_however_it_is_spelt() -> None:
    faults = card_faults(lines=[on("hurt", do("ward", amount=1), cause="magic")])
    assert ("lines[0].cause", "a line on hurt cannot name a cause; only revived can") in faults


@pytest.mark.parametrize("kind", ["cards", "runes", "resonances"])
def test_of_what_is_no_object_nothing_is_missing(kind: str) -> None:
    assert catalog_faults({kind: [7]}) == [(f"{kind}[0]", "must be an object, not 7")]


def test_steps_that_are_no_objects_are_not_the_same_step() -> None:
    faults = catalog_faults({"resonances": [{"id": "r", "steps": [7, 8]}]}, "resonances[0].steps")
    assert [path for path, _ in faults] == ["[0]", "[1]"]


def board_faults(*units: object, **changes: Any) -> Told:
    """Of a battle whose one side has these units."""
    return battle_faults(plain(**changes) | {"boards": {"a": {"units": list(units)}, "b": PLAIN}})


PLAIN: Json = {"units": [{"cell": 0, "card": "dummy"}]}
DEAR: Json = {"cell": 0, "card": "dummy", "scrip": {"power": 61}}


def test_units_that_are_no_objects_hold_no_cell() -> None:
    assert [path for path, _ in board_faults(7, 8, {"cell": 0, "card": "dummy"})] == [
        "boards.a.units[0]",
        "boards.a.units[1]",
    ]


@pytest.mark.parametrize("rules", [{"scrip_budget": "100"}, {"scrip_budgt": 100}, [100]])
def test_a_budget_that_cannot_be_read_is_exceeded_by_none(rules: Any) -> None:
    assert [path for path, _ in board_faults(DEAR, rules={})] == ["boards.a.units"]
    assert [path.split(".")[0] for path, _ in board_faults(DEAR, rules=rules)] == ["rules"]


def test_another_rule_that_is_wrong_leaves_the_budget() -> None:
    assert [path for path, _ in board_faults(DEAR, rules={"dread_cap": -1})] == [
        "rules.dread_cap",
        "boards.a.units",
    ]


def test_a_budget_that_is_right_is_as_it_was() -> None:
    assert read_rules({"scrip_budget": 7}) == Rules(scrip_budget=7)
    assert Rules().scrip_budget < RANGES["scrip_budget"][1]


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"cards": {"id": "mine"}}, "cards"),
        ({"cards": [card("dummy"), card("mine") | {"id": 7}]}, "cards[1].id"),
        ({"runes": {"id": "mine"}}, "runes"),
    ],
)
def test_what_a_list_that_cannot_be_read_may_hold_is_not_unknown(changes: Json, path: str) -> None:
    unit: Json = {"cell": 1, "card": "mine"}
    if "runes" in changes:
        unit |= {"card": "dummy", "runes": ["mine"]}
    assert {path for path, _ in board_faults(unit, **changes)} == {path}


def test_what_is_near_a_known_name_is_wrong_also_where_not_all_names_are_known() -> None:
    faults = board_faults({"cell": 0, "card": "dumy"}, cards=[card("dummy"), 7])
    assert ("boards.a.units[0].card", 'no card "dumy"; did you mean "dummy"?') in faults


@pytest.mark.parametrize("kind", ["resonance", "resonances"])
def test_a_resonance_of_a_list_that_cannot_be_read_is_not_unknown(kind: str) -> None:
    value = {"cards": [card("x", resonance=["oath"])], kind: {"id": "oath"}}
    assert {path for path, _ in catalog_faults(value)} == {kind}


def test_a_card_of_a_list_that_cannot_be_read_can_be_summoned() -> None:
    summons = card("x", on("death", do("summon", card="y")))
    assert {path for path, _ in catalog_faults({"cards": [summons], "card": {"id": "y"}})} == {
        "card"
    }


def test_a_catalog_without_cards_refuses_a_unit_that_names_none() -> None:
    value = {"seed": "s", "boards": {"a": {"units": [{"cell": 0}]}, "b": {"units": [{"cell": 0}]}}}
    with pytest.raises(Refused) as refused:
        read_battle(value, EMPTY)
    assert told(refused.value) == [
        ("boards.a.units[0].card", "is missing"),
        ("boards.b.units[0].card", "is missing"),
    ]


@pytest.mark.parametrize(
    "value",
    [
        {"cards": {}},
        {"card": {"id": "x"}},
        {"runes": "x"},
        {"resonances": 1},
        {"cards": [card("x") | {"resonance": "oath"}]},
        {"cards": [card("x") | {"lines": {}}]},
        {"cards": [card("x", {"on": "lethal", "once": "life", "do": {}})]},
    ],
)
def test_a_list_where_none_is_is_told_once(value: Json) -> None:
    ((_, sentence),) = catalog_faults(value)
    assert sentence.startswith("must be a list, not ")


def test_a_list_of_a_battle_where_none_is_is_told_once() -> None:
    for key in ("cards", "runes", "resonances"):
        assert [path for path, _ in battle_faults(plain(**{key: {}}))] == [key]


def test_a_count_that_cannot_be_read_is_no_other_steps_count() -> None:
    steps = [{"count": "x"}, {"count": 1}]
    assert catalog_faults({"resonances": [{"id": "r", "steps": steps}]}, "resonances[0].steps") == [
        ("[0].count", 'must be a whole number, not "x"')
    ]


def test_a_catalog_that_has_rules_is_told_where_they_go() -> None:
    assert catalog_faults({"cards": [], "rules": {"vessel_cost": 3}, "prises": {}}) == [
        (
            "rules",
            "a catalog has no rules; a battle has, and a change that is tried",
        ),
        ("prises", 'unknown field; did you mean "prices"?'),
    ]
