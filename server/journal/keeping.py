"""What of one room's decisions is to be kept: from effects to writes. Waits for nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from protocol.messages import Result
from server.boards import BoardStore, stored_of
from server.callers import Caller
from server.commands import Close, Effect, KeepBoard, Record, ToRoom
from server.edition import Edition
from server.journal.clock import Clock
from server.journal.records import (
    ClosedRecord,
    CloseRound,
    DropBoard,
    DropRoom,
    DropSession,
    EndingRecord,
    OpenRound,
    PutBoard,
    PutRoom,
    PutSession,
    Write,
)
from server.journal.rooms import record_board, record_room, record_round, record_session
from server.room import Room
from server.sessions import Sessions
from server.telling import Opening


@dataclass(frozen=True, slots=True)
class Course:
    """How far a battle ran: the last tick, -1 before the first, and the log up to there."""

    tick: int = -1
    log: bytes = b""


NO_COURSE: Final = Course()


class Keeper:
    """Says what is to be written of one room and its sessions."""

    def __init__(
        self,
        room: Room,
        sessions: Sessions,
        key: str | None,
        maker: Caller | None,
        clock: Clock,
        edition: Edition,
        boards: BoardStore,
    ) -> None:
        self._room = room
        self._sessions = sessions
        self._key = key
        self._maker = maker
        self._clock = clock
        self._edition = edition
        self._boards = boards
        self._dropped = False

    def writes(
        self,
        effects: Sequence[Effect] = (),
        opening: Opening | None = None,
        course: Course = NO_COURSE,
        now: float = 0.0,
    ) -> list[Write]:
        """All that is to be kept before anyone hears of these effects. `opening` is that of a
        battle which begins by them, `course` that of one which ends by them.

        Nothing any more, once the room is closed: whoever is still there is there in vain, and what
        was written of the room would be all that the next process finds of it.
        """
        if self._dropped:
            return []
        writes: list[Write] = []
        closed: Record | None = None
        for effect in effects:
            match effect:
                case ToRoom(Result() as result):
                    ended = self._clock.wall(now)
                    ending = EndingRecord(result=result, ended=ended, tick=course.tick)
                    writes.append(CloseRound(ending, course.log))
                case KeepBoard():
                    writes.extend(self._keep_board(effect))
                case Close(record):
                    closed = record
        if opening is not None:
            writes.append(self._open_round(opening))
        if self._room.phase == "closed":
            self._dropped = True
            return [*writes, self._drop(closed)]
        if effects:
            writes.append(PutRoom(record_room(self._room, self._key, self._maker, self._clock)))
        return [*writes, *self._session_writes()]

    def _keep_board(self, effect: KeepBoard) -> Iterator[Write]:
        """Which board goes for it, the boards at work decide; the journal does as they do."""
        stored = stored_of(effect.name, effect.board)
        dropped = self._boards.keep(effect.name, effect.board)
        if dropped is not None:  # first, so that the journal is never too full for the new one
            yield DropBoard(dropped)
        if dropped != stored.id:
            yield PutBoard(record_board(stored))

    def _open_round(self, opening: Opening) -> OpenRound:
        started = self._clock.wall(opening.started)
        return OpenRound(
            record_round(self._room, opening.terms, opening.room, started, self._edition)
        )

    def _drop(self, closed: Record | None) -> DropRoom:
        if closed is None:  # it failed as it closed
            return DropRoom(self._room.id, None)
        record = ClosedRecord(
            state=closed.state,
            opened=self._clock.wall(closed.opened),
            closed=self._clock.wall(closed.closed),
            why=closed.why,
        )
        return DropRoom(self._room.id, record)

    def _session_writes(self) -> Iterator[Write]:
        for session_id, session in self._sessions.take_changes():
            if session is None:
                yield DropSession(self._room.id, session_id)
            else:
                yield PutSession(record_session(self._room, session))
