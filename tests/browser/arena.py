"""A server whose players are bots, for a page to look at, and a wire between the two to cut."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import trio

from protocol.client import Client, open_client
from protocol.messages import Begin, Create, Forfeit, Join, Leave, Result, RoomId, Welcome
from server.app import Running, serve
from server.cli.board import find_board
from server.cli.bots import Pilot
from server.config import Config
from tests.browser.chromium import Page, find_chromium

needs_chromium = pytest.mark.skipif(
    find_chromium() is None, reason="no chromium on the path: apt-get install chromium"
)


@dataclass
class Players:
    """Two bots in a room, that fight so many rounds as one of them has won more than half of."""

    names: tuple[str, str] = ("Ada", "Grace")
    boards: tuple[str, str] = ("candle-tide", "frozen-ledger")
    key: str | None = None
    best_of: int = 1
    leaves: bool = False  # the first of them, once a battle is over
    begun: trio.Event = field(default_factory=trio.Event)  # a pause that a test ends
    fighting: trio.Event = field(default_factory=trio.Event)
    left: trio.Event = field(default_factory=trio.Event)
    giving_up: trio.Event = field(default_factory=trio.Event)  # then the second one forfeits
    results: list[Result] = field(default_factory=list)
    over: trio.Event = field(default_factory=trio.Event)  # the first of their battles

    async def play(
        self, url: str, *, task_status: trio.TaskStatus[RoomId] = trio.TASK_STATUS_IGNORED
    ) -> None:
        """Gives the room as soon as both are in it; they fight once `begun` is set."""
        create = Create(version=1, name=self.names[0], key=self.key, best_of=self.best_of)
        join = Join(version=1, name=self.names[1], key=self.key)
        async with open_client(url, create) as first:
            welcome = await anext(first)
            assert isinstance(welcome, Welcome)
            room = welcome.room.id
            async with open_client(url, join, room) as second, trio.open_nursery() as nursery:
                pilots = [Pilot(itertools.repeat(find_board(name).board)) for name in self.boards]
                pilots[0].hear(welcome)
                nursery.start_soon(self._drive, first, pilots[0])
                nursery.start_soon(self._drive, second, pilots[1])
                nursery.start_soon(self._give_up, second)
                task_status.started(room)

    async def _give_up(self, client: Client) -> None:
        await self.giving_up.wait()
        await client.send(Forfeit())

    async def _drive(self, client: Client, pilot: Pilot) -> None:
        try:
            await self._follow(client, pilot)
        finally:
            if pilot.seat == "a":
                self.left.set()

    async def _follow(self, client: Client, pilot: Pilot) -> None:
        async for update in client:
            for message in pilot.hear(update):
                await self.begun.wait()
                await client.send(message)
            if isinstance(update, Begin):
                self.fighting.set()
            if isinstance(update, Result) and pilot.seat == "a":
                self.results.append(update)
                self.over.set()
                if self.leaves:
                    await client.send(Leave())


@asynccontextmanager
async def open_arena(pace: float, **settings: Any) -> AsyncIterator[tuple[Running, trio.Nursery]]:
    """A server on a free port, and where what plays on it runs."""
    with TemporaryDirectory() as faults:
        config = Config(port=0, pace=pace, faults=Path(faults), **settings)
        async with trio.open_nursery() as nursery:
            running: Running = await nursery.start(serve, config)
            yield running, nursery
            nursery.cancel_scope.cancel()


def page_of(running: Running, port: int | None = None) -> str:
    """The address of the server's page, or of a wire to it."""
    return f"http://127.0.0.1:{running.port if port is None else port}/"


async def open_alone(page: Page, running: Running) -> None:
    """Opens the page of a server without rooms, which hears of none from then on either: what is
    put on its stage stays.
    """
    await page.open(page_of(running))
    await page.wait("!document.getElementById('none').hidden")
    await page.run("globalThis.fetch = () => new Promise(() => {}); true")


class Wire:
    """A TCP proxy to a port. While it is cut, nobody comes through."""

    def __init__(self, port: int) -> None:
        self.port = 0
        self.is_cut = False
        self._to = port
        self._scopes: set[trio.CancelScope] = set()
        self._mute = 0  # the first so many connections are dead
        self._came = 0

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        async with trio.open_nursery() as nursery:
            listeners = await nursery.start(trio.serve_tcp, self._carry, 0)
            self.port = listeners[0].socket.getsockname()[1]
            task_status.started()

    def cut(self) -> None:
        """Every connection ends without a word, and no other comes."""
        self.is_cut = True
        for scope in self._scopes:
            scope.cancel()

    def mute(self) -> None:
        """Nothing gets through any more on the connections there are; they stay open."""
        self._mute = self._came

    def mend(self) -> None:
        self.is_cut = False

    async def _carry(self, near: trio.SocketStream) -> None:
        if self.is_cut:
            return
        with trio.CancelScope() as scope:
            self._scopes.add(scope)
            number = self._came
            self._came += 1
            far = await trio.open_tcp_stream("127.0.0.1", self._to)
            async with far, trio.open_nursery() as nursery:
                nursery.start_soon(self._pump, near, far, number)
                await self._pump(far, near, number)
                nursery.cancel_scope.cancel()
        self._scopes.discard(scope)

    async def _pump(self, source: trio.SocketStream, sink: trio.SocketStream, number: int) -> None:
        try:
            async for data in source:
                if number >= self._mute:
                    await sink.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return  # the other end has gone
