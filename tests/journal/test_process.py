"""The server as a process: killed in the middle of a battle, and told to stop."""

from __future__ import annotations

import json
import random
import signal
import urllib.request
from datetime import datetime
from pathlib import Path

import trio

from protocol.client import Client, open_client
from protocol.messages import (
    Bye,
    Create,
    Error,
    Join,
    Leave,
    RoomState,
    RoomUpdate,
    Welcome,
)
from protocol.session import Lost
from tests.chaos.check import check
from tests.chaos.guests import Evening, Guest
from tests.chaos.process import ServerProcess
from tests.server.strangers import CREATE, frame, handshake


async def come(evening: Evening, nursery: trio.Nursery) -> list[Guest]:
    """Two who play and one who looks on."""
    ada, bob, eve = Guest("ada"), Guest("bob"), Guest("eve")
    nursery.start_soon(evening.play, ada, Create(version=1, name="Ada", best_of=1), None)
    await ada.joined.wait()
    assert ada.room is not None
    nursery.start_soon(evening.watch, eve, ada.room.id, "beginning")
    await eve.joined.wait()
    nursery.start_soon(evening.play, bob, Join(version=1, name="Bob"), ada.room.id)
    return [ada, bob, eve]


async def frames(guest: Guest, number: int) -> None:
    """Waits until a guest has been sent so many frames."""
    with trio.fail_after(60):
        await guest.until(lambda: guest.frames >= number)


def get(server: ServerProcess, path: str) -> bytes:
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}{path}") as answer:
        data: bytes = answer.read()
        return data


async def test_killed_in_the_middle_of_a_battle(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path, "--pace", "4")  # it is not over before the second kill
    await server.start()
    evening = Evening(f"ws://127.0.0.1:{server.port}", random.Random(3))
    async with trio.open_nursery() as nursery:
        guests = await come(evening, nursery)
        await frames(guests[2], 10)
        evening.end()  # or another battle begins where this one is over before the server is back
        await server.kill()
        await server.start()
        await frames(guests[2], 20)
        await server.kill()
        await server.start()
    assert check(guests) == 3
    assert guests[2].connections >= 3
    (battle,) = guests[0].chapters
    replays = json.loads(get(server, "/api/replays"))["replays"]
    assert [replay["id"] for replay in replays] == [battle]
    assert json.loads(get(server, f"/replays/{battle}"))["result"]["digest"]
    await server.stop()
    assert server.faults() == []


# A server that is killed as soon as a session is kept, once for each session of a player's: the
# welcome with its token never goes out.
SUDDEN = """
import os, signal
from pathlib import Path
from server.cli import main
from server.journal.records import PutSession
from server.journal.store import Store

def apply(store, writes, whole=Store.apply):
    writes = list(writes)
    whole(store, writes)
    for write in writes:
        if isinstance(write, PutSession):
            mark = Path(FOLDER, write.record.id)
            if not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)

Store.apply = apply
main()
"""


async def test_killed_between_the_commit_and_the_welcome(tmp_path: Path) -> None:
    """Seats that were taken by a `create` and a `join` that nobody has answered."""
    program = SUDDEN.replace("FOLDER", repr(str(tmp_path)))
    server = ServerProcess(tmp_path, program=program)
    await server.start()
    url = f"ws://127.0.0.1:{server.port}"
    async with open_client(url, Create(version=1, name="Ada")) as ada:
        room = await welcomed_in_the_next(server, ada)
        async with open_client(url, Join(version=1, name="Bob"), room.id) as bob:
            room = await welcomed_in_the_next(server, bob)
            assert room.phase == "building"
            (listed,) = json.loads(get(server, "/api/rooms"))["rooms"]
            assert [listed[seat]["name"] for seat in "ab"] == ["Ada", "Bob"]
            async for update in ada:  # who has been cut off as well
                if isinstance(update, (Welcome, RoomUpdate)) and update.room.seq >= room.seq:
                    break
            assert await bob.send(Leave())
    await server.stop()
    assert server.faults() == []


async def welcomed_in_the_next(server: ServerProcess, client: Client) -> RoomState:
    """The room as one finds it who was not answered by the server before."""
    assert isinstance(await anext(client), Lost)
    await server.killed()
    await server.start()
    with trio.fail_after(60):
        async for update in client:
            if isinstance(update, Welcome):
                return update.room
    raise AssertionError("nobody was let in")


async def test_told_to_stop_it_ends_its_battles_and_takes_leave(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path, "--pace", "10")
    await server.start()
    url = f"ws://127.0.0.1:{server.port}"
    evening = Evening(url, random.Random(3))
    heard: list[tuple[str, float | None]] = []

    async def look_on() -> None:
        """Somebody in a room of their own, who is told all the same."""
        async with open_client(url, Create(version=1, name="Cid")) as client:
            async for update in client:
                match update:
                    case Welcome():
                        told.set()
                    case Error(code=code):
                        heard.append((code, None))
                    case Bye(code=code, retry_seconds=retry):
                        heard.append((str(code), retry))
                    case Lost():
                        return

    told = trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(look_on)
        await told.wait()
        guests = await come(evening, nursery)
        await frames(guests[2], 20)
        evening.end()  # they go as soon as they have the result
        await server.stop()
        assert all(guest.done for guest in guests)
    assert check(guests) == 3
    (draining, _), (bye, retry) = heard
    assert (draining, bye) == ("draining", "1012")
    assert retry is not None


async def test_a_battle_that_takes_too_long_goes_on_afterwards(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path, "--pace", "8", "--grace", "0.2")
    await server.start()
    evening = Evening(f"ws://127.0.0.1:{server.port}", random.Random(3))
    async with trio.open_nursery() as nursery:
        guests = await come(evening, nursery)
        await frames(guests[2], 20)
        evening.end()
        await server.stop()
        assert not any(guest.done for guest in guests)
        await server.start()
    assert check(guests) == 3
    await server.stop()


async def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    # A battle would take its time, and so would who answers no closing.
    server = ServerProcess(tmp_path, "--close-seconds", "6")
    await server.start()
    evening = Evening(f"ws://127.0.0.1:{server.port}", random.Random(3))
    async with trio.open_nursery() as nursery:
        guests = await come(evening, nursery)
        await frames(guests[2], 5)
        silent = await trio.open_tcp_stream("127.0.0.1", server.port)
        await silent.send_all(handshake() + frame(CREATE))
        await silent.receive_some()  # and nothing more: it will answer no closing
        server.signal(signal.SIGTERM)
        await server.logged("drains")
        await server.stop()
        log = server.log.read_text().splitlines()
        drains, stopped = (at(log, event) for event in ("drains", "stopped"))
        assert (stopped - drains).total_seconds() < 4
        nursery.cancel_scope.cancel()


def at(log: list[str], event: str) -> datetime:
    """When this was logged."""
    (line,) = (line for line in map(json.loads, log) if line["event"] == event)
    return datetime.fromisoformat(line["timestamp"])
