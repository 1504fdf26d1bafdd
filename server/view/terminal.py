"""A battle as a picture for the terminal: two board halves, their fronts facing, and what was told.

A picture is a pure function of a `Scene` and of the room there is for it; nothing here reads a
clock, a socket or a terminal. What a unit's cell shows is decided in `terminal_cell`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from engine import UnitState
from server.view.cell import ASCII, SIDE_STYLES, UNICODE, Glyphs, away_line, cell_lines, fit
from server.view.words import Told, printable, seconds

ROW: Final = 4  # cells in a row (200.1)

# Below this a grid of four columns says less than a list does.
GRID_WIDTH: Final = 56
GRID_HEIGHT: Final = 20
# From here on there is room for what is told beside the board.
WIDE: Final = 140
TOLD_WIDTH: Final = 58
BOARD_WIDTH_WHEN_WIDE: Final = 120


@dataclass(frozen=True)
class Player:
    """One side's player, as the heading names them."""

    name: str
    wins: int = 0
    note: str = ""  # "ready", "away", ...


@dataclass(frozen=True)
class Scene:
    """Everything a picture is made from."""

    title: str
    players: Mapping[str, Player] = field(default_factory=dict)  # by side
    tick: int = -1  # -1: no battle yet
    units: Sequence[UnitState] = ()
    names: Mapping[str, str] = field(default_factory=dict)  # by unit id, as `words.unit_names`
    told: Sequence[Told] = ()  # oldest first
    notices: Sequence[str] = ()  # to be read while there is no battle; oldest first
    status: str = ""


class Picture:
    """The scene as a rich renderable: as tall and wide as it is given room for."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = options.height or console.height
        glyphs = ASCII if options.ascii_only else UNICODE
        yield from draw(self.scene, options.max_width, height, glyphs)


def draw(scene: Scene, width: int, height: int, glyphs: Glyphs = UNICODE) -> list[Text]:
    """The scene's lines: at most `height`, each at most `width` cells wide."""
    head = _head(scene, width, glyphs)
    foot = [fit(Text(scene.status, style="italic"), width)] if scene.status else []
    room = max(height - len(head) - len(foot), 0)
    if not scene.units:
        body = _notices(scene, width, room)
    elif width < GRID_WIDTH or height < GRID_HEIGHT:
        body = _listed(scene, width, room, glyphs)
    elif width >= WIDE:
        body = _side_by_side(scene, width, room, glyphs)
    else:
        body = _stacked(scene, width, room, glyphs)
    filling = [Text() for _ in range(room - len(body))]  # the status stands on the last line
    return (head + body[:room] + filling + foot)[:height]


def _head(scene: Scene, width: int, glyphs: Glyphs) -> list[Text]:
    clock = f"tick {scene.tick}  {seconds(scene.tick)}" if scene.tick >= 0 else ""
    return [
        _apart(Text(printable(scene.title), style="bold"), Text(clock), width),
        _apart(_player(scene, "a", glyphs), _player(scene, "b", glyphs), width),
    ]


def _player(scene: Scene, side: str, glyphs: Glyphs) -> Text:
    player = scene.players.get(side)
    if player is None:
        return Text("(free)", style="dim")
    text = Text(printable(player.name), style=f"bold {SIDE_STYLES[side]}")
    text.append(f" {glyphs.win * player.wins}" if player.wins else "")
    text.append(f" ({printable(player.note)})" if player.note else "", style="not bold")
    return text


def _apart(left: Text, right: Text, width: int) -> Text:
    """Both ends of a line; where they do not fit together, the right one gives way."""
    right = fit(right, max(width - left.cell_len - 1, 0))
    left = fit(left, max(width - right.cell_len, 0))
    return Text.assemble(left, " " * (width - left.cell_len - right.cell_len), right)


def _notices(scene: Scene, width: int, room: int) -> list[Text]:
    """Before there are units to be seen: what was said last, under a blank line."""
    lines = [Text(), *(fit(Text(printable(line)), width) for line in scene.notices)]
    return (lines + _told(scene, width, room))[-room:] if room else []


def _stacked(scene: Scene, width: int, room: int, glyphs: Glyphs) -> list[Text]:
    """The board, and below it what was told."""
    board = _board(scene, width, room, glyphs)
    lines = [*board, Text(glyphs.rule * width, style="dim")]
    return lines + _lower(scene, width, room - len(lines))


def _side_by_side(scene: Scene, width: int, room: int, glyphs: Glyphs) -> list[Text]:
    """The board, and to its right what was told."""
    board_width = min(width - TOLD_WIDTH, BOARD_WIDTH_WHEN_WIDE)
    board = _board(scene, board_width, room, glyphs)
    told = _lower(scene, width - board_width - 2, room)
    lines = []
    for index in range(max(len(board), len(told))):
        left = board[index] if index < len(board) else Text(" " * board_width)
        right = told[index] if index < len(told) else Text()
        lines.append(Text.assemble(left, (f"{glyphs.bar} ", "dim"), right))
    return lines


def _lower(scene: Scene, width: int, room: int) -> list[Text]:
    """Who is away from the board, and what was told last."""
    shown = {unit.id for unit in _standing(scene).values()}
    away = [u for u in scene.units if u.return_due is not None and u.id not in shown]
    lines = [fit(away_line(u, scene.tick, scene.names), width) for u in away][:room]
    return lines + _told(scene, width, room - len(lines))


def _told(scene: Scene, width: int, room: int) -> list[Text]:
    """The last of what was told; where there is little room, only what matters most."""
    if room <= 0:
        return []
    told = [one for one in scene.told if one.major or room >= 12]
    return [
        fit(Text(f"{seconds(max(one.tick, 0)):>7}  {one.text}", style=_told_style(one)), width)
        for one in told[-room:]
    ]


def _told_style(one: Told) -> str:
    styles = {"death": "red", "revival": "green", "vessel_spent": "yellow", "battle_end": "bold"}
    return styles.get(one.kind, "" if one.major else "dim")


def _standing(scene: Scene) -> dict[tuple[str, int], UnitState]:
    """Whom each cell shows: the living unit in it, else the one last built of those that fell."""
    cells: dict[tuple[str, int], UnitState] = {}
    for unit in scene.units:
        here = cells.get((unit.id[0], unit.cell))
        if here is None or unit.vitality > 0 or here.vitality <= 0:
            cells[unit.id[0], unit.cell] = unit
    return cells


def _board(scene: Scene, width: int, room: int, glyphs: Glyphs) -> list[Text]:
    """Four columns, a's back and front, b's front and back; four rows, as the columns of a half."""
    cells = _standing(scene)
    gaps = 4  # one between the columns of a half, two at the middle
    column = (width - gaps) // 4
    cell_height = 5 if room >= 4 * 5 + 6 else 4
    ruled = room >= 4 * (cell_height + 1) + 6
    lines: list[Text] = []
    for row in range(ROW):
        if ruled and row:
            lines.append(Text(glyphs.rule * (4 * column + gaps), style="dim"))
        order = (("a", row + ROW), ("a", row), ("b", row), ("b", row + ROW))
        blocks = [
            cell_lines(cells.get(place), scene.tick, scene.names, column, cell_height, glyphs)
            for place in order
        ]
        lines.extend(_row_line(parts, width, glyphs) for parts in zip(*blocks, strict=True))
    return lines


def _row_line(parts: Sequence[Text], width: int, glyphs: Glyphs) -> Text:
    bar, middle = (glyphs.bar, "dim"), (glyphs.middle, "dim")
    line = Text.assemble(parts[0], bar, parts[1], middle, parts[2], bar, parts[3])
    line.pad_right(max(width - line.cell_len, 0))
    return line


def _listed(scene: Scene, width: int, room: int, glyphs: Glyphs) -> list[Text]:
    """For a terminal too small for the board: a line for each living unit, then what was told."""
    lines = []
    for unit in scene.units:
        if unit.vitality > 0:
            text = Text(f"{unit.id:<3} ", style=SIDE_STYLES[unit.id[0]])
            text.append(f"{unit.vitality:>4}/{unit.max_vitality:<4} ", style="bold")
            text.append(f"{glyphs.vessel * unit.vessels} {scene.names.get(unit.id, unit.id)}")
            lines.append(fit(text, width))
    return lines[:room] + _told(scene, width, room - len(lines))
