"""Finds the boards that are to fight: those that were named, and the samples beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from engine import Board, Fault, Refused, read_board, sample_boards
from server.cli.board import NamedBoard, find_board
from server.cli.output import print_faults, remark
from server.odds.change import World, as_it_is

# By what they are called.
Boards = dict[str, dict[str, object]]


def find_entrants(texts: Sequence[str], world: World) -> Boards | None:
    """The boards that were named, where there are fewer than two with the samples; None, and every
    fault said, where one is not legal in this world. A sample that nobody named is then left out,
    and said to be."""
    found: Boards = {}
    faulty = False
    for text in texts:
        try:
            _enter(find_board(text, *world), found)
        except Refused as refused:
            print_faults(text, _because_of_change(text, refused.faults))
            faulty = True
    if faulty:
        return None
    others = sorted(sample_boards()) if len(texts) < 2 else []
    for name in (name for name in others if name not in texts):
        try:
            _enter(find_board(name, *world), found)
        except Refused as refused:
            reasons = "; ".join(map(str, refused.faults))
            remark(f"{name} is left out: it is not legal with the change ({reasons})")
    return found


def legal(boards: Mapping[str, object], world: World) -> list[Board]:
    """The boards as they are read."""
    return [read_board(board, *world) for board in boards.values()]


def are_legal(boards: Mapping[str, object], world: World) -> bool:
    """Whether all of them are."""
    with suppress(Refused):
        legal(boards, world)
        return True
    return False


def _because_of_change(text: str, faults: Iterable[Fault]) -> Iterable[Fault]:
    """The faults, and that the change makes them such if it does."""
    with suppress(Refused):
        find_board(text, *as_it_is())
        return [Fault(fault.path, f"{fault.message}, with the change") for fault in faults]
    return faults


def _enter(board: NamedBoard, found: Boards) -> None:
    """Under its name, or with a number behind it, if another has that."""
    number, name = 1, board.name
    while name in found:
        number += 1
        name = f"{board.name} ({number})"
    found[name] = board.board
