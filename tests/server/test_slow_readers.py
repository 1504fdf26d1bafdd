"""Who reads too slowly is closed, and nobody else."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from protocol.messages import Bye
from server.limits import Limits
from tests.server.feeds import Written
from tests.server.peers import KINDS, link

# Nobody is late, so that whatever is held up comes in full.
from tests.server.test_delivery import run_ticks


@pytest.mark.parametrize("kind", ["lockstep", "socket"])
async def test_one_that_takes_nothing_is_closed_after_the_stall_limit(
    kind: str, autojump_clock: MockClock
) -> None:
    written = Written()
    run_ticks(written, 2000)
    async with link(written.feed, kind, at=0, buffer_bytes=1) as it:
        start = trio.current_time()
        await it.connection.wait_closed()
        took = trio.current_time() - start
    # Where a frame may be cut in half, no close frame can follow it and none is tried.
    assert 15 <= took <= (15.1 if kind == "lockstep" else 16.1)


async def test_one_that_reads_too_little_is_closed_at_last(autojump_clock: MockClock) -> None:
    """It keeps in memory all that it has not read, and what comes after."""
    written = Written()
    run_ticks(written, 5000)
    for entry in written.feed.entries:
        entry.made_at = 0.0
    limits = Limits(behind_seconds=1e9, resume_seconds=20, ping_seconds=10)
    async with link(written.feed, "socket", limits, at=0, buffer_bytes=1) as it:
        start = trio.current_time()
        with trio.fail_after(2 * limits.missed_seconds):
            while it.connection.state.name != "CLOSED":
                await trio.sleep(5)
                it.peer.read_now()
        took = trio.current_time() - start
    assert took > limits.missed_seconds
    assert len(it.peer.heard) > 100


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("delay", [0.0, 100.0])
async def test_a_server_that_stood_still_closes_nobody_for_it(
    kind: str, delay: float, autojump_clock: MockClock
) -> None:
    """What fell due meanwhile is no older than the moment at which anybody could have read it."""
    written = Written()
    async with link(written.feed, kind, delay=delay) as it:
        await trio.sleep(200)
        run_ticks(written, 1)
        written.feed.entries[-1].made_at = trio.current_time() - delay
        it.follower.push()
        autojump_clock.jump(2 * Limits().missed_seconds)
        assert (await it.peer.read_until("v0"))[-1] == "v0"
        await wait_all_tasks_blocked()
        assert it.connection.state.name == "OPEN"


async def test_one_that_keeps_up_may_stay_as_long_as_it_likes(autojump_clock: MockClock) -> None:
    written = Written()
    async with link(written.feed, "socket") as it:
        for number in range(10):
            await trio.sleep(Limits().missed_seconds)
            run_ticks(written, 1)
            written.feed.entries[-1].made_at = trio.current_time()
            it.follower.say(Bye(code=1000, reason="to you alone"))
            assert await it.peer.read() == [
                f"t{number}",
                f"r{number}",
                f"v{number}",
                "to you alone",
            ]


async def test_one_that_reads_again_too_late_is_told_why_it_is_closed(
    autojump_clock: MockClock,
) -> None:
    """What was cut off is finished first, so that the close frame can be read."""
    written = Written()
    run_ticks(written, 2000)
    async with link(written.feed, "socket", Limits(close_seconds=5), at=0, buffer_bytes=1) as it:
        await trio.sleep(15.5)
        heard = await it.peer.read_until("close 1013")
    frames = heard[1:-1]
    assert frames == [f"{c}{n}" for n in range(2000) for c in "trv"][: len(frames)]
