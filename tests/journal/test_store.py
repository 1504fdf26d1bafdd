"""What is written is found again, all of it or none."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import msgspec
import pytest
from structlog.testing import capture_logs

from protocol.messages import BattleId, RoomId
from server.commands import SessionId
from server.journal.file import MEMORY
from server.journal.records import (
    ClosedRecord,
    CloseRound,
    DropRoom,
    DropSession,
    KeptRoom,
    OpenRound,
    PutBoard,
    PutRoom,
    PutSession,
    Record,
    Round,
    Write,
    pack,
    unpack,
)
from server.journal.store import Most, Store, open_store
from tests.journal import records as made

MOST = Most(replays=3, boards=3, closed=3)


@pytest.fixture
def store() -> Iterator[Store]:
    store = open_store(MEMORY, MOST)
    yield store
    store.close()


@pytest.mark.parametrize(
    "record",
    [
        made.room(),
        made.session(),
        made.fight(),
        made.ending(),
        made.board(1),
        made.closed(1),
    ],
    ids=lambda record: type(record).__name__,
)
def test_a_record_is_the_same_after_its_row(record: Record) -> None:
    assert unpack(pack(record), type(record)) == record


def test_a_row_of_a_later_version_is_read_for_what_is_known_of_it() -> None:
    row = pack(made.board(1)).replace(b"{", b'{"colour":"red",', 1)
    assert unpack(row, type(made.board(1))) == made.board(1)


def closed(store: Store) -> list[str]:
    """The rooms whose records are kept."""
    rows = store._db.execute("SELECT record FROM closed ORDER BY kept")
    return [unpack(row, ClosedRecord).state.id for (row,) in rows]


def test_a_room_comes_back_with_its_sessions_and_its_rounds(store: Store) -> None:
    first, second, third = (made.fight(BattleId(f"r.{n}"), n) for n in (1, 2, 3))
    store.apply([PutRoom(made.room()), PutSession(made.session(1)), PutSession(made.session(2))])
    store.apply([OpenRound(first), CloseRound(made.ending(), b"log\n")])
    store.apply([OpenRound(second), CloseRound(made.ending(BattleId("r.2")), b"log\n")])
    store.apply([OpenRound(third)])
    (kept,) = store.load().rooms
    assert kept == KeptRoom(
        record=made.room(),
        sessions=(made.session(1), made.session(2)),
        rounds=(
            Round(first, made.ending()),
            Round(second, made.ending(BattleId("r.2"))),
            Round(third, None),
        ),
    )


def test_the_newest_word_on_a_room_and_a_session_counts(store: Store) -> None:
    store.apply([PutRoom(made.room()), PutSession(made.session())])
    later = made.room(opened=5.0)
    store.apply([PutRoom(later), DropSession(made.ROOM, SessionId("p1"))])
    assert store.load().rooms == (KeptRoom(later),)


def test_rooms_come_back_in_the_order_in_which_they_opened(store: Store) -> None:
    for name, opened in (("x", 3.0), ("y", 1.0), ("z", 2.0)):
        store.apply([PutRoom(made.room(RoomId(name), opened))])
    assert [kept.record.id for kept in store.load().rooms] == ["y", "z", "x"]


def test_of_a_closed_room_stay_its_record_and_its_replays(store: Store) -> None:
    store.apply([PutRoom(made.room()), PutSession(made.session()), OpenRound(made.fight())])
    store.apply([CloseRound(made.ending(), b"log\n"), DropRoom(made.ROOM, made.closed(1))])
    kept = store.load()
    assert kept.rooms == ()
    assert closed(store) == ["r1"]
    assert store.fought(made.BATTLE) is not None


def test_a_round_that_never_ended_goes_with_its_room(store: Store) -> None:
    store.apply([PutRoom(made.room()), OpenRound(made.fight())])
    store.apply([DropRoom(made.ROOM, None)])
    store.apply([PutRoom(made.room())])
    assert store.load().rooms[0].rounds == ()


def test_all_of_a_decision_or_none(store: Store) -> None:
    writes: list[Write] = [PutRoom(made.room())]
    with pytest.raises(sqlite3.IntegrityError):
        store.apply([*writes, PutRoom(made.room(None))])  # type: ignore[arg-type]
    assert store.load().rooms == ()
    store.apply(writes)  # and the next one is not held up
    assert len(store.load().rooms) == 1


@pytest.mark.parametrize("torn", [b'{"id": "bad"}', 7])
def test_a_room_that_cannot_be_read_is_named_and_the_others_come_back(
    store: Store, torn: bytes | int
) -> None:
    store.apply([PutRoom(made.room()), PutRoom(made.room(RoomId("bad")))])
    store._db.execute("UPDATE rooms SET record = ? WHERE id = 'bad'", (torn,))
    kept = store.load()
    assert [one.record.id for one in kept.rooms] == ["r"]
    assert kept.unread == ("bad",)


def test_what_would_grow_for_ever_does_not(store: Store) -> None:
    """The oldest go first."""
    for n in range(10):
        battle = BattleId(f"r.{n}")
        store.apply([OpenRound(made.fight(battle, n))])
        store.apply([CloseRound(made.ending(battle, ended=float(n)), b"log\n")])
        store.apply([PutBoard(made.board(n)), DropRoom(RoomId(f"x{n}"), made.closed(n))])
    kept = store.load()
    assert [board.id for board in kept.boards] == ["board-7", "board-8", "board-9"]
    assert closed(store) == ["r7", "r8", "r9"]
    assert [record.battle for record, _ in store.replays(10)] == ["r.9", "r.8", "r.7"]


def test_the_oldest_go_first_though_the_clock_was_set_back(store: Store) -> None:
    """Also those that began before others and ended after them."""
    store.apply(
        [OpenRound(made.fight(BattleId("r.0"), 0)), OpenRound(made.fight(BattleId("r.9"), 9))]
    )
    for n in range(1, 5):
        battle = BattleId(f"r.{n}")
        store.apply([OpenRound(made.fight(battle, n))])
        store.apply([CloseRound(made.ending(battle, ended=-float(n)), b"log\n")])
    store.apply([CloseRound(made.ending(BattleId("r.0"), ended=-9.0), b"log\n")])
    assert [record.battle for record, _ in store.replays(10)] == ["r.0", "r.4", "r.3"]
    (rest,) = store._db.execute("SELECT battle FROM rounds WHERE ended IS NULL")
    assert rest == ("r.9",)  # which runs


def test_a_board_that_fights_again_is_kept_once_and_anew(store: Store) -> None:
    store.apply([PutBoard(made.board(n)) for n in (1, 2, 3, 1, 4)])
    assert [board.id for board in store.load().boards] == ["board-3", "board-1", "board-4"]


def test_a_replay_is_had_by_id_and_the_log_is_what_it_was(store: Store) -> None:
    log = b'{"tick":0,"kind":"battle_start"}\n' * 100
    store.apply([OpenRound(made.fight())])
    assert store.fought(made.BATTLE) is None  # it runs
    assert store.replays(10) == []
    store.apply([CloseRound(made.ending(), log)])
    fought = store.fought(made.BATTLE)
    assert fought is not None
    assert (fought.record, fought.ending, fought.log) == (made.fight(), made.ending(), log)


def test_a_private_rooms_replay_is_in_no_list(store: Store) -> None:
    store.apply([OpenRound(made.fight(private=True)), CloseRound(made.ending(), b"")])
    assert store.replays(10) == []
    assert store.fought(made.BATTLE) is not None


@pytest.mark.parametrize("torn", [b"", b"{}", b"[1", b'{"id": 5}', b'{"id": "\xff"}', 7])
def test_a_board_that_cannot_be_read_is_told_of_and_the_others_are_there(
    store: Store, torn: bytes | int
) -> None:
    store.apply([PutBoard(made.board(n)) for n in (1, 2, 3)])
    store._db.execute("UPDATE boards SET record = ? WHERE id = 'board-2'", (torn,))
    with capture_logs() as said:
        assert [board.id for board in store.load().boards] == ["board-1", "board-3"]
    assert said == [told_of("boards", "board-2")]


@pytest.mark.parametrize("torn", ["x'00'", "7"])
@pytest.mark.parametrize("column", ["record", "ending", "log"])
def test_a_replay_that_cannot_be_read_is_told_of_and_the_others_are_there(
    store: Store, column: str, torn: str
) -> None:
    for n in (1, 2):
        battle = BattleId(f"r.{n}")
        store.apply([OpenRound(made.fight(battle, n)), CloseRound(made.ending(battle), b"log\n")])
    store._db.execute(f"UPDATE rounds SET {column} = {torn} WHERE round = 1")  # noqa: S608
    with capture_logs() as said:
        assert store.fought(BattleId("r.1")) is None
        assert store.fought(BattleId("r.2")) is not None
    assert said == [told_of("rounds", "r.1")]
    with capture_logs() as said:
        assert store.replays(10)[0][0].battle == "r.2"
    assert said == ([] if column == "log" else [told_of("rounds", "r.1")])


def told_of(table: str, key: str) -> dict[str, str]:
    return {"event": "a row cannot be read", "log_level": "warning", "table": table, "key": key}


def test_why_nothing_can_be_kept_is_said_though_sqlite_has_rolled_back_by_itself(
    store: Store,
) -> None:
    """As after an error of the disk's."""
    store._db.execute(
        "CREATE TRIGGER full BEFORE INSERT ON boards BEGIN SELECT RAISE(ROLLBACK, 'disk'); END"
    )
    with pytest.raises(sqlite3.IntegrityError, match="disk"):
        store.apply([PutRoom(made.room()), PutBoard(made.board(1))])
    store.apply([PutRoom(made.room(RoomId("next")))])
    assert [kept.record.id for kept in store.load().rooms] == ["next"]


def test_of_a_closed_room_nobody_comes_back(store: Store) -> None:
    other = RoomId("other")
    theirs = msgspec.structs.replace(made.session(), room=other)
    store.apply([PutRoom(made.room()), PutSession(made.session())])
    store.apply([PutRoom(made.room(other)), PutSession(theirs), DropRoom(made.ROOM, None)])
    store.apply([PutRoom(made.room())])
    kept = {room.record.id: room.sessions for room in store.load().rooms}
    assert kept == {made.ROOM: (), other: (theirs,)}
