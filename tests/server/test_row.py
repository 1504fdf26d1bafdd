"""A row is told by one call; whoever cannot be told with the others rises, and misses nothing."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import os
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from protocol.codes import CloseCode
from protocol.messages import Bye
from server.audience import Audience
from server.closing import Closing
from server.fanout import offers_of, write_all
from server.limits import Limits
from server.metrics import Metrics
from server.row import ROW_SEATS
from tests.server.feeds import Written
from tests.server.peers import PONG, Link, link

PATIENT = Limits(behind_seconds=1e9)
TURNS = 200


class House:
    """Followers of one feed, told together."""

    def __init__(self, written: Written, links: list[Link], players: int) -> None:
        self.written = written
        self.links = links
        self.audience = Audience()
        self.metrics = Metrics()
        for number, one in enumerate(links):
            self.audience.add(one.follower, plays=number < players)

    def tick(self) -> None:
        self.written.ticks("trv")
        self.audience.announce()

    def tell(self, most: int = ROW_SEATS) -> list[int]:
        """Tells those whose turn it is; how many at once."""
        offers = offers_of(self.audience.next_turns(most))
        sizes = [listener.size for listener, _ in offers]
        write_all(offers, self.metrics)
        return sizes


@asynccontextmanager
async def house(number: int, buffer_bytes: int = 0, players: int = 0) -> AsyncIterator[House]:
    """Followers who sit in one row and have been told two ticks."""
    written = Written()
    async with AsyncExitStack() as stack:
        links = [
            await stack.enter_async_context(
                link(written.feed, "socket", PATIENT, buffer_bytes=buffer_bytes)
            )
            for _ in range(number)
        ]
        await wait_all_tasks_blocked()
        it = House(written, links, players)
        it.tick()
        assert it.tell() == [1] * number
        it.tick()
        assert it.tell() == [number]
        for one in links:
            assert one.peer.read_now() == ["t0", "r0", "v0", "t1", "r1", "v1"]
        yield it


async def test_all_of_a_row_are_told_by_one_call(autojump_clock: MockClock) -> None:
    async with house(5) as it:
        it.tick()
        before = it.metrics.frames
        assert it.tell() == [5]
        assert [one.peer.read_now() for one in it.links] == [["t2", "r2", "v2"]] * 5
        assert it.metrics.frames - before == 5 * 3


async def test_one_whose_socket_is_full_rises_and_gets_the_rest_in_order(
    autojump_clock: MockClock,
) -> None:
    async with house(3, buffer_bytes=1) as it:
        full, *others = it.links
        sizes: set[int] = set()
        for _ in range(300):
            it.tick()
            sizes.update(it.tell())
            for one in others:
                one.peer.read_now()
        assert sizes == {3, 2}
        assert full.follower._busy
        heard = await full.peer.read_until("v301")
        everything = [f"{channel}{number}" for number in range(302) for channel in "trv"]
        assert heard == everything
        assert [one.peer.heard for one in others] == [everything] * 2
        await wait_all_tasks_blocked()
        it.tick()
        assert it.tell() == [3], "it keeps up again, and sits down"


async def test_one_whose_connection_is_held_is_told_when_it_is_free_again(
    autojump_clock: MockClock,
) -> None:
    async with house(3) as it:
        held = it.links[0]
        async with held.connection.send_lock:
            it.tick()
            assert it.tell() == [2]
            await wait_all_tasks_blocked()
            assert held.peer.read_now() == []
        assert (await held.peer.read_until("v2"))[-3:] == ["t2", "r2", "v2"]


async def test_a_message_for_one_alone_comes_after_what_the_row_has_not_been_told_yet(
    autojump_clock: MockClock,
) -> None:
    async with house(3) as it:
        one, *others = it.links
        it.tick()
        one.follower.say(Bye(code=1000, reason="private"))
        assert one.peer.read_now() == ["t2", "r2", "v2", "private"]
        assert it.tell() == [2]
        assert [other.peer.read_now() for other in others] == [["t2", "r2", "v2"]] * 2
        assert one.peer.read_now() == []


async def test_one_that_is_closed_leaves_its_row_before_its_number_is_anothers(
    autojump_clock: MockClock,
) -> None:
    async with house(3) as it:
        gone, *others = it.links
        number = gone.follower.number
        ours, theirs = os.pipe()
        await gone.connection.close_stream()
        try:
            os.dup2(theirs, number)  # somebody else's file now
            os.set_blocking(ours, False)
            it.tick()
            assert it.tell() == [2]
            with pytest.raises(BlockingIOError):
                os.read(ours, 1)
        finally:
            for file in (ours, theirs, number):
                os.close(file)
        assert [other.peer.read_now() for other in others] == [["t2", "r2", "v2"]] * 2


async def test_who_is_heard_keeps_the_seat(autojump_clock: MockClock) -> None:
    async with house(2) as it:
        heard, other = it.links
        heard.connection.unheard = True
        await heard.peer.stream.send_all(PONG)
        await wait_all_tasks_blocked()
        assert not heard.connection.unheard
        assert heard.follower.cursor is other.follower.cursor


async def test_one_that_is_dismissed_is_told_all_that_came_before(
    autojump_clock: MockClock,
) -> None:
    async with house(3) as it:
        it.tick()
        it.links[0].follower.close(Closing(CloseCode.NORMAL, "left"))
        assert it.tell() == [2]
        heard = await it.links[0].peer.read_until("left")
        assert heard[-4:] == ["t2", "r2", "v2", "left"]


@pytest.mark.parametrize("seed", range(8))
async def test_whatever_happens_to_whom_everyone_hears_everything_once_and_in_order(
    autojump_clock: MockClock, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ticks, turns, held connections, messages, and readers who read now and then."""
    print("seed", seed)
    chance = random.Random(seed)
    async with house(6, buffer_bytes=1, players=seed % 3) as it, trio.open_nursery() as nursery:
        monkeypatch.setattr("server.audience.FRONT", 4)  # two rows, from now on
        private: dict[int, list[str]] = {number: [] for number in range(len(it.links))}

        async def hold(one: Link) -> None:
            async with one.connection.send_lock:
                for _ in range(chance.randrange(3)):
                    await trio.lowlevel.checkpoint()

        for turn in range(TURNS):
            number = chance.randrange(len(it.links))
            one = it.links[number]
            match chance.choice("ttttnnnnhprrc"):
                case "t":
                    it.tick()
                case "n":
                    it.tell(chance.choice((1, 2, ROW_SEATS)))
                case "h":
                    nursery.start_soon(hold, one)
                case "p":
                    one.follower.say(Bye(code=1000, reason=f"private {turn}"))
                    private[number].append(f"private {turn}")
                case "r":
                    one.peer.read_now()
                case "c":
                    await trio.lowlevel.checkpoint()
        it.tick()
        while it.audience.has_turns_left:
            it.tell()
        last = it.written.tick
        everything = [f"{channel}{n}" for n in range(last + 1) for channel in "trv"]
        for number, one in enumerate(it.links):
            heard = await one.peer.read_until(f"v{last}")
            assert [word for word in heard if word[0] in "trv"] == everything
            assert [word for word in heard if word.startswith("private")] == private[number]
