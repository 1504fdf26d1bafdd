"""A journal that can no longer be written: everyone is told that the server goes, and it does."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

import pytest
import trio

from protocol.client import open_client
from protocol.messages import Bye, Create, FirstMessage, Join, RoomId, Watch, Welcome
from protocol.session import Lost
from server.app import Running, serve
from server.config import Config
from server.journal.records import Write
from server.journal.store import Store
from server.journal.writer import JournalFailed
from server.limits import Limits
from tests.server.rooms import RULES
from tests.server.strangers import written

# So long that a test would see it, if anybody waited for what will not come.
LIMITS = Limits(close_seconds=20.0)
PATIENCE_SECONDS = 60.0


class Guest:
    """Hears all that is said to the end of the connection."""

    def __init__(self, url: str, hello: FirstMessage, place: RoomId | None = None) -> None:
        self.heard: list[object] = []
        self.room = trio.Event()
        self._about = url, hello, place

    async def live(self) -> None:
        async with open_client(*self._about) as client:
            async for update in client:
                self.heard.append(update)
                if isinstance(update, Welcome):
                    self.room.set()
                if isinstance(update, Lost):
                    return

    @property
    def welcome(self) -> Welcome | None:
        return next((one for one in self.heard if isinstance(one, Welcome)), None)

    @property
    def is_to_come_back(self) -> bool:
        return any(
            isinstance(one, Bye) and one.code == 1012 and one.retry_seconds is not None
            for one in self.heard
        )


def fill_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Store, __: Iterable[Write]) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(Store, "apply", fail)


async def test_everyone_is_told_and_it_ends_at_once_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    guests: list[Guest] = []

    async def come(url: str, hello: FirstMessage, place: RoomId | None = None) -> Guest:
        guests.append(guest := Guest(url, hello, place))
        visits.start_soon(guest.live)
        return guest

    async def until_it_fails() -> None:
        async with trio.open_nursery() as nursery:
            config = Config(port=0, rules=RULES, data=":memory:", limits=LIMITS)
            server: Running = await nursery.start(serve, config)
            ada = await come(server.url, Create(version=1, name="Ada"))
            await ada.room.wait()
            assert ada.welcome is not None
            place = ada.welcome.room.id
            eve = await come(server.url, Watch(version=1), place)
            await eve.room.wait()
            fill_the_disk(monkeypatch)
            await come(server.url, Join(version=1, name="Bob"), place)

    with written() as logged, trio.fail_after(PATIENCE_SECONDS):
        async with trio.open_nursery() as visits:
            with pytest.raises(ExceptionGroup, match="Trio") as failed:
                await until_it_fails()
    assert failed.group_contains(JournalFailed)
    assert [guest.is_to_come_back for guest in guests] == [True] * 3
    assert guests[2].welcome is None  # it could not be kept
    lines = [json.loads(line) for line in logged.getvalue().splitlines()]
    (why,) = (line for line in lines if line["level"] == "error")
    assert (why["event"], lines[-1]["event"]) == ("nothing more can be kept", "stopped")
    assert "disk is full" in why["why"]
