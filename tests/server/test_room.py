"""The room as a state machine, without a socket and without a clock."""

from __future__ import annotations

import random
from typing import get_args

import pytest

from protocol.codec import encode
from protocol.codes import ErrorCode
from protocol.fairness import check_result, commitment
from protocol.messages import (
    Accept,
    AnyToClient,
    BattleId,
    Forfeit,
    Leave,
    Offer,
    Ready,
    Rematch,
    Result,
    RoomPhase,
    RoomUpdate,
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
    KeepBoard,
    Look,
    Refuse,
    SessionId,
    StartBattle,
    StopBattle,
    ToRoom,
    ToSession,
    Unlook,
    Wake,
)
from server.limits import Limits
from server.room import Options
from server.room_table import NEXT
from tests.server.rooms import (
    ADA,
    BOB,
    EVE,
    NONCE,
    STORED,
    Play,
    board,
    ended,
    every_command,
    everything,
    house,
    in_phase,
    submit,
)

PHASES: tuple[RoomPhase, ...] = get_args(RoomPhase)


def messages(effects: list[Effect]) -> list[AnyToClient]:
    return [effect.message for effect in effects if isinstance(effect, (ToRoom, ToSession))]


def result_of(effects: list[Effect]) -> Result:
    (result,) = (message for message in messages(effects) if isinstance(message, Result))
    return result


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("index", range(len(every_command(in_phase("waiting").room))))
def test_every_pair_of_phase_and_command(phase: RoomPhase, index: int) -> None:
    """What has a row goes where the row says; what has none is refused and changes nothing."""
    play = in_phase(phase, quick=phase == "waiting")
    command, by = every_command(play.room)[index]
    legal = NEXT.get((phase, type(command)))
    if legal is None:
        refuse = play.refused(command, by)
        assert refuse.error.code in {"wrong_phase", "room_full", "no_such_room", "not_a_player"}
    else:
        play.do(command, by)
        assert play.room.phase in legal


def test_the_commands_walked_are_all_there_are() -> None:
    walked = {type(command) for command, _ in every_command(in_phase("waiting").room)}
    assert walked == set(get_args(Command))


def test_every_row_of_the_table_leads_somewhere_it_says() -> None:
    """Every phase that a row names is one that exists, and every phase but closed can be left."""
    assert {phase for phase, _ in NEXT} == set(PHASES) - {"closed"}
    assert {after for row in NEXT.values() for after in row} <= set(PHASES)


@pytest.mark.parametrize("phase", PHASES)
def test_a_spectator_says_nothing_that_counts(phase: RoomPhase) -> None:
    play = in_phase(phase)
    for command in (submit(0), Ready(NONCE), Forfeit(), Rematch(), Accept("x"), Leave()):
        assert play.refused(command, EVE).error.code == "not_a_player"


def test_the_refusal_names_what_was_refused() -> None:
    error = in_phase("waiting").refused(Forfeit(), ADA).error
    assert (error.code, error.re) == ("wrong_phase", "forfeit")


# Boards.


def test_a_board_is_answered_with_every_fault() -> None:
    play = in_phase("building")
    bad = SubmitBoard({"units": [{"cell": 9, "card": "no-such"}, {"cell": 1, "card": "no-such"}]})
    error = play.refused(bad, ADA).error
    assert error.code == "board_refused"
    assert {fault.path for fault in error.faults} == {
        "board.units[0].cell",
        "board.units[0].card",
        "board.units[1].card",
    }


def test_boards_are_secret_until_both_are_ready() -> None:
    play = Play()
    play.both_enter()
    play.do(submit(0), ADA)
    play.do(submit(1), BOB)
    play.do(Ready(NONCE), ADA)
    sent = b"".join(encode(message) for message in messages(play.effects))
    cards = {unit.card for number in (0, 1) for unit in board(number).units}
    assert cards
    assert not [card for card in cards if card.encode() in sent]
    assert NONCE.encode() not in sent


def test_the_room_is_told_of_the_battle_before_it_starts() -> None:
    """So that the update is in the feed before the battle's own begins."""
    play = Play()
    play.both_enter()
    for number, who in enumerate((ADA, BOB)):
        play.do(submit(number), who)
    play.do(Ready(NONCE), ADA)
    update, start = play.do(Ready(NONCE), BOB)
    assert isinstance(start, StartBattle)
    assert isinstance(update, ToRoom)
    assert isinstance(update.message, RoomUpdate)
    assert update.message.room.phase == "battle"


def test_a_board_stays_for_later_rounds() -> None:
    play = Play()
    play.both_enter()
    first = play.begin()
    play.end()
    play.do(Ready(NONCE), ADA)
    effects = play.do(Ready(NONCE), BOB)
    (start,) = (effect for effect in effects if isinstance(effect, StartBattle))
    assert start.terms.setup.boards == first.setup.boards
    assert (first.battle, start.terms.battle) == ("r.1", "r.2")


def test_ready_needs_a_board_and_is_said_once() -> None:
    play = Play()
    play.both_enter()
    assert play.refused(Ready(NONCE), ADA).error.code == ErrorCode.NO_BOARD
    play.do(submit(0), ADA)
    play.do(Ready(NONCE), ADA)
    assert play.refused(Ready(NONCE), ADA).error.code == ErrorCode.ALREADY_READY
    assert play.refused(submit(1), ADA).error.code == ErrorCode.ALREADY_READY


# Fairness.


def test_the_commitment_is_out_before_any_nonce_and_the_secret_after_the_battle() -> None:
    play = Play()
    play.both_enter()
    published = play.room.state().commitment
    assert published == commitment(bytes([1] * 32))
    terms = play.begin()
    before = b"".join(encode(message) for message in messages(play.effects))
    assert terms.secret.hex().encode() not in before
    assert terms.setup.seed.encode() not in before
    result = result_of(play.end())
    check_result(result, published, {"a": f"{NONCE}0", "b": f"{NONCE}1"})
    assert play.room.state().commitment == commitment(bytes([2] * 32))


# A series.


@pytest.mark.parametrize(
    ("best_of", "winners", "over_after"),
    [
        (1, "a", 1),
        (3, "aa", 2),
        (3, "aba", 3),
        (3, "abb", 3),
        (2, "ab", 2),
        (5, "ababa", 5),
        (3, "-a-", 3),
        (1, "-", 1),
    ],
)
def test_a_series_is_decided(best_of: int, winners: str, over_after: int) -> None:
    play = Play(Options(best_of=best_of))
    play.both_enter()
    for fought, winner in enumerate(winners, 1):
        assert play.room.phase == "building"
        play.begin()
        result = result_of(play.end(None if winner == "-" else winner))
        assert result.wins == {
            "a": winners[:fought].count("a"),
            "b": winners[:fought].count("b"),
        }
        assert (play.room.state().phase == "over") == (fought == over_after)


def test_a_rematch_takes_both_and_begins_anew() -> None:
    play = in_phase("over")
    play.do(Rematch(), ADA)
    assert play.room.phase == "over"
    play.do(Rematch(), BOB)
    state = play.room.state()
    assert (state.phase, state.round) == ("building", 2)
    assert state.a is not None
    assert (state.a.wins, state.a.rematch, state.a.has_board) == (0, False, True)
    assert play.begin().battle == "r.2"  # ids are not used twice


def test_a_rematch_counts_its_rounds_from_the_first() -> None:
    play = Play(Options(best_of=3))
    play.both_enter()
    for _ in range(2):
        play.begin()
        play.end("a")
    for who in (ADA, BOB):
        play.do(Rematch(), who)
    play.begin()
    play.end("b")
    assert play.room.phase == "building"


def test_a_forfeit_stops_the_battle_for_the_other() -> None:
    play = in_phase("battle")
    assert play.do(Forfeit(), ADA) == [StopBattle("b", "forfeit")]
    assert play.room.phase == "battle"
    assert play.refused(Forfeit(), BOB).error.code == "wrong_phase"
    assert play.room.match.terms is not None
    result = result_of(play.do(Ended(play.room.match.terms.battle, "b", "forfeit", 12, None)))
    assert (result.winner, result.reason, result.tick) == ("b", "forfeit", 12)
    assert (result.digest, result.wins) == (None, {"a": 0, "b": 1})


def test_every_battle_can_be_forfeited() -> None:
    play = Play(Options(best_of=9))
    play.both_enter()
    for number in (1, 2, 3):
        play.begin()
        assert play.do(Forfeit(), BOB) == [StopBattle("a", "forfeit")]
        play.do(Ended(BattleId(f"r.{number}"), "a", "forfeit", 5, None))


def test_who_leaves_in_a_battle_forfeits_it_and_is_gone() -> None:
    play = in_phase("battle")
    assert play.do(Leave(), ADA) == [StopBattle("b", "forfeit")]
    assert play.room.match.terms is not None
    effects = play.do(Ended(play.room.match.terms.battle, "b", "forfeit", 12, None))
    assert [effect.session for effect in effects if isinstance(effect, Dismiss)] == [ADA]
    state = play.room.state()
    assert (state.phase, state.a) == ("waiting", None)
    assert state.b is not None
    assert (state.b.name, state.b.wins) == ("Bob", 0)
    play.do(Enter("Cid"), SessionId("cid"))
    assert play.room.phase == "building"


def test_boards_that_fought_are_kept_but_not_those_of_a_void_battle() -> None:
    play = in_phase("battle")
    kept = [effect for effect in play.end() if isinstance(effect, KeepBoard)]
    assert kept == [KeepBoard("Ada", board(0)), KeepBoard("Bob", board(1))]
    play = in_phase("battle")
    assert play.room.match.terms is not None
    effects = play.do(Ended(play.room.match.terms.battle, None, "void", 3, None))
    assert not [effect for effect in effects if isinstance(effect, KeepBoard)]
    assert result_of(effects).reason == "void"


# Away and back.


def test_who_is_away_keeps_the_seat_for_the_resume_window() -> None:
    play = in_phase("building")
    play.do(Away(), ADA)
    assert play.room.deadline == play.now + Limits().resume_seconds
    play.now += Limits().resume_seconds - 1
    play.do(Wake())
    play.do(Back(), ADA)
    assert play.room.seat_of(ADA) == "a"
    play.do(Away(), ADA)
    play.wake()
    assert play.room.seat_of(ADA) is None
    assert play.room.phase == "waiting"


def test_a_battle_goes_on_without_its_players_and_then_they_are_gone() -> None:
    play = in_phase("battle")
    play.do(Away(), ADA)
    play.do(Away(), BOB)
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


@pytest.mark.parametrize("seed", range(60))
def test_random_play_keeps_the_rules_and_ends(seed: int) -> None:
    """Anything in any order: the table is kept, a refusal changes nothing, the number never goes
    back, and once all fall silent the room ends."""
    print("seed", seed)
    dice = random.Random(seed)
    play = Play(Options(best_of=dice.randint(1, 4), quick=dice.random() < 0.5))
    everyone = [ADA, BOB, EVE, SessionId("cid"), None]
    for _ in range(120):
        play.now += dice.choice((0, 0, 0.5, 3, 20))
        command, by = dice.choice(every_command(play.room)[:-1])
        if not isinstance(command, (Enter, Look, Unlook, Ended, Wake)):
            by = dice.choice(everyone[:4])
        if isinstance(command, Ended) and play.room.phase == "battle":
            command = ended(play.room, dice.choice(("a", "b", None)))
        before, seq = everything(play.room), play.room.seq
        effects = play.room.handle(command, by, play.now)
        if any(isinstance(effect, Refuse) for effect in effects):
            assert everything(play.room) == before
            assert len(effects) == 1
        assert play.room.seq >= seq
        updates = [m.room.seq for m in messages(effects) if isinstance(m, RoomUpdate)]
        assert updates == list(range(seq + 1, play.room.seq + 1))
    for _ in range(50):
        if play.room.phase == "battle" and play.room.match.terms is not None:
            play.end()
        elif play.room.phase != "closed":
            play.wake()
    assert play.room.phase == "closed"
