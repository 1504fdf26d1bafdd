"""All of it together, for a while."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

import trio

from protocol.messages import CHANNELS, Create, Join
from tests.chaos.check import check
from tests.chaos.guests import Evening, Guest
from tests.chaos.lines import Lines
from tests.chaos.process import ServerProcess

ROOMS: Final = 3
PACE: Final = 4.0
# After the last kill, for everyone to come back and for the last battles to end.
QUIET_SECONDS: Final = 120.0

Start = Literal["now", "beginning"]
Say = Callable[[str], None]


class Chaos:
    """One run. `report` is what came of it."""

    def __init__(self, seconds: float, seed: int, folder: Path, say: Say) -> None:
        self._seconds = seconds
        self._dice = random.Random(seed)
        self._say = say
        # Nobody is to be moved on past what they lack: who is slow here, is so by design.
        self.server = ServerProcess(
            folder, "--pace", str(PACE), "--behind-seconds", "1000", "--grace", "1"
        )
        self.guests: list[Guest] = []
        self._coming = trio.CancelScope()  # of late guests
        self.kills = 0
        self.stops = 0

    async def run(self) -> str:
        """Raises `AssertionError` where anything was lost. Gives a line on what was done."""
        await self.server.start()
        async with trio.open_nursery() as nursery:
            lines = Lines(self._dice, self.server.port)
            await nursery.start(lines.run)
            evening = Evening(lines.url, self._dice)
            async with trio.open_nursery() as visit:
                for number in range(ROOMS):
                    await self._fill_room(visit, evening, number)
                lines.calm = False
                visit.start_soon(self._late_comers, visit, evening)
                await self._kill_now_and_then()
                self._coming.cancel()
                lines.calm_down()
                evening.end()
                visit.cancel_scope.deadline = trio.current_time() + QUIET_SECONDS
            nursery.cancel_scope.cancel()
        lacking = [guest.plight() for guest in self.guests if not guest.done]
        assert not lacking, "these never came to their end:\n" + "\n".join(lacking)
        await self.server.stop()
        checked = check(self.guests)
        assert not self.server.faults(), "\n".join(self.server.faults())[:3000]
        connections = sum(guest.connections for guest in self.guests)
        battles = len({battle for guest in self.guests for battle in guest.chapters})
        return (
            f"{battles} battles, {len(self.guests)} clients, {connections} connections,"
            f" {self.kills} kills, {self.stops} stops, lines {dict(lines.fates)};"
            f" {checked} logs whole"
        )

    async def _fill_room(self, visit: trio.Nursery, evening: Evening, number: int) -> None:
        ada, bob = self._guest(f"ada-{number}"), self._guest(f"bob-{number}")
        visit.start_soon(evening.play, ada, Create(version=1, name="Ada", speed=4), None)
        await ada.joined.wait()
        assert ada.room is not None
        room = ada.room.id
        starts: tuple[Start, ...] = ("now", "beginning")
        for start in starts:
            eve = self._guest(f"eve-{number}-{start}")
            visit.start_soon(evening.watch, eve, room, start)
            await eve.joined.wait()
        visit.start_soon(evening.play, bob, Join(version=1, name="Bob"), room)
        await bob.joined.wait()

    async def _late_comers(self, visit: trio.Nursery, evening: Evening) -> None:
        """They come while things go wrong, at a part of the channels."""
        rooms = [guest.room.id for guest in self.guests if guest.room and guest.seat == "a"]
        with self._coming:
            for number in range(6):
                await trio.sleep(self._dice.uniform(0, self._seconds / 4))
                channels = self._dice.sample(CHANNELS, self._dice.randint(1, 3))
                guest = self._guest(f"late-{number}")
                guest.channels = tuple(channels)
                start: Start = self._dice.choice(("now", "beginning"))
                visit.start_soon(evening.watch, guest, self._dice.choice(rooms), start)

    async def _kill_now_and_then(self) -> None:
        end = trio.current_time() + self._seconds
        while (left := end - trio.current_time()) > 0:
            await trio.sleep(min(left, self._dice.uniform(0.5, 6.0)))
            if self._dice.random() < 0.2:
                self.stops += 1
                await self.server.stop()
            else:
                self.kills += 1
                await self.server.kill()
            await trio.sleep(self._dice.choice((0.0, 0.3, 2.0)))
            await self.server.start()
            self._say(f"start {self.server.starts}, {left:.0f} s to go")

    def _guest(self, name: str) -> Guest:
        self.guests.append(Guest(name))
        return self.guests[-1]


def run(seconds: float, seed: int, say: Say = lambda _: None) -> str:
    """A whole run in a folder of its own, which is left there where it fails."""
    folder = tempfile.mkdtemp(prefix=f"phylactery-chaos-{seed}-")
    chaos = Chaos(seconds, seed, Path(folder), say)
    say(f"seed {seed}; data and log are in {folder}")
    return trio.run(chaos.run)
