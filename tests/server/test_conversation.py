"""What is said on a connection, from the first message to the last, without a socket."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

import server.battles
import server.connection
import server.telling
from engine import Battle, Setup, base_catalog, read_battle
from protocol.codec import encode
from protocol.frames import FedTick, FeedWriter
from protocol.messages import (
    MAX_FAULT_BYTES,
    MAX_MESSAGE_BYTES,
    Accept,
    Begin,
    Create,
    Forfeit,
    Join,
    Leave,
    Offer,
    Quick,
    Result,
    Resume,
    RoomUpdate,
    SubmitBoard,
    TickFrame,
    Token,
    Watch,
    Welcome,
)
from server.limits import Limits
from server.match import Match
from tests.server.rooms import NONCE, everything
from tests.server.visitors import get_ready, mirror_of, open_world

BAD_INPUT = [
    ("not JSON", "{", "not_json"),
    ("nothing", "", "not_json"),
    ("not an object", "[]", "bad_message"),
    ("no type", "{}", "bad_message"),
    ("a type that is no text", '{"type":7}', "bad_message"),
    ("an unknown type", '{"type":"attack"}', "unknown_type"),
    ("a message for the client", '{"type":"result"}', "unknown_type"),
    ("a field too many", '{"type":"forfeit","now":true}', "bad_message"),
    ("a field too few", '{"type":"ready"}', "bad_message"),
    ("a field of a wrong type", '{"type":"ready","nonce":[]}', "bad_message"),
    ("a nonce too short", '{"type":"ready","nonce":"x"}', "bad_message"),
    ("100 KB of brackets", "[" * 100_000, "too_large"),
    ("some brackets", "[" * 5_000, "too_deep"),
    ("many lists", "[" + "[]," * 5_000 + "0]", "too_large"),
    ("one byte too many", " " * (MAX_MESSAGE_BYTES + 1), "too_large"),
    ("all that is received", " " * Limits().message_bytes, "too_large"),
    ("a NaN", '{"type":"board","board":{"units":NaN}}', "not_json"),
    ("an integer past 64 bits", '{"type":"board","board":{"x":' + "9" * 30 + "}}", "bad_message"),
    ("half a character", '{"type":"accept","offer":"\\ud800"}', "bad_message"),
    ("a binary frame", b'{"type":"forfeit"}', "binary"),
    ("another first message", encode(Create(version=1, name="x")).decode(), "hello_once"),
    (
        "an unknown card",
        '{"type":"board","board":{"units":[{"cell":0,"card":"x"}]}}',
        "board_refused",
    ),
    ("no board", '{"type":"ready","nonce":"0123456789abcdef"}', "no_board"),
    ("the wrong phase", '{"type":"forfeit"}', "wrong_phase"),
    ("no offer", '{"type":"accept","offer":"x"}', "wrong_phase"),
]


@pytest.mark.parametrize(
    ("said", "code"), [row[1:] for row in BAD_INPUT], ids=[r[0] for r in BAD_INPUT]
)
async def test_bad_input_gets_its_documented_error_and_changes_nothing(
    said: str | bytes, code: str, autojump_clock: MockClock
) -> None:
    async with open_world() as world:
        ada, bob = await world.pair()
        await ada.hear_phase("building")
        room = world.hall.find(ada.place).room
        before = everything(room)
        error = await ada.refused(said)
        assert (error.code, error.seq) == (code, room.seq)
        assert everything(room) == before
        await get_ready(ada, bob)  # and loses nothing
        await ada.hear_until(Begin)


async def test_the_answer_to_a_board_that_is_wrong_all_over_is_bounded(
    autojump_clock: MockClock,
) -> None:
    async with open_world() as world:
        ada = await world.create()
        units = [{"cell": 9, "card": f"nobody {number}", "level": 1} for number in range(40)]
        error = await ada.refused(SubmitBoard({"units": units}))
        assert error.code == "board_refused"
        assert 20 < len(error.faults) < 120
        assert len(encode(error)) < MAX_FAULT_BYTES + 300


@pytest.mark.parametrize(
    ("place", "said", "code"),
    [
        ("new", "{", "not_json"),
        ("new", '{"type":"create","version":99,"name":"Ada"}', "wrong_version"),
        ("new", '{"type":"create","version":1,"name":""}', "bad_message"),
        ("new", Create(version=1, name="\u202eadA"), "bad_name"),
        ("new", Quick(version=1, name="Ada"), "wrong_url"),
        ("new", Forfeit(), "hello_first"),
        ("quick", Create(version=1, name="Ada"), "wrong_url"),
        ("nowhere", Join(version=1, name="Ada"), "no_such_room"),
        ("nowhere", Watch(version=1), "no_such_room"),
        ("nowhere", Resume(version=1, token=Token("x" * 43)), "no_such_room"),
        ("nowhere", Create(version=1, name="Ada"), "wrong_url"),
    ],
)
async def test_a_first_message_that_lets_nobody_in(
    place: str, said: Create | str, code: str, autojump_clock: MockClock
) -> None:
    async with open_world() as world:
        visitor = world.visit(place)
        error = await visitor.refused(said)
        assert (error.code, error.seq) == (code, 0)
        assert len(world.hall) == 0
        if place == "new":  # the same connection may say it right
            await visitor.say(Create(version=1, name="Ada"))
            await visitor.hear_until(Welcome)


async def test_two_fight_to_the_engines_digest(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada, bob = await world.pair(best_of=1)
        await get_ready(ada, bob)
        for player in (ada, bob):
            result = await player.hear_until(Result)
            mirror = mirror_of(player)
            assert mirror.tick == result.tick
            assert mirror.digests_checked > result.tick // 20
            assert (await player.hear_until(RoomUpdate)).room.phase == "over"
        assert ada.frames() == bob.frames()


async def test_a_battle_takes_its_time(autojump_clock: MockClock) -> None:
    for speed in (1, 4):
        async with open_world() as world:
            ada, bob = await world.pair(speed=speed)
            await get_ready(ada, bob)
            await ada.hear_until(Begin)
            start = trio.current_time()
            result = await ada.hear_until(Result)
            seconds = trio.current_time() - start
            assert seconds == pytest.approx(result.tick / 20 / speed, abs=0.01)


async def test_a_forfeited_battle_stops_where_it_is(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada, bob = await world.pair(best_of=1)
        await get_ready(ada, bob)
        await bob.hear_until(TickFrame)
        await trio.sleep(3)
        await ada.say(Forfeit())
        result = await bob.hear_until(Result)
        assert (result.winner, result.reason, result.digest) == ("b", "forfeit", None)
        frames = len(bob.frames())
        await trio.sleep(70)
        with trio.move_on_after(1):
            await bob.hear_end()
        assert len(bob.frames()) == frames
        eve = await world.watch(ada.place)  # and no battle is shown to who comes now
        with trio.move_on_after(0.5):
            await eve.hear_end()
        assert [type(message) for message in eve.heard] == [Welcome]


async def test_a_private_room_needs_its_key_and_is_in_no_list(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada = await world.create(key="swordfish")
        assert world.hall.listing() == []
        for key in (None, "swordfisj", "swordfish!"):
            error = await world.visit(ada.place).refused(Join(version=1, name="Bob", key=key))
            assert error.code == "wrong_key"
            error = await world.visit(ada.place).refused(Watch(version=1, key=key))
            assert error.code == "wrong_key"
        await world.join(ada.place, key="swordfish")
        error = await world.visit(ada.place).refused(Join(version=1, name="C", key="swordfish"))
        assert error.code == "room_full"


async def test_no_more_rooms_than_the_limit(autojump_clock: MockClock) -> None:
    async with open_world(Limits(rooms=1)) as world:
        ada = await world.create()
        error = await world.visit("new").refused(Create(version=1, name="Bob"))
        assert error.code == "too_many_rooms"
        await ada.say(Leave())
        assert await ada.hear_end() == 1000
        assert len(world.hall) == 0
        await world.create()


async def test_nothing_begins_while_the_server_drains(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        world.hall.drain()
        assert (await world.visit("new").refused(Create(version=1, name="Ada"))).code == "draining"


async def test_the_queue_brings_two_together(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada, bob = world.visit("quick"), world.visit("quick")
        await ada.say(Quick(version=1, name="Ada"))
        await ada.hear_until(Welcome)
        await bob.say(Quick(version=1, name="Bob"))
        assert (await bob.hear_until(Welcome)).room.id == ada.welcome.room.id
        assert (ada.welcome.seat, bob.welcome.seat) == ("a", "b")
        await ada.hear_phase("building")


async def test_the_queue_passes_over_one_who_is_away(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada, bob = world.visit("quick"), world.visit("quick")
        await ada.say(Quick(version=1, name="Ada"))
        await ada.hear_until(Welcome)
        await ada.drop()
        await wait_all_tasks_blocked()
        await bob.say(Quick(version=1, name="Bob"))
        assert (await bob.hear_until(Welcome)).room.id != ada.welcome.room.id


async def test_who_finds_nobody_may_fight_a_stored_board(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada = world.visit("quick")
        await ada.say(Quick(version=1, name="Ada"))
        offer = await ada.hear_until(Offer)
        assert trio.current_time() == pytest.approx(Limits().offer_seconds, abs=0.1)
        await ada.say(Accept(offer.offer))
        await ada.hear_phase("building")
        await get_ready(ada)
        result = await ada.hear_until(Result)
        assert result.nonces == {"a": f"{NONCE}0", "b": offer.offer}


# What must not get out, and what must not spread.


async def test_no_secret_gets_out_before_its_time(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada, bob = await world.pair(best_of=1)
        eve = await world.watch(ada.place)
        await get_ready(ada, bob)
        await eve.hear_until(TickFrame)
        terms = world.hall.find(ada.place).room.match.terms
        assert terms is not None
        await eve.hear_until(RoomUpdate)
        secret = terms.secret.hex().encode()
        for visitor in (ada, bob, eve):
            with trio.move_on_after(0.1):
                await visitor.hear_end()
            others = [v for v in (ada, bob, eve) if v is not visitor]
            before_result = visitor.received.split(b'"type":"result"')[0]
            assert before_result
            assert secret not in before_result
            assert terms.setup.seed.encode() not in before_result
            assert not [v for v in others if v.welcome.token.encode() in visitor.received]


class Broken(FeedWriter[Battle]):
    """Fails in the middle of the battle of one room."""

    room = ""

    def step(self) -> FedTick:
        if self.maker.battle.startswith(self.room) and self.maker.tick > 30:
            raise ZeroDivisionError("made to fail")
        return super().step()


def only_setup_in(folder: Path) -> Setup:
    """The setup that `phylactery battle` reads from the one file there."""
    (file,) = folder.iterdir()
    return read_battle(json.loads(file.read_text()), base_catalog())


async def test_a_battle_that_fails_is_void_and_no_other_room_misses_a_tick(
    autojump_clock: MockClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = tmp_path / "new" / "faults"
    monkeypatch.setattr(server.battles, "FeedWriter", Broken)
    async with open_world(faults=faults) as world:
        ada, bob = await world.pair(best_of=3)
        cid, dan = await world.pair(best_of=1)
        Broken.room = ada.place
        await get_ready(ada, bob)
        await get_ready(cid, dan)
        result = await bob.hear_until(Result)
        assert (result.reason, result.winner, result.digest) == ("void", None, None)
        assert result.tick > 30
        assert (await bob.hear_until(RoomUpdate)).room.phase == "building"
        other = await dan.hear_until(Result)
        assert other.reason != "void"
        assert mirror_of(dan).tick == other.tick
    assert only_setup_in(faults).seed == result.seed
    for place, mode in ((faults, 0o700), *((file, 0o600) for file in faults.iterdir())):
        assert stat.S_IMODE(place.stat().st_mode) == mode  # it has both boards and the seed


async def test_a_connection_that_fails_ends_alone(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("made to fail")

    async with open_world() as world:
        ada = await world.create()
        monkeypatch.setattr(server.connection, "admit", fail)
        bob = world.visit(ada.place)
        await bob.say(Join(version=1, name="Bob"))
        assert await bob.hear_end() == 1011
        monkeypatch.undo()
        await world.join(ada.place)
        await ada.hear_phase("building")


async def test_who_comes_as_the_room_fails_is_told_so(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("injected")

    async with open_world() as world:
        monkeypatch.setattr(Match, "sit", fail)
        assert (
            await world.visit("new").refused(Create(version=1, name="A"))
        ).code == "no_such_room"
        assert len(world.hall) == 0
        assert world.hall.listing() == []
