"""A welcome that was lost: whoever says the same first message again, with the same attempt, is in
as who they were; and nobody else is.
"""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import json

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from protocol.codec import encode
from protocol.messages import (
    AnyToServer,
    Begin,
    Create,
    Error,
    Forfeit,
    Join,
    Leave,
    Quick,
    Result,
    Resume,
    Token,
    Watch,
    Welcome,
)
from server.config import Config
from server.limits import Limits
from server.security import Security
from server.tickets import Ticket, make_ticket, with_secret
from tests.journal.worlds import KeptWorld, Universe, universe
from tests.server.rooms import RULES, submit
from tests.server.visitors import Visitor, World, get_ready, mirror_of, open_world

ONE, TWO = "the-attempt-of-one", "the-attempt-of-two"
SECRET = "0123456789abcdef" * 2


async def come(world: World, place: str, hello: AnyToServer) -> Visitor:
    """Somebody who is let in."""
    visitor = world.visit(place)
    await visitor.say(hello)
    visitor.place = (await visitor.hear_until(Welcome)).room.id
    return visitor


async def lose(world: World, place: str, hello: AnyToServer) -> None:
    """Somebody who is let in, and whose line breaks before they hear of it."""
    visitor = world.visit(place)
    await visitor.say(hello)
    await visitor.drop()
    await wait_all_tasks_blocked()


async def test_a_seat_whose_welcome_was_lost_is_there_at_once(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada = await world.create()
        join = Join(version=1, name="Bob", attempt=ONE)
        await lose(world, ada.place, join)
        bob = await come(world, ada.place, join)
        assert bob.welcome.seat == "b"
        room = bob.welcome.room
        assert room.b is not None
        assert (room.b.name, room.b.present, room.phase) == ("Bob", True, "building")
        await get_ready(ada, bob)
        await bob.hear_until(Begin)


@pytest.mark.parametrize("hello", [Create, Quick])
async def test_a_room_whose_welcome_was_lost_is_found_again(
    autojump_clock: MockClock, hello: type[Create | Quick]
) -> None:
    async with open_world() as world:
        place = str(hello.__struct_config__.tag).replace("create", "new")
        await world.create(name="Eve")
        first = hello(version=1, name="Ada", attempt=ONE)
        await lose(world, place, first)
        assert len(world.hall) == 2
        ada = await come(world, place, first)
        assert (ada.welcome.seat, len(world.hall)) == ("a", 2)


async def test_whoever_met_somebody_in_the_queue_meets_the_same_again(
    autojump_clock: MockClock,
) -> None:
    async with open_world() as world:
        ada = await come(world, "quick", Quick(version=1, name="Ada"))
        first = Quick(version=1, name="Bob", attempt=ONE)
        await lose(world, "quick", first)
        bob = await come(world, "quick", first)
        assert (bob.place, bob.welcome.seat, len(world.hall)) == (ada.place, "b", 1)


async def test_the_newest_connection_wins_and_the_room_sees_nobody_leave(
    autojump_clock: MockClock,
) -> None:
    """A line that is dead, and that the server takes for a good one."""
    async with open_world() as world:
        ada = await world.create()
        join = Join(version=1, name="Bob", attempt=ONE)
        dead = await come(world, ada.place, join)
        before = world.hall.find(ada.place).room.seq
        bob = await come(world, ada.place, join)
        assert await dead.hear_end() == 4001
        assert world.hall.find(ada.place).room.seq == before
        assert bob.welcome.token != dead.welcome.token


async def test_an_attempt_is_good_for_nothing_once_its_session_was_resumed(
    autojump_clock: MockClock,
) -> None:
    async with open_world() as world:
        ada = await world.create()
        join = Join(version=1, name="Bob", attempt=ONE)
        bob = await come(world, ada.place, join)
        again = await world.resume(bob, bob.welcome.token)
        await again.hear_until(Welcome)
        await wait_all_tasks_blocked()
        assert (await world.visit(ada.place).refused(join)).code == "room_full"
        assert (await again.refused(Forfeit())).code == "wrong_phase"


async def test_an_attempt_is_good_for_nothing_once_the_welcome_to_it_got_through(
    autojump_clock: MockClock,
) -> None:
    """The second welcome is as one to a resume: seen to arrive, it alone is good."""
    async with open_world() as world:
        ada = await world.create()
        join = Join(version=1, name="Bob", attempt=ONE)
        await lose(world, ada.place, join)
        cut = world.visit(ada.place)
        cut.answers_pings = False
        await cut.say(join)
        await cut.hear_until(Welcome)
        await cut.drop()
        await wait_all_tasks_blocked()
        bob = await come(world, ada.place, join)
        await wait_all_tasks_blocked()
        assert (await bob.refused(Forfeit())).code == "wrong_phase"
        assert (await world.visit(ada.place).refused(join)).code == "room_full"


async def test_who_stayed_away_too_long_comes_anew(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada = await world.create()
        join = Join(version=1, name="Bob", attempt=ONE)
        await lose(world, ada.place, join)
        await trio.sleep(61)
        bob = await come(world, ada.place, replace_name(join, "Cid"))
        assert bob.welcome.room.b is not None
        assert bob.welcome.room.b.name == "Cid"


def replace_name(join: Join, name: str) -> Join:
    return Join(version=1, name=name, attempt=join.attempt)


async def test_another_attempt_or_another_kind_of_message_finds_nobody(
    autojump_clock: MockClock,
) -> None:
    async with open_world() as world:
        first = Create(version=1, name="Ada", attempt=ONE)
        ada = await come(world, "new", first)
        other = await come(world, "new", Create(version=1, name="Ada", attempt=TWO))
        quick = await come(world, "quick", Quick(version=1, name="Ada", attempt=ONE))
        eve = await come(world, ada.place, Watch(version=1, attempt=ONE))
        assert len({ada.place, other.place, quick.place}) == 3
        assert (eve.place, eve.welcome.role) == (ada.place, "spectator")
        elsewhere = await come(world, other.place, Join(version=1, name="Bob", attempt=ONE))
        assert elsewhere.welcome.seat == "b"
        answer = await (await world.resume(ada, Token(ONE))).hear()
        assert isinstance(answer, Error)
        assert answer.code == "bad_token"


async def test_a_spectator_counts_once_and_begins_where_they_said(
    autojump_clock: MockClock,
) -> None:
    async with open_world(Limits(spectators=1)) as world:
        ada, bob = await world.pair(best_of=1)
        await get_ready(ada, bob)
        await bob.hear_until(Begin)
        await trio.sleep(10)
        watch = Watch(version=1, start="beginning", attempt=ONE)
        await lose(world, ada.place, watch)
        eve = await come(world, ada.place, watch)
        assert eve.welcome.room.spectators == 1
        again = await come(world, ada.place, watch)  # while the line before is taken for good
        await again.hear_until(Result)
        assert [frame.seq for frame in again.frames()][:1] == [0]
        mirror_of(again)


async def test_with_the_line_cut_before_the_seat_is_kept(autojump_clock: MockClock) -> None:
    """The second try comes while the first is still being written."""
    async with universe() as it:
        world = await it.server()
        first = Create(version=1, name="Ada", attempt=ONE)
        cut = world.visit("new")
        await cut.say(first)
        await wait_all_tasks_blocked()
        await cut.drop()
        ada = await come(world, "new", first)
        await trio.sleep(1)
        assert len(world.hall) == 1
        room = world.hall.find(ada.place).room.state()
        assert room.a is not None
        assert room.a.present


@pytest.mark.parametrize("how", ["resume", "attempt"])
async def test_while_the_new_connection_is_being_kept_the_old_one_goes_unseen(
    autojump_clock: MockClock, how: str
) -> None:
    async with universe(Limits(ping_seconds=1e9)) as it:
        world = await it.server()
        first = Create(version=1, name="Ada", attempt=ONE)
        old = await come(world, "new", first)
        seq = world.hall.find(old.place).room.seq

        async def give_way() -> None:
            assert await old.hear_end() == 4001
            await old.drop()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(give_way)
            new = world.visit(old.place if how == "resume" else "new")
            resume = Resume(version=1, token=old.welcome.token)
            await new.say(resume if how == "resume" else first)
            await new.hear_until(Welcome)
        await trio.sleep(1)
        room = world.hall.find(old.place).room
        assert room.seq == seq
        await trio.sleep(100)
        assert room.phase == "waiting"
        assert (await new.refused(Forfeit())).code == "wrong_phase"


@pytest.mark.parametrize("place", ["new", "quick", "join", "watch"])
@pytest.mark.parametrize("before", [True, False])
async def test_killed_before_the_welcome(
    autojump_clock: MockClock, place: str, before: bool
) -> None:
    """Whether it was kept or not, the next try finds what there is."""
    async with universe(down_seconds=5) as it:
        world = await it.server()
        hello: AnyToServer = Join(version=1, name="Bob", attempt=ONE)
        match place:
            case "new":
                hello = Create(version=1, name="Bob", attempt=ONE)
            case "quick":
                hello = Quick(version=1, name="Bob", attempt=ONE)
            case _:
                ada = await world.create()
                await world.journal_settled()
                if place == "watch":
                    hello = Watch(version=1, attempt=ONE)
                place = ada.place
        it.kill_in(1, before=before)
        await world.visit(place).say(hello)
        world = await next_world(it, world)
        bob = await come(world, place, hello)
        assert len(world.hall) == 1
        sessions = world.hall.find(bob.place).sessions
        assert len(list(sessions)) == (1 if place in ("new", "quick") else 2)
        assert ONE.encode() not in it.copy
        if isinstance(hello, Join):
            assert bob.welcome.seat == "b"


async def next_world(it: Universe, world: KeptWorld) -> KeptWorld:
    """The server after this one."""
    while it.world is world:  # noqa: ASYNC110 - a kill tells nobody
        await trio.sleep(0.1)
    return await it.server()


async def test_with_a_ticket_an_attempt_is_its_players_alone(autojump_clock: MockClock) -> None:
    config = Config(rules=RULES, security=Security(tickets=with_secret(SECRET)))
    async with trio.open_nursery() as nursery:
        world = World(nursery, config)

        def create(player: str | None) -> Create:
            ticket = make_ticket(SECRET, Ticket(player=player), 60) if player else None
            return Create(version=1, name="Ada", attempt=ONE, ticket=ticket)

        ada = await come(world, "new", create("ada"))
        eve = await come(world, "new", create("eve"))
        assert ada.place != eve.place
        again = await come(world, "new", create("ada"))
        assert again.place == ada.place
        assert (await world.visit("new").refused(create(None))).code == "bad_ticket"
        nursery.cancel_scope.cancel()


async def test_the_key_of_a_private_room_is_asked_for_all_the_same(
    autojump_clock: MockClock,
) -> None:
    async with open_world() as world:
        ada = await world.create(key="four candles")
        await lose(world, ada.place, Join(version=1, name="B", key="four candles", attempt=ONE))
        wrong = Join(version=1, name="B", attempt=ONE)
        assert (await world.visit(ada.place).refused(wrong)).code == "wrong_key"


async def test_while_the_server_drains_a_room_that_was_made_is_found(
    autojump_clock: MockClock,
) -> None:
    async with open_world() as world:
        first = Create(version=1, name="Ada", attempt=ONE)
        await lose(world, "new", first)
        world.hall.drain()
        await come(world, "new", first)


@pytest.mark.parametrize("attempt", ["short", "x" * 65, "with spaces in it!!", 7, "ä" * 20, ""])
async def test_what_is_no_attempt(autojump_clock: MockClock, attempt: object) -> None:
    said = json.loads(encode(Create(version=1, name="Ada")))
    async with open_world() as world:
        error = await world.visit("new").refused(json.dumps({**said, "attempt": attempt}))
        assert error.code == "bad_message"
        assert [fault.path for fault in error.faults] == ["attempt"]
        assert not len(world.hall)


async def test_what_comes_late_on_a_connection_that_was_replaced_changes_nothing(
    autojump_clock: MockClock,
) -> None:
    async with open_world() as world:
        ada, bob = await world.pair()
        new = await world.resume(bob, bob.welcome.token)
        await new.hear_until(Welcome)
        player = world.hall.find(ada.place).room.match.seats["b"]
        assert player is not None
        await new.say(submit(1))
        await wait_all_tasks_blocked()
        board = player.board
        assert board is not None
        await bob.say_at_once([submit(2), Leave()])
        await wait_all_tasks_blocked()
        assert player.board is board
        assert world.hall.find(ada.place).room.match.seats["b"] is player
        assert await bob.hear_end() == 4001
