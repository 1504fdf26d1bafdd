"""How a connection gets into a room: one message, and it has a session, a seat and its place in the
feed, or an error and nothing has changed.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import trio
from websockets.trio.server import ServerConnection

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
from server.commands import Back, Command, Enter, Look, Refusal
from server.config import TICKS_PER_SECOND
from server.cursor import Cursor
from server.delivery import Closing, Follower
from server.feed import Feed, framed, mask_of
from server.hall import Hall
from server.sessions import Session
from server.stage import Stage

# Which first messages a URL takes; any other URL below /rooms/ is a room's.
TAKES: Final[dict[str, tuple[type[FirstMessage], ...]]] = {"new": (Create,), "quick": (Quick,)}
ROOM_TAKES: Final[tuple[type[FirstMessage], ...]] = (Join, Watch, Resume)


class Admission(NamedTuple):
    """One who is in: the connection's delivery is to be run, and what comes to be said."""

    stage: Stage
    session: Session
    follower: Follower
    resumed: bool


class Place(NamedTuple):
    """Where one who comes begins to read, the room as it is there, and what is sent first."""

    cursor: Cursor
    room: RoomState
    opening: bytes


def admit(hall: Hall, place: str, message: AnyToServer, connection: ServerConnection) -> Admission:
    """Lets in who connected to `/rooms/{place}` and said `message`. Raises `Refusal`."""
    match message:
        case Create() | Join() | Quick() | Watch() | Resume() if isinstance(
            message, TAKES.get(place, ROOM_TAKES)
        ):
            return _admit(hall, place, message, connection)
        case Create() | Join() | Quick() | Watch() | Resume():
            raise Refusal(ErrorCode.WRONG_URL)
        case _:
            raise Refusal(ErrorCode.HELLO_FIRST)


def _admit(
    hall: Hall, place: str, message: FirstMessage, connection: ServerConnection
) -> Admission:
    match message:
        case Create():
            return _create(hall, message, message.key, connection)
        case Quick():
            stage = hall.waiting()
            if stage is None:
                return _create(hall, message, None, connection)
            return _enter(stage, message, connection)
        case Join():
            stage = hall.find(place)
            hall.unlock(stage, message.key)
            return _enter(stage, message, connection)
        case Watch():
            stage = hall.find(place)
            hall.unlock(stage, message.key)
            return _watch(stage, message, connection)
        case Resume():
            return _resume(hall.find(place), message, connection)


def _create(
    hall: Hall, hello: Create | Quick, key: str | None, connection: ServerConnection
) -> Admission:
    stage = hall.build(hello)
    admission = _enter(stage, hello, connection)
    hall.open(stage, key)
    return admission


def _enter(stage: Stage, hello: Create | Quick | Join, connection: ServerConnection) -> Admission:
    session = stage.sessions.open("player", mask_of(hello.channels))
    _hand_in(stage, session, Enter(hello.name))
    token = stage.sessions.rotate(session)
    return _connect(stage, session, token, _live(stage, session), connection)


def _watch(stage: Stage, hello: Watch, connection: ServerConnection) -> Admission:
    session = stage.sessions.open("spectator", mask_of(hello.channels), hello.delay_seconds)
    _hand_in(stage, session, Look())
    token = stage.sessions.rotate(session)
    whole = hello.start == "beginning" or hello.delay_seconds > 0
    place = _whole(stage, session) if whole else _live(stage, session)
    return _connect(stage, session, token, place, connection)


def _resume(stage: Stage, hello: Resume, connection: ServerConnection) -> Admission:
    session = stage.sessions.find(hello.token, trio.current_time())
    if session is None:
        raise Refusal(ErrorCode.BAD_TOKEN)
    if session.follower is None:
        command = Back() if session.role == "player" else Look()
        if refused := stage.handle(command, session.id):
            raise refused.refusal
    else:  # the newest connection wins, and the room sees nobody leave
        stage.audience.remove(session.follower)
        session.follower.close(Closing(CloseCode.REPLACED, "a newer connection has the session"))
    token = stage.sessions.rotate(session, hello.token)
    place = _after(stage, session, hello.last)
    return _connect(stage, session, token, place, connection, resumed=True)


def _hand_in(stage: Stage, session: Session, command: Command) -> None:
    """Hands in the command of one who comes; they are forgotten again if it is refused."""
    if refused := stage.handle(command, session.id):
        stage.sessions.end(session)
        raise refused.refusal


def _connect(
    stage: Stage,
    session: Session,
    token: Token,
    place: Place,
    connection: ServerConnection,
    *,
    resumed: bool = False,
) -> Admission:
    greeting = framed(_welcome(stage, session, token, place.room)) + place.opening
    place.cursor.delay = session.delay
    session.follower = Follower(connection, place.cursor, stage.limits, greeting)
    stage.audience.add(session.follower, plays=session.role == "player")
    return Admission(stage, session, session.follower, resumed)


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
    """At the end of the feed; in the middle of a battle, with its state."""
    feed, room = stage.feed, stage.room.state()
    cursor = Cursor(feed, len(feed.entries), session.mask)
    keyframe = feed.keyframe() if stage.run is not None else None
    begin = feed.entries[0].message if feed.entries else None
    if keyframe is None or begin is None:
        return Place(cursor, room, b"")
    cursor.fresh = cursor.mark
    cursor.at = keyframe.at
    return Place(cursor, room, begin + keyframe.data)


def _whole(stage: Stage, session: Session) -> Place:
    """At the beginning of the battle, the one that runs or the last."""
    feed, now = stage.feed, _now_of(stage.feed, session)
    return Place(
        Cursor(feed, 0 if feed.battle else now, session.mask, (feed.number, now)),
        _room_at(stage, session),
        b"",
    )


def _after(stage: Stage, session: Session, last: Position | None) -> Place:
    """After the last frames seen; all over where those are too long ago."""
    for feed in (stage.feed, stage.previous):
        if feed is not None and last is not None and feed.battle == last.battle:
            fresh = stage.feed.number, _now_of(stage.feed, session)
            cursor = Cursor(feed, 0, session.mask, fresh)
            cursor.resume(last)
            return Place(cursor, _room_at(stage, session), b"")
    return _whole(stage, session) if session.delay else _live(stage, session)


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
    return stage.room.state()
