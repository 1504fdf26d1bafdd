"""`phylactery play`: a person's board in a room, round after round."""

from __future__ import annotations

import getpass
import itertools
import secrets
from dataclasses import dataclass
from functools import partial
from typing import Final

import trio

from engine import Refused
from protocol.client import Client
from protocol.codes import ErrorCode
from protocol.messages import (
    LONGEST_NAME,
    PROTOCOL_VERSION,
    Accept,
    Create,
    Error,
    FirstMessage,
    Join,
    Offer,
    Quick,
    RoomState,
    Speed,
    Welcome,
)
from protocol.session import Update
from server.cli.asking import can_ask, yes_or_no
from server.cli.board import NamedBoard, find_board, named_samples
from server.cli.bots import Pilot
from server.cli.output import print_faults
from server.cli.reaching import check_ending, command_line, reach
from server.cli.run import CommandFailed, run
from server.cli.seen_again import hear
from server.cli.ways import Way
from server.view.commentary import Commentary
from server.view.screen import Screen, open_screen
from server.view.show import Show

# Refusals of these mean that a round cannot begin: no use in waiting on.
NEEDED: Final = ("board", "ready", "accept")
# What came too fast is said once more after so long.
AGAIN_SECONDS: Final = 2.0


@dataclass(frozen=True)
class Game:
    """What a person asked for."""

    board: str  # a sample's name or a file
    server: str
    way: Way
    room: str | None
    key: str | None
    private: bool
    name: str | None
    best_of: int
    rounds: int  # 0: one whole series
    speed: Speed
    yes: bool
    ticket: str | None = None

    def first_message(self) -> FirstMessage:
        """What to say to the server first."""
        name = self.name or default_name()
        match self.way:
            case "create":
                return Create(
                    version=PROTOCOL_VERSION,
                    name=name,
                    key=self.room_key(),
                    speed=self.speed,
                    best_of=self.best_of,
                    ticket=self.ticket,
                )
            case "join":
                return Join(version=PROTOCOL_VERSION, name=name, key=self.key, ticket=self.ticket)
            case "quick":
                return Quick(version=PROTOCOL_VERSION, name=name, ticket=self.ticket)

    def room_key(self) -> str | None:
        """The key that makes a new room private."""
        return self.key or (secrets.token_hex(5) if self.private else None)


def default_name() -> str:
    """What the system calls this person, as far as the server would."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):  # a user without a name
        user = ""
    return "".join(char for char in user if char.isprintable())[:LONGEST_NAME] or "guest"


def play(game: Game) -> int:
    """Plays until the series is over or enough rounds are fought; gives the exit status."""
    try:
        board = find_board(game.board)
    except Refused as refused:
        return print_faults(game.board, refused.faults)
    work = trio.CancelScope()
    return run(partial(_play, game, board, work), work)


async def _play(game: Game, board: NamedBoard, work: trio.CancelScope) -> int:
    async with open_screen() as screen:
        await play_on(screen, game, board, work)
    return 0


async def play_on(screen: Screen, game: Game, board: NamedBoard, work: trio.CancelScope) -> None:
    """Plays and shows it on the screen; when `work` is cancelled, leaves the room first.

    Raises `CommandFailed`.
    """
    first = game.first_message()
    async with reach(game.server, first, game.room) as client:
        table = Table(game, first, board, client, screen)
        with work:
            await table.play()
        # So that the other does not wait for one who is gone.
        await client.leave()
        check_ending(client)


class Table:
    """A person, a pilot that plays their board, and a client, at one room."""

    def __init__(
        self, game: Game, first: FirstMessage, board: NamedBoard, client: Client, screen: Screen
    ) -> None:
        self.game = game
        self.client = client
        self.screen = screen
        # More rounds than a series has are fought in the next one.
        self.pilot = Pilot(itertools.repeat(board.board), rematch=game.rounds > 0)
        show = Show(lambda: client.mirror, [*named_samples(), board])
        self.commentary = Commentary(show, screen, self.pilot)
        self._key = first.key if isinstance(first, Create | Join) else None
        self._question = ""
        self._asking = trio.CancelScope()
        self._invited = False

    async def play(self) -> None:
        """Until the series is over, enough rounds are fought, or the session has ended."""
        async with trio.open_nursery() as nursery:
            async for update in self.client:
                await self._hear(update)
                for message in self.pilot.hear(update):
                    await self.client.send(message)
                if isinstance(update, Error) and update.code == ErrorCode.TOO_FAST:
                    nursery.start_soon(self._say_again)
                if isinstance(update, Offer):
                    nursery.start_soon(self._consider, update)
                if self._done():
                    break
            nursery.cancel_scope.cancel()

    # What is heard.

    async def _hear(self, update: Update) -> None:
        if isinstance(update, Error) and update.re in NEEDED:
            if update.code == ErrorCode.WRONG_PHASE:
                return  # the other came or went just then, which is told as well
            faults = [f"{fault.path}: {fault.message}" for fault in update.faults]
            raise CommandFailed(f"the server refused: {update.message}", faults)
        if isinstance(update, Welcome) and not self._invited:
            self._invite(update.room)
        await hear(self.commentary, update, self.game.server)
        self._update_status()

    async def _say_again(self) -> None:
        await trio.sleep(AGAIN_SECONDS)
        for message in self.pilot.again():
            await self.client.send(message)

    def _invite(self, room: RoomState) -> None:
        """Says once how others come in."""
        self._invited = True
        self.screen.say(f"room {room.id}, you have seat {self._seat_name()}")
        if self.game.way == "create":
            self.screen.say(f"  others join with: {self._join_command(room)}")
            self.screen.say(f"  and look on with: {self._watch_command(room)}")

    def _seat_name(self) -> str:
        welcome = self.client.session.welcome
        return (welcome and welcome.seat) or "none"

    def _join_command(self, room: RoomState) -> str:
        return self._command("play", "BOARD", "--room", room.id)

    def _watch_command(self, room: RoomState) -> str:
        return self._command("watch", room.id)

    def _command(self, *words: str) -> str:
        return command_line(*words, key=self._key, server=self.game.server)

    def _update_status(self) -> None:
        room = self.commentary.show.room
        if room is None or room.phase != "waiting":
            self._asking.cancel()  # someone has come
            status = "Ctrl-C to leave"
        else:
            status = self._question or f"waiting; others join with: {self._join_command(room)}"
        self.commentary.status = status
        self.commentary.draw()

    async def _consider(self, offer: Offer) -> None:
        """Takes the offer, or asks the person first. An opponent who comes ends the question."""
        if self.game.yes or await self._agree(f"nobody here; fight the stored {offer.name}? [y/n]"):
            self.screen.tell(f"fighting the stored {offer.name}")
            await self.client.send(Accept(offer.offer))

    async def _agree(self, question: str) -> bool:
        if not can_ask():
            self.screen.tell("nobody here yet; with --yes a stored opponent would be fought")
            return False
        self.screen.tell(question)
        self._question = question
        self._update_status()
        agreed = False
        with trio.CancelScope() as self._asking:
            agreed = await yes_or_no()
        self._question = ""
        self._update_status()
        return agreed

    def _done(self) -> bool:
        if self.game.rounds:
            return self.commentary.rounds >= self.game.rounds
        room = self.commentary.show.room
        return room is not None and room.phase == "over"
