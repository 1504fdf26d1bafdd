"""The load test against a real server: it passes where all is well, and notices what is not.

Its clients are processes of their own, so these tests take a few real seconds.
"""

from __future__ import annotations

import io
from functools import partial

import pytest
import trio
from rich.console import Console
from websockets.frames import Frame, Opcode

from server.app import serve
from server.cli.run import CommandFailed
from server.config import Config
from server.feed import Feed
from server.limits import Limits
from server.load import command
from server.load.command import measure
from server.load.outcome import Outcome
from server.load.scrape import Scrape, scrape
from server.load.share import Wishes

PACE = 40.0


async def load(seconds: float = 1.5, limits: Limits | None = None, **wishes: object) -> Outcome:
    """A load test of a server that runs here."""
    config = Config(port=0, pace=PACE, limits=limits or Limits())
    async with trio.open_nursery() as nursery:
        running = await nursery.start(serve, config)
        asked = Wishes(url=running.url, pace=PACE, seconds=seconds, **wishes)  # type: ignore[arg-type]
        outcome = await measure(asked, 2, Console(file=io.StringIO()))
        nursery.cancel_scope.cancel()
    return outcome


async def test_a_server_that_is_well_passes() -> None:
    outcome = await load(rooms=3, spectators=4, bystanders=1, verify=True)
    tally = outcome.tally
    assert outcome.passed, outcome.to_object()
    assert not tally.errors
    assert tally.joined == tally.open == outcome.expected == 20
    assert tally.frames > 100
    assert tally.battles > 0
    assert tally.digests > 0
    assert outcome.lag
    assert outcome.aside
    assert outcome.server.cpu_seconds
    assert {row[0] for row in outcome._rows()} >= {"tick lateness", "server memory"}


async def test_dropping_and_resuming_loses_nothing() -> None:
    # Long enough that on a busy machine, too, somebody has gone and is back.
    outcome = await load(12.0, rooms=2, spectators=10, churn=True, slow=True, verify=True)
    assert outcome.passed, outcome.to_object()
    assert outcome.tally.dropped > 0
    assert outcome.tally.resumed > 0
    assert not outcome.tally.errors


async def test_rooms_come_and_go() -> None:
    outcome = await load(3.0, rooms=2, spectators=2, turnover=True)
    assert outcome.passed, outcome.to_object()
    assert outcome.tally.joined > outcome.expected
    assert not outcome.tally.errors


async def test_frames_that_are_lost_on_purpose_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole, fed = Feed.add_frames, [0]

    def add_most_frames(feed: Feed, frames: dict[int, bytes], now: float) -> None:
        fed[0] += 1
        if fed[0] % 10:
            whole(feed, frames, now)

    monkeypatch.setattr(Feed, "add_frames", add_most_frames)
    outcome = await load(rooms=1, spectators=2)
    assert outcome.tally.gaps > 0
    assert not outcome.passed


async def test_frames_that_are_sent_twice_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Feed.add_frames

    def add_frames_twice(feed: Feed, frames: dict[int, bytes], now: float) -> None:
        whole(feed, frames, now)
        whole(feed, frames, now)

    monkeypatch.setattr(Feed, "add_frames", add_frames_twice)
    outcome = await load(rooms=1, spectators=2)
    assert outcome.tally.doubles > 0
    assert not outcome.passed


async def test_what_was_met_is_told_though_the_server_is_down_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = iter((scrape, scrape))

    def scrape_until_it_is_down(url: str) -> Scrape | None:
        for look in looks:
            return look(url)
        raise ConnectionRefusedError

    monkeypatch.setattr(command, "scrape", scrape_until_it_is_down)
    outcome = await load(rooms=1, spectators=2)
    assert outcome.server.trouble == "down"
    assert outcome.tally.frames
    assert not outcome.tally.faults
    assert not outcome.passed


async def test_a_server_that_talks_garbage_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    async def talk(stream: trio.SocketStream) -> None:
        if b"/metrics" in await stream.receive_some():
            await stream.send_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        else:
            binary = Frame(Opcode.BINARY, b"x").serialize(mask=False)
            await stream.send_all(b"HTTP/1.1 101 Switching Protocols\r\n\r\n" + binary)
            await stream.receive_some()  # until they have gone
        await stream.aclose()

    monkeypatch.setattr(command, "COMING_SECONDS", 1.0)
    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(partial(trio.serve_tcp, talk, 0, host="127.0.0.1"))
        port = listeners[0].socket.getsockname()[1]
        wishes = Wishes(url=f"ws://127.0.0.1:{port}", rooms=1, spectators=0, seconds=0.5)
        outcome = await measure(wishes, 1, Console(file=io.StringIO()))
        nursery.cancel_scope.cancel()
    assert outcome.tally.errors["frame of kind 0x82"]
    assert not outcome.passed


async def test_no_server_is_a_sentence() -> None:
    wishes = Wishes(url="ws://127.0.0.1:1", rooms=1, spectators=1)
    with pytest.raises(CommandFailed, match="no server can be reached"):
        await measure(wishes, 1, Console(file=io.StringIO()))
