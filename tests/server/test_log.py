"""Logs: readable on a terminal, JSON otherwise."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator

import pytest
import structlog

from server.log import set_up_logging


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = structlog.get_config()
    yield
    structlog.configure(**before)


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
