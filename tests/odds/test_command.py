"""`phylactery odds` and `phylactery balance`, as they are called and as they answer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from engine import base_catalog, sample_boards
from server.cli.app import app
from server.cli.output import AT_FAULT, FAILED
from server.odds import command

FEW = ("--battles", "4", "--processes", "1")
FRAIL = '[[card]]\nid = "gutter-cur"\nprice = 9\nvitality = 1\npower = 0\nspeed = 1\n'


def invoke(*words: str) -> Result:
    result = CliRunner().invoke(app, words, env={"COLUMNS": "200"})
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def test_two_boards_are_told_of_closely() -> None:
    result = invoke("odds", "red-kennel", "full-barrow", *FEW)
    assert result.exit_code == 0
    assert "Red Kennel against The Full Barrow, 4 battles" in result.stdout
    assert "Gutter Cur" in result.stdout
    assert "with the change" not in result.stdout


def test_one_board_meets_all_samples() -> None:
    result = invoke("odds", "red-kennel", *FEW)
    assert result.exit_code == 0
    assert "Red Kennel against" in result.stdout
    assert result.stdout.count("certainly between") == 1
    assert "Red Kennel (2)" not in result.stdout


def test_without_boards_all_samples_meet() -> None:
    result = invoke("odds", "--json", *FEW)
    pairs = json.loads(result.stdout)["pairs"]
    assert len(pairs) == len(sample_boards()) * (len(sample_boards()) - 1) // 2
    assert {pair["now"]["won"] + pair["now"]["lost"] + pair["now"]["drawn"] for pair in pairs} == {
        4
    }


def test_a_change_is_set_beside_what_is(tmp_path: Path) -> None:
    change = tmp_path / "change.toml"
    change.write_text(FRAIL)
    result = invoke("odds", "red-kennel", "full-barrow", "--change", str(change), *FEW)
    assert "with the change" in result.stdout
    assert "ended otherwise than now" in result.stdout
    found = json.loads(
        invoke("odds", "red-kennel", "full-barrow", "--change", str(change), "--json", *FEW).stdout
    )
    (pair,) = found["pairs"]
    assert pair["changed"]["won"] <= pair["now"]["won"]
    assert pair["turned"] <= 4
    assert [len(units) for units in pair["now"]["units"]] == [7, 7]


def test_the_same_board_twice_is_two_boards() -> None:
    (pair,) = json.loads(invoke("odds", "red-kennel", "red-kennel", "--json", *FEW).stdout)["pairs"]
    assert (pair["a"], pair["b"]) == ("Red Kennel", "Red Kennel (2)")


def test_a_boards_name_steers_nothing(tmp_path: Path) -> None:
    board = tmp_path / "odd.json"
    units = [{"cell": 0, "card": "bone-squire"}]
    board.write_text(json.dumps({"name": "[/red][bold]", "units": units}))
    result = invoke("odds", str(board), "red-kennel", *FEW)
    assert result.exit_code == 0
    assert "[/red][bold] wins" in result.stdout


def test_cards_and_runes_are_weighed(tmp_path: Path) -> None:
    change = tmp_path / "change.toml"
    change.write_text(FRAIL)
    result = invoke("balance", "--change", str(change), *FEW)
    assert result.exit_code == 0
    assert "4 battles of boards drawn at random: how often they win with each card" in result.stdout
    assert "each rune" in result.stdout
    found = json.loads(invoke("balance", "--json", *FEW).stdout)
    assert found["now"]["battles"] == 4
    assert "changed" not in found
    assert invoke("balance", "--json", *FEW).stdout == json.dumps(found, indent=2) + "\n"


@pytest.mark.parametrize("words", [("odds", "red-kennel"), ("balance",)])
def test_a_faulty_change_is_told_with_every_fault(words: tuple[str, ...], tmp_path: Path) -> None:
    change = tmp_path / "change.toml"
    change.write_text('[[card]]\nid = "x"\npower = -1\n')
    result = invoke(*words, "--change", str(change), *FEW)
    assert result.exit_code == AT_FAULT
    assert f"{change}: card[0].power" in result.stderr
    assert result.stderr.count("\n") > 1
    assert result.stdout == ""


def test_a_change_that_makes_a_board_too_dear_is_a_fault_of_the_board(tmp_path: Path) -> None:
    change = tmp_path / "change.toml"
    change.write_text(FRAIL.replace("price = 9", "price = 60"))
    result = invoke("odds", "red-kennel", "full-barrow", "--change", str(change), *FEW)
    assert result.exit_code == AT_FAULT
    assert "red-kennel: units: cost" in result.stderr


def test_every_faulty_board_is_told() -> None:
    result = invoke("odds", "red-kenel", "nobody", *FEW)
    assert result.exit_code == AT_FAULT
    assert "red-kenel: " in result.stderr
    assert "nobody: " in result.stderr


def test_a_catalog_that_nobody_can_pay_is_a_fault(tmp_path: Path) -> None:

    change = tmp_path / "change.json"
    dear = {"price": 61, "vitality": 1, "power": 1, "speed": 1}
    cards = [{"id": card, **dear} for card in base_catalog().cards]
    change.write_text(json.dumps({"cards": cards}))
    result = invoke("balance", "--change", str(change), *FEW)
    assert result.exit_code == AT_FAULT
    assert "hardly any 6 cards together cost 60 Scrip" in result.stderr


def test_a_process_that_dies_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise BrokenProcessPool

    monkeypatch.setattr(command, "work", broken)
    assert command.balance(command.Wishes(battles=4)) == FAILED
    assert "came to an end by itself" in capsys.readouterr().err


# The command, which says when the first piece has been fought.
SAYS_WHEN = """
from server.cli import main
from server.odds import command

def work(*what):
    for number, one in enumerate(crew(*what)):
        if not number:
            print("fought", flush=True)
        yield one

crew, command.work = command.work, work
main()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nobody_fights_on_for_one_who_was_killed(number: signal.Signals) -> None:
    words = ("balance", "--battles", "1000000", "--processes", "2")
    with subprocess.Popen(
        [sys.executable, "-c", SAYS_WHEN, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"fought\n"
        process.send_signal(number)
        process.communicate(timeout=60)  # until nobody is left who could write there
        assert process.returncode == -number


@pytest.mark.parametrize("processes", ["1", "2"])
def test_an_interrupt_ends_all_of_it_at_once(processes: str) -> None:
    words = ("balance", "--battles", "1000000", "--processes", processes)
    with subprocess.Popen(
        [sys.executable, "-c", SAYS_WHEN, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "fought\n"
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        _, said = process.communicate(timeout=60)  # until nobody is left who could write there
        assert process.returncode == 130
        assert said == ""
