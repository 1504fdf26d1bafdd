"""What is cut short on a connection: nothing gets into the middle of a frame, nobody is held for
good.
"""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import trio
from trio.testing import MockClock, wait_all_tasks_blocked
from websockets.frames import Opcode

from protocol.codes import CloseCode
from protocol.messages import Bye
from server.closing import Closing
from server.limits import Limits
from tests.server.feeds import Written
from tests.server.peers import link
from tests.server.strangers import frame

LONG = "x" * 30_000
LIMITS = Limits(close_seconds=1.0)
BYE = Closing(CloseCode.NORMAL, "that is all")


async def test_a_pong_does_not_get_into_the_middle_of_a_frame_that_was_cut_short(
    autojump_clock: MockClock,
) -> None:
    written = Written()
    async with link(written.feed, "socket", LIMITS, buffer_bytes=1) as it:
        await wait_all_tasks_blocked()
        it.follower.say(Bye(code=1000, reason=LONG))
        await wait_all_tasks_blocked()
        it.connection.protocol.receive_data(frame(b"", Opcode.PING))
        it.follower.close(BYE)
        await trio.sleep(LIMITS.close_seconds + 0.1)
        while not it.peer.heard:
            await it.peer.read()
        assert it.peer.heard == [LONG]


async def test_who_gives_up_their_turn_before_it_comes_holds_nobody(
    autojump_clock: MockClock,
) -> None:
    written = Written()
    async with link(written.feed, "socket") as it:
        await wait_all_tasks_blocked()
        with trio.CancelScope() as scope:
            scope.cancel()
            async with it.connection.send_lock:
                pass
        written.ticks("trv")
        it.follower.push()
        assert it.peer.read_now() == ["t0", "r0", "v0"]
