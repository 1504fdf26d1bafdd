"""The boards that may be fought when their owners are not there.

Every board that fought is kept, the sample boards from the start, so that there is always one. A
stored board is a frozen copy: nothing that happens to it happens to its owner.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
from typing import Protocol

from engine import Board, Catalog, Refused, Rules, read_board, sample_boards
from server.commands import Stored
from server.metrics import Metrics


class BoardStore(Protocol):
    """Where boards are kept."""

    def keep(self, name: str, board: Board) -> str | None:
        """Keeps a copy under the name of who fought with it; the id of the one that is dropped for
        it, if there is one."""

    def pick(self) -> Stored | None:
        """Any one of those that are kept; None where there is none."""


class MemoryBoards:
    """Keeps the newest boards, and the samples, for as long as the process runs. Of one player no
    more than some: whoever fights most is not all there is to fight."""

    def __init__(
        self,
        most: int,
        chance: random.Random,
        most_of_one: int = 1 << 30,
        metrics: Metrics | None = None,
    ) -> None:
        self._metrics = metrics or Metrics()
        self._most = most
        self._most_of_one = most_of_one
        self._chance = chance
        self._boards: dict[str, Stored] = {}
        self._samples: set[str] = set()

    def add_samples(self, catalog: Catalog, rules: Rules) -> None:
        """Keeps the boards the game comes with; they are never dropped.

        Those that are illegal under rules of the server's own are left out.
        """
        for name, value in sample_boards().items():
            with contextlib.suppress(Refused):
                board = read_board(value, catalog, rules, name)
                stored = stored_of(str(value.get("name", name)), board)
                self._samples.add(stored.id)
                self._boards[stored.id] = stored

    def keep(self, name: str, board: Board) -> str | None:
        stored = stored_of(name, board)
        self._boards.pop(stored.id, None)
        self._boards[stored.id] = stored
        kept = [one for key, one in self._boards.items() if key not in self._samples]
        of_one = [one for one in kept if one.name == name]
        if len(of_one) > self._most_of_one:
            return self._drop(of_one[0])
        if len(kept) > self._most:
            return self._drop(kept[0])
        return None

    def _drop(self, stored: Stored) -> str:
        del self._boards[stored.id]
        self._metrics.boards_dropped += 1
        return stored.id

    def pick(self) -> Stored | None:
        return self._chance.choice(list(self._boards.values())) if self._boards else None


def stored_of(name: str, board: Board) -> Stored:
    """The board as it is kept."""
    return Stored(board_id(name, board), name, board)


def board_id(name: str, board: Board) -> str:
    """The same for the same board of the same owner."""
    text = json.dumps([name, board.to_object()], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
