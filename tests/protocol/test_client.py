"""The client's I/O, over connections of the tests and, once, over real sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import msgspec
import pytest
import trio
import trio.testing
from trio.testing import MockClock
from websockets.trio.server import ServerConnection, serve

from engine import Battle
from protocol.client import Client, GaveUp, NotAdmitted, open_client, with_attempt
from protocol.codec import Undecodable, decode_to_server, encode
from protocol.codes import ErrorCode
from protocol.frames import writer_of
from protocol.messages import (
    AnyToServer,
    Begin,
    Bye,
    Error,
    Forfeit,
    Frame,
    Quick,
    Resume,
    RoomId,
    RoomUpdate,
    Token,
    Watch,
    Welcome,
)
from protocol.mirror import Gap
from protocol.session import Lost, Trouble, Update

from .battles import BATTLE, sample_setup
from .test_session import BEGIN, ROOM, welcome
from .wires import Server

WATCH = Watch(version=1)


@asynccontextmanager
async def watching(server: Server, **options: float) -> AsyncIterator[Client]:
    async with open_client(
        "ws://test/", WATCH, RoomId("k3f9x2"), connect=server.connect, **options
    ) as client:
        yield client


async def until_it_ends(client: Client) -> list[Update]:
    """All that is left to come."""
    return [update async for update in client]


async def test_it_says_the_first_message_and_hands_on_what_comes(autojump_clock: MockClock) -> None:
    server = Server(autojump_clock)
    async with watching(server) as client:
        wire = await server.wire()
        assert wire.url == "ws://test/rooms/k3f9x2"
        said = await wire.hears()
        assert isinstance(said, Watch)
        assert msgspec.structs.replace(said, attempt=None) == WATCH
        writer = writer_of(Battle(sample_setup("red-kennel", "slow-kiln")), BATTLE)
        frames = list(writer.step().frames.values())
        wire.says(welcome(), BEGIN, *frames, RoomUpdate(ROOM))
        assert isinstance(await anext(client), Welcome)
        assert isinstance(await anext(client), Begin)
        for _ in frames:
            assert isinstance(await anext(client), Frame)
        assert client.mirror.state_at(0) == writer.battle.snapshot()
        assert await anext(client) == RoomUpdate(ROOM)
    assert wire.gone.is_set()


async def test_a_first_message_that_was_not_answered_is_said_again_as_it_was(
    autojump_clock: MockClock,
) -> None:
    server = Server(autojump_clock)
    said = []
    for _ in range(2):
        async with watching(server) as client:
            wire = await server.wire()
            said.append(await wire.hears())
            wire.closes()
            assert isinstance(await anext(client), Lost)
            again = await server.wire()
            said.append(await again.hears())
            again.says(welcome())
            assert isinstance(await anext(client), Welcome)
    attempts = [message.attempt for message in said if isinstance(message, Watch)]
    assert attempts[0] == attempts[1] != attempts[2] == attempts[3]
    assert len(attempts[0] or "") >= 16


def test_an_attempt_of_the_callers_own_stays() -> None:
    own = Watch(version=1, attempt="an-attempt-of-adas")
    resume = Resume(version=1, token=Token("t"))
    assert (with_attempt(own), with_attempt(resume)) == (own, resume)


async def test_the_mirror_is_at_the_update_in_hand(autojump_clock: MockClock) -> None:
    server = Server(autojump_clock)
    async with watching(server) as client:
        wire = await server.welcomed()
        writer = writer_of(Battle(sample_setup("red-kennel", "slow-kiln")), BATTLE)
        wire.says(BEGIN, *writer.step().frames.values(), *writer.step().frames.values())
        await anext(client)
        await anext(client)
        await trio.testing.wait_all_tasks_blocked()
        assert client.mirror.tick == -1
        await anext(client)
        assert client.mirror.tick == 0


async def test_a_lost_connection_is_resumed_and_nothing_is_missing(
    autojump_clock: MockClock,
) -> None:
    server = Server(autojump_clock)
    async with watching(server) as client:
        wire = await server.welcomed("t0")
        writer = writer_of(Battle(sample_setup("red-kennel", "slow-kiln")), BATTLE)
        wire.says(BEGIN, *writer.step().frames.values())
        wire.closes()
        server.refuse = 3
        updates = [await anext(client) for _ in range(3)]
        losses = [await anext(client) for _ in range(4)]
        assert all(isinstance(loss, Lost) for loss in losses), updates
        again = await server.wire()
        assert again.url == "ws://test/rooms/k3f9x2"
        resume = await again.hears()
        assert isinstance(resume, Resume)
        assert (resume.token, resume.last) == ("t0", client.mirror.position)
        again.says(welcome("t1"))
        while not writer.over:
            again.says(*writer.step().frames.values())
        assert isinstance(await anext(client), Welcome)
        while client.mirror.tick < writer.battle.tick:
            await anext(client)
        assert client.mirror.state_at(writer.battle.tick) == writer.battle.snapshot()
        assert not client.session.troubles
    delays = [later - sooner for sooner, later in zip(server.tries, server.tries[1:], strict=False)]
    said = [loss.retry_seconds for loss in losses if isinstance(loss, Lost)]
    assert delays == pytest.approx(said)


async def test_a_gap_is_told_and_healed_by_a_resume(autojump_clock: MockClock) -> None:
    server = Server(autojump_clock)
    async with watching(server) as client:
        wire = await server.welcomed()
        writer = writer_of(Battle(sample_setup("red-kennel", "slow-kiln")), BATTLE)
        ticks = [list(writer.step().frames.values()) for _ in range(4)]
        wire.says(BEGIN, *ticks[0], *ticks[2], *ticks[3])
        await anext(client)
        await anext(client)
        while not isinstance(update := await anext(client), Trouble):
            assert isinstance(update, Frame)
        assert isinstance(update.error, Gap)
        assert isinstance(await anext(client), Lost)
        again = await server.wire()
        resume = await again.hears()
        assert isinstance(resume, Resume)
        assert resume.last is not None
        assert resume.last.tick == 0
        again.says(welcome("t1"), *ticks[1], *ticks[2], *ticks[3])
        while client.mirror.tick < writer.maker.tick:
            await anext(client)
        assert client.session.troubles == {"Gap": 1}


async def test_what_cannot_be_read_is_told_and_passed_over(autojump_clock: MockClock) -> None:
    server = Server(autojump_clock)
    async with watching(server) as client:
        wire = await server.welcomed()
        wire.says(b'{"type":"news"}', RoomUpdate(ROOM))
        await anext(client)
        trouble = await anext(client)
        assert isinstance(trouble, Trouble)
        assert isinstance(trouble.error, Undecodable)
        assert await anext(client) == RoomUpdate(ROOM)


async def test_a_hello_that_nobody_answers_is_said_again_elsewhere(
    autojump_clock: MockClock,
) -> None:
    server = Server(autojump_clock)
    async with watching(server) as client:
        silent = await server.wire()
        await silent.hears()
        lost = await anext(client)
        assert isinstance(lost, Lost)
        assert lost.reason == "no answer"
        assert silent.gone.is_set()
        await server.welcomed()
        assert isinstance(await anext(client), Welcome)


async def test_a_refusal_is_raised(autojump_clock: MockClock) -> None:
    server = Server(autojump_clock)
    async with watching(server) as client:
        wire = await server.wire()
        wire.says(Error(code=ErrorCode.WRONG_KEY, message="wrong", seq=0))
        with pytest.raises(NotAdmitted) as caught:
            await anext(client)
        await wire.gone.wait()
    assert caught.value.error.code == "wrong_key"
    assert len(server.tries) == 1


async def test_a_resume_refused_for_now_is_tried_again(autojump_clock: MockClock) -> None:
    server = Server(autojump_clock)
    async with watching(server) as client:
        wire = await server.welcomed()
        wire.closes(1012)
        await anext(client)
        await anext(client)
        again = await server.wire()
        again.says(Error(code=ErrorCode.DRAINING, message="", seq=0))
        assert isinstance(await anext(client), Error)
        assert isinstance(await anext(client), Lost)
        third = await server.welcomed("t1")
        assert isinstance(await anext(client), Welcome)
        assert not third.gone.is_set()


async def test_it_gives_up_when_nobody_is_there(autojump_clock: MockClock) -> None:
    server = Server(autojump_clock)
    server.refuse = 1000
    async with watching(server) as client:
        with pytest.raises(GaveUp, match="nobody listens"):
            await anext(client)
    assert len(server.tries) == 1
    start = trio.current_time()
    async with watching(server, patience_seconds=20) as client:
        with pytest.raises(GaveUp):
            await until_it_ends(client)
    assert 12 <= trio.current_time() - start <= 20


@pytest.mark.parametrize("code", [1000, 4001, 4002])
async def test_a_close_that_says_stop_ends_the_iteration(
    code: int, autojump_clock: MockClock
) -> None:
    server = Server(autojump_clock)
    async with watching(server) as client:
        wire = await server.welcomed()
        wire.says(Bye(code=code, reason="so it is"))
        wire.closes(code)
        updates = [update async for update in client]
        assert [type(update) for update in updates] == [Welcome, Bye]
        assert client.session.ending is not None
        assert client.session.ending.code == code
    assert len(server.tries) == 1


async def test_commands_go_out_while_joined_and_are_refused_otherwise(
    autojump_clock: MockClock,
) -> None:
    server = Server(autojump_clock)
    async with watching(server) as client:
        assert not await client.send(Forfeit())
        wire = await server.welcomed()
        await anext(client)
        assert await client.send(Forfeit())
        assert isinstance(await wire.hears(), Forfeit)
        wire.closes()
        await trio.testing.wait_all_tasks_blocked()
        assert not await client.send(Forfeit())


async def test_cancelling_the_iteration_loses_nothing(autojump_clock: MockClock) -> None:
    server = Server(autojump_clock)
    async with watching(server) as client:
        wire = await server.welcomed()
        await anext(client)
        with trio.move_on_after(5) as scope:
            await anext(client)
        assert scope.cancelled_caught
        wire.says(RoomUpdate(ROOM))
        assert await anext(client) == RoomUpdate(ROOM)


async def test_the_block_can_be_cancelled_and_its_exceptions_come_out_as_they_are(
    autojump_clock: MockClock,
) -> None:
    server = Server(autojump_clock)
    with trio.move_on_after(5) as scope:
        async with watching(server) as client:
            async for _ in client:
                raise AssertionError("nothing comes")
    assert scope.cancelled_caught
    for error in (KeyError("mine"), KeyboardInterrupt()):
        with pytest.raises(type(error)):
            async with watching(server):
                raise error


async def test_over_real_sockets() -> None:
    """The library's own exceptions and close codes: a cut, a restart, a close that says stop."""
    firsts: list[AnyToServer] = []

    async def handler(connection: ServerConnection) -> None:
        first = decode_to_server(await connection.recv(decode=False))
        assert not isinstance(first, tuple)
        firsts.append(first)
        await connection.send(encode(welcome(f"t{len(firsts)}")), text=True)
        if len(firsts) == 1:
            await trio.aclose_forcefully(connection.stream)
        else:
            await connection.aclose(1012 if len(firsts) == 2 else 4001, "closed by the test")

    async with trio.open_nursery() as nursery:
        server = await nursery.start(partial(serve, handler, 0, host="127.0.0.1"))
        port = server.listeners[0].socket.getsockname()[1]
        quick = Quick(version=1, name="Ada")
        with trio.fail_after(60):
            async with open_client(f"ws://127.0.0.1:{port}", quick) as client:
                updates = [update async for update in client]
        nursery.cancel_scope.cancel()
    assert [type(update) for update in updates] == [Welcome, Lost, Welcome, Lost, Welcome]
    assert [update.code for update in updates if isinstance(update, Lost)] == [1006, 1012]
    assert [type(first) for first in firsts] == [Quick, Resume, Resume]
    assert [first.token for first in firsts if isinstance(first, Resume)] == ["t1", "t2"]
    assert client.session.ending is not None
    assert client.session.ending.code == 4001
