"""What takes seconds to keep, and what happens meanwhile."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import pytest
import trio
from structlog.testing import capture_logs
from trio.testing import MockClock, wait_all_tasks_blocked

from protocol.messages import Begin, Result, Watch, Welcome
from server.match import Match
from tests.journal import worlds
from tests.journal.coming_back import after, back
from tests.journal.worlds import universe
from tests.server.rooms import submit
from tests.server.visitors import get_ready


async def test_a_battle_that_took_long_to_keep_begins_when_it_is_kept(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And goes on from there after a crash."""
    async with universe() as it:
        world = await it.server()
        ada, bob = await world.pair(best_of=1)
        await get_ready(ada)
        monkeypatch.setattr(worlds, "DISK_SECONDS", 3.0)
        said = trio.current_time()
        with capture_logs() as logs:
            await get_ready(bob)
            await bob.hear_until(Begin)
        began = trio.current_time()
        assert began - said > 3
        monkeypatch.undo()
        (line,) = (line for line in logs if line["event"] == "battle begins late")
        assert line["late"] > 3
        await trio.sleep(2)
        run = world.hall.find(ada.place).run
        assert run is not None
        assert run.tick <= 2 * 20 + 1  # the first seconds were not told all at once
        before = run.tick
        async with after(it) as world:
            again = await back(world, bob)
            run = world.hall.find(bob.place).run
            assert run is not None
            assert before <= run.tick <= (trio.current_time() - began) * 20 + 1
            await again.hear_until(Result)


async def test_who_is_yet_to_be_let_in_as_the_room_fails_is_closed_with_it(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("injected")

    async with universe() as it:
        world = await it.server()
        ada = await world.create()
        eve = world.visit(ada.place)
        await eve.say(Watch(version=1))
        await wait_all_tasks_blocked()  # it is being kept that she comes
        monkeypatch.setattr(Match, "submit", fail)
        await ada.say(submit(0))
        assert await ada.hear_end() == 1011
        await eve.hear_until(Welcome)
        assert await eve.hear_end() == 1011
        assert len(world.hall) == 0
