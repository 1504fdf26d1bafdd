"""A client's side of a session, as decisions without I/O: what to say first on a connection, what
comes from what is received, when to try again, and when to stop.

The states and what moves between them stand in one table; PROTOCOL.md's diagram is made from it.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Final, Literal, NamedTuple
from urllib.parse import quote

from .codes import CloseCode, ErrorCode, Then, after_close
from .messages import (
    PROTOCOL_VERSION,
    AnyToClient,
    AnyToServer,
    Begin,
    Bye,
    Create,
    Error,
    FirstMessage,
    Frame,
    Quick,
    Resume,
    RevivalFrame,
    RoomId,
    RoomState,
    RoomUpdate,
    SnapshotMessage,
    TickFrame,
    VesselFrame,
    Welcome,
)
from .mirror import Gap, Mirror, MirrorError, Torn
from .sources import Sources

State = Literal["connecting", "greeting", "joined", "away", "ended"]
Move = Literal["opened", "welcomed", "refused", "lost", "closed", "retry", "gave_up", "left"]

TRANSITIONS: Final[dict[tuple[State, Move], State]] = {
    ("connecting", "opened"): "greeting",  # the first message goes out
    ("connecting", "lost"): "away",
    ("connecting", "left"): "ended",
    ("greeting", "welcomed"): "joined",
    ("greeting", "refused"): "ended",  # an error that another try would meet again
    ("greeting", "lost"): "away",
    ("greeting", "closed"): "ended",
    ("greeting", "left"): "ended",
    ("joined", "lost"): "away",
    ("joined", "closed"): "ended",  # a close code that says stop
    ("joined", "left"): "ended",
    ("away", "retry"): "connecting",
    ("away", "gave_up"): "ended",
    ("away", "left"): "ended",
}

# Refusals of a `resume` that pass: the session is still there.
_PASSING: Final = frozenset({ErrorCode.DRAINING, ErrorCode.TOO_FAST})

# A server that was killed is back by then, or somebody sees to it.
UNANSWERED_SECONDS: Final = 30.0


class IllegalMove(Exception):  # noqa: N818 - the caller's mistake
    """The session's state does not have this move; nothing has changed."""


class Lost(NamedTuple):
    """The connection is gone; the next try is made in so many seconds."""

    code: int
    reason: str
    retry_seconds: float


class Trouble(NamedTuple):
    """What came does not fit what was there; the connection is dropped and the session resumed."""

    error: Exception


class Ending(NamedTuple):
    """How the session ended for good."""

    how: Move
    code: int  # a close code
    reason: str
    error: Error | None = None  # the refusal of the first message


Update = AnyToClient | Frame | Lost | Trouble


class Backoff:
    """Growing delays, half of each by chance, so that those cut off together do not come back
    together.
    """

    def __init__(self, chance: Random, first: float = 0.25, most: float = 8.0) -> None:
        self._chance = chance
        self._first = first
        self._most = most
        self._whole = first

    def next(self, at_least: float = 0.0) -> float:
        """Seconds to wait before the next try."""
        whole = min(self._most, self._whole)
        self._whole = 2 * whole
        return at_least + whole * self._chance.uniform(0.5, 1.0)

    def reset(self) -> None:
        """The next delay is the first again."""
        self._whole = self._first


class Session:
    """One client in one room, over as many connections as it takes.

    Times are seconds of any clock that only goes forward. `patience_seconds` is how long it tries
    to get in at all; once in, it tries for as long as the server keeps the session. A first message
    with an `attempt` that has gone out may have been heard, though the answer was lost: it is said
    again for a while, whatever the patience.
    """

    def __init__(
        self,
        first: FirstMessage,
        room: RoomId | None = None,
        *,
        patience_seconds: float = 0.0,
        backoff: Backoff | None = None,
    ) -> None:
        self.state: State = "connecting"
        self.mirror = Mirror()
        self.welcome: Welcome | None = None
        self.room: RoomState | None = None
        self.ending: Ending | None = None
        self.troubles: Counter[str] = Counter()  # by the name of the error
        self._first = first
        self._room_id = room
        self._patience_seconds = patience_seconds
        self._backoff = backoff or Backoff(Random())  # noqa: S311 - jitter, not a secret
        self._lost_at: float | None = None
        self._bye: Bye | None = None
        self._unanswered = False  # a first message that can be said again has gone out
        self._distrusted = False  # the last connection ended in trouble

    def path(self) -> str:
        """The path to connect to; the room's own as soon as it is known."""
        if self._room_id is not None:
            return f"/rooms/{quote(self._room_id, safe='')}"
        if isinstance(self._first, Create):
            return "/rooms/new"
        if isinstance(self._first, Quick):
            return "/rooms/quick"
        raise ValueError(f"{type(self._first).__name__} needs the id of a room")

    def opened(self) -> AnyToServer:
        """A connection is open: what to say first on it."""
        self._move("opened")
        self._bye = None
        if self.welcome is None:
            first = self._first
            self._unanswered = not isinstance(first, Resume) and first.attempt is not None
            return first
        return Resume(version=PROTOCOL_VERSION, token=self.welcome.token, last=self.mirror.position)

    def received(self, message: AnyToClient | Frame) -> None:
        """Take in what came. Raises `MirrorError` when it does not fit: then the connection is to
        be dropped, and the session will ask for what it needs.
        """
        match message:
            case Welcome():
                self._welcomed(message)
            case RoomUpdate(room=room):
                self.room = room
            case Error() if self.state == "greeting":
                self._refused(message)
            case Bye():
                self._bye = message
            case Begin():
                self._begun(message)
            case SnapshotMessage() | TickFrame() | RevivalFrame() | VesselFrame():
                self._mirrored(message)

    def lost(self, code: int, reason: str, now: float) -> Lost | Ending:
        """The connection closed, or could not be made: what follows."""
        if self.state == "ended" and self.ending is not None:
            return self.ending
        if after_close(code) is Then.STOP:
            return self._end("closed", code, reason)
        self._move("lost")
        if self._lost_at is None:
            self._lost_at = now
        bye_seconds = self._bye.retry_seconds if self._bye else None
        delay = self._backoff.next(at_least=bye_seconds or 0.0)
        if now + delay > self._lost_at + self._window_seconds():
            return self._end("gave_up", code, reason)
        return Lost(code, reason, delay)

    def retry(self) -> None:
        """The delay is over."""
        self._move("retry")

    def left(self) -> None:
        """The client goes for good; nothing will be tried again."""
        self._end("left", CloseCode.NORMAL, "left")

    def note(self, error: Exception) -> Trouble:
        """Count something that came and does not fit."""
        self.troubles[type(error).__name__] += 1
        return Trouble(error)

    def _window_seconds(self) -> float:
        if self.welcome is not None:
            return self.welcome.resume_seconds
        return max(self._patience_seconds, UNANSWERED_SECONDS if self._unanswered else 0.0)

    def _welcomed(self, welcome: Welcome) -> None:
        self._move("welcomed")
        self.welcome = welcome
        self.room = welcome.room
        self._room_id = welcome.room.id
        self._lost_at = None
        if not self._distrusted:
            self._backoff.reset()
        self._distrusted = False

    def _refused(self, error: Error) -> None:
        if not self._passes(error.code):
            self._end("refused", CloseCode.NORMAL, error.message, error)

    def _passes(self, code: str) -> bool:
        """Whether another try may go better: what came too fast was not even looked at, and of a
        first message with an attempt nothing is lost by saying it again."""
        if self.welcome is None:
            return code == ErrorCode.TOO_FAST and self._unanswered
        return code in _PASSING

    def _begun(self, begin: Begin) -> None:
        """Begins anew, if the battle has begun before."""
        try:
            Sources(begin.boards)
        except ValueError as error:
            self._distrusted = True
            raise Torn(f"the boards of {begin.battle}: {error}") from error
        self.mirror.begin(begin.battle)

    def _mirrored(self, message: SnapshotMessage | Frame) -> None:
        try:
            if isinstance(message, SnapshotMessage):
                self.mirror.load(message)
            else:
                self.mirror.apply(message)
        except MirrorError as error:
            self._distrusted = True
            if not isinstance(error, Gap):  # after a gap what is held is right, only not enough
                self.mirror = Mirror()
            raise

    def _end(self, move: Move, code: int, reason: str, error: Error | None = None) -> Ending:
        self._move(move)
        self.ending = Ending(move, code, reason, error)
        return self.ending

    def _move(self, move: Move) -> None:
        try:
            self.state = TRANSITIONS[self.state, move]
        except KeyError:
            raise IllegalMove(f"{move} while {self.state}") from None
