"""How many connections an address has is known from the moment that one is let in."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest
import trio
from trio.testing import MockClock, memory_stream_pair
from websockets.exceptions import ConnectionClosed
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.trio.server import Server

from server.config import Config
from server.door import Crowd
from server.hall import Hall
from server.limits import Limits
from server.line import Line
from server.metronome import Metronome
from server.reception import Reception
from tests.server.rooms import RULES
from tests.server.strangers import handshake
from tests.server.test_early_ends import Gone, Hasty

CONFIG = Config(port=0, rules=RULES, limits=Limits(connections_per_address=5, hello_seconds=60))


class Reached:
    """A reception whose guests come through memory, all from one address."""

    def __init__(self, nursery: trio.Nursery, *, closing: bool = False) -> None:
        self.host = Reception(CONFIG, Hall(CONFIG, Metronome()), Crowd(CONFIG.limits))
        self._nursery = nursery
        self._server = cast("Server", SimpleNamespace(closing=closing))

    @property
    def counted(self) -> int:
        return self.host._here.total()

    async def serve(self, stream: trio.abc.Stream) -> None:
        """As the library does."""
        host = self.host
        async with trio.open_nursery() as nursery:
            line = Line(nursery, stream, ServerProtocol(), self._server, host=host, close_timeout=1)
            try:
                with trio.fail_after(10):
                    await line.handshake(host.process_request, host.process_response, None)
                if line.protocol.state is not State.OPEN:
                    await line.close_stream()
                    return
                async with line:
                    await host.handle(line)
            except (ConnectionClosed, trio.TooSlowError):
                await trio.aclose_forcefully(stream)

    async def come(self, statuses: list[int], request: bytes = handshake()) -> None:
        """Somebody who stays; what they were told."""
        ours, theirs = memory_stream_pair()
        self._nursery.start_soon(self.serve, ours)
        await theirs.send_all(request)
        statuses.append(int((await theirs.receive_some()).split()[1]))
        await trio.sleep(30)
        await theirs.aclose()


async def test_no_more_are_let_in_though_they_come_at_once(autojump_clock: MockClock) -> None:
    async with trio.open_nursery() as nursery:
        reached = Reached(nursery)
        statuses: list[int] = []
        for some in (4, 5):
            for _ in range(some):
                nursery.start_soon(reached.come, statuses)
            await trio.sleep(1)
        assert sorted(statuses) == [101] * 5 + [429] * 4
        assert reached.counted == 5
    assert reached.counted == 0


async def test_what_is_no_handshake_counts_for_nothing(autojump_clock: MockClock) -> None:
    wrong = handshake().replace(b"Sec-WebSocket-Key", b"X")
    for closing, request, status in ((False, wrong, 400), (True, handshake(), 503)):
        async with trio.open_nursery() as nursery:
            reached = Reached(nursery, closing=closing)
            statuses: list[int] = []
            for _ in range(5):
                nursery.start_soon(reached.come, statuses, request)
            await trio.sleep(0.5)
            assert reached.counted == 0  # though the socket is open yet
        assert statuses == [status] * 5


class Stuck(Hasty):
    """The server's end of a line to somebody who takes nothing."""

    async def send_all(self, _: bytes | bytearray | memoryview) -> None:
        await trio.sleep_forever()


@pytest.mark.parametrize("kind", [Gone, Stuck])
async def test_whose_answer_does_not_arrive_is_not_counted_any_more(
    autojump_clock: MockClock, kind: type[Hasty]
) -> None:
    ours, theirs = memory_stream_pair()
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            reached = Reached(nursery)
            await theirs.send_all(handshake())
            nursery.start_soon(reached.serve, kind(ours, theirs, b""))
            await trio.sleep(1)
            assert reached.counted == (kind is Stuck)
            await trio.sleep(10)
            await theirs.aclose()
    assert reached.counted == 0
