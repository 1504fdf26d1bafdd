"""Real battles and their frames, for the tests of this folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

from engine import Battle, Rules, Setup, base_catalog, read_battle, read_board, sample_boards
from protocol.codec import decode_to_client
from protocol.frames import FedTick, writer_of
from protocol.messages import BattleId, Frame, RevivalFrame, Seat, TickFrame, VesselFrame
from tests.engine.random_battles import random_battle

BATTLE = BattleId("k3f9x2.1")
CASES = Path(__file__).parents[1] / "engine" / "cases"


def sample_setup(a: str, b: str, seed: str = "a test") -> Setup:
    """Two sample boards; what they cost is not this folder's matter."""
    catalog, rules, boards = base_catalog(), Rules(scrip_budget=1000), sample_boards()
    return Setup(
        seed,
        rules,
        catalog,
        (read_board(boards[a], catalog, rules), read_board(boards[b], catalog, rules)),
    )


def sample_setups() -> Iterator[Setup]:
    """Every sample board against every other."""
    for a, b in permutations(sorted(sample_boards()), 2):
        yield sample_setup(a, b, f"{a} {b}")


@cache
def random_setup(seed: int) -> Setup:
    """A battle of all the odd corners of the rules."""
    return read_battle(_parsed(json.dumps(random_battle(seed))), base_catalog())


def case_setups() -> Iterator[Setup]:
    """The battles of the conformance cases."""
    for path in sorted(CASES.glob("*.json")):
        yield read_battle(_parsed(path.read_text(encoding="utf-8"))["battle"], base_catalog())


def _parsed(text: str) -> Any:
    return json.loads(text, parse_float=Decimal)


def boards_of(setup: Setup) -> dict[Seat, dict[str, object]]:
    """The boards as `begin` has them."""
    a, b = setup.boards
    return {"a": a.to_object(), "b": b.to_object()}


def fed(setup: Setup) -> list[FedTick]:
    """All that a battle feeds."""
    writer = writer_of(Battle(setup), BATTLE)
    ticks = []
    while not writer.over:
        ticks.append(writer.step())
    return ticks


def frames_of(tick: FedTick) -> list[Frame]:
    """The frames of a tick as a client reads them."""
    frames = [decode_to_client(data) for data in tick.frames.values()]
    assert all(isinstance(frame, TickFrame | RevivalFrame | VesselFrame) for frame in frames)
    return frames  # type: ignore[return-value]
