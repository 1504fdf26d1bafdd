"""How a server starts and ends where something goes wrong."""

from __future__ import annotations

import pytest
import trio

import server.app
from server.app import Premises, Running, serve
from server.config import Config
from server.limits import Limits
from server.metronome import Metronome

PATIENCE_SECONDS = 60.0


class Broken:
    """A log that fails."""

    def info(self, event: str, **_: object) -> None:
        if event == "listening":
            raise ZeroDivisionError("made to fail")


async def test_what_fails_once_it_is_up_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server.app, "log", Broken())
    with trio.fail_after(PATIENCE_SECONDS), pytest.raises(ExceptionGroup, match="Trio") as failed:
        await serve(Config(port=0))
    assert failed.group_contains(ZeroDivisionError)


async def test_what_fails_while_it_starts_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("made to fail")

    monkeypatch.setattr("server.hall.Hall.take_over", fail)
    with trio.fail_after(PATIENCE_SECONDS), pytest.raises(ExceptionGroup, match="Trio") as failed:
        await serve(Config(port=0))
    assert failed.group_contains(ZeroDivisionError)


async def test_what_breaks_down_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(_: Metronome) -> None:
        await client.wait()
        raise ZeroDivisionError("made to fail")

    monkeypatch.setattr(Metronome, "run", fail)
    client = trio.Event()
    with trio.fail_after(PATIENCE_SECONDS), pytest.raises(ExceptionGroup, match="Trio") as failed:
        await serve_one(client)
    assert failed.group_contains(ZeroDivisionError)


async def serve_one(client: trio.Event) -> None:
    async with trio.open_nursery() as nursery:
        config = Config(port=0, limits=Limits(close_seconds=2 * PATIENCE_SECONDS))
        running: Running = await nursery.start(serve, config)
        async with await trio.open_tcp_stream(running.host, running.port):
            client.set()
            await trio.sleep_forever()


async def test_told_to_end_while_it_starts_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Premises.run

    async def run(house: Premises) -> None:
        scope.cancel()
        await whole(house)

    monkeypatch.setattr(Premises, "run", run)
    with trio.fail_after(PATIENCE_SECONDS):
        async with trio.open_nursery() as nursery:
            scope = nursery.cancel_scope
            await nursery.start(serve, Config(port=0))
