"""`battle` and `validate`, as functions and as real processes."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine import Battle, Refused, base_catalog, read_battle, sample_boards
from server import cli
from server.cli.app import app
from server.cli.battle import battle, describe, validate
from server.cli.board import find_board
from server.cli.output import PIPE_CLOSED
from server.odds.command import Wishes, odds
from tests.engine.stage import endless

COMMAND = [sys.executable, "-c", "from server.cli import main; main()"]
BOARDS = list(sample_boards().values())
BATTLE: dict[str, object] = {"seed": "s", "boards": {"a": BOARDS[0], "b": BOARDS[1]}}


def run(*words: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, *words], input=data, capture_output=True, timeout=60, check=False
    )


@pytest.fixture
def battle_file(tmp_path: Path) -> str:
    file = tmp_path / "battle.json"
    file.write_text(json.dumps(BATTLE), encoding="utf-8")
    return str(file)


def expected_log() -> bytes:
    fought = Battle(read_battle(BATTLE, base_catalog()))
    while not fought.over:
        fought.step()
    return fought.log()


def test_battle_writes_the_log_exactly(battle_file: str) -> None:
    done = run("battle", battle_file)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == expected_log()
    *before, last = done.stdout.splitlines(keepends=True)
    assert json.loads(last)["digest"] == hashlib.sha256(b"".join(before)).hexdigest()[:32]


def test_battle_reads_standard_input() -> None:
    done = run("battle", "-", data=json.dumps(BATTLE).encode())
    assert (done.returncode, done.stderr, done.stdout) == (0, b"", expected_log())


def test_the_long_way_through_the_command_line_is_the_same(battle_file: str) -> None:
    done = run("battle", "--", battle_file)
    assert (done.returncode, done.stderr, done.stdout) == (0, b"", expected_log())


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", b"not JSON: expecting value (line 1, column 1)"),
        (b"\xff", b"not UTF-8: byte 0, on line 1"),
        (b"[]", b"must be an object"),
        (b"[" * 100_000, b"nested more than 64 deep"),
        (b'{"seed": NaN}', b"seed: NaN is no number here"),
        (rb'{"seed": "\ud800"}', b"seed: half of a surrogate pair is no character"),
        (b'{"seed": 1, "seed": 1}', b'the key "seed" stands twice'),
        (b'{"seed": "\x1b[2J"}', b"not JSON: "),
    ],
)
def test_a_file_that_is_no_battle(content: bytes, fault: bytes) -> None:
    done = run("battle", "-", data=content)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"standard input: " in done.stderr
    assert fault in done.stderr
    assert b"Traceback" not in done.stderr


def test_every_fault_has_its_line_and_its_path(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    units = [{"cell": 0, "card": "bone-squir"}, {"cell": 9, "card": "rimewitch"}]
    wrong = {"seed": "s", "boards": {"a": {"units": units}, "b": {"units": []}}}
    file = tmp_path / "wrong.json"
    file.write_text(json.dumps(wrong))
    assert battle(str(file)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert [line.split(": ")[1] for line in lines] == [
        "boards.a.units[0].card",
        "boards.a.units[1].cell",
        "boards.b.units",
    ]
    assert all(line.startswith(f"{file}: ") for line in lines)
    assert 'did you mean "bone-squire"?' in lines[0]


WRONG_UNITS = '"units": [{"cell": 9, "card": "rimewich"}, {"cell": 1, "card": "bone-squire"}]'
WRONG_CELL = "boards.a.units[0].cell: must be from 0 to 7, not 9"
WRONG_CARD = 'boards.a.units[0].card: no card "rimewich"; did you mean "rimewitch"?'


@pytest.mark.parametrize(
    ("also", "fault"),
    [
        ('"rules": {"time_limit": NaN}', "rules.time_limit: NaN is no number here"),
        (
            '"rules": {"time_limit": 99999999999999999999}',
            "rules.time_limit: 99999999999999999999 is out of range",
        ),
        ('"rules": {"time_limit": 9, "time_limit": 8}', 'rules: the key "time_limit" stands twice'),
        (r'"cards": "\udead"', "cards: half of a surrogate pair is no character"),
        (r'"\udead": 1', "a key has half of a surrogate pair, which is no character"),
        ('"tempo": Infinity', "tempo: Infinity is no number here"),
    ],
)
def test_what_cannot_be_read_hides_no_other_fault_and_is_told_once(
    also: str, fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "wrong.json"
    rest = json.dumps(BOARDS[0])
    file.write_text(f'{{"seed": "s", "boards": {{"a": {{{WRONG_UNITS}}}, "b": {rest}}}, {also}}}')
    assert battle(str(file)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [f"{file}: {said}" for said in (fault, WRONG_CELL, WRONG_CARD)]


def test_a_key_that_stands_twice_hides_no_fault_of_its_object(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "board.json"
    file.write_text('{"units": [], "units": []}')
    assert battle(str(file)) == 2
    twice, other = capsys.readouterr().err.splitlines()
    assert twice == f'{file}: the key "units" stands twice'
    assert other.startswith(f"{file}: this is a board, not a battle")


def test_what_cannot_be_read_hides_no_other_fault_from_any_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cards, board = tmp_path / "cards.toml", tmp_path / "board.json"
    cards.write_text('[[card]]\nid = "x"\nvitality = nan\npower = -1\nspeed = 1\n')
    both = ["card[0].vitality: nan is no number here", "card[0].power: must be from 0"]
    commands = [partial(validate, [str(cards)]), partial(odds, [], Wishes(change=str(cards)))]
    for command in commands:
        assert command() == 2
        said = capsys.readouterr().err.splitlines()
        for line, one in zip(said, both, strict=True):
            assert line.startswith(f"{cards}: {one}")
    board.write_text('{"units": [{"cell": 9, "card": NaN}]}')
    with pytest.raises(Refused) as refused:
        find_board(str(board))
    assert [str(fault) for fault in refused.value.faults] == [
        "units[0].card: NaN is no number here",
        "units[0].cell: must be from 0 to 7, not 9",
    ]


def test_what_is_printed_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert battle("\x1b[2J\nno-such-file") == 2
    assert capsys.readouterr().err == "\\x1b[2J\\nno-such-file: no such file\n"


def test_fractional_seconds_are_exact() -> None:
    """0.35 s is 7 ticks; as a binary fraction it would be none."""
    card = {
        "id": "x",
        "vitality": 9,
        "power": 1,
        "speed": 100,
        "lines": [
            {"on": "battle_start", "do": [{"verb": "freeze", "aim": "self", "seconds": 0.35}]}
        ],
    }
    board = {"units": [{"cell": 0, "card": "x"}]}
    value = {"seed": "s", "cards": [card], "boards": {"a": board, "b": board}}
    done = run("battle", "-", data=json.dumps(value).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    frozen = [e for e in map(json.loads, done.stdout.splitlines()) if e["kind"] == "status"]
    assert {event["amount"] for event in frozen} == {7}


def test_a_closed_pipe_ends_it_quietly(battle_file: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*COMMAND, "battle", battle_file],
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (PIPE_CLOSED, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk_is_said(battle_file: str) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, "battle", battle_file],
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == (
        b"phylactery: cannot write to standard output: No space left on device\n"
    )


def test_the_short_way_imports_nothing_of_network_or_terminal(battle_file: str) -> None:
    program = (
        "import sys; from server.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'trio', 'websockets', 'rich', 'typer', 'msgspec', 'orjson', 'asyncio'}\n"
        "print(sorted(heavy & sys.modules.keys()), file=sys.stderr)\n"
    )
    for command in ("battle", "validate"):
        done = subprocess.run(
            [sys.executable, "-c", program, command, battle_file],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.stderr == "[]\n"


def test_a_board_is_told_with_its_units_and_price() -> None:
    said = describe({"name": "Two", "units": [{"cell": 0, "card": "bone-squire"}]})
    price = base_catalog().cards["bone-squire"].price
    assert said == f'a board "Two" for {price} of 60 Scrip: Bone Squire'


def test_a_battle_is_told_with_both_sides() -> None:
    assert describe(BATTLE).startswith("a battle, ")


@pytest.mark.parametrize("key", ["card", "cards"])
def test_a_catalog_is_told_with_its_counts(key: str) -> None:
    card = {"id": "x", "vitality": 9, "power": 1, "speed": 100}
    assert describe({key: [card], "runes": []}) == "a catalog of 1 card"


def test_validate_goes_through_all_files(
    tmp_path: Path, battle_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    catalog = tmp_path / "new.toml"
    catalog.write_text('[[card]]\nid = "x"\nvitality = 9\npower = 1\nspeed = 0.5\n')
    other = tmp_path / "other.json"
    other.write_text('{"hello": 1}')
    assert validate([battle_file, str(catalog), str(other)]) == 2
    out, err = capsys.readouterr()
    assert out.startswith(f"{battle_file}: a battle, ")
    assert len(out.splitlines()) == 1
    assert f"{catalog}: card[0].speed: " in err
    assert f"{other}: neither a board" in err
    assert validate([battle_file]) == 0


def test_the_engines_own_catalog_and_samples_are_valid() -> None:
    folder = Path(str(sys.modules["engine"].__file__)).parent / "catalog"
    files = [*map(str, folder.glob("*.toml")), *map(str, folder.glob("boards/*.json"))]
    assert len(files) > 8
    assert validate(files) == 0


def test_a_battle_without_end_can_be_interrupted(tmp_path: Path) -> None:
    file = tmp_path / "endless.json"
    file.write_text(json.dumps(endless()))
    interrupted = (
        "import signal; from server.cli import main\n"
        "signal.signal(signal.SIGALRM, signal.default_int_handler)\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.5)\n"
        "main()"
    )
    command = [sys.executable, "-c", interrupted, "battle", str(file)]
    done = subprocess.run(command, capture_output=True, timeout=20, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def status(monkeypatch: pytest.MonkeyPatch, words: Sequence[str]) -> object:
    monkeypatch.setattr(sys, "argv", ["phylactery", *words])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return ended.value.code


def test_interrupted_before_it_is_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted(io.TextIOWrapper):
        @property
        def buffer(self) -> io.BytesIO:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", Interrupted(io.BytesIO()))
    assert status(monkeypatch, ["battle", "-"]) == 130
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("words", [["battle"], ["battle", "--nonsense"], ["validat", "x"]])
def test_words_that_mean_nothing(monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    assert status(monkeypatch, words) == 2


def test_a_file_of_another_kind_is_called_what_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board, cards, fight = (tmp_path / name for name in ("board.json", "cards.json", "battle.json"))
    board.write_text(json.dumps(BOARDS[0]))
    cards.write_text(json.dumps({"cards": []}))
    fight.write_text(json.dumps(BATTLE))
    assert battle(str(board)) == 2
    assert f"{board}: this is a board, not a battle; a battle has" in capsys.readouterr().err
    assert battle(str(cards)) == 2
    assert "this is a catalog, not a battle" in capsys.readouterr().err
    with pytest.raises(Refused, match="this is a battle, not a board; a board has units"):
        find_board(str(fight))
    assert odds([], Wishes(change=str(board))) == 2
    assert "this is a board, not a catalog" in capsys.readouterr().err


def commands_of_help() -> list[list[str]]:
    return [[], *([command.callback.__name__] for command in app.registered_commands)]  # type: ignore[union-attr]


@pytest.mark.parametrize("words", commands_of_help(), ids=" ".join)
def test_beside_a_flag_nothing_stands_in_the_help(words: list[str]) -> None:
    said = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "120"}).output
    assert "--help" in said
    assert "bool" not in said.lower()


def test_help_names_every_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(monkeypatch, ["--help"]) == 0
    said = capsys.readouterr().out
    for command in ("demo", "play", "watch", "serve", "battle", "validate", "replay"):
        assert f"\n│ {command} " in said or f" {command} " in said


@pytest.mark.parametrize(
    "command", ["demo", "play", "watch", "serve", "battle", "validate", "verify", "replay"]
)
def test_every_command_has_help_with_an_example(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    assert status(monkeypatch, [command, "--help"]) == 0
    said = capsys.readouterr().out
    assert "Examples:" in said
    assert f"phylactery {command}" in said.partition("Examples:")[2]


def test_version(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(monkeypatch, ["--version"]) == 0
    assert capsys.readouterr().out.startswith("phylactery ")
