"""Servers that can be killed at any commit, and guests who come back to the next one.

A world's journal is in memory and is copied after every transaction; a new world is made of a copy.
Under the autojump clock a crash, a minute of being down and the rest of the battle take as long as
they take to compute.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import trio

from engine import sample_boards
from protocol.messages import (
    PROTOCOL_VERSION,
    Begin,
    Create,
    Error,
    Forfeit,
    Frame,
    Join,
    Ready,
    Rematch,
    Result,
    Resume,
    RevivalFrame,
    RoomId,
    RoomState,
    RoomUpdate,
    SnapshotMessage,
    SubmitBoard,
    TickFrame,
    Token,
    VesselFrame,
    Watch,
    Welcome,
)
from protocol.mirror import Mirror
from server.config import Config
from server.hall import Hall
from server.journal.clock import Clock
from server.journal.file import MEMORY
from server.journal.records import Kept, Write
from server.journal.store import Most, open_store
from server.journal.writer import Journal
from server.limits import Limits
from server.mint import Mint
from tests.server.rooms import RULES
from tests.server.visitors import Closed, Heard, Visitor, World

MOST: Final = Most(replays=100, boards=100, closed=100)
# The wall shows another time than the clock, which begins anew with every process.
AHEAD: Final = 1_700_000_000.0
DISK_SECONDS: Final = 0.01


class PlainMint(Mint):
    """Every room has the same id and every round the same secret, before a crash and after it."""

    def room_id(self) -> RoomId:
        return RoomId("theroom2")

    def secret(self) -> bytes:
        return bytes(range(32))


class KeptWorld(World):
    """A world with a journal."""

    def __init__(self, nursery: trio.Nursery, config: Config, universe: Universe) -> None:
        super().__init__(nursery, config)
        self.store = open_store(MEMORY, MOST)
        if universe.copy:
            self.store._db.deserialize(universe.copy)
        self._universe = universe
        journal = Journal(self.store, universe.in_thread)
        self.hall = Hall(config, self.metronome, journal=journal, clock=Clock(universe.ahead))
        self.hall.take_over(self.store.load())
        self._streams: list[trio.abc.Stream] = []
        nursery.start_soon(journal.run)

    async def _serve(self, stream: trio.abc.Stream, place: str) -> None:
        self._streams.append(stream)
        await super()._serve(stream, place)

    async def journal_settled(self) -> None:
        await self.hall.journal.settled()

    async def cut_all(self) -> None:
        for stream in self._streams:
            await trio.aclose_forcefully(stream)


class Universe:
    """One server after the other on the same journal."""

    def __init__(self, limits: Limits | None = None, **settings: Any) -> None:
        plain = {"rules": RULES, "limits": limits or Limits(), "mint": PlainMint()}
        self.config = Config(**{**plain, **settings})
        self.ahead = AHEAD
        self.copy = b""
        self.commits = 0
        self.kills = 0
        self.world: KeptWorld | None = None
        self.on_kill: Callable[[], None] = lambda: None
        self._scope = trio.CancelScope()
        self._up = trio.Event()
        self._kill_at = range(0)
        self._before = False

    def kill_in(self, commits: int, *, before: bool, times: int = 1) -> None:
        """Kills the server at the n-th transaction from now: just before it is made, or once it
        is, before anyone is told of it. Then again: the next one is the recovery's own, and at
        the one after it those are who come back."""
        first = self.commits + commits
        self._kill_at, self._before = range(first, first + 2 * times, 2), before

    async def in_thread(self, function: Callable[..., object], *args: list[Write]) -> object:
        """What stands in for the journal's thread."""
        await trio.sleep(DISK_SECONDS)  # all that could be told by now has been
        self.commits += 1
        due = self.commits in self._kill_at
        if due and self._before:
            await self._die()
        result = function(*args)
        if self.world is not None:
            self.copy = self.world.store._db.serialize()
        if due:
            await self._die()
        return result

    async def _die(self) -> None:
        self.kill()
        await trio.sleep_forever()

    def kill(self) -> None:
        """As `kill -9`: nobody is told, nothing more is written."""
        self.kills += 1
        self.on_kill()
        self._scope.cancel()

    def kept(self) -> Kept:
        """What the next server will take over."""
        store = open_store(MEMORY, MOST)
        store._db.deserialize(self.copy)
        kept = store.load()
        store.close()
        return kept

    async def run(self, down_seconds: float, *, task_status: trio.TaskStatus[None]) -> None:
        """A server, and after each kill and a while the next."""
        task_status.started()
        while True:
            with trio.CancelScope() as self._scope:
                async with trio.open_nursery() as nursery:
                    self.world = KeptWorld(nursery, self.config, self)
                    self.copy = self.world.store._db.serialize()
                    self._up.set()
                    await trio.sleep_forever()
            world, self.world, self._up = self.world, None, trio.Event()
            assert world is not None
            with trio.CancelScope(shield=True):
                await world.cut_all()
            world.store.close()
            await trio.sleep(down_seconds)

    async def server(self) -> KeptWorld:
        """The one that runs now, or the next."""
        while self.world is None:
            await self._up.wait()
        return self.world


class Guest:
    """A client that comes back whatever happens, until it has so many results.

    `seen` is all of the battles that it was sent, over all of its connections.
    """

    def __init__(
        self,
        universe: Universe,
        hello: Create | Join | Watch,
        place: str,
        board: int | None = None,
        results: int = 1,
    ) -> None:
        self.seen: list[Frame | Begin | Result] = []
        self.rooms: list[RoomState] = []
        self.mirror = Mirror()
        self.connections = 0
        self.joined = trio.Event()
        self.gives_up_at: int | None = None  # a tick
        self._universe = universe
        self._hello = hello
        self._place = place
        self._board = board
        self._results = results
        self.token = Token("")
        self._seat = ""

    @property
    def results(self) -> list[Result]:
        return [message for message in self.seen if isinstance(message, Result)]

    @property
    def begins(self) -> list[Begin]:
        return [message for message in self.seen if isinstance(message, Begin)]

    async def live(self) -> None:
        while len(self.results) < self._results:
            world = await self._universe.server()
            visitor = world.visit(self._place)
            self.connections += 1
            try:
                await self._talk(visitor)
            except (Closed, trio.BrokenResourceError, trio.ClosedResourceError):
                await trio.sleep(0.25)
            else:
                await visitor.drop()

    async def _talk(self, visitor: Visitor) -> None:
        if not self.token:
            await visitor.say(self._hello)
        else:
            last = self.mirror.position
            await visitor.say(Resume(version=PROTOCOL_VERSION, token=self.token, last=last))
        while len(self.results) < self._results:
            await self._take(await visitor.hear(), visitor)

    async def _take(self, message: Heard, visitor: Visitor) -> None:
        match message:
            case Welcome():
                self.token, self._place = message.token, message.room.id
                self._seat = message.seat or ""
                self.joined.set()
                await self._see_room(message.room, visitor)
            case RoomUpdate(room=room):
                await self._see_room(room, visitor)
            case Begin(battle=battle):
                if battle != self.mirror.battle:
                    self.mirror.begin(battle)
                    self.seen.append(message)
            case SnapshotMessage():
                self.mirror.load(message)
            case TickFrame() | RevivalFrame() | VesselFrame():
                self.mirror.apply(message)
                self.seen.append(message)
                if self.gives_up_at is not None and self.mirror.tick >= self.gives_up_at:
                    self.gives_up_at = None
                    await visitor.say(Forfeit())
            case Result() if message not in self.seen:
                self.seen.append(message)
            case Error(code=code):
                # Said twice, where an update came in between.
                assert code in ("wrong_phase", "already_ready"), message

    async def _see_room(self, room: RoomState, visitor: Visitor) -> None:
        assert not self.rooms or room.seq >= self.rooms[-1].seq
        self.rooms.append(room)
        mine = {"a": room.a, "b": room.b}.get(self._seat)
        if mine is None or self._board is None:
            return
        if room.phase == "over" and not mine.rematch:
            await visitor.say(Rematch())
        if room.phase != "building" or mine.ready:
            return
        if mine.has_board:
            await visitor.say(Ready(f"nonce-of-player-{self._board}"))
        else:
            await visitor.say(SubmitBoard(list(sample_boards().values())[self._board]))


class Party:
    """Two who play and two who look on, one of them at a part of it."""

    def __init__(self, universe: Universe, results: int = 1, best_of: int = 1) -> None:
        v = PROTOCOL_VERSION
        create = Create(version=v, name="Ada", best_of=best_of)
        place = PlainMint().room_id()
        self.ada = Guest(universe, create, "new", 0, results)
        self.bob = Guest(universe, Join(version=v, name="Bob"), place, 1, results)
        self.eve = Guest(universe, Watch(version=v, start="beginning"), place, results=results)
        part = Watch(version=v, channels=["tick", "vessel"])
        self.fay = Guest(universe, part, place, results=results)
        self.guests = (self.ada, self.bob, self.eve, self.fay)

    async def live(self, all_in: Callable[[], None] = lambda: None) -> None:
        """Lets them come, one after the other, and play to the end; calls back in between."""
        async with trio.open_nursery() as nursery:
            for guest in (self.ada, self.eve, self.fay, self.bob):
                nursery.start_soon(guest.live)
                await guest.joined.wait()
            all_in()

    def seen(self) -> list[list[Frame | Begin | Result]]:
        return [guest.seen for guest in self.guests]

    def assert_kept(self, kept: Kept) -> None:
        """Whatever anyone has been told is kept."""
        (room,) = kept.rooms
        assert room.record.seq >= max(guest.rooms[-1].seq for guest in self.guests)
        keys = {key for session in room.sessions for key in session.keys}
        ended = {one.record.battle for one in room.rounds if one.ending}
        for guest in self.guests:
            assert hashlib.sha256(guest.token.encode()).hexdigest() in keys
            assert not guest.begins or guest.begins[-1].battle in [
                one.record.battle for one in room.rounds
            ]
            assert not guest.results or guest.results[-1].battle in ended


@asynccontextmanager
async def universe(
    limits: Limits | None = None, down_seconds: float = 3.0, **settings: Any
) -> AsyncIterator[Universe]:
    """`settings` are of the configuration."""
    async with trio.open_nursery() as nursery:
        it = Universe(limits, **settings)
        await nursery.start(it.run, down_seconds)
        yield it
        nursery.cancel_scope.cancel()
