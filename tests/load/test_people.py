"""What simulated players say, and when: without a server, and without waiting."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import cast

import orjson
import pytest

from protocol.codec import decode_to_server, encode
from protocol.messages import (
    BattleId,
    Begin,
    Ready,
    Rematch,
    Result,
    RoomId,
    RoomPhase,
    RoomState,
    SeatState,
    SubmitBoard,
    Token,
    Welcome,
)
from server.load.client import World
from server.load.door import Door
from server.load.link import Address, Link
from server.load.loop import Loop
from server.load.people import Player, Rooms
from server.load.share import Wishes
from server.load.tally import Lags

ADDRESS = Address(family=2, place=("127.0.0.1", 1), host="127.0.0.1:1")


class Later:
    """A loop whose time passes when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0
        self._calls: list[Callable[[], None]] = []

    def after(self, _: float, call: Callable[[], None]) -> None:
        self._calls.append(call)

    def pass_by(self) -> None:
        calls, self._calls = self._calls, []
        for call in calls:
            call()


class Line:
    """A connection that keeps the kinds of what is said on it."""

    def __init__(self) -> None:
        self.said: list[type] = []

    def say(self, payload: bytes) -> None:
        self.said.append(type(decode_to_server(payload)))


def seat(*, ready: bool = False) -> SeatState:
    return SeatState(
        name="x",
        present=True,
        has_board=ready,
        ready=ready,
        wins=0,
        stored=False,
        rematch=False,
    )


def room(phase: RoomPhase, a: SeatState) -> RoomState:
    return RoomState(
        id=RoomId("r"),
        seq=1,
        phase=phase,
        private=False,
        speed=1,
        best_of=9,
        round=1,
        a=a,
        b=seat(),
        spectators=0,
        commitment=None,
        battle=None,
    )


class Scene:
    """One player, of seat a."""

    def __init__(self) -> None:
        self.loop = Later()
        wishes = Wishes(url="ws://127.0.0.1:1", rooms=1, spectators=0)
        world = World(wishes, ADDRESS, cast(Loop, self.loop), Door(), Random(1))
        self.player = Player(world, Rooms(lambda *_: None), 0, "a", Lags(), verify=False)

    def connect(self, state: RoomState) -> Line:
        """Another connection, whose welcome says this."""
        line = Line()
        self.player.link = cast(Link, line)
        self.player._welcome(
            Welcome(
                version=1,
                role="player",
                seat="a",
                token=Token("t"),
                resume_seconds=60,
                ticks_per_second=20,
                room=state,
            )
        )
        return line


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_what_is_asked_is_answered_once(scene: Scene) -> None:
    line = scene.connect(room("building", seat()))
    scene.player.room_is(room("building", seat()))
    scene.loop.pass_by()
    assert line.said == [SubmitBoard, Ready]


def test_a_battle_whose_result_is_told_again_is_counted_once(scene: Scene) -> None:
    for battle in ("r.1", "r.1", "r.2", "r.1"):
        scene.connect(room("battle", seat(ready=True)))
        result = Result(
            battle=BattleId(battle),
            round=1,
            winner="a",
            reason="elimination",
            tick=0,
            digest=None,
            secret="",
            nonces={},
            seed="",
            wins={},
        )
        scene.player._heard(encode(result))
    assert scene.player.world.tally.battles == 2


def test_a_battle_that_is_told_anew_has_no_gap_and_no_lag(scene: Scene) -> None:
    scene.connect(room("battle", seat(ready=True)))
    lags = scene.player._lags.of("r.1")
    begin = Begin(battle=BattleId("r.1"), round=1, speed=1, boards={}, commitment="")
    for scene.loop.now in (100.0, 200.0):
        scene.player._heard(encode(begin))
        for number in range(3):
            scene.player._heard(orjson.dumps(["tick", "r.1", number, number, []]))
        assert lags == {100_000: 1, 99_950: 1, 99_900: 1}
    assert not scene.player.world.tally.faults


def test_an_answer_that_was_due_on_a_lost_connection_is_not_given_on_the_next(scene: Scene) -> None:
    lost = scene.connect(room("building", seat()))
    line = scene.connect(room("battle", seat(ready=True)))  # the answer had come before
    scene.loop.pass_by()
    assert (lost.said, line.said) == ([], [])


def test_what_is_still_asked_is_answered_on_the_next_connection(scene: Scene) -> None:
    scene.connect(room("over", seat()))
    line = scene.connect(room("over", seat()))
    scene.loop.pass_by()
    assert line.said == [Rematch]
