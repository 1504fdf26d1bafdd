"""Records to rows and back. Blocks for as long as the disk takes: called by the writer's thread.

Every `apply` is one transaction.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

import msgspec
import structlog

from protocol.messages import BattleId, RoomId
from server.journal.file import MEMORY, OpenFile, connect, open_journal
from server.journal.records import (
    BoardRecord,
    CloseRound,
    DropBoard,
    DropRoom,
    DropSession,
    EndingRecord,
    Kept,
    KeptRoom,
    OpenRound,
    PutBoard,
    PutRoom,
    PutSession,
    RoomRecord,
    Round,
    RoundRecord,
    SessionRecord,
    Write,
    pack,
    unpack,
)
from server.journal.schema import version_of
from server.journal.transaction import transaction

T = TypeVar("T")

log = structlog.get_logger()

# What a row that is no such thing fails with; not even its values need be of the right kind.
UNREADABLE: Final = (msgspec.DecodeError, TypeError, ValueError, zlib.error)
# A log is JSON that repeats itself: the fastest level makes a ninth of it.
LEVEL: Final = 1
# Of a room, taken over: as many as fit into the longest delay and the time for which a session is
# kept, where each takes four seconds.
ROUNDS: Final = 100


@dataclass(frozen=True)
class Most:
    """How much is kept of what would grow for ever."""

    replays: int
    boards: int
    closed: int


@dataclass(frozen=True)
class Fought:
    """A battle that has ended, as it was kept."""

    record: RoundRecord
    ending: EndingRecord
    log: bytes


class Store:
    """A journal that is open. One thread at a time."""

    def __init__(self, file: OpenFile, most: Most) -> None:
        self._file = file
        self._db = file.connection
        # Readers of replays do not stand in the writer's way, but where there is no file to share.
        self.shared = file.path == MEMORY
        self._reader = self._db if self.shared else connect(file.path, read_only=True)
        version_of(self._reader)  # it opens `-wal` too, while that is the right one
        self._most = most

    def close(self) -> None:
        if not self.shared:
            self._reader.close()
        self._file.close()

    # Writing.

    def apply(self, writes: Iterable[Write]) -> None:
        """All of these or none. Raises `sqlite3.Error`; `OSError` where the file that they went
        into is not the one that its name leads to."""
        with transaction(self._db):
            for write in writes:
                self._apply(write)
        self._file.watch.look()  # after it: what was in its place before may have gone meanwhile

    def _apply(self, write: Write) -> None:
        match write:
            case PutRoom(record):
                self._put("REPLACE INTO rooms VALUES (?, ?)", record.id, pack(record))
            case DropRoom(room, closed):
                self._put("DELETE FROM rooms WHERE id = ?", room)
                self._put("DELETE FROM sessions WHERE room = ?", room)
                self._put("DELETE FROM rounds WHERE room = ? AND ended IS NULL", room)
                if closed is not None:
                    self._put("INSERT INTO closed (record) VALUES (?)", pack(closed))
                    self._prune("closed", self._most.closed)
            case PutSession(record):
                values = record.room, record.id, pack(record)
                self._put("REPLACE INTO sessions VALUES (?, ?, ?)", *values)
            case DropSession(room, session):
                self._put("DELETE FROM sessions WHERE room = ? AND id = ?", room, session)
            case OpenRound(record):
                self._put(
                    "REPLACE INTO rounds (battle, room, round, private, record)"
                    " VALUES (?, ?, ?, ?, ?)",
                    *(record.battle, record.room, record.round, record.private, pack(record)),
                )
            case CloseRound(record, log):
                self._put(
                    "UPDATE rounds SET ended = ?, ending = ?, log = ?,"
                    " kept = (SELECT ifnull(max(kept), 0) + 1 FROM rounds) WHERE battle = ?",
                    *(record.ended, pack(record), zlib.compress(log, LEVEL), record.result.battle),
                )
                self._prune("rounds", self._most.replays)
            case PutBoard(record):
                self._put("REPLACE INTO boards (id, record) VALUES (?, ?)", record.id, pack(record))
                # Those that no board can be made of any more are dropped by nobody else.
                self._prune("boards", self._most.boards)
            case DropBoard(board):
                self._put("DELETE FROM boards WHERE id = ?", board)

    def _put(self, statement: str, *values: object) -> None:
        self._db.execute(statement, values)

    def _prune(self, table: str, most: int) -> None:
        """The oldest go, but for what is not over. `table` is one of ours."""
        self._put(
            f"DELETE FROM {table} WHERE kept <= (SELECT kept FROM {table}"  # noqa: S608
            " ORDER BY kept DESC LIMIT 1 OFFSET ?)",
            most,
        )

    # Reading.

    def load(self) -> Kept:
        """All that a new process takes over."""
        rooms: list[KeptRoom] = []
        unread: list[RoomId] = []
        for room_id, data in self._db.execute("SELECT id, record FROM rooms"):
            try:
                rooms.append(self._kept_room(RoomId(room_id), data))
            except UNREADABLE:
                unread.append(RoomId(room_id))
        return Kept(
            rooms=tuple(sorted(rooms, key=lambda kept: kept.record.opened)),
            boards=tuple(self._boards()),
            unread=tuple(unread),
        )

    def _kept_room(self, room: RoomId, data: bytes) -> KeptRoom:
        sessions = self._db.execute("SELECT record FROM sessions WHERE room = ?", (room,))
        rounds = self._db.execute(
            "SELECT record, ending FROM rounds WHERE room = ? ORDER BY round DESC LIMIT ?",
            (room, ROUNDS),
        ).fetchall()
        kept = KeptRoom(
            record=unpack(data, RoomRecord),
            sessions=tuple(unpack(row[0], SessionRecord) for row in sessions),
            rounds=tuple(_round(*row) for row in reversed(rounds)),
        )
        if kept.record.phase == "battle" and not _is_of_the_last(kept.record.battle, kept.rounds):
            raise ValueError("the battle that runs is not the last of its rounds")
        return kept

    def _boards(self) -> Sequence[BoardRecord]:
        rows = self._db.execute("SELECT id, record FROM boards ORDER BY kept")
        found = (_read("boards", board, partial(unpack, row, BoardRecord)) for board, row in rows)
        return [one for one in found if one is not None]

    def replays(self, most: int) -> Sequence[tuple[RoundRecord, EndingRecord]]:
        """The latest battles of public rooms that have ended, the last one first."""
        rows = self._reader.execute(
            "SELECT battle, record, ending FROM rounds WHERE ended IS NOT NULL AND NOT private"
            " ORDER BY kept DESC LIMIT ?",
            (most,),
        ).fetchall()
        found = (_read("rounds", battle, partial(_ended, *row)) for battle, *row in rows)
        return [one for one in found if one is not None]

    def fought(self, battle: BattleId) -> Fought | None:
        """A battle that has ended; None where there is none of this id that can be read."""
        row = self._reader.execute(
            "SELECT record, ending, log FROM rounds WHERE battle = ? AND ended IS NOT NULL",
            (battle,),
        ).fetchone()
        if row is None:
            return None
        return _read("rounds", battle, partial(_fought, *row))


def open_store(path: str, most: Most) -> Store:
    """Opens or makes the journal at `path`. Raises `JournalRefused`."""
    return Store(open_journal(path), most)


def _read(table: str, key: str, read: Callable[[], T]) -> T | None:
    """What is read of a row; None, and a line in the log, where that cannot be."""
    try:
        return read()
    except UNREADABLE:
        log.warning("a row cannot be read", table=table, key=key)
        return None


def _ended(record: bytes, ending: bytes) -> tuple[RoundRecord, EndingRecord]:
    return unpack(record, RoundRecord), unpack(ending, EndingRecord)


def _fought(record: bytes, ending: bytes, course: bytes) -> Fought:
    return Fought(*_ended(record, ending), zlib.decompress(course))


def _is_of_the_last(battle: BattleId | None, rounds: Sequence[Round]) -> bool:
    return bool(rounds) and rounds[-1].record.battle == battle


def _round(record: bytes, ending: bytes | None) -> Round:
    return Round(
        unpack(record, RoundRecord), None if ending is None else unpack(ending, EndingRecord)
    )
