"""One cell of the board as a few lines of text: who stands there, and how they fare.

Every fact is said by its text or its shape; colour only says it again, so that a terminal without
colour loses nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from rich.text import Text

from engine import UnitState
from server.view.words import printable, seconds, tenths

FULL_CHARGE: Final = 1000  # 400.1

SIDE_STYLES: Final = {"a": "cyan", "b": "magenta"}


@dataclass(frozen=True)
class Glyphs:
    """The characters that pictures are drawn with."""

    full: str
    empty: str
    charged: str
    uncharged: str
    vessel: str
    no_vessel: str
    win: str
    dead: str
    rule: str
    bar: str
    middle: str
    more: str  # what is cut off


UNICODE: Final = Glyphs("█", "░", "━", "┄", "●", "○", "★", "†", "─", "│", "┃┃", "…")
ASCII: Final = Glyphs("#", ".", "=", "-", "o", "0", "*", "+", "-", "|", "||", ".")


def fit(text: Text, width: int) -> Text:
    """The text, cut to at most `width` cells."""
    text.truncate(max(width, 0), overflow="crop")
    return text


def cell_lines(
    unit: UnitState | None,
    tick: int,
    names: Mapping[str, str],
    width: int,
    height: int,
    glyphs: Glyphs,
) -> list[Text]:
    """`height` lines (4 or more), each exactly `width` cells wide."""
    if unit is None:
        lines = []
    elif unit.vitality > 0:
        lines = _living(unit, tick, names, width, glyphs)
    else:
        lines = _fallen(unit, tick, names, glyphs)
    lines = lines[:height] + [Text() for _ in range(height - len(lines))]
    return [_exactly(line, width) for line in lines]


def away_line(unit: UnitState, tick: int, names: Mapping[str, str]) -> Text:
    """One line for a unit that is to return to a cell that another now stands in."""
    name = printable(names.get(unit.id, unit.id))
    return Text(f"{name}: {_return(unit, tick)}", style=f"dim {SIDE_STYLES[unit.id[0]]}")


def _exactly(line: Text, width: int) -> Text:
    line.truncate(width, overflow="crop", pad=True)
    return line


def _living(
    unit: UnitState, tick: int, names: Mapping[str, str], width: int, glyphs: Glyphs
) -> list[Text]:
    return [
        _name_line(unit, names, width, glyphs),
        _vitality_line(unit, width, glyphs),
        _charge_line(unit, tick, width, glyphs),
        _numbers_line(unit),
        Text(" ".join([*unit.keywords, *unit.runes]), style="dim"),
    ]


def _fallen(unit: UnitState, tick: int, names: Mapping[str, str], glyphs: Glyphs) -> list[Text]:
    name = printable(names.get(unit.id, unit.id))
    fate = _return(unit, tick) if unit.return_due is not None else "dead"
    return [Text(f"{glyphs.dead} {name}", style="dim"), Text(fate, style="dim italic")]


def _return(unit: UnitState, tick: int) -> str:
    due = unit.return_due or 0
    return f"returns in {seconds(due - tick)}" if due > tick else "waits for a cell"


def _name_line(unit: UnitState, names: Mapping[str, str], width: int, glyphs: Glyphs) -> Text:
    """The name, and at the right the Vessels and the points toward the next."""
    vessels = _vessels(unit, glyphs)
    name = printable(names.get(unit.id, unit.id))
    room = width - len(vessels) - (1 if vessels else 0)
    if len(name) > room:
        name = name[: max(room - 1, 0)] + glyphs.more
    text = Text(name, style=f"bold {SIDE_STYLES[unit.id[0]]}")
    text.append(" " * (width - text.cell_len - len(vessels)))
    text.append(vessels, style="yellow")
    return text


def _vessels(unit: UnitState, glyphs: Glyphs) -> str:
    held = glyphs.vessel * unit.vessels
    if not held and "phylactery" in unit.keywords:
        held = glyphs.no_vessel
    return held + (f"+{unit.progress}" if unit.progress else "")


def _vitality_line(unit: UnitState, width: int, glyphs: Glyphs) -> Text:
    numbers = f" {unit.vitality}/{unit.max_vitality}"
    part = unit.vitality / unit.max_vitality
    style = "green" if part > 0.5 else "yellow" if part > 0.25 else "red"
    text = Text(_gauge(part, width - len(numbers), glyphs.full, glyphs.empty), style=style)
    return text.append(numbers, style="default")


def _charge_line(unit: UnitState, tick: int, width: int, glyphs: Glyphs) -> Text:
    """The Charge as a thin bar, and the statuses at its right."""
    statuses = " ".join(_statuses(unit, tick))
    room = width - len(statuses) - (1 if statuses else 0)
    text = Text(
        _gauge(unit.charge / FULL_CHARGE, room, glyphs.charged, glyphs.uncharged), style="blue"
    )
    return text.append(f" {statuses}" if statuses else "", style="bold red")


def _statuses(unit: UnitState, tick: int) -> list[str]:
    found = []
    if unit.dread:
        found.append(f"D{unit.dread}")
    if unit.burn:
        found.append(f"B{unit.burn}")
    if unit.frozen_until is not None:
        found.append(f"F{tenths(max(unit.frozen_until - tick, 0))}")
    return found


def _numbers_line(unit: UnitState) -> Text:
    """Power and Speed; Armor and Ward where there are any."""
    text = Text(f"P{unit.power} S{unit.speed}")
    text.append(f"+{unit.quickened}" if unit.quickened else "", style="bold")
    text.append(f" A{unit.armor}" if unit.armor else "")
    text.append(f" W{unit.ward}" if unit.ward else "", style="bold")
    return text


def _gauge(part: float, width: int, full: str, empty: str) -> str:
    """A bar of `width` cells. Anything above nothing shows; only the whole fills it."""
    width = max(width, 0)
    filled = min(int(part * width), width)
    if part > 0 and width:
        filled = max(filled, 1)
    return full * filled + empty * (width - filled)
