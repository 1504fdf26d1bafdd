"""What is said of a room while it is followed: joins, rounds, results and whether they are fair.

Sits between a client's updates and a screen; decides the lines and waits for nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from protocol.codes import CloseCode, ErrorCode
from protocol.messages import SEATS, BattleId, Begin, Error, Result, RoomState, RoomUpdate, Welcome
from protocol.session import Lost, Trouble, Update
from server.cli.bots import Pilot, room_seat
from server.cli.verdict import verdict
from server.view.screen import Screen
from server.view.show import Show
from server.view.words import Told, seconds

Judge = Callable[[Begin | None, Result], str]


class Commentary:
    """Tells a screen what a client hears. `rounds` counts the battles whose result has come.

    `judge` says whether a result is what was promised; unless another is given, by the rules that
    there are here and by what `pilot` said.
    """

    def __init__(
        self,
        show: Show,
        screen: Screen,
        pilot: Pilot | None = None,
        judge: Judge | None = None,
    ) -> None:
        self.show = show
        self.screen = screen
        self._judge = judge or (lambda begin, result: verdict(begin, result, pilot))
        self.rounds = 0
        self.status = ""
        self._begin: Begin | None = None
        self._last = ""  # how the last round ended, until the next one begins
        self._heard: set[tuple[type, BattleId]] = set()

    def hear(self, update: Update) -> None:
        """Takes in an update, says what is to be said of it, and has the scene drawn."""
        before = self.show.room
        told = [] if isinstance(update, Lost | Trouble) else self.show.hear(update)
        for one in told:
            if one.major:
                self.screen.tell(_line(one))
        match update:
            case Welcome(room=room) | RoomUpdate(room=room):
                self._tell_arrivals(before, room)
            case Begin():
                self._hear_begin(update)
            case Result():
                self._hear_result(update)
            case Error(code=ErrorCode.DRAINING, re=None):  # nothing was said that it answers
                self.screen.tell(update.message)
            case Error():
                self.screen.tell(f"refused: {update.message}")
            case Lost():
                self.screen.tell(_lost(update))
            case Trouble():
                self.screen.tell(f"what came does not fit, asking anew: {update.error}")
        self.draw(_lost(update) if isinstance(update, Lost) else None)

    def draw(self, status: str | None = None) -> None:
        """Has the scene drawn, with this status or the usual one."""
        shown = self._last or self.status if status is None else status
        self.screen.show(lambda: self.show.scene(shown))

    def _tell_arrivals(self, before: RoomState | None, room: RoomState) -> None:
        for side in SEATS:
            old = room_seat(before, side) if before else None
            new = room_seat(room, side)
            if old and (new is None or new.name != old.name):
                self.screen.tell(f"{old.name} leaves")
            if new and (old is None or new.name != old.name):
                self.screen.tell(f"{new.name} takes seat {side}")

    def _hear_begin(self, begin: Begin) -> None:
        self._begin = begin
        self._last = ""
        if self._is_new(begin):
            a, b = (self.show.side(side) for side in SEATS)
            self.screen.say(f"round {begin.round}: {a} against {b}")

    def _hear_result(self, result: Result) -> None:
        lines = self.show.outcome(result), self._judge(self._begin, result)
        self._last = "; ".join(lines)
        if self._is_new(result):
            self.rounds += 1
            self.screen.say(lines[0])
            self.screen.say(f"  {lines[1]}")

    def _is_new(self, message: Begin | Result) -> bool:
        """Whether it is heard for the first time: who comes back may be told it again."""
        key = type(message), message.battle
        if key in self._heard:
            return False
        self._heard.add(key)
        return True


def farewell(code: int, reason: str) -> str:
    """Why a connection was closed for good, in a sentence."""
    other = f"The server closed the connection ({code}{': ' if reason else ''}{reason})."
    return next((known.meaning for known in CloseCode if known == code), other)


def _line(told: Told) -> str:
    return f"{seconds(max(told.tick, 0)):>7}  {told.text}"


def _lost(lost: Lost) -> str:
    return f"connection lost; trying again in {lost.retry_seconds:.1f} s"
