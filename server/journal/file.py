"""Which file is a journal of ours, and that one process at a time has it.

A file that is damaged, newer or somebody else's is refused in a sentence, and not a byte of it is
changed: it is looked at from outside before SQLite may write to it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from server.journal.place import Watch, find
from server.journal.schema import APPLICATION_ID, VERSION, migrate, version_of

MEMORY: Final = ":memory:"

# For another to let go of the file. Who waits for longer holds up everyone, who are told nothing
# before it is kept.
LOCKED_SECONDS: Final = 5.0

# The file format's header: https://www.sqlite.org/fileformat2.html#the_database_header
MAGIC: Final = b"SQLite format 3\x00"
HEADER_BYTES: Final = 100
VERSION_AT: Final = 60
APPLICATION_AT: Final = 68

# What SQLite says where it may not do what it has to, whatever the file is like.
NOT_ALLOWED: Final = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY)


class JournalRefused(Exception):  # noqa: N818 - says what is the matter with the file
    """This file cannot be the journal; nothing was changed in it."""


@dataclass(frozen=True)
class OpenFile:
    """The one connection that writes, and the lock that says so; `path` leads over no link."""

    path: str
    connection: sqlite3.Connection
    lock: IO[bytes] | None
    watch: Watch

    def close(self) -> None:
        self.connection.close()
        if self.lock is not None:
            self.lock.close()  # and is given up with it


def open_journal(path: str) -> OpenFile:
    """Opens the journal at `path`, made anew where there is none. Raises `JournalRefused`.

    `:memory:` is a journal that ends with the process.
    """
    if path == MEMORY:
        connection = connect(path)
        migrate(connection)
        return OpenFile(path, connection, None, Watch(()))
    try:
        file = find(path)
        lock = _lock(file)
    except OSError as error:
        raise JournalRefused(f"cannot open {path}: {error.strerror}") from None
    try:
        connection, watch = _open(file)
    except (OSError, sqlite3.Error) as error:
        lock.close()
        raise JournalRefused(f"cannot open {path}: {_reason(error)}") from None
    except JournalRefused:
        lock.close()
        raise
    return OpenFile(str(file), connection, lock, watch)


def _reason(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _open(file: Path) -> tuple[sqlite3.Connection, Watch]:
    """The connection that writes, and a watch over the files that are open with it."""
    if not file.exists() or not file.stat().st_size:
        _make(file)
    else:
        if not os.access(file, os.W_OK):  # before SQLite makes files beside it that are alike
            raise PermissionError(errno.EACCES, "it may not be written to")
        _inspect(file)
    connection = connect(str(file))
    try:
        migrate(connection)
        # Together with WAL: a commit is on the disk before anybody is told what it holds.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        # What can be read alone is no journal: better found out now than by the first room.
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        return connection, Watch(_open_files(file))
    except BaseException:
        connection.close()
        raise


def _open_files(file: Path) -> list[str]:
    """The journal and what lies beside it, which nobody makes anew while one has the journal open.
    Without the lock's name another server could; where the system cannot do WAL, the lock is all.
    """
    beside = (f"{file}{suffix}" for suffix in ("-wal", "-shm", "-lock"))
    return [str(file), *filter(os.path.exists, beside)]


def connect(path: str, *, read_only: bool = False) -> sqlite3.Connection:
    """A connection that any thread may use, one at a time; transactions are begun by hand."""
    mode = "?mode=ro" if read_only else ""
    uri = MEMORY if path == MEMORY else Path(path).absolute().as_uri() + mode
    return sqlite3.connect(
        uri, timeout=LOCKED_SECONDS, isolation_level=None, check_same_thread=False, uri=True
    )


def _lock(file: Path) -> IO[bytes]:
    """A file beside the journal, held locked while the process lives, however it ends."""
    # Whatever stands there is neither emptied nor waited for, and no link is followed.
    flags = os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW
    lock = os.fdopen(os.open(f"{file}-lock", flags, 0o600), "r+b", buffering=0)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise JournalRefused(
            f"another server has {file} open; give this one a file of its own with --data"
        ) from None
    return lock


def _make(file: Path) -> None:
    """Makes a journal beside its place and moves it there: whenever the process is killed, there is
    a whole one or none."""
    new = Path(f"{file}-new")
    new.unlink(missing_ok=True)
    # It holds secrets of rounds that are open and keys of private rooms.
    os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    connection = connect(str(new))
    migrate(connection)
    connection.close()
    # What may be left beside an empty file is no part of the new one.
    for suffix in ("-wal", "-shm", "-journal"):
        Path(f"{file}{suffix}").unlink(missing_ok=True)
    new.replace(file)


def _inspect(file: Path) -> None:
    """Raises `JournalRefused` for what is not a whole journal of ours, of a version we know."""
    with file.open("rb") as opened:
        header = opened.read(HEADER_BYTES)
    if len(header) < HEADER_BYTES or not header.startswith(MAGIC):
        raise JournalRefused(
            f"{file} is not a journal of phylactery, or its beginning is damaged;"
            " it is left as it is. Move it away, or name another file with --data"
        )
    if int.from_bytes(header[APPLICATION_AT : APPLICATION_AT + 4], "big") != APPLICATION_ID:
        raise JournalRefused(
            f"{file} is a database of another program; it is left as it is."
            " Name another file with --data"
        )
    _check_version(file, int.from_bytes(header[VERSION_AT : VERSION_AT + 4], "big"))
    connection = connect(str(file), read_only=True)
    try:
        faults = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        version = version_of(connection)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF in NOT_ALLOWED:
            raise
        raise _damaged(file, str(error)) from None
    finally:
        connection.close()
    if faults != "ok":
        raise _damaged(file, faults)
    _check_version(file, version)


def _check_version(file: Path, version: int) -> None:
    if version > VERSION:
        raise JournalRefused(
            f"{file} was written by a newer phylactery (version {version} of the file; this one"
            f" knows up to {VERSION}); it is left as it is. Install the newer one again"
        )


def _damaged(file: Path, what: str) -> JournalRefused:
    return JournalRefused(
        f"{file} is damaged ({' '.join(what.split())}); it is left as it is."
        " Put a backup in its place, or name another file with --data"
    )
