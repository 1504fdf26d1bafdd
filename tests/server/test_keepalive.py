"""Signs of life: who gives them stays, however long, and who gives none is closed."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import os

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from protocol.codes import CloseCode
from server.config import Config
from server.delivery import PING
from server.keepalive import SILENT, STEP_SECONDS, Keepalive
from server.limits import Limits
from server.metronome import Metronome
from tests.server.feeds import Written
from tests.server.peers import KINDS, PONG, link

SECONDS = 20.0


@pytest.mark.parametrize("kind", KINDS)
async def test_who_answers_stays(kind: str, autojump_clock: MockClock) -> None:
    metronome = Metronome()
    keepalive = Keepalive(metronome, SECONDS, Config().next_beat)
    async with link(Written().feed, kind) as it, trio.open_nursery() as nursery:
        nursery.start_soon(metronome.run)
        await wait_all_tasks_blocked()
        keepalive.add(it.follower)
        for _ in range(10):
            assert await it.peer.read() == ["ping"]
            await it.peer.stream.send_all(PONG)
        assert 10 * SECONDS <= trio.current_time() <= 10 * (SECONDS + 2 * STEP_SECONDS)
        assert it.connection.state.name == "OPEN"
        nursery.cancel_scope.cancel()


async def test_who_gives_no_sign_of_life_is_closed(autojump_clock: MockClock) -> None:
    metronome = Metronome()
    keepalive = Keepalive(metronome, SECONDS, Config().next_beat)
    async with link(Written().feed, "socket") as it, trio.open_nursery() as nursery:
        nursery.start_soon(metronome.run)
        await wait_all_tasks_blocked()
        keepalive.add(it.follower)
        with trio.fail_after(2 * SECONDS + 5):
            await it.connection.wait_closed()
        assert trio.current_time() >= 2 * SECONDS
        assert await it.peer.read_until(f"close {CloseCode.TRY_LATER.value}")
        nursery.cancel_scope.cancel()


async def test_who_has_gone_is_not_asked(autojump_clock: MockClock) -> None:
    metronome = Metronome()
    keepalive = Keepalive(metronome, SECONDS, Config().next_beat)
    async with link(Written().feed, "socket") as it, trio.open_nursery() as nursery:
        nursery.start_soon(metronome.run)
        await wait_all_tasks_blocked()
        keepalive.add(it.follower)
        assert len(keepalive) == 1
        keepalive.remove(it.follower)
        await trio.sleep(3 * SECONDS)
        assert it.peer.read_now() == []
        assert len(keepalive) == 0
        nursery.cancel_scope.cancel()


async def test_one_who_leaves_the_librarys_own_answers_unread_is_closed(
    autojump_clock: MockClock,
) -> None:
    """Whoever pings and reads nothing is never unheard, and never asked."""
    metronome = Metronome()
    limits = Limits()
    keepalive = Keepalive(metronome, SECONDS, Config().next_beat)
    async with link(Written().feed, "socket") as it, trio.open_nursery() as nursery:
        nursery.start_soon(metronome.run)
        await wait_all_tasks_blocked()
        keepalive.add(it.follower)
        async with it.connection.send_lock:
            await trio.sleep(SECONDS + STEP_SECONDS)
            assert it.connection.stream.socket.fileno() != -1  # type: ignore[attr-defined]
            await trio.sleep(SECONDS + STEP_SECONDS + limits.stall_seconds)
            assert it.connection.stream.socket.fileno() == -1  # type: ignore[attr-defined]
        nursery.cancel_scope.cancel()


async def test_nobody_is_asked_twice_in_one_turn(autojump_clock: MockClock) -> None:
    metronome = Metronome()
    keepalive = Keepalive(metronome, 0.0, Config().next_beat)
    async with link(Written().feed, "socket") as it:
        await wait_all_tasks_blocked()
        keepalive.add(it.follower)
        assert keepalive.work(trio.current_time()) > trio.current_time()
        assert it.peer.read_now() == ["ping"]


async def test_one_that_is_being_written_to_is_not_asked_as_well(
    autojump_clock: MockClock,
) -> None:
    async with link(Written().feed, "socket") as it:
        await wait_all_tasks_blocked()
        async with it.connection.send_lock:
            assert not it.follower.ping()
        assert not it.connection.unheard
        assert it.follower.ping()
        unheard: bool = it.connection.unheard
        assert unheard
        assert isinstance(it.peer.stream, trio.SocketStream)
        assert os.read(it.peer.stream.socket.fileno(), 99) == PING


async def test_after_a_standstill_everyone_has_the_whole_time_to_answer(
    autojump_clock: MockClock,
) -> None:
    keepalive = Keepalive(Metronome(), SECONDS, Config().next_beat)
    async with link(Written().feed, "socket") as it:
        await wait_all_tasks_blocked()
        keepalive.add(it.follower)
        now = trio.current_time()
        assert keepalive.work(now + 100) >= now + 100 + SECONDS
        keepalive.work(now + 101)
        assert it.follower._closing is None
        assert it.peer.read_now() == ["ping"]
        keepalive.work(now + 100 + SECONDS)  # by which nothing has come
        assert it.follower._closing is SILENT
