"""What is said while a room is followed, and whether a result is said to be fair."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec
import pytest

from engine import Battle, Rules, Setup, base_catalog, read_board, sample_boards
from protocol.codes import CloseCode, ErrorCode
from protocol.fairness import commitment, derive_seed
from protocol.messages import (
    BattleId,
    Begin,
    Error,
    Result,
    RoomId,
    RoomState,
    RoomUpdate,
    SeatState,
    Token,
    Welcome,
)
from protocol.mirror import Mirror
from protocol.session import Lost
from server.cli.bots import Pilot
from server.cli.verdict import unfairness, verdict
from server.view.commentary import Commentary, farewell
from server.view.screen import MakeScene, PlainScreen
from server.view.show import Show

BATTLE = BattleId("k3f9x2.1")
SECRET = b"s" * 32
NONCES = {"a": "n" * 16, "b": "m" * 16}
BOARDS = [
    read_board(value, base_catalog(), Rules())
    for value in (sample_boards()["red-kennel"], sample_boards()["seven-vows"])
]
BEGIN = Begin(
    battle=BATTLE,
    round=1,
    speed=1,
    players={"a": "Ada", "b": "Bob"},
    boards={"a": BOARDS[0].to_object(), "b": BOARDS[1].to_object()},
    commitment=commitment(SECRET),
)


def fair_result() -> Result:
    seed = derive_seed(SECRET, BATTLE, NONCES["a"], NONCES["b"])
    fought = Battle(Setup(seed, Rules(), base_catalog(), (BOARDS[0], BOARDS[1])))
    while not fought.over:
        fought.step()
    found = fought.result
    assert found is not None
    return Result(
        battle=BATTLE,
        round=1,
        winner=found.winner,
        reason=found.reason,
        tick=found.tick,
        digest=found.digest,
        secret=SECRET.hex(),
        nonces=NONCES,  # type: ignore[arg-type]
        seed=seed,
        wins={"a": 1, "b": 0},
    )


RESULT = fair_result()

ADA = SeatState(
    name="Ada", present=True, has_board=True, ready=False, wins=0, stored=False, rematch=False
)
BOB = msgspec.structs.replace(ADA, name="Bob")
ROOM = RoomState(
    id=RoomId("k3f9x2"),
    seq=3,
    phase="building",
    private=False,
    speed=1,
    best_of=3,
    round=1,
    a=ADA,
    b=BOB,
    spectators=0,
    commitment=BEGIN.commitment,
    battle=None,
)


def pilot(**changes: Any) -> Pilot:
    """One who has said ready to this round, as player a."""
    one = Pilot(itertools.repeat(BEGIN.boards["a"]), nonce=lambda: NONCES["a"])
    one.hear(
        Welcome(
            version=1,
            role="player",
            seat="a",
            token=Token("t"),
            resume_seconds=60,
            ticks_per_second=20,
            room=ROOM,
        )
    )
    for name, value in changes.items():
        setattr(one, name, value)
    return one


def changed(**changes: object) -> Result:
    return msgspec.structs.replace(RESULT, **changes)


def test_a_fair_result() -> None:
    assert unfairness(BEGIN, RESULT, pilot()) == []
    assert verdict(BEGIN, RESULT) == (
        f"checked: commitment, seed, and fought again to the digest {RESULT.digest}"
    )


def test_a_result_without_a_digest_is_checked_for_its_seed() -> None:
    stopped = changed(digest=None, reason="forfeit", tick=100)
    assert verdict(BEGIN, stopped, pilot()) == "checked: commitment and seed"
    void = changed(digest=None, reason="void", winner=None)
    assert verdict(BEGIN, void, pilot()) == "checked: commitment and seed"


@pytest.mark.parametrize(
    ("result", "part"),
    [
        (changed(digest="0" * 32), "digest is 0"),
        (changed(winner=None), "winner is None"),
        (changed(secret="ff" * 32), "secret is not the one committed to"),
        (changed(seed="0"), "seed does not follow"),
    ],
)
def test_what_does_not_follow_is_named(result: Result, part: str) -> None:
    said = verdict(BEGIN, result, pilot())
    assert said.startswith("NOT FAIR: ")
    assert part in said


def test_a_beginning_that_was_not_seen() -> None:
    assert verdict(None, RESULT) == "not checked: its beginning was not seen"
    other = msgspec.structs.replace(BEGIN, battle=BattleId("k3f9x2.2"))
    assert verdict(other, RESULT) == "not checked: its beginning was not seen"


def test_what_the_pilot_said_must_have_counted() -> None:
    assert unfairness(BEGIN, RESULT, pilot(ready_to={})) == [
        "the commitment is not the one that ready was said to"
    ]
    assert unfairness(BEGIN, RESULT, pilot(board={"units": []})) == [
        "the board that fought is not the one that was sent"
    ]
    other_nonce = pilot(ready_to={BEGIN.commitment: "x" * 16})
    assert unfairness(BEGIN, RESULT, other_nonce) == ["nonces.a is not the one that was sent"]


class Kept(PlainScreen):
    """A screen that keeps what it is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.make: MakeScene | None = None

    def say(self, line: str) -> None:
        self.lines.append(line)

    def show(self, make: MakeScene) -> None:
        self.make = make

    def status(self) -> str:
        assert self.make is not None
        return self.make().status


def commentary() -> tuple[Commentary, Kept]:
    screen = Kept()
    mirror = Mirror()
    return Commentary(Show(lambda: mirror), screen), screen


def test_who_comes_and_who_goes() -> None:
    one, screen = commentary()
    for room in (
        msgspec.structs.replace(ROOM, b=None),
        ROOM,
        msgspec.structs.replace(ROOM, a=msgspec.structs.replace(ADA, wins=1)),
        msgspec.structs.replace(ROOM, a=None),
    ):
        one.hear(RoomUpdate(room))
    assert screen.lines == ["Ada takes seat a", "Bob takes seat b", "Ada leaves"]


def test_a_round_from_its_beginning_to_its_verdict() -> None:
    one, screen = commentary()
    one.status = "Ctrl-C to leave"
    one.hear(RoomUpdate(ROOM))
    screen.lines.clear()
    one.hear(BEGIN)
    one.hear(BEGIN)  # as one who comes back is told
    assert screen.status() == "Ctrl-C to leave"
    one.hear(RESULT)
    assert screen.lines[0] == "round 1: Ada against Bob"
    assert screen.lines[1].startswith("round 1 goes to ")
    assert screen.lines[2].startswith("  checked: ")
    assert len(screen.lines) == 3
    assert one.rounds == 1
    ended = f"{screen.lines[1]}; {screen.lines[2].strip()}"
    assert screen.status() == ended
    one.hear(BEGIN)  # all of it is told anew
    assert screen.status() == "Ctrl-C to leave"
    for _ in range(2):  # and the result is to whoever comes back
        one.hear(RESULT)
    assert (len(screen.lines), one.rounds, screen.status()) == (3, 1, ended)
    one.hear(msgspec.structs.replace(BEGIN, battle=BattleId("k3f9x2.2"), round=2))
    assert screen.status() == "Ctrl-C to leave"


def test_troubles_on_the_way() -> None:
    one, screen = commentary()
    one.hear(Lost(1006, "", 1.25))
    assert screen.lines == ["connection lost; trying again in 1.2 s"]
    assert screen.status() == screen.lines[0]
    one.hear(Error(code="wrong_phase", message="Not now.", seq=3))
    assert screen.lines[1:] == ["refused: Not now."]


def test_what_is_told_of_a_server_that_is_about_to_stop_refuses_nothing() -> None:
    one, screen = commentary()
    one.hear(Error(code=ErrorCode.DRAINING, message="It is about to stop.", seq=3))
    one.hear(Error(code=ErrorCode.DRAINING, message="It is about to stop.", seq=3, re="rematch"))
    one.hear(Error(code=ErrorCode.TOO_FAST, message="Too fast.", seq=3))
    assert screen.lines == [
        "It is about to stop.",
        "refused: It is about to stop.",
        "refused: Too fast.",
    ]


def test_every_way_a_connection_can_be_closed_has_a_sentence() -> None:
    assert farewell(CloseCode.REPLACED, "") == CloseCode.REPLACED.meaning
    assert farewell(4999, "so") == "The server closed the connection (4999: so)."
