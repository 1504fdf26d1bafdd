"""All or nothing: what a transaction is, in one place."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All that is done in it is kept, or none of it. The connection is in autocommit mode
    (`isolation_level=None`). Raises what went wrong: `sqlite3.Error`, or what it was given.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # after some errors, as of a full disk, SQLite has done it
            connection.execute("ROLLBACK")
        raise
