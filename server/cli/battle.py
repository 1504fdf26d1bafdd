"""`phylactery battle` and `phylactery validate`: a file in, a log or a verdict out.

These start thousands of times in a batch, so this module and what it imports know the engine and
nothing of network or terminal.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine import (
    Battle,
    Board,
    Catalog,
    Fault,
    Refused,
    Setup,
    base_catalog,
    read_battle,
)
from server.cli.board import read_board_of_a_file
from server.cli.input import STDIN, read_object
from server.cli.kinds import expect, kind_of
from server.cli.output import print_faults, write_out
from server.odds.change import World, as_it_is, read_change
from server.watchdog import let_signals_in


def battle(file: str) -> int:
    """Fights the battle of a file and writes its log; gives the exit status.

    Nothing is written before the battle is over: what is written is a whole log.
    """
    try:
        setup = read_object(file, _setup)
    except Refused as refused:
        return print_faults(_called(file), refused.faults)
    fought = Battle(setup, pulse=let_signals_in)  # Ctrl-C
    while not fought.over:
        fought.step()
    return write_out(fought.log())


def _setup(value: object) -> Setup:
    return read_battle(expect("battle", value), base_catalog())


def validate(files: Iterable[str], change: str | None = None) -> int:
    """Says of each file what it is, or everything that is wrong with it; gives the exit status.

    With a change, the file of a catalog, boards and catalogs may speak of what is in it too.
    """
    world = as_it_is()
    if change is not None:
        try:
            world = read_object(change, read_change)
        except Refused as refused:
            return print_faults(_called(change), refused.faults)
    return max([_validate_one(file, world) for file in files], default=0)


def _validate_one(file: str, world: World) -> int:
    try:
        verdict = read_object(file, lambda value: describe(value, world))
    except Refused as refused:
        return print_faults(_called(file), refused.faults)
    return write_out(f"{_called(file)}: {verdict}\n".encode(errors="backslashreplace"))


def _called(file: str) -> str:
    return "standard input" if file == STDIN else file


def describe(value: object, world: World | None = None) -> str:
    """What a parsed file holds, in a line: a battle, a board or a catalog, told by its keys.

    Boards and catalogs are judged in this world, or in that which is; a battle, which is fought as
    it stands, in that alone. Raises `Refused`, with every fault.
    """
    world = world or as_it_is()
    if not isinstance(value, dict):
        raise Refused([Fault("", "must be an object: a board, a battle or a catalog")])
    match kind_of(value):
        case "battle":
            return _describe_battle(value)
        case "board":
            return _describe_board(value, world)
        case "catalog":
            return _describe_catalog(value, world)
        case None:
            raise Refused(
                [
                    Fault(
                        "",
                        "neither a board (it would have units), nor a battle (boards),"
                        " nor a catalog (cards, runes, resonances, prices or rules)",
                    )
                ]
            )


def _describe_battle(value: dict[str, object]) -> str:
    setup = read_battle(value, base_catalog())
    a, b = (f"{len(board.units)} units" for board in setup.boards)
    return f"a battle, {a} against {b}, with the seed {setup.seed!r}"


def _describe_board(value: dict[str, object], world: World) -> str:
    catalog, rules = world
    board = read_board_of_a_file(value, catalog, rules)
    name = f' "{value["name"]}"' if value.get("name") else ""
    price = f"{board.price(catalog)} of {rules.scrip_budget} Scrip"
    return f"a board{name} for {price}: {', '.join(_unit_names(board, catalog))}"


def _unit_names(board: Board, catalog: Catalog) -> list[str]:
    return [catalog.cards[unit.card].name or unit.card for unit in board.units]


def _describe_catalog(value: dict[str, object], world: World) -> str:
    """A catalog may speak of another, so it is read as an addition to that; with rules it is what
    `odds` tries."""
    read_change(value, world)
    counts = []
    for one, many in (("card", "cards"), ("rune", "runes"), ("resonance", "resonances")):
        count = sum(len(items) for key in (one, many) if isinstance(items := value.get(key), list))
        if count:
            counts.append(f"{count} {one if count == 1 else many}")
    counts += [name for name in ("prices", "rules") if name in value]
    return f"a catalog of {', '.join(counts) or 'nothing'}"
