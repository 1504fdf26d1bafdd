"""Keeps what was decided, and only then lets it be told.

Whoever decides hands in what is to be kept together with what is to be done once it is kept: in the
order of handing in, nothing overtakes anything. One thread writes, off the event loop; all that
comes in while it writes goes into its next transaction, so that a thousand rooms cost few of them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

import trio

from protocol.messages import BattleId
from server.journal.records import EndingRecord, RoundRecord, Write
from server.journal.store import Fought, Store

T = TypeVar("T")
Then = Callable[[], None]
InThread = Callable[..., Awaitable[Any]]


class JournalFailed(Exception):  # noqa: N818 - what the server ends with
    """Nothing more can be kept, so nothing more may be told: the server must end."""


def nothing() -> None:
    """For writes that nobody waits for."""


@dataclass(frozen=True, slots=True)
class _Entry:
    writes: Sequence[Write]
    then: Then
    otherwise: Then


class Journal:
    """What the rest of the server sees of it. Without a store nothing is kept: `then` is at once.

    `in_thread` runs a function elsewhere and waits for it, as `trio.to_thread.run_sync` does.
    """

    def __init__(self, store: Store | None = None, in_thread: InThread | None = None) -> None:
        self._store = store
        writing, reading = trio.CapacityLimiter(1), trio.CapacityLimiter(1)
        if store is not None and store.shared:
            reading = writing
        thread = trio.to_thread.run_sync
        self._write: Final = in_thread or partial(thread, limiter=writing)
        self._read: Final = in_thread or partial(thread, limiter=reading)
        self._queue: list[_Entry] = []
        self._busy = False  # something handed in earlier is not done with
        self._failed = False
        self._wake = trio.Event()
        self._idle = trio.Event()

    def put(self, writes: Sequence[Write], then: Then = nothing, otherwise: Then = nothing) -> None:
        """Keeps these, all or none; `then`, once they are kept, or `otherwise`, where they cannot
        be. Neither may raise.

        Also what needs no keeping is told by way of this: it may tell of what does.
        """
        if self._failed:
            otherwise()
            return
        if self._store is None or not (writes or self._busy):
            then()
            return
        if not self._busy:
            self._busy, self._idle = True, trio.Event()
        self._queue.append(_Entry(writes, then, otherwise))
        self._wake.set()

    async def run(self) -> None:
        """Writes until cancelled. Raises `JournalFailed`; what was not kept is never told."""
        while True:
            if not self._queue:
                self._busy = False
                self._idle.set()
                await self._wake.wait()
            self._wake = trio.Event()
            await self._commit()

    async def settled(self) -> None:
        """Waits until all that was handed in is kept and told, or never will be."""
        while self._busy:
            await self._idle.wait()

    async def _commit(self) -> None:
        """What is handed in from here on is in the next transaction."""
        batch, self._queue = self._queue, []
        writes = [write for entry in batch for write in entry.writes]
        if writes and self._store is not None:
            try:
                await self._write(self._store.apply, writes)
            except Exception as error:
                self._fail(batch)
                raise JournalFailed(f"the journal cannot be written: {error}") from error
        for entry in batch:
            entry.then()

    def _fail(self, batch: Sequence[_Entry]) -> None:
        self._failed, self._busy = True, False
        self._idle.set()
        lost, self._queue = [*batch, *self._queue], []
        for entry in lost:
            entry.otherwise()

    # Replays.

    async def replays(self, most: int) -> Sequence[tuple[RoundRecord, EndingRecord]]:
        """The latest public battles that have ended, the last one first. Raises `sqlite3.Error`."""
        if self._store is None:
            return ()
        found: Sequence[tuple[RoundRecord, EndingRecord]]
        found = await self._read(self._store.replays, most)
        return found

    async def fought(self, battle: BattleId) -> Fought | None:
        """A battle that has ended; None where there is none of this id. Raises `sqlite3.Error`."""
        if self._store is None:
            return None
        found: Fought | None = await self._read(self._store.fought, battle)
        return found
