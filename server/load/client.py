"""A simulated client: gets into a room, follows its battles, and comes back when it is cut off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from engine import TICKS_PER_SECOND
from protocol.codec import Undecodable, decode_to_client, encode
from protocol.codes import CloseCode, ErrorCode
from protocol.messages import (
    PROTOCOL_VERSION,
    BattleId,
    Begin,
    Channel,
    Error,
    FirstMessage,
    Result,
    Resume,
    RoomState,
    RoomUpdate,
    SnapshotMessage,
    Token,
    Welcome,
)
from server.load.door import Door
from server.load.follow import FRAME, Follow, Head, Heads, Verifier
from server.load.link import Address, Link
from server.load.loop import Loop
from server.load.share import Wishes
from server.load.tally import Lags, Tally

_ROOM: Final = b'{"type":"room"'

# Of those that drop their connection: how long one lasts, and how long they stay away.
STAY_SECONDS: Final = (2.0, 10.0)
AWAY_SECONDS: Final = (0.05, 2.0)
AGAIN_SECONDS: Final = 0.5  # after a closing that nobody asked for


@dataclass
class World:
    """What all clients of a process share."""

    wishes: Wishes
    address: Address
    loop: Loop
    door: Door
    dice: Random
    tally: Tally = field(default_factory=Tally)
    lags: Lags = field(default_factory=Lags)
    aside: Lags = field(default_factory=Lags)  # of rooms that are measured apart
    heads: Heads = field(default_factory=Heads)
    ending: bool = False


class Client:
    """One who is in a room, across connections. Players and spectators differ in what they say."""

    listens = False  # to what is said about the room

    def __init__(
        self, world: World, channels: Sequence[Channel], lags: Lags, *, verify: bool
    ) -> None:
        self.world = world
        self.channels = list(channels)
        self.churns = False
        self.link: Link | None = None
        self.is_in = False  # its connection is in the room
        self._lags = lags
        self._counts: Counter[int] = Counter()  # of the battle that runs
        self._tick_seconds = 1 / TICKS_PER_SECOND
        self._verify = verify
        self._start_over()

    def _start_over(self) -> None:
        """Nothing is known of any room."""
        self.room = ""
        self._token: Token | None = None
        self._follow = Follow(self.channels, self.world.tally)
        self._verifier = Verifier(self.channels, self.world.tally) if self._verify else None

    # What the kinds of clients decide.

    def come(self) -> None:
        """Gets into the room as soon as there is one."""
        raise NotImplementedError

    def first(self) -> tuple[str, FirstMessage]:
        """Where to connect to, and what to say there."""
        raise NotImplementedError

    def welcomed(self, welcome: Welcome, /) -> None:
        """It is in the room."""

    def room_is(self, room: RoomState) -> None:
        """The room has changed."""

    def battle_over(self, battle: BattleId, /) -> None:
        """A battle has ended; told again to one who comes back."""

    # Connections.

    def enter(self) -> None:
        """Gets into the room, when it is its turn."""
        self.world.door.enter(self._connect)

    def leave(self, *, reset: bool = False) -> None:
        """Ends the connection without a word."""
        if self.link is not None:
            self.link.drop(reset=reset)
            self._out()

    def _connect(self) -> None:
        if self.world.ending:
            self.world.door.done()
            return
        path, first = self._resuming() if self._token else self.first()
        world = self.world
        takes = self._takes_frames if self._verifier is None else None
        self.link = Link(world.loop, world.tally, self._heard, self._lost, takes)
        self.link.open(self.world.address, path, encode(first), slow=self.reads_slowly)

    @property
    def reads_slowly(self) -> bool:
        return False

    def _resuming(self) -> tuple[str, Resume]:
        assert self._token is not None, "one resumes with a token"
        last = self._follow.position()
        resume = Resume(version=PROTOCOL_VERSION, token=self._token, last=last)
        return f"/rooms/{self.room}", resume

    def _out(self) -> None:
        self.link = None
        if self.is_in:
            self.world.tally.open -= 1
        else:
            self.world.door.done()
        self.is_in = False

    def _lost(self, code: int) -> None:
        was_in = self.is_in
        self._out()
        if self.world.ending:
            return
        match code:
            case CloseCode.ROOM_CLOSED | CloseCode.NORMAL:
                self._start_over()
                self.come()
                return
            case CloseCode.TRY_LATER:
                self.world.tally.stalled += 1
            case CloseCode.LOST if self.reads_slowly:  # it had not read on to the closing
                self.world.tally.stalled += 1
            case _ if was_in:
                self.world.tally.error(f"closed {code}")
            case _:
                self.world.tally.error("not let in")
        self.world.loop.after(AGAIN_SECONDS, self.enter)

    def _drop(self, link: Link) -> None:
        """Drops the connection, if it is still this one, and comes back."""
        world = self.world
        if self.link is link and not world.ending:
            world.tally.dropped += 1
            self.leave(reset=world.dice.random() < 0.5)
            world.loop.after(world.dice.uniform(*AWAY_SECONDS), self.enter)

    # What it hears.

    def _heard(self, payload: bytes) -> None:
        if payload.startswith(FRAME):
            self._frame(self.world.heads.read(payload))
        elif self.listens or not payload.startswith(_ROOM):
            self._message(payload)
        if self._verifier is not None:
            self._verifier.take(payload)

    def _takes_frames(self, piece: bytes) -> bool:
        """Takes what was received in one piece, if that is frames and nothing else."""
        heads = self.world.heads.of(piece)
        for head in heads:
            self._frame(head)
        return bool(heads)

    def _frame(self, head: Head) -> None:
        world = self.world
        world.tally.frames += 1
        if self._follow.frame(head):
            place = world.loop.now - head.tick * self._tick_seconds
            self._counts[int(place * 1000)] += 1

    def _message(self, payload: bytes) -> None:
        try:
            message = decode_to_client(payload)
        except Undecodable:
            self.world.tally.error("undecodable")
            return
        match message:
            case Welcome():
                self._welcome(message)
            case RoomUpdate(room=room):
                self.room_is(room)
            case Begin():
                self._count_for(message)
                self._follow.begin(message.battle)
            case SnapshotMessage():
                self._follow.load(message)
            case Result():
                self._follow.end(message)
                self.battle_over(message.battle)
            case Error():
                self._refused(message)

    def _count_for(self, begin: Begin) -> None:
        pace = TICKS_PER_SECOND * begin.speed * self.world.wishes.pace
        self._tick_seconds = 1 / pace
        # Who comes back is sent what was missed, which is late by itself; so is what is told anew.
        steady = not self.churns and not self.reads_slowly and begin.battle != self._follow.battle
        self._counts = self._lags.of(begin.battle) if steady else Counter()

    def _welcome(self, welcome: Welcome) -> None:
        world, link = self.world, self.link
        world.tally.open += 1
        world.tally.joined += 1
        world.tally.resumed += self._token is not None
        self.is_in = True
        world.door.done()
        self.room, self._token = welcome.room.id, welcome.token
        if self.churns and link is not None:
            world.loop.after(world.dice.uniform(*STAY_SECONDS), lambda: self._drop(link))
        self.welcomed(welcome)

    def _refused(self, error: Error) -> None:
        if self.world.ending:  # said to a room that has closed meanwhile
            return
        closed_meanwhile = error.code == ErrorCode.NO_SUCH_ROOM and self.world.wishes.turnover
        if not closed_meanwhile:
            self.world.tally.error(error.code)
        if not self.is_in:
            self.leave()
            self._start_over()
            self.world.loop.after(AGAIN_SECONDS, self.come)

    def say_soon(self, call: Callable[[], None], seconds: float) -> None:
        """Calls later, unless the test is over by then."""
        self.world.loop.after(seconds, lambda: None if self.world.ending else call())
