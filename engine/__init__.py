"""The rules of a battle: deterministic, integers only, standard library only.

    battle = Battle(read_battle(value, base_catalog()))
    while not battle.over:
        events = battle.step()

Same setup, same log, byte for byte, on any machine. RULES.md beside this file is the rulebook.
"""

from typing import Final

from engine import battle as _battle
from engine.base import base_catalog, sample_boards
from engine.battle import Battle, Result
from engine.board import Board, BoardUnit, read_board
from engine.catalog import Catalog, read_catalog
from engine.events import EVENT_FIELDS, Event, event_line, event_object, field_names
from engine.faults import Fault, Refused, did_you_mean
from engine.reading import TICKS_PER_SECOND
from engine.rules import Rules, read_rules
from engine.setup import Setup, read_battle
from engine.snapshot import UNIT_FIELDS, Snapshot, UnitState, state_digest

# Both forms give the same bytes; one is several times as fast.
FORM: Final = "plain Python" if (_battle.__file__ or "").endswith(".py") else "compiled"

__all__ = [
    "EVENT_FIELDS",
    "FORM",
    "TICKS_PER_SECOND",
    "UNIT_FIELDS",
    "Battle",
    "Board",
    "BoardUnit",
    "Catalog",
    "Event",
    "Fault",
    "Refused",
    "Result",
    "Rules",
    "Setup",
    "Snapshot",
    "UnitState",
    "base_catalog",
    "did_you_mean",
    "event_line",
    "event_object",
    "field_names",
    "read_battle",
    "read_board",
    "read_catalog",
    "read_rules",
    "sample_boards",
    "state_digest",
]
