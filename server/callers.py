"""Who has come, as far as limits go, and what each of them holds."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from protocol.codes import ErrorCode
from protocol.messages import Fault, RoomId
from server.commands import Refusal
from server.limits import Limits


class Caller(NamedTuple):
    """The address as it is counted, and the player that a ticket names."""

    address: str = ""
    player: str | None = None


class Makers:
    """Who has made which of the rooms that are open."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._makers: dict[RoomId, Caller] = {}
        self._of_address: Counter[str] = Counter()
        self._of_player: Counter[str] = Counter()

    def check(self, caller: Caller) -> None:
        """Raises `Refusal` where they have as many rooms as they may."""
        limits = self._limits
        if caller.player and self._of_player[caller.player] >= limits.rooms_per_player:
            _refuse(f"you have made {limits.rooms_per_player} that are still open")
        if self._of_address[caller.address] >= limits.rooms_per_address:
            _refuse(f"{limits.rooms_per_address} were made from your address and are still open")

    def add(self, room: RoomId, caller: Caller) -> None:
        self._makers[room] = caller
        self._of_address[caller.address] += 1
        if caller.player:
            self._of_player[caller.player] += 1

    def remove(self, room: RoomId) -> None:
        """The room has closed; its maker may not be known."""
        caller = self._makers.pop(room, None)
        if caller is None:
            return
        for counter, key in (
            (self._of_address, caller.address),
            (self._of_player, caller.player or ""),
        ):
            counter[key] -= 1
            if counter[key] <= 0:
                del counter[key]


def _refuse(sentence: str) -> None:
    raise Refusal(ErrorCode.TOO_MANY_ROOMS, Fault("", sentence))
