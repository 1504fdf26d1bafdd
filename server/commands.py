"""What a room is told, and what it wants done about it.

A command is what a player said (the messages of the protocol themselves) or what the server saw.
An effect is carried out by `server.stage`; the room itself waits for nothing and sends nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NewType

from engine import Board, Setup
from protocol.codes import CloseCode, ErrorCode
from protocol.messages import (
    Accept,
    AnyToClient,
    BattleId,
    Error,
    Fault,
    Forfeit,
    Leave,
    PlayerMessage,
    Ready,
    Rematch,
    RoomState,
    Seat,
    Speed,
    SubmitBoard,
)
from protocol.refusals import refuse

# One who is in a room, across all the connections of their stay. Not a secret, never on the wire.
SessionId = NewType("SessionId", str)

Reason = Literal["elimination", "timeout", "forfeit", "void"]


@dataclass(frozen=True, slots=True)
class Enter:
    """Somebody takes the free seat."""

    name: str


@dataclass(frozen=True, slots=True)
class Look:
    """A spectator comes, or comes back."""


@dataclass(frozen=True, slots=True)
class Unlook:
    """A spectator has gone, for good or not."""


@dataclass(frozen=True, slots=True)
class Away:
    """A player's connection is lost."""


@dataclass(frozen=True, slots=True)
class Back:
    """A player has resumed."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The battle has ended by its rules, or has been stopped.

    `tick` is the last that ran; `digest` is the log's, None when it did not run to its end.
    """

    battle: BattleId
    winner: Seat | None
    reason: Reason
    tick: int
    digest: str | None


@dataclass(frozen=True, slots=True)
class Wake:
    """A deadline of the room has passed."""


@dataclass(frozen=True, slots=True)
class Shut:
    """The room has failed and must end, whatever state it is in."""


Seen = Enter | Look | Unlook | Away | Back | Ended | Wake | Shut
Command = PlayerMessage | Seen
SAID: tuple[type[PlayerMessage], ...] = (SubmitBoard, Ready, Forfeit, Rematch, Accept, Leave)


@dataclass(frozen=True, slots=True)
class Stored:
    """The board of someone who is not there, to be fought in their place.

    The id of an offer serves as its nonce: it is fixed before the opponent's is known.
    """

    id: str
    name: str
    board: Board


@dataclass(frozen=True, slots=True)
class Terms:
    """Everything about a battle that is settled before its first tick."""

    battle: BattleId
    round: int
    speed: Speed
    setup: Setup
    commitment: str
    secret: bytes
    nonces: dict[Seat, str]
    players: dict[Seat, str]  # their names, which stay the battle's when others take their seats


@dataclass(frozen=True, slots=True)
class ToSession:
    """A message for one alone."""

    to: SessionId
    message: AnyToClient


@dataclass(frozen=True, slots=True)
class ToRoom:
    """A message for everyone in the room, in its place in the feed."""

    message: AnyToClient


@dataclass(frozen=True, slots=True)
class Refuse:
    """The command is refused and has changed nothing: the answer.

    It holds no exception: with all that was going on as it was raised, that would wait for Python
    to look for cycles.
    """

    error: Error
    code: ErrorCode

    @property
    def refusal(self) -> Refusal:
        """The same as an exception."""
        return Refusal(self.code, *self.error.faults)


@dataclass(frozen=True, slots=True)
class StartBattle:
    terms: Terms


@dataclass(frozen=True, slots=True)
class StopBattle:
    """The battle is to stop where it stands; `Ended` with these two is to be handed back."""

    winner: Seat | None
    reason: Literal["forfeit", "void"]


@dataclass(frozen=True, slots=True)
class KeepBoard:
    """This board has fought: it may be fought again when its owner is not there."""

    name: str
    board: Board


@dataclass(frozen=True, slots=True)
class Dismiss:
    """The session is over, and its connection is to be closed."""

    session: SessionId
    code: CloseCode
    why: str


@dataclass(frozen=True, slots=True)
class Close:
    """The room is over: everyone is to be dismissed; the record is what stays of it."""

    record: Record


Effect = ToSession | ToRoom | Refuse | StartBattle | StopBattle | KeepBoard | Dismiss | Close


@dataclass(frozen=True, slots=True)
class Record:
    """What is kept of a room that has closed. Times are those the room was given."""

    state: RoomState
    opened: float
    closed: float
    why: str


class Refusal(Exception):  # noqa: N818 - the command is refused; nothing went wrong here
    """Raised by a check, before anything is changed."""

    def __init__(self, code: ErrorCode, *faults: Fault) -> None:
        super().__init__(code.meaning)
        self.code = code
        self.faults = faults

    def error(self, seq: int, re: str | None) -> Error:
        """The answer to send, in a room whose sequence number is `seq`."""
        return refuse(self.code, self.faults, seq, re)
