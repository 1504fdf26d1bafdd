"""What a client has been told, as scenes and lines; and what a pilot says to it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import msgspec
import pytest

from engine import Battle, Setup, base_catalog, field_names, read_battle, sample_boards
from protocol.codec import decode_to_client
from protocol.codes import ErrorCode
from protocol.frames import writer_of
from protocol.messages import (
    CHANNELS,
    SEATS,
    BattleId,
    Begin,
    Channel,
    Frame,
    Ready,
    Rematch,
    Result,
    RoomId,
    RoomState,
    RoomUpdate,
    Seat,
    SeatState,
    SubmitBoard,
    Token,
    Welcome,
)
from protocol.mirror import Mirror
from protocol.refusals import refuse
from server.cli.board import NamedBoard
from server.cli.bots import Pilot
from server.view.show import TOLD_KEPT, Show
from server.view.words import Told, tell, unit_names

BATTLE = BattleId("k3f9x2.1")
ADA = SeatState(
    name="Ada", present=True, has_board=False, ready=False, wins=1, stored=False, rematch=False
)
BOB = msgspec.structs.replace(ADA, name="Bob", wins=0)
ROOM = RoomState(
    id=RoomId("k3f9x2"),
    seq=3,
    phase="building",
    private=False,
    speed=2,
    best_of=3,
    round=2,
    a=ADA,
    b=BOB,
    spectators=4,
    commitment="c1",
    battle=None,
)
BOARDS = list(sample_boards())
PLAYERS: dict[Seat, str] = {"a": "Ada", "b": "Bob"}


def room(**changes: object) -> RoomState:
    return msgspec.structs.replace(ROOM, **changes)


def seat(**changes: object) -> SeatState:
    return msgspec.structs.replace(ADA, **changes)


def welcome(state: RoomState, board: dict[str, object] | None = None) -> Welcome:
    return Welcome(
        version=1,
        role="player",
        seat="a",
        token=Token("t"),
        resume_seconds=60,
        ticks_per_second=20,
        room=state,
        board=board,
    )


def setup(seed: str = "s") -> Setup:
    boards = sample_boards()
    sides = {"a": boards[BOARDS[0]], "b": boards[BOARDS[1]]}
    return read_battle({"seed": seed, "boards": sides}, base_catalog())


def begin(fought: Setup) -> Begin:
    boards = {seat: board.to_object() for seat, board in zip(SEATS, fought.boards, strict=True)}
    return Begin(battle=BATTLE, round=2, speed=2, players=PLAYERS, boards=boards, commitment="c1")


def frames(fought: Setup, *channels: Channel) -> Iterator[Frame]:
    writer = writer_of(Battle(fought), BATTLE)
    while not writer.over:
        fed = writer.step()
        for channel in channels:
            if data := fed.frames.get(channel):
                frame = decode_to_client(data)
                assert isinstance(frame, Frame)
                yield frame


def result(**changes: object) -> Result:
    plain = Result(
        battle=BATTLE,
        round=2,
        winner="a",
        reason="elimination",
        tick=344,
        digest="d",
        secret="s",
        nonces={"a": "n", "b": "m"},
        seed="s",
        wins={"a": 2, "b": 0},
    )
    return msgspec.structs.replace(plain, **changes)


def watch(show: Show, mirror: Mirror, fought: Setup, *channels: Channel) -> list[Told]:
    show.hear(RoomUpdate(room()))
    mirror.begin(BATTLE)
    told = show.hear(begin(fought))
    for frame in frames(fought, *channels):
        mirror.apply(frame)
        told += show.hear(frame)
    return told + show.hear(result())


def words_of_the_log(fought: Setup) -> list[Told]:
    battle, events = Battle(fought), []
    while not battle.over:
        events += battle.step()
    cards = {unit.id: unit.card for unit in battle.snapshot().units}
    names = unit_names(cards, {card.id: card.name for card in base_catalog().cards.values()})
    names |= {"a": "Ada", "b": "Bob"}
    return [
        told
        for event in events
        if (
            told := tell(
                event.tick,
                event.kind,
                dict(zip(field_names(event), event.values, strict=True)),
                names,
            )
        )
    ]


def without_ids(told: list[Told]) -> list[tuple[int, str]]:
    """A summoned unit may make a name ambiguous only from then on."""
    return [(one.tick, one.kind) for one in told]


def test_the_whole_log_is_told_in_its_order() -> None:
    fought = setup()
    mirror = Mirror()
    show = Show(lambda: mirror)
    told = watch(show, mirror, fought, *CHANNELS)
    expected = words_of_the_log(fought)
    assert without_ids(told) == without_ids(expected)
    assert told[0].text == expected[0].text
    assert told[-1].text == expected[-1].text
    assert len(told) > 50


def test_the_scene_has_the_mirrors_exact_units() -> None:
    fought = setup()
    mirror = Mirror()
    show = Show(lambda: mirror)
    watch(show, mirror, fought, *CHANNELS)
    battle = Battle(fought)
    while not battle.over:
        battle.step()
    scene = show.scene("over")
    assert tuple(scene.units) == battle.snapshot().units
    assert scene.tick == battle.tick
    assert scene.status == "over"
    assert scene.title == "room k3f9x2  round 2, best of 3  2x  4 watching"
    assert scene.players["a"].name == "Ada"
    assert scene.told[-1].kind == "battle_end"


def test_without_the_tick_channel_names_are_still_known() -> None:
    fought = setup()
    mirror = Mirror()
    show = Show(lambda: mirror)
    told = watch(show, mirror, fought, "revival", "vessel")
    assert {one.kind for one in told} <= {
        "line",
        "revival",
        "return_due",
        "fallback",
        "vessel_points",
        "vessel_spent",
    }
    assert told
    assert show.units() == ()
    first = base_catalog().cards[fought.boards[0].units[0].card].name
    assert show.scene().names["a0"].startswith(first)


def test_the_running_tick_is_in_the_scene_at_once_and_told_once() -> None:
    fought = setup()
    mirror = Mirror()
    show = Show(lambda: mirror)
    mirror.begin(BATTLE)
    show.hear(begin(fought))
    first = next(frames(fought, "tick"))
    mirror.apply(first)
    assert show.hear(first) == []
    assert show.scene().told[0].kind == "battle_start"
    assert show.hear(result())[0].kind == "battle_start"
    assert show.hear(result()) == []


def test_a_new_battle_begins_with_nothing_told() -> None:
    fought = setup()
    mirror = Mirror()
    show = Show(lambda: mirror)
    watch(show, mirror, fought, *CHANNELS)
    assert show.scene().told
    show.hear(msgspec.structs.replace(begin(fought), battle=BattleId("k3f9x2.2")))
    assert show.scene().told == []
    assert show.scene().tick == -1


def test_a_battle_that_is_told_anew_is_shown_anew_and_nothing_is_told_twice() -> None:
    fought = setup()
    all_frames = list(frames(fought, *CHANNELS))
    expected = watch(Show(Mirror), Mirror(), fought, *CHANNELS)
    for middle in (0, 1, len(all_frames) // 2, len(all_frames)):
        show, told = Show(Mirror), []
        for frame in (begin(fought), *all_frames[:middle], begin(fought)):
            told += show.hear(frame)
        assert (show.scene().told, show.scene().tick) == ([], -1)
        for frame in all_frames:
            told += show.hear(frame)
        assert told + show.hear(result()) == expected
        assert show.scene().told == expected[-TOLD_KEPT:]
        assert show.hear(result()) == []


def test_after_a_beginning_and_a_snapshot_what_follows_is_told() -> None:
    fought = setup()
    show = Show(Mirror)
    writer = writer_of(Battle(fought), BATTLE)
    while writer.maker.tick < 100:
        writer.step()
    all_frames = list(frames(fought, *CHANNELS))
    told = show.hear(begin(fought))
    for frame in all_frames:
        if frame.tick <= writer.maker.tick:
            told += show.hear(frame)
    show.hear(begin(fought))
    show.hear(writer.maker.snapshot())
    later = [told for f in all_frames if f.tick > writer.maker.tick for told in show.hear(f)]
    expected = watch(Show(Mirror), Mirror(), fought, *CHANNELS)
    past = [one for one in expected if one.tick < told[-1].tick]
    assert told[: len(past)] == past
    assert later == [o for o in expected if writer.maker.tick < o.tick < all_frames[-1].tick]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "round 2 goes to Ada by elimination after 17.2 s; 2 to 0"),
        (
            {"winner": None, "reason": "timeout"},
            "round 2 is a draw by timeout after 17.2 s; 2 to 0",
        ),
        (
            {"reason": "forfeit", "winner": "b"},
            "round 2 goes to Bob by forfeit after 17.2 s; 2 to 0",
        ),
        ({"winner": None, "reason": "void"}, "round 2 is void: the server failed at it"),
    ],
)
def test_outcomes(changes: dict[str, object], words: str) -> None:
    show = Show(Mirror)
    show.hear(RoomUpdate(room()))
    show.hear(begin(setup()))
    assert show.outcome(result(**changes)) == words


def test_a_battle_keeps_its_players_when_others_take_their_seats() -> None:
    fought = setup()
    mirror = Mirror()
    known = [NamedBoard("The Board", fought.boards[0].to_object())]
    show = Show(lambda: mirror, known)
    show.hear(RoomUpdate(room(a=seat(name="Eve"), b=None)))
    show.hear(begin(fought))
    assert show.side("a") == "Ada (The Board)"
    assert show.outcome(result()).startswith("round 2 goes to Ada by")
    assert show.outcome(result(winner="b")).startswith("round 2 goes to Bob by")
    players = show.scene().players
    assert (players["a"].name, players["a"].note) == ("Eve", "")  # it is not her board
    show.hear(RoomUpdate(room()))
    assert show.scene().players["a"].note == "The Board"


def test_a_battle_whose_players_are_not_told_has_sides() -> None:
    show = Show(Mirror)
    show.hear(RoomUpdate(room()))
    show.hear(msgspec.structs.replace(begin(setup()), players={}))
    assert show.outcome(result()).startswith("round 2 goes to side a by")


def test_notes_beside_the_players() -> None:
    show = Show(Mirror)
    show.hear(RoomUpdate(room(a=seat(ready=True, present=False), b=seat(ready=True, stored=True))))
    players = show.scene().players
    assert players["a"].note == "away"
    assert players["b"].note == "stored board"


BOARD: dict[str, object] = {"units": [{"cell": 0, "card": "bone-squire"}]}


def pilot(rematch: bool = False) -> Pilot:
    nonces = iter(["n" * 16, "m" * 16, "o" * 16])
    return Pilot(itertools.repeat(BOARD), rematch=rematch, nonce=lambda: next(nonces))


def test_a_pilot_sends_its_board_then_is_ready_and_says_nothing_twice() -> None:
    one = pilot()
    assert one.hear(welcome(room(phase="waiting", b=None, commitment=None))) == []
    assert one.hear(RoomUpdate(room())) == [SubmitBoard(BOARD)]
    assert one.hear(RoomUpdate(room(spectators=5))) == []
    held = room(a=seat(has_board=True))
    assert one.hear(RoomUpdate(held)) == [Ready("n" * 16)]
    assert one.hear(RoomUpdate(held)) == []
    assert one.board == BOARD
    assert one.ready_to == {"c1": "n" * 16}


def test_a_pilot_is_ready_for_the_next_round_with_another_nonce() -> None:
    one = pilot()
    one.hear(welcome(room(a=seat(has_board=True))))
    following = room(a=seat(has_board=True), commitment="c2")
    assert one.hear(RoomUpdate(following)) == [Ready("m" * 16)]


def test_after_a_lost_connection_a_pilot_repeats_what_did_not_arrive_with_the_same_nonce() -> None:
    one = pilot()
    held = room(a=seat(has_board=True))
    assert one.hear(welcome(room())) == [SubmitBoard(BOARD)]
    assert one.hear(welcome(room())) == [SubmitBoard(BOARD)]
    assert one.hear(welcome(held, BOARD)) == [Ready("n" * 16)]
    assert one.hear(welcome(held, BOARD)) == [Ready("n" * 16)]
    assert one.hear(welcome(room(a=seat(has_board=True, ready=True)), BOARD)) == []


def test_a_pilot_with_another_board_for_each_round_sends_it_before_it_is_ready() -> None:
    other: dict[str, object] = {"units": [{"cell": 1, "card": "rimewitch"}]}
    nonces = iter(["n" * 16, "m" * 16, "o" * 16])
    one = Pilot(iter([BOARD, other, other]), nonce=lambda: next(nonces))
    one.hear(welcome(room()))
    assert one.hear(RoomUpdate(room(a=seat(has_board=True)))) == [Ready("n" * 16)]
    second = room(a=seat(has_board=True), commitment="c2")
    assert one.hear(RoomUpdate(second)) == [SubmitBoard(other), Ready("m" * 16)]
    assert one.board == other
    third = room(a=seat(has_board=True), commitment="c3")
    assert one.hear(RoomUpdate(third)) == [Ready("o" * 16)]


def test_a_pilot_whose_board_came_too_late_sends_it_again_in_the_next_round() -> None:
    one = pilot()
    one.hear(welcome(room(phase="waiting", b=None, commitment=None)))
    assert one.hear(RoomUpdate(room())) == [SubmitBoard(BOARD)]
    gone = room(phase="waiting", b=None, commitment=None)  # the other, before it arrived
    assert one.hear(RoomUpdate(gone)) == []
    assert one.hear(refuse(ErrorCode.WRONG_PHASE, (), 4, "board")) == []
    assert one.hear(RoomUpdate(room(commitment="c2"))) == [SubmitBoard(BOARD)]


def test_a_pilot_says_again_what_came_too_fast() -> None:
    one = pilot()
    assert one.again() == []
    assert one.hear(welcome(room())) == [SubmitBoard(BOARD)]
    assert one.hear(refuse(ErrorCode.TOO_FAST, (), 4)) == []
    assert one.again() == [SubmitBoard(BOARD)]
    assert one.again() == []


def test_a_pilot_asks_for_a_rematch_only_if_it_is_to() -> None:
    over = room(phase="over", battle=BATTLE)
    assert pilot().hear(welcome(over)) == []
    assert pilot(rematch=True).hear(welcome(over)) == [Rematch()]
    asked = room(phase="over", battle=BATTLE, a=seat(rematch=True))
    assert pilot(rematch=True).hear(welcome(asked)) == []


def test_a_pilot_without_a_seat_says_nothing() -> None:
    looking = msgspec.structs.replace(welcome(room()), seat=None, role="spectator")
    assert pilot().hear(looking) == []
