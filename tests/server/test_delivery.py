"""Delivery to one client: as fast as it reads, in order, and never at anyone's expense."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import os

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked
from websockets.protocol import State

from protocol.codes import CloseCode
from protocol.messages import Bye
from server.closing import Closing
from server.feed import framed
from server.limits import Limits
from tests.server.feeds import Written
from tests.server.peers import KINDS, link

# Nobody is late, so that whatever is held up comes in full.
PATIENT = Limits(behind_seconds=1e9)


def words(message: str) -> Bye:
    return Bye(code=1000, reason=message)


def run_ticks(written: Written, count: int) -> None:
    written.ticks(*["trv"] * count)


@pytest.mark.parametrize("kind", KINDS)
async def test_everything_comes_in_order_whatever_the_stream(
    kind: str, autojump_clock: MockClock
) -> None:
    written = Written()
    async with link(written.feed, kind, at=0, greeting=framed(words("welcome"))) as it:
        for number in range(20):
            run_ticks(written, 1)
            it.follower.push()
            if number % 3 == 0:
                it.follower.say(words(f"private {number}"))
            if number % 5 == 0:
                it.peer.heard += []
                await it.peer.read()
        heard = await it.peer.read_until("v19")
    assert heard[:5] == ["welcome", "begin r.1", "t0", "r0", "v0"]
    frames = [word for word in heard if word[0] in "trv" and word[1:].isdigit()]
    assert frames == [f"{channel}{number}" for number in range(20) for channel in "trv"]
    for number in range(0, 20, 3):
        at = heard.index(f"private {number}")
        assert heard[at - 1] == f"v{number}"


async def test_a_push_to_a_socket_that_keeps_up_waits_for_no_task(
    autojump_clock: MockClock,
) -> None:
    written = Written()
    async with link(written.feed, "socket") as it:
        await wait_all_tasks_blocked()
        run_ticks(written, 1)
        it.follower.push()
        assert it.peer.read_now() == ["t0", "r0", "v0"]
        it.follower.say(words("private"))
        assert it.peer.read_now() == ["private"]


async def test_nothing_is_written_while_another_holds_the_connection(
    autojump_clock: MockClock,
) -> None:
    written = Written()
    async with link(written.feed, "socket") as it:
        await wait_all_tasks_blocked()
        async with it.connection.send_lock:
            run_ticks(written, 2)
            it.follower.push()
            await wait_all_tasks_blocked()
            assert it.peer.read_now() == []
        assert await it.peer.read_until("v1") == ["t0", "r0", "v0", "t1", "r1", "v1"]
        run_ticks(written, 1)
        await wait_all_tasks_blocked()
        it.follower.push()
        assert it.peer.read_now() == ["t2", "r2", "v2"]  # it keeps up again


async def test_nothing_is_written_before_what_the_library_has_still_to_send(
    autojump_clock: MockClock,
) -> None:
    written = Written()
    async with link(written.feed, "socket") as it:
        await wait_all_tasks_blocked()
        async with it.connection.send_lock:
            it.connection.protocol.send_ping(b"x")  # not sent yet
        run_ticks(written, 1)
        it.follower.push()
        assert it.peer.read_now() == []
        assert await it.peer.read_until("v0") == ["ping", "t0", "r0", "v0"]


async def test_a_full_socket_gets_the_rest_in_whole_frames_even_with_pings_between(
    autojump_clock: MockClock,
) -> None:
    """The write that is cut short leaves half a frame; a ping must come after its other half."""
    written = Written()
    async with link(written.feed, "socket", PATIENT, buffer_bytes=1) as it:
        await wait_all_tasks_blocked()
        async with trio.open_nursery() as nursery:
            for number in range(600):
                run_ticks(written, 1)
                it.follower.push()
                if number % 100 == 99:
                    nursery.start_soon(it.connection.ping)
                    await trio.lowlevel.checkpoint()
            heard = await it.peer.read_until("v599")
            nursery.cancel_scope.cancel()
    frames = [word for word in heard if word != "ping"]
    assert frames == [f"{channel}{number}" for number in range(600) for channel in "trv"]
    assert "ping" in heard


async def test_the_rest_of_a_write_goes_out_though_nothing_follows(
    autojump_clock: MockClock,
) -> None:
    written = Written()
    async with link(written.feed, "socket", PATIENT, buffer_bytes=1) as it:
        await wait_all_tasks_blocked()
        for _ in range(10_000):
            run_ticks(written, 1)
            it.follower.push()
            if it.follower._busy:
                break
        await wait_all_tasks_blocked()
        heard = await it.peer.read_until(f"v{written.tick}")
        assert heard == [f"{c}{n}" for n in range(written.tick + 1) for c in "trv"]
        await wait_all_tasks_blocked()
        assert not it.follower._busy
        assert trio.current_time() < 1


async def test_one_too_far_behind_is_moved_on_by_a_snapshot(autojump_clock: MockClock) -> None:
    written = Written()
    async with link(written.feed, "lockstep", Limits(stall_seconds=100)) as it:
        await wait_all_tasks_blocked()
        for _ in range(30):
            run_ticks(written, 1)
            it.follower.push()
            await trio.sleep(1)
        heard = await it.peer.read_until("snapshot 29 +87")
        assert heard == ["t0", "r0", "v0", "snapshot 29 +87"]
        run_ticks(written, 1)
        it.follower.push()
        assert (await it.peer.read_until("v30"))[-3:] == ["t30", "r30", "v30"]


async def test_who_comes_late_is_not_late_for_what_was_there(autojump_clock: MockClock) -> None:
    written = Written()
    run_ticks(written, 50)  # all long past
    await trio.sleep(1000)
    async with link(written.feed, "memory", at=0) as it:
        heard = await it.peer.read_until("v49")
    assert len(heard) == 151


async def test_a_stalled_client_holds_up_no_push(autojump_clock: MockClock) -> None:
    """One feed, one that reads nothing and one that reads: neither waits for the other."""
    written = Written()
    async with (
        link(written.feed, "lockstep") as stalled,
        link(written.feed, "socket") as reading,
    ):
        await wait_all_tasks_blocked()
        for number in range(100):
            run_ticks(written, 1)
            stalled.follower.push()
            reading.follower.push()
            assert reading.peer.read_now() == [f"t{number}", f"r{number}", f"v{number}"]


async def test_a_delayed_client_gets_everything_so_much_later(autojump_clock: MockClock) -> None:
    written = Written()
    await trio.sleep(-trio.current_time() % 1)
    async with link(written.feed, "memory", at=0, delay=30.0) as it:
        for _ in range(40):
            run_ticks(written, 1)
            written.feed.entries[-1].made_at = trio.current_time()
            it.follower.push()
            await trio.sleep(1)
        await wait_all_tasks_blocked()
        it.follower.say(words("now"))  # what is for this client alone is not held back
        await wait_all_tasks_blocked()
        words_so_far = await it.peer.read()
        assert words_so_far[-1] == "now"
        last = words_so_far[-2]
        assert last in {"v9", "v10"}
        start = trio.current_time()
        await it.peer.read_until("v39")
        assert 28 <= trio.current_time() - start <= 30


async def test_a_delayed_client_is_never_moved_on(autojump_clock: MockClock) -> None:
    """A snapshot would show what it is not to see yet."""
    written = Written()
    run_ticks(written, 50)
    async with link(written.feed, "lockstep", Limits(stall_seconds=100), at=0, delay=30.0) as it:
        await trio.sleep(90)
        assert (await it.peer.read_until("v49"))[-1] == "v49"


async def test_the_greeting_has_gone_out_when_it_says_so(autojump_clock: MockClock) -> None:
    written = Written()
    async with link(written.feed, "lockstep", greeting=framed(words("welcome"))) as it:
        await wait_all_tasks_blocked()
        assert not it.follower.greeted.is_set()
        assert await it.peer.read() == ["welcome"]
        await wait_all_tasks_blocked()
        assert it.follower.greeted.is_set()


async def test_messages_that_nobody_reads_do_not_pile_up(autojump_clock: MockClock) -> None:
    limits = Limits(private_messages=10)
    written = Written()
    async with link(written.feed, "lockstep", limits, greeting=framed(words("hello"))) as it:
        await wait_all_tasks_blocked()
        for number in range(50):
            it.follower.say(words(f"private {number}"))
        await it.connection.wait_closed()
        assert trio.current_time() < 5


@pytest.mark.parametrize(
    ("limits", "kept"),
    [
        (Limits(private_bytes=10_000), 9),
        (Limits(private_bytes=10_000, private_messages=5), 5),
        (Limits(), Limits().private_messages),
    ],
)
async def test_as_many_messages_wait_as_the_limits_say(
    limits: Limits, kept: int, autojump_clock: MockClock
) -> None:
    """One message is being sent, and the others wait."""
    written = Written()
    async with link(written.feed, "lockstep", limits, greeting=framed(words("hello"))) as it:
        await wait_all_tasks_blocked()
        for number in range(kept):
            it.follower.say(words(f"{number}".ljust(960)))
        await wait_all_tasks_blocked()
        assert it.connection.protocol.state is State.OPEN
        it.follower.say(words("one too many".ljust(960)))
        assert await it.peer.read_until("close 1013")


async def test_closing_says_everything_first(autojump_clock: MockClock) -> None:
    written = Written()
    async with link(written.feed, "memory", greeting=framed(words("welcome"))) as it:
        run_ticks(written, 2)
        it.follower.push()
        it.follower.say(words("private"))
        it.follower.close(Closing(CloseCode.ROOM_CLOSED, "the room is over"))
        heard = await it.peer.read_until("close 4002")
    assert heard == [
        "welcome",
        *("t0", "r0", "v0", "t1", "r1", "v1"),
        "private",
        "the room is over",
        "close 4002",
    ]


async def test_closing_waits_for_nobody(autojump_clock: MockClock) -> None:
    written = Written()
    run_ticks(written, 100)
    async with link(written.feed, "lockstep", at=0) as it:
        await wait_all_tasks_blocked()
        start = trio.current_time()
        it.follower.close(Closing(CloseCode.RESTART, "the server restarts"))
        await it.connection.wait_closed()
        assert trio.current_time() - start <= 2 * Limits().close_seconds


async def test_a_delayed_client_sees_the_end_of_a_room_that_has_closed(
    autojump_clock: MockClock,
) -> None:
    written = Written()
    async with link(written.feed, "memory", at=0, delay=60.0) as it:
        await wait_all_tasks_blocked()
        run_ticks(written, 1)
        written.feed.entries[-1].made_at = trio.current_time()
        it.follower.push()
        it.follower.close(Closing(CloseCode.ROOM_CLOSED, "the room is over"))
        start = trio.current_time()
        heard = await it.peer.read_until("close 4002")
        assert trio.current_time() - start >= 59
    assert heard[-5:] == ["t0", "r0", "v0", "the room is over", "close 4002"]


@pytest.mark.parametrize("kind", ["lockstep", "socket"])
@pytest.mark.parametrize("ours", [True, False])
async def test_a_connection_that_breaks_while_it_is_sent_to_is_no_failure(
    kind: str, ours: bool, autojump_clock: MockClock
) -> None:
    written = Written()
    run_ticks(written, 2000)
    async with link(written.feed, kind, at=0, buffer_bytes=1) as it:
        await wait_all_tasks_blocked()  # in the middle of sending
        await trio.aclose_forcefully(it.connection.stream if ours else it.peer.stream)
        await it.connection.wait_closed()
        await wait_all_tasks_blocked()
        assert trio.current_time() < 2


@pytest.mark.parametrize("way", ["library", "peer", "server"])
async def test_nothing_is_written_to_a_socket_that_is_closed_and_its_number_reused(
    way: str, autojump_clock: MockClock
) -> None:
    written = Written()
    async with link(written.feed, "socket") as it:
        await wait_all_tasks_blocked()
        assert isinstance(it.connection.stream, trio.SocketStream)
        number = it.connection.stream.socket.fileno()
        reader, writer = os.pipe()
        match way:
            case "library":
                await it.connection.close_stream()
            case "peer":
                await trio.aclose_forcefully(it.peer.stream)
            case _:
                it.follower.close(Closing(CloseCode.NORMAL, "done"))
        await it.connection.wait_closed()
        assert it.connection.stream.socket.fileno() == -1
        os.dup2(writer, number)
        run_ticks(written, 1)
        it.follower.push()
        os.set_blocking(reader, False)
        with pytest.raises(BlockingIOError):
            os.read(reader, 1)
        for descriptor in (reader, writer, number):
            os.close(descriptor)


async def test_who_is_held_on_and_on_is_held_since_the_first_time(
    autojump_clock: MockClock,
) -> None:
    async with link(Written().feed, "socket") as it:
        await wait_all_tasks_blocked()
        first = trio.current_time()
        for _ in range(2):
            it.follower.hold(held=True)
            await trio.sleep(10)
        assert it.follower._held_since == first
        it.follower.hold(held=False)
        it.follower.hold(held=True)
        assert it.follower._held_since == first + 20
