"""Looking on and coming back: nothing twice, nothing missing, whenever one comes."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import gc
import weakref

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from protocol.codes import CloseCode
from protocol.messages import (
    Begin,
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
from tests.server.rooms import NONCE, board, everything, submit
from tests.server.visitors import get_ready, mirror_of, open_world

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


async def test_who_comes_before_a_battles_first_frame_is_told_that_it_begins(
    autojump_clock: MockClock,
) -> None:
    async with open_world() as world:
        ada, bob = await world.pair(best_of=1)
        await trio.sleep(0.01)  # the battle waits for the next beat
        await get_ready(ada, bob)
        await ada.hear_until(Begin)
        began = trio.current_time()
        eve = await world.watch(ada.place)
        assert isinstance(await eve.hear(), Begin)
        assert trio.current_time() == began
        await eve.hear_until(Result)
        await ada.hear_until(Result)
        assert eve.frames() == ada.frames()


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


@pytest.mark.parametrize("delay", [3, 10])
async def test_with_a_delay_a_watcher_begins_with_the_first_frame_wherever_they_ask_to(
    delay: int, autojump_clock: MockClock
) -> None:
    async with open_world() as world:
        ada, bob = await world.pair(best_of=1)
        await get_ready(ada, bob)
        await ada.hear_until(Begin)
        await trio.sleep(7)
        eve = await world.watch(ada.place, start="now", delay_seconds=delay)
        assert eve.welcome.room.phase == "battle"
        assert isinstance(await eve.hear(), Begin)
        await eve.hear_until(Result)
        await ada.hear_until(Result)
        assert eve.frames() == ada.frames()


async def test_the_room_is_in_its_battle_before_the_battle_begins(
    autojump_clock: MockClock,
) -> None:
    async with open_world() as world:
        ada, bob = await world.pair(best_of=1)
        await get_ready(ada, bob)
        await ada.hear_until(Begin)
        *_, before, _ = ada.heard
        assert isinstance(before, RoomUpdate)
        assert before.room.phase == "battle"


async def test_a_channel_that_is_named_again_counts_once(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        ada, bob = await world.pair(best_of=1)
        eve = await world.watch(ada.place, channels=["vessel", "vessel", "vessel"])
        await get_ready(ada, bob)
        await eve.hear_until(Result)
        numbers = [frame.seq for frame in eve.frames()]
        assert numbers == list(range(len(numbers)))


async def test_who_is_not_ready_in_time_is_dismissed_as_one_who_left(
    autojump_clock: MockClock,
) -> None:
    async with open_world() as world:
        ada, _ = await world.pair(best_of=1)
        assert await ada.hear_end() == CloseCode.NORMAL


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
        assert len(world.hall) == 0


async def test_a_closed_room_leaves_nothing(autojump_clock: MockClock) -> None:
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
        assert len(world.hall) == 0
