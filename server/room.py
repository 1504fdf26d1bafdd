"""A room: two seats, spectators, and rounds fought until a series is decided.

It decides and never waits: it is handed commands with the time, and gives back effects. It knows
no socket, no clock and no task; its chance and its store of opponents are handed in. Everything
about a command is checked before a field is touched, so that a refused one has changed nothing.

Every phase has a deadline, so that every room ends. `deadline` says when to hand in `Wake`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal

from protocol.codes import CloseCode, ErrorCode
from protocol.messages import (
    SEATS,
    Accept,
    Fault,
    Forfeit,
    Leave,
    Offer,
    Ready,
    Rematch,
    RoomId,
    RoomPhase,
    RoomState,
    RoomUpdate,
    Seat,
    SubmitBoard,
)
from server.commands import (
    SAID,
    Away,
    Back,
    Close,
    Command,
    Dismiss,
    Effect,
    Ended,
    Enter,
    Look,
    Record,
    Refusal,
    Refuse,
    SessionId,
    Shut,
    StartBattle,
    StopBattle,
    Stored,
    ToRoom,
    ToSession,
    Unlook,
    Wake,
)
from server.house import House, Options
from server.match import OTHER, Match
from server.names import fault_of
from server.players import Player, stored_player
from server.room_table import NEXT, illegal


class Room:
    """One room. `phase`, `seq`, `match` and `spectators` are for reading only."""

    def __init__(self, room_id: RoomId, options: Options, house: House, now: float) -> None:
        self.id = room_id
        self.options = options
        self.phase: RoomPhase = "waiting"
        self.seq = 0
        self.spectators: set[SessionId] = set()
        speed, best_of = options.speed, options.best_of
        self.match = Match(room_id, speed, best_of, house.rules, house.catalog, house.secret)
        self.offer: Stored | None = None
        self._house = house
        self.opened = self._now = now
        self._stopping = False  # the battle has been told to stop
        self.phase_due = now + house.limits.waiting_seconds
        self.offer_due = math.inf
        self._census_due = math.inf
        self._told_away: tuple[Seat, ...] = SEATS  # as far as is known
        self._effects: list[Effect] = []

    # What may be asked of it.

    def state(self) -> RoomState:
        """The room as everyone in it may see it."""
        match = self.match
        a, b = (player.state() if player else None for player in match.seats.values())
        return RoomState(
            id=self.id,
            seq=self.seq,
            phase=self.phase,
            private=self.options.private,
            speed=self.options.speed,
            best_of=self.options.best_of,
            round=match.round,
            a=a,
            b=b,
            spectators=len(self.spectators),
            commitment=match.commitment,
            battle=match.battle,
        )

    def seat_of(self, session: SessionId | None) -> Seat | None:
        return self.match.seat_of(session)

    def board_of(self, seat: Seat | None) -> dict[str, object] | None:
        """The board that the holder of this seat sent: for their eyes alone."""
        player = self.match.seats[seat] if seat else None
        return player.board.to_object() if player is not None and player.board else None

    def offered(self) -> Offer | None:
        """The stored opponent that the one who waits is being offered."""
        return None if self.offer is None else Offer(self.offer.id, self.offer.name)

    @property
    def deadline(self) -> float:
        """When to hand in `Wake` at the latest; infinity once the room is closed."""
        if self.phase == "closed":
            return math.inf
        if self.phase == "battle":  # asked for at every tick: nothing else is waited for then
            return min(self.phase_due, self._census_due)
        returns = (due for due, _ in self._returns_due())
        return min(self.phase_due, self.offer_due, self._census_due, *returns)

    def _returns_due(self) -> Iterator[tuple[float, Seat]]:
        """When who is away has lost their seat. A battle goes on without its players."""
        for seat, player in self.match.players():
            if player.away_since is not None and self.phase != "battle":
                yield player.away_since + self._house.limits.resume_seconds, seat

    # What it is told.

    def handle(self, command: Command, by: SessionId | None, now: float) -> list[Effect]:
        """Carries out a command of a session, or of the server where `by` is None.

        The only effect of one that is refused is `Refuse`.
        """
        self._now, self._effects = now, []
        before = self.phase
        try:
            self._check_legal(command, by)
            self._carry_out(command, by)
        except Refusal as refusal:
            return [Refuse(refusal.error(self.seq, _said(command)), refusal.code)]
        if self.phase not in NEXT[before, type(command)]:
            raise AssertionError(f"{type(command).__name__} led from {before} to {self.phase}")
        return self._effects

    def _check_legal(self, command: Command, by: SessionId | None) -> None:
        if isinstance(command, SAID) and self.seat_of(by) is None:
            raise Refusal(ErrorCode.NOT_A_PLAYER)
        if (self.phase, type(command)) not in NEXT:
            raise Refusal(illegal(self.phase, type(command)))

    def _carry_out(self, command: Command, by: SessionId | None) -> None:
        match command:
            case Enter(name):
                self._enter(by, name)
            case Look() | Unlook():
                self._look(by, comes=isinstance(command, Look))
            case Away() | Back():
                self._presence(by, away=isinstance(command, Away))
            case SubmitBoard(board):
                self._submit(by, board)
            case Ready(nonce):
                self._ready(by, nonce)
            case Accept(offer):
                self._accept(offer)
            case Forfeit():
                self._forfeit(by)
            case Rematch():
                self._rematch(by)
            case Leave():
                self._leave(by)
            case Ended():
                self._ended(command)
            case Wake():
                self._wake()
            case Shut():
                self._close("it failed")

    # Coming and going.

    def _enter(self, by: SessionId | None, name: str) -> None:
        if fault := fault_of(name):
            raise Refusal(ErrorCode.BAD_NAME, Fault("name", fault))
        if by is None:
            raise AssertionError("a seat is taken by a session")
        if self.match.sit(Player(by, name)):
            self._open_series()
        else:
            self._await_offer()
        self._publish()

    def _look(self, by: SessionId | None, *, comes: bool) -> None:
        if by is None:
            raise AssertionError("a spectator is a session")
        if not comes:
            self.spectators.discard(by)
        elif len(self.spectators) >= self._house.limits.spectators:
            raise Refusal(ErrorCode.SPECTATORS_FULL)
        else:
            self.spectators.add(by)
        self._tell_soon()  # an update for each of ten thousand would go to each of ten thousand

    def _presence(self, by: SessionId | None, *, away: bool) -> None:
        """A line that breaks for less than a second is nobody's business; and whoever lets it break
        again and again makes no more be told than so."""
        seat, player = self.match.player(by)
        player.away_since = self._now if away else None
        if away:
            self._tell_soon()
        elif seat in self._told_away:
            self._publish()

    def _tell_soon(self) -> None:
        """Of what can happen again and again, everyone is told in a while, all at once."""
        self._census_due = min(self._census_due, self._now + self._house.limits.census_seconds)

    def _leave(self, by: SessionId | None) -> None:
        seat, player = self.match.player(by)
        if self.phase == "battle":
            player.leaving = True
            self._stop(OTHER[seat], "forfeit")
        else:
            self._vacate([seat], "left")

    def _vacate(self, seats: list[Seat], why: str) -> None:
        """Takes their seats from these players. A live one who is left goes back to waiting."""
        for seat in seats:
            player = self.match.seats[seat]
            self.match.seats[seat] = None
            if player is not None and player.session is not None:
                self._effects.append(Dismiss(player.session, CloseCode.NORMAL, why))
        if all(player.stored for _, player in self.match.players()):
            self._close("everyone left")
            return
        self.match.break_off()
        self._go("waiting")
        self._await_offer()
        self._publish()

    # A series and its rounds.

    def _open_series(self) -> None:
        self.offer, self.offer_due = None, math.inf
        self.match.open_series()
        self._go("building")

    def _submit(self, by: SessionId | None, board: dict[str, object]) -> None:
        _, player = self.match.player(by)
        is_first = player.board is None
        self.match.submit(by, board)
        if is_first or player.session is None:
            self._publish()
        else:  # nobody else sees a difference
            self._effects.append(ToSession(player.session, RoomUpdate(room=self.state())))

    def _ready(self, by: SessionId | None, nonce: str) -> None:
        if not self.match.ready(by, nonce):
            self._publish()
            return
        terms = self.match.begin()
        self._go("battle")
        self._publish()
        self._effects.append(StartBattle(terms))

    def _forfeit(self, by: SessionId | None) -> None:
        seat, _ = self.match.player(by)
        if self._stopping:
            raise Refusal(ErrorCode.WRONG_PHASE)
        self._stop(OTHER[seat], "forfeit")

    def _stop(self, winner: Seat | None, reason: Literal["forfeit", "void"]) -> None:
        if not self._stopping:
            self._stopping = True
            self._effects.append(StopBattle(winner, reason))

    def _ended(self, ended: Ended) -> None:
        self._effects.append(ToRoom(self.match.end(ended)))
        self._stopping = False
        if ended.reason != "void":  # a board that made a battle fail must not make others fail
            self._effects.extend(self.match.fought_with())
        if leaving := [seat for seat, player in self.match.players() if player.leaving]:
            self._vacate(leaving, "left")
        elif self.match.is_decided():
            for player in self.match.both():
                player.unready()
            self._go("over")
            self._publish()
        else:
            self.match.open_round()
            self._go("building")
            self._publish()

    def _rematch(self, by: SessionId | None) -> None:
        _, player = self.match.player(by)
        if player.rematch:
            return  # all have heard it
        player.rematch = True
        if all(one.rematch for one in self.match.both()):
            self._open_series()
        self._publish()

    def _accept(self, offer: str) -> None:
        if self.offer is None or self.offer.id != offer:
            raise Refusal(ErrorCode.NO_OFFER)
        self.match.sit(stored_player(self.offer))
        self._open_series()
        self._publish()

    # Deadlines.

    def _wake(self) -> None:
        """Does all that is due; what is not due yet stays as it is."""
        if self._census_due <= self._now:
            self._publish()
        if self.offer_due <= self._now:
            self._make_offer()
        if gone := [seat for due, seat in self._returns_due() if due <= self._now]:
            self._vacate(gone, "did not come back")
        elif self.phase_due <= self._now:
            self._phase_over()

    def _phase_over(self) -> None:
        if self.phase == "battle":
            self.phase_due = self._now + self._house.limits.battle_grace_seconds
            self._stop(None, "void")
        elif self.phase == "building":
            late = [seat for seat, player in self.match.players() if not player.nonce]
            self._vacate(late, "was not ready in time")
        else:
            over = self.phase == "over"
            self._close("the series is over" if over else "nothing happened for too long")

    def _await_offer(self) -> None:
        if self.options.quick:
            self.offer_due = self._now + self._house.limits.offer_seconds

    def _make_offer(self) -> None:
        self.offer_due = math.inf
        self.offer = self._house.stored()
        offer = self.offered()
        for _, player in self.match.players():
            if offer is not None and player.session is not None:
                self._effects.append(ToSession(player.session, offer))

    # What every change has in common.

    def _go(self, phase: RoomPhase) -> None:
        self.phase = phase
        self.phase_due = self._now + self._house.longest(phase, self.match.terms)

    def _publish(self) -> None:
        self.seq += 1
        self._census_due = math.inf
        self._told_away = tuple(
            seat for seat, player in self.match.players() if player.away_since is not None
        )
        self._effects.append(ToRoom(RoomUpdate(room=self.state())))

    def _close(self, why: str) -> None:
        self.phase = "closed"
        self._publish()
        self._effects.append(Close(Record(self.state(), self.opened, self._now, why)))


def _said(command: Command) -> str | None:
    """The type of a message, as it is on the wire."""
    return str(type(command).__struct_config__.tag) if isinstance(command, SAID) else None
