"""What is told is kept first; many decisions cost few transactions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from server.journal.file import MEMORY
from server.journal.records import PutRoom
from server.journal.store import Most, Store, open_store
from server.journal.writer import Journal, JournalFailed
from tests.journal import records as made

WRITE = [PutRoom(made.room())]


class Disk:
    """Stands in for the journal's thread; writes when a test lets it."""

    def __init__(self) -> None:
        self.transactions: list[int] = []
        self.turn = trio.Semaphore(0)
        self.fails = False

    async def __call__(self, function: Callable[..., object], *args: list[object]) -> object:
        await self.turn.acquire()
        if self.fails:
            raise OSError("no space left on device")
        self.transactions.append(len(args[0]))
        return function(*args)


@pytest.fixture
def store() -> Iterator[Store]:
    store = open_store(MEMORY, Most(1, 1, 1))
    yield store
    store.close()


def test_without_a_store_everything_is_told_at_once() -> None:
    told: list[int] = []
    Journal().put(WRITE, lambda: told.append(1))
    assert told == [1]


async def test_nothing_is_told_before_it_is_kept_and_nothing_overtakes(store: Store) -> None:
    disk, told = Disk(), list[str]()
    journal = Journal(store, disk)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(journal.run)
        journal.put((), lambda: told.append("nothing to keep, nothing before it"))
        assert len(told) == 1
        for number in range(3):
            journal.put(WRITE, lambda number=number: told.append(f"kept {number}"))  # type: ignore[misc]
            journal.put((), lambda number=number: told.append(f"after {number}"))  # type: ignore[misc]
        await wait_all_tasks_blocked()
        assert len(told) == 1
        disk.turn.release()
        await journal.settled()
        assert told[1:] == ["kept 0", "after 0", "kept 1", "after 1", "kept 2", "after 2"]
        nursery.cancel_scope.cancel()


async def test_what_comes_while_it_writes_is_one_transaction(store: Store) -> None:
    disk = Disk()
    journal = Journal(store, disk)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(journal.run)
        journal.put(WRITE)
        await wait_all_tasks_blocked()
        for _ in range(1000):
            journal.put(WRITE)
        for _ in range(2):
            disk.turn.release()
        await journal.settled()
        assert disk.transactions == [1, 1000]
        nursery.cancel_scope.cancel()


async def test_what_is_decided_while_it_is_told_is_kept_too(store: Store) -> None:
    disk, told = Disk(), list[str]()
    journal = Journal(store, disk)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(journal.run)
        journal.put(WRITE, lambda: journal.put((), lambda: told.append("at once")))
        journal.put(WRITE, lambda: told.append("first"))
        disk.turn.release()
        await journal.settled()
        assert told == ["first", "at once"]
        nursery.cancel_scope.cancel()


async def test_what_cannot_be_kept_is_never_told(store: Store) -> None:
    disk, told = Disk(), list[str]()
    disk.fails = True
    disk.turn.release()
    journal = Journal(store, disk)
    journal.put(WRITE, lambda: told.append("told"))
    with pytest.raises(JournalFailed, match="no space left"):
        await journal.run()
    assert told == []


async def test_nobody_waits_for_what_cannot_be_kept(store: Store) -> None:
    disk, told = Disk(), list[str]()
    disk.fails = True
    journal = Journal(store, disk)

    async def fail() -> None:
        with pytest.raises(JournalFailed):
            await journal.run()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(fail)
        journal.put(WRITE, lambda: told.append("kept"), lambda: told.append("first"))
        await wait_all_tasks_blocked()
        journal.put((), lambda: told.append("kept"), lambda: told.append("waiting"))
        disk.turn.release()
        await journal.settled()
    journal.put((), lambda: told.append("kept"), lambda: told.append("too late"))
    await journal.settled()
    assert told == ["first", "waiting", "too late"]


async def test_it_writes_in_a_thread(store: Store) -> None:
    journal = Journal(store)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(journal.run)
        journal.put(WRITE)
        await journal.settled()
        nursery.cancel_scope.cancel()
    assert len(store.load().rooms) == 1


@pytest.mark.parametrize("where", ["memory", "file"])
async def test_who_reads_waits_for_who_writes_where_they_share_a_connection(
    tmp_path: Path, where: str
) -> None:
    store = open_store(MEMORY if where == "memory" else str(tmp_path / "data.db"), Most(1, 1, 1))
    may_write, read = threading.Event(), trio.Event()
    apply = store.apply
    store.apply = lambda writes: (may_write.wait(60), apply(writes))[1]  # type: ignore[method-assign]

    async def look(journal: Journal) -> None:
        assert await journal.fought(made.BATTLE) is None
        read.set()

    with closing(store):
        async with trio.open_nursery() as nursery:
            journal = Journal(store)
            nursery.start_soon(journal.run)
            journal.put(WRITE)
            await wait_all_tasks_blocked()
            nursery.start_soon(look, journal)
            await wait_all_tasks_blocked()
            if store.shared:
                reading: trio.CapacityLimiter = journal._read.keywords["limiter"]  # type: ignore[attr-defined]
                assert reading.statistics().tasks_waiting == 1
                may_write.set()
            await read.wait()
            may_write.set()
            await journal.settled()
            nursery.cancel_scope.cancel()
