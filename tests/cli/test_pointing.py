"""What a fault says beside its path to whoever has the file before them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine import Fault, Refused
from server.cli.battle import battle, describe, validate
from server.cli.input import read_object
from server.cli.pointing import pointed
from tests.engine.stage import Json, card, on

LOW = "must be from 0 to 1000000000, not -1"
NO_LIST = "must be a list, not an object"


def told(path: str, value: object, *, toml: bool = False, message: str = LOW) -> str:
    (fault,) = pointed([Fault(path, message)], value, toml=toml)
    assert fault.path == path
    return fault.message


@pytest.mark.parametrize("kind", ["card", "cards", "rune", "runes", "resonance", "resonances"])
def test_a_fault_says_whose_it_is(kind: str) -> None:
    value = {kind: [{"id": "one"}, {"id": "two"}]}
    assert told(f"{kind}[1].price", value) == f'{LOW} (in "two")'
    assert told(f"{kind}[0]", value) == f'{LOW} (in "one")'


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("", {"card": []}),
        ("card", {"card": [{"id": "x"}]}),
        ("card[0].id", {"card": [{"id": "x"}]}),  # what is wrong is the id, and it is told
        ("card[0].power", {"card": [{}]}),
        ("card[0].power", {"card": [{"id": ""}]}),
        ("card[0].power", {"card": [{"id": 7}]}),
        ("card[0].power", {"card": [{"id": "\ud800"}]}),
        ("card[0].power", {"card": [7]}),
        ("card[1].power", {"card": [{"id": "x"}]}),
        ("card[0].power", {"card": {}}),
        ("card[0].power", []),
        ("boards.a.cards[0]", {"boards": {"a": {"cards": [{"id": "x"}]}}}),
    ],
)
def test_what_is_nobodys_and_what_has_no_id_is_told_as_it_is(path: str, value: object) -> None:
    assert told(path, value) == LOW


def test_a_long_id_is_cut_short() -> None:
    assert told("card[0].power", {"card": [{"id": "x" * 99}]}) == f'{LOW} (in "{"x" * 40}…")'


@pytest.mark.parametrize(
    ("path", "table"),
    [
        ("card", "card"),
        ("runes", "runes"),
        ("card[3].lines", "card.lines"),
        ("card[3].lines[1].do", "card.lines.do"),
        ("resonance[0].steps", "resonance.steps"),
        ("units", "units"),
        ("boards.a.units", "boards.a.units"),
    ],
)
def test_where_toml_has_a_table_for_a_list_it_is_told_what_to_write(path: str, table: str) -> None:
    assert told(path, {}, toml=True, message=NO_LIST) == f"{NO_LIST}; write [[{table}]]"
    assert told(path, {}, message=NO_LIST) == NO_LIST
    assert told(path, {}, toml=True) == LOW


@pytest.mark.parametrize("path", ["card[0].resonance", "units[0].runes", "card[0].keywords"])
def test_a_list_of_names_is_none_of_tables(path: str) -> None:
    assert told(path, {}, toml=True, message=NO_LIST) == NO_LIST


def test_validate_and_battle_say_whose_a_fault_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong: Json = card("toll-warden", on("lethl"))
    cards, fight = tmp_path / "cards.json", tmp_path / "battle.json"
    cards.write_text(json.dumps({"cards": [wrong]}))
    fight.write_text(json.dumps({"seed": "s", "cards": [wrong], "boards": {}}))
    for status in (validate([str(cards)]), battle(str(fight))):
        assert status == 2
    for line in capsys.readouterr().err.splitlines():
        path, sentence = line.split(": ", 2)[1:]
        assert sentence.endswith(' (in "toll-warden")') is path.startswith("cards[0].lines[0]")


def test_a_table_for_a_list_in_a_file_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "cards.toml"
    file.write_text('[card]\nid = "x"\n')
    with pytest.raises(Refused) as refused:
        read_object(str(file), describe)
    assert list(refused.value.faults) == [Fault("card", f"{NO_LIST}; write [[card]]")]
