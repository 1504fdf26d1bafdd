"""All that a battle is given: a seed, rules, a catalog and two boards. Same setup, same log."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from engine.board import Board, board_from
from engine.catalog import KINDS, Catalog, all_read, catalog_from
from engine.definitions import SIDES
from engine.faults import Refused
from engine.reading import MOST_SUGGESTIONS_OF_A_FILE, Faults, Reader, describe
from engine.rules import Rules, rules_from

LONGEST_SEED: Final = 4096


@dataclass(frozen=True)
class Setup:
    """A legal battle, ready to be fought.

    `source` is the definitions that were added to the base set, as they were written.
    """

    seed: str
    rules: Rules
    catalog: Catalog
    boards: tuple[Board, Board]
    source: dict[str, object] = field(default_factory=dict)

    def to_object(self) -> dict[str, object]:
        """The JSON object from which `read_battle` makes the same setup again."""
        boards = {side: board.to_object() for side, board in zip(SIDES, self.boards, strict=True)}
        return {
            "seed": self.seed,
            "rules": self.rules.to_object(),
            **self.source,
            "boards": boards,
        }


def read_battle(value: object, base: Catalog) -> Setup:
    """A setup from the object that `phylactery battle` reads; `Refused` names every fault.

    Fractional seconds must come as `Decimal`: parse JSON with `parse_float=Decimal`.
    """
    faults = Faults(MOST_SUGGESTIONS_OF_A_FILE)
    reader = Reader(value, "", faults)
    if not isinstance(value, dict):
        raise Refused(faults)
    reader.only(("seed", "rules", "cards", "runes", "resonances", "boards"))
    seed = _read_seed(reader)
    rules = rules_from(reader.fields.get("rules", {}), "rules", faults)
    catalog = catalog_from(reader, base)
    boards = _read_boards(reader, catalog, rules)
    if faults:
        raise Refused(faults)
    source = {key: value[key] for key in ("cards", "runes", "resonances") if key in value}
    return Setup(seed, rules, catalog, boards, source)


def _read_seed(reader: Reader) -> str:
    if reader.missing("seed"):
        return ""
    seed = reader.fields["seed"]
    if not isinstance(seed, str):
        reader.fault("seed", f"must be a text, not {describe(seed)}")
        return ""
    if len(seed) > LONGEST_SEED:
        reader.fault("seed", f"must be at most {LONGEST_SEED} characters, not {len(seed)}")
    if any(0xD800 <= ord(c) <= 0xDFFF for c in seed):
        reader.fault("seed", "holds broken Unicode, which has no UTF-8")
    return seed


def _read_boards(reader: Reader, catalog: Catalog, rules: Rules) -> tuple[Board, Board]:
    if reader.missing("boards"):
        return Board(()), Board(())
    boards = Reader(reader.fields["boards"], "boards", reader.faults)
    boards.only(SIDES)
    whole = all_read(reader, KINDS[0], catalog.cards) and all_read(reader, KINDS[1], catalog.runes)
    read = [
        board_from(boards.fields[side], catalog, rules, boards.at(side), reader.faults, whole)
        for side in SIDES
        if not boards.missing(side)
    ]
    return (read[0], read[1]) if len(read) == 2 else (Board(()), Board(()))
