"""Tables at any width: nothing is cut off, and no number is broken."""

from __future__ import annotations

import errno
import io
import json
import re
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

from server.cli.app import app
from server.odds.sheets import Sheet, show

STRONGER = """
[[card]]
id = "gutter-cur"
name = "Gutter Cur"
price = 7
vitality = 200
power = 90
speed = 60
"""
NUMBER = re.compile(r"[-+±]?\d[\d,]*\.?\d*")


def told(width: int | None, monkeypatch: pytest.MonkeyPatch, sheet: Sheet) -> list[str]:
    monkeypatch.delenv("COLUMNS", raising=False)
    if width:
        monkeypatch.setenv("COLUMNS", str(width))
    return [line.rstrip() for line in show([sheet]).decode().splitlines()]


def sheet(columns: int) -> Sheet:
    made = Sheet("Title of the table", ["", *(f"head {n}" for n in range(columns))])
    made.add("The Twice-Buried", *(f"{n * 11}.5 (-1{n}.5 ±0.{n})" for n in range(columns)))
    return made


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120, None])
def test_no_number_is_cut_off_or_broken(width: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    made = sheet(6)
    lines = told(width, monkeypatch, made)
    expected = [word for cell in made.rows[0] for word in cell.plain.split()]
    said = " ".join(lines).split()
    assert all(said.count(word) >= expected.count(word) for word in expected)
    assert "…" not in "".join(lines)
    if width:
        assert max(map(cell_len, lines)) <= width


def test_where_there_is_no_terminal_each_row_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = told(None, monkeypatch, sheet(30))
    (row,) = [line for line in lines if "The Twice-Buried" in line]
    assert "319.5 (-129.5 ±0.29)" in row


class Full(io.StringIO):
    """As a full disk is, to which not even nothing can be written."""

    def write(self, _: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_nothing_is_written_before_the_tables_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Full())
    assert "The Twice-Buried" in "\n".join(told(None, monkeypatch, sheet(2)))
    monkeypatch.setattr(sys, "stdout", None)
    assert "The Twice-Buried" in "\n".join(told(None, monkeypatch, sheet(2)))


def test_where_a_table_is_too_narrow_each_row_is_a_paragraph(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = told(30, monkeypatch, sheet(6))
    assert "The Twice-Buried" in lines
    assert "  head 2: 22.5 (-12.5 ±0.2)" in lines


@pytest.mark.parametrize("boards", [("red-kennel", "full-barrow"), ("red-kennel",), ()])
def test_what_odds_says_is_the_same_at_any_width(boards: tuple[str, ...], tmp_path: Path) -> None:
    change = tmp_path / "change.toml"
    change.write_text(STRONGER)
    words = ("odds", *boards, "--change", str(change), "--battles", "1", "--processes", "1")
    found = {}
    for width in ("40", "60", "80", "120", "1000"):
        result = CliRunner().invoke(app, words, env={"COLUMNS": width})
        assert result.exit_code == 0
        assert "…" not in result.stdout
        assert max(map(cell_len, result.stdout.splitlines())) <= int(width)
        found[width] = sorted(NUMBER.findall(result.stdout))
    assert "±" in result.stdout
    numbers = found.pop("1000")
    assert all(json.dumps(one) == json.dumps(numbers) for one in found.values())
