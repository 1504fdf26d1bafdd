"""`phylactery demo`: a server, two bots that fight round after round, and a view of it, in one
process.

Nothing of it is a mock: the bots and the view are clients of the server, over sockets.
"""

from __future__ import annotations

import errno
import hashlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Final

import trio

from engine import Refused
from protocol.client import Client
from protocol.messages import (
    PROTOCOL_VERSION,
    SEATS,
    Create,
    Error,
    Join,
    Ready,
    RoomId,
    Seat,
    Speed,
    Watch,
    Welcome,
)
from server.app import Running
from server.app import serve as serve_app
from server.cli.board import NamedBoard, find_board, named_samples
from server.cli.bots import Pilot, fresh_nonce
from server.cli.output import print_faults
from server.cli.reaching import check_ending, command_line, reach
from server.cli.run import CommandFailed, run
from server.cli.seen_again import hear
from server.cli.serve import cannot_listen
from server.config import Config
from server.journal.file import MEMORY
from server.log import set_up_logging
from server.mint import ALPHABET, ROOM_ID_LENGTH, Mint
from server.view.commentary import Commentary
from server.view.screen import Screen, open_screen
from server.view.show import Show

NAMES: Final = ("Osric", "Thessaly")
BEST_OF: Final = 9
# Between rounds, for whoever watches to see how the last one ended.
PAUSE_SECONDS: Final = 4.0


@dataclass(frozen=True)
class Demo:
    """What was asked for."""

    boards: Sequence[NamedBoard]
    rounds: int  # 0: without end
    speed: Speed
    seed: str | None  # None: no two demos are the same
    pace: float

    def draw(self, side: Seat) -> Iterator[Mapping[str, object]]:
        """The boards of a side, round after round. Each fights the one after it."""
        turns = itertools.cycle(self.boards)
        return (
            known.board for known in itertools.islice(turns, SEATS.index(side), None, self.step)
        )

    @property
    def step(self) -> int:
        """Two boards fight each other for ever; of more, the next begins each round."""
        return 2 if len(self.boards) == 2 else 1

    def nonces(self, side: Seat) -> Callable[[], str]:
        """What makes a side's nonces."""
        return fresh_nonce if self.seed is None else _texts(f"{self.seed}|{side}").__next__

    def config(self) -> Config:
        """The server's settings."""
        mint = Mint() if self.seed is None else SeededMint(self.seed)
        # Its battles can be seen again, as long as it runs.
        return Config(pace=self.pace, mint=mint, data=MEMORY)


class SeededMint(Mint):
    """Makes the same rooms and secrets whenever the seed is the same: for a server without
    strangers only. Tokens stay nobody's to guess.
    """

    def __init__(self, seed: str) -> None:
        self._secrets = _texts(f"{seed}|secret")
        self._random = Random(seed)  # noqa: S311 - to be foreseen is its purpose

    def room_id(self) -> RoomId:
        return RoomId("".join(self._random.choices(ALPHABET, k=ROOM_ID_LENGTH)))

    def secret(self) -> bytes:
        return bytes.fromhex(next(self._secrets))


def demo(
    *,
    boards: tuple[str, str] | None,
    rounds: int,
    speed: Speed,
    seed: str | None,
    pace: float,
) -> int:
    """Runs until enough rounds are fought or a signal ends it; gives the exit status."""
    fighting: list[NamedBoard] = []
    for text in boards or ():
        try:
            fighting.append(find_board(text))
        except Refused as refused:
            return print_faults(text, refused.faults)
    set_up_logging("error")
    return run(partial(_run, Demo(fighting or shuffled(seed), rounds, speed, seed, pace)))


def shuffled(seed: str | None) -> list[NamedBoard]:
    """The sample boards in an order that the seed, if there is one, decides."""
    boards = named_samples()
    Random(seed).shuffle(boards)  # noqa: S311 - nobody's secret
    return boards


async def _run(demo: Demo) -> int:
    async with open_screen() as screen, trio.open_nursery() as nursery:
        running = await _listen(nursery, demo.config())
        screen.say(f"a server at {running.url}, its page at {running.url.replace('ws', 'http', 1)}")
        await _fight(demo, running.url, screen)
        nursery.cancel_scope.cancel()
    return 0


async def _listen(nursery: trio.Nursery, config: Config) -> Running:
    """A server on the usual port, or on any other if that is taken."""
    for choice in (config, replace(config, port=0)):
        try:
            running: Running = await nursery.start(serve_app, choice)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or choice.port == 0:
                raise cannot_listen(choice, error) from None
        else:
            return running
    raise AssertionError("port 0 is never in use")


async def _fight(demo: Demo, url: str, screen: Screen) -> None:
    pilots = [Pilot(demo.draw(side), rematch=True, nonce=demo.nonces(side)) for side in SEATS]
    hello = Create(version=PROTOCOL_VERSION, name=NAMES[0], speed=demo.speed, best_of=BEST_OF)
    async with reach(url, hello) as first:
        room = await _enter(first, pilots[0])
        watching = Watch(version=PROTOCOL_VERSION, start="beginning")
        joining = Join(version=PROTOCOL_VERSION, name=NAMES[1])
        async with (
            reach(url, watching, room) as view,
            reach(url, joining, room) as second,
            trio.open_nursery() as nursery,
        ):
            pause = PAUSE_SECONDS / demo.pace
            nursery.start_soon(_play, first, pilots[0], pause)
            nursery.start_soon(_play, second, pilots[1], pause)
            await _look_on(demo, view, url, room, screen)
            nursery.cancel_scope.cancel()


async def _enter(client: Client, pilot: Pilot) -> RoomId:
    welcome = await anext(client)
    assert isinstance(welcome, Welcome), welcome
    pilot.hear(welcome)
    return welcome.room.id


async def _play(client: Client, pilot: Pilot, pause_seconds: float) -> None:
    """Says what the pilot says, and takes its time between rounds."""
    async for update in client:
        if isinstance(update, Error):
            faults = (f"{fault.path}: {fault.message}" for fault in update.faults)
            raise CommandFailed(f"a bot was refused: {update.message}", faults)
        for message in pilot.hear(update):
            if isinstance(message, Ready) and len(pilot.ready_to) > 1:
                await trio.sleep(pause_seconds)
            await client.send(message)
    check_ending(client)


async def _look_on(demo: Demo, view: Client, url: str, room: RoomId, screen: Screen) -> None:
    commentary = Commentary(Show(lambda: view.mirror, demo.boards), screen)
    invitation = f"in another terminal: {command_line('watch', room, server=url)}"
    commentary.status = f"{invitation}    Ctrl-C ends it"
    screen.say(invitation)
    async for update in view:
        await hear(commentary, update, url)
        if demo.rounds and commentary.rounds >= demo.rounds:
            return
    check_ending(view)


def _texts(seed: str) -> Iterator[str]:
    """Texts of 64 hex digits, the same for the same seed."""
    for number in itertools.count():
        yield hashlib.sha256(f"{seed}|{number}".encode()).hexdigest()
