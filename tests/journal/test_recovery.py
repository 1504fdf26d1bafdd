"""What a new server makes of what the old one has left, where no battle shows it."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
import trio
from structlog.testing import capture_logs
from trio.testing import MockClock

from engine import base_catalog
from protocol.messages import (
    Accept,
    Begin,
    Create,
    Error,
    Leave,
    Offer,
    Quick,
    Rematch,
    Result,
    Resume,
    RoomUpdate,
    Watch,
    Welcome,
)
from server.edition import Edition, edition_of
from server.journal import recovery
from server.journal.records import PutRoom, RoomRecord, pack, unpack
from server.journal.rooms import is_fought_alike
from server.journal.store import Most
from server.limits import Limits
from server.metronome import Metronome
from server.mint import Mint
from server.security import Security
from server.tickets import Ticket, make_ticket, with_secret
from server.watchdog import Watchdog
from tests.journal.coming_back import after, back
from tests.journal.records import fight
from tests.journal.worlds import KeptWorld, universe
from tests.server.rooms import submit
from tests.server.test_watchdog import spin
from tests.server.visitors import Visitor, get_ready, mirror_of


async def stand_still(_: Metronome) -> None:
    await trio.sleep_forever()


def mirror_seq(visitor: Visitor) -> int:
    """The room's number as they came back."""
    return visitor.welcome.room.seq


async def test_the_rooms_number_goes_back_for_nobody_who_sees_it_later(
    autojump_clock: MockClock,
) -> None:
    async with universe() as it:
        world = await it.server()
        ada, bob = await world.pair()
        eve = await world.watch(ada.place, delay_seconds=2)
        await get_ready(ada, bob)
        await ada.hear_until(Begin)
        for _ in range(3):
            await bob.drop()
            bob = await back(world, bob)
        await trio.sleep(2.5)
        while (update := await eve.hear_until(RoomUpdate)).room.seq < mirror_seq(bob):
            pass
        async with after(it) as world:
            again = await back(world, eve)
            assert again.welcome.room.seq >= update.room.seq
            await back(world, bob)
            assert (await again.hear_until(RoomUpdate)).room.seq > again.welcome.room.seq


async def test_a_private_room_stays_private(autojump_clock: MockClock) -> None:
    async with universe() as it:
        ada = await (await it.server()).create(key="four candles")
        async with after(it) as world:
            wrong = world.visit(ada.place)
            assert (await wrong.refused(Watch(version=1))).code == "wrong_key"
            await world.watch(ada.place, key="four candles")


async def test_a_room_counts_toward_its_makers_limit_after_a_restart_too(
    autojump_clock: MockClock,
) -> None:
    secret = "0123456789abcdef" * 2
    settings: dict[str, Any] = {"security": Security(tickets=with_secret(secret)), "mint": Mint()}

    def create(player: str) -> Create:
        ticket = make_ticket(secret, Ticket(player=player), 1000)
        return Create(version=1, name="Ada", ticket=ticket)

    async with universe(Limits(rooms_per_player=1, waiting_seconds=100), **settings) as it:
        first = (await it.server()).visit("new")
        await first.say(create("ada"))
        await first.hear_until(Welcome)
        async with after(it), after(it) as world:
            error = await world.visit("new").refused(create("ada"))
            assert error.code == "too_many_rooms"
            assert error.faults[0].message == "you have made 1 that are still open"
            await say_and_wait(world, create("bob"))
            await trio.sleep(200)  # the first is closed
            await say_and_wait(world, create("ada"))


async def say_and_wait(world: KeptWorld, hello: Create) -> None:
    visitor = world.visit("new")
    await visitor.say(hello)
    await visitor.hear_until(Welcome)


async def test_a_room_whose_maker_was_not_kept_counts_toward_nobodys_limit(
    autojump_clock: MockClock,
) -> None:
    """As in a file that a server of before has written."""
    async with universe(Limits(rooms_per_address=1), mint=Mint()) as it:
        world = await it.server()
        ada = await world.create()
        await world.journal_settled()
        (row,) = world.store._db.execute("SELECT record FROM rooms").fetchone()
        record = msgspec.structs.replace(unpack(row, RoomRecord), maker=None)
        world.store.apply([PutRoom(record)])
        it.copy = world.store._db.serialize()
        async with after(it) as world:
            assert len(world.hall) == 1
            await world.create()
            assert (await world.visit("new").refused(Create(version=1, name="X"))).code == (
                "too_many_rooms"
            )
            again = await back(world, ada)
            await again.say(Leave())  # it closes, and nobody is the poorer


async def test_seats_boards_and_what_was_being_asked_are_there(autojump_clock: MockClock) -> None:
    async with universe() as it:
        world = await it.server()
        ada = world.visit("quick")
        await ada.say(Quick(version=1, name="Ada"))
        ada.place = (await ada.hear_until(Welcome)).room.id
        await ada.say(submit(0))
        offer = await ada.hear_until(Offer)
        async with after(it) as world:
            again = await back(world, ada)
            welcome = again.welcome
            assert (welcome.seat, welcome.offer) == ("a", offer)
            assert welcome.board is not None
            assert len(welcome.board["units"]) == len(submit(0).board["units"])  # type: ignore[arg-type]
            assert welcome.room.a is not None
            assert welcome.room.a.has_board
            await again.say(Accept(offer.offer))
            assert (await again.hear_phase("building")).room.b is not None


async def test_who_stays_away_has_the_whole_window_and_then_no_seat(
    autojump_clock: MockClock,
) -> None:
    async with universe(down_seconds=1000) as it:
        ada, bob = await (await it.server()).pair()
        async with after(it) as world:
            await trio.sleep(55)
            again = await back(world, ada)
            assert again.welcome.room.b is not None
            assert (await again.hear_phase("waiting")).room.b is None
            late = await world.resume(bob, bob.welcome.token)
            assert (await late.hear_until(Error)).code == "bad_token"


async def test_boards_that_fought_may_still_be_fought(autojump_clock: MockClock) -> None:
    async with universe() as it:
        world = await it.server()
        ada, bob = await world.pair(best_of=1)
        await get_ready(ada, bob)
        await bob.hear_until(Result)
        async with after(it) as world:
            names = {stored.name for stored in world.hall._boards._boards.values()}  # type: ignore[attr-defined]
            assert {"Ada", "Bob"} <= names


async def test_whoever_comes_first_finds_the_battle_where_it_is(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a thousand rooms are fought again, and this one's turn has not come."""
    async with universe(down_seconds=20) as it:
        world = await it.server()
        ada, bob = await world.pair()
        await get_ready(ada, bob)
        await bob.hear_until(Begin)
        monkeypatch.setattr(Metronome, "run", stand_still)
        async with after(it) as world:
            assert len(world.hall.find(ada.place).feed.entries) == 1
            again = await back(world, bob)
            while not again.frames() or again.frames()[-1].tick < 20 * 20 - 20:
                await again.hear()
            mirror_of(bob, again)


async def test_battles_that_were_missed_are_all_told(autojump_clock: MockClock) -> None:
    """Eve is away for three battles, and the server is killed in the last of them."""
    async with universe(Limits(resume_seconds=300, ping_seconds=1e4), down_seconds=1) as it:
        world = await it.server()
        ada, bob = await world.pair(best_of=9)
        eve = await world.watch(ada.place)
        await get_ready(ada, bob)
        await eve.hear_until(Begin)
        for _ in range(5):
            await eve.hear()
        await eve.drop()
        for _ in range(3):
            await ada.hear_until(Result)
            await ada.hear_phase("building")
            await get_ready(ada, bob)
        await ada.hear_until(Begin)
        async with after(it) as world:
            again = await back(world, eve)
            for number in (1, 2, 3, 4):
                result = await again.hear_until(Result)
                assert result.battle == f"{ada.place}.{number}"
            mirror_of(eve, again)  # which finds no gap
            battles = [m.battle for m in again.heard if isinstance(m, Begin)]
            assert battles == [f"{ada.place}.{number}" for number in (2, 3, 4)]


async def test_no_two_battles_have_one_id_where_replays_are_not_kept(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even after the second restart."""
    monkeypatch.setattr("tests.journal.worlds.MOST", Most(replays=0, boards=9, closed=9))
    async with universe() as it:
        world = await it.server()
        ada, bob = await world.pair(best_of=1)
        await get_ready(ada, bob)
        first = (await bob.hear_until(Result)).battle
        await bob.hear_phase("over")
        for _ in range(2):
            async with after(it) as world:
                ada, bob = await back(world, ada), await back(world, bob)
                assert (bob.welcome.room.battle, bob.welcome.room.round) == (first, 1)
        for player in (ada, bob):
            await player.say(Rematch())
        await get_ready(ada, bob)
        begin = await bob.hear_until(Begin)
        assert (begin.battle, begin.round) == (f"{ada.place}.2", 2)
        assert begin.battle != first


@pytest.mark.parametrize("other", [{"engine": "9"}, {"catalog": "other"}, {"frames": 1}], ids=str)
async def test_a_battle_of_another_edition_is_void_and_the_series_goes_on(
    other: dict[str, Any], autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    edition = dataclasses.replace(edition_of(base_catalog()), **other)
    async with universe() as it:
        world = await it.server()
        ada, bob = await world.pair()
        await get_ready(ada, bob)
        await bob.hear_until(Begin)
        monkeypatch.setattr("server.backstage.edition_of", lambda _: edition)
        async with after(it) as world:
            again = await back(world, bob)
            assert (await again.hear_until(Result)).reason == "void"
            assert (again.welcome.room.phase, again.welcome.room.round) == ("building", 2)


def fail(*_: object) -> None:
    raise ValueError("it cannot be")


@pytest.mark.parametrize(
    ("where", "made", "event"),
    [
        ("server.journal.recovery._run", fail, "a battle cannot be fought again"),
        (
            "server.backstage.edition_of",
            lambda _: Edition("9", "other", 1),
            "a battle of another edition is not fought again",
        ),
    ],
)
async def test_where_frames_of_a_battle_are_lacking_the_log_says_why(
    where: str,
    made: Callable[..., Any],
    event: str,
    autojump_clock: MockClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with universe() as it:
        world = await it.server()
        ada, bob = await world.pair(best_of=1)
        await get_ready(ada, bob)
        await bob.hear_until(Begin)
        await world.hall.battles.over()
        monkeypatch.setattr(where, made)
        with capture_logs() as said:
            async with after(it) as world:
                again = await back(world, bob)
                await again.hear_until(Result)
        (one,) = [line for line in said if line.get("battle") == f"{ada.place}.1"]
        assert one["event"] == event
        assert one["log_level"] in ("warning", "error")


async def test_a_battle_that_hangs_as_it_is_made_again_is_void(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hang(*about: Any) -> object:
        spin(5)
        return whole(*about)

    dog, whole = Watchdog(0.1), recovery._run
    monkeypatch.setattr("server.hall.Watchdog", lambda _: dog)
    async with universe() as it:
        world = await it.server()
        ada, bob = await world.pair()
        await get_ready(ada, bob)
        await bob.hear_until(Begin)
        monkeypatch.setattr(recovery, "_run", hang)
        with dog.on_guard():
            async with after(it) as world:
                again = await back(world, bob)
                assert (await again.hear_until(Result)).reason == "void"


def test_a_battle_kept_before_frames_had_editions_is_of_the_first() -> None:
    record = fight()
    assert b"frames" not in pack(record)
    assert is_fought_alike(record, Edition(record.engine, record.catalog, 1))
    assert not is_fought_alike(record, Edition(record.engine, record.catalog, 2))


async def test_a_room_that_cannot_be_made_again_holds_up_no_other(
    autojump_clock: MockClock,
) -> None:
    async with universe() as it:
        world = await it.server()
        ada = await world.create()
        world.store._db.execute("INSERT INTO rooms VALUES ('torn', '{}')")
        async with after(it) as world:
            await back(world, ada)
            assert len(world.hall) == 1


async def test_a_wrong_token_is_still_wrong(autojump_clock: MockClock) -> None:
    async with universe() as it:
        ada = await (await it.server()).create()
        async with after(it) as world:
            visitor = world.visit(ada.place)
            await visitor.say(Resume(version=1, token=ada.welcome.token[:-1]))  # type: ignore[arg-type]
            assert (await visitor.hear_until(Error)).code == "bad_token"
            await back(world, ada)


async def test_who_comes_anew_is_told_nothing_of_a_battle_that_was_over(
    autojump_clock: MockClock,
) -> None:
    async with universe() as it:
        world = await it.server()
        ada, bob = await world.pair()
        await get_ready(ada, bob)
        await bob.hear_until(Result)
        async with after(it) as world:
            eve = await world.watch(ada.place)
            await back(world, ada)
            await eve.hear_phase("building")
            assert (eve.frames(), [m for m in eve.heard if isinstance(m, Result)]) == ([], [])
