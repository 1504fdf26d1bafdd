"""Whoever was let in is lost again when their connection ends, whatever has gone wrong in it."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import json

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

import server.admission
import server.connection
from protocol.messages import PROTOCOL_VERSION, Create, Resume, Token, Watch, Welcome
from server.delivery import Follower
from tests.server.strangers import written
from tests.server.visitors import open_world


def fail(*_: object) -> None:
    raise ZeroDivisionError("made to fail")


@pytest.mark.parametrize(
    ("where", "name"),
    [(Follower, "attend"), (server.admission, "_welcome")],
    ids=["as it is attended to", "before it could follow"],
)
async def test_a_seat_whose_connection_fails_at_once_is_away(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, where: object, name: str
) -> None:
    async with open_world() as world:
        monkeypatch.setattr(where, name, fail)
        ada = world.visit("new")
        await ada.say(Create(version=PROTOCOL_VERSION, name="Ada"))
        assert await ada.hear_end() == 1011
        monkeypatch.undo()
        await trio.sleep(world.config.limits.census_seconds + 1)
        (room,) = world.hall.listing()
        assert room.a is not None
        assert not room.a.present
        await trio.sleep(world.config.limits.resume_seconds + 1)
        assert len(world.hall) == 0


async def test_who_looks_on_and_fails_at_once_is_not_counted(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_world() as world:
        ada = await world.create()
        monkeypatch.setattr(server.connection.Conversation, "_attend", fail)
        eve = world.visit(ada.place)
        await eve.say(Watch(version=PROTOCOL_VERSION))
        assert await eve.hear_end() == 1011
        assert world.hall.find(ada.place).state().spectators == 0


async def test_a_connection_that_fails_after_a_newer_one_came_loses_nothing(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_world() as world:
        ada = await world.create()
        token = Token(ada.welcome.token)
        with monkeypatch.context() as broken:
            broken.setattr(server.admission, "_welcome", fail)
            first = world.visit(ada.place)
            await first.say(Resume(version=PROTOCOL_VERSION, token=token))
            await wait_all_tasks_blocked()
        second = await world.resume(ada, token)
        await second.hear_until(Welcome)
        assert await first.hear_end() == 1011
        (room,) = world.hall.listing()
        assert room.a is not None
        assert room.a.present


@pytest.mark.parametrize("code", [1000, 1011])
async def test_every_connection_is_counted_once_and_logged_when_it_has_ended(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    with written() as logged:
        await end_two(monkeypatch, code)
    said = [json.loads(line) for line in logged.getvalue().splitlines() if line.startswith("{")]
    # Who was never let in has not come, and does not go.
    assert [line["code"] for line in said if line["event"] == "goes"] == [code]


async def end_two(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    async with open_world() as world:
        ada = await world.create()
        if code == 1011:
            monkeypatch.setattr(server.connection, "decode_received", fail)
        await ada.say('{"type":"leave"}')
        assert await ada.hear_end() == code
        never_let_in = world.visit("new")
        await never_let_in.drop()
        await trio.sleep(2 * world.config.limits.close_seconds)
        assert world.hall.metrics.closed == {str(code): 1, "1006": 1}
