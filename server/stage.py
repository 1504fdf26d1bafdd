"""A room at work: what the room decides is carried out here.

The stage holds what the room must not know: sessions and their connections, the feed, the battle
that runs. It waits for nothing: the metronome wakes it, connections hand it what was said, and the
audience is told without anyone being waited for. It is the room's error boundary: a battle that
fails ends as void, a room that fails is closed, and no other room misses a tick.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import structlog
import trio

from engine import Board, Rules
from protocol.codes import CloseCode
from protocol.messages import Begin, Leave, PlayerMessage
from server.audience import Audience
from server.battles import BattleRun, write_fault
from server.commands import (
    Away,
    Close,
    Command,
    Dismiss,
    Effect,
    Ended,
    KeepBoard,
    Record,
    Refuse,
    SessionId,
    Shut,
    StartBattle,
    StopBattle,
    Terms,
    ToRoom,
    ToSession,
    Unlook,
    Wake,
)
from server.config import Config
from server.delivery import Closing, Follower
from server.feed import Feed
from server.metronome import Metronome
from server.room import Room
from server.sessions import Session, Sessions

# Spectators told in one go: about a millisecond's work.
SLICE: Final = 128


class Stage:
    """One room, its sessions, its feed and its battle."""

    def __init__(
        self,
        room: Room,
        config: Config,
        metronome: Metronome,
        keep_board: Callable[[str, Board], object],
        closed: Callable[[Stage, Record], None],
    ) -> None:
        self.room = room
        self.sessions = Sessions(config.mint.token, config.limits.resume_seconds)
        self.audience = Audience()
        self.feed = Feed(0)
        self.previous: Feed | None = None  # for those who were away as the new one began
        self.run: BattleRun | None = None
        self.limits = config.limits
        self.log = structlog.get_logger().bind(room=room.id)
        self._config = config
        self._metronome = metronome
        self._keep_board = keep_board
        self._closed = closed
        self._began = -math.inf
        self._grown = False

    # What happens to it.

    def said(self, session: Session, message: PlayerMessage) -> Refuse | None:
        """Somebody in the room said this; the refusal, if it is one."""
        if session.role == "spectator" and isinstance(message, Leave):
            self._dismiss(session, Closing(CloseCode.NORMAL, "left"))
            return self.handle(Unlook(), session.id)
        return self.handle(message, session.id)

    def handle(self, command: Command, by: SessionId | None) -> Refuse | None:
        """Hands the room a command and carries out what it decides; the refusal, if it is one."""
        refused: Refuse | None = None
        try:
            refused = self._handle(command, by)
        except Exception:
            self._fail()
        self._metronome.schedule(self, self._due())
        return refused

    def lost(self, session: Session, follower: Follower) -> None:
        """A connection has ended. The session is still there to be resumed."""
        self.audience.remove(follower)
        if session.follower is not follower:
            return  # a newer connection has the session: the room sees nobody leave
        self.sessions.lose(session, trio.current_time())
        if self.sessions.get(session.id) is session and self.room.phase != "closed":
            self.handle(Away() if session.role == "player" else Unlook(), session.id)

    def dismiss_all(self, closing: Closing) -> None:
        """Everyone's connection is closed; their sessions stay as they are."""
        for follower in list(self.audience):
            follower.close(closing)

    def work(self, now: float) -> float:
        """The metronome's call: the ticks, deadlines and turns that are due."""
        try:
            self._advance(now)
            if self.room.deadline <= now:
                self._handle(Wake(), None)
            self._tell()
        except Exception:
            self._fail()
        return self._due()

    def _due(self) -> float:
        """When there is work again."""
        if self.audience.has_turns_left:
            return trio.current_time()
        return min(self.room.deadline, self.run.due() if self.run else math.inf)

    # What the room decides.

    def _handle(self, command: Command, by: SessionId | None) -> Refuse | None:
        effects = self.room.handle(command, by, trio.current_time())
        for effect in effects:
            self._carry_out(effect)
        self._tell()
        return next((effect for effect in effects if isinstance(effect, Refuse)), None)

    def _carry_out(self, effect: Effect) -> None:
        match effect:
            case ToRoom(message):
                self.feed.say(message, trio.current_time())
                self._grown = True
            case ToSession(to, message):
                session = self.sessions.get(to)
                if session is not None and session.follower is not None:
                    session.follower.say(message)
            case StartBattle(terms):
                self._start(terms)
            case StopBattle(winner, reason):
                if self.run is not None:
                    self._end(self.run, self.run.stopped(winner, reason))
            case KeepBoard(name, board):
                self._keep_board(name, board)
            case Dismiss(session_id, code, why):
                self._dismiss(self.sessions.get(session_id), Closing(code, why))
            case Close(record):
                self._close(record)
            case Refuse():
                pass  # the answer goes to whoever handed in the command

    def _start(self, terms: Terms) -> None:
        now = trio.current_time()
        self.previous, self.feed = (
            self.feed,
            Feed(self.feed.number + 1, terms.battle, self.room.state()),
        )
        self.previous.next = self.feed
        self._began = now
        self.feed.say(_begin(terms), now)
        self._grown = True
        self.log.info("battle begins", battle=terms.battle)
        tick_seconds = self._config.tick_seconds(terms.speed)
        try:
            self.run = BattleRun(terms, self.feed, tick_seconds, now)
        except Exception:
            self._void(terms, tick=-1)
        else:
            self._advance(now)

    def _advance(self, now: float) -> None:
        """Runs the ticks that are due. Whatever the battle raises ends the battle and no more."""
        if self.run is None or self.run.due() > now:
            return
        run, before = self.run, len(self.feed.entries)
        try:
            ended = run.advance(now)
        except Exception:
            self._void(run.terms, run.tick)
            return
        self._grown = self._grown or len(self.feed.entries) > before
        if ended is not None:
            self._end(run, ended)
        elif self.previous and now - self._began > self.limits.resume_seconds:
            self.previous = None

    def _end(self, run: BattleRun, ended: Ended) -> None:
        self.run = None
        latest = round(run.latest, 4)
        self.log.info("battle ends", battle=ended.battle, reason=ended.reason, latest=latest)
        self._handle(ended, None)

    def _void(self, terms: Terms, tick: int) -> None:
        """In an exception handler: logs what it takes to fail like this again."""
        self.run = None
        error_id = self._config.mint.error_id()
        file = write_fault(self._config.faults, error_id, terms.setup)
        self.log.exception(
            "battle failed", battle=terms.battle, tick=tick, error_id=error_id, file=file
        )
        self._handle(Ended(terms.battle, None, "void", tick, None), None)

    def _tell(self) -> None:
        """Tells the audience what is new; never more than a slice of them in one go."""
        if self._grown:
            self._grown = False
            self.audience.announce()
        self.audience.sweep(SLICE)

    def _dismiss(self, session: Session | None, closing: Closing) -> None:
        if session is None:
            return
        self.sessions.end(session)
        if session.follower is not None:
            session.follower.close(closing)

    def _close(self, record: Record) -> None:
        self.run = None
        for session in self.sessions:
            self._dismiss(session, Closing(CloseCode.ROOM_CLOSED, record.why))
        self._closed(self, record)

    def _fail(self) -> None:
        """In an exception handler: the room's own machinery is broken, so the room must end."""
        error_id = self._config.mint.error_id()
        self.log.exception("room failed", phase=self.room.phase, error_id=error_id)
        self.run = None
        self.dismiss_all(Closing(CloseCode.INTERNAL, f"the room failed: {error_id}"))
        for effect in self.room.handle(Shut(), None, trio.current_time()):
            if isinstance(effect, Close):
                self._closed(self, effect.record)


def _begin(terms: Terms) -> Begin:
    a, b = terms.setup.boards
    return Begin(
        battle=terms.battle,
        round=terms.round,
        speed=terms.speed,
        boards={"a": a.to_object(), "b": b.to_object()},
        commitment=terms.commitment,
        rules=_changed_rules(terms.setup.rules),
    )


def _changed_rules(rules: Rules) -> dict[str, object]:
    standard = Rules().to_object()
    return {name: value for name, value in rules.to_object().items() if value != standard[name]}
