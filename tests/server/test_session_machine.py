"""Sessions against a simple model, first alone and then with whole connections: whoever holds the
right token is let back in as who they were, and nobody else changes anything.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Literal

import trio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from trio.testing import MockClock, wait_all_tasks_blocked

from protocol.messages import Error, Forfeit, Join, Leave, Resume, Token, Watch, Welcome
from server.limits import Limits
from server.sessions import Session, Sessions
from tests.server.visitors import Closed, Visitor, World, open_world

KEEP = 60.0
Role = Literal["player", "spectator"]


@dataclass
class Known:
    """What the model knows of a session."""

    session: Session
    tokens: list[Token] = field(default_factory=list)  # that open it
    lost_at: float | None = None
    ended: bool = False

    def opens(self, token: Token, now: float) -> bool:
        there = self.lost_at is None or now - self.lost_at <= KEEP
        return token in self.tokens and there and not self.ended


class SessionMachine(RuleBasedStateMachine):
    """Sessions are opened, lost, resumed and ended; each time, every token there was is tried."""

    @initialize()
    def start(self) -> None:
        numbers = itertools.count()
        self.minted: list[Token] = []

        def mint() -> Token:
            self.minted.append(Token(f"token-{next(numbers)}"))
            return self.minted[-1]

        self.sessions = Sessions(mint, KEEP)
        self.known: list[Known] = []
        self.now = 0.0

    @rule(role=st.sampled_from(["player", "spectator"]), attempts=st.booleans())
    def come(self, role: Role, attempts: bool) -> None:
        """By an attempt of their own making, too: it is as good as the first token."""
        known = Known(self.sessions.open(role, 7))
        if attempts:
            attempt = Token(f"attempt-{len(self.known)}")
            self.minted.append(attempt)
            known.tokens = [attempt, self.sessions.rotate(known.session, attempt)]
        else:
            known.tokens = [self.sessions.rotate(known.session)]
        self.known.append(known)

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def lose(self, data: st.DataObject) -> None:
        known = self.one(data)
        if known.lost_at is None:  # what is lost is not lost again
            self.sessions.lose(known.session, self.now)
            known.lost_at = self.now

    @precondition(lambda self: self.minted)
    @rule(data=st.data())
    def resume(self, data: st.DataObject) -> None:
        token = data.draw(st.sampled_from(self.minted))
        session = self.sessions.find(token, self.now)
        if session is None:
            return
        known = next(known for known in self.known if known.session is session)
        known.tokens = [token, self.sessions.rotate(session, token)]
        known.lost_at = None

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def settle(self, data: st.DataObject) -> None:
        known = self.one(data)
        token = data.draw(st.sampled_from(self.minted))
        self.sessions.settle(known.session, token)
        if known.tokens[-1:] == [token]:
            known.tokens = [token]

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def end(self, data: st.DataObject) -> None:
        known = self.one(data)
        self.sessions.end(known.session)
        known.ended = True

    @rule(seconds=st.sampled_from([1.0, 59.0, KEEP, 61.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    def one(self, data: st.DataObject) -> Known:
        return self.known[data.draw(st.integers(0, len(self.known) - 1))]

    @invariant()
    def every_token_opens_its_own_session_or_none(self) -> None:
        for token in self.minted:
            owner = next((known for known in self.known if known.opens(token, self.now)), None)
            assert self.sessions.find(token, self.now) is (owner.session if owner else None)
        assert self.sessions.find(Token("forged"), self.now) is None

    @invariant()
    def nothing_is_kept_of_those_who_have_gone(self) -> None:
        assert len(list(self.sessions)) <= sum(not known.ended for known in self.known)


TestSessionMachine = SessionMachine.TestCase
TestSessionMachine.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


# With whole connections.

WHAT = (
    *("watch", "drop", "leave", "wait"),
    *("resume", "resume cut", "resume first", "resume forged"),
)
Step = tuple[str, int]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(WHAT),
        st.integers(0, 5),
    ),
    max_size=25,
)


@dataclass
class Guest:
    """One who is in the room, over all their connections."""

    role: Role
    visitor: Visitor | None
    tokens: list[Token]  # all they were ever given
    good: set[Token]  # the newest, and the one it was got with until it has got through
    lost_at: float = 0.0
    gone: bool = False

    def may_return(self, token: Token) -> bool:
        kept = self.visitor is not None or trio.current_time() - self.lost_at <= KEEP
        return token in self.good and kept and not self.gone


@given(STEPS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_only_the_right_token_lets_somebody_back_in(steps: list[Step]) -> None:
    trio.run(play, steps, clock=MockClock(autojump_threshold=0))


async def play(steps: list[Step]) -> None:
    async with open_world(Limits(waiting_seconds=1e6, building_seconds=1e6)) as world:
        ada, bob = await world.pair()
        guests = [guest(ada, "player"), guest(bob, "player")]
        for what, number in steps:
            await take(world, ada.place, guests, what, guests[number % len(guests)])
            await wait_all_tasks_blocked()
            await check(world, ada.place, guests)


def guest(visitor: Visitor, role: Role) -> Guest:
    token = visitor.welcome.token
    return Guest(role, visitor, [token], {token})


async def take(world: World, place: str, guests: list[Guest], what: str, one: Guest) -> None:
    """One step, and what must come of it."""
    match what:
        case "watch":
            if any(other.role == "player" and not other.gone for other in guests):
                guests.append(guest(await world.watch(place), "spectator"))
        case "drop":
            if one.visitor is not None:
                await one.visitor.drop()
                one.visitor, one.lost_at = None, trio.current_time()
        case "leave":
            if one.visitor is not None:
                await one.visitor.say(Leave())
                assert await one.visitor.hear_end() == 1000
                one.visitor, one.gone = None, True
        case "wait":
            await trio.sleep(25)
        case "resume forged":
            await resume(world, place, one, Token("x" * 43))
        case "resume first":
            await resume(world, place, one, one.tokens[0])
        case "resume":
            await resume(world, place, one, one.tokens[-1])
        case "resume cut":
            await resume(world, place, one, one.tokens[-1], cut=True)


async def resume(world: World, place: str, one: Guest, token: Token, *, cut: bool = False) -> None:
    """Tries to come back; where it is `cut`, the connection breaks before the new token has been
    seen to get through."""
    back = world.visit(place)
    back.answers_pings = not cut
    good = one.may_return(token)
    await back.say(Resume(version=1, token=token))
    try:
        answer = await back.hear()
    except Closed:
        raise AssertionError("an answer comes first") from None
    if not good:
        assert isinstance(answer, Error)
        assert answer.code in ("bad_token", "no_such_room")
        await back.drop()
        return
    assert isinstance(answer, Welcome)
    assert answer.role == one.role
    if one.visitor is not None:
        assert await one.visitor.hear_end() == 4001
    one.tokens.append(answer.token)
    if cut:
        await back.drop()
        one.visitor, one.lost_at, one.good = None, trio.current_time(), {token, answer.token}
        return
    await wait_all_tasks_blocked()  # a ping comes after the welcome, and is answered
    assert (await back.refused(Forfeit())).code in ("wrong_phase", "not_a_player")
    one.visitor, one.good = back, {answer.token}


async def check(world: World, place: str, guests: list[Guest]) -> None:
    """The room sees those who are there, and as many sessions are kept as may come back."""
    players = [one for one in guests if one.role == "player"]
    now = trio.current_time()
    kept = [o for o in players if not o.gone and (o.visitor or now - o.lost_at < KEEP)]
    if not kept:
        for visitor in (one.visitor for one in guests if one.visitor):
            assert await visitor.hear_end() == 4002
        for one in guests:
            one.visitor, one.gone = None, True
        assert len(world.hall) == 0
        return
    room = world.hall.find(place).room.state()
    watching = sum(one.visitor is not None for one in guests if one.role == "spectator")
    assert room.spectators == watching
    seats = [seat for seat in (room.a, room.b) if seat is not None]
    present = sum(seat.present for seat in seats)
    assert present == sum(one.visitor is not None for one in players)
    assert len(seats) == len(kept)
    for one in players:  # the seat of one who stayed away is lost
        one.gone = one.gone or one not in kept


async def test_a_seat_that_was_lost_can_be_taken_by_another() -> None:
    """What the model above leaves out: a newcomer has nothing of who sat there before."""
    async with open_world(Limits(resume_seconds=0)) as world:
        ada, bob = await world.pair()
        token = bob.welcome.token
        await bob.drop()
        await ada.hear_phase("waiting")
        cid = world.visit(ada.place)
        await cid.say(Join(version=1, name="Cid"))
        assert (await cid.hear_until(Welcome)).seat == "b"
        answer = await (await world.resume(bob, token)).hear()
        assert isinstance(answer, Error)
        assert answer.code == "bad_token"
        await cid.say(Watch(version=1))
        assert (await cid.hear_until(Error)).code == "hello_once"
