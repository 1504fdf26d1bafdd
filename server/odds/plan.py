"""What is to be fought: plain data, which goes to every process that fights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from typing import Final, NamedTuple

from engine import Board, Catalog, Refused, Rules, base_catalog, read_board, read_catalog

# Battles that a process is handed at once: some tenth of a second's work.
PIECE: Final = 100


class Plan(NamedTuple):
    """`boards` by their names, as `read_board` takes them; `change`, as `read_catalog` does, is
    what is to be tried: everything is then fought with the catalog as it is, and with it.

    `closely`: what each unit does is looked at, which takes twice as long.
    """

    seed: str
    boards: Mapping[str, dict[str, object]]
    change: object = None
    closely: bool = False


class Pairing(NamedTuple):
    """Some battles between two boards, from a number on."""

    a: str
    b: str
    first: int
    battles: int


class Draws(NamedTuple):
    """Some battles between boards that are drawn, from a number on."""

    first: int
    battles: int


def pieces(battles: int) -> Iterator[Draws]:
    """So many battles in pieces."""
    for first in range(0, battles, PIECE):
        yield Draws(first, min(PIECE, battles - first))


def pairings(names: Sequence[str], battles: int) -> list[Pairing]:
    """Each board against each other one, so many battles each."""
    return [Pairing(a, b, *piece) for a, b in combinations(names, 2) for piece in pieces(battles)]


class Grounds:
    """Where a plan is fought: with the catalog as it is; and, if there is a change, with it."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.rules = Rules()
        self.catalogs = [base_catalog()]
        if plan.change is not None:
            self.catalogs.append(read_catalog(plan.change, base_catalog()))
        self._boards = [
            {name: self._legal(board, catalog) for name, board in plan.boards.items()}
            for catalog in self.catalogs
        ]

    def _legal(self, board: dict[str, object], catalog: Catalog) -> Board | None:
        with suppress(Refused):
            return read_board(board, catalog, self.rules)
        return None

    def boards(self, a: str, b: str) -> list[tuple[Board, Board] | None]:
        """Both boards, for each catalog; None where it does not have one of them."""
        found: list[tuple[Board, Board] | None] = []
        for boards in self._boards:
            first, second = boards[a], boards[b]
            found.append(None if first is None or second is None else (first, second))
        return found
