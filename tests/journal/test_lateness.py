"""What is said of time after a restart is of this process alone."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import trio
from trio.testing import MockClock

from protocol.messages import Begin, Result
from tests.journal.coming_back import after, back
from tests.journal.worlds import universe
from tests.server.visitors import get_ready


async def test_ticks_of_the_process_before_are_not_late_in_this_one(
    autojump_clock: MockClock,
) -> None:
    async with universe() as it:
        world = await it.server()
        ada, bob = await world.pair(best_of=1)
        await get_ready(ada, bob)
        await bob.hear_until(Begin)
        await trio.sleep(9)
        async with after(it) as world:
            again = await back(world, bob)
            await again.hear_until(Result)
            lateness = world.hall.metrics.lateness
            assert sum(lateness.counts) > 0  # of those that ran here
            assert lateness.sum < 0.1
