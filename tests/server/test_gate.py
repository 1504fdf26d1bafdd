"""Who may come at all, and as whom: by page, by ticket, by what they hold already."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
import trio
from trio.testing import MockClock
from websockets.datastructures import Headers

from protocol.messages import AnyToServer, Create, Join, Leave, Quick, RoomId, Watch, Welcome
from server.callers import Caller, Makers
from server.commands import Refusal
from server.config import Config
from server.gate import is_origin_allowed
from server.limits import Limits
from server.security import Security
from server.tickets import make_ticket, read_claims, with_secret
from tests.server.rooms import RULES
from tests.server.visitors import World

SECRET = "0123456789abcdef" * 2


@pytest.mark.parametrize(
    ("origin", "host", "names", "allowed"),
    [
        (None, "a.example", False, True),  # no browser
        ("http://127.0.0.1:8750", "127.0.0.1:8750", False, True),
        ("http://localhost:8750", "localhost:8750", False, True),
        ("http://[::1]:8750", "[::1]:8750", False, True),
        ("http://127.0.0.1:8750", "127.0.0.1:9999", False, False),
        ("http://127.0.0.1:8750", None, False, False),
        ("https://a.example", "a.example", True, True),
        ("https://A.example", "a.EXAMPLE", True, True),
        ("https://b.example", "a.example", True, False),
        ("https://a.example.b.example", "a.example", True, False),
        # A name that its owner has pointed to this machine, with a page of their own under it.
        ("http://rebound.example:8750", "rebound.example:8750", False, False),
        ("https://friend.example", "a.example", False, True),
        ("https://friend.example:444", "a.example", False, False),
        ("null", "a.example", True, False),
        ("", "", True, False),
        ("http://[", "[", True, False),
        ("file://", "", True, False),
    ],
)
def test_origins(origin: str | None, host: str | None, names: bool, allowed: bool) -> None:
    said = {"Origin": origin, "Host": host}
    headers = Headers({name: value for name, value in said.items() if value is not None})
    assert is_origin_allowed(headers, ["https://friend.example"], names=names) is allowed


def test_an_origin_that_is_said_twice_is_none() -> None:
    headers = Headers([("Origin", "https://a.example"), ("Origin", "https://a.example")])
    assert not is_origin_allowed(headers, ["https://a.example"], names=True)


def ticket(**claims: str | None) -> str:
    whole = {"player": "ada", "name": None, "room": None, "role": None, **claims}
    # Some are made when the tests are collected, long before they run.
    return make_ticket(SECRET, read_claims(**whole), minutes=24 * 60)  # type: ignore[arg-type]


@asynccontextmanager
async def ticketed(limits: Limits | None = None) -> AsyncIterator[World]:
    """A world that asks for tickets."""
    security = Security(tickets=with_secret(SECRET))
    silent = replace(limits or Limits(), ping_seconds=1e9)
    async with trio.open_nursery() as nursery:
        yield World(nursery, Config(rules=RULES, limits=silent, security=security))
        nursery.cancel_scope.cancel()


async def test_a_ticket_lets_in_under_its_own_name(autojump_clock: MockClock) -> None:
    async with ticketed() as world:
        ada = await world.create(name="Eve", ticket=ticket(name="Ada"))
        bob = await world.join(ada.place, name="Bob", ticket=ticket(player="bob"))
        room = bob.welcome.room
        assert room.a is not None
        assert room.b is not None
        assert (room.a.name, room.b.name) == ("Ada", "Bob")
        eve = await world.watch(ada.place, ticket=ticket(player="eve", role="spectator"))
        await eve.drop()
        back = await world.resume(eve, eve.welcome.token)  # the token is proof enough
        assert (await back.hear_until(Welcome)).role == "spectator"


@pytest.mark.parametrize(
    ("place", "hello", "fault"),
    [
        ("new", Create(version=1, name="A"), "is missing"),
        ("quick", Quick(version=1, name="A"), "is missing"),
        ("ROOM", Join(version=1, name="A"), "is missing"),
        ("ROOM", Watch(version=1), "is missing"),
        ("nowhere", Watch(version=1), "is missing"),
        ("ROOM", Watch(version=1, ticket="x"), "is not a ticket"),
        ("ROOM", Watch(version=1, ticket=ticket(role="player")), "is for a player"),
        ("ROOM", Join(version=1, name="A", ticket=ticket(role="spectator")), "is for a spectator"),
        ("ROOM", Join(version=1, name="A", ticket=ticket(room="other")), "is for another room"),
        ("new", Create(version=1, name="A", ticket=ticket(room="other")), "is for one room"),
        ("quick", Quick(version=1, name="A", ticket=ticket(room="other")), "is for one room"),
    ],
)
async def test_who_has_no_ticket_for_it_is_not_let_in(
    place: str, hello: AnyToServer, fault: str, autojump_clock: MockClock
) -> None:
    async with ticketed() as world:
        ada = await world.create(ticket=ticket())
        visitor = world.visit(ada.place if place == "ROOM" else place)
        error = await visitor.refused(hello)
        assert error.code == "bad_ticket"
        assert [one.path for one in error.faults] == ["ticket"]
        assert error.faults[0].message.startswith(fault)
        assert len(world.hall) == 1
        counted = b'phylactery_refused_total{why="bad_ticket"} 1.0'
        assert counted in world.hall.exporter.text()


async def test_a_ticket_for_a_room_lets_into_that_room(autojump_clock: MockClock) -> None:
    async with ticketed() as world:
        ada = await world.create(ticket=ticket())
        await world.join(ada.place, ticket=ticket(player="bob", room=ada.place, role="player"))


async def test_a_player_makes_so_many_rooms_and_no_more(autojump_clock: MockClock) -> None:
    async with ticketed(Limits(rooms_per_player=2)) as world:
        first = await world.create(ticket=ticket())
        await world.create(ticket=ticket())
        hello = Create(version=1, name="Ada", ticket=ticket())
        error = await world.visit("new").refused(hello)
        assert error.code == "too_many_rooms"
        assert error.faults[0].message == "you have made 2 that are still open"
        await world.create(ticket=ticket(player="bob"))
        await first.say(Leave())
        assert await first.hear_end() == 1000
        await world.create(ticket=ticket())


def test_an_address_makes_so_many_rooms_and_no_more() -> None:
    makers = Makers(Limits(rooms_per_address=2))
    ada, bob = Caller("1.1.1.1"), Caller("1.1.1.2")
    for number, caller in enumerate((ada, ada, bob)):
        makers.check(caller)
        makers.add(RoomId(str(number)), caller)
    with pytest.raises(Refusal, match="No more rooms"):
        makers.check(ada)
    makers.remove(RoomId("0"))
    makers.remove(RoomId("made before a restart"))
    makers.check(ada)


async def test_guests_need_no_ticket_and_one_they_have_is_not_looked_at(
    autojump_clock: MockClock,
) -> None:
    async with trio.open_nursery() as nursery:
        world = World(nursery, Config(rules=RULES))
        await world.create(ticket="whatever")
        nursery.cancel_scope.cancel()


def test_nothing_is_counted_of_rooms_that_are_closed() -> None:
    makers = Makers(Limits())
    for number in range(3):
        makers.add(RoomId(str(number)), Caller(f"1.1.1.{number % 2}", f"player {number}"))
    for number in range(3):
        makers.remove(RoomId(str(number)))
    assert (len(makers._makers), len(makers._of_address), len(makers._of_player)) == (0, 0, 0)
