"""What is to be fought: plain data, which goes to every process that fights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from typing import Final, NamedTuple

from engine import Board, Refused, read_board
from server.odds.change import World, as_it_is, read_change

# Battles that a process is handed at once. Even with cards whose battles take a hundred times as
# long as others it then has something to show every few seconds.
PIECE: Final = 10


class Plan(NamedTuple):
    """`boards` by their names, as `read_board` takes them; `change`, as `read_change` does, is
    what is to be tried: everything is then fought with the world as it is, and with it.

    `closely`: what each unit does is looked at, which takes twice as long.
    """

    seed: str
    boards: Mapping[str, dict[str, object]]
    change: object = None
    closely: bool = False

    def seed_of(self, number: int) -> str:
        """A battle's, whoever fights it: two boards, or one before and after it was rebuilt, can be
        compared with the same dice against the same others."""
        return f"{self.seed} {number}"


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
    """Where a plan is fought: in the world as it is; and, if there is a change, with it."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.worlds = [as_it_is()]
        if plan.change is not None:
            self.worlds.append(read_change(plan.change))
        self._boards = [
            {name: _legal(board, world) for name, board in plan.boards.items()}
            for world in self.worlds
        ]

    def boards(self, a: str, b: str) -> list[tuple[Board, Board] | None]:
        """Both boards, for each world; None where it does not have one of them."""
        found: list[tuple[Board, Board] | None] = []
        for boards in self._boards:
            first, second = boards[a], boards[b]
            found.append(None if first is None or second is None else (first, second))
        return found


def _legal(board: dict[str, object], world: World) -> Board | None:
    with suppress(Refused):
        return read_board(board, world.catalog, world.rules)
    return None
