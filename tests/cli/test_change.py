"""`validate` with a change, and names of a file's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine import Refused
from server.cli.battle import battle, validate
from server.cli.board import find_board
from tests.cli.test_battle import status


def test_of_a_board_that_is_a_file_every_wrong_name_has_its_right_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unit = {"card": "bone-squir", "runes": ["reliqary", "whetbon"]}
    file = tmp_path / "board.json"
    file.write_text(json.dumps({"units": [{"cell": cell, **unit} for cell in range(8)]}))
    assert validate([str(file)]) == 2
    told = capsys.readouterr().err.splitlines()
    with pytest.raises(Refused) as refused:
        find_board(str(file))
    assert [f"{file}: {fault}" for fault in refused.value.faults] == told
    assert len(told) == 24
    assert all("did you mean" in line for line in told)


BELL = """[[card]]
id = "bell-ringer"
name = "Bell Ringer"
price = 8
vitality = 30
power = 5
speed = 15
"""


@pytest.fixture
def bell(tmp_path: Path) -> str:
    """A file with a card that is not in the base set."""
    file = tmp_path / "bell.toml"
    file.write_text(BELL)
    return str(file)


def test_a_board_with_a_card_of_ones_own_is_judged_with_the_change_that_has_it(
    tmp_path: Path, bell: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    board = tmp_path / "board.json"
    board.write_text(json.dumps({"units": [{"cell": 0, "card": "bell-ringer"}]}))
    assert status(monkeypatch, ["validate", str(board), "--change", bell]) == 0
    assert capsys.readouterr().out == f"{board}: a board for 8 of 60 Scrip: Bell Ringer\n"
    assert status(monkeypatch, ["validate", str(board)]) == 2
    assert capsys.readouterr().err == f'{board}: units[0].card: no card "bell-ringer"\n'


def test_a_catalog_may_speak_of_the_change_and_a_battle_may_not(tmp_path: Path, bell: str) -> None:
    summons, fight = tmp_path / "summons.toml", tmp_path / "battle.json"
    effect = '{verb = "summon", card = "bell-ringer"}'
    summons.write_text(
        f'{BELL.replace("bell-ringer", "x")}[[card.lines]]\non = "death"\ndo = [{effect}]\n'
    )
    assert validate([str(summons)], bell) == 0
    assert validate([str(summons)]) == 2
    board = {"units": [{"cell": 0, "card": "bell-ringer"}]}
    fight.write_text(json.dumps({"seed": "s", "boards": {"a": board, "b": board}}))
    assert validate([str(fight)], bell) == battle(str(fight)) == 2


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ('[[card]]\nid = "x"\n', 'card[0].vitality: is missing (in "x")'),
        ('[rules]\nvessel_cost = 0\n[[card]]\nid = "x"\n', "rules.vessel_cost: must be"),
        ("units = []\n", "this is a board, not a catalog"),
    ],
)
def test_a_change_that_is_wrong_is_told_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, fault: str
) -> None:
    change = tmp_path / "change.toml"
    change.write_text(content)
    assert validate([str(tmp_path / "none.json")], str(change)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"{change}: {fault}")
    assert "none.json" not in err
