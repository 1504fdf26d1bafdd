"""Records for tests: one of each, as a server would write them."""

from __future__ import annotations

from protocol.messages import BattleId, Result, RoomId, RoomState, SeatState
from server.commands import SessionId
from server.journal.records import (
    BoardRecord,
    ClosedRecord,
    EndingRecord,
    MakerRecord,
    PlayerRecord,
    RoomRecord,
    RoundRecord,
    SessionRecord,
)

ROOM = RoomId("r")
BATTLE = BattleId("r.1")


def seat(name: str) -> SeatState:
    return SeatState(
        name=name, present=True, has_board=True, ready=True, wins=0, stored=False, rematch=False
    )


def state(room: RoomId = ROOM) -> RoomState:
    return RoomState(
        id=room,
        seq=7,
        phase="battle",
        private=False,
        speed=1,
        best_of=3,
        round=1,
        a=seat("Ada"),
        b=seat("Bob"),
        spectators=0,
        commitment="c" * 64,
        battle=BATTLE,
    )


def room(room_id: RoomId = ROOM, opened: float = 1000.0) -> RoomRecord:
    return RoomRecord(
        id=room_id,
        phase="building",
        seq=7,
        round=1,
        fought=0,
        opened=opened,
        phase_due=1070.0,
        key="four candles",
        maker=MakerRecord(address="1.1.1.1", player="ada"),
        a=PlayerRecord(name="Ada", session=SessionId("p1"), board={"units": []}, nonce="n" * 16),
        b=PlayerRecord(name="Old Hand", nonce="5" * 32, rematch=True),
        secret="00" * 32,
        battle=BATTLE,
    )


def session(number: int = 1) -> SessionRecord:
    return SessionRecord(
        room=ROOM, id=SessionId(f"p{number}"), role="player", mask=7, keys=["ab" * 32]
    )


def fight(battle: BattleId = BATTLE, number: int = 1, *, private: bool = False) -> RoundRecord:
    return RoundRecord(
        battle=battle,
        room=ROOM,
        round=number,
        speed=1,
        private=private,
        names={"a": "Ada", "b": "Bob"},
        boards={"a": {"units": []}, "b": {"units": []}},
        rules={"time_limit": 1200},
        commitment="c" * 64,
        secret="00" * 32,
        nonces={"a": "n" * 16, "b": "m" * 16},
        seed="5eed",
        engine="1",
        catalog="cafe",
        started=1010.0,
        opening=state(),
    )


def ending(battle: BattleId = BATTLE, ended: float = 1020.0) -> EndingRecord:
    result = Result(
        battle=battle,
        round=1,
        winner="a",
        reason="elimination",
        tick=77,
        digest="d" * 32,
        secret="00" * 32,
        nonces={"a": "n" * 16, "b": "m" * 16},
        seed="5eed",
        wins={"a": 1, "b": 0},
    )
    return EndingRecord(result=result, ended=ended, tick=77)


def board(number: int) -> BoardRecord:
    return BoardRecord(id=f"board-{number}", name="Ada", board={"units": [{"cell": number}]})


def closed(number: int) -> ClosedRecord:
    return ClosedRecord(state=state(RoomId(f"r{number}")), opened=1, closed=2, why="everyone left")
