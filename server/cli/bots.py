"""A pilot plays one board: told what a player is told, it says what a player would say next.

It waits for nothing and sends nothing, so a person's `play`, the bots of the demo and the tests
share it. Whoever drives it sends on what it says.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping

from protocol.codes import ErrorCode
from protocol.messages import (
    Error,
    PlayerMessage,
    Ready,
    Rematch,
    RoomState,
    RoomUpdate,
    Seat,
    SeatState,
    SubmitBoard,
    Welcome,
)
from protocol.session import Update


def fresh_nonce() -> str:
    """A nonce that nobody can foresee."""
    return secrets.token_urlsafe(24)


class Pilot:
    """Fights every round of a room; `boards` has the board of each, in their canonical form.

    `rematch`: whether to ask for another series when one is decided. A round is known by its
    commitment, which also is what the pilot said `ready` to: see `ready_to`.
    """

    def __init__(
        self,
        boards: Iterator[Mapping[str, object]],
        *,
        rematch: bool = False,
        nonce: Callable[[], str] = fresh_nonce,
    ) -> None:
        self.seat: Seat | None = None
        self.board: Mapping[str, object] = {}  # the one that fights
        self.ready_to: dict[str, str] = {}  # commitment to the nonce that was said to it
        self._boards = boards
        self._rematch = rematch
        self._nonce = nonce
        self._held: Mapping[str, object] | None = None  # what the server has, if it took it
        self._said: set[object] = set()
        self._room: RoomState | None = None  # as it was last heard of

    def hear(self, message: Update) -> list[PlayerMessage]:
        """What to say now; nothing twice, but for after a lost connection."""
        match message:
            case Welcome():
                self._said.clear()  # what was said last may have been lost
                self._held = message.board
                self.seat = message.seat
                return self._play(message.room)
            case RoomUpdate():
                return self._play(message.room)
            case Error(re="board"):
                self._held = None
            case Error(code=ErrorCode.TOO_FAST):
                self._said.clear()  # which of it was not looked at, it does not say
                self._held = None
        return []

    def again(self) -> list[PlayerMessage]:
        """What came too fast is to be said once more, after a while."""
        return self._play(self._room) if self._room is not None else []

    def _play(self, room: RoomState) -> list[PlayerMessage]:
        self._room = room
        me = room_seat(room, self.seat)
        if me is None:
            return []
        if room.phase == "building" and room.commitment is not None and not me.ready:
            return self._build(room.commitment, me)
        if room.phase == "over" and self._rematch and not me.rematch:
            return self._once(("rematch", room.battle), Rematch())
        return []

    def _build(self, commitment: str, me: SeatState) -> list[PlayerMessage]:
        """The board, where the server has another or none; then, when it has one, ready."""
        if commitment not in self.ready_to:
            self.ready_to[commitment] = self._nonce()
            self.board = next(self._boards)
        said: list[PlayerMessage] = []
        if self._held != self.board:
            said += self._once(("board", commitment), SubmitBoard(dict(self.board)))
            self._held = self.board
        if me.has_board:
            said += self._once(("ready", commitment), Ready(self.ready_to[commitment]))
        return said

    def _once(self, key: object, message: PlayerMessage) -> list[PlayerMessage]:
        if key in self._said:
            return []
        self._said.add(key)
        return [message]


def room_seat(room: RoomState, seat: Seat | None) -> SeatState | None:
    """Who holds a seat of the room."""
    return {"a": room.a, "b": room.b}.get(seat or "")
