"""What an address may say, on however many connections."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import trio
from structlog.testing import capture_logs
from trio.testing import MockClock

from protocol.codes import ErrorCode
from protocol.messages import Forfeit, Join, SubmitBoard
from server.conduct import PRICES, Conduct
from server.limits import Limits
from tests.server.visitors import World, open_world

WRONG = SubmitBoard({"units": [{"cell": 9}]})


def test_all_that_may_come_may_speak_at_once_and_no_more() -> None:
    conduct = Conduct(Limits(connections_per_address=2, address_messages_per_second=1))
    assert [conduct.may_speak("a", 0) for _ in range(7)] == [True] * 6 + [False]
    assert conduct.may_speak("b", 0)
    assert [conduct.may_speak("a", 1), conduct.may_speak("a", 1)] == [True, False]


def test_who_is_refused_too_often_is_not_heard_for_a_while() -> None:
    conduct = Conduct(Limits(address_refusals_burst=4, address_refusals_per_second=1))
    said = [conduct.was_refused("a", "bad_message", 0) for _ in range(6)]
    assert said == [False, False, False, True, False, False]  # told of once
    assert not conduct.may_speak("a", 2)
    assert conduct.may_speak("b", 2)
    assert conduct.may_speak("a", 3)
    assert conduct.was_refused("a", "bad_message", 3)  # and again, of one more
    assert not conduct.may_speak("a", 5)


def test_what_happens_to_anyone_has_no_price() -> None:
    conduct = Conduct(Limits(address_refusals_burst=1))
    for code in set(ErrorCode) - set(PRICES):
        assert not conduct.was_refused("a", code, 0)
    assert conduct.may_speak("a", 0)


async def test_a_key_is_not_guessed_on_one_connection_after_the_other(
    autojump_clock: MockClock,
) -> None:
    async with open_world() as world:
        ada = await world.create(key="0042")

        async def guess(key: int) -> str:
            hello = Join(version=1, name="Eve", key=f"{key:04}")
            return (await world.visit(ada.place).refused(hello)).code

        with capture_logs() as logs:
            codes = [await guess(key) for key in range(20)]
        assert codes == ["wrong_key"] * 10 + ["too_fast"] * 10
        told = [line for line in logs if line["event"] == "refused too often"]
        assert [(line["place"], line["code"]) for line in told] == [(ada.place, "wrong_key")]


async def test_wrong_boards_of_many_connections_are_counted_together(
    autojump_clock: MockClock,
) -> None:
    async def codes(world: World) -> list[str]:
        visitors = [await world.create() for _ in range(10)]
        return [(await one.refused(WRONG)).code for one in visitors for _ in range(11)]

    async with open_world() as world:
        assert await codes(world) == ["board_refused"] * 100 + ["too_fast"] * 10
        await trio.sleep(9)  # of some ten seconds
        assert (await world.visit("new").refused(Forfeit())).code == "too_fast"
        await trio.sleep(4)
        late = await world.create()
        assert (await late.refused(Forfeit())).code == "wrong_phase"


async def test_who_is_in_a_room_and_had_no_part_in_it_is_heard_on(
    autojump_clock: MockClock,
) -> None:
    async with open_world() as world:
        ada, bob = await world.pair()
        others = [await world.create() for _ in range(10)]
        codes = [(await one.refused(WRONG)).code for one in others for _ in range(10)]
        assert codes == ["board_refused"] * 100
        assert (await world.visit("new").refused(Forfeit())).code == "too_fast"
        assert (await ada.refused(Forfeit())).code == "wrong_phase"
        assert (await bob.refused(WRONG)).code == "board_refused"  # once
        assert (await bob.refused(Forfeit())).code == "too_fast"


async def test_messages_of_many_connections_are_counted_together(
    autojump_clock: MockClock,
) -> None:
    limits = Limits(connections_per_address=10, address_messages_per_second=1)
    async with open_world(limits) as world:
        visitors = [await world.create() for _ in range(10)]
        codes = [(await one.refused(Forfeit())).code for one in visitors for _ in range(3)]
        assert codes == ["wrong_phase"] * 20 + ["too_fast"] * 10
