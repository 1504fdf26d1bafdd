"""A battle's players are named with it: another may hold the seat by the time one sees it."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

from trio.testing import MockClock

from protocol.messages import Begin, Leave, Result
from tests.server.visitors import get_ready, open_world


async def test_a_battle_keeps_its_players_when_others_take_their_seats(
    autojump_clock: MockClock,
) -> None:
    async with open_world() as world:
        ada, bob = await world.pair()
        await get_ready(ada, bob)
        begin = await bob.hear_until(Begin)
        assert begin.players == {"a": "Ada", "b": "Bob"}
        await bob.hear_until(Result)
        await ada.say(Leave())
        assert await ada.hear_end() == 1000
        await world.join(ada.place, name="Zoe")
        late = await world.watch(ada.place, start="beginning")
        assert late.welcome.room.a is not None
        assert late.welcome.room.a.name == "Zoe"
        assert await late.hear_until(Begin) == begin
