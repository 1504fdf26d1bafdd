"""Replays made ready to be shown, changed as a test wants them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine import base_catalog
from server.cli.replay import Film, film_of
from tests.journal.test_replay import changed

Change = Callable[[dict[str, Any]], None]

LAST_TICK = 1200  # of the whole one, which is fought for 60 seconds


def film(speed: float = 1, from_seconds: float = 0, change: Change = lambda _: None) -> Film:
    return film_of(changed(change), base_catalog(), speed, from_seconds)


def other_rules(value: dict[str, Any]) -> None:
    value["catalog"] = "0" * 16


def other_winner(value: dict[str, Any]) -> None:
    value["result"] |= {"winner": "b", "wins": {"a": 0, "b": 1}}
