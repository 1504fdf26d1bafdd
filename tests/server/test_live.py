"""The whole server over real sockets, watched by clients as anyone would write them."""

from __future__ import annotations

import random
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import cast

import pytest
import trio
from websockets.protocol import Protocol, Side, State
from websockets.trio.client import ClientConnection

from engine import Battle, Setup, base_catalog, read_board, sample_boards, state_digest
from protocol.client import Client, Connect, Socket, open_client, websocket
from protocol.codec import decode_to_client, encode
from protocol.fairness import check_result
from protocol.frames import writer_of
from protocol.messages import (
    CHANNELS,
    Begin,
    Channel,
    Create,
    Frame,
    Join,
    Ready,
    Result,
    RevivalFrame,
    RoomId,
    RoomUpdate,
    SnapshotMessage,
    SubmitBoard,
    TickFrame,
    VesselFrame,
    Watch,
    Welcome,
)
from protocol.session import Update
from server.app import Running, serve
from server.config import Config
from server.limits import Limits
from tests.server.rooms import RULES

PACE = 25
FRAMES = (TickFrame, RevivalFrame, VesselFrame)


@asynccontextmanager
async def running(config: Config | None = None) -> AsyncIterator[Running]:
    """A server on a free port, its battles faster than life."""
    async with trio.open_nursery() as nursery:
        yield await nursery.start(serve, config or Config(port=0, pace=PACE, rules=RULES))
        nursery.cancel_scope.cancel()


class Ticks:
    """Tells others how far the battle has come, as one client sees it."""

    def __init__(self) -> None:
        self._now = -1
        self._over = False
        self._changed = trio.Event()

    def at(self, tick: int, *, over: bool = False) -> None:
        self._now, self._over = tick, over
        self._changed.set()
        self._changed = trio.Event()

    async def reach(self, tick: int) -> None:
        """Waits for this tick, or the end of the battle."""
        while self._now < tick and not self._over:
            await self._changed.wait()


class Wire:
    """Connections that a test can cut. Give `connect` to a client."""

    def __init__(self) -> None:
        self.connections = 0
        self._stream: trio.abc.Stream | None = None

    @property
    def connect(self) -> Connect:
        return self._connect

    @asynccontextmanager
    async def _connect(self, url: str) -> AsyncIterator[Socket]:
        async with websocket(url) as connection:
            self.connections += 1
            self._stream = cast(ClientConnection, connection).stream
            yield connection

    async def cut(self) -> None:
        if self._stream is not None:
            await trio.aclose_forcefully(self._stream)


class Seen:
    """All that one client was sent, over all of its connections."""

    def __init__(self, channels: list[Channel]) -> None:
        self.channels = channels
        self.frames: list[Frame] = []
        self.starts: list[SnapshotMessage] = []
        self.results: list[Result] = []
        self.begins: list[Begin] = []
        self.troubles: dict[str, int] = {}
        self.state = ""
        self.began = self.ended = 0.0
        self.connections = 0

    def take(self, update: Update, client: Client) -> None:
        match update:
            case TickFrame() | RevivalFrame() | VesselFrame():
                self.frames.append(update)
            case SnapshotMessage():
                self.starts.append(update)
            case Begin():
                self.begins.append(update)
                self.began = trio.current_time()
            case Result():
                self.results.append(update)
                self.ended = trio.current_time()
                if "tick" in self.channels:
                    self.state = state_digest(client.mirror.state_at(update.tick))
        self.troubles = dict(client.session.troubles)


def frames_of(begin: Begin, result: Result) -> tuple[list[Frame], Battle]:
    """Every frame of the battle, made again from what was published, and the battle."""
    a, b = (read_board(begin.boards[seat], base_catalog(), RULES) for seat in ("a", "b"))
    battle = Battle(Setup(result.seed, RULES, base_catalog(), (a, b)))
    writer, frames = writer_of(battle, result.battle), []
    while not writer.over:
        frames += [decode_to_client(data) for data in writer.step().frames.values()]
    return [frame for frame in frames if isinstance(frame, FRAMES)], battle


async def play(
    url: str,
    hello: Create | Join,
    room: RoomId | None,
    number: int,
    seen: Seen,
    ticks: Ticks,
    entered: Callable[[RoomId], None] = lambda _: None,
    wire: Wire | None = None,
) -> None:
    """Plays one series, however long it takes."""
    connect = wire.connect if wire else websocket
    async with open_client(url, hello, room, connect=connect) as client:
        async for update in client:
            seen.take(update, client)
            match update:
                case Welcome(room=state, seat=seat):
                    if not seen.begins:
                        await client.send(SubmitBoard(list(sample_boards().values())[number]))
                    entered(state.id)
                case TickFrame(tick=tick):
                    ticks.at(tick)
                case RoomUpdate(room=state):
                    mine = state.a if seat == "a" else state.b
                    if state.phase == "building" and mine and mine.has_board and not mine.ready:
                        await client.send(Ready(f"nonce-of-player-{number}"))
                    if state.phase == "over":
                        ticks.at(1 << 30, over=True)
                        return


async def watch(
    url: str, room: RoomId, hello: Watch, seen: Seen, ticks: Ticks, cuts: list[int]
) -> None:
    """Watches to the result; the connection breaks at these ticks."""
    wire = Wire()

    async def cut() -> None:
        for tick in cuts:
            await ticks.reach(tick)
            await wire.cut()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(cut)
        async with open_client(url, hello, room, connect=wire.connect) as client:
            async for update in client:
                seen.take(update, client)
                if isinstance(update, Result):
                    break
        nursery.cancel_scope.cancel()
    seen.connections = wire.connections


class Silent:
    """A spectator that says what it wants and then never reads again."""

    def __init__(self) -> None:
        self._socket: trio.socket.SocketType | None = None

    async def come(self, url: str, room: RoomId) -> None:
        self._socket = trio.socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        host, _, port = url.removeprefix("ws://").partition(":")
        await self._socket.connect((host, int(port)))
        stream = trio.SocketStream(self._socket)
        await stream.send_all(
            f"GET /rooms/{room} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\n"
            "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
        )
        assert b"101" in await stream.receive_some(1024)
        protocol = Protocol(Side.CLIENT, state=State.OPEN)
        protocol.send_text(encode(Watch(version=1, start="beginning")))
        for data in protocol.data_to_send():
            await stream.send_all(data)
        await stream.receive_some(1)  # it is let in


def assert_nothing_missing_and_nothing_twice(seen: Seen, frames: list[Frame]) -> None:
    """What was seen of each channel is all of it from where the first snapshot says."""
    assert not seen.troubles
    for channel in CHANNELS:
        mine = [frame for frame in seen.frames if frame.__struct_config__.tag == channel]
        if channel not in seen.channels:
            assert not mine
            continue
        first = getattr(seen.starts[0].next, channel) if seen.starts else 0
        assert mine == [f for f in frames if f.__struct_config__.tag == channel][first:]


@pytest.mark.parametrize("seed", [1, 2])
async def test_a_battle_as_everyone_sees_it(seed: int) -> None:
    """Two fight, ten spectators come and go at random, one stops reading."""
    print("seed", seed)
    dice = random.Random(seed)
    limits = Limits(socket_bytes=1, behind_seconds=1e9)
    config = Config(port=0, pace=PACE, rules=RULES, limits=limits)
    ada, bob, ticks = Seen(list(CHANNELS)), Seen(list(CHANNELS)), Ticks()
    spectators = [Seen(dice.sample(CHANNELS, dice.randint(1, 3))) for _ in range(10)]
    silent, rooms, entered = Silent(), list[RoomId](), trio.Event()

    def enter(room: RoomId) -> None:
        rooms.append(room)
        entered.set()

    async def come(seen: Seen, tick: int, cuts: list[int], url: str) -> None:
        await ticks.reach(tick)
        start = dice.choice(("now", "beginning"))
        hello = Watch(version=1, channels=seen.channels, start=start)  # type: ignore[arg-type]
        await watch(url, rooms[0], hello, seen, ticks, cuts)

    async with running(config) as server, trio.open_nursery() as nursery:
        one = Create(version=1, name="Ada", best_of=1)
        nursery.start_soon(play, server.url, one, None, dice.randrange(8), ada, ticks, enter)
        await entered.wait()
        players = set(server.hall.find(rooms[0]).audience)
        await silent.come(server.url, rooms[0])
        (stalled,) = set(server.hall.find(rooms[0]).audience) - players
        for number, seen in enumerate(spectators):
            came = dice.choice((-1, dice.randrange(150)))
            cuts = sorted(dice.sample(range(came + 10, came + 150), 2)) if number % 2 else []
            nursery.start_soon(come, seen, came, cuts, server.url)

        two = Join(version=1, name="Bob")
        nursery.start_soon(play, server.url, two, rooms[0], dice.randrange(8), bob, ticks)

    assert stalled._busy
    (result,), (begin,) = ada.results, ada.begins
    # Far less than the time after which one that takes nothing is closed.
    assert ada.ended - ada.began < result.tick / 20 / PACE + 1
    check_result(result, begin.commitment)
    frames, battle = frames_of(begin, result)
    assert battle.result is not None
    assert (battle.result.digest, battle.result.tick) == (result.digest, result.tick)
    final = state_digest(battle.snapshot())
    for seen in (ada, bob, *spectators):
        assert_nothing_missing_and_nothing_twice(seen, frames)
        assert seen.results[-1] == result
        if "tick" in seen.channels:
            assert seen.state == final
    assert ada.frames == bob.frames == frames
    assert sum(seen.connections for seen in spectators) > len(spectators)  # some did come back


async def test_a_player_who_drops_in_the_battle_comes_back_to_the_same() -> None:
    ada, bob, ticks, wire = Seen(list(CHANNELS)), Seen(list(CHANNELS)), Ticks(), Wire()
    rooms, entered = list[RoomId](), trio.Event()

    def enter(room: RoomId) -> None:
        rooms.append(room)
        entered.set()

    async def cut() -> None:
        for tick in (30, 250):
            await ticks.reach(tick)
            await wire.cut()

    async with running() as server, trio.open_nursery() as nursery:
        one = Create(version=1, name="Ada", best_of=1)
        nursery.start_soon(play, server.url, one, None, 0, ada, ticks, enter, wire)
        await entered.wait()
        nursery.start_soon(play, server.url, Join(version=1, name="Bob"), rooms[0], 1, bob, ticks)
        nursery.start_soon(cut)
    assert wire.connections >= 3
    frames, _ = frames_of(bob.begins[0], bob.results[0])
    assert_nothing_missing_and_nothing_twice(ada, frames)
    assert ada.results[-1] == bob.results[0]


async def test_the_server_ends_at_once_and_tells_everyone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Also those are left behind who read nothing."""
    limits = Limits(socket_bytes=1, close_seconds=0.2)
    entered, rooms = trio.Event(), list[RoomId]()
    silent, codes = Silent(), list[tuple[str, float | None]]()

    async def stay(server: Running) -> None:
        hello = Create(version=1, name="Ada")
        async with open_client(server.url, hello) as client:
            async for update in client:
                if isinstance(update, Welcome):
                    rooms.append(update.room.id)
                    entered.set()
                if type(update).__name__ == "Bye":
                    codes.append((str(update.code), update.retry_seconds))  # type: ignore[union-attr]
                if type(update).__name__ == "Lost":
                    codes.append((str(update.code), None))  # type: ignore[union-attr]
                    return

    async with trio.open_nursery() as nursery:
        async with running(Config(port=0, rules=RULES, limits=limits)) as server:
            nursery.start_soon(stay, server)
            await entered.wait()
            await silent.come(server.url, rooms[0])
            start = trio.current_time()
        assert trio.current_time() - start < 2
    (bye, retry), (lost, _) = codes
    assert (bye, lost) == ("1012", "1012")
    assert retry is not None
    assert "Traceback" not in capsys.readouterr().out
