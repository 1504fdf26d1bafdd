"""What two fight about: seats, boards, rounds, secrets and the score.

It knows no phases and no time: `server.room` says when, here is what. Everything that raises
`Refusal` does so before anything has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from engine import Board, Catalog, Refused, Rules, Setup, read_board
from protocol.codes import ErrorCode
from protocol.fairness import commitment, derive_seed
from protocol.messages import BattleId, Fault, Result, RoomId, Seat, Speed
from server.commands import Ended, KeepBoard, Refusal, SessionId, Terms
from server.names import apart
from server.players import Player, is_decided

OTHER: Final[dict[Seat, Seat]] = {"a": "b", "b": "a"}


class Match:
    """Two seats, and the series between those who hold them."""

    def __init__(
        self,
        room: RoomId,
        speed: Speed,
        best_of: int,
        rules: Rules,
        catalog: Catalog,
        secret: Callable[[], bytes],
    ) -> None:
        self.seats: dict[Seat, Player | None] = {"a": None, "b": None}
        self.terms: Terms | None = None  # of the battle that runs; of the last one, where kept
        self.round = 1
        self.begun = 0  # the number of the last round that came to a battle
        self.best_of = best_of
        self.rules = rules
        self._room = room
        self._speed = speed
        self._catalog = catalog
        self._make_secret = secret
        self.secret: bytes | None = None  # of the round that is open
        self.fought = 0  # rounds of this series

    # The seats.

    def seat_of(self, session: SessionId | None) -> Seat | None:
        for seat, player in self.seats.items():
            if player is not None and session is not None and player.session == session:
                return seat
        return None

    def player(self, session: SessionId | None) -> tuple[Seat, Player]:
        """Raises `Refusal` where the session holds no seat."""
        seat = self.seat_of(session)
        player = self.seats[seat] if seat else None
        if seat is None or player is None:
            raise Refusal(ErrorCode.NOT_A_PLAYER)
        return seat, player

    def players(self) -> Iterator[tuple[Seat, Player]]:
        """Those there are, stored opponents among them."""
        for seat, player in self.seats.items():
            if player is not None:
                yield seat, player

    def both(self) -> tuple[Player, Player]:
        """The players of both seats, which must be held."""
        a, b = self.seats.values()
        if a is None or b is None:
            raise AssertionError("a seat is free")
        return a, b

    def sit(self, player: Player) -> bool:
        """Gives the free seat to a player; whether both are held now."""
        free = next(seat for seat, holder in self.seats.items() if holder is None)
        other = self.seats[OTHER[free]]
        player.name = apart(player.name, free, other.name if other else None)
        self.seats[free] = player
        return all(self.seats.values())

    # Rounds.

    @property
    def battle(self) -> BattleId | None:
        """The battle that runs, or the last one. No other ever has its id."""
        return BattleId(f"{self._room}.{self.begun}") if self.begun else None

    @property
    def commitment(self) -> str | None:
        """The hash of the secret of the round that is open."""
        return None if self.secret is None else commitment(self.secret)

    def open_series(self) -> None:
        self.fought = 0
        for player in self.both():
            player.new_series()
        self.open_round()

    def open_round(self) -> None:
        """Fixes the round's secret: everyone learns its commitment before anyone's nonce."""
        self.round = self.begun + 1
        self.secret = self._make_secret()
        for player in self.both():
            player.unready()

    def break_off(self) -> None:
        """One has left, and the series goes with them."""
        self.secret = None
        for _, player in self.players():
            player.unready()
            player.new_series()

    def submit(self, by: SessionId | None, board: dict[str, object]) -> None:
        """The board to fight with from now on. Raises `Refusal`, with every fault."""
        _, player = self.player(by)
        if player.nonce is not None:
            raise Refusal(ErrorCode.ALREADY_READY)
        player.board = self._legal(board)

    def _legal(self, board: dict[str, object]) -> Board:
        try:
            return read_board(board, self._catalog, self.rules, "board")
        except Refused as refused:
            faults = [Fault(fault.path, fault.message) for fault in refused.faults]
            raise Refusal(ErrorCode.BOARD_REFUSED, *faults) from None

    def ready(self, by: SessionId | None, nonce: str) -> bool:
        """Whether both are ready now. Raises `Refusal`."""
        _, player = self.player(by)
        if player.nonce is not None:
            raise Refusal(ErrorCode.ALREADY_READY)
        if player.board is None:
            raise Refusal(ErrorCode.NO_BOARD)
        player.nonce = nonce
        return all(one.nonce is not None for one in self.both())

    def begin(self) -> Terms:
        """Settles the battle that both are ready for."""
        a, b = self.both()
        if not (a.board and b.board and a.nonce and b.nonce and self.secret):
            raise AssertionError("a battle begins without a board, a nonce or a secret")
        self.begun = self.round
        battle = BattleId(f"{self._room}.{self.begun}")
        seed = derive_seed(self.secret, battle, a.nonce, b.nonce)
        self.terms = Terms(
            battle=battle,
            round=self.round,
            speed=self._speed,
            setup=Setup(seed, self.rules, self._catalog, (a.board, b.board)),
            commitment=commitment(self.secret),
            secret=self.secret,
            nonces={"a": a.nonce, "b": b.nonce},
            players={"a": a.name, "b": b.name},
        )
        return self.terms

    def end(self, ended: Ended) -> Result:
        """Counts a battle that has ended, and gives everything about it away."""
        if self.terms is None or self.terms.battle != ended.battle:
            raise AssertionError(f"{ended.battle} ended, but it does not run")
        self.fought += 1
        winner = self.seats[ended.winner] if ended.winner else None
        if winner is not None:
            winner.wins += 1
        return Result(
            battle=ended.battle,
            round=self.terms.round,
            winner=ended.winner,
            reason=ended.reason,
            tick=max(ended.tick, 0),
            digest=ended.digest,
            secret=self.terms.secret.hex(),
            nonces=dict(self.terms.nonces),
            seed=self.terms.setup.seed,
            wins={seat: player.wins for seat, player in self.players()},
        )

    def fought_with(self) -> Iterator[KeepBoard]:
        """The boards of live players: a stored one is kept already."""
        for _, player in self.players():
            if player.board is not None and not player.stored:
                yield KeepBoard(player.name, player.board)

    def is_decided(self) -> bool:
        """Whether the series is over."""
        return is_decided((player.wins for player in self.both()), self.fought, self.best_of)
