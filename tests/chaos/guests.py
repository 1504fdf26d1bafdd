"""Clients that play and look on, and write down what they were sent."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, Literal

import trio

from engine import sample_boards
from protocol.client import Client, Socket, open_client
from protocol.connection import connect
from protocol.messages import (
    CHANNELS,
    BattleId,
    Begin,
    Channel,
    Create,
    Frame,
    Join,
    Ready,
    Rematch,
    Result,
    RevivalFrame,
    RoomId,
    RoomState,
    RoomUpdate,
    SnapshotMessage,
    SubmitBoard,
    TickFrame,
    VesselFrame,
    Watch,
    Welcome,
)
from protocol.session import Update

# A client must notice soon that its line is dead: a run is short.
PING_SECONDS: Final = 1.0
# For how long one who was never let in goes on trying.
PATIENCE_SECONDS: Final = 120.0


@dataclass
class Chapter:
    """One battle, as one client was told of it."""

    begin: Begin
    frames: list[Frame] = field(default_factory=list)
    start: SnapshotMessage | None = None  # of one who came in the middle of it
    result: Result | None = None


class Guest:
    """A client and its chronicle."""

    def __init__(self, name: str, channels: tuple[Channel, ...] = CHANNELS) -> None:
        self.name = name
        self.channels = channels
        self.chapters: dict[BattleId, Chapter] = {}
        self.troubles: dict[str, int] = {}
        self.connections = 0
        self.skipped = 0
        self.seat: str | None = None
        self.room: RoomState | None = None
        self.joined = trio.Event()
        self.since = 0  # the number of the last battle that was over as it came
        self.done = False
        self.ending = ""  # where the server ended the session
        self._changed = trio.Event()

    def hear(self, update: Update) -> None:
        if self.done:
            return  # it is going: what still comes may be the beginning of something
        match update:
            case Welcome(room=room, seat=seat):
                if not self.joined.is_set():
                    self.since = _number(room) - (room.phase == "battle")
                self.room, self.seat = room, seat
                self.joined.set()
            case RoomUpdate(room=room):
                self.room = room
            case Begin(battle=battle):
                self.chapters.setdefault(battle, Chapter(update))
            case SnapshotMessage(battle=battle):
                self.skipped += update.skipped
                chapter = self.chapters[battle]
                assert not chapter.frames, f"{self.name} was moved on past what it lacks"
                chapter.start = update
            case TickFrame() | RevivalFrame() | VesselFrame():
                self.chapters[update.battle].frames.append(update)
            case Result(battle=battle):
                self.chapters[battle].result = update
        self.poke()

    def poke(self) -> None:
        """Whoever waits for something looks again."""
        self._changed.set()
        self._changed = trio.Event()

    async def until(self, ready: Callable[[], bool]) -> None:
        """Waits until this is so."""
        while not ready():
            await self._changed.wait()

    @property
    def frames(self) -> int:
        """How many have come."""
        return sum(len(chapter.frames) for chapter in self.chapters.values())

    @property
    def lacks(self) -> bool:
        """Whether a battle began whose result has not come. The room may be ahead of its feed."""
        if self.room is not None and _number(self.room) > self.since:
            last = self.chapters.get(self.room.battle or BattleId(""))
            if last is None:
                return True
        return any(chapter.result is None for chapter in self.chapters.values())

    def plight(self) -> str:
        """Where it stands, for whoever has to find out why."""
        chapters = [
            f"{battle}: {len(chapter.frames)} frames, {'a' if chapter.result else 'no'} result"
            for battle, chapter in self.chapters.items()
        ]
        return f"{self.name}, {self.room}, {self.ending}, {chapters}"

    @asynccontextmanager
    async def connect(self, url: str) -> AsyncIterator[Socket]:
        """A connection that is given up soon."""
        async with connect(
            url,
            ping_interval=PING_SECONDS,
            ping_timeout=PING_SECONDS,
            close_timeout=0.5,
            open_timeout=5,
            proxy=None,
        ) as connection:
            self.connections += 1
            yield connection


def _number(room: RoomState) -> int:
    return int(room.battle.rpartition(".")[2]) if room.battle else 0


class Evening:
    """What all guests share: whether to begin another battle, and the pace of their doings."""

    def __init__(self, url: str, dice: random.Random) -> None:
        self.url = url
        self.dice = dice
        self.over = False
        self._guests: list[Guest] = []

    def end(self) -> None:
        """No other battle is begun; whoever has all of the last one goes."""
        self.over = True
        for guest in self._guests:
            guest.poke()

    async def play(self, guest: Guest, first: Create | Join, room: RoomId | None) -> None:
        """Plays one series after the other until the evening is over."""
        board = self.dice.choice(list(sample_boards().values()))
        async with self._client(guest, first, room) as client, self._to_the_end(guest):
            async for update in client:
                guest.hear(update)
                guest.troubles = dict(client.session.troubles)
                if isinstance(update, Welcome | RoomUpdate) and guest.room is not None:
                    await self._act(client, guest, guest.room, board)
            guest.ending = str(client.session.ending)

    async def watch(self, guest: Guest, room: RoomId, start: Literal["now", "beginning"]) -> None:
        """Looks on until the evening is over."""
        first = Watch(version=1, channels=list(guest.channels), start=start)
        async with self._client(guest, first, room) as client, self._to_the_end(guest):
            async for update in client:
                guest.hear(update)
                guest.troubles = dict(client.session.troubles)
            guest.ending = str(client.session.ending)

    @asynccontextmanager
    async def _to_the_end(self, guest: Guest) -> AsyncIterator[None]:
        """Ends the block once the evening is over and the guest lacks nothing."""
        self._guests.append(guest)
        async with trio.open_nursery() as nursery:

            async def wait() -> None:
                await guest.until(lambda: self._may_go(guest))
                guest.done = True
                nursery.cancel_scope.cancel()

            nursery.start_soon(wait)
            yield
            nursery.cancel_scope.cancel()

    def _client(
        self, guest: Guest, first: Create | Join | Watch, room: RoomId | None
    ) -> AbstractAsyncContextManager[Client]:
        return open_client(
            self.url, first, room, patience_seconds=PATIENCE_SECONDS, connect=guest.connect
        )

    def _may_go(self, guest: Guest) -> bool:
        return (
            self.over and not guest.lacks and guest.room is not None and self._is_idle(guest.room)
        )

    def _is_idle(self, room: RoomState) -> bool:
        return room.phase in ("over", "waiting", "closed")

    async def _act(
        self, client: Client, guest: Guest, room: RoomState, board: dict[str, object]
    ) -> None:
        """What a player does about a room that has changed, whatever they said before."""
        mine = room.a if guest.seat == "a" else room.b
        if mine is None:
            return
        if room.phase == "building" and not mine.ready:
            if mine.has_board:
                await client.send(Ready(f"nonce-{self.dice.getrandbits(64):016x}"))
            else:
                await client.send(SubmitBoard(board))
        elif room.phase == "over" and not mine.rematch and not self.over:
            await client.send(Rematch())
