"""A room at work: what the room decides is kept, and then carried out here.

The stage holds what the room must not know: its sessions, the arena where its battles are fought,
and the teller of all that is heard of it. It waits for nothing: the metronome wakes it, connections
hand it what was said, the journal calls back. It is the room's error boundary, as the arena is the
battle's: a room that fails is closed, and no other room misses a tick.

What a decision changes here, changes at once; what it has people told is told once it is kept. So
whatever anyone was told is there again after a crash.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import msgspec
import structlog
import trio

from protocol.codes import CloseCode, ErrorCode
from protocol.messages import Accept, Leave, PlayerMessage, Ready, Rematch, RoomState
from protocol.refusals import refuse
from server.arena import Arena
from server.audience import Audience
from server.backstage import Backstage
from server.battles import BattleRun
from server.callers import Caller
from server.closing import Closing
from server.commands import (
    Away,
    Close,
    Command,
    Dismiss,
    Effect,
    Ended,
    Record,
    Refuse,
    SessionId,
    Shut,
    StartBattle,
    StopBattle,
    ToRoom,
    ToSession,
    Unlook,
    Wake,
)
from server.delivery import Follower
from server.fanout import Offer
from server.feed import Feed
from server.journal.keeping import NO_COURSE, Course, Keeper
from server.journal.writer import nothing
from server.room import Room
from server.sessions import Session, Sessions
from server.telling import Opening, Parting, Teller, Telling

# A battle that is kept so much after it was to begin is put off.
LATE_SECONDS: Final = 0.5
# What begins something, and is refused while the server is about to stop.
BEGINNINGS: Final = (Ready, Accept, Rematch)


class Stage:
    """One room, its sessions, its battle and its audience."""

    def __init__(
        self,
        room: Room,
        backstage: Backstage,
        closed: Callable[[Stage, Record], None],
        key: str | None = None,
        maker: Caller | None = None,
    ) -> None:
        self.room = room
        self.key = key  # of a private room
        self.maker = maker  # None: not known any more
        self.limits = backstage.config.limits
        self.sessions = Sessions(backstage.config.mint.token, self.limits.resume_seconds)
        self.metrics = backstage.metrics
        keep_seconds = self.limits.missed_seconds
        self.teller = Teller(self.sessions, room.state(), keep_seconds, self.metrics)
        self.log = structlog.get_logger().bind(room=room.id)
        self._backstage = backstage
        self._closed = closed
        self._keeper = Keeper(
            room,
            self.sessions,
            key,
            maker,
            backstage.clock,
            backstage.edition,
            backstage.boards,
        )
        self._arena = Arena(backstage, self.log)
        self._again_until = -math.inf

    # What may be asked of it.

    @property
    def audience(self) -> Audience:
        return self.teller.audience

    @property
    def feed(self) -> Feed:
        """What everyone reads who is in the room."""
        return self.teller.feed

    @property
    def run(self) -> BattleRun | None:
        """The battle that runs, from the moment everyone has heard of it."""
        run = self._arena.run
        return run if run is not None and run.feed is self.teller.feed else None

    def state(self) -> RoomState:
        """The room as everyone was last told of it, with those who look on counted anew."""
        return msgspec.structs.replace(self.teller.room, spectators=len(self.room.spectators))

    # What happens to it.

    def said(self, session: Session, message: PlayerMessage) -> Refuse | None:
        """Somebody in the room said this; the refusal, if it is one."""
        if self._backstage.draining and isinstance(message, BEGINNINGS):
            tag = str(type(message).__struct_config__.tag)
            return Refuse(refuse(ErrorCode.DRAINING, (), self.room.seq, tag), ErrorCode.DRAINING)
        if session.role == "spectator" and isinstance(message, Leave):
            self._keep([self._part(session, Closing(CloseCode.NORMAL, "left"))])
            return self.handle(Unlook(), session.id)
        return self.handle(message, session.id)

    def handle(self, command: Command, by: SessionId | None) -> Refuse | None:
        """Hands the room a command and carries out what it decides; the refusal, if it is one."""
        refused: Refuse | None = None
        try:
            refused = self._handle(command, by)
        except Exception:
            self._fail()
        if refused is None:  # else nothing has changed, also about what is to be done when
            self.reschedule()
        return refused

    def lost(self, session: Session, follower: Follower | None) -> None:
        """A connection has ended; None: one that never followed. The session is still there to be
        resumed."""
        if follower is not None:
            self.audience.remove(follower)
        if session.follower is not follower:
            return  # a newer connection has the session: the room sees nobody leave
        self.sessions.lose(session, trio.current_time())
        if self.sessions.get(session.id) is session and self.room.phase != "closed":
            self.handle(Away() if session.role == "player" else Unlook(), session.id)

    def once_kept(
        self, then: Callable[[], None] = nothing, otherwise: Callable[[], None] = nothing
    ) -> None:
        """Keeps what changed about the sessions; calls back once that and all before it is kept, or
        cannot be."""
        self._backstage.journal.put(self._keeper.writes(), then, otherwise)

    def announce_drain(self) -> None:
        """Everyone is told that nothing new begins here."""
        self._keep([ToRoom(refuse(ErrorCode.DRAINING, (), self.room.seq))])

    def take_over(self, run: BattleRun | None, until: float) -> None:
        """A battle of the process before this one goes on. It is fought again up to this moment
        before anyone reads of it: they may have read that far."""
        self._arena.hold(run)
        self._again_until = until
        self.reschedule()

    def work(self, now: float) -> float:
        """The metronome's call: the ticks, deadlines and turns that are due."""
        try:
            self._advance(now)
            if self.room.deadline <= now:
                self._handle(Wake(), None)
        except Exception:
            self._fail()
        if self.teller.has_news:
            self._backstage.crier.hail(self)
        return self._due()

    def offers(self, now: float) -> list[Offer]:
        """The crier's call: what those are offered whose turn it is."""
        try:
            return self.teller.offers(now)
        except Exception:
            self._fail()
            return []
        finally:
            if self.audience.has_turns_left:
                self.reschedule()

    def reschedule(self) -> None:
        """The metronome learns when there is work."""
        self._backstage.metronome.schedule(self, self._due())

    def _due(self) -> float:
        if self.audience.has_turns_left:
            return trio.current_time()
        run, deadline = self.run, self.room.deadline
        return deadline if run is None else min(deadline, run.due)

    # What the room decides.

    def _handle(
        self, command: Command, by: SessionId | None, course: Course = NO_COURSE
    ) -> Refuse | None:
        self._catch_up()
        effects = self.room.handle(command, by, trio.current_time())
        match effects:
            case [Refuse() as refused]:  # nothing has changed, so nothing is to be kept
                return refused
        tellings = [telling for effect in effects for telling in self._take_in(effect)]
        self._keep(tellings, effects, course)
        for effect in effects:
            self._follow_up(effect)
        return None

    def _take_in(self, effect: Effect) -> list[Telling]:
        """What changes here at once; what is to be told of it, later."""
        match effect:
            case ToRoom() | ToSession():
                return [effect]
            case StartBattle(terms):
                running = len(self._backstage.battles)
                started = self._backstage.config.next_beat(trio.current_time(), running)
                opening = self.teller.open(terms, self.room.state(), started)
                self._arena.hold(self._arena.prepare(opening))
                return [opening]
            case Dismiss(session_id, code, why):
                session = self.sessions.get(session_id)
                return [self._part(session, Closing(code, why))] if session else []
            case Close(record):
                self._arena.hold(None)
                self._closed(self, record)
                closing = Closing(CloseCode.ROOM_CLOSED, record.why)
                return [self._part(session, closing) for session in self.sessions]
        return []

    def _keep(
        self,
        tellings: Sequence[Telling],
        effects: Sequence[Effect] = (),
        course: Course = NO_COURSE,
    ) -> None:
        opening = next((one for one in tellings if isinstance(one, Opening)), None)
        writes = self._keeper.writes(effects, opening, course, trio.current_time())
        self._backstage.journal.put(writes, partial(self._tell, tellings))

    def _tell(self, tellings: Sequence[Telling]) -> None:
        """The journal's call: these are kept."""
        try:
            now = trio.current_time()
            self.teller.tell([self._in_time(telling, now) for telling in tellings], now)
            self._advance(now)
            self.teller.sweep()
        except Exception:
            self._fail()
        self.reschedule()

    def _in_time(self, telling: Telling, now: float) -> Telling:
        """A battle of which nobody could hear in time, because it took so long to keep, begins now;
        else all would be told of its first seconds at once. Where the server is killed before that
        is kept, it goes on as if it had begun when it should."""
        run = self._arena.run
        if not isinstance(telling, Opening) or run is None or run.feed is not telling.feed:
            return telling
        late = now - telling.started
        if late < LATE_SECONDS:
            return telling
        started = self._backstage.config.next_beat(now, len(self._backstage.battles))
        run.postpone(started)
        opening = replace(telling, started=started)
        self._backstage.journal.put(self._keeper.writes(opening=opening))
        self.log.warning("battle begins late", battle=telling.terms.battle, late=round(late, 3))
        return opening

    def _follow_up(self, effect: Effect) -> None:
        """What the room is to hear at once of what it decided."""
        match effect:
            case StopBattle(winner, reason):
                if (run := self._arena.run) is not None:
                    self._end(run, run.stopped(winner, reason))
            case StartBattle(terms) if self._arena.run is None and self.room.phase == "battle":
                self._handle(Ended(terms.battle, None, "void", -1, None), None)

    def _part(self, session: Session, closing: Closing) -> Parting:
        self.sessions.end(session)
        session.parting = closing
        return Parting(session)

    # The battle.

    def _advance(self, now: float) -> None:
        """Runs the ticks that are due."""
        run = self.run
        if run is None or run.due > now:
            return
        ended = self._arena.advance(run, now)
        if ended is not None:
            self._end(run, ended)

    def _catch_up(self) -> None:
        while self.run is not None and self.run.due <= self._again_until:
            self._advance(self._again_until)

    def _end(self, run: BattleRun, ended: Ended) -> None:
        self._handle(ended, None, self._arena.clear(run, ended))

    # What goes wrong.

    def _fail(self) -> None:
        """In an exception handler: the room's own machinery is broken, so the room must end."""
        error_id = self._backstage.config.mint.error_id()
        self.log.exception("room failed", phase=self.room.phase, error_id=error_id)
        self._arena.hold(None)
        closing = Closing(CloseCode.INTERNAL, f"the room failed: {error_id}")
        for session in self.sessions:  # also of those who are in, and are yet to be told so
            self._part(session, closing)
        self.teller.dismiss_all(lambda: closing)
        effects = self._shut(error_id)
        for effect in effects:
            if isinstance(effect, Close):
                self._closed(self, effect.record)
        self._backstage.journal.put(self._keeper.writes(effects))

    def _shut(self, error_id: str) -> Sequence[Effect]:
        """Closes the room, also where what has failed is needed for that."""
        now = trio.current_time()
        try:
            return self.room.handle(Shut(), None, now)
        except Exception:
            self.log.exception("room failed", phase=self.room.phase, error_id=error_id)
        self.room.phase = "closed"
        state = msgspec.structs.replace(self.teller.room, phase="closed")
        return [Close(Record(state, self.room.opened, now, "it failed"))]
