"""How a connection gets into a room: one message, and it has a session, a seat and its place in the
feed, or an error and nothing has changed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

import trio

from protocol.codes import CloseCode, ErrorCode
from protocol.messages import (
    PROTOCOL_VERSION,
    AnyToServer,
    Create,
    FirstMessage,
    Join,
    Position,
    Quick,
    Resume,
    RoomState,
    Token,
    Watch,
    Welcome,
)
from server.callers import Caller
from server.commands import Back, Command, Enter, Look, Refusal
from server.config import TICKS_PER_SECOND
from server.cursor import Cursor
from server.delivery import Closing, Follower
from server.feed import Feed, framed, mask_of
from server.gate import admit_ticket
from server.hall import Hall
from server.line import Line
from server.sessions import Session
from server.stage import Stage

# Which first messages a URL takes; any other URL below /rooms/ is a room's.
TAKES: Final[dict[str, tuple[type[FirstMessage], ...]]] = {"new": (Create,), "quick": (Quick,)}
ROOM_TAKES: Final[tuple[type[FirstMessage], ...]] = (Join, Watch, Resume)


class Admission:
    """One who is let in. Once that is kept they are `connected`: the follower is to be run, and
    what comes to be said."""

    def __init__(self, stage: Stage, session: Session, token: Token, *, resumed: bool) -> None:
        self.stage = stage
        self.session = session
        self.token = token
        self.resumed = resumed
        self.caller = Caller()
        self.connected = trio.Event()
        self._follower: Follower | None = None
        self._failure: Exception | None = None

    @property
    def follower(self) -> Follower:
        """Raises what has kept them from being connected."""
        if self._failure is not None:
            raise self._failure
        if self._follower is None:
            raise AssertionError("nobody follows before they are connected")
        return self._follower

    def connect(self, place: Callable[[], Place], connection: Line) -> None:
        """It is kept. Does not raise: what fails is for the connection's own boundary."""
        try:
            self._follower = _follow(self, place(), connection)
        except Exception as failure:
            self._failure = failure
        self.connected.set()


class Place(NamedTuple):
    """Where one who comes begins to read, the room as it is there, and what is sent first."""

    cursor: Cursor
    room: RoomState
    opening: bytes


def admit(
    hall: Hall, place: str, message: AnyToServer, connection: Line, caller: Caller
) -> Admission:
    """Lets in who connected to `/rooms/{place}` and said `message`. Raises `Refusal`."""
    match message:
        case Create() | Join() | Quick() | Watch() | Resume() if isinstance(
            message, TAKES.get(place, ROOM_TAKES)
        ):
            return _admit(hall, place, message, connection, caller)
        case Create() | Join() | Quick() | Watch() | Resume():
            raise Refusal(ErrorCode.WRONG_URL)
        case _:
            raise Refusal(ErrorCode.HELLO_FIRST)


def _admit(
    hall: Hall, place: str, message: FirstMessage, connection: Line, caller: Caller
) -> Admission:
    if isinstance(message, Resume):
        return _resume(hall.find(place), message, connection)
    hello, known = admit_ticket(hall.config.security.tickets, place, message, caller)
    match hello:
        case Create():
            admission = _create(hall, hello, connection, known)
        case Quick():
            stage = hall.waiting()
            if stage is None:
                admission = _create(hall, hello, connection, known)
            else:
                admission = _enter(stage, hello, connection)
        case Join():
            stage = hall.find(place)
            hall.unlock(stage, hello.key)
            admission = _enter(stage, hello, connection)
        case Watch():
            stage = hall.find(place)
            hall.unlock(stage, hello.key)
            admission = _watch(stage, hello, connection)
    admission.caller = known
    return admission


def _create(hall: Hall, hello: Create | Quick, connection: Line, caller: Caller) -> Admission:
    stage = hall.build(hello, caller)
    admission = _enter(stage, hello, connection)
    hall.open(stage, caller)
    return admission


def _enter(stage: Stage, hello: Create | Quick | Join, connection: Line) -> Admission:
    session = stage.sessions.open("player", mask_of(hello.channels), since=stage.feed.number)
    _hand_in(stage, session, Enter(hello.name))
    admission = Admission(stage, session, stage.sessions.rotate(session), resumed=False)
    stage.once_kept(lambda: admission.connect(partial(_live, stage, session), connection))
    return admission


def _watch(stage: Stage, hello: Watch, connection: Line) -> Admission:
    session = stage.sessions.open(
        "spectator", mask_of(hello.channels), hello.delay_seconds, stage.feed.number
    )
    _hand_in(stage, session, Look())
    admission = Admission(stage, session, stage.sessions.rotate(session), resumed=False)
    whole = hello.start == "beginning" or hello.delay_seconds > 0
    place = partial(_whole if whole else _live, stage, session)
    stage.once_kept(lambda: admission.connect(place, connection))
    return admission


def _resume(stage: Stage, hello: Resume, connection: Line) -> Admission:
    session = stage.sessions.find(hello.token, trio.current_time())
    if session is None:
        raise Refusal(ErrorCode.BAD_TOKEN)
    if session.follower is None:
        command = Back() if session.role == "player" else Look()
        if refused := stage.handle(command, session.id):
            raise refused.refusal
    _replace(stage, session)
    token = stage.sessions.rotate(session, hello.token)
    admission = Admission(stage, session, token, resumed=True)
    place = partial(_after, stage, session, hello.last)
    stage.once_kept(lambda: admission.connect(place, connection))
    return admission


def _replace(stage: Stage, session: Session) -> None:
    """The newest connection wins, and the room sees nobody leave."""
    if session.follower is not None:
        stage.audience.remove(session.follower)
        session.follower.close(Closing(CloseCode.REPLACED, "a newer connection has the session"))


def _hand_in(stage: Stage, session: Session, command: Command) -> None:
    """Hands in the command of one who comes; they are forgotten again if it is refused."""
    if refused := stage.handle(command, session.id):
        stage.sessions.end(session)
        raise refused.refusal


def _follow(admission: Admission, place: Place, connection: Line) -> Follower:
    """They are in, and it is kept: they are told so, and read on from their place."""
    stage, session = admission.stage, admission.session
    _replace(stage, session)  # one that came in while this one was being kept
    greeting = framed(_welcome(stage, session, admission.token, place.room)) + place.opening
    place.cursor.delay = session.delay
    session.follower = Follower(connection, place.cursor, stage.limits, greeting, stage.metrics)
    stage.audience.add(session.follower, plays=session.role == "player")
    if session.parting is not None:  # it was over before it had begun
        session.follower.close(session.parting)
    return session.follower


def _welcome(stage: Stage, session: Session, token: Token, room: RoomState) -> Welcome:
    seat = stage.room.seat_of(session.id)
    return Welcome(
        version=PROTOCOL_VERSION,
        role=session.role,
        seat=seat,
        token=token,
        resume_seconds=stage.limits.resume_seconds,
        ticks_per_second=TICKS_PER_SECOND,
        room=room,
        board=stage.room.board_of(seat),
        offer=stage.room.offered() if seat else None,
    )


# Where they begin to read.


def _live(stage: Stage, session: Session) -> Place:
    """At the end of the feed; in the middle of a battle, with its state.

    Since the battle's last frame there can only have been room updates, and the welcome is newer.
    """
    stage.feed.fill()  # or what is over would come to one who was not there
    feed, room = stage.feed, stage.state()
    # Also where it has run to its end, and the result is only being kept.
    keyframe = feed.keyframe() if room.phase == "battle" else None
    begin = feed.entries[0].message if feed.entries else None
    opening = b"" if keyframe is None or begin is None else begin + keyframe.data
    return Place(Cursor(feed, len(feed.entries), session.mask), room, opening)


def _whole(stage: Stage, session: Session) -> Place:
    """At the beginning of the battle, the one that runs or the last."""
    stage.feed.fill()
    feed, now = stage.feed, _now_of(stage.feed, session)
    return Place(
        Cursor(feed, 0 if feed.battle else now, session.mask, (feed.number, now)),
        _room_at(stage, session),
        b"",
    )


def _after(stage: Stage, session: Session, last: Position | None) -> Place:
    """After the last frames seen; all over where those are too long ago."""
    seen = stage.teller.feed_of(last.battle) if last is not None else None
    # Who has seen nothing of the battles since they came, lacks all of them.
    feed = seen or stage.teller.feed_after(session.since)
    if feed is None:
        return _whole(stage, session) if session.delay else _live(stage, session)
    cursor = Cursor(feed, 0, session.mask, (stage.feed.number, _now_of(stage.feed, session)))
    if seen is not None and last is not None:
        cursor.resume(last)
    return Place(cursor, _room_at(stage, session), b"")


def _now_of(feed: Feed, session: Session) -> int:
    """The position that the session's delay makes of now."""
    if not session.delay:
        return len(feed.entries)
    until = trio.current_time() - session.delay
    return next((at for at, e in enumerate(feed.entries) if e.made_at > until), len(feed.entries))


def _room_at(stage: Stage, session: Session) -> RoomState:
    """The room as one may see it who watches with a delay: no result before its battle."""
    if session.delay:
        past = stage.feed.room_at(trio.current_time() - session.delay)
        if past is not None:
            return past
    return stage.state()
