"""Which files are taken for a journal, which are refused, and that a refused one is left alone."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from server.journal.file import APPLICATION_AT, VERSION_AT, JournalRefused, connect, open_journal
from server.journal.records import PutRoom
from server.journal.schema import APPLICATION_ID, STEPS, VERSION, migrate, version_of
from server.journal.store import Most, open_store
from tests.journal import records as made

MOST = Most(replays=3, boards=3, closed=3)


def journal(path: Path) -> None:
    """A journal with a room in it."""
    store = open_store(str(path), MOST)
    store.apply([PutRoom(made.room())])
    store.close()


def refuse(path: Path) -> str:
    """The sentence with which this file is refused; not a byte of it has changed."""
    before = path.read_bytes()
    with pytest.raises(JournalRefused) as refused:
        open_journal(str(path))
    assert path.read_bytes() == before
    assert str(path) in str(refused.value)
    with pytest.raises(JournalRefused):  # and again: the first try has left nothing behind
        open_journal(str(path))
    return str(refused.value)


def overwrite(path: Path, at: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


def test_a_new_journal_is_whole_and_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    opened = open_journal(str(path))
    opened.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_what_was_kept_is_there_the_next_time(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    journal(path)
    store = open_store(str(path), MOST)
    assert [kept.record for kept in store.load().rooms] == [made.room()]
    store.close()


@pytest.mark.parametrize("found", range(1, VERSION))
def test_an_older_file_becomes_one_of_this_version_with_all_that_is_in_it(
    tmp_path: Path, found: int
) -> None:
    path = tmp_path / "data.db"
    with closing(connect(str(path))) as old:
        for step in STEPS[:found]:
            for statement in step:
                old.execute(statement)
        old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        old.execute(f"PRAGMA user_version = {found}")
        old.execute("INSERT INTO rooms VALUES ('r', ?)", (b'{"id":"r"}',))
        values = "('r.1', 'r', 1, 0, '', 9.5), ('r.2', 'r', 2, 0, '', NULL)"
        insert = "INSERT INTO rounds (battle, room, round, private, record, ended) VALUES "
        old.execute(insert + values)
    opened = open_journal(str(path))
    assert version_of(opened.connection) == VERSION
    tables = opened.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    assert {"rooms", "sessions", "rounds", "boards", "closed"} <= {name for (name,) in tables}
    rows = opened.connection.execute("SELECT id, record FROM rooms").fetchall()
    assert rows == [("r", b'{"id":"r"}')]
    rounds = opened.connection.execute("SELECT battle, kept FROM rounds ORDER BY round").fetchall()
    assert rounds == [("r.1", 1), ("r.2", None)]
    opened.close()


def test_a_step_that_fails_leaves_the_file_at_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "data.db"
    journal(path)
    broken = (*STEPS, ("CREATE TABLE more (id)", "CREATE TABLE rooms (id)"))
    monkeypatch.setattr("server.journal.schema.STEPS", broken)
    monkeypatch.setattr("server.journal.schema.VERSION", VERSION + 1)
    with closing(connect(str(path))) as connection:
        with pytest.raises(sqlite3.OperationalError):
            migrate(connection)
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
        names = connection.execute("SELECT name FROM sqlite_master").fetchall()
        assert ("more",) not in names


def test_an_empty_file_becomes_a_journal(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    path.touch()
    open_journal(str(path)).close()
    assert path.stat().st_size


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    path.write_text("Dear diary, " * 100)
    assert "not a journal" in refuse(path)


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE rooms (id)")
    assert "another program" in refuse(path)


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    journal(path)
    overwrite(path, VERSION_AT, (VERSION + 1).to_bytes(4, "big"))
    assert "newer" in refuse(path)


@pytest.mark.parametrize("at", [0, APPLICATION_AT, 4096, 8192])
def test_a_damaged_file_is_refused(tmp_path: Path, at: int) -> None:
    path = tmp_path / "data.db"
    journal(path)
    assert path.stat().st_size > at
    overwrite(path, at, bytes(range(256)))
    said = refuse(path)
    assert "left as it is" in said
    assert said.isprintable()


def test_a_file_that_was_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    journal(path)
    with path.open("r+b") as file:
        file.truncate(6000)
    assert "damaged" in refuse(path)


def test_a_second_server_is_refused_until_the_first_has_gone(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    first = open_journal(str(path))
    with pytest.raises(JournalRefused, match="another server"):
        open_journal(str(path))
    first.close()
    open_journal(str(path)).close()


def test_a_place_that_cannot_be_written_to_is_refused(tmp_path: Path) -> None:
    with pytest.raises(JournalRefused, match="cannot open"):
        open_journal(str(tmp_path / "no" / "such" / "data.db"))


def test_a_file_that_may_only_be_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever runs the tests may be allowed everything: SQLite is made to find it so."""
    path = tmp_path / "data.db"
    journal(path)
    monkeypatch.setattr(
        "server.journal.file.connect", lambda path, **_: connect(path, read_only=True)
    )
    assert "readonly" in refuse(path)


# Opens a journal as somebody who is not allowed everything.
OPEN = """
import os, sys
from server.journal.file import JournalRefused, open_journal
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    open_journal(sys.argv[1])
except JournalRefused as refused:
    print(refused)
"""


@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_permissions_forbid_is_refused_until_they_allow_it(what: str) -> None:
    with TemporaryDirectory() as name:  # where others come to as well
        folder, path = Path(name), Path(name) / "data.db"
        journal(path)
        for one in (folder, *folder.iterdir()):
            one.chmod(0o777)
        command = [sys.executable, "-c", OPEN, str(path)]
        forbidden, mode = (path, 0o444) if what == "file" else (folder, 0o555)
        forbidden.chmod(mode)
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert said.startswith(f"cannot open {path}: ")
        assert len(said.splitlines()) == 1
        forbidden.chmod(0o777)
        assert not subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_what_a_killed_making_left_behind_is_in_nobodys_way(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    Path(f"{path}-new").write_bytes(b"half a file")
    open_journal(str(path)).close()
    assert not Path(f"{path}-new").exists()


def test_what_was_written_is_on_the_disk_before_it_is_told(tmp_path: Path) -> None:
    opened = open_journal(str(tmp_path / "data.db"))
    with closing(opened):
        assert opened.connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
