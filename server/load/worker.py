"""One process of the load test: `python -m server.load.worker`, started by the command.

Reads its share and then orders from standard input, says how it goes on standard output; JSON, one
object a line.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Final
from urllib.parse import urlsplit

import msgspec

from server.load.client import World
from server.load.door import Door
from server.load.link import Address
from server.load.loop import READ, Loop
from server.load.people import Pace, Player, Rooms, Spectator
from server.load.share import MIXES, Ending, Order, Share, Word
from server.open_files import allow_open_files

SAY_SECONDS: Final = 0.5
# For the players' farewells to be heard, and the rooms to close.
FAREWELL_SECONDS: Final = 1.0

# Shares of the clients that do not simply follow; a player drops as well, but never reads slowly.
CHURN_SHARE: Final = 0.2
SLOW_SHARE: Final = 0.1
VERIFY_SHARE: Final = 0.1


class Worker:
    """The clients of one process, and what it tells of them."""

    def __init__(self, share: Share) -> None:
        wishes = share.wishes
        # Not secret: which client does what, the same for the same seed.
        dice = Random(f"{wishes.seed} {share.number}")  # noqa: S311
        self.world = World(wishes, find_address(wishes.url), Loop(), Door(), dice)
        self._rooms = Rooms(lambda slot, room: say(Word(room=(slot, room))))
        self._share = share
        self._cpu = time.process_time()
        self._asked: Counter[str] = Counter()
        self._over = False
        self._unread = b""
        self.players = list(self._make_players())
        self.spectators = list(self._make_spectators())

    def run(self) -> None:
        """Goes on until it is told to end."""
        loop = self.world.loop
        loop.watch(sys.stdin.fileno(), READ, self._obey)
        for client in (*self.players, *self.spectators):
            client.come()
        self._say_tally()
        while not self._over:
            loop.run_once(SAY_SECONDS)

    def _make_players(self) -> Iterator[Player]:
        for slot in self._share.slots:
            lags = self.world.aside if self._share.is_aside(slot) else self.world.lags
            for seat in ("a", "b"):
                verify = self._some("verify", VERIFY_SHARE, wanted=self.world.wishes.verify)
                player = Player(self.world, self._rooms, slot, seat, lags, verify=verify)
                player.churns = self._some("churn", CHURN_SHARE, wanted=self.world.wishes.churn)
                yield player

    def _make_spectators(self) -> Iterator[Spectator]:
        wishes, number = self.world.wishes, 0
        mixes = MIXES[:1] if wishes.all_channels else MIXES
        for slot, count in self._share.spectators.items():
            for _ in range(count):
                pace: Pace = ""
                if self._some("slow", SLOW_SHARE, wanted=wishes.slow):
                    pace = "trickle" if self.world.dice.random() < 0.5 else "deaf"
                spectator = Spectator(
                    self.world,
                    self._rooms,
                    slot,
                    mixes[number % len(mixes)],
                    self.world.lags,
                    verify=self._some("verify", VERIFY_SHARE, wanted=wishes.verify),
                    pace=pace,
                )
                spectator.churns = not pace and self._some(
                    "churn", CHURN_SHARE, wanted=wishes.churn
                )
                number += 1
                yield spectator

    def _some(self, what: str, share: float, *, wanted: bool) -> bool:
        """Whether one is among those who do this, where there are to be any: every tenth, say, so
        that even a few clients have one."""
        if not wanted:
            return False
        before = self._asked[what]
        self._asked[what] += 1
        return int((before + 1) * share + 0.5) > int(before * share + 0.5)

    def _obey(self) -> None:
        data = os.read(sys.stdin.fileno(), 1 << 16)
        *lines, self._unread = (self._unread + data).split(b"\n")
        if not data:  # whoever started this is gone
            self._over = True
        for line in lines:
            order = msgspec.json.decode(line, type=Order)
            if order.room is not None:
                self._rooms.is_now(*order.room)
            if order.measure:
                self._measure()
            if order.end:
                self._end()

    def _measure(self) -> None:
        """From here on: what came before is not in the lags."""
        for lags in (self.world.lags, self.world.aside):
            for counts in lags.battles.values():
                counts.clear()
        self._cpu = time.process_time()

    def _end(self) -> None:
        cpu = time.process_time() - self._cpu
        self.world.ending = True
        for player in self.players:
            player.bow_out()
        self.world.loop.after(FAREWELL_SECONDS, lambda: self._say_end(cpu))

    def _say_end(self, cpu: float) -> None:
        say(Word(tally=self.world.tally))
        lags, aside = (
            {battle: dict(counts) for battle, counts in kind.battles.items() if counts}
            for kind in (self.world.lags, self.world.aside)
        )
        say(Word(end=Ending(lags, aside, cpu)))
        self._over = True

    def _say_tally(self) -> None:
        if not self.world.ending:
            say(Word(tally=self.world.tally))
            self.world.loop.after(SAY_SECONDS, self._say_tally)


def say(word: Word) -> None:
    """A line for whoever started this process."""
    sys.stdout.buffer.write(msgspec.json.encode(word) + b"\n")
    sys.stdout.buffer.flush()


def find_address(url: str) -> Address:
    """Raises `OSError` where the name cannot be resolved."""
    parts = urlsplit(url)
    found = socket.getaddrinfo(parts.hostname, parts.port or 80, type=socket.SOCK_STREAM)
    family, *_, place = found[0]
    return Address(family, place, parts.netloc)


def main() -> None:
    # Unbuffered: what follows is read by the loop.
    with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as orders:
        share = msgspec.json.decode(orders.readline(), type=Share)
    allow_open_files(share.clients + 64)
    Worker(share).run()


if __name__ == "__main__":
    main()
