"""What a line of the log can be printed on, as a number: the cards and runes on the two boards.

`begin` has the boards and comes before every frame, so the numbers cost nothing to tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from .messages import SEATS, Seat


class _Placed(msgspec.Struct):
    card: str
    runes: list[str] = []


class _Board(msgspec.Struct):
    units: list[_Placed] = []


class Sources:
    """The cards and runes of a battle's boards, each once, numbered in the order of `begin`: side
    a, then b; unit by unit its card, then its runes.
    """

    def __init__(self, boards: Mapping[Seat, Mapping[str, object]]) -> None:
        """Raises `ValueError` for what are no boards."""
        read = {seat: msgspec.convert(board, _Board) for seat, board in boards.items()}
        units = [unit for seat in SEATS if seat in read for unit in read[seat].units]
        names = dict.fromkeys(name for unit in units for name in (unit.card, *unit.runes))
        self.names: Final = tuple(names)
        self._numbers: Final = {name: number for number, name in enumerate(self.names)}

    def write(self, name: str) -> int | str:
        """Its number; what is on neither board is written out."""
        return self._numbers.get(name, name)

    def read(self, written: object) -> str:
        """The name again. Raises `ValueError` for what stands for none."""
        if isinstance(written, str):
            return written
        if isinstance(written, int) and 0 <= written < len(self.names):
            return self.names[written]
        raise ValueError(f"{written} is no card or rune of these boards")
