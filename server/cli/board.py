"""Finds the board a person names: a sample by its name, or a file."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from engine import (
    Board,
    Catalog,
    Fault,
    Refused,
    Rules,
    base_catalog,
    did_you_mean,
    read_board,
    sample_boards,
)
from engine.reading import MOST_SUGGESTIONS_OF_A_FILE
from server.cli.input import read_object
from server.cli.kinds import expect


class NamedBoard(NamedTuple):
    """A legal board in its canonical form, and what to call it."""

    name: str
    board: dict[str, object]


def named_samples() -> list[NamedBoard]:
    """The sample boards that can fight, in the order of their file names."""
    named: list[NamedBoard] = []
    for name, value in sample_boards().items():
        with suppress(Refused):  # a changed catalog may have made one too dear
            named.append(_legal(name, value))
    return named


def find_board(text: str, catalog: Catalog | None = None, rules: Rules | None = None) -> NamedBoard:
    """The board of that name, or in that file, legal in the catalog (the base set) and under the
    rules (as they are). Raises `Refused`, with every fault."""
    samples = sample_boards()
    if text in samples and not Path(text).is_file():
        return _legal(text, samples[text], catalog, rules)
    if not _looks_like_a_file(text):
        sentence = f"no sample board and no file of this name{did_you_mean(text, samples)}"
        raise Refused([Fault("", f"{sentence} (samples: {', '.join(sorted(samples))})")])
    name = Path(text).stem
    return read_object(text, lambda value: _legal(name, expect("board", value), catalog, rules))


def read_board_of_a_file(value: object, catalog: Catalog, rules: Rules | None = None) -> Board:
    """As `read_board`, with as many suggestions as a person can use. Raises `Refused`."""
    most = MOST_SUGGESTIONS_OF_A_FILE
    return read_board(value, catalog, rules or Rules(), most_suggestions=most)


def _looks_like_a_file(text: str) -> bool:
    return text == "-" or "/" in text or "." in text or Path(text).exists()


def _legal(
    name: str, value: object, catalog: Catalog | None = None, rules: Rules | None = None
) -> NamedBoard:
    board = read_board_of_a_file(value, catalog or base_catalog(), rules)
    given = value.get("name") if isinstance(value, dict) else None
    return NamedBoard(given if isinstance(given, str) and given else name, board.to_object())
