"""A room: two seats, spectators, and rounds fought until a series is decided.

It decides and never waits: it is handed commands with the time, and gives back effects. It knows
no socket, no clock and no task; its chance and its store of opponents are handed in. Everything
about a command is checked before a field is touched, so that a refused one has changed nothing.

Every phase has a deadline, so that every room ends. `deadline` says when to hand in `Wake`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from engine import Board, Catalog, Refused, Rules, Setup, read_board
from protocol.codes import CloseCode, ErrorCode
from protocol.fairness import commitment, derive_seed
from protocol.messages import (
    Accept,
    BattleId,
    Fault,
    Forfeit,
    Leave,
    Offer,
    Ready,
    Rematch,
    Result,
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
    KeepBoard,
    Look,
    Reason,
    Record,
    Refusal,
    Refuse,
    SessionId,
    Shut,
    StartBattle,
    StopBattle,
    Stored,
    Terms,
    ToRoom,
    ToSession,
    Unlook,
    Wake,
)
from server.limits import Limits
from server.players import Player, is_decided, stored_player
from server.room_table import NEXT, illegal

SEATS: Final[tuple[Seat, Seat]] = ("a", "b")
OTHER: Final[dict[Seat, Seat]] = {"a": "b", "b": "a"}


@dataclass(frozen=True)
class House:
    """What all rooms of a server share: the rules, the limits, and where chance comes from."""

    rules: Rules
    catalog: Catalog
    limits: Limits
    secret: Callable[[], bytes]
    stored: Callable[[], Stored | None]
    tick_seconds: Callable[[int], float]  # of a room's speed


@dataclass(frozen=True)
class Options:
    """What the maker of a room asked for."""

    speed: Literal[1, 2, 4] = 1
    best_of: int = 3
    private: bool = False
    quick: bool = False  # made by quick match: offers a stored opponent to one who waits alone


class Room:
    """One room. `phase`, `seq`, `seats` and `spectators` are for reading only."""

    def __init__(self, room_id: RoomId, options: Options, house: House, now: float) -> None:
        self.id = room_id
        self.options = options
        self.phase: RoomPhase = "waiting"
        self.seq = 0
        self.seats: dict[Seat, Player | None] = {"a": None, "b": None}
        self.spectators: set[SessionId] = set()
        self.terms: Terms | None = None  # of the battle that runs, or of the last one
        self.offer: Stored | None = None
        self._house = house
        self._opened = self._now = now
        self._round = 1
        self._fought = 0  # rounds of this series
        self._secret: bytes | None = None  # of the round that is open
        self._stopping = False
        self._phase_due = now + house.limits.waiting_seconds
        self._offer_due: float | None = None
        self._census_due: float | None = None
        self._effects: list[Effect] = []

    # What may be asked of it.

    def state(self) -> RoomState:
        """The room as everyone in it may see it."""
        a, b = (player.state() if player else None for player in self.seats.values())
        return RoomState(
            id=self.id,
            seq=self.seq,
            phase=self.phase,
            private=self.options.private,
            speed=self.options.speed,
            best_of=self.options.best_of,
            round=self._round,
            a=a,
            b=b,
            spectators=len(self.spectators),
            commitment=None if self._secret is None else commitment(self._secret),
            battle=None if self.terms is None else self.terms.battle,
        )

    def seat_of(self, session: SessionId | None) -> Seat | None:
        for seat, player in self.seats.items():
            if player is not None and session is not None and player.session == session:
                return seat
        return None

    def board_of(self, seat: Seat | None) -> dict[str, object] | None:
        """The board that the holder of this seat sent: for their eyes alone."""
        player = self.seats[seat] if seat else None
        return player.board.to_object() if player is not None and player.board else None

    def offered(self) -> Offer | None:
        """The stored opponent that the one who waits is being offered."""
        return None if self.offer is None else Offer(offer=self.offer.id, name=self.offer.name)

    @property
    def deadline(self) -> float:
        """When to hand in `Wake` at the latest; infinity once the room is closed."""
        return min(self._deadlines(), default=float("inf"))

    def _deadlines(self) -> Iterator[float]:
        if self.phase == "closed":
            return
        yield self._phase_due
        if self._offer_due is not None:
            yield self._offer_due
        if self._census_due is not None:
            yield self._census_due
        if self.phase != "battle":  # a player who is away does not stop a battle
            yield from (due for due, _ in self._returns_due())

    def _returns_due(self) -> Iterator[tuple[float, Seat]]:
        for seat, player in self.seats.items():
            if player is not None and player.away_since is not None:
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
            re = type(command).__struct_config__.tag if isinstance(command, SAID) else None
            return [Refuse(refusal.error(self.seq, str(re) if re else None), refusal)]
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

    def _player(self, by: SessionId | None) -> tuple[Seat, Player]:
        seat = self.seat_of(by)
        player = self.seats[seat] if seat else None
        if seat is None or player is None:
            raise Refusal(ErrorCode.NOT_A_PLAYER)
        return seat, player

    def _both(self) -> tuple[Player, Player]:
        a, b = self.seats.values()
        if a is None or b is None:
            raise AssertionError(f"a seat is free in phase {self.phase}")
        return a, b

    # Coming and going.

    def _enter(self, by: SessionId | None, name: str) -> None:
        # Names are shown next to one another: nothing invisible, nothing that moves the cursor.
        if not name.isprintable() or name.strip() != name:
            raise Refusal(ErrorCode.BAD_NAME, Fault("name", "has characters that cannot be seen"))
        if by is None:
            raise AssertionError("a seat is taken by a session")
        free = next(seat for seat, player in self.seats.items() if player is None)
        self.seats[free] = Player(by, name)
        if all(self.seats.values()):
            self._open_series()
        elif self.options.quick:
            self._offer_due = self._now + self._house.limits.offer_seconds
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
        # A room update for each of ten thousand who come would go to each of ten thousand.
        if self._census_due is None:
            self._census_due = self._now + self._house.limits.census_seconds

    def _presence(self, by: SessionId | None, *, away: bool) -> None:
        _, player = self._player(by)
        player.away_since = self._now if away else None
        self._publish()

    def _leave(self, by: SessionId | None) -> None:
        seat, player = self._player(by)
        if self.phase == "battle":
            player.leaving = True
            self._stop(OTHER[seat], "forfeit")
        else:
            self._vacate(seat, "left")
            self._after_leaving()

    def _vacate(self, seat: Seat, why: str) -> None:
        player = self.seats[seat]
        self.seats[seat] = None
        if player is not None and player.session is not None:
            self._effects.append(Dismiss(player.session, CloseCode.NORMAL, why))

    def _after_leaving(self) -> None:
        """Goes back to waiting if a live player is left, whose series is over with it."""
        live = [player for player in self.seats.values() if player and not player.stored]
        if not live or self.phase == "waiting":
            self._close("everyone left")
            return
        for seat, player in self.seats.items():
            if player is not None and player.stored:
                self.seats[seat] = None
        for player in live:
            player.unready()
            player.new_series()
        self._secret = None
        self._go("waiting", self._house.limits.waiting_seconds)
        if self.options.quick:
            self._offer_due = self._now + self._house.limits.offer_seconds
        self._publish()

    # A series and its rounds.

    def _open_series(self) -> None:
        self.offer = self._offer_due = None
        self._fought = 0
        for player in self._both():
            player.new_series()
        self._open_round()

    def _open_round(self) -> None:
        """Fixes the round's secret; everyone learns its commitment before anyone's nonce."""
        if self.terms is not None:
            self._round = self.terms.round + 1
        self._secret = self._house.secret()
        for player in self._both():
            player.unready()
        self._go("building", self._house.limits.building_seconds)

    def _submit(self, by: SessionId | None, board: dict[str, object]) -> None:
        _, player = self._player(by)
        if player.nonce is not None:
            raise Refusal(ErrorCode.ALREADY_READY)
        player.board = self._legal(board)
        self._publish()

    def _legal(self, board: dict[str, object]) -> Board:
        try:
            return read_board(board, self._house.catalog, self._house.rules, "board")
        except Refused as refused:
            faults = (Fault(fault.path, fault.message) for fault in refused.faults)
            raise Refusal(ErrorCode.BOARD_REFUSED, *faults) from None

    def _ready(self, by: SessionId | None, nonce: str) -> None:
        _, player = self._player(by)
        if player.nonce is not None:
            raise Refusal(ErrorCode.ALREADY_READY)
        if player.board is None:
            raise Refusal(ErrorCode.NO_BOARD)
        player.nonce = nonce
        if all(one.nonce is not None for one in self._both()):
            self._begin()
        else:
            self._publish()

    def _begin(self) -> None:
        a, b = self._both()
        if not (a.board and b.board and a.nonce and b.nonce and self._secret):
            raise AssertionError("a battle begins without a board, a nonce or a secret")
        battle = BattleId(f"{self.id}.{self._round}")
        seed = derive_seed(self._secret, battle, a.nonce, b.nonce)
        rules = self._house.rules
        self.terms = Terms(
            battle=battle,
            round=self._round,
            speed=self.options.speed,
            setup=Setup(seed, rules, self._house.catalog, (a.board, b.board)),
            commitment=commitment(self._secret),
            secret=self._secret,
            nonces={"a": a.nonce, "b": b.nonce},
        )
        lasts = rules.time_limit * self._house.tick_seconds(self.options.speed)
        self._go("battle", lasts + self._house.limits.battle_grace_seconds)
        self._publish()
        self._effects.append(StartBattle(self.terms))

    def _forfeit(self, by: SessionId | None) -> None:
        seat, _ = self._player(by)
        if self._stopping:
            raise Refusal(ErrorCode.WRONG_PHASE)
        self._stop(OTHER[seat], "forfeit")

    def _stop(self, winner: Seat | None, reason: Literal["forfeit", "void"]) -> None:
        if not self._stopping:
            self._stopping = True
            self._effects.append(StopBattle(winner, reason))

    def _ended(self, ended: Ended) -> None:
        if self.terms is None or self.terms.battle != ended.battle:
            raise AssertionError(f"{ended.battle} ended, but it does not run")
        self._stopping = False
        self._fought += 1
        winner = self.seats[ended.winner] if ended.winner else None
        if winner is not None:
            winner.wins += 1
        self._effects.append(ToRoom(self._result(self.terms, ended)))
        self._keep_boards(ended.reason)
        self._go_on()

    def _result(self, terms: Terms, ended: Ended) -> Result:
        return Result(
            battle=ended.battle,
            round=terms.round,
            winner=ended.winner,
            reason=ended.reason,
            tick=max(ended.tick, 0),
            digest=ended.digest,
            secret=terms.secret.hex(),
            nonces=dict(terms.nonces),
            seed=terms.setup.seed,
            wins={seat: player.wins for seat, player in zip(SEATS, self._both(), strict=True)},
        )

    def _keep_boards(self, reason: Reason) -> None:
        if reason == "void":  # a board that made a battle fail must not make others fail
            return
        for player in self._both():
            if player.board is not None and not player.stored:
                self._effects.append(KeepBoard(player.name, player.board))

    def _go_on(self) -> None:
        """After a battle: the next round, or the end of the series, or of the room."""
        leaving = [seat for seat, player in self.seats.items() if player and player.leaving]
        for seat in leaving:
            self._vacate(seat, "left")
        if leaving:
            self._after_leaving()
            return
        if is_decided((player.wins for player in self._both()), self._fought, self.options.best_of):
            for player in self._both():
                player.unready()
            self._go("over", self._house.limits.over_seconds)
        else:
            self._open_round()
        self._publish()

    def _rematch(self, by: SessionId | None) -> None:
        _, player = self._player(by)
        player.rematch = True
        if all(one.rematch for one in self._both()):
            self._open_series()
        self._publish()

    def _accept(self, offer: str) -> None:
        if self.offer is None or self.offer.id != offer:
            raise Refusal(ErrorCode.NO_OFFER)
        free = next(seat for seat, player in self.seats.items() if player is None)
        self.seats[free] = stored_player(self.offer)
        self._open_series()
        self._publish()

    # Deadlines.

    def _wake(self) -> None:
        """Does all that is due; what is not due yet stays as it is."""
        if self._census_due is not None and self._census_due <= self._now:
            self._publish()
        if self._offer_due is not None and self._offer_due <= self._now:
            self._make_offer()
        if self.phase != "battle":
            gone = [seat for due, seat in self._returns_due() if due <= self._now]
            self._remove(gone, "did not come back")
        if self.phase != "closed" and self._phase_due <= self._now:
            self._phase_over()

    def _phase_over(self) -> None:
        if self.phase == "battle":
            self._phase_due = self._now + self._house.limits.battle_grace_seconds
            self._stop(None, "void")
        elif self.phase == "building":
            late = [seat for seat, player in self.seats.items() if player and not player.nonce]
            self._remove(late, "was not ready in time")
        else:
            self._close("nothing happened for too long")

    def _remove(self, seats: list[Seat], why: str) -> None:
        for seat in seats:
            self._vacate(seat, why)
        if seats:
            self._after_leaving()

    def _make_offer(self) -> None:
        self._offer_due = None
        self.offer = self._house.stored()
        offer = self.offered()
        for player in self.seats.values():
            if offer is not None and player is not None and player.session is not None:
                self._effects.append(ToSession(player.session, offer))

    # What every change has in common.

    def _go(self, phase: RoomPhase, seconds: float) -> None:
        self.phase = phase
        self._phase_due = self._now + seconds

    def _publish(self) -> None:
        self.seq += 1
        self._census_due = None
        self._effects.append(ToRoom(RoomUpdate(room=self.state())))

    def _close(self, why: str) -> None:
        self.phase = "closed"
        self._secret = None
        self._offer_due = self._census_due = None
        self._publish()
        self._effects.append(Close(Record(self.state(), self._opened, self._now, why)))


__all__ = ["NEXT", "SEATS", "House", "Options", "Room"]
