"""Options that would be passed over are refused, with what they go with."""

from __future__ import annotations

from typing import Any

import pytest
from typer.testing import CliRunner

from server.cli.app import app
from server.cli.output import AT_FAULT
from server.cli.play import Game

Called = list[Any]


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> Called:
    """What `play` and `load` were called with."""
    found: Called = []

    def take(wanted: object, **_: object) -> int:
        found.append(wanted)
        return 0

    monkeypatch.setattr("server.cli.play.play", take)
    monkeypatch.setattr("server.load.command.load", take)
    monkeypatch.delenv("PHYLACTERY_KEY", raising=False)
    return found


def refusal(*words: str, env: dict[str, str] | None = None) -> str:
    result = CliRunner().invoke(app, words, env={"COLUMNS": "200", **(env or {})})
    assert result.exit_code == AT_FAULT, result.output
    return " ".join(result.output.split())


@pytest.mark.parametrize("way", [(), ("--quick",), ("--room", "k3f9x2")])
@pytest.mark.parametrize(
    "option", [("--private",), ("--best-of", "3"), ("--best-of", "5"), ("--speed", "1")]
)
def test_what_only_a_new_room_has_is_refused_elsewhere(
    called: Called, way: tuple[str, ...], option: tuple[str, ...]
) -> None:
    assert f"{option[0]} goes with --create" in refusal("play", "red-kennel", *way, *option)
    assert not called


@pytest.mark.parametrize("way", [(), ("--quick",)])
def test_a_key_is_refused_where_no_room_asks_for_one(called: Called, way: tuple[str, ...]) -> None:
    sentence = "--key (PHYLACTERY_KEY) goes with --create or --room"
    assert sentence in refusal("play", "red-kennel", *way, "--key", "four candles")
    assert sentence in refusal("play", "red-kennel", *way, env={"PHYLACTERY_KEY": "four"})
    assert not called


def test_everything_that_goes_with_another_way_is_named_at_once(called: Called) -> None:
    said = refusal("play", "x", "--private", "--key", "four", "--speed", "2", "--best-of", "1")
    assert all(f"--{word}" in said for word in ("private", "key", "speed", "best-of"))
    assert not called


def test_a_room_of_ones_own_is_offered_no_stored_board(called: Called) -> None:
    assert "--yes goes with --quick or --room" in refusal("play", "x", "--create", "--yes")
    assert not called


@pytest.mark.parametrize(
    "ways", [("--create", "--quick"), ("--room", "x", "--quick"), ("--create", "--room", "x")]
)
def test_there_is_one_way_into_a_room(called: Called, ways: tuple[str, ...]) -> None:
    assert "choose one" in refusal("play", "red-kennel", *ways)
    assert not called


def test_nobody_reads_slowly_where_there_are_no_spectators(called: Called) -> None:
    said = refusal("load", "ws://127.0.0.1:1", "--slow", "--spectators", "0")
    assert "--slow goes with --spectators" in said
    assert not called


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--create",), {"way": "create", "best_of": 3, "speed": 1, "key": None}),
        (
            ("--create", "--private", "--key", "four", "--best-of", "5", "--speed", "2"),
            {"private": True, "key": "four", "best_of": 5, "speed": 2},
        ),
        (("--room", "x", "--key", "four", "--yes"), {"way": "join", "key": "four", "yes": True}),
        (("--yes",), {"way": "quick", "yes": True}),
    ],
)
def test_what_goes_together_is_taken(
    called: Called, words: tuple[str, ...], expected: dict[str, object]
) -> None:
    result = CliRunner().invoke(app, ["play", "red-kennel", *words])
    assert result.exit_code == 0, result.output
    (game,) = called
    assert isinstance(game, Game)
    assert {name: getattr(game, name) for name in expected} == expected
