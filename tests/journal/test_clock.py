"""The wall's clock and the server's."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

from functools import partial

import trio
from structlog.testing import capture_logs
from trio.testing import MockClock

from protocol.messages import Result
from server.app import serve
from server.config import Config
from server.journal.clock import EVERY_SECONDS, Comparison, compare
from tests.journal.worlds import universe
from tests.server.visitors import get_ready


async def test_a_clock_that_is_set_is_heeded_and_told_of(autojump_clock: MockClock) -> None:
    ahead = 1_000.0
    clock = compare(lambda: ahead + trio.current_time())
    comparison = Comparison(clock, lambda: ahead + trio.current_time())
    with capture_logs() as logs:
        assert comparison.work(5.0) == 5.0 + EVERY_SECONDS
        ahead += 0.5  # as clocks drift
        comparison.work(15.0)
        assert logs == []
        assert clock.wall(7.0) == 1_007.5
        ahead -= 7_200
        comparison.work(25.0)
    assert [(line["event"], line["seconds"]) for line in logs] == [("the clock was set", -7200.0)]
    assert clock.wall(7.0) == 1_007.5 - 7_200
    assert clock.here(clock.wall(7.0)) == 7.0


async def test_a_server_compares_them_again_and_again(autojump_clock: MockClock) -> None:
    with capture_logs() as logs:
        async with trio.open_nursery() as nursery:
            await nursery.start(partial(serve, Config(port=0)))
            await trio.sleep(2 * EVERY_SECONDS)  # which by the wall's take no time
            nursery.cancel_scope.cancel()
    assert "the clock was set" in {line["event"] for line in logs}


async def test_what_is_kept_has_the_time_that_it_is(autojump_clock: MockClock) -> None:
    async with universe() as it:
        world = await it.server()
        ada, bob = await world.pair(best_of=1)
        world.hall._backstage.clock.ahead += 7_200  # which has been set meanwhile
        await get_ready(ada, bob)
        await bob.hear_until(Result)
        await world.journal_settled()
        ((_, ending),) = await world.hall.journal.replays(1)
        assert ending.ended - it.ahead - trio.current_time() > 7_100
