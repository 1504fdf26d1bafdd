"""`phylactery odds --change`: what is said of a change, and of what it does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from engine import Battle, base_catalog, read_battle, sample_boards
from server.cli.app import app
from server.cli.input import parse_json
from server.cli.output import AT_FAULT

FEW = ("--battles", "4", "--processes", "1")
CUR = {"id": "gutter-cur", "name": "Gutter Cur", "price": 7, "vitality": 9, "power": 1, "speed": 9}
DEAR = {"cards": [{**CUR, "price": 30}]}
NEW = {"cards": [{**CUR, "id": "new"}]}
# Activates whoever stands beside it, who activate it in turn.
LOOP = {
    "cards": [
        {
            **CUR,
            "speed": 900,
            "lines": [{"on": "activation", "do": [{"verb": "activate", "aim": "other_allies"}]}],
        }
    ]
}
FREE = {"prices": {"power": 0}}
CURS = {"name": "Curs", "units": [{"cell": cell, "card": "gutter-cur"} for cell in (0, 1)]}

Write = Callable[[str, object], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(name: str, content: object) -> str:
        file = tmp_path / f"{name}.json"
        file.write_text(json.dumps(content))
        return str(file)

    return written


def invoke(*words: str) -> Result:
    result = CliRunner().invoke(app, words, env={"COLUMNS": "200"})
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def test_a_sample_that_nobody_named_is_left_out_where_the_change_makes_it_too_dear(
    write: Write,
) -> None:
    change = write("change", DEAR)
    result = invoke("odds", "full-barrow", "--change", change, *FEW)
    assert result.exit_code == 0
    assert "red-kennel is left out: it is not legal with the change (units: cost " in result.stderr
    assert "Red Kennel" not in result.stdout
    assert "The Slow Kiln" in result.stdout
    among = invoke("odds", "--change", change, "--json", *FEW)
    names = {name for pair in json.loads(among.stdout)["pairs"] for name in (pair["a"], pair["b"])}
    assert len(names) == len(sample_boards()) - among.stderr.count("is left out")


def test_a_fault_of_a_named_board_says_that_it_is_the_changes(write: Write) -> None:
    change = write("change", DEAR)
    result = invoke("odds", "red-kennel", "full-barrow", "--change", change, *FEW)
    assert result.exit_code == AT_FAULT
    assert "red-kennel: units: cost " in result.stderr
    assert "of a budget of 60, with the change" in result.stderr
    wrong = write("wrong", {"units": [{"cell": 9, "card": "gutter-cur"}]})
    result = invoke("odds", wrong, "full-barrow", "--change", change, *FEW)
    assert "units[0].cell: must be from 0 to 7, not 9\n" in result.stderr


def test_where_nobody_is_left_to_fight_that_is_said(write: Write) -> None:
    cards = [
        {"id": card, "price": 60, "vitality": 1, "power": 1, "speed": 1}
        for card in base_catalog().cards
    ]
    change = write("change", {"cards": cards})
    alone = write("alone", {"units": [{"cell": 0, "card": "gutter-cur"}]})
    result = invoke("odds", alone, "--change", change, *FEW)
    assert result.exit_code == AT_FAULT
    assert "there is no other board to fight" in result.stderr


def test_it_is_said_what_is_tried_and_that_no_board_has_it(write: Write) -> None:
    result = invoke("odds", "red-kennel", "full-barrow", "--change", write("new", NEW), *FEW)
    assert result.stderr.splitlines() == [
        "new: new",
        "no board here has anything of it: with it and without, all is the same",
    ]
    change = write("changed", {"cards": [CUR]})
    result = invoke("odds", "red-kennel", "full-barrow", "--change", change, *FEW)
    assert result.stderr == "changed: gutter-cur\n"
    assert invoke("odds", "red-kennel", "full-barrow", *FEW).stderr == ""
    assert invoke("balance", "--change", change, *FEW).stderr == "changed: gutter-cur\n"


def test_what_only_the_change_makes_legal_is_not_said_to_be_the_same_without(
    write: Write,
) -> None:
    unit = {"cell": 0, "card": "bone-squire", "scrip": {"power": 60}}
    dear = write("dear", {"units": [unit]})
    free = write("free", FREE)
    result = invoke("odds", dear, "red-kennel", "--change", free, *FEW)
    assert result.stderr == "changed: prices\n"
    result = invoke("odds", "full-barrow", "red-kennel", "--change", free, *FEW)
    assert "all is the same" in result.stderr


@pytest.mark.parametrize("words", [("odds",), ("balance",)])
def test_an_empty_change_is_refused(words: tuple[str, ...], write: Write) -> None:
    result = invoke(*words, "--change", write("empty", {}), *FEW)
    assert result.exit_code == AT_FAULT
    assert "empty: a change has cards, runes, resonances, prices or rules" in result.stderr


@pytest.mark.parametrize("words", [("odds", "red-kennel", "seven-vows"), ("balance",)])
def test_rules_can_be_tried(words: tuple[str, ...], write: Write) -> None:
    change = write("change", {"rules": {"time_limit": 1}})
    result = invoke(*words, "--change", change, "--json", *FEW)
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    if words[0] == "odds":
        assert found["pairs"][0]["changed"]["timeouts"] == 4
        assert found["pairs"][0]["now"]["timeouts"] == 0
    else:
        assert all(card["value"] == 0.5 for card in found["changed"]["cards"].values())


def test_chains_that_were_cut_are_told_wherever_battles_are(write: Write) -> None:
    change, board = write("loop", LOOP), write("curs", CURS)
    closely = invoke("odds", board, "full-barrow", "--change", change, *FEW)
    (row,) = [line for line in closely.stdout.splitlines() if "chains cut (600.5)" in line]
    assert "100.0 %" in row
    among = invoke("odds", board, "--change", change, *FEW)
    assert "battles chains of lines were cut (600.5)." in among.stdout
    usual = invoke("odds", "red-kennel", "full-barrow", *FEW)
    assert "chains" not in usual.stdout


def test_machines_are_told_who_did_what_and_which_battles_were_turned(write: Write) -> None:
    change = write("change", {"cards": [{**CUR, "vitality": 2000, "power": 200, "speed": 90}]})
    words = ("odds", "red-kennel", "full-barrow", "--change", change, "--seed", "s", "--json")
    result = invoke(*words, "--battles", "40", "--processes", "1")
    (pair,) = json.loads(result.stdout)["pairs"]
    units = sample_boards()["red-kennel"]["units"]
    assert isinstance(units, list)
    first = pair["now"]["units"][0]
    expected = sorted((unit["cell"], unit["card"]) for unit in units)
    assert [(unit["cell"], unit["card"]) for unit in first[:-1]] == expected
    assert [unit["id"] for unit in first] == [*(f"a{n}" for n in range(len(units))), None]
    assert pair["turned"] > 20 == len(pair["turned_battles"])
    moved = pair["moved"]["won"]
    assert moved["low"] < moved["value"] < moved["high"]
    assert moved["value"] * 40 == pytest.approx(pair["changed"]["won"] - pair["now"]["won"])
    for battle in pair["turned_battles"][:3]:
        assert battle["seed"] == f"s {battle['number']}"
        winners = []
        for options in ((), ("--change", change)):
            words = ("odds", "red-kennel", "full-barrow", "--seed", "s", *options)
            file = invoke(*words, "--battle", str(battle["number"])).stdout
            setup = read_battle(parse_json(file), base_catalog())
            assert setup.seed == battle["seed"]
            winners.append(Battle(setup, quiet=True).run().winner)
        assert winners[0] != winners[1]


def test_a_single_battle_keeps_what_it_is_tried_with(write: Write) -> None:
    change = write(
        "change",
        {
            "prices": {"power": 0},
            "rules": {"everlasting_ticks": 99},
            "card": [
                {
                    **CUR,
                    "price": 30,
                    "lines": [{"on": "activation", "do": [{"verb": "freeze", "seconds": 0.35}]}],
                }
            ],
        },
    )
    units = [{"cell": cell, "card": "gutter-cur", "scrip": {"power": 9}} for cell in (0, 1)]
    board = write("board", {"name": "Curs", "units": units})
    words = ("odds", "full-barrow", board, "--change", change, "--battle", "1")
    file = invoke(*words).stdout
    setup = read_battle(parse_json(file), base_catalog())
    assert setup.rules.everlasting_ticks == 99
    assert [unit.card for unit in setup.boards[0].units] == ["gutter-cur"] * 2  # seats changed
    assert setup.catalog.cards["gutter-cur"].lines[0].effects[0].ticks == 7
    assert invoke("odds", "red-kennel", "--battle", "1").exit_code == AT_FAULT


def test_a_single_battle_that_no_budget_could_allow_is_not_printed(write: Write) -> None:
    squire = {"card": "bone-squire", "scrip": {"power": 900_000_000}}
    dear = write("dear", {"units": [{**squire, "cell": cell} for cell in range(4)]})
    words = ("odds", dear, "red-kennel", "--change", write("free", FREE), "--battle", "0")
    result = invoke(*words)
    assert result.exit_code == AT_FAULT
    assert result.stdout == ""
    assert "one of these boards costs 36000000" in result.stderr
    assert "Scrip, and no battle allows more than 1000000000\n" in result.stderr


def test_a_boards_name_and_place_change_no_dice(write: Write) -> None:
    board = sample_boards()["red-kennel"]
    first, other = write("one", {**board, "name": "One"}), write("two", {**board, "name": "Two"})
    found = [
        json.loads(invoke("odds", file, "full-barrow", "--json", *FEW).stdout)["pairs"][0]["now"]
        for file in (first, other)
    ]
    assert found[0] == found[1]
    pairs = json.loads(invoke("odds", first, other, "slow-kiln", "--json", *FEW).stdout)["pairs"]
    ways = {(pair["a"], pair["b"]): pair["now"] for pair in pairs}
    assert ways["One", "The Slow Kiln"] == ways["Two", "The Slow Kiln"]
