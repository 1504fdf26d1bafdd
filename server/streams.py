"""The streams of battles that are over: made one at a time, a little at a time, since battles that
run go first; those that were asked for last are kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final

import trio

from engine import Catalog
from protocol.messages import BattleId
from server.replay import Replay
from server.retelling import begin_of, retell, stream

TICKS_AT_A_TIME: Final = 4
MOST_WAITING: Final = 64
BYTES_KEPT: Final = 1 << 22

Fetch = Callable[[BattleId], Awaitable[Replay | None]]


class Busy(Exception):  # noqa: N818 - says what the server is
    """So many streams are being waited for that one more would take too long."""


class Streams:
    """Of one server."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._kept: OrderedDict[BattleId, bytes] = OrderedDict()
        self._size = 0
        self._turn = trio.Lock()  # first come, first served

    async def of(self, battle: BattleId, fetch: Fetch) -> bytes | None:
        """A battle's stream; None where there is no replay. Raises `Busy`, `Untellable`, and what
        `fetch` raises.
        """
        if battle in self._kept:
            self._kept.move_to_end(battle)
            return self._kept[battle]
        if self._turn.statistics().tasks_waiting >= MOST_WAITING:
            raise Busy
        async with self._turn:
            if battle in self._kept:  # by who went before
                return self._kept[battle]
            replay = await fetch(battle)
            if replay is None:
                return None
            body = await self._make(replay)
            self._keep(battle, body)
            return body

    async def _make(self, replay: Replay) -> bytes:
        told = []
        for count, frames in enumerate(retell(replay, self._catalog)):
            told.append(frames)
            if count % TICKS_AT_A_TIME == 0:
                await trio.lowlevel.checkpoint()
        return stream(begin_of(replay), told, replay.result)

    def _keep(self, battle: BattleId, body: bytes) -> None:
        self._kept[battle] = body
        self._size += len(body)
        while self._size > BYTES_KEPT:
            _, oldest = self._kept.popitem(last=False)
            self._size -= len(oldest)
