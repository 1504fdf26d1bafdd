"""A TCP proxy between clients and server, whose lines fail as lines do."""

from __future__ import annotations

import random
import socket
import struct
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import trio

CHUNK: Final = 1 << 14
# Sends a reset instead of an orderly end.
_RESET: Final = struct.pack("ii", 1, 0)


@dataclass(frozen=True)
class Fate:
    """What is to become of one connection; times in seconds from its beginning."""

    delay: float  # of every piece, at most
    what: str  # cut, reset, half, swallow or nothing
    after: float
    stall: float  # for so long nothing goes through, at `after`; then on, or the end


class Lines:
    """Listens, and connects through to the server. While it is `calm` nothing happens to anyone."""

    def __init__(self, dice: random.Random, server_port: int) -> None:
        self.port = 0
        self.calm = True
        self.fates: Counter[str] = Counter()
        self._dice = dice
        self._server_port = server_port
        self._open: set[trio.CancelScope] = set()

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}"

    async def run(self, *, task_status: trio.TaskStatus[None]) -> None:
        """Carries until cancelled."""
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self.port = listeners[0].socket.getsockname()[1]
        async with trio.open_nursery() as nursery:
            task_status.started()
            await trio.serve_listeners(self._carry, listeners, handler_nursery=nursery)

    def calm_down(self) -> None:
        """From now on nothing happens; what is on a line that fails gets a new one."""
        self.calm = True
        for scope in self._open:
            scope.cancel()

    async def _carry(self, near: trio.SocketStream) -> None:
        try:
            far = await trio.open_tcp_stream("127.0.0.1", self._server_port)
        except OSError:  # the server is down
            await trio.aclose_forcefully(near)
            return
        fate = self._fate()
        self.fates[fate.what] += 1
        try:
            with trio.CancelScope() as scope:
                if fate.what != "nothing" or fate.delay:
                    self._open.add(scope)
                await self._carry_both(near, far, fate)
        finally:
            self._open.discard(scope)
            for end in (near, far):
                await trio.aclose_forcefully(end)

    def _fate(self) -> Fate:
        dice = self._dice
        if self.calm:
            return Fate(0.0, "nothing", 0.0, 0.0)
        what = dice.choice(("nothing", "cut", "cut", "reset", "half", "swallow", "stall"))
        delay = dice.choice((0.0, 0.0, 0.02, 0.2))
        return Fate(delay, what, dice.expovariate(1 / 3), dice.uniform(0.2, 3.0))

    async def _carry_both(
        self, near: trio.SocketStream, far: trio.SocketStream, fate: Fate
    ) -> None:
        """`half` goes on in one direction only; `swallow` reads on and passes nothing on."""
        began = trio.current_time()
        one_way = self._dice.random() < 0.5
        async with trio.open_nursery() as nursery:

            async def pump(source: trio.SocketStream, sink: trio.SocketStream, hit: bool) -> None:
                with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                    await self._pump(source, sink, fate, began + fate.after, hit)
                if not (hit and fate.what in ("half", "swallow")):
                    nursery.cancel_scope.cancel()

            nursery.start_soon(pump, near, far, one_way or fate.what != "half")
            nursery.start_soon(pump, far, near, not one_way or fate.what != "half")
            if fate.what in ("cut", "reset"):
                await trio.sleep(fate.after)
                if fate.what == "reset":
                    for end in (near, far):
                        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                nursery.cancel_scope.cancel()

    async def _pump(
        self,
        source: trio.SocketStream,
        sink: trio.SocketStream,
        fate: Fate,
        at: float,
        hit: bool,
    ) -> None:
        stalled = False
        while data := await source.receive_some(CHUNK):
            if fate.delay:
                await trio.sleep(self._dice.uniform(0, fate.delay))
            late = hit and trio.current_time() >= at
            if late and fate.what in ("half", "swallow"):
                continue  # nobody is told
            if late and fate.what == "stall" and not stalled:
                stalled = True
                await trio.sleep(fate.stall)
            await sink.send_all(data)
