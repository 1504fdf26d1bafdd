"""What a watched battle costs: the server's CPU and the bytes, for each spectator and second.

A real server, real battles between the sample boards, and spectators of all three channels: in one
room, and in many small ones.
"""

from __future__ import annotations

import argparse

import trio
from rich.console import Console

from server.load.command import measure, spare_cores
from server.load.outcome import Outcome
from server.load.share import Wishes
from tests.bench.serving import serving
from tests.bench.tables import show


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seconds", type=float, default=40.0, help="for each (default 40)")
    parser.add_argument("--spectators", type=int, default=1000, help="in all (default 1000)")
    parser.add_argument("--rooms", type=int, default=100, help="small ones (default 100)")
    parser.add_argument("--pace", type=float, default=1.0, help="of the server, for trials")


def run(options: argparse.Namespace) -> int:
    outcomes = [watch(options, 1), watch(options, options.rooms)]
    show(
        "Spectators of all three channels, sample boards, speed 1",
        ("rooms", "each", "frames/s", "CPU µs/spectator-second", "bytes/spectator-second"),
        [_row(outcome) for outcome in outcomes],
    )
    return 0 if all(outcome.passed for outcome in outcomes) else 1


def watch(options: argparse.Namespace, rooms: int) -> Outcome:
    """A load test without anything odd."""
    with serving("--pace", str(options.pace)) as url:
        wishes = Wishes(
            url=url,
            rooms=rooms,
            spectators=options.spectators // rooms,
            seconds=options.seconds,
            pace=options.pace,
            all_channels=True,
        )
        return trio.run(measure, wishes, spare_cores(), Console(stderr=True))


def _row(outcome: Outcome) -> tuple[object, ...]:
    wishes, tally = outcome.wishes, outcome.tally
    spectators = wishes.rooms * wishes.spectators
    cpu = outcome.server.cpu_seconds
    return (
        str(wishes.rooms),
        wishes.spectators,
        # Players are sent the same; who watches is what is counted.
        tally.frames / outcome.expected / outcome.measured,
        "not known" if cpu is None else 1e6 * cpu / (spectators * outcome.measured),
        tally.bytes / outcome.expected / outcome.measured,
    )
