"""The whole server over real sockets, watched by clients as anyone would write them."""

from __future__ import annotations

import random
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
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
from tests.server.held import Conductor, Deed
from tests.server.rooms import RULES
from tests.server.strangers import PATIENCE_SECONDS

PACE = 25
# Nobody is closed for taking nothing, and no battle is void for standing still.
UNHURRIED = Limits(
    socket_bytes=1,
    behind_seconds=1e9,
    stall_seconds=1e9,
    ping_seconds=1e9,
    battle_grace_seconds=1e9,
)
FRAMES = (TickFrame, RevivalFrame, VesselFrame)


@asynccontextmanager
async def running(config: Config | None = None) -> AsyncIterator[Running]:
    """A server on a free port, its battles faster than life."""
    async with trio.open_nursery() as nursery:
        yield await nursery.start(serve, config or Config(port=0, pace=PACE, rules=RULES))
        nursery.cancel_scope.cancel()


class Wire:
    """Connections that a test can cut. Give `connect` to a client."""

    def __init__(self) -> None:
        self._stream: trio.abc.Stream | None = None

    @property
    def connect(self) -> Connect:
        return self._connect

    @asynccontextmanager
    async def _connect(self, url: str) -> AsyncIterator[Socket]:
        async with websocket(url) as connection:
            self._stream = cast(ClientConnection, connection).stream
            yield connection

    async def cut(self) -> None:
        assert self._stream is not None
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
        self.welcomes = 0
        self._welcomed = trio.Event()

    def take(self, update: Update, client: Client) -> None:
        match update:
            case TickFrame() | RevivalFrame() | VesselFrame():
                self.frames.append(update)
            case SnapshotMessage():
                self.starts.append(update)
            case Welcome():
                self.welcomes += 1
                self._welcomed.set()
                self._welcomed = trio.Event()
            case Begin():
                self.begins.append(update)
            case Result():
                self.results.append(update)
                if "tick" in self.channels:
                    self.state = state_digest(client.mirror.state_at(update.tick))
        self.troubles = dict(client.session.troubles)

    async def come(self, times: int = 1) -> None:
        """Waits until it has been let in so many times."""
        while self.welcomes < times:
            await self._welcomed.wait()


async def cut(seen: Seen, wire: Wire, times: int) -> None:
    """Cuts this one's line once it is there for the so manieth time."""
    await seen.come(times)
    await wire.cut()


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
                case RoomUpdate(room=state):
                    mine = state.a if seat == "a" else state.b
                    if state.phase == "building" and mine and mine.has_board and not mine.ready:
                        await client.send(Ready(f"nonce-of-player-{number}"))
                    if state.phase == "over":
                        return


async def watch(url: str, room: RoomId, hello: Watch, seen: Seen, wire: Wire) -> None:
    """Watches to the result."""
    async with open_client(url, hello, room, connect=wire.connect) as client:
        async for update in client:
            seen.take(update, client)
            if isinstance(update, Result):
                return


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
async def test_a_battle_as_everyone_sees_it(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two fight, ten spectators come and go at random, one stops reading, and nothing is done about
    it: who waited for that one would wait for ever."""
    print("seed", seed)
    dice = random.Random(seed)
    config = Config(port=0, pace=PACE, rules=RULES, limits=UNHURRIED)
    ada, bob, conductor = Seen(list(CHANNELS)), Seen(list(CHANNELS)), Conductor(monkeypatch)
    spectators = [Seen(dice.sample(CHANNELS, dice.randint(1, 3))) for _ in range(10)]
    silent, rooms, entered = Silent(), list[RoomId](), trio.Event()

    def enter(room: RoomId) -> None:
        rooms.append(room)
        entered.set()

    with trio.fail_after(PATIENCE_SECONDS):
        async with running(config) as server, trio.open_nursery() as nursery:
            one = Create(version=1, name="Ada", best_of=1)
            nursery.start_soon(play, server.url, one, None, dice.randrange(8), ada, enter)
            await entered.wait()
            stage = server.hall.find(rooms[0])
            players = set(stage.audience)
            await silent.come(server.url, rooms[0])
            (stalled,) = set(stage.audience) - players

            async def come(seen: Seen, wire: Wire) -> None:
                start = dice.choice(("now", "beginning"))
                hello = Watch(version=1, channels=seen.channels, start=start)  # type: ignore[arg-type]
                nursery.start_soon(watch, server.url, rooms[0], hello, seen, wire)
                await seen.come()

            deeds: list[tuple[float, Deed]] = []
            for number, seen in enumerate(spectators):
                wire, came = Wire(), dice.random() / 2
                if dice.random() < 0.5:
                    await come(seen, wire)
                else:
                    deeds.append((came, partial(come, seen, wire)))
                if number % 2:
                    shares = sorted(dice.uniform(came, 1) for _ in range(2))
                    cuts = [partial(cut, seen, wire, times) for times in (1, 2)]
                    deeds += zip(shares, cuts, strict=True)
            nursery.start_soon(conductor.conduct, stage, deeds)
            two = Join(version=1, name="Bob")
            nursery.start_soon(play, server.url, two, rooms[0], dice.randrange(8), bob)

    assert stalled._busy
    (result,), (begin,) = ada.results, ada.begins
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
    assert [seen.welcomes for seen in spectators] == [1, 3] * 5  # half of them did come back


async def test_a_player_who_drops_in_the_battle_comes_back_to_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ada, bob, wire = Seen(list(CHANNELS)), Seen(list(CHANNELS)), Wire()
    rooms, entered, conductor = list[RoomId](), trio.Event(), Conductor(monkeypatch)
    config = Config(port=0, pace=PACE, rules=RULES, limits=UNHURRIED)

    def enter(room: RoomId) -> None:
        rooms.append(room)
        entered.set()

    with trio.fail_after(PATIENCE_SECONDS):
        async with running(config) as server, trio.open_nursery() as nursery:
            one = Create(version=1, name="Ada", best_of=1)
            nursery.start_soon(play, server.url, one, None, 0, ada, enter, wire)
            await entered.wait()
            first, second = (partial(cut, ada, wire, times) for times in (1, 2))
            cuts = ((0.1, first), (0.6, second))
            nursery.start_soon(conductor.conduct, server.hall.find(rooms[0]), cuts)
            nursery.start_soon(play, server.url, Join(version=1, name="Bob"), rooms[0], 1, bob)
    assert ada.welcomes == 3
    frames, _ = frames_of(bob.begins[0], bob.results[0])
    assert_nothing_missing_and_nothing_twice(ada, frames)
    assert ada.results[-1] == bob.results[0]


async def test_the_server_ends_at_once_and_tells_everyone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Also those are left behind who read nothing."""
    limits = replace(UNHURRIED, close_seconds=0.2)
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

    config = Config(port=0, rules=RULES, limits=limits)
    with trio.fail_after(PATIENCE_SECONDS):
        async with trio.open_nursery() as nursery, running(config) as server:
            nursery.start_soon(stay, server)
            await entered.wait()
            await silent.come(server.url, rooms[0])
    (bye, retry), (lost, _) = codes
    assert (bye, lost) == ("1012", "1012")
    assert retry is not None
    assert "Traceback" not in capsys.readouterr().out
