"""A battle that is over, played once more: what is said of it, when, and with which exit status."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock
from typer.testing import CliRunner

from engine import TICKS_PER_SECOND, base_catalog
from engine.rules import RANGES
from protocol.messages import Result
from server.cli import replay as playing
from server.cli.app import app
from server.cli.output import AT_FAULT, DONE, FAILED, PIPE_CLOSED
from server.cli.replay import LAST_PICTURE_SECONDS, Film, film_of, replay_on
from server.cli.replay_options import LONGEST_SECONDS
from server.cli.verify import OTHER_RULES, verify
from server.replay import Replay, decode, encode
from server.retelling import retell
from server.view.screen import LiveScreen, OutputClosed, PlainScreen
from server.view.terminal import Scene
from server.view.words import MAJOR
from tests.journal.test_replay import changed, whole

Change = Callable[[dict[str, Any]], None]

LAST_TICK = 1200  # of the whole one, which is fought for 60 seconds


@pytest.fixture(scope="module", autouse=True)
def fought() -> None:
    """The battles are fought in a run of their own, which none inside of a run can be."""
    whole()
    whole(True)


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


def film(speed: float = 1, from_seconds: float = 0, change: Change = lambda _: None) -> Film:
    return film_of(changed(change), base_catalog(), speed, from_seconds)


def other_rules(value: dict[str, Any]) -> None:
    value["catalog"] = "0" * 16


def other_winner(value: dict[str, Any]) -> None:
    value["result"]["winner"] = "b"


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
        (other_winner, FAILED, "theroom2.1 does NOT hold: winner is b, and None when fought again"),
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


# When it is shown.


class Watched(LiveScreen):
    """A live screen, and who looks at it notes the time of each picture."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[float, Scene]] = []
        self._start = trio.current_time()

    def look(self, scene: Scene) -> None:
        self.seen.append((trio.current_time() - self._start, scene))

    def at(self, seconds: float) -> Scene:
        """What could be seen then."""
        return [scene for when, scene in self.seen if when <= seconds][-1]


async def watched(film: Film) -> tuple[Watched, float]:
    """Plays to the end; also the seconds that took."""
    screen = Watched()
    start = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(screen.draw_on, screen.look)
        await replay_on(screen, film)
        nursery.cancel_scope.cancel()
    return screen, trio.current_time() - start


@pytest.mark.parametrize("speed", [0.25, 1, 64])
async def test_on_a_terminal_it_takes_as_long_as_its_speed_says(
    autojump_clock: MockClock, speed: float
) -> None:
    _, seconds = await watched(film(speed))
    assert seconds == pytest.approx(LAST_TICK / TICKS_PER_SECOND / speed + LAST_PICTURE_SECONDS)


async def test_each_tick_is_shown_in_its_time_and_what_takes_long_delays_no_other(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    hear = playing.Projector.show

    def slowly(projector: playing.Projector, moment: playing.Moment) -> None:
        autojump_clock.jump(0.04)
        shown.append((trio.current_time() - start, moment.tick))
        hear(projector, moment)

    monkeypatch.setattr(playing.Projector, "show", slowly)
    shown: list[tuple[float, int]] = []
    start = trio.current_time()
    await replay_on(LiveScreen(), film(2))
    assert len(shown) > 100
    assert all(0 <= when - tick / 40 < 0.1 for when, tick in shown)


async def test_a_picture_has_the_players_the_title_and_in_the_end_the_verdict(
    autojump_clock: MockClock,
) -> None:
    screen, seconds = await watched(film(2))
    scene = screen.at(15)
    assert scene.title == "replay theroom2.1  round 1  2x"
    assert {side: (one.name, one.note) for side, one in scene.players.items()} == {
        "a": ("Ada", "Candle Tide"),
        "b": ("Bob", "Choir of No Hands"),
    }
    assert 580 < scene.tick <= 600
    assert (bool(scene.units), scene.status) == (True, "Ctrl-C ends it")
    last = screen.at(seconds)
    assert last.tick == LAST_TICK
    assert last.told[-1].text == "the battle is a draw by timeout"
    assert last.status.startswith("round 1 is a draw by timeout after 60.0 s; 0 to 0; holds: ")
    assert [line[:8] for line in screen.kept] == ["round 1:", "round 1 ", "  holds:"]


async def test_from_later_on_what_lies_before_is_there_at_once(autojump_clock: MockClock) -> None:
    screen, seconds = await watched(film(2, 30))
    assert seconds == pytest.approx(15 + LAST_PICTURE_SECONDS)
    _, first = screen.seen[0]
    assert 580 <= first.tick <= 600
    assert first.units
    assert 0 < first.told[0].tick < first.told[-1].tick <= 600


async def test_from_past_the_end_on_the_end_is_shown(autojump_clock: MockClock) -> None:
    screen, seconds = await watched(film(1, 1000))
    assert seconds == pytest.approx(LAST_PICTURE_SECONDS)
    assert screen.at(seconds).tick == LAST_TICK


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


async def test_a_battle_of_which_nothing_is_kept_keeps_nobody_waiting(
    autojump_clock: MockClock,
) -> None:
    def fail(value: dict[str, Any]) -> None:
        value["result"] |= {"tick": 900, "digest": None, "reason": "void", "winner": None}
        value["log"].clear()

    start = trio.current_time()
    await replay_on(LiveScreen(), film(1, 0, fail))
    assert trio.current_time() - start - LAST_PICTURE_SECONDS <= 1


async def test_where_the_output_is_no_terminal_nothing_waits(
    autojump_clock: MockClock, capsys: pytest.CaptureFixture[str]
) -> None:
    start = trio.current_time()
    await replay_on(PlainScreen(), film(0.25))
    assert trio.current_time() == start
    assert len(capsys.readouterr().out.splitlines()) > 50


async def test_it_can_be_ended_while_it_is_shown_and_while_it_is_printed(
    autojump_clock: MockClock,
) -> None:
    with trio.move_on_after(7) as shown:
        await replay_on(LiveScreen(), film())
    with trio.CancelScope() as printed:
        printed.cancel()
        await replay_on(PlainScreen(), film())
    assert shown.cancelled_caught
    assert printed.cancelled_caught


def test_every_moment_is_there_once_and_in_order() -> None:
    replay = decode(whole())
    moments = film().moments
    ticks = [moment.tick for moment in moments]
    assert ticks == sorted(ticks)
    frames = sum(map(len, retell(replay, base_catalog())))
    assert sum(len(moment.said) for moment in moments) == 1 + frames + 1
    assert isinstance(moments[-1].said[0], Result)


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
