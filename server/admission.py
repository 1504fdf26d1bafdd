"""How a connection gets into a room: one message, and it has a session, a seat and its place in the
feed, or an error and nothing has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

import trio

from engine import TICKS_PER_SECOND
from protocol.codes import CloseCode, ErrorCode
from protocol.messages import (
    PROTOCOL_VERSION,
    AnyToServer,
    Create,
    Fault,
    FirstMessage,
    Join,
    Quick,
    Resume,
    RoomState,
    Token,
    Watch,
    Welcome,
)
from server import places
from server.callers import Caller
from server.closing import Closing
from server.commands import Back, Command, Enter, Look, Refusal
from server.delivery import Follower
from server.feed import framed, mask_of
from server.gate import Hello, admit_ticket
from server.hall import Hall
from server.line import Line
from server.places import Place
from server.sessions import Session, key_of
from server.stage import Stage

# Which first messages a URL takes; any other URL below /rooms/ is a room's.
TAKES: Final[dict[str, tuple[type[FirstMessage], ...]]] = {"new": (Create,), "quick": (Quick,)}
ROOM_TAKES: Final[tuple[type[FirstMessage], ...]] = (Join, Watch, Resume)

REPLACED: Final = Closing(CloseCode.REPLACED, "a newer connection has the session")


class Admission:
    """One who is let in. Once that is kept they are `connected`: the follower is to be run, and
    what comes to be said. Where it cannot be kept they are `unkept`, and are to be told nothing."""

    def __init__(self, stage: Stage, session: Session, token: Token, *, resumed: bool) -> None:
        self.stage = stage
        self.session = session
        self.token = token
        self.resumed = resumed
        self.caller = Caller()
        self.connected = trio.Event()
        self.unkept = False
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

    @property
    def is_connected(self) -> bool:
        return self._follower is not None

    @property
    def is_current(self) -> bool:
        """Whether what comes on this connection is theirs who came: no newer one has the session,
        and this one is not being closed."""
        follower = self._follower
        return (
            follower is not None and self.session.follower is follower and not follower.is_closing
        )

    def lose(self) -> None:
        """Their connection has ended, also where it never got so far as to follow."""
        if self.is_connected or self.stage.sessions.is_newest(self.session, self.token):
            self.stage.lost(self.session, self._follower)

    def connect(self, place: Callable[[], Place], connection: Line) -> None:
        """It is kept. Does not raise: what fails is for the connection's own boundary."""
        try:
            self._follower = _follow(self, place(), connection)
        except Exception as failure:
            self._failure = failure
        self.connected.set()

    def give_up(self) -> None:
        """It cannot be kept."""
        self.unkept = True
        self.connected.set()


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
        return _resume(hall.find(place), message, connection, caller)
    hello, known = admit_ticket(hall.config.security.tickets, place, message, caller)
    proof = _proof(hello, known)
    if isinstance(hello, (Create, Quick)):
        again = _again(hall, hello, proof, connection)
        admission = again or _play(hall, hello, proof, connection, known)
    else:
        stage = hall.find(place)
        hall.unlock(stage, hello.key)
        again = _again((stage,), hello, proof, connection)
        admission = again or _come(stage, hello, proof, connection)
    admission.caller = known
    return admission


def _play(
    hall: Hall, hello: Create | Quick, proof: Token | None, connection: Line, caller: Caller
) -> Admission:
    """A seat with whoever waits, or in a room of their own."""
    waiting = hall.waiting() if isinstance(hello, Quick) else None
    if waiting is not None:
        return _enter(waiting, hello, proof, connection)
    stage = hall.build(hello, caller)
    admission = _enter(stage, hello, proof, connection)
    hall.open(stage)
    return admission


def _come(stage: Stage, hello: Join | Watch, proof: Token | None, connection: Line) -> Admission:
    if isinstance(hello, Join):
        return _enter(stage, hello, proof, connection)
    return _watch(stage, hello, proof, connection)


def _enter(
    stage: Stage, hello: Create | Quick | Join, proof: Token | None, connection: Line
) -> Admission:
    session = stage.sessions.open("player", mask_of(hello.channels), since=stage.feed.number)
    _hand_in(stage, session, Enter(hello.name))
    admission = _give(stage, session, proof, connection, resumed=False)
    return _once_kept(admission, partial(places.live, stage, session), connection)


def _watch(stage: Stage, hello: Watch, proof: Token | None, connection: Line) -> Admission:
    session = stage.sessions.open(
        "spectator", mask_of(hello.channels), hello.delay_seconds, stage.feed.number
    )
    _hand_in(stage, session, Look())
    admission = _give(stage, session, proof, connection, resumed=False)
    return _once_kept(admission, places.asked_for(stage, session, hello), connection)


def _proof(hello: Hello, caller: Caller) -> Token | None:
    """The attempt as the first of the tokens that open the session, one that the client has made.
    It is good for the same message of the same player alone."""
    if hello.attempt is None:
        return None
    return Token(f"{hello.__struct_config__.tag} {hello.attempt} {caller.player or ''}")


def _again(
    stages: Iterable[Stage], hello: Hello, proof: Token | None, connection: Line
) -> Admission | None:
    """Whoever has come by this attempt already, and has not heard of it."""
    if proof is None:
        return None
    now, key = trio.current_time(), key_of(proof)
    found = ((stage, stage.sessions.find_by(key, now)) for stage in stages)
    stage, session = next(((a, b) for a, b in found if b is not None), (None, None))
    if stage is None or session is None:
        return None
    if isinstance(hello, Watch):
        place = places.asked_for(stage, session, hello)
    else:
        place = partial(places.after, stage, session, None)
    return _come_back(stage, session, proof, place, connection)


def _resume(stage: Stage, hello: Resume, connection: Line, caller: Caller) -> Admission:
    session = stage.sessions.find(hello.token, trio.current_time())
    if session is None:
        raise Refusal(ErrorCode.BAD_TOKEN)
    place = partial(places.after, stage, session, hello.last)
    admission = _come_back(stage, session, hello.token, place, connection)
    admission.caller = caller
    return admission


def _come_back(
    stage: Stage, session: Session, used: Token, place: Callable[[], Place], connection: Line
) -> Admission:
    if connection.number < session.line:
        # What was said on a line that was dead for a while, and that the client has given up for
        # the one that has the session now, or had it last.
        raise Refusal(ErrorCode.BAD_TOKEN, Fault("", "a newer connection has come with it"))
    if stage.sessions.is_lost(session):
        command = Back() if session.role == "player" else Look()
        if refused := stage.handle(command, session.id):
            raise refused.refusal
    _replace(stage, session)
    admission = _give(stage, session, used, connection, resumed=True)
    return _once_kept(admission, place, connection)


def _give(
    stage: Stage, session: Session, used: Token | None, connection: Line, *, resumed: bool
) -> Admission:
    """The session is this connection's from now on, with a new token."""
    session.line = connection.number
    return Admission(stage, session, stage.sessions.rotate(session, used), resumed=resumed)


def _once_kept(admission: Admission, place: Callable[[], Place], connection: Line) -> Admission:
    """They are connected as soon as it is kept that they are in."""
    admission.stage.once_kept(lambda: admission.connect(place, connection), admission.give_up)
    return admission


def _replace(stage: Stage, session: Session) -> None:
    """The newest connection wins, and the room sees nobody leave: the session is no longer the old
    one's to lose, which may end before the new one is kept."""
    if session.follower is not None:
        stage.audience.remove(session.follower)
        session.follower.close(REPLACED)
        session.follower = None


def _hand_in(stage: Stage, session: Session, command: Command) -> None:
    """Hands in the command of one who comes; they are forgotten again if it is refused."""
    if refused := stage.handle(command, session.id):
        stage.sessions.end(session)
        raise refused.refusal
    if stage.room.phase == "closed":  # it has failed
        raise Refusal(ErrorCode.NO_SUCH_ROOM)


def _follow(admission: Admission, place: Place, connection: Line) -> Follower:
    """They are in, and it is kept: they are told so, and read on from their place."""
    stage, session = admission.stage, admission.session
    greeting = framed(_welcome(stage, session, admission.token, place.room)) + place.opening
    place.cursor.delay = session.delay
    follower = Follower(connection, place.cursor, stage.limits, greeting, stage.metrics)
    if session.parting is not None:  # it was over before it had begun
        follower.close(session.parting)
    elif not stage.sessions.is_newest(session, admission.token):
        follower.close(REPLACED)
    else:
        session.follower = follower
        stage.audience.add(follower, plays=session.role == "player")
    return follower


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
