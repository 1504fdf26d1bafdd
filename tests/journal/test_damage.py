"""A data file that was damaged: a room whose record makes no sense is told of as such, stays in the
file as it is, and holds up no other.
"""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
import trio
from structlog.testing import capture_logs
from trio.testing import MockClock

from protocol.messages import Begin
from server.journal.file import MEMORY
from server.journal.store import open_store
from server.mint import Mint
from tests.journal.coming_back import back
from tests.journal.worlds import MOST, KeptWorld, Universe, universe
from tests.server.visitors import Visitor, get_ready

Path = tuple[str | int, ...]


def damage(db: sqlite3.Connection, table: str, room: str, path: Path, value: object) -> None:
    """Changes one field in each of a room's records of this table; None takes it out."""
    key = "id" if table == "rooms" else "room"
    rows = db.execute(f"SELECT record FROM {table} WHERE {key} = ?", (room,))  # noqa: S608
    for (record,) in rows.fetchall():
        whole = at = json.loads(record)
        for step in path[:-1]:
            at = at[step]
        if value is None:
            del at[path[-1]]
        else:
            at[path[-1]] = value
        changed = json.dumps(whole).encode()
        db.execute(f"UPDATE {table} SET record = ? WHERE record = ?", (changed, record))  # noqa: S608


async def battle_and_one_who_waits(world: KeptWorld) -> tuple[Visitor, Visitor]:
    """A player whose battle runs, and one alone in a room."""
    ada, bob = await world.pair()
    await get_ready(ada, bob)
    await ada.hear_until(Begin)
    eve = await world.create(name="Eve")
    await world.journal_settled()
    return ada, eve


async def next_with(
    it: Universe, change: Callable[[sqlite3.Connection], object]
) -> tuple[KeptWorld, list[Any]]:
    """The next server, on a file that was damaged; and what it logs of failures as it starts."""
    old = await it.server()
    it.kill()
    store = open_store(MEMORY, MOST)
    store._db.deserialize(it.copy)
    change(store._db)
    store._db.commit()
    it.copy = store._db.serialize()
    store.close()
    with capture_logs() as said:
        while it.world in (old, None):  # noqa: ASYNC110 - a kill tells nobody
            await trio.sleep(0.1)
        world = await it.server()
    return world, [line for line in said if line["log_level"] in ("warning", "error")]


@pytest.mark.parametrize(
    ("table", "path", "value"),
    [
        ("rooms", ("secret",), "no hex"),
        ("rooms", ("secret",), "abc"),
        ("rooms", ("battle",), "none"),
        ("rooms", ("battle",), "another.1"),
        ("rooms", ("battle",), None),
        ("rooms", ("a", "session"), "ada"),
        ("sessions", ("keys", 0), "no hex"),
        ("sessions", ("id",), "ada"),
        ("rounds", ("secret",), "no hex"),
        ("rounds", ("battle",), "none"),
        ("rounds", ("boards", "b"), None),
        ("rounds", ("names", "a"), None),
        ("rounds", ("nonces", "a"), None),
    ],
)
async def test_a_room_with_a_damaged_field_cannot_be_read_and_holds_up_no_other(
    table: str, path: Path, value: object, autojump_clock: MockClock
) -> None:
    async with universe(mint=Mint()) as it:
        ada, eve = await battle_and_one_who_waits(await it.server())
        world, said = await next_with(it, lambda db: damage(db, table, ada.place, path, value))
        (line,) = said
        assert (line["event"], line["room"]) == ("a room's record cannot be read", ada.place)
        assert "exc_info" not in line
        assert [stage.room.id for stage in world.hall] == [eve.place]
        await back(world, eve)


async def test_a_room_whose_battle_has_no_record_cannot_be_read(autojump_clock: MockClock) -> None:
    async with universe(mint=Mint()) as it:
        _, eve = await battle_and_one_who_waits(await it.server())
        world, said = await next_with(it, lambda db: db.execute("DELETE FROM rounds"))
        assert [line["event"] for line in said] == ["a room's record cannot be read"]
        assert [stage.room.id for stage in world.hall] == [eve.place]


async def test_a_damaged_record_stays_in_the_file_as_it_is(autojump_clock: MockClock) -> None:
    async with universe(mint=Mint()) as it:
        ada, _ = await battle_and_one_who_waits(await it.server())
        world, _ = await next_with(
            it, lambda db: damage(db, "rooms", ada.place, ("secret",), "no hex")
        )
        await world.journal_settled()
        (row,) = world.store._db.execute("SELECT record FROM rooms WHERE id = ?", (ada.place,))
        assert json.loads(row[0])["secret"] == "no hex"
