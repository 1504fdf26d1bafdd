"""A battle that is over, played once more: what is said of it, when, and with which exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from engine import TICKS_PER_SECOND
from engine.rules import RANGES
from server.cli import replay as playing
from server.cli.app import app
from server.cli.output import AT_FAULT, DONE, FAILED, PIPE_CLOSED
from server.cli.replay import Film
from server.cli.replay_options import LONGEST_SECONDS
from server.cli.verify import OTHER_RULES, placed, verify
from server.replay import Replay, decode, encode
from server.view.screen import OutputClosed, PlainScreen
from server.view.words import MAJOR
from tests.cli.films import LAST_TICK, Change, other_rules, other_winner
from tests.journal.test_replay import changed, whole

pytestmark = pytest.mark.usefixtures("fought")


def play(file: Path, replay: Replay, *, speed: float = 1, from_seconds: float = 0) -> int:
    file.write_bytes(encode(replay))
    return playing.replay(str(file), speed=speed, from_seconds=from_seconds)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "replay.json"


def moments_of(replay: Replay) -> list[int]:
    """The tick of each moment that has a line."""
    log = [json.loads(bytes(line)) for line in replay.log]
    return [line["tick"] for line in log if line["kind"] in MAJOR]


# What is printed.


def test_a_whole_battle_is_printed_from_its_beginning_to_the_verdict(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    replay = decode(whole())
    assert play(file, replay) == DONE
    out, err = capsys.readouterr()
    first, *told, outcome, verdict = out.splitlines()
    assert err == ""
    assert first == "round 1: Ada (Candle Tide) against Bob (Choir of No Hands)"
    assert told[0] == "  0.0 s  the battle begins; Ada has the initiative"
    assert told[-1] == " 60.0 s  the battle is a draw by timeout"
    assert len(told) == len(moments_of(replay)) > 50
    assert outcome == "round 1 is a draw by timeout after 60.0 s; 0 to 0"
    digest = replay.result.digest
    assert verdict == f"  holds: commitment, seed, and fought again to the digest {digest}"


def test_a_battle_that_was_given_up_is_printed_as_far_as_it_ran(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play(file, decode(whole(True))) == DONE
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "round 1 goes to Ada by forfeit after 5.0 s; 1 to 0",
        "  holds: commitment, seed, and the log as far as it ran, fought again",
    ]


def test_a_battle_that_failed_has_an_end_and_nothing_before_it(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(value: dict[str, Any]) -> None:
        value["log"].clear()
        value["result"] |= {"reason": "void", "winner": None, "digest": None, "tick": 100}

    assert play(file, changed(fail)) == DONE
    first, outcome, _ = capsys.readouterr().out.splitlines()
    assert (first[:6], outcome) == ("round ", "round 1 is void: the server failed at it")


def test_of_what_lies_before_the_beginning_nothing_is_printed(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    replay = decode(whole())
    assert play(file, replay) == DONE
    first, *told, outcome, verdict = capsys.readouterr().out.splitlines()
    ticks = moments_of(replay)
    some = ticks[len(ticks) // 2]
    for tick in (some, some + 1, LAST_TICK, LAST_TICK + 1):
        assert play(file, replay, from_seconds=tick / 20) == DONE
        later = told[sum(one < tick for one in ticks) :]
        assert capsys.readouterr().out.splitlines() == [first, *later, outcome, verdict]


@pytest.mark.parametrize(
    ("change", "status", "verdict"),
    [
        (other_rules, OTHER_RULES, "theroom2.1 was made under other rules (catalog 0000"),
        (other_winner, FAILED, "theroom2.1 does NOT hold: winner is b, and None in the log"),
    ],
)
def test_what_does_not_hold_here_plays_too_and_says_what_verify_says(
    file: Path,
    capsys: pytest.CaptureFixture[str],
    change: Change,
    status: int,
    verdict: str,
) -> None:
    assert play(file, changed(change)) == status
    out, err = capsys.readouterr()
    assert len(out.splitlines()) > 50
    last = out.splitlines()[-1]
    assert last.startswith(f"  {verdict}")
    assert (err, "FAIR" in out) == ("", False)
    assert verify(str(file)) == status
    said = capsys.readouterr().err.removeprefix("phylactery: ").splitlines()
    assert last.strip() == ": ".join(line.strip() for line in said)


def test_names_cannot_steer_the_terminal(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = {"a": "\x1b[2JAda", "b": "Bob\n"}
    assert play(file, changed(lambda value: value.update(players=names))) == DONE
    out = capsys.readouterr().out
    assert out.startswith(r"round 1: \x1b[2JAda (Candle Tide) against Bob\n (Choir")
    assert "\x1b" not in out


# What is none.


@pytest.mark.parametrize("content", ["", "{}", '{"format": 2}', "[" * 100_000])
def test_what_is_no_replay_is_told_as_verify_tells_it(
    file: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    file.write_text(content)
    for place in (str(file), f"{file}x", "http://127.0.0.1:1/replays/x"):
        assert verify(place) == AT_FAULT
        told = capsys.readouterr()
        assert playing.replay(place, speed=1, from_seconds=0) == AT_FAULT
        assert capsys.readouterr() == told
        assert told.err.startswith(f"{place}: ")


def test_of_a_battles_id_the_server_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["k3f9x2ab.1"], ["k3f9x2ab.1", "--server", "ws://127.0.0.1:1"]):
        asked = words[-1].replace("ws", "http") if words[1:] else "http://127.0.0.1:2"
        for command in ("verify", "replay"):
            ended = CliRunner().invoke(
                app, [command, *words], env={"PHYLACTERY_SERVER": "127.0.0.1:2"}
            )
            assert ended.exit_code == AT_FAULT
            assert ended.stderr.startswith(f"{asked}/replays/k3f9x2ab.1: cannot be fetched: ")
    assert verify("k3f9x2ab.1", "no url") == AT_FAULT
    assert capsys.readouterr().err.startswith("k3f9x2ab.1: no url is no server's URL")


def test_a_file_that_is_called_as_a_battle_is_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k3f9x2ab.1").write_bytes(whole())
    assert verify("k3f9x2ab.1", "no url") == DONE


@pytest.mark.parametrize("name", ["replay.json", "./k3f9x2ab.1", "-", "K.1", "http://x/k3f9x2ab.1"])
def test_what_is_no_battles_id_is_a_file_or_a_url(name: str) -> None:
    assert placed(name, "127.0.0.1") == name


def test_a_byte_order_mark_is_passed_over(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + whole())
    assert verify(str(file)) == playing.replay(str(file), speed=1, from_seconds=0) == DONE


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda value: value["log"].insert(-1, {"kind": "magic"}), "log["),
        (lambda value: value["log"].append(value["log"][-1]), "log[801]: nothing comes after"),
        (lambda value: value["boards"].pop("b"), "boards: there are two, a and b"),
    ],
)
def test_what_no_battle_has_left_is_a_fault_before_anything_is_shown(
    file: Path, capsys: pytest.CaptureFixture[str], change: Change, why: str
) -> None:
    assert play(file, changed(change)) == AT_FAULT
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"{file}: {why}")


@pytest.mark.parametrize(
    "words",
    [
        ("--speed", "0.2"),
        ("--speed", "65"),
        ("--speed", "nan"),
        ("--from", "-1"),
        ("--from", "1e308"),
        ("--from", "inf"),
    ],
)
def test_a_speed_that_nobody_could_follow_and_what_no_battle_has_are_refused(
    words: tuple[str, ...],
) -> None:
    result = CliRunner().invoke(app, ["replay", "none.json", *words])
    assert result.exit_code == AT_FAULT
    assert f"'{words[0]}'" in result.output


def test_it_is_played_as_fast_and_from_where_it_is_wanted(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    films: list[Film] = []

    async def keep(_: object, film: Film) -> None:
        films.append(film)

    monkeypatch.setattr(playing, "replay_on", keep)
    file.write_bytes(encode(changed(lambda value: value.update(speed=2))))
    for words in ([], ["--speed", "0.25", "--from", "1.5"]):
        assert CliRunner().invoke(app, ["replay", str(file), *words]).exit_code == DONE
    assert [(film.ticks_per_second, film.from_tick, film.title) for film in films] == [
        (40, 0, "replay theroom2.1  round 1  2x"),
        (10, 30, "replay theroom2.1  round 1  0.5x"),
    ]


def test_a_battle_of_any_length_can_be_seen_to_its_end() -> None:
    assert RANGES["time_limit"][1] == LONGEST_SECONDS * TICKS_PER_SECOND


def test_a_log_of_another_version_that_cannot_be_read_here_is_of_other_rules(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def write_otherwise(value: dict[str, Any]) -> None:
        value["engine"] = "99.0"
        value["log"][7]["more"] = True

    assert play(file, changed(write_otherwise)) == OTHER_RULES
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"phylactery: {file}: Version 99.0 has recorded this replay")


# As a process.


def test_when_nobody_reads_on_it_ends_quietly(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("server.cli.run.forget_stdout", lambda: None)  # it is pytest's own

    def closed(*_: object) -> None:
        raise OutputClosed

    monkeypatch.setattr(PlainScreen, "say", closed)
    assert play(file, decode(whole())) == PIPE_CLOSED
    assert capsys.readouterr() == ("", "")


def test_with_a_pipe_that_is_closed_it_ends_quietly(file: Path) -> None:
    file.write_bytes(whole())
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as nobody:
        command = [sys.executable, "-c", "from server.cli import main; main()", "replay", str(file)]
        ended = subprocess.run(
            command, stdout=nobody, stderr=subprocess.PIPE, check=False, timeout=60
        )
    assert (ended.returncode, ended.stderr) == (PIPE_CLOSED, b"")
