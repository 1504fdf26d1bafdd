"""What happens to clients is counted where it happens, as often as it does."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from protocol.messages import Bye, Forfeit, Token
from server.feed import text_frame
from server.limits import Limits
from server.metrics import Metrics
from server.sessions import Sessions
from server.telling import Teller
from tests.server.feeds import Written, room
from tests.server.peers import link
from tests.server.visitors import open_world


async def test_a_refusal_is_counted_by_its_code(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada = await world.create()
        await ada.refused(Forfeit())
        await ada.refused("{}")
        assert world.hall.metrics.refused == {"wrong_phase": 1, "bad_message": 1}


async def test_what_a_push_and_a_message_write_is_counted(autojump_clock: MockClock) -> None:
    written = Written()
    async with link(written.feed, "socket") as it:
        await wait_all_tasks_blocked()
        metrics = it.follower.metrics
        before, frames = metrics.bytes, metrics.frames
        written.ticks("trv")
        it.follower.push()
        assert metrics.frames == frames + 3
        it.follower.say(Bye(code=1000, reason="private"))
        assert metrics.frames == frames + 4
        assert isinstance(it.peer.stream, trio.SocketStream)
        assert metrics.bytes - before == len(await it.peer.stream.receive_some(1 << 16))
        assert metrics.catch_ups == 0


async def test_each_catching_up_is_counted_and_all_that_it_sends(
    autojump_clock: MockClock,
) -> None:
    written = Written()
    async with link(written.feed, "socket") as it:
        for times in (1, 2):
            await wait_all_tasks_blocked()
            it.follower.hold(held=True)
            for _ in range(3):
                written.ticks("t")
                it.follower.push()
            it.follower.hold(held=False)
            await wait_all_tasks_blocked()
            metrics = it.follower.metrics
            assert (metrics.catch_ups, metrics.frames) == (times, 3 * times)


async def test_frames_that_a_snapshot_stands_for_are_counted(autojump_clock: MockClock) -> None:
    written = Written()
    async with link(written.feed, "lockstep", Limits(stall_seconds=100)) as it:
        await wait_all_tasks_blocked()
        for _ in range(30):
            written.ticks("trv")
            it.follower.push()
            await trio.sleep(1)
        await it.peer.read_until("snapshot 29 +87")
        assert it.follower.metrics.skipped == 87


def test_two_texts_of_one_length_are_counted_as_what_they_are() -> None:
    metrics = Metrics()
    one, two = text_frame(b"x" * 12), 2 * text_frame(b"x" * 5)
    assert len(one) == len(two)
    metrics.sent(one)
    metrics.sent(two, 10)
    metrics.sent(two)
    assert (metrics.frames, metrics.bytes) == (1 + 22, 12 * len(one))


async def test_how_late_all_who_keep_up_are_told_is_counted(autojump_clock: MockClock) -> None:
    metrics = Metrics()
    teller = Teller(Sessions(lambda: Token("t"), 60), room(1), 100.0, metrics)
    async with link(teller.feed, "socket") as one, link(teller.feed, "socket") as other:
        await wait_all_tasks_blocked()
        for it in (one, other):
            teller.audience.add(it.follower, plays=False)
        for times in (1, 2, 3):  # in a row, from the second time on
            teller.feed.say(Bye(code=1000, reason="news"), trio.current_time() - 0.4)
            teller.sweep()
            assert metrics.lag.sum == pytest.approx(times * 2 * 0.4)
        counts = dict(metrics.lag.buckets())
        assert (counts["0.2"], counts["0.5"]) == (0, 6)
