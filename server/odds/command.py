"""`phylactery odds` and `phylactery balance`: battles by the thousand, and what they say."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import Final, NamedTuple, TypeVar

import orjson

from engine import Refused, read_board
from server.cli.input import read_object
from server.cli.output import AT_FAULT, complain, print_faults, remark, write_out
from server.odds import objects, tables
from server.odds.change import World, as_it_is, difference, read_change
from server.odds.crew import work
from server.odds.entrants import are_legal, find_entrants, legal
from server.odds.fights import fight
from server.odds.plan import Draws, Grounds, Pairing, Plan, pairings, pieces
from server.odds.progress import progress
from server.odds.results import Tournament
from server.odds.sheets import Sheet, show
from server.odds.single import battle_file
from server.odds.worth import Weighed, weigh

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
    change: str | None = None  # a file
    processes: int = 0
    as_json: bool = False
    battle: int | None = None  # of two boards: print that one


def odds(texts: Sequence[str], wishes: Wishes) -> int:
    """Fights boards against each other, one against the sample boards, or those among themselves;
    gives the exit status."""
    try:
        change, world = _change(wishes)
    except Refused as refused:
        return print_faults(wishes.change or "", refused.faults)
    if (boards := find_entrants(texts, world)) is None:
        return AT_FAULT
    if len(boards) < 2:
        complain("there is no other board to fight")
        return AT_FAULT
    if wishes.change is not None:
        _tell_of(world, boards)
    plan = Plan(wishes.seed, boards, change, closely=len(boards) == 2)
    if wishes.battle is not None:
        return _print_battle(plan, wishes.battle)
    pairs = pairings(list(boards), wishes.battles or (OF_TWO if plan.closely else OF_EACH_PAIR))
    if alone := len(texts) == 1:
        pairs = [pair for pair in pairs if pair.a == next(iter(boards))]
    played = Tournament()
    if status := _fight(plan, pairs, fight, played.take, wishes):
        return status
    if wishes.as_json:
        return _write(wishes, objects.tournament(plan, world, played))
    return write_out(show(_odds(plan, world, played, alone=alone)))


def _print_battle(plan: Plan, number: int) -> int:
    if not plan.closely:
        complain("a single battle is one of two boards")
        return AT_FAULT
    try:
        file = battle_file(plan, number)
    except Refused as refused:
        complain(str(refused))
        return AT_FAULT
    return write_out(file)


def balance(wishes: Wishes) -> int:
    """Fights boards that are drawn at random, and weighs what is on them; gives the exit status."""
    weighed = Weighed()
    try:
        change, world = _change(wishes)
        if wishes.change is not None:
            remark(str(difference(world)))
        draws = list(pieces(wishes.battles or OF_DRAWN))
        plan = Plan(wishes.seed, {}, change)
        if status := _fight(plan, draws, weigh, weighed.take, wishes):
            return status
    except Refused as refused:  # the change; or with it nothing can be paid for
        return print_faults(wishes.change or "", refused.faults)
    if wishes.as_json:
        return _write(wishes, objects.balance(weighed))
    return write_out(show(tables.balance(world.catalog, weighed)))


def _change(wishes: Wishes) -> tuple[object, World]:
    """The change as its file has it, and the world with it. Raises `Refused`."""
    if wishes.change is None:
        return None, as_it_is()
    return read_object(wishes.change, lambda change: (change, read_change(change)))


def _tell_of(world: World, boards: dict[str, dict[str, object]]) -> None:
    """Says what is tried, and if nobody will notice."""
    tried = difference(world)
    remark(str(tried))
    # A board that only the change makes legal has nothing without it that could be the same.
    if are_legal(boards, as_it_is()) and not tried.touches(legal(boards, world), world):
        remark("no board here has anything of it: with it and without, all is the same")


def _fight(
    plan: Plan,
    pieces: Sequence[Piece],
    do: Callable[[Grounds, Piece], Found],
    take: Callable[[Piece, Found], None],
    wishes: Wishes,
) -> int:
    """Has everything fought, and says how far it has come; gives the exit status."""
    processes = min(wishes.processes or os.cpu_count() or 1, len(pieces))
    with progress(sum(piece.battles for piece in pieces)) as advance:
        try:
            found = work(plan, pieces, do, processes)
            for piece, one in zip(pieces, found, strict=True):
                take(piece, one)
                advance(piece.battles)
        except BrokenProcessPool:
            return complain("a process that fought battles came to an end by itself")
    return 0


def _odds(plan: Plan, world: World, played: Tournament, *, alone: bool) -> Iterator[Sheet]:
    names = list(plan.boards)
    if not plan.closely:
        yield (
            tables.against(names[0], names[1:], played)
            if alone
            else tables.tournament(names, played)
        )
        return
    (((a, b), fought),) = played.pairs.items()
    yield tables.duel(a, b, fought)
    for side, name in enumerate(names):
        board = read_board(plan.boards[name], *world)
        yield tables.deeds(name, board, world.catalog, side, fought)


def _write(wishes: Wishes, found: dict[str, object]) -> int:
    whole = {"seed": wishes.seed, "change": wishes.change, **found}
    return write_out(orjson.dumps(whole, option=orjson.OPT_INDENT_2) + b"\n")
