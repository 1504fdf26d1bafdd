"""Rooms in every phase, made without a server: who is in them and what they say."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Final

from engine import Board, Rules, base_catalog, read_board, sample_boards
from protocol.messages import (
    Accept,
    AnyToClient,
    Forfeit,
    Leave,
    Ready,
    Rematch,
    RoomId,
    RoomPhase,
    SubmitBoard,
)
from server.commands import (
    Away,
    Back,
    Command,
    Effect,
    Ended,
    Enter,
    Look,
    Refuse,
    SessionId,
    Shut,
    StartBattle,
    Stored,
    Terms,
    ToRoom,
    ToSession,
    Unlook,
    Wake,
)
from server.house import House, Options
from server.limits import Limits
from server.room import Room

ADA: Final = SessionId("ada")
BOB: Final = SessionId("bob")
EVE: Final = SessionId("eve")

NONCE: Final = "0123456789abcdef"
RULES: Final = Rules(scrip_budget=10_000)
BOARDS: Final = list(sample_boards().values())
STORED: Final = Stored("5" * 32, "Old Hand", read_board(BOARDS[2], base_catalog(), RULES))


class Secrets:
    """Secrets that can be foreseen: 32 bytes of 1, then of 2, and so on."""

    def __init__(self) -> None:
        self.made = 0

    def __call__(self) -> bytes:
        self.made += 1
        return bytes([self.made] * 32)


def house(limits: Limits | None = None, stored: Callable[[], Stored | None] | None = None) -> House:
    return House(
        rules=RULES,
        catalog=base_catalog(),
        limits=limits or Limits(),
        secret=Secrets(),
        stored=stored or (lambda: STORED),
        tick_seconds=lambda speed: 1 / (20 * speed),
    )


def board(number: int) -> Board:
    return read_board(BOARDS[number], base_catalog(), RULES)


def submit(number: int) -> SubmitBoard:
    return SubmitBoard(copy.deepcopy(BOARDS[number]))


class Play:
    """A room and the time, with everything that came of what it was told."""

    def __init__(self, options: Options | None = None, the_house: House | None = None) -> None:
        self.house = the_house or house()
        self.now = 1000.0
        self.room = Room(RoomId("r"), options or Options(), self.house, self.now)
        self.effects: list[Effect] = []

    def do(self, command: Command, by: SessionId | None = None) -> list[Effect]:
        """Hands in a command; it must not be refused."""
        effects = self.room.handle(command, by, self.now)
        assert not any(isinstance(effect, Refuse) for effect in effects), effects
        self.effects += effects
        return effects

    def refused(self, command: Command, by: SessionId | None = None) -> Refuse:
        """Hands in a command that must be refused and must change nothing."""
        before = everything(self.room)
        effects = self.room.handle(command, by, self.now)
        assert everything(self.room) == before
        (refuse,) = effects
        assert isinstance(refuse, Refuse)
        assert refuse.error.seq == self.room.seq
        assert refuse.error.message == refuse.refusal.code.meaning
        return refuse

    def wake(self) -> list[Effect]:
        """Lets the time go on to the room's next deadline."""
        self.now = max(self.now, self.room.deadline)
        return self.do(Wake())

    def both_enter(self) -> None:
        self.do(Enter("Ada"), ADA)
        self.do(Enter("Bob"), BOB)

    def begin(self) -> Terms:
        """From building into a battle."""
        for number, who in enumerate((ADA, BOB)):
            self.do(submit(number), who)
            effects = self.do(Ready(f"{NONCE}{number}"), who)
        (start,) = (effect for effect in effects if isinstance(effect, StartBattle))
        return start.terms

    def end(self, winner: str | None = "a") -> list[Effect]:
        return self.do(ended(self.room, winner))


def ended(room: Room, winner: str | None = "a") -> Ended:
    battle = room.match.terms.battle if room.match.terms else "r.1"
    seat = None if winner is None else ("a" if winner == "a" else "b")
    reason = "elimination" if winner else "timeout"
    return Ended(battle, seat, reason, 77, "d" * 32)  # type: ignore[arg-type]


def everything(room: Room) -> dict[str, object]:
    """All that a room holds and that may change, but the time it was last asked at."""
    held = {**vars(room), **vars(room.match)}
    fixed = ("_house", "_now", "_effects", "match", "rules", "_catalog", "_make_secret")
    return copy.deepcopy({name: value for name, value in held.items() if name not in fixed})


def in_phase(phase: RoomPhase, *, quick: bool = False) -> Play:
    """A room that has come to this phase in the ordinary way."""
    play = Play(Options(best_of=1, quick=quick))
    play.do(Enter("Ada"), ADA)
    play.do(Look(), EVE)
    if quick and phase == "waiting":
        play.now = play.room.deadline + 10
        play.do(Wake())
    if phase == "waiting":
        return play
    play.do(Enter("Bob"), BOB)
    if phase == "building":
        for number, who in enumerate((ADA, BOB)):
            play.do(submit(number), who)
        return play
    play.begin()
    if phase == "battle":
        return play
    play.end()
    if phase == "closed":
        play.do(Leave(), ADA)
        play.do(Leave(), BOB)
    assert play.room.phase == phase
    return play


def every_command(room: Room) -> list[tuple[Command, SessionId | None]]:
    """One of each kind, as right as it can be, with who would say it."""
    return [
        (Enter("Cid"), SessionId("cid")),
        (Look(), SessionId("fay")),
        (Unlook(), EVE),
        (Away(), ADA),
        (Back(), ADA),
        (submit(3), ADA),
        (Ready(NONCE), ADA),
        (Forfeit(), ADA),
        (Rematch(), ADA),
        (Accept(STORED.id), ADA),
        (Leave(), ADA),
        (ended(room), None),
        (Wake(), None),
        (Shut(), None),
    ]


def messages(effects: list[Effect]) -> list[AnyToClient]:
    """What the effects have the room and single sessions told."""
    return [effect.message for effect in effects if isinstance(effect, (ToRoom, ToSession))]
