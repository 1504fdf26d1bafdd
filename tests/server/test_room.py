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
    BattleId,
    Forfeit,
    Leave,
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
from server.house import Options
from server.limits import Limits
from server.room_table import NEXT
from tests.server.rooms import (
    ADA,
    BOB,
    EVE,
    NONCE,
    Play,
    board,
    ended,
    every_command,
    everything,
    in_phase,
    messages,
    submit,
)

PHASES: tuple[RoomPhase, ...] = get_args(RoomPhase)


def result_of(effects: list[Effect]) -> Result:
    (result,) = (message for message in messages(effects) if isinstance(message, Result))
    return result


def updates_of(effects: list[Effect], told: type[ToRoom] | type[ToSession]) -> list[int]:
    """The numbers of the updates that all are told, or one alone."""
    messages = [effect.message for effect in effects if isinstance(effect, told)]
    return [message.room.seq for message in messages if isinstance(message, RoomUpdate)]


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


def test_a_board_in_the_place_of_another_is_its_players_affair() -> None:
    """Nobody else sees a difference, and ten thousand may look on."""
    play = Play()
    play.both_enter()
    seq = play.room.seq
    assert updates_of(play.do(submit(0), ADA), ToRoom) == [seq + 1]
    (answer,) = play.do(submit(1), ADA)
    assert isinstance(answer, ToSession)
    assert (answer.to, updates_of([answer], ToSession)) == (ADA, [seq + 1])
    _, player = play.room.match.player(ADA)
    assert player.board == board(1)


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


def test_a_battle_that_never_began_ended_on_the_first_tick() -> None:
    play = in_phase("battle")
    assert play.room.match.terms is not None
    effects = play.do(Ended(play.room.match.terms.battle, None, "void", -1, None))
    assert result_of(effects).tick == 0


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
        assert updates_of(effects, ToRoom) == list(range(seq + 1, play.room.seq + 1))
        assert set(updates_of(effects, ToSession)) <= {seq}
    for _ in range(50):
        if play.room.phase == "battle" and play.room.match.terms is not None:
            play.end()
        elif play.room.phase != "closed":
            play.wake()
    assert play.room.phase == "closed"


def test_a_line_that_breaks_is_told_of_when_it_stays_broken() -> None:
    play = in_phase("building")
    seq = play.room.seq
    for _ in range(50):
        assert play.do(Away(), ADA) == []
        assert play.do(Back(), ADA) == []
    play.do(Away(), ADA)
    (gone,) = messages(play.wake())
    (back,) = messages(play.do(Back(), ADA))
    assert isinstance(gone, RoomUpdate)
    assert isinstance(back, RoomUpdate)
    assert [one.room.a and one.room.a.present for one in (gone, back)] == [False, True]
    assert play.now <= 1000 + 2 * Limits().census_seconds
    assert play.room.seq == seq + 2


def test_a_rematch_is_asked_for_once() -> None:
    play = in_phase("over")
    assert len(play.do(Rematch(), ADA)) == 1
    assert play.do(Rematch(), ADA) == []
