"""A room as time passes: who is away, who waits too long, who is offered an opponent."""

from __future__ import annotations

import pytest

from protocol.messages import (
    Accept,
    Leave,
    Offer,
    Ready,
    Rematch,
    RoomPhase,
    RoomUpdate,
)
from server.commands import (
    Away,
    Back,
    Close,
    Dismiss,
    Effect,
    Enter,
    KeepBoard,
    Look,
    SessionId,
    StartBattle,
    StopBattle,
    ToSession,
    Unlook,
    Wake,
)
from server.house import Options
from server.limits import Limits
from tests.server.rooms import (
    ADA,
    BOB,
    NONCE,
    STORED,
    Play,
    board,
    house,
    in_phase,
    messages,
    submit,
)


def test_who_is_away_keeps_the_seat_for_the_resume_window() -> None:
    play = in_phase("building")
    play.do(Away(), ADA)
    gone = play.now
    play.wake()  # everyone is told
    assert play.room.deadline == gone + Limits().resume_seconds
    play.now = play.room.deadline - 1
    play.do(Wake())
    play.do(Back(), ADA)
    assert play.room.seat_of(ADA) == "a"
    play.do(Away(), ADA)
    play.wake()
    play.wake()
    assert play.room.seat_of(ADA) is None
    assert play.room.phase == "waiting"


def test_a_battle_goes_on_without_its_players_and_then_they_are_gone() -> None:
    play = in_phase("battle")
    play.do(Away(), ADA)
    play.do(Away(), BOB)
    play.wake()  # everyone is told
    play.now += Limits().resume_seconds + 5
    assert play.room.deadline > play.now
    play.do(Wake())
    assert play.room.phase == "battle"
    play.end()
    assert play.room.deadline <= play.now
    play.do(Wake())
    assert play.room.state().phase == "closed"


def test_the_one_who_was_not_ready_in_time_loses_the_seat() -> None:
    play = in_phase("building")
    play.do(Ready(NONCE), BOB)
    effects = play.wake()
    (dismissed,) = (effect for effect in effects if isinstance(effect, Dismiss))
    assert (dismissed.session, dismissed.why) == (ADA, "was not ready in time")
    state = play.room.state()
    assert (state.phase, state.commitment) == ("waiting", None)
    assert state.b is not None
    assert not state.b.ready


def test_a_battle_past_its_time_is_stopped_as_void() -> None:
    play = in_phase("battle")
    while not (stops := [e for e in play.wake() if isinstance(e, StopBattle)]):
        pass
    assert stops == [StopBattle(None, "void")]
    assert play.now >= 1000 + 1200 / 20 + Limits().battle_grace_seconds


def test_a_room_says_why_it_closes() -> None:
    whys = {"waiting": "nothing happened for too long", "over": "the series is over"}
    for phase, why in whys.items():
        play = in_phase(phase)  # type: ignore[arg-type]
        while play.room.phase != "closed":
            effects = play.wake()
        (closed,) = (effect for effect in effects if isinstance(effect, Close))
        assert closed.record.why == why


# Spectators, names, offers.


def test_the_room_tells_of_spectators_once_a_second_at_most() -> None:
    play = in_phase("waiting")
    play.wake()  # Eve is told of
    seq = play.room.seq
    for number in range(100):
        assert not play.do(Look(), SessionId(f"s{number}"))
    play.do(Unlook(), SessionId("s3"))
    assert play.room.deadline == play.now + Limits().census_seconds
    (update,) = messages(play.wake())
    assert isinstance(update, RoomUpdate)
    assert update.room.spectators == 100  # Eve is one of them
    assert play.room.seq == seq + 1


def test_the_first_who_comes_is_told_of_a_second_later_whoever_comes_after() -> None:
    play = in_phase("waiting")
    play.wake()  # Eve is told of
    first = play.now
    for number in range(5):
        play.do(Look(), SessionId(f"s{number}"))
        assert play.room.deadline == first + Limits().census_seconds
        play.now += 0.15


def test_spectators_are_told_of_in_a_battle_too() -> None:
    play = in_phase("battle")
    play.do(Look(), SessionId("s1"))
    assert play.room.deadline == play.now + Limits().census_seconds
    (update,) = messages(play.wake())
    assert isinstance(update, RoomUpdate)
    assert (update.room.phase, update.room.spectators) == ("battle", 2)  # Eve is one of them


def test_no_more_spectators_than_the_limit() -> None:
    play = Play(the_house=house(Limits(spectators=2)))
    play.do(Look(), SessionId("s1"))
    play.do(Look(), SessionId("s2"))
    assert play.refused(Look(), SessionId("s3")).error.code == "spectators_full"
    play.do(Unlook(), SessionId("s1"))
    play.do(Look(), SessionId("s3"))


@pytest.mark.parametrize("name", ["a\nb", " a", "a ", "\x1b[2J", "a\u202eb", "\u200b"])
def test_a_name_that_cannot_be_shown_is_refused(name: str) -> None:
    assert Play().refused(Enter(name), ADA).error.code == "bad_name"


def test_one_who_waits_alone_is_offered_a_stored_opponent() -> None:
    play = Play(Options(quick=True))
    play.do(Enter("Ada"), ADA)
    assert play.refused(Accept(STORED.id), ADA).error.code == "no_offer"
    assert play.room.deadline == play.now + Limits().offer_seconds
    assert play.wake() == [ToSession(ADA, Offer(offer=STORED.id, name="Old Hand"))]
    assert play.refused(Accept("another"), ADA).error.code == "no_offer"
    play.do(Accept(STORED.id), ADA)
    state = play.room.state()
    assert state.b is not None
    assert (state.phase, state.b.stored, state.b.ready) == ("building", True, True)
    play.do(submit(0), ADA)
    effects = play.do(Ready(NONCE), ADA)
    (start,) = (effect for effect in effects if isinstance(effect, StartBattle))
    assert start.terms.nonces == {"a": NONCE, "b": STORED.id}
    assert start.terms.setup.boards[1] == STORED.board
    kept = [effect for effect in play.end() if isinstance(effect, KeepBoard)]
    assert kept == [KeepBoard("Ada", board(0))]  # its owner's is kept already


def test_a_stored_opponent_is_up_for_every_round_and_rematch() -> None:
    play = Play(Options(quick=True, best_of=1))
    play.do(Enter("Ada"), ADA)
    play.wake()
    play.do(Accept(STORED.id), ADA)
    play.do(submit(0), ADA)
    for _ in range(3):
        play.do(Ready(NONCE), ADA)
        play.end("b")
        assert play.room.phase == "over"
        play.do(Rematch(), ADA)
        assert play.room.state().phase == "building"
    play.do(Leave(), ADA)
    assert play.room.phase == "closed"


def test_a_live_opponent_ends_the_offer() -> None:
    play = in_phase("waiting", quick=True)
    assert play.room.offered() is not None
    play.do(Enter("Bob"), BOB)
    assert play.room.offered() is None
    assert play.refused(Accept(STORED.id), ADA).error.code == "wrong_phase"


def test_who_is_left_alone_again_is_offered_an_opponent_again() -> None:
    play = Play(Options(quick=True))
    play.both_enter()
    play.do(Leave(), ADA)
    play.now += Limits().offer_seconds
    assert ToSession(BOB, Offer(offer=STORED.id, name="Old Hand")) in play.do(Wake())
    play.do(Accept(STORED.id), BOB)
    state = play.room.state()
    assert state.a is not None
    assert (state.phase, state.a.stored) == ("building", True)


def test_a_room_that_is_not_of_the_queue_offers_nothing() -> None:
    play = Play()
    play.do(Enter("Ada"), ADA)
    play.now += 60
    assert play.do(Wake()) == []


# The end.


@pytest.mark.parametrize("phase", ["waiting", "building", "over"])
def test_every_room_in_which_nothing_is_said_ends(phase: RoomPhase) -> None:
    play = in_phase(phase)
    effects: list[Effect] = []
    while play.room.phase != "closed":
        effects = play.wake()
    (close,) = (effect for effect in effects if isinstance(effect, Close))
    assert close.record.closed - close.record.opened < 1000
    assert play.room.deadline == float("inf")
