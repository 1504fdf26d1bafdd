"""The tables, and how a file of an older version becomes one of this version.

A version is the number of steps that were taken; `PRAGMA user_version` holds it. A step is never
changed once it was released: another one is added.
"""

from __future__ import annotations

import sqlite3
from typing import Final

from server.journal.transaction import transaction

# "PHYL": tells a journal from every other SQLite file.
APPLICATION_ID: Final = 0x5048594C

STEPS: Final[tuple[tuple[str, ...], ...]] = (
    (
        "CREATE TABLE rooms (id TEXT PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID",
        """CREATE TABLE sessions (room TEXT NOT NULL, id TEXT NOT NULL, record BLOB NOT NULL,
           PRIMARY KEY (room, id)) WITHOUT ROWID""",
        # `ending` and `log` are NULL while the battle runs; the log is compressed with zlib.
        """CREATE TABLE rounds (battle TEXT PRIMARY KEY, room TEXT NOT NULL, round INTEGER NOT NULL,
           private INTEGER NOT NULL, record BLOB NOT NULL, ended REAL, ending BLOB, log BLOB)""",
        "CREATE INDEX rounds_by_room ON rounds (room, round)",
        "CREATE INDEX rounds_by_end ON rounds (ended)",
        # The order of keeping is that of `kept`.
        """CREATE TABLE boards (kept INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
           record BLOB NOT NULL)""",
    ),
    ("""CREATE TABLE closed (kept INTEGER PRIMARY KEY AUTOINCREMENT, record BLOB NOT NULL)""",),
    (
        # The order of ending, NULL while the battle runs: the clock may be set back, this grows.
        "ALTER TABLE rounds ADD COLUMN kept INTEGER",
        "UPDATE rounds SET kept = rowid WHERE ended IS NOT NULL",
        "DROP INDEX rounds_by_end",
        "CREATE INDEX rounds_by_kept ON rounds (kept)",
    ),
)
VERSION: Final = len(STEPS)


def version_of(connection: sqlite3.Connection) -> int:
    """The version of a file that is open."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection) -> None:
    """Takes the steps that are lacking, all or none.

    The connection is in autocommit mode (`isolation_level=None`).
    """
    found = version_of(connection)
    if found == VERSION:
        return
    with transaction(connection):
        for step in STEPS[found:]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
