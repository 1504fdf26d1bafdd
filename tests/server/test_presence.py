"""Who has closed, or broken the protocol, is not there any more: at once, whatever becomes of their
socket.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
import trio
from websockets.frames import Opcode

from protocol.codec import encode
from protocol.messages import Join, Leave, Resume, Token
from server.config import Config
from server.limits import Limits
from server.stage import Stage
from tests.server.rooms import RULES
from tests.server.strangers import PATIENCE_SECONDS, Stranger, come_in, frame, listened, until
from tests.server.test_live import running
from tests.server.test_siege import a_room

JOIN = frame(encode(Join(version=1, name="Bob")))
BYE = frame(b"\x03\xe8", Opcode.CLOSE)
LIMITS = Limits(close_seconds=2.0)
CONFIG = Config(port=0, rules=RULES, limits=LIMITS)


def is_there(stage: Stage) -> bool:
    """Whether the room sees Bob."""
    bob = stage.room.match.seats["b"]
    return bob is not None and bob.away_since is None


async def heard(stranger: Stranger, pattern: bytes) -> str:
    """They are sent this; the group that it has."""
    data = b""
    with trio.fail_after(PATIENCE_SECONDS):
        while not (found := re.search(pattern, data)):
            data += await stranger.stream.receive_some(1 << 16)
    return found[1].decode()


async def token_of(stranger: Stranger) -> Token:
    return Token(await heard(stranger, rb'"token":"(.+?)"'))


async def at_once(condition: Callable[[], object]) -> None:
    """Long before the socket's time is over."""
    with trio.fail_after(LIMITS.close_seconds / 2):
        await until(condition)


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"\xff\xff\xff\xff", 1002),
        (frame(b"x", Opcode.CONT), 1002),
        (b"\x81\x05hello", 1002),  # without a mask
        (frame(b"\xff\xfe"), 1007),
        (frame(b"x" * (LIMITS.message_bytes + 1)), 1009),
        (frame(b"", Opcode.PING) * (LIMITS.frames_burst + 200), 1008),
        (BYE, 1000),
        (frame(b"", Opcode.CLOSE), 1005),
    ],
    ids=["noise", "order", "mask", "utf8", "size", "frames", "close", "close without code"],
)
async def test_they_are_gone_at_once(sent: bytes, code: int) -> None:
    """They read nothing and leave the connection as it is."""
    with listened():
        async with running(CONFIG) as server, a_room(server) as stage:
            bob = await come_in(server, f"/rooms/{stage.room.id}")
            await bob.send(JOIN)
            await until(lambda: is_there(stage))
            await bob.send(sent)
            await at_once(lambda: not is_there(stage))
            await at_once(lambda: server.hall.metrics.closed[str(code)] == 1)
            began = trio.current_time()
            await bob.drain(2 * LIMITS.close_seconds)
            assert trio.current_time() - began < 2 * LIMITS.close_seconds
            assert len(server.hall.keepalive) == 1


async def test_what_was_said_before_the_close_is_heard() -> None:
    """Even in one packet with it."""
    with listened():
        async with running(CONFIG) as server, a_room(server) as stage:
            bob = await come_in(server, f"/rooms/{stage.room.id}")
            await bob.send(JOIN)
            await until(lambda: is_there(stage))
            await bob.send(frame(encode(Leave())) + BYE)
            await at_once(lambda: stage.room.match.seats["b"] is None)


async def test_what_comes_late_on_an_older_line_takes_no_session() -> None:
    """A line that was dead brings what was said on it when the client is back on another one
    already, with a token that is not settled yet."""
    with listened():
        async with running(CONFIG) as server, a_room(server) as stage:
            path = f"/rooms/{stage.room.id}"
            bob = await come_in(server, path)
            await bob.send(JOIN)
            resume = frame(encode(Resume(version=1, token=await token_of(bob))))
            dead, dead_too = await come_in(server, path), await come_in(server, path)
            back = await come_in(server, path)
            await back.send(resume)
            newer = await token_of(back)
            session = stage.sessions.find(newer, trio.current_time())
            assert session is not None
            holder = session.follower
            await dead.send(resume)
            await heard(dead, b"(bad_token)")
            assert session.follower is holder
            back.reset()
            await until(lambda: not is_there(stage))
            await dead_too.send(resume)
            await heard(dead_too, b"(bad_token)")
            assert stage.sessions.find(newer, trio.current_time()) is session


async def test_the_close_is_answered() -> None:
    with listened():
        async with running(CONFIG) as server:
            for sent, code in ((BYE, b"\x03\xe8"), (b"\xff\xff\xff\xff", b"\x03\xea")):
                stranger = await come_in(server)
                await stranger.send(sent)
                assert code in await stranger.drain()
