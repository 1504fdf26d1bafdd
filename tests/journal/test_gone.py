"""A journal that no longer lies where it was opened: what is kept nowhere is not told."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import trio

from protocol.client import open_client
from protocol.messages import Create, Welcome
from server.app import Running, serve
from server.config import Config
from server.journal.file import MEMORY
from server.journal.records import CloseRound, OpenRound, PutRoom, Write
from server.journal.store import Most, Store, open_store
from server.journal.writer import Journal, JournalFailed
from tests.journal import records as made
from tests.server.strangers import written

MOST = Most(replays=3, boards=3, closed=3)
WRITE = [PutRoom(made.room())]


def store_in(folder: Path) -> Store:
    """A store that has kept something, in a folder of its own."""
    (folder / "own").mkdir()
    store = open_store(str(folder / "own" / "data.db"), MOST)
    store.apply(WRITE)
    return store


def remove(path: Path) -> None:
    path.unlink()


def replace(path: Path) -> None:
    copy = path.with_name("copy")
    shutil.copy(path, copy)
    copy.replace(path)


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", "-lock"])
@pytest.mark.parametrize(("harm", "said"), [(remove, "was removed"), (replace, "was replaced")])
def test_what_went_into_a_file_that_is_gone_is_not_kept(
    tmp_path: Path, harm: Callable[[Path], None], said: str, suffix: str
) -> None:
    with closing(store_in(tmp_path)) as store:
        path = tmp_path / "own" / f"data.db{suffix}"
        harm(path)
        with pytest.raises(OSError, match=f"{path} {said}"):
            store.apply(WRITE)


def test_what_went_into_a_file_that_goes_meanwhile_is_not_kept(tmp_path: Path) -> None:
    def writes() -> Iterator[Write]:
        yield from WRITE
        (tmp_path / "own" / "data.db").unlink()

    with closing(store_in(tmp_path)) as store, pytest.raises(OSError, match="was removed"):
        store.apply(writes())


@pytest.mark.parametrize("becomes", ["nothing", "another", "a file"])
def test_what_went_into_a_folder_that_is_gone_is_not_kept(tmp_path: Path, becomes: str) -> None:
    with closing(store_in(tmp_path)) as store:
        (tmp_path / "own").rename(tmp_path / "moved")
        if becomes == "another":
            shutil.copytree(tmp_path / "moved", tmp_path / "own")
        elif becomes == "a file":
            (tmp_path / "own").touch()
        with pytest.raises(OSError, match="replaced" if becomes == "another" else "removed"):
            store.apply(WRITE)


def test_replays_are_read_of_what_was_opened_whatever_is_in_its_place(tmp_path: Path) -> None:
    with closing(store_in(tmp_path)) as store:
        store.apply([OpenRound(made.fight()), CloseRound(made.ending(), b"log\n")])
        (tmp_path / "own").rename(tmp_path / "moved")
        (tmp_path / "own").mkdir()
        (tmp_path / "own" / "data.db-wal").write_bytes(b"another's")
        assert len(store.replays(1)) == 1
        assert (tmp_path / "own" / "data.db-wal").read_bytes() == b"another's"


def test_a_link_that_leads_elsewhere_later_changes_nothing(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "data.db")
    with closing(open_store(str(link), MOST)) as store:
        link.unlink()
        link.symlink_to(tmp_path / "other.db")
        store.apply(WRITE)
        assert store.replays(1) == []
    with closing(open_store(str(tmp_path / "data.db"), MOST)) as store:
        assert len(store.load().rooms) == 1


def back_up(path: Path) -> None:
    with closing(sqlite3.connect(path)) as one, closing(sqlite3.connect(f"{path}-copy")) as copy:
        one.backup(copy)


def copy_all(path: Path) -> None:
    shutil.copytree(path.parent, path.parent.with_name("copied"))


def vacuum(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("VACUUM")


def empty_the_wal(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def touch_all(path: Path) -> None:
    for one in path.parent.iterdir():
        one.touch()
        one.chmod(0o600)


@pytest.mark.parametrize("what", [back_up, copy_all, vacuum, empty_the_wal, touch_all])
def test_what_others_may_do_with_the_file_stops_nothing(
    tmp_path: Path, what: Callable[[Path], None]
) -> None:
    path = tmp_path / "own" / "data.db"
    with closing(store_in(tmp_path)) as store:
        what(path)
        store.apply(WRITE)
    with closing(open_store(str(path), MOST)) as store:
        assert [kept.record for kept in store.load().rooms] == [made.room()]


def test_a_file_that_another_keeps_locked_is_waited_for_as_long_as_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.journal.file.LOCKED_SECONDS", 0.01)
    with closing(store_in(tmp_path)) as store:
        with closing(sqlite3.connect(tmp_path / "own" / "data.db")) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                store.apply(WRITE)
        store.apply(WRITE)


def test_a_journal_in_memory_is_nowhere_to_be_removed_from() -> None:
    with closing(open_store(MEMORY, MOST)) as store:
        store.apply(WRITE)


async def test_nobody_is_told_what_went_into_a_file_that_is_gone(tmp_path: Path) -> None:
    told: list[str] = []
    with closing(store_in(tmp_path)) as store:
        journal = Journal(store)
        (tmp_path / "own" / "data.db").unlink()
        journal.put(WRITE, lambda: told.append("kept"), lambda: told.append("not kept"))
        with trio.fail_after(60), pytest.raises(JournalFailed, match=r"data\.db was removed"):
            await journal.run()
    assert told == ["not kept"]


async def test_the_server_says_that_the_file_is_gone_and_ends(tmp_path: Path) -> None:
    heard: list[object] = []

    async def until_it_fails() -> None:
        async with trio.open_nursery() as nursery:
            config = Config(port=0, data=str(tmp_path / "data.db"))
            server: Running = await nursery.start(serve, config)
            (tmp_path / "data.db").unlink()
            visits.start_soon(come, server.url)

    async def come(url: str) -> None:
        async with open_client(url, Create(version=1, name="Ada")) as client:
            heard.append(await anext(client))

    with written() as logged, trio.fail_after(60):
        async with trio.open_nursery() as visits:
            with pytest.raises(ExceptionGroup, match="Trio") as failed:
                await until_it_fails()
    assert failed.group_contains(JournalFailed)
    assert not isinstance(heard[0], Welcome)
    lines = [json.loads(line) for line in logged.getvalue().splitlines()]
    (why,) = (line["why"] for line in lines if line["event"] == "nothing more can be kept")
    assert why == (
        f"the journal cannot be written: {tmp_path}/data.db was removed while it was open"
    )
