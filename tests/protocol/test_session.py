"""A client's decisions: every state and move, what is said first, when to try again or stop."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import get_args

import msgspec
import pytest

from engine import Battle
from protocol.codes import CloseCode, ErrorCode
from protocol.frames import writer_of
from protocol.messages import (
    Begin,
    Bye,
    Create,
    Error,
    Join,
    Position,
    Quick,
    Resume,
    RoomId,
    RoomState,
    RoomUpdate,
    TickFrame,
    Token,
    Watch,
    Welcome,
)
from protocol.mirror import Double, Gap, Torn
from protocol.session import (
    TRANSITIONS,
    UNANSWERED_SECONDS,
    Backoff,
    Ending,
    IllegalMove,
    Lost,
    Move,
    Session,
    State,
)

from .battles import BATTLE, frames_of, sample_setup

ROOM = RoomState(
    id=RoomId("k3f9x2"),
    seq=1,
    phase="battle",
    private=False,
    speed=1,
    best_of=3,
    round=1,
    a=None,
    b=None,
    spectators=0,
    commitment=None,
    battle=BATTLE,
)
BEGIN = Begin(battle=BATTLE, round=1, speed=1, boards={}, commitment="")


def welcome(name: str = "t0") -> Welcome:
    """The answer to a first message."""
    return Welcome(
        version=1,
        role="spectator",
        seat=None,
        token=Token(name),
        resume_seconds=60,
        ticks_per_second=20,
        room=ROOM,
    )


def joined() -> Session:
    """A spectator's session, in its room."""
    session = Session(Watch(version=1), RoomId("k3f9x2"))
    session.opened()
    session.received(welcome())
    return session


def in_state(state: State) -> Session:
    """A session that got to `state` by legal moves."""
    session = Session(Watch(version=1), RoomId("r"), patience_seconds=60)
    if state == "connecting":
        return session
    session.opened()
    if state == "greeting":
        return session
    session.received(welcome())
    if state == "away":
        session.lost(1006, "", 0)
    elif state == "ended":
        session.left()
    return session


DO = {
    "opened": lambda session: session.opened(),
    "welcomed": lambda session: session.received(welcome()),
    "lost": lambda session: session.lost(1006, "", 0),
    "closed": lambda session: session.lost(4001, "", 0),
    "retry": lambda session: session.retry(),
    "left": lambda session: session.left(),
}


@pytest.mark.parametrize(("state", "move"), list(product(get_args(State), sorted(DO))))
def test_every_state_and_move(state: State, move: Move) -> None:
    session = in_state(state)
    assert session.state == state
    if (state, move) in TRANSITIONS:
        DO[move](session)
        assert session.state == TRANSITIONS[state, move]
    elif state == "ended" and move in ("lost", "closed"):
        assert DO[move](session) == session.ending
    else:
        with pytest.raises(IllegalMove):
            DO[move](session)
        assert session.state == state


def test_the_table_speaks_of_known_states_and_moves_and_all_are_reached() -> None:
    assert {state for state, _ in TRANSITIONS} | {"ended"} == set(get_args(State))
    assert {move for _, move in TRANSITIONS} == set(get_args(Move))
    assert set(TRANSITIONS.values()) == set(get_args(State))


@pytest.mark.parametrize(
    ("first", "room", "path"),
    [
        (Create(version=1, name="Ada"), None, "/rooms/new"),
        (Quick(version=1, name="Ada"), None, "/rooms/quick"),
        (Join(version=1, name="Ada"), "k3f9x2", "/rooms/k3f9x2"),
        (Watch(version=1), "../api/rooms", "/rooms/..%2Fapi%2Frooms"),
    ],
)
def test_where_to_connect(first: Create, room: RoomId | None, path: str) -> None:
    session = Session(first, room)
    assert session.path() == path
    assert session.opened() is first
    session.received(welcome())
    if room is None:
        assert session.path() == "/rooms/k3f9x2"


def test_a_join_without_a_room_is_the_callers_mistake() -> None:
    with pytest.raises(ValueError, match="id of a room"):
        Session(Join(version=1, name="Ada")).path()


def test_a_resume_says_the_newest_token_and_what_was_seen_last() -> None:
    session = joined()
    session.received(BEGIN)
    writer = writer_of(Battle(sample_setup("red-kennel", "slow-kiln")), BATTLE)
    for frame in frames_of(writer.step()) + frames_of(writer.step()):
        session.received(frame)
    session.lost(1006, "", 0)
    session.retry()
    position = session.mirror.position
    assert position is not None
    assert position.tick == 1
    assert session.opened() == Resume(version=1, token=Token("t0"), last=position)
    session.received(welcome("t1"))
    for frame in frames_of(writer.step()):
        session.received(frame)
    session.lost(1006, "", 1)
    session.retry()
    again = session.opened()
    assert isinstance(again, Resume)
    assert again.token == "t1"
    assert again.last == session.mirror.position


def test_a_battle_that_is_told_anew_begins_anew_in_the_mirror() -> None:
    """As after a server's clock was set back: all of its frames come once more."""
    session = joined()
    writer = writer_of(Battle(sample_setup("red-kennel", "slow-kiln")), BATTLE)
    ticks = [frames_of(writer.step()) for _ in range(3)]
    for far in (3, 2):
        session.received(BEGIN)
        assert session.mirror.position == Position(battle=BATTLE)
        for frame in (frame for tick in ticks[:far] for frame in tick):
            session.received(frame)
        assert session.mirror.tick == ticks[far - 1][0].tick
    assert not session.troubles


def test_after_a_gap_the_rest_is_asked_for_and_after_a_wrong_frame_everything() -> None:
    session = joined()
    session.received(BEGIN)
    session.received(TickFrame(BATTLE, 0, 0, []))
    with pytest.raises(Gap):
        session.received(TickFrame(BATTLE, 2, 9, []))
    session.lost(1006, "", 0)
    session.retry()
    assert session.opened().last == Position(battle=BATTLE, tick=0)  # type: ignore[union-attr]
    session.received(welcome())
    with pytest.raises(Double):
        session.received(TickFrame(BATTLE, 0, 0, []))
    session.lost(1006, "", 1)
    session.retry()
    assert session.opened().last is None  # type: ignore[union-attr]


def test_delays_grow_by_chance_up_to_a_bound_and_begin_anew() -> None:
    backoff = Backoff(Random(1), first=1.0, most=4.0)
    delays = [backoff.next() for _ in range(6)]
    for delay, whole in zip(delays, (1, 2, 4, 4, 4, 4), strict=True):
        assert whole / 2 <= delay <= whole
    assert len(set(delays)) == 6
    backoff.reset()
    assert backoff.next(at_least=10) <= 11


def test_two_clients_cut_off_together_do_not_come_back_together() -> None:
    first, second = (Backoff(Random(seed)) for seed in (1, 2))
    assert [first.next() for _ in range(3)] != [second.next() for _ in range(3)]


def test_it_tries_for_as_long_as_the_server_keeps_the_session() -> None:
    session = joined()
    now = 100.0
    while isinstance(then := session.lost(1006, "refused", now), Lost):
        now += then.retry_seconds
        session.retry()
    assert then.how == "gave_up"
    assert 100 + 60 - 8 <= now <= 100 + 60


def test_without_patience_it_does_not_try_to_get_in_twice() -> None:
    session = Session(Quick(version=1, name="Ada"))
    assert session.lost(1006, "refused", 5) == Ending("gave_up", 1006, "refused")


def test_what_may_have_been_heard_is_said_again_without_patience() -> None:
    first = Quick(version=1, name="Ada", attempt="an-attempt-of-adas")
    session = Session(first)
    now = 5.0
    assert session.opened() == first
    while isinstance(then := session.lost(1006, "cut", now), Lost):
        now += then.retry_seconds
        session.retry()
        assert session.opened() == first
    assert then.how == "gave_up"
    assert 5 + UNANSWERED_SECONDS - 8 <= now <= 5 + UNANSWERED_SECONDS


@pytest.mark.parametrize("attempt", [None, "an-attempt-of-adas"])
def test_what_cannot_have_been_heard_or_not_be_said_again_is_not(attempt: str | None) -> None:
    session = Session(Quick(version=1, name="Ada", attempt=attempt))
    if attempt is None:
        session.opened()
    assert session.lost(1006, "refused", 5) == Ending("gave_up", 1006, "refused")


def test_a_welcome_makes_the_delays_short_again_unless_there_was_trouble() -> None:
    session = joined()
    for now in range(6):
        session.lost(1006, "", now)
        session.retry()
    session.opened()
    session.received(welcome())
    lost = session.lost(1006, "", 10)
    assert isinstance(lost, Lost)
    assert lost.retry_seconds <= 0.25
    for now in range(11, 16):
        session.retry()
        session.opened()
        session.received(welcome())
        with pytest.raises(Exception, match="a frame of"):
            session.received(TickFrame(BATTLE, 0, 0, []))
        lost = session.lost(1006, "", now)
    assert isinstance(lost, Lost)
    assert lost.retry_seconds > 1


def test_bye_says_how_long_to_wait_at_least() -> None:
    session = joined()
    session.received(Bye(code=1012, reason="restart", retry_seconds=5.0))
    lost = session.lost(1012, "restart", 0)
    assert isinstance(lost, Lost)
    assert 5 < lost.retry_seconds < 6


@pytest.mark.parametrize("code", sorted(CloseCode))
def test_what_follows_each_close_code(code: CloseCode) -> None:
    session = joined()
    then = session.lost(code, "why", 0)
    stops = isinstance(then, Ending)
    assert stops == (code in (1000, 1002, 1007, 1008, 1009, 4001, 4002, 4003))


def test_an_unknown_close_code_is_worth_a_try() -> None:
    assert isinstance(joined().lost(4999, "", 0), Lost)


def test_a_first_message_refused_ends_it() -> None:
    session = Session(Join(version=1, name="Ada"), RoomId("r"))
    session.opened()
    error = Error(code=ErrorCode.ROOM_FULL, message="full", seq=0)
    session.received(error)
    assert session.ending == Ending("refused", 1000, "full", error)


@pytest.mark.parametrize(
    ("code", "state"), [("bad_token", "ended"), ("draining", "greeting"), ("too_fast", "greeting")]
)
def test_a_resume_refused_for_now_is_tried_again(code: str, state: str) -> None:
    session = joined()
    session.lost(1006, "", 0)
    session.retry()
    session.opened()
    session.received(Error(code=code, message="", seq=0))
    assert session.state == state


@pytest.mark.parametrize(
    ("code", "attempt", "state"),
    [
        ("too_fast", "an-attempt-of-mine", "greeting"),
        ("too_fast", None, "ended"),
        ("draining", "an-attempt-of-mine", "ended"),
    ],
)
def test_a_first_message_that_came_too_fast_is_said_again_where_nothing_is_lost_by_it(
    code: str, attempt: str | None, state: str
) -> None:
    session = Session(Join(version=1, name="Ada", attempt=attempt), RoomId("r"))
    session.opened()
    session.received(Error(code=code, message="", seq=0))
    assert session.state == state


def test_an_error_in_the_room_changes_nothing() -> None:
    session = joined()
    session.received(Error(code="no_board", message="", seq=0))
    assert session.state == "joined"


def test_the_room_is_as_last_heard() -> None:
    session = joined()
    session.received(RoomUpdate(msgspec.structs.replace(ROOM, seq=2, phase="over")))
    assert session.room is not None
    assert (session.room.seq, session.room.phase) == (2, "over")


@pytest.mark.parametrize("units", [7, [{}], [{"card": 7}], [{"card": "x", "runes": 7}], [7]])
def test_a_battle_between_what_are_no_boards_does_not_fit(units: object) -> None:
    session = joined()
    with pytest.raises(Torn, match=r"^the boards of "):
        session.received(msgspec.structs.replace(BEGIN, boards={"a": {"units": units}}))
    assert session.mirror.battle is None
