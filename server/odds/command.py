"""`phylactery odds` and `phylactery balance`: battles by the thousand, and what they say."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import Final, NamedTuple, TypeVar

import orjson
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from engine import Catalog, Refused, Rules, base_catalog, read_board, read_catalog, sample_boards
from server.cli.board import find_board
from server.cli.input import read_object
from server.cli.kinds import expect
from server.cli.output import AT_FAULT, complain, print_faults, write_out
from server.odds import tables
from server.odds.crew import work
from server.odds.fights import fight
from server.odds.plan import Draws, Grounds, Pairing, Plan, pairings, pieces
from server.odds.results import Tournament, Weighing
from server.odds.worth import weigh

# Where it is not said how many battles.
OF_TWO: Final = 1000
OF_EACH_PAIR: Final = 200
OF_DRAWN: Final = 4000

Piece = TypeVar("Piece", Pairing, Draws)
Found = TypeVar("Found")


class Wishes(NamedTuple):
    """What was asked for. 0 battles: as many as is usual; 0 processes: one for each core."""

    battles: int = 0
    seed: str = "odds"
    change: str | None = None  # a catalog's file
    processes: int = 0
    as_json: bool = False


def odds(texts: Sequence[str], wishes: Wishes) -> int:
    """Fights boards against each other, one against the sample boards, or those among themselves;
    gives the exit status."""
    try:
        change, catalog = _change(wishes)
    except Refused as refused:
        return print_faults(wishes.change or "", refused.faults)
    samples = [name for name in sorted(sample_boards()) if name not in texts]
    wanted = texts if len(texts) > 1 else [*texts, *samples]
    if (boards := _find_all(wanted, catalog)) is None:
        return AT_FAULT
    plan = Plan(wishes.seed, boards, change, closely=len(boards) == 2)
    pairs = pairings(list(boards), wishes.battles or (OF_TWO if plan.closely else OF_EACH_PAIR))
    if alone := len(texts) == 1:
        pairs = [pair for pair in pairs if pair.a == next(iter(boards))]
    tournament = Tournament()
    if status := _fight(plan, pairs, fight, tournament.take, wishes):
        return status
    if wishes.as_json:
        return _write(wishes, tournament.to_object())
    return _show(_odds(plan, catalog, tournament, alone=alone))


def balance(wishes: Wishes) -> int:
    """Fights boards that are drawn at random, and weighs what is on them; gives the exit status."""
    weighing = Weighing()
    try:
        change, catalog = _change(wishes)
        draws = list(pieces(wishes.battles or OF_DRAWN))
        plan = Plan(wishes.seed, {}, change)
        if status := _fight(plan, draws, weigh, weighing.take, wishes):
            return status
    except Refused as refused:  # the change; or with it nothing can be paid for
        return print_faults(wishes.change or "", refused.faults)
    if wishes.as_json:
        return _write(wishes, weighing.to_object())
    return _show(tables.balance(catalog, weighing.worths))


def _change(wishes: Wishes) -> tuple[object, Catalog]:
    """The change as its file has it, and the catalog with it. Raises `Refused`."""
    if wishes.change is None:
        return None, base_catalog()
    return read_object(wishes.change, _with_base)


def _with_base(change: object) -> tuple[object, Catalog]:
    return change, read_catalog(expect("catalog", change), base_catalog())


def _find_all(texts: Iterable[str], catalog: Catalog) -> dict[str, dict[str, object]] | None:
    """The boards by what they are called; None, and every fault said, where one is not legal."""
    found: dict[str, dict[str, object]] = {}
    faulty = False
    for text in texts:
        try:
            board = find_board(text, catalog)
        except Refused as refused:
            print_faults(text, refused.faults)
            faulty = True
        else:
            found[_apart(board.name, found)] = board.board
    return None if faulty else found


def _apart(name: str, others: Iterable[str]) -> str:
    """The name, or with a number behind it, if another has it."""
    others, number, apart = set(others), 1, name
    while apart in others:
        number += 1
        apart = f"{name} ({number})"
    return apart


def _fight(
    plan: Plan,
    pieces: Sequence[Piece],
    do: Callable[[Grounds, Piece], Found],
    take: Callable[[Piece, Found], None],
    wishes: Wishes,
) -> int:
    """Has everything fought, with a bar on standard error; gives the exit status."""
    processes = min(wishes.processes or os.cpu_count() or 1, len(pieces))
    columns = (TextColumn("battles"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    quiet = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=quiet) as bar:
        task = bar.add_task("", total=sum(piece.battles for piece in pieces))
        try:
            found = work(plan, pieces, do, processes)
            for piece, one in zip(pieces, found, strict=True):
                take(piece, one)
                bar.advance(task, piece.battles)
        except BrokenProcessPool:
            return complain("a process that fought battles came to an end by itself")
    return 0


def _odds(plan: Plan, catalog: Catalog, tournament: Tournament, *, alone: bool) -> Iterator[Table]:
    names = list(plan.boards)
    if alone:
        yield tables.against(names[0], names[1:], tournament.pairs)
        return
    if not plan.closely:
        yield tables.tournament(names, tournament.pairs)
        return
    (((a, b), fought),) = tournament.pairs.items()
    yield tables.duel(a, b, fought)
    for side, name in enumerate(names):
        board = read_board(plan.boards[name], catalog, Rules())
        yield tables.deeds(name, board, catalog, side, fought)


def _show(found: Iterable[Table]) -> int:
    console = Console()
    with console.capture() as captured:
        for table in found:
            console.print(table)
    return write_out(captured.get().encode(console.encoding, "replace"))


def _write(wishes: Wishes, found: dict[str, object]) -> int:
    whole = {"seed": wishes.seed, "change": wishes.change, **found}
    return write_out(orjson.dumps(whole, option=orjson.OPT_INDENT_2) + b"\n")
