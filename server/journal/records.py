"""What is kept, as types, and what can be written. Knows no database and no room at work.

A record is one row's content as JSON, so that whoever opens the file with `sqlite3` can read it. A
field that is added later has a default, and a field that is unknown is passed over: then a file
needs no migration for it. Times are wall-clock seconds since 1970: they must mean the same to the
next process.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta, Struct

from protocol.messages import BattleId, Result, Role, RoomId, RoomPhase, RoomState, Seat, Speed
from server.commands import SessionId

Plain = dict[str, object]

# Text that is more than text to who makes a room of it again: without its form it is no record.
Hex = Annotated[str, Meta(pattern=r"\A(?:[0-9a-f]{2})*\Z")]
KeptBattleId = Annotated[BattleId, Meta(pattern=r"\.[0-9]{1,9}\Z")]  # ends with its round's number
KeptSessionId = Annotated[SessionId, Meta(pattern=r"\A[ps][0-9]{1,9}\Z")]  # a role and a number


class Record(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One row's content."""


class BoardRecord(Record, frozen=True):
    """A board that may be fought when its owner is not there."""

    id: str
    name: str
    board: Plain


class PlayerRecord(Record, frozen=True):
    """Who holds a seat."""

    name: str
    session: KeptSessionId | None = None  # None: a stored opponent
    board: Plain | None = None
    nonce: str | None = None
    wins: int = 0
    rematch: bool = False
    leaving: bool = False


class MakerRecord(Record, frozen=True):
    """Whose limits a room counts toward while it is open."""

    address: str
    player: str | None = None  # as a ticket named them


class RoomRecord(Record, frozen=True):
    """A room, but for who looks on: spectators are sessions that come back or do not."""

    id: RoomId
    phase: RoomPhase
    seq: int
    round: int
    fought: int
    opened: float
    phase_due: float
    speed: Speed = 1
    best_of: int = 3
    private: bool = False
    quick: bool = False
    key: str | None = None
    maker: MakerRecord | None = None
    a: PlayerRecord | None = None
    b: PlayerRecord | None = None
    secret: Hex | None = None  # of the round that is open
    battle: KeptBattleId | None = None  # the one that runs, or the last
    offer: BoardRecord | None = None
    offer_due: float | None = None


class SessionRecord(Record, frozen=True):
    """A session. Its tokens are kept as hashes: nobody comes in with what stands here."""

    room: RoomId
    id: KeptSessionId
    role: Role
    mask: int
    delay: float = 0.0
    since: int = 0
    keys: list[Hex] = []


class RoundRecord(Record, frozen=True):
    """Everything about a battle that is settled before its first tick."""

    battle: KeptBattleId
    room: RoomId
    round: int
    speed: Speed
    private: bool
    names: dict[Seat, str]
    boards: dict[Seat, Plain]
    rules: Plain  # all of them
    commitment: str
    secret: Hex
    nonces: dict[Seat, str]
    seed: str
    engine: str  # its version
    catalog: str  # its digest
    started: float
    opening: RoomState  # the room as the battle began
    frames: int = 1  # the edition of its frames; the first was not kept

    def __post_init__(self) -> None:
        both = {"a", "b"}
        if not (self.names.keys() == self.boards.keys() == self.nonces.keys() == both):
            raise ValueError("a battle has two seats")


class EndingRecord(Record, frozen=True):
    """How a battle ended, and when. `tick` is the last that ran; -1 before the first."""

    result: Result
    ended: float
    tick: int


class ClosedRecord(Record, frozen=True):
    """What stays of a room that has closed."""

    state: RoomState
    opened: float
    closed: float
    why: str


# What can be written. All writes of one decision are kept together or not at all.


@dataclass(frozen=True, slots=True)
class PutRoom:
    record: RoomRecord


@dataclass(frozen=True, slots=True)
class DropRoom:
    """The room and its sessions are gone; without a record it leaves nothing."""

    room: RoomId
    record: ClosedRecord | None


@dataclass(frozen=True, slots=True)
class PutSession:
    record: SessionRecord


@dataclass(frozen=True, slots=True)
class DropSession:
    room: RoomId
    session: SessionId


@dataclass(frozen=True, slots=True)
class OpenRound:
    record: RoundRecord


@dataclass(frozen=True, slots=True)
class CloseRound:
    """The battle has ended: its result, and the log as far as it ran."""

    record: EndingRecord
    log: bytes


@dataclass(frozen=True, slots=True)
class PutBoard:
    record: BoardRecord


@dataclass(frozen=True, slots=True)
class DropBoard:
    """Another board has taken its place."""

    id: str


Write = (
    PutRoom | DropRoom | PutSession | DropSession | OpenRound | CloseRound | PutBoard | DropBoard
)


# What is found again.


@dataclass(frozen=True, slots=True)
class Round:
    """A battle as it was kept; `ending` is None where it had not ended."""

    record: RoundRecord
    ending: EndingRecord | None


@dataclass(frozen=True, slots=True)
class KeptRoom:
    """A room with all that belongs to it. `rounds` are its latest, the last one last."""

    record: RoomRecord
    sessions: tuple[SessionRecord, ...] = ()
    rounds: tuple[Round, ...] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """All that a new process takes over. `unread` are rooms whose rows could not be read."""

    rooms: tuple[KeptRoom, ...] = ()
    boards: tuple[BoardRecord, ...] = ()
    unread: tuple[RoomId, ...] = ()


R = TypeVar("R", bound=Record)


def pack(record: Record) -> bytes:
    """A record as its row holds it."""
    return msgspec.json.encode(record)


def unpack(data: bytes, kind: type[R]) -> R:
    """The record of a row. Raises `msgspec.DecodeError` for what is none."""
    return msgspec.json.decode(data, type=kind)
