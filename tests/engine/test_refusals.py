"""Everything that is not a legal battle is refused: each fault with its path and its sentence."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from engine import (
    Refused,
    Rules,
    read_battle,
    read_board,
    read_catalog,
    read_rules,
)
from engine.catalog import EMPTY
from engine.faults import Fault
from tests.engine.stage import Json, battle_object, card, do, dummy, on

Told = list[tuple[str, str]]


def told(refused: Refused) -> Told:
    return [(fault.path, fault.message) for fault in refused.faults]


def battle_faults(value: object) -> Told:
    try:
        read_battle(value, EMPTY)
    except Refused as refused:
        return told(refused)
    return []


def plain(**changes: object) -> Json:
    """A legal battle, with some of its fields changed."""
    return battle_object({0: dummy()}, {0: dummy()}) | changes


def card_faults(**fields: object) -> Told:
    """The faults of a catalog of one card, without the head of their paths."""
    return catalog_faults({"cards": [{**card("x"), **fields}]}, "cards[0].")


def catalog_faults(value: object, head: str = "") -> Told:
    try:
        read_catalog(value)
    except Refused as refused:
        return [(path.removeprefix(head), sentence) for path, sentence in told(refused)]
    return []


def effect_faults(verb: str, on_channel: str = "activation", **fields: Any) -> Told:
    """The faults of a card of one line of one effect."""
    faults = card_faults(lines=[on(on_channel, do(verb, **fields))])
    return [(path.removeprefix("lines[0].do[0]."), sentence) for path, sentence in faults]


def test_refused_names_every_fault_in_one_sentence_each() -> None:
    refused = Refused([Fault("a.b", "is wrong"), Fault("", "so is all of it")])
    assert str(refused) == "a.b: is wrong; so is all of it"


def test_refusal_of_a_plain_battle_there_is_none() -> None:
    assert battle_faults(plain()) == []


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ([], "must be an object, not a list"),
        (None, "must be an object, not null"),
        ("battle", 'must be an object, not "battle"'),
        (True, "must be an object, not true"),
        (7, "must be an object, not 7"),
        (Decimal("0.5"), "must be an object, not 0.5"),
        (0.5, "must be an object, not a number"),
        ("x" * 41, f'must be an object, not "{"x" * 40}…"'),
        (10**30, f"must be an object, not 1{'0' * 23}…"),
    ],
)
def test_refusal_of_what_is_no_object(value: object, sentence: str) -> None:
    assert battle_faults(value) == [("", sentence)]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"sead": 1}, ("sead", 'unknown field; did you mean "seed"?')),
        (
            {"prices": {}},
            (
                "prices",
                "unknown field; known: seed, rules, cards, runes, resonances, boards",
            ),
        ),
        ({"seed": 7}, ("seed", "must be a text, not 7")),
        ({"seed": "x" * 4097}, ("seed", "must be at most 4096 characters, not 4097")),
        ({"seed": "\ud800"}, ("seed", "holds broken Unicode, which has no UTF-8")),
        ({"rules": []}, ("rules", "must be an object, not a list")),
        ({"boards": 1}, ("boards", "must be an object, not 1")),
        ({"cards": {}}, ("cards", "must be a list, not an object")),
    ],
)
def test_refusal_of_a_battle(changes: Json, fault: tuple[str, str]) -> None:
    assert fault in battle_faults(plain(**changes))


def test_refusal_of_what_is_missing() -> None:
    assert battle_faults({}) == [("seed", "is missing"), ("boards", "is missing")]
    assert battle_faults(plain(boards={})) == [
        ("boards.a", "is missing"),
        ("boards.b", "is missing"),
    ]
    assert ("boards.c", "unknown field; known: a, b") in battle_faults(plain(boards={"c": {}}))
    assert battle_faults(plain(boards={"a": {}, "b": {"units": [{}]}})) == [
        ("boards.a.units", "is missing"),
        ("boards.b.units[0].cell", "is missing"),
        ("boards.b.units[0].card", "is missing"),
    ]


def rules_faults(**overrides: object) -> Told:
    try:
        read_rules(overrides)
    except Refused as refused:
        return told(refused)
    return []


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("time_limt", 5, 'no rule "time_limt"; did you mean "time_limit"?'),
        ("time_limit", 0, "must be from 1 to 1000000, not 0"),
        ("time_limit", "5", 'must be a whole number, not "5"'),
        ("time_limit", True, "must be a whole number, not true"),
        ("time_limit", Decimal("5.5"), "must be a whole number, not 5.5"),
        ("everlasting_ticks", 0, "must be from 1 to 1000000, not 0"),
        ("scrip_budget", -1, "must be from 0 to 1000000000, not -1"),
        ("dread_cap", 1001, "must be from 0 to 1000, not 1001"),
        ("rabid_strikes", 0, "must be from 1 to 1000, not 0"),
        ("vessel_start", -1, "must be from 0 to 1000, not -1"),
        ("vessel_max", -1, "must be from 0 to 1000, not -1"),
        ("vessel_cost", 0, "must be from 1 to 1000000, not 0"),
        ("chain_lines", -1, "must be from 0 to 100000, not -1"),
        ("chain_depth", 65, "must be from 0 to 64, not 65"),
        ("vessel_bands", 3, "must be a list, not 3"),
    ],
)
def test_refusal_of_a_rule(name: str, value: object, sentence: str) -> None:
    assert rules_faults(**{name: value}) == [(f"rules.{name}", sentence)]


def test_refusal_of_a_rate_band() -> None:
    assert rules_faults(vessel_bands=[[2, 3], [1], [-1, 2], [1, "x"]]) == [
        ("rules.vessel_bands[1]", "must be [raw, points each], not a list"),
        ("rules.vessel_bands[2][0]", "must be from 0 to 1000000, not -1"),
        ("rules.vessel_bands[3][1]", 'must be a whole number, not "x"'),
    ]


def test_rules_that_are_legal_are_read() -> None:
    assert read_rules({}) == Rules()
    assert read_rules({"vessel_cost": 3, "vessel_bands": [[1, 2]]}) == Rules(
        vessel_cost=3, vessel_bands=((1, 2),)
    )
    assert read_rules(Rules().to_object()) == Rules()


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"id": ""}, ("id", "must not be empty")),
        ({"id": 7}, ("id", "must be a text, not 7")),
        ({"id": "x" * 65}, ("id", "must be at most 64 characters, not 65")),
        ({"id": "a\nb"}, ("id", "must not hold control characters or broken Unicode")),
        ({"name": "\x7f"}, ("name", "must not hold control characters or broken Unicode")),
        ({"text": "x" * 501}, ("text", "must be at most 500 characters, not 501")),
        ({"vitality": 0}, ("vitality", "must be from 1 to 1000000000, not 0")),
        ({"power": -1}, ("power", "must be from 0 to 1000000000, not -1")),
        ({"speed": 10**9 + 1}, ("speed", f"must be from 0 to {10**9}, not {10**9 + 1}")),
        ({"armor": []}, ("armor", "must be a whole number, not a list")),
        ({"ward": -1}, ("ward", f"must be from 0 to {10**9}, not -1")),
        ({"price": -1}, ("price", f"must be from 0 to {10**9}, not -1")),
        ({"focus": "weekest"}, ("focus", 'no Focus profile "weekest"; did you mean "weakest"?')),
        ({"focus": 1}, ("focus", "must be the name of a Focus profile, not 1")),
        ({"strike": 1}, ("strike", "must be true or false, not 1")),
        ({"keywords": "rabid"}, ("keywords", 'must be a list, not "rabid"')),
        ({"keywords": ["rabit"]}, ("keywords[0]", 'no keyword "rabit"; did you mean "rabid"?')),
        ({"keywords": ["rabid"] * 2}, ("keywords[1]", 'keyword "rabid" stands here twice')),
        ({"immune": ["fear"]}, ("immune[0]", 'no status "fear"; known: dread, freeze, burn')),
        ({"resonance": ["kin"]}, ("resonance[0]", 'no resonance "kin"')),
        ({"resonance": [1]}, ("resonance[0]", "must be the name of a resonance, not 1")),
        ({"armour": 1}, ("armour", 'unknown field; did you mean "armor"?')),
        ({"lines": [7]}, ("lines[0]", "must be an object, not 7")),
    ],
)
def test_refusal_of_a_card(fields: Json, fault: tuple[str, str]) -> None:
    assert fault in card_faults(**fields)


def test_refusal_of_a_card_without_what_is_required() -> None:
    assert catalog_faults({"cards": [{}]}, "cards[0].") == [
        ("id", "is missing"),
        ("vitality", "is missing"),
        ("power", "is missing"),
        ("speed", "is missing"),
    ]


WARD = do("ward", amount=1)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ({"do": [WARD]}, ("on", "is missing")),
        (on("deth", WARD), ("on", 'no channel "deth"; did you mean "death"?')),
        ({"on": "hurt"}, ("do", "must hold at least one effect")),
        ({"on": "hurt", "do": []}, ("do", "must hold at least one effect")),
        ({"on": "hurt", "do": 1}, ("do", "must be a list, not 1")),
        (on("hurt", WARD, once="day"), ("once", 'no limit "day"; known: life, battle')),
        (on("hurt", WARD, twice="life"), ("twice", "unknown field; known: on, cause, once, do")),
        (
            on("revived", WARD, cause="magic"),
            ("cause", 'no cause "magic"; known: phylactery, everlasting'),
        ),
        (
            on("hurt", WARD, cause="phylactery"),
            ("cause", "a line on hurt cannot name a cause; only revived can"),
        ),
        (
            on("lethal", do("endure", vitality=1)),
            ("once", "a lethal line must have a limit: life or battle"),
        ),
        (on("lethal", WARD, once="life"), ("do", "a lethal line holds endure, alone")),
        (
            on("lethal", *[do("endure", vitality=1)] * 2, once="life"),
            ("do", "a lethal line holds endure, alone"),
        ),
    ],
)
def test_refusal_of_a_line(line: Json, fault: tuple[str, str]) -> None:
    path, sentence = fault
    assert card_faults(lines=[line]) == [(f"lines[0].{path}", sentence)]


def test_a_field_of_null_reads_as_one_that_is_not_there() -> None:
    line = {"on": "hurt", "cause": None, "once": None, "do": [WARD | {"aim": None}]}
    assert card_faults(lines=[line], armor=None, focus=None, keywords=None) == []
    assert card_faults(power=None) == [("power", "is missing")]
    assert battle_faults(plain(rules=None, runes=None)) == []


SECONDS = "0.03 seconds are not a whole number of ticks (0.05)"


@pytest.mark.parametrize(
    ("verb", "fields", "fault"),
    [
        ("hael", {}, ("verb", 'no verb "hael"; did you mean "heal"?')),
        ("heal", {}, ("amount", "is missing")),
        ("heal", {"amount": -1}, ("amount", f"must be from 0 to {10**9}, not -1")),
        ("heal", {"stacks": 1, "amount": 1}, ("stacks", "unknown field; known: verb, aim, amount")),
        (
            "heal",
            {"amount": 1, "percent": 1},
            ("percent", "unknown field; known: verb, aim, amount"),
        ),
        (
            "dread",
            {"amount": 1, "stacks": 1},
            ("amount", "unknown field; known: verb, aim, stacks"),
        ),
        ("damage", {}, ("amount", "is missing")),
        (
            "damage",
            {"amount": 1, "percent": 1},
            ("percent", "damage has an amount or a percent, not both"),
        ),
        ("freeze", {}, ("seconds", "is missing")),
        ("freeze", {"seconds": Decimal("0.03")}, ("seconds", SECONDS)),
        ("freeze", {"seconds": 0}, ("seconds", f"must be above 0 and at most {10**9}, not 0")),
        ("freeze", {"seconds": "1"}, ("seconds", 'must be a number of seconds, not "1"')),
        ("freeze", {"seconds": True}, ("seconds", "must be a number of seconds, not true")),
        ("freeze", {"seconds": 1.5}, ("seconds", "must be a number of seconds, not a number")),
        ("buff", {"amount": 1}, ("stat", "is missing")),
        (
            "buff",
            {"amount": 1, "stat": "ward"},
            ("stat", 'no stat to buff "ward"; known: power, speed, armor, vitality'),
        ),
        (
            "buff",
            {"amount": 1, "stat": "vitality", "seconds": 1},
            ("seconds", "Vitality can be raised only for the life, not for a time"),
        ),
        ("buff", {"amount": 0, "stat": "vitality"}, ("amount", "Vitality can only be raised")),
        ("buff", {"amount": -1, "stat": "vitality"}, ("amount", "Vitality can only be raised")),
        ("grant", {}, ("keyword", "is missing")),
        ("grant", {"keyword": "rabid", "battle": 1}, ("battle", "must be true or false, not 1")),
        (
            "grant",
            {"keyword": "rabid", "battle": True, "seconds": 1},
            ("seconds", "a grant is for the battle or for a time, not both"),
        ),
        ("summon", {}, ("card", "is missing")),
        ("summon", {"card": "y"}, ("card", 'no card "y"; known: x')),
        ("summon", {"card": "x", "aim": "self"}, ("aim", "summon takes no aim")),
        ("summon", {"card": "x", "count": 0}, ("count", "must be from 1 to 256, not 0")),
        (
            "endure",
            {"vitality": 1},
            ("verb", "endure stands only in a lethal line, not on activation"),
        ),
        ("ward", {"amount": 1, "aim": "enemy"}, ("aim", 'no aim "enemy"; did you mean "enemies"?')),
        (
            "ward",
            {"amount": 1, "aim": "target"},
            ("aim", "a line on activation has no target; it is an aim of hit and new_target"),
        ),
    ],
)
def test_refusal_of_an_effect(verb: str, fields: Json, fault: tuple[str, str]) -> None:
    assert effect_faults(verb, **fields) == [fault]


def test_refusal_of_a_default_aim_that_a_death_line_cannot_have() -> None:
    sentence = "a death line cannot aim at self (the default aim of ward): it is dead"
    assert effect_faults("ward", "death", amount=1) == [("aim", sentence)]


def test_refusal_of_a_rune_and_of_its_stats() -> None:
    rune = {"id": "r", "stats": {"powr": 1, "ward": "x"}, "lines": [on("hurt")], "armor": 1}
    assert catalog_faults({"runes": [rune]}, "runes[0].") == [
        ("armor", "unknown field; known: id, name, text, price, stats, lines"),
        ("stats.powr", 'unknown field; did you mean "power"?'),
        ("stats.ward", 'must be a whole number, not "x"'),
        ("lines[0].do", "must hold at least one effect"),
    ]


def test_refusal_of_a_resonance() -> None:
    steps: list[Json] = [{"count": 0}, {"count": 2}, {"count": 2}, {"count": 3, "stats": []}]
    assert catalog_faults({"resonances": [{"id": "r", "steps": steps}]}, "resonances[0].steps") == [
        ("[0].count", "must be from 1 to 1000000000, not 0"),
        ("[2].count", "a step for 2 units stands here twice"),
        ("[3].stats", "must be an object, not a list"),
    ]


def test_refusal_of_a_catalog_as_toml_writes_it() -> None:
    assert catalog_faults({"card": [card("x"), card("x")]}) == [
        ("card[1].id", 'a card "x" stands here twice')
    ]
    assert catalog_faults({"prices": {"power": -1, "luck": 1}}) == [
        ("prices.luck", "unknown field; known: vitality, power, speed, armor, ward"),
        ("prices.power", f"must be from 0 to {10**9}, not -1"),
    ]
    assert catalog_faults({"crads": []}) == [("crads", 'unknown field; did you mean "cards"?')]


def test_a_definition_with_a_known_id_replaces_it() -> None:
    base = read_catalog({"cards": [card("x", power=1), card("y")]})
    assert read_catalog({"cards": [card("x", power=2)]}, base).cards["x"].stats.power == 2


def test_refusal_of_a_board() -> None:
    catalog = read_catalog({"cards": [card("x", price=3)]})
    value = {
        "units": [{"cell": "0", "card": 5, "runes": {}, "scrip": {"power": -1}, "rune": 1}],
        "name": 7,
        "txt": "",
    }
    with pytest.raises(Refused) as refused:
        read_board(value, catalog, Rules(), "boards.a")
    assert told(refused.value) == [
        ("boards.a.txt", 'unknown field; did you mean "text"?'),
        ("boards.a.name", "must be a text, not 7"),
        ("boards.a.units[0].rune", 'unknown field; did you mean "runes"?'),
        ("boards.a.units[0].cell", 'must be a whole number, not "0"'),
        ("boards.a.units[0].card", "must be the name of a card, not 5"),
        ("boards.a.units[0].runes", "must be a list, not an object"),
        ("boards.a.units[0].scrip.power", f"must be from 0 to {10**9}, not -1"),
    ]


def test_refusal_names_every_fault_of_a_battle_at_once() -> None:
    broken = plain(seed=1, rules={"vessel_cots": 1})
    broken["cards"][0]["lines"] = [on("activation", do("hael", amount=1))]
    broken["boards"]["b"]["units"][0]["card"] = "dumy"
    assert battle_faults(broken) == [
        ("seed", "must be a text, not 1"),
        ("rules.vessel_cots", 'no rule "vessel_cots"; did you mean "vessel_cost"?'),
        ("cards[0].lines[0].do[0].verb", 'no verb "hael"; did you mean "heal"?'),
        ("boards.b.units[0].card", 'no card "dumy"; did you mean "dummy"?'),
    ]
