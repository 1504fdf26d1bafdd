"""What a connection leaves behind: nothing, however it ends."""

from __future__ import annotations

import gc
import json
import socket
import struct
import weakref
from collections.abc import Iterator
from functools import partial
from types import TracebackType

import pytest
import trio
from websockets.exceptions import ConnectionClosed
from websockets.trio.client import ClientConnection, connect

from protocol.codec import Rejected
from protocol.messages import BattleId
from server.app import serve
from server.battles import BattleRun
from server.commands import Refuse, Terms
from server.config import Config
from server.feed import Feed
from server.limits import Limits
from server.line import Line
from server.metrics import Metrics
from tests.protocol.battles import sample_setup

RESET = struct.pack("ii", 1, 0)


@pytest.fixture
def no_cycles_are_collected() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def lines() -> int:
    return sum(type(one) is Line for one in gc.get_objects())


async def end(how: str, client: ClientConnection) -> None:
    match how:
        case "cut":
            await trio.aclose_forcefully(client.stream)
        case "reset":
            assert isinstance(client.stream, trio.SocketStream)
            client.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            await trio.aclose_forcefully(client.stream)
        case "garbage":
            await client.stream.send_all(b"\xff" * 50)
        case "half a frame":
            await client.stream.send_all(b"\x81\xfe")
            await trio.aclose_forcefully(client.stream)


@pytest.mark.usefixtures("no_cycles_are_collected")
@pytest.mark.parametrize("how", ["close", "cut", "reset", "garbage", "half a frame"])
async def test_a_connection_that_has_ended_is_gone_without_looking_for_cycles(how: str) -> None:
    async with trio.open_nursery() as nursery:
        running = await nursery.start(partial(serve, Config(port=0)))
        url = f"{running.url}/rooms/new"
        for name in ("Ada", "Bob"):
            async with connect(url, compression=None, proxy=None, close_timeout=1) as client:
                await client.send(json.dumps({"type": "create", "version": 1, "name": name}))
                assert "welcome" in str(await client.recv())
                assert lines() > 0
                await end(how, client)
            with pytest.raises(ConnectionClosed):
                await client.recv()
        with trio.fail_after(60):
            while lines():  # noqa: ASYNC110 - nobody tells of what is no more
                await trio.sleep(0.02)
        nursery.cancel_scope.cancel()


def refusals() -> int:
    kinds = (BaseException, TracebackType, Refuse, Rejected)
    return sum(isinstance(one, kinds) for one in gc.get_objects())


@pytest.mark.usefixtures("no_cycles_are_collected")
async def test_what_is_refused_is_gone_without_looking_for_cycles() -> None:
    """At the first message and later, by the decoder and by the room."""
    firsts = ["[", "{}", {"type": "create", "version": 1, "name": " "}, {"type": "ready"}]
    board = {"type": "board", "board": {"units": [{"cell": 9, "card": "no such card"}]}}
    later = ["{", {"type": "quick"}, {"type": "forfeit"}, board, {"type": "ready", "nonce": "ab"}]
    async with trio.open_nursery() as nursery:
        limits = Limits(messages_burst=1000)
        running = await nursery.start(partial(serve, Config(port=0, limits=limits)))
        async with connect(f"{running.url}/rooms/new", compression=None, proxy=None) as client:

            async def say(*messages: object) -> None:
                for message in messages:
                    text = message if isinstance(message, str) else json.dumps(message)
                    await client.send(text)
                    assert '"error"' in str(await client.recv())

            before = refusals()
            await say(*firsts)
            await client.send(json.dumps({"type": "create", "version": 1, "name": "Ada"}))
            assert "welcome" in str(await client.recv())
            await say(*later)
            assert refusals() == before
            nursery.cancel_scope.cancel()


@pytest.mark.usefixtures("no_cycles_are_collected")
@pytest.mark.parametrize("ticks", [100, 2_000])  # stopped in the middle, and fought to its end
@pytest.mark.parametrize("ahead", [0, 3_000])
def test_a_battle_that_is_over_leaves_no_cycles(ticks: int, ahead: int) -> None:
    def fight() -> list[weakref.ref[object]]:
        terms = Terms(
            BattleId("r.1"), 1, 1, sample_setup("candle-tide", "slow-kiln"), "", b"", {}, {}
        )
        run = BattleRun(terms, Feed(1, terms.battle), 0.05, 0.0, Metrics())
        if ahead:
            run.look_ahead(ahead)
        run.advance_to(ticks)
        assert run.feed.snapshot is not None
        run.feed.keyframe()
        return [weakref.ref(run), weakref.ref(run.feed)]

    held = fight()
    assert [one() for one in held] == [None, None]
