"""Logs: readable on a terminal, JSON otherwise."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog
from trio.testing import MockClock

from protocol.messages import Leave, Result
from server.log import _LIBRARIES, set_up_logging
from tests.server.visitors import get_ready, open_world


class Full(io.StringIO):
    def write(self, _: str) -> int:
        raise OSError("no space left on device")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = structlog.get_config()
    yield
    structlog.configure(**before)
    logging.getLogger().removeHandler(_LIBRARIES)


def test_json_where_no_terminal_is() -> None:
    out = io.StringIO()
    set_up_logging("info", out)
    structlog.get_logger().info("room opens", room="k3f9x2", name="Ada\n\x1b[2J")
    (line,) = out.getvalue().splitlines()
    said = json.loads(line)
    assert (said["event"], said["room"], said["level"]) == ("room opens", "k3f9x2", "info")
    assert said["timestamp"].endswith("Z")


def test_a_failure_carries_what_it_takes_to_find_it() -> None:
    out = io.StringIO()
    set_up_logging("info", out)
    try:
        json.loads("{")
    except json.JSONDecodeError:
        structlog.get_logger().exception("battle failed", error_id="ab12")
    said = json.loads(out.getvalue())
    assert said["error_id"] == "ab12"
    assert said["exception"][0]["exc_type"] == "JSONDecodeError"


def test_words_on_a_terminal() -> None:
    out = Terminal()
    set_up_logging("info", out)
    structlog.get_logger().info("room opens", room="k3f9x2")
    assert "room opens" in out.getvalue()
    with pytest.raises(json.JSONDecodeError):
        json.loads(out.getvalue())


def test_levels() -> None:
    out = io.StringIO()
    set_up_logging("warning", out)
    structlog.get_logger().info("quiet")
    structlog.get_logger().warning("loud")
    assert "quiet" not in out.getvalue()
    assert "loud" in out.getvalue()
    with pytest.raises(ValueError, match="one of debug, info, warning, error"):
        set_up_logging("chatty")


@pytest.mark.parametrize("out", [io.StringIO(), Terminal()], ids=["JSON", "terminal"])
def test_a_failure_tells_nothing_of_the_values_it_failed_on(out: io.StringIO) -> None:
    set_up_logging("info", out)

    def fail(secret: str) -> None:
        raise ValueError(f"made to fail, {len(secret)}")

    try:
        fail("swordfish")
    except ValueError:
        structlog.get_logger().exception("battle failed")
    assert "made to fail" in out.getvalue()
    assert "swordfish" not in out.getvalue().replace('fail("swordfish")', "")


def test_a_line_that_cannot_be_written_is_lost() -> None:
    set_up_logging("info", Full())
    log = structlog.get_logger().bind(room="k3f9x2")
    log.info("room opens")
    try:
        json.loads("{")
    except json.JSONDecodeError:
        log.exception("battle failed")
    logging.getLogger("websockets.server").error("connection handler failed")


def test_a_value_that_is_no_text_is_written_all_the_same() -> None:
    out = io.StringIO()
    set_up_logging("info", out)
    structlog.get_logger().error("battle failed", file="faults\udcff/ab12.json", tick=1 << 70)
    assert json.loads(out.getvalue())["file"] == "faults\udcff/ab12.json"


def test_a_value_that_cannot_be_shown_makes_no_failure_of_its_own() -> None:
    class Odd:
        def __str__(self) -> str:
            raise ZeroDivisionError

    set_up_logging("info", io.StringIO())
    structlog.get_logger().info("room opens", room=Odd())


@pytest.mark.parametrize("level", [logging.ERROR, logging.ERROR + 5, 1000])
def test_what_libraries_log_is_a_line_like_any_other(level: int) -> None:
    out = io.StringIO()
    set_up_logging("info", out)
    set_up_logging("info", out)  # once is enough
    library = logging.getLogger("websockets.server")
    try:
        json.loads("{")
    except json.JSONDecodeError:
        library.log(level, "connection %s failed", "handler", exc_info=True)
    library.info("connection open")
    (line,) = out.getvalue().splitlines()
    said = json.loads(line)
    assert (said["event"], said["library"]) == ("connection handler failed", library.name)
    assert said["level"] == ("critical" if level == 1000 else "error")
    assert said["exception"][0]["exc_type"] == "JSONDecodeError"


async def test_a_room_that_closes_says_how_many_battles_it_saw(autojump_clock: MockClock) -> None:
    out = io.StringIO()
    set_up_logging("info", out)
    async with open_world() as world:
        ada, bob = await world.pair()
        await get_ready(ada, bob)
        await ada.hear_until(Result)
        await ada.hear_phase("building")  # of the second round, which never comes to a battle
        for player in (ada, bob):
            await player.say(Leave())
            await player.hear_end()
    said = [json.loads(line) for line in out.getvalue().splitlines()]
    (closes,) = (line for line in said if line["event"] == "room closes")
    assert closes["rounds"] == 1
