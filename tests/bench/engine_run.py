"""Measures whichever form of the engine is imported, and prints what it found as JSON.

A process of its own for each form: `python -P -m tests.bench.engine_run ROUNDS`, with the form
first on the path. Times are the process's own CPU time, since other work shares the machine.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Final, Literal, TypedDict

import engine.battle
from engine import Battle, Rules, Setup, base_catalog, read_battle, read_board, sample_boards

SIX: Final = 6  # units of the boards that are measured


class Run(TypedDict):
    """Some battles, fought in one mode. The checksums say which battles they were."""

    name: str
    battles: int
    events: int
    seconds: float
    results: str  # of who won, why and when
    logs: str  # of the logs' digests; "" of quiet battles


class Report(TypedDict):
    """What one form did."""

    form: Literal["plain", "compiled"]
    runs: list[Run]
    growth: dict[str, list[Run]]


def report(rounds: int) -> Report:
    """Fights everything, each pair of boards `rounds` times."""
    setups = list(pairs(rounds))
    fight("warm up", setups[: len(setups) // rounds])
    return {
        "form": "compiled" if str(engine.battle.__file__).endswith(".so") else "plain",
        "runs": [fight("logged", setups), fight("quiet", setups, quiet=True)],
        "growth": {
            series: [fight(name, [setup] * 5) for name, setup in steps]
            for series, steps in GROWTH.items()
        },
    }


def fight(name: str, setups: Iterable[Setup], *, quiet: bool = False) -> Run:
    results, logs = hashlib.sha256(), hashlib.sha256()
    battles = events = 0
    seconds = 0.0
    for setup in setups:
        start = time.process_time()
        battle = Battle(setup, quiet)
        result = battle.run()
        seconds += time.process_time() - start
        battles += 1
        events += battle.log().count(b"\n")
        results.update(f"{result.winner} {result.reason} {result.tick}\n".encode())
        logs.update(result.digest.encode())
    return {
        "name": name,
        "battles": battles,
        "events": events,
        "seconds": seconds,
        "results": results.hexdigest()[:12],
        "logs": "" if quiet else logs.hexdigest()[:12],
    }


def pairs(rounds: int) -> Iterator[Setup]:
    """Every six-unit sample board against every one, itself too, with another seed each round."""
    catalog, rules = base_catalog(), Rules()
    boards = {
        name: read_board(board, catalog, rules)
        for name, board in sorted(sample_boards().items())
        if len(read_board(board, catalog, rules).units) == SIX
    }
    for number in range(rounds):
        for a, b in product(boards, repeat=2):
            yield Setup(f"{a} {b} {number}", rules, catalog, (boards[a], boards[b]))


def duel(*, ticks: int = 1200, speed: int = 25, idle: int = 0) -> Setup:
    """Two units that strike each other to the end and do no harm, among others that only stand."""
    cards = [
        {"id": "fencer", "vitality": 9, "power": 0, "speed": speed},
        {"id": "post", "vitality": 9, "power": 0, "speed": 0},
    ]
    units = [{"cell": cell, "card": "post" if cell else "fencer"} for cell in range(idle + 1)]
    value = {
        "seed": "growth",
        "rules": {"time_limit": ticks},
        "cards": cards,
        "boards": {"a": {"units": units}, "b": {"units": units}},
    }
    return read_battle(value, base_catalog())


GROWTH: Final[dict[str, list[tuple[str, Setup]]]] = {
    "ticks on which nothing happens": [
        (f"{ticks:,} ticks", duel(ticks=ticks, speed=0)) for ticks in (1_000, 10_000, 100_000)
    ],
    "units that stand idle": [(f"{2 * idle} of them", duel(idle=idle)) for idle in (0, 3, 7)],
    "what happens": [(f"Speed {speed}", duel(speed=speed)) for speed in (25, 50, 100, 200)],
}


if __name__ == "__main__":
    json.dump(report(int(sys.argv[1])), sys.stdout)
