"""Who holds a seat, and how a series between two of them is decided."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine import Board
from protocol.messages import SeatState
from server.commands import SessionId, Stored


@dataclass
class Player:
    """The holder of a seat. `session` is None for a stored opponent, who is never asked anything:
    ready with the same board and nonce in every round, and up for any rematch."""

    session: SessionId | None
    name: str
    board: Board | None = None
    nonce: str | None = None  # said with `ready`; None until then
    wins: int = 0
    rematch: bool = False
    away_since: float | None = None
    leaving: bool = False  # goes for good as soon as the battle has been stopped

    @property
    def stored(self) -> bool:
        return self.session is None

    def unready(self) -> None:
        """A new round opens: a live player is asked anew."""
        if not self.stored:
            self.nonce = None

    def new_series(self) -> None:
        self.wins = 0
        self.rematch = self.stored

    def state(self) -> SeatState:
        """What everyone may know: not the board and not the nonce."""
        return SeatState(
            name=self.name,
            present=self.away_since is None,
            has_board=self.board is not None,
            ready=self.nonce is not None,
            wins=self.wins,
            stored=self.stored,
            rematch=self.rematch,
        )


def stored_player(stored: Stored) -> Player:
    return Player(None, stored.name, stored.board, stored.id, rematch=True)


def is_decided(wins: Iterable[int], fought: int, best_of: int) -> bool:
    """Whether a series is over: one has the majority, or all its rounds are fought.

    Draws and void battles are rounds too, so that every series ends.
    """
    return fought >= best_of or max(wins) * 2 > best_of
