"""Killed at any moment, started again: nobody can tell afterwards from what they were sent."""

from __future__ import annotations

import random
from functools import cache

import pytest
import trio
from trio.testing import MockClock

from protocol.messages import Begin, Frame, Result
from tests.journal.worlds import Party, universe

Seen = list[list[Frame | Begin | Result]]


async def undisturbed() -> Seen:
    """What everyone sees of a battle when nothing happens."""
    async with universe() as it:
        party = Party(it)
        await party.live()
        return party.seen()


@cache
def whole() -> Seen:
    return trio.run(undisturbed, clock=MockClock(autojump_threshold=0))


def test_an_undisturbed_battle_is_whole() -> None:
    """What the others are compared with."""
    seen = whole()
    for one in seen:
        begin, *frames, result = one
        assert isinstance(begin, Begin)
        assert isinstance(result, Result)
        assert len(frames) > 50
        assert result.digest
    assert seen[0] == seen[1] == seen[2] != seen[3]


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("down_seconds", [0.1, 5.0, 50.0])
def test_killed_at_any_transaction(down_seconds: float, before: bool) -> None:
    """Just before it is made, or once it is and before anyone is told."""
    seen = whole()

    async def kill_at(commit: int) -> bool:
        """Whether there was such a transaction."""
        async with universe(down_seconds=down_seconds) as it:
            party = Party(it)
            it.on_kill = lambda: party.assert_kept(it.kept())
            with trio.fail_after(1000):
                await party.live(lambda: it.kill_in(commit, before=before, times=3))
            assert party.seen() == seen
            return it.kills > 0

    commit = 1
    while trio.run(kill_at, commit, clock=MockClock(autojump_threshold=0)):
        commit += 1
    # Two boards, two who get ready, and the end; some may be kept together.
    assert commit > 3


@pytest.mark.parametrize("seed", range(5))
def test_killed_again_and_again_at_any_time_of_a_series(seed: int) -> None:
    """Three rounds and a rematch, and a server that lives for seconds."""
    print("seed", seed)
    dice = random.Random(seed)

    async def live_and_die(kills: bool) -> Seen:
        async with universe(down_seconds=0.5) as it, trio.open_nursery() as nursery:

            async def kill_now_and_then() -> None:
                while True:
                    await trio.sleep(dice.expovariate(1 / 9))
                    await it.server()
                    it.kill()

            def all_in() -> None:
                if kills:
                    nursery.start_soon(kill_now_and_then)

            party = Party(it, results=4, best_of=2)
            it.on_kill = lambda: party.assert_kept(it.kept())
            with trio.fail_after(10_000):
                await party.live(all_in)
            nursery.cancel_scope.cancel()
            assert it.kills > 5 or not kills
        return party.seen()

    undisturbed_seen = trio.run(live_and_die, False, clock=MockClock(autojump_threshold=0))
    assert len(undisturbed_seen[0]) > 4 * 50
    assert trio.run(live_and_die, True, clock=MockClock(autojump_threshold=0)) == undisturbed_seen
