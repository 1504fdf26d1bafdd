"""What is said on a connection, from the first message to the last, without a socket."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import gc
import json
import weakref
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

import server.battles
import server.connection
import server.telling
from engine import Setup, base_catalog, read_battle
from protocol.codec import encode
from protocol.frames import FedTick, FeedWriter
from protocol.messages import (
    Accept,
    Begin,
    Create,
    Forfeit,
    Join,
    Leave,
    Offer,
    Quick,
    Ready,
    Result,
    Resume,
    RoomUpdate,
    SnapshotMessage,
    TickFrame,
    Token,
    Watch,
    Welcome,
)
from server.limits import Limits
from server.match import Match
from tests.server.rooms import NONCE, board, everything, submit
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
    ("brackets", "[" * 100_000, "too_deep"),
    ("some brackets", "[" * 5_000, "too_deep"),
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


async def test_who_says_nothing_is_shown_out(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        visitor = world.visit("new")
        assert await visitor.hear_end() == 4003
        assert trio.current_time() == pytest.approx(Limits().hello_seconds, abs=0.1)


async def test_messages_that_come_too_fast_are_refused_and_then_it_is_enough(
    autojump_clock: MockClock,
) -> None:
    limits = Limits(messages_burst=5, messages_refused=3)
    async with open_world(limits) as world:
        ada = await world.create()  # takes one
        for _ in range(4):
            assert (await ada.refused(Forfeit())).code == "wrong_phase"
        assert (await ada.refused(Forfeit())).code == "too_fast"
        await trio.sleep(1)  # and a wait makes it good
        assert (await ada.refused(Forfeit())).code == "wrong_phase"
        for _ in range(20):
            await ada.say(Forfeit())
        assert await ada.hear_end() == 1008


# Rooms.


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


async def test_more_spectators_than_are_told_in_one_go(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.telling, "SLICE", 2)
    async with open_world() as world:
        ada, bob = await world.pair(best_of=1)
        watchers = [await world.watch(ada.place) for _ in range(7)]
        await get_ready(ada, bob)
        await ada.hear_until(Result)
        told = trio.current_time()
        for eve in watchers:
            await eve.hear_until(Result)
            assert eve.frames() == ada.frames()
        assert trio.current_time() - told < 0.01


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


# Watching.


@pytest.mark.parametrize("channels", [["tick"], ["revival", "vessel"], ["tick", "vessel"]])
async def test_who_comes_late_misses_nothing_from_there_on(
    channels: list[str], autojump_clock: MockClock
) -> None:
    async with open_world() as world:
        ada, bob = await world.pair(best_of=1)
        await get_ready(ada, bob)
        await ada.hear_until(Begin)
        await trio.sleep(7.77)
        eve = await world.watch(ada.place, channels=channels)
        assert isinstance(await eve.hear(), Begin)
        snapshot = await eve.hear()
        assert isinstance(snapshot, SnapshotMessage)
        assert snapshot.tick > 0
        await eve.hear_until(Result)
        await ada.hear_until(Result)
        mirror = mirror_of(eve)
        if "tick" in channels:
            assert mirror.tick == mirror_of(ada).tick
        kinds = {
            channel: len([f for f in eve.frames() if f.__struct_config__.tag == channel])
            for channel in ("tick", "revival", "vessel")
        }
        assert {channel for channel, count in kinds.items() if count} <= set(channels)
        wanted = [f for f in ada.frames() if f.__struct_config__.tag in channels]
        assert eve.frames() == wanted[-len(eve.frames()) :]
        first = snapshot.next
        missed = sum(getattr(first, channel) for channel in channels)
        assert missed + len(eve.frames()) == len(wanted)


async def test_no_one_is_told_an_older_state_of_the_room(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada, bob = await world.pair(best_of=1)
        await get_ready(ada, bob)
        await trio.sleep(5)
        await bob.drop()
        await wait_all_tasks_blocked()
        watchers = [await world.watch(ada.place, start=start) for start in ("now", "beginning")]
        watchers.append(await world.watch(ada.place, delay_seconds=3))
        for eve in watchers:
            await eve.hear_phase("over")
            told = [m.room.seq for m in eve.heard if isinstance(m, (Welcome, RoomUpdate))]
            assert told == sorted(set(told))


async def test_who_is_not_let_in_leaves_nothing_behind(autojump_clock: MockClock) -> None:
    async with open_world(Limits(spectators=1)) as world:
        ada, _ = await world.pair()
        await world.watch(ada.place)
        sessions = world.hall.find(ada.place).sessions
        before = len(list(sessions))
        error = await world.visit(ada.place).refused(Watch(version=1))
        assert error.code == "spectators_full"
        assert (await world.visit(ada.place).refused(Join(version=1, name="C"))).code == "room_full"
        assert len(list(sessions)) == before


async def test_watching_from_the_beginning_is_the_whole(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada, bob = await world.pair(best_of=1)
        await get_ready(ada, bob)
        await trio.sleep(10)
        eve = await world.watch(ada.place, start="beginning")
        await ada.hear_until(Result)
        await eve.hear_until(Result)
        assert eve.frames() == ada.frames()
        fay = await world.watch(ada.place, start="beginning")  # also when it is over
        await fay.hear_until(Result)
        assert fay.frames() == ada.frames()


async def test_a_delayed_watcher_sees_the_same_so_much_later(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada, bob = await world.pair(best_of=1)
        eve = await world.watch(ada.place, delay_seconds=30)
        await get_ready(ada, bob)
        await ada.hear_until(Result)
        ended = trio.current_time()
        await eve.hear_until(Result)
        assert trio.current_time() - ended == pytest.approx(30, abs=0.2)
        assert eve.frames() == ada.frames()


async def test_a_delayed_watcher_who_comes_late_is_told_nothing_of_the_result(
    autojump_clock: MockClock,
) -> None:
    async with open_world() as world:
        ada, bob = await world.pair(best_of=1)
        await get_ready(ada, bob)
        await ada.hear_until(Result)
        ended = trio.current_time()
        eve = await world.watch(ada.place, delay_seconds=20)
        room = eve.welcome.room
        assert room.phase == "battle"
        assert room.a is not None
        assert room.a.wins == 0
        await eve.hear_until(Result)
        assert trio.current_time() - ended == pytest.approx(20, abs=0.2)
        assert eve.frames() == ada.frames()


# Coming back.


@pytest.mark.parametrize("seconds", [0.3, 3.0, 11.1])
async def test_resuming_in_a_battle_goes_on_where_it_broke(
    seconds: float, autojump_clock: MockClock
) -> None:
    async with open_world() as world:
        ada, bob = await world.pair(best_of=1)
        await get_ready(ada, bob)
        await ada.hear_until(TickFrame)
        with trio.move_on_after(seconds):
            await ada.hear_end()
        await ada.drop()
        await trio.sleep(4)
        back = await world.resume(ada, ada.welcome.token, mirror_of(ada))
        result = await back.hear_until(Result)
        await bob.hear_until(Result)
        assert mirror_of(ada, back).tick == result.tick
        assert ada.frames() + back.frames() == bob.frames()
        assert not [m for m in back.heard if isinstance(m, (Begin, SnapshotMessage))]


async def test_resuming_after_the_next_battle_has_begun(autojump_clock: MockClock) -> None:
    """What is left of the battle that was seen, its result, and then the new one."""
    async with open_world() as world:
        ada, bob = await world.pair(speed=4)
        eve = await world.watch(ada.place)
        await get_ready(ada, bob)
        await eve.hear_until(TickFrame)
        await eve.drop()
        for player in (ada, bob):
            await player.hear_until(Result)
            await player.say(Ready(NONCE))
        await ada.hear_until(TickFrame)
        back = await world.resume(eve, eve.welcome.token, mirror_of(eve))
        first = await back.hear_until(Result)
        second = await back.hear_until(Result)
        assert (first.round, second.round) == (1, 2)
        await ada.hear_until(Result)
        assert eve.frames() + back.frames() == ada.frames()
        sequence = [m.room.seq for m in back.heard if isinstance(m, (Welcome, RoomUpdate))]
        assert sequence == sorted(sequence)


async def test_resuming_restores_the_private_view_and_what_was_asked(
    autojump_clock: MockClock,
) -> None:
    async with open_world() as world:
        ada = world.visit("quick")
        await ada.say(Quick(version=1, name="Ada"))
        await ada.hear_until(Welcome)
        ada.place = ada.welcome.room.id
        await ada.say(submit(0))
        offer = await ada.hear_until(Offer)
        await ada.drop()
        back = await world.resume(ada, ada.welcome.token)
        welcome = await back.hear_until(Welcome)
        assert (welcome.role, welcome.seat) == ("player", "a")
        assert welcome.board == board(0).to_object()
        assert welcome.offer == offer
        assert welcome.token != ada.welcome.token


async def test_a_wrong_token_changes_nothing_for_the_right_one(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada = await world.create()
        stage = world.hall.find(ada.place)
        before = everything(stage.room)
        for token in ("", "x", "\x00", ada.welcome.token[:-1], ada.welcome.token + "x"):
            error = await world.visit(ada.place).refused(Resume(version=1, token=Token(token)))
            assert error.code in {"bad_token", "bad_message"}
        assert everything(stage.room) == before
        back = await world.resume(ada, ada.welcome.token)
        await back.hear_until(Welcome)


async def test_the_newest_connection_wins_and_the_room_sees_nobody_leave(
    autojump_clock: MockClock,
) -> None:
    async with open_world() as world:
        ada, bob = await world.pair()
        await wait_all_tasks_blocked()
        seq = world.hall.find(ada.place).room.seq
        newer = await world.resume(ada, ada.welcome.token)
        await newer.hear_until(Welcome)
        assert await ada.hear_end() == 4001
        await trio.sleep(Limits().resume_seconds + 5)
        assert world.hall.find(ada.place).room.seq == seq
        await newer.say(submit(0))
        assert (await bob.hear_phase("building")).room.a is not None


async def test_the_old_token_is_good_until_the_new_one_has_got_through(
    autojump_clock: MockClock,
) -> None:
    async with open_world() as world:
        ada = await world.create()
        await ada.drop()
        for _ in range(3):  # the welcome never comes: the connection breaks each time
            lost = await world.resume(ada, ada.welcome.token)
            lost.answers_pings = False
            await lost.hear_until(Welcome)
            await lost.drop()
        back = await world.resume(ada, ada.welcome.token)
        await back.hear_until(Welcome)
        with trio.move_on_after(1):
            await back.hear()  # and answers the ping
        error = await world.visit(ada.place).refused(Resume(version=1, token=ada.welcome.token))
        assert error.code == "bad_token"
        again = await world.resume(ada, back.welcome.token)
        await again.hear_until(Welcome)


async def test_a_seat_is_lost_after_the_resume_window(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada, bob = await world.pair()
        await ada.drop()
        update = await bob.hear_phase("waiting")
        assert update.room.a is None
        assert trio.current_time() == pytest.approx(Limits().resume_seconds, abs=0.5)
        error = await world.visit(ada.place).refused(Resume(version=1, token=ada.welcome.token))
        assert error.code == "bad_token"


async def test_a_spectator_is_forgotten_after_the_window_and_counted_while_there(
    autojump_clock: MockClock,
) -> None:
    async with open_world() as world:
        ada = await world.create()
        eve = await world.watch(ada.place)
        assert (await ada.hear_until(RoomUpdate)).room.spectators == 1
        await eve.drop()
        assert (await ada.hear_until(RoomUpdate)).room.spectators == 0
        assert len(world.hall.find(ada.place).audience) == 1
        await trio.sleep(Limits().resume_seconds + 1)
        error = await world.visit(ada.place).refused(Resume(version=1, token=eve.welcome.token))
        assert error.code == "bad_token"


async def test_a_spectator_leaves(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada = await world.create()
        eve = await world.watch(ada.place)
        await eve.say(Leave())
        assert await eve.hear_end() == 1000
        error = await world.visit(ada.place).refused(Resume(version=1, token=eve.welcome.token))
        assert error.code == "bad_token"


async def test_everyone_is_told_that_the_room_is_closed(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada, bob = await world.pair()
        eve = await world.watch(ada.place)
        await ada.say(Leave())
        assert await ada.hear_end() == 1000
        await bob.say(Leave())
        assert await bob.hear_end() == 1000
        assert await eve.hear_end() == 4002
        assert isinstance(eve.heard[-2], RoomUpdate)
        assert eve.heard[-2].room.phase == "closed"
        (record,) = world.hall.records
        assert record.why == "everyone left"


async def test_a_closed_room_leaves_its_record_and_nothing_else(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada, bob = await world.pair(best_of=1)
        await get_ready(ada, bob)
        await ada.hear_until(Result)
        stage = weakref.ref(world.hall.find(ada.place))
        for player in (ada, bob):
            await player.say(Leave())
            assert await player.hear_end() == 1000
            await player.drop()
        await trio.sleep(1)
        gc.collect()
        assert stage() is None
        assert [record.state.id for record in world.hall.records] == [ada.place]


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


class Broken(FeedWriter):
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
    monkeypatch.setattr(server.battles, "FeedWriter", Broken)
    async with open_world(faults=tmp_path) as world:
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
    assert only_setup_in(tmp_path).seed == result.seed


async def test_a_room_that_fails_is_closed_and_no_other_notices(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Match, *__: object) -> None:
        raise ZeroDivisionError("made to fail")

    async with open_world() as world:
        ada, bob = await world.pair()
        cid, dan = await world.pair()
        monkeypatch.setattr(Match, "submit", fail)
        await ada.say(submit(0))
        assert await bob.hear_end() == 1011
        monkeypatch.undo()
        assert [room.id for room in world.hall.listing()] == [cid.place]
        await get_ready(cid, dan)
        await dan.hear_until(Result)


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
