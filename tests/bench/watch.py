"""What a watched battle costs: the server's CPU and the bytes, for each spectator and second.

First the bytes alone, exact: every pairing of the sample boards. Then a real server, real battles
between them, and spectators of all three channels: in one room, and in many small ones. Beside it
stands what the writes alone cost just before, in the same rhythm, and what a bare send did: a
machine that others use is not always equally fast.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import trio
from rich.console import Console

from engine import TICKS_PER_SECOND
from server.load.command import measure, spare_cores
from server.load.outcome import Outcome
from server.load.share import Wishes
from tests.bench.compiled import home
from tests.bench.fanout import bare_send
from tests.bench.rhythm import Rhythm, writes_alone
from tests.bench.serving import serving
from tests.bench.tables import show
from tests.bench.watched_bytes import PARTS, Watched, every_pairing

BARE_SEND_SOCKETS: Final = 500
PLAYERS: Final = 2


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seconds", type=float, default=40.0, help="for each (default 40)")
    parser.add_argument("--spectators", type=int, default=1000, help="in all (default 1000)")
    parser.add_argument("--rooms", type=int, default=100, help="small ones (default 100)")
    parser.add_argument("--pace", type=float, default=1.0, help="of the server, for trials")


class Measured(NamedTuple):
    """A load test, and what the machine could do just before."""

    send: float  # CPU µs of a bare one
    writes: float  # CPU seconds a second of those that there are, alone
    outcome: Outcome


def run(options: argparse.Namespace) -> int:
    rounds = list(every_pairing())
    show_bytes(rounds)
    with home() as form:
        measured = [measure_all(options, form, rooms, rounds) for rooms in (1, options.rooms)]
    show(
        "For each spectator of all three channels, sample boards, speed 1",
        (
            "rooms",
            "each",
            "frames/s",
            "bytes/s",
            "CPU µs/s",
            "its writes alone",
            "a bare send, µs",
        ),
        [_row(one) for one in measured],
    )
    return 0 if all(one.outcome.passed for one in measured) else 1


def measure_all(
    options: argparse.Namespace, form: Path, rooms: int, rounds: Sequence[Watched]
) -> Measured:
    """A load test with so many rooms, and what to read it against."""
    send = bare_send(min(BARE_SEND_SOCKETS, options.spectators))
    together = Watched.together(rounds)
    rhythm = Rhythm(
        rooms=rooms,
        sockets=options.spectators // rooms + PLAYERS,
        writes=together.writes * options.pace,
        size=round(together.rate() / together.writes),
        beat=1 / (TICKS_PER_SECOND * options.pace),
    )
    alone = writes_alone(rhythm, options.seconds / 2)
    return Measured(send, alone, watch(options, form, rooms))


def show_bytes(rounds: Sequence[Watched]) -> None:
    """What all rounds cost together, and the cheapest and the dearest of them."""
    ordered = sorted(rounds, key=Watched.rate)
    rows = [Watched.together(rounds), ordered[0], ordered[-1]]
    show(
        "Bytes a second to a spectator of all three channels, exact; of it, by frames and messages",
        ("sample boards", "s/battle", "writes/s", "bytes/s", *PARTS),
        [
            (
                row.name,
                f"{row.seconds / row.battles:.1f}",
                f"{row.writes:.2f}",
                *(f"{row.rate(part):.1f}" for part in ("", *PARTS)),
            )
            for row in rows
        ],
    )


def watch(options: argparse.Namespace, form: Path, rooms: int) -> Outcome:
    """A load test without anything odd."""
    with serving(form, "--pace", str(options.pace)) as url:
        wishes = Wishes(
            url=url,
            rooms=rooms,
            spectators=options.spectators // rooms,
            seconds=options.seconds,
            pace=options.pace,
            all_channels=True,
        )
        return trio.run(measure, wishes, spare_cores(), Console(stderr=True))


def _row(measured: Measured) -> tuple[object, ...]:
    outcome = measured.outcome
    wishes, tally = outcome.wishes, outcome.tally
    spectators = wishes.rooms * wishes.spectators
    cpu = outcome.server.cpu_seconds
    # Players are sent the same; who watches is what is counted.
    micros = None if cpu is None else 1e6 * cpu / (spectators * outcome.measured)
    return (
        str(wishes.rooms),
        wishes.spectators,
        tally.frames / outcome.expected / outcome.measured,
        tally.bytes / outcome.expected / outcome.measured,
        "not known" if micros is None else micros,
        1e6 * measured.writes / spectators,
        measured.send,
    )
