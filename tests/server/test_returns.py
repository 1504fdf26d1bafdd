"""Whoever may come back lacks nothing: not after many battles, with a delay, or on a line that was
dead long before it was seen to be; and with a delay they hear nothing before its time.
"""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock

from protocol.messages import Begin, Ready, Result, RoomState, RoomUpdate, Welcome
from server.limits import Limits
from tests.journal.worlds import universe
from tests.server.rooms import NONCE, submit
from tests.server.visitors import Heard, Visitor, get_ready, mirror_of, open_world

PATIENT = Limits(ping_seconds=1e9, over_seconds=1e9, building_seconds=1e9)


async def fight(ada: Visitor, bob: Visitor, rounds: int, pause: float = 30) -> list[float]:
    """Battles one after the other, and a while after each; when each had ended. There are as many
    in any series, whoever wins them."""
    ended = []
    for number in range(rounds):
        if number == 0:
            await get_ready(ada, bob)
        else:
            for player in (ada, bob):
                await player.say(Ready(NONCE))
        for player in (ada, bob):
            await player.hear_until(Result)
        ended.append(trio.current_time())
        await trio.sleep(pause)
    return ended


async def hear_for(visitor: Visitor, seconds: float) -> None:
    with trio.move_on_after(seconds):
        while True:
            await visitor.hear()


def rooms(heard: list[Heard]) -> list[RoomState]:
    return [m.room for m in heard if isinstance(m, (Welcome, RoomUpdate))]


def assert_in_order(*visitors: Visitor) -> None:
    """No room before the one that was told of already."""
    seqs = [room.seq for visitor in visitors for room in rooms(visitor.heard)]
    assert seqs == sorted(seqs)


@pytest.mark.parametrize("away", [1.0, 55.0])
@pytest.mark.parametrize("delay", [0, 200, 300])
async def test_after_a_loss_a_delayed_watcher_lacks_nothing(
    autojump_clock: MockClock, delay: int, away: float
) -> None:
    async with open_world(PATIENT) as world:
        ada, bob = await world.pair(best_of=9, speed=2)
        eve = await world.watch(ada.place)
        fay = await world.watch(ada.place, delay_seconds=delay)
        async with trio.open_nursery() as nursery:
            ended: list[float] = []

            async def play() -> None:
                ended.extend(await fight(ada, bob, 5))

            nursery.start_soon(play)
            await hear_for(fay, delay + 12)
            await fay.drop()
            await trio.sleep(away)
            back = await world.resume(fay, fay.welcome.token, mirror_of(fay))
            now = trio.current_time() - delay
            seen = len({message.battle for message in fay.heard if isinstance(message, Result)})
            while seen < 5:
                seen += isinstance(await back.hear(), Result)
        await hear_for(eve, 1)
        mirror_of(fay, back)  # which finds no gap
        frames = fay.frames() + back.frames()
        assert frames == eve.frames()[: len(frames)]
        assert_in_order(fay, back)
        assert back.welcome.room.round == 1 + sum(at <= now for at in ended)


async def test_a_delayed_watcher_of_a_killed_server_lacks_nothing(
    autojump_clock: MockClock,
) -> None:
    async with universe(PATIENT, down_seconds=5) as it:
        world = await it.server()
        ada, bob = await world.pair(best_of=9, speed=2)
        eve = await world.watch(ada.place)
        fay = await world.watch(ada.place, delay_seconds=200)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(fight, ada, bob, 5)
            await hear_for(fay, 212)
            nursery.cancel_scope.cancel()
        await hear_for(eve, 1)
        it.kill()
        await trio.sleep(1)
        world = await it.server()
        back = await world.resume(fay, fay.welcome.token, mirror_of(fay))
        for _ in range(4):
            await back.hear_until(Result)
        mirror_of(fay, back)
        frames = fay.frames() + back.frames()
        assert frames == eve.frames()[: len(frames)]
        assert_in_order(fay, back)


async def test_on_a_line_that_was_dead_for_long_nothing_is_lost(autojump_clock: MockClock) -> None:
    """The server takes it for a good one until the second ping is not answered."""
    async with universe() as it:
        world = await it.server()
        ada, bob = await world.pair(best_of=9, speed=4)
        eve = await world.watch(ada.place)
        fay = await world.watch(ada.place)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(fight, ada, bob, 5, 15)
            nursery.start_soon(eve.hear_end)
            await fay.hear_until(Begin)
            await hear_for(fay, 1)
            while len(world.hall.find(ada.place).room.spectators) == 2:  # noqa: ASYNC110 - told to nobody
                await trio.sleep(1)
            await trio.sleep(55)
            back = await world.resume(fay, fay.welcome.token, mirror_of(fay))
            for _ in range(3):
                await back.hear_until(Result)
            nursery.cancel_scope.cancel()
        mirror_of(fay, back)
        frames = fay.frames() + back.frames()
        assert frames == eve.frames()[: len(frames)]


async def test_a_delayed_watcher_of_a_young_room_is_told_of_it_in_order(
    autojump_clock: MockClock,
) -> None:
    async with open_world() as world:
        ada, bob = await world.pair()
        fay = await world.watch(ada.place, delay_seconds=20)
        await bob.say(submit(1))
        await hear_for(fay, 30)
        assert_in_order(fay)
        seat = rooms(fay.heard)[-1].b
        assert seat is not None
        assert seat.has_board


async def test_a_delayed_spectator_who_begins_anew_begins_where_the_room_was_for_them(
    autojump_clock: MockClock,
) -> None:
    """Battle 1 is over and 2 has begun, but not 10 s ago: its result is still to come."""
    async with open_world() as world:
        ada, bob = await world.pair(best_of=5)
        await get_ready(ada, bob)
        eve = await world.watch(ada.place, delay_seconds=10)
        await ada.hear_until(Result)
        await ada.hear_phase("building")
        for number, player in enumerate((ada, bob)):
            await player.say(Ready(f"{NONCE}{number}"))
        await ada.hear_until(Begin)
        await eve.drop()
        back = await world.resume(eve, eve.welcome.token)
        first = (await back.hear_until(Welcome)).room
        assert (first.round, first.phase) == (1, "battle")
        assert (await back.hear_until(Begin)).round == 1
        result = await back.hear_until(Result)
        assert result.round == 1
        assert (await back.hear_until(Begin)).round == 2
