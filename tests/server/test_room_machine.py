"""A room against a simple model: anybody says anything, in any order, at any time.

The model knows who sits where, what each has said, and which commands are to be taken. What the
room does beyond that it must do by its promises: they are the invariants.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from protocol.fairness import STOPPED, check_result, commitment
from protocol.messages import (
    Accept,
    Forfeit,
    Leave,
    Offer,
    Ready,
    Rematch,
    Result,
    RoomId,
    RoomUpdate,
    Seat,
    SubmitBoard,
)
from server.commands import (
    Away,
    Back,
    Close,
    Command,
    Dismiss,
    Effect,
    Ended,
    Enter,
    Look,
    Refuse,
    SessionId,
    StartBattle,
    StopBattle,
    Terms,
    ToRoom,
    ToSession,
    Unlook,
    Wake,
)
from server.house import Options
from server.limits import Limits
from server.names import fault_of, look_alike
from server.room import Room
from tests.server.rooms import everything, house, submit

LIMITS = Limits(spectators=2)
NAMES = st.sampled_from(["Ada", "Bob", "ada", "Аdа", "Ad\u200ba", "Bоb", " x", "Old Hand", "李"])  # noqa: RUF001
NONCES = st.sampled_from(["0123456789abcdef", "f" * 64])
STORED = "stored"


@dataclass
class Sitting:
    """One who holds a seat, as the model has it."""

    who: str  # a session, or STORED
    has_board: bool = False
    ready: bool = False
    away: bool = False
    leaving: bool = False
    rematch: bool = False

    def anew(self) -> None:
        """A round opens."""
        self.ready = self.rematch = self.who == STORED


class RoomMachine(RuleBasedStateMachine):
    """Rules are what can happen; each foretells whether the room takes it."""

    @initialize(
        quick=st.booleans(),
        best_of=st.sampled_from([1, 2, 3]),
        name=st.sampled_from(["Bob", "ada"]),
        steps=st.sampled_from([0, 1, 3, 4, 4, 5, 6]),
    )
    def open(self, quick: bool, best_of: int, name: str, steps: int) -> None:
        """A room that has come some of the way: chance alone seldom gets two to fight."""
        self.begin(quick, best_of)
        way = [
            partial(self.enter, name),
            *(partial(self.board, seat, 0, True) for seat in "ab"),
            *(partial(self.ready, seat, "0123456789abcdef") for seat in "ab"),
            partial(self.end, "a", "elimination"),
        ]
        for step in way[:steps]:
            step()

    def begin(self, quick: bool, best_of: int) -> None:
        self.now = 0.0
        self.options = Options(best_of=best_of, quick=quick)
        self.house = house(LIMITS)
        self.room = Room(RoomId("r"), self.options, self.house, self.now)
        self.seats: dict[Seat, Sitting | None] = {"a": None, "b": None}
        self.watching: set[SessionId] = set()
        self.phase = "waiting"
        self.offer: str | None = None
        self.terms: Terms | None = None
        self.stopping = False
        self.closed = False
        self.came = 0
        self.commitments: list[str] = []
        self.do(Enter("Ada"), self.newcomer(), taken=True)
        self.seats["a"] = Sitting("p1")

    # What can happen.

    @rule(name=NAMES)
    def enter(self, name: str) -> None:
        session = self.newcomer()
        free = [seat for seat, one in self.seats.items() if one is None]
        taken = self.phase == "waiting" and bool(free) and fault_of(name) is None
        self.do(Enter(name), session, taken=taken)
        if taken:
            self.seats[free[0]] = Sitting(session)
            if len(free) == 1:
                self.series()

    @rule()
    def look(self) -> None:
        session = self.newcomer()
        taken = not self.closed and len(self.watching) < LIMITS.spectators
        self.do(Look(), session, taken=taken)
        if taken:
            self.watching.add(session)

    @precondition(lambda self: self.watching)
    @rule()
    def unlook(self) -> None:
        session = min(self.watching)
        self.do(Unlook(), session, taken=not self.closed)
        if not self.closed:
            self.watching.remove(session)

    @rule(seat=st.sampled_from("ab"))
    def come_and_go(self, seat: Seat) -> None:
        one = self.seats[seat]
        if one is not None and one.who != STORED:
            one.away = not one.away
            self.do(Away() if one.away else Back(), SessionId(one.who), taken=not self.closed)

    @rule(
        seat=st.sampled_from("aabb-"),
        number=st.integers(0, 7),
        legal=st.sampled_from([True, True, False]),
    )
    def board(self, seat: str, number: int, legal: bool) -> None:
        one, who = self.speaker(seat)
        taken = one is not None and legal and self.phase in ("waiting", "building", "over")
        taken = taken and not one.ready if one else False
        self.do(submit(number) if legal else SubmitBoard({"units": 7}), who, taken=taken)
        if one is not None and taken:
            one.has_board = True

    @rule(seat=st.sampled_from("ab-"), nonce=NONCES)
    def ready(self, seat: str, nonce: str) -> None:
        one, who = self.speaker(seat)
        taken = one is not None and self.phase == "building" and one.has_board and not one.ready
        effects = self.do(Ready(nonce), who, taken=taken)
        if one is not None and taken:
            one.ready = True
        started = [effect.terms for effect in effects if isinstance(effect, StartBattle)]
        both = taken and all(other is not None and other.ready for other in self.seats.values())
        assert len(started) == both
        if started:
            (self.terms,) = started
            self.phase, self.stopping = "battle", False
            assert self.terms.commitment == self.commitments[-1]

    @rule(seat=st.sampled_from("ab-"))
    def forfeit(self, seat: str) -> None:
        one, who = self.speaker(seat)
        taken = one is not None and self.phase == "battle" and not self.stopping
        self.stops(self.do(Forfeit(), who, taken=taken), expected=taken)

    @rule(seat=st.sampled_from("ab-"))
    def rematch(self, seat: str) -> None:
        one, who = self.speaker(seat)
        taken = one is not None and self.phase == "over"
        self.do(Rematch(), who, taken=taken)
        if one is not None and taken:
            one.rematch = True
            if all(other is not None and other.rematch for other in self.seats.values()):
                self.series()

    @rule(seat=st.sampled_from("ab-"), right=st.booleans())
    def accept(self, seat: str, right: bool) -> None:
        one, who = self.speaker(seat)
        taken = one is not None and self.phase == "waiting" and right and self.offer is not None
        self.do(Accept(self.offer if right and self.offer else "x"), who, taken=taken)
        if taken:
            free = next(seat for seat, other in self.seats.items() if other is None)
            self.seats[free] = Sitting(STORED, has_board=True, ready=True, rematch=True)
            self.series()

    @rule(seat=st.sampled_from("ab-"))
    def leave(self, seat: str) -> None:
        one, who = self.speaker(seat)
        taken = one is not None and not self.closed
        fought = self.phase == "battle"
        effects = self.do(Leave(), who, taken=taken)
        if one is not None and taken and fought:
            one.leaving = True
            self.stops(effects, expected=not self.stopping)
        elif taken:
            self.follow(effects)

    @precondition(lambda self: self.phase == "battle")
    @rule(winner=st.sampled_from(["a", "b", None]))
    def battle_ends(self, winner: Seat | None) -> None:
        self.end(winner, "elimination" if winner else "timeout")

    @rule(seconds=st.sampled_from([0.0, 1.0, 5.0, 59.0, 61.0, 400.0]))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds
        if self.room.deadline <= self.now:
            self.wake()

    @rule()
    def deadline_comes(self) -> None:
        if self.room.deadline < math.inf:
            self.now = max(self.now, self.room.deadline)
            self.wake()

    # How the model follows.

    def newcomer(self) -> SessionId:
        self.came += 1
        return SessionId(f"p{self.came}")

    def speaker(self, seat: str) -> tuple[Sitting | None, SessionId]:
        """Who speaks: the holder of a seat, or one who holds none."""
        one = self.seats.get(seat)  # type: ignore[call-overload]
        if one is None or one.who == STORED:
            return None, SessionId("nobody")
        return one, SessionId(one.who)

    def do(self, command: Command, by: SessionId | None, *, taken: bool) -> list[Effect]:
        before, seq = everything(self.room), self.room.seq
        effects = self.room.handle(command, by, self.now)
        refused = any(isinstance(effect, Refuse) for effect in effects)
        assert refused is not taken, (command, effects)
        if refused:
            assert everything(self.room) == before
            assert len(effects) == 1
        updates = [
            e.message.room
            for e in effects
            if isinstance(e, ToRoom) and isinstance(e.message, RoomUpdate)
        ]
        assert [room.seq for room in updates] == list(range(seq + 1, self.room.seq + 1))
        self.closed = self.closed or any(isinstance(effect, Close) for effect in effects)
        for effect in effects:
            if isinstance(effect, ToSession) and isinstance(effect.message, Offer):
                self.offer = effect.message.offer
        return effects

    def series(self) -> None:
        """Both seats are held: a series begins."""
        self.phase, self.offer = "building", None
        for one in self.seats.values():
            assert one is not None
            one.anew()
        self.commits()

    def commits(self) -> None:
        """A round opens under a secret of its own."""
        new = self.room.state().commitment
        assert new is not None
        assert new not in self.commitments
        self.commitments.append(new)

    def stops(self, effects: list[Effect], *, expected: bool) -> None:
        """A battle that is told to stop hands in at once that it has."""
        stops = [effect for effect in effects if isinstance(effect, StopBattle)]
        assert len(stops) == expected
        if stops:
            self.stopping = True
            self.end(stops[0].winner, stops[0].reason)

    def end(self, winner: Seat | None, reason: str) -> None:
        assert self.terms is not None
        digest = None if reason in STOPPED else "d" * 32
        ended = Ended(self.terms.battle, winner, reason, 77, digest)  # type: ignore[arg-type]
        effects = self.do(ended, None, taken=True)
        (result,) = (
            e.message for e in effects if isinstance(e, ToRoom) and isinstance(e.message, Result)
        )
        check_result(result, self.terms.commitment)
        assert commitment(bytes.fromhex(result.secret)) == self.commitments[-1]
        self.phase = self.room.phase
        self.follow(effects)
        for one in self.seats.values():
            if one is not None and self.phase in ("building", "over"):
                one.ready, one.rematch = one.who == STORED, one.who == STORED
        if self.phase == "building":
            self.commits()

    def wake(self) -> None:
        away = {one.who for one in self.seats.values() if one and one.away}
        late = {one.who for one in self.seats.values() if one and not one.ready}
        in_battle = self.phase == "battle"
        effects = self.do(Wake(), None, taken=True)
        gone = {effect.session for effect in effects if isinstance(effect, Dismiss)}
        assert gone <= (set() if in_battle else away | late)
        stops = any(isinstance(effect, StopBattle) for effect in effects)
        self.stops(effects, expected=stops and in_battle)
        if not stops:
            self.follow(effects)

    def follow(self, effects: list[Effect]) -> None:
        """Those who were dismissed have lost their seat; the room goes on without them, or ends."""
        gone = {effect.session for effect in effects if isinstance(effect, Dismiss)}
        for seat, one in self.seats.items():
            if one is not None and one.who in gone:
                self.seats[seat] = None
        if self.closed:
            self.phase = "closed"
        elif gone:
            self.phase = "waiting"
            for seat, one in self.seats.items():
                if one is not None and one.who == STORED:
                    self.seats[seat] = None
                elif one is not None:
                    one.ready = one.rematch = False

    # What always holds.

    @invariant()
    def it_is_as_the_model_says(self) -> None:
        state = self.room.state()
        assert state.phase == self.phase
        assert state.spectators == len(self.watching)
        assert (self.room.deadline < math.inf) is not self.closed
        for seat, said in (("a", state.a), ("b", state.b)):
            one = self.seats[seat]  # type: ignore[index]
            if self.closed:
                continue
            assert (said is None) == (one is None), seat
            if said is not None and one is not None:
                assert (said.stored, said.present) == (one.who == STORED, not one.away)
                assert (said.has_board, said.ready) == (one.has_board, one.ready)

    @invariant()
    def the_names_look_different(self) -> None:
        state = self.room.state()
        if state.a is not None and state.b is not None:
            assert not look_alike(state.a.name, state.b.name)

    @invariant()
    def a_commitment_stands_while_a_round_does(self) -> None:
        if self.phase in ("building", "battle"):
            assert self.room.state().commitment == self.commitments[-1]


TestRoomMachine = RoomMachine.TestCase
TestRoomMachine.settings = settings(
    max_examples=50,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
