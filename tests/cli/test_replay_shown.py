"""A battle that is over, played once more on a terminal: what is seen of it, and when."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

from typing import Any

import pytest
import trio
from trio.testing import MockClock

from engine import TICKS_PER_SECOND, base_catalog
from protocol.messages import Result
from server.cli import replay as playing
from server.cli.replay import LAST_PICTURE_SECONDS, Film, replay_on
from server.replay import decode
from server.retelling import retell
from server.view.screen import LiveScreen, PlainScreen
from server.view.terminal import Scene
from tests.cli.films import LAST_TICK, film
from tests.journal.test_replay import whole

pytestmark = pytest.mark.usefixtures("fought")

# When it is shown.


class Watched(LiveScreen):
    """A live screen, and who looks at it notes the time of each picture."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[float, Scene]] = []
        self._start = trio.current_time()

    def look(self, scene: Scene) -> None:
        self.seen.append((trio.current_time() - self._start, scene))

    def at(self, seconds: float) -> Scene:
        """What could be seen then."""
        return [scene for when, scene in self.seen if when <= seconds][-1]


async def watched(film: Film) -> tuple[Watched, float]:
    """Plays to the end; also the seconds that took."""
    screen = Watched()
    start = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(screen.draw_on, screen.look)
        await replay_on(screen, film)
        nursery.cancel_scope.cancel()
    return screen, trio.current_time() - start


@pytest.mark.parametrize("speed", [0.25, 1, 64])
async def test_on_a_terminal_it_takes_as_long_as_its_speed_says(
    autojump_clock: MockClock, speed: float
) -> None:
    _, seconds = await watched(film(speed))
    assert seconds == pytest.approx(LAST_TICK / TICKS_PER_SECOND / speed + LAST_PICTURE_SECONDS)


async def test_each_tick_is_shown_in_its_time_and_what_takes_long_delays_no_other(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    hear = playing.Projector.show

    def slowly(projector: playing.Projector, moment: playing.Moment) -> None:
        autojump_clock.jump(0.04)
        shown.append((trio.current_time() - start, moment.tick))
        hear(projector, moment)

    monkeypatch.setattr(playing.Projector, "show", slowly)
    shown: list[tuple[float, int]] = []
    start = trio.current_time()
    await replay_on(LiveScreen(), film(2))
    assert len(shown) > 100
    assert all(0 <= when - tick / 40 < 0.1 for when, tick in shown)


async def test_a_picture_has_the_players_the_title_and_in_the_end_the_verdict(
    autojump_clock: MockClock,
) -> None:
    screen, seconds = await watched(film(2))
    scene = screen.at(15)
    assert scene.title == "replay theroom2.1  round 1  2x"
    assert {side: (one.name, one.note) for side, one in scene.players.items()} == {
        "a": ("Ada", "Candle Tide"),
        "b": ("Bob", "Choir of No Hands"),
    }
    assert 580 < scene.tick <= 600
    assert (bool(scene.units), scene.status) == (True, "Ctrl-C ends it")
    last = screen.at(seconds)
    assert last.tick == LAST_TICK
    assert last.told[-1].text == "the battle is a draw by timeout"
    assert last.status.startswith("round 1 is a draw by timeout after 60.0 s; 0 to 0; holds: ")
    assert [line[:8] for line in screen.kept] == ["round 1:", "round 1 ", "  holds:"]


async def test_from_later_on_what_lies_before_is_there_at_once(autojump_clock: MockClock) -> None:
    screen, seconds = await watched(film(2, 30))
    assert seconds == pytest.approx(15 + LAST_PICTURE_SECONDS)
    _, first = screen.seen[0]
    assert 580 <= first.tick <= 600
    assert first.units
    assert 0 < first.told[0].tick < first.told[-1].tick <= 600


async def test_from_past_the_end_on_the_end_is_shown(autojump_clock: MockClock) -> None:
    screen, seconds = await watched(film(1, 1000))
    assert seconds == pytest.approx(LAST_PICTURE_SECONDS)
    assert screen.at(seconds).tick == LAST_TICK


async def test_a_battle_of_which_nothing_is_kept_keeps_nobody_waiting(
    autojump_clock: MockClock,
) -> None:
    def fail(value: dict[str, Any]) -> None:
        value["result"] |= {"tick": 900, "digest": None, "reason": "void", "winner": None}
        value["log"].clear()

    start = trio.current_time()
    await replay_on(LiveScreen(), film(1, 0, fail))
    assert trio.current_time() - start - LAST_PICTURE_SECONDS <= 1


async def test_where_the_output_is_no_terminal_nothing_waits(
    autojump_clock: MockClock, capsys: pytest.CaptureFixture[str]
) -> None:
    start = trio.current_time()
    await replay_on(PlainScreen(), film(0.25))
    assert trio.current_time() == start
    assert len(capsys.readouterr().out.splitlines()) > 50


async def test_it_can_be_ended_while_it_is_shown_and_while_it_is_printed(
    autojump_clock: MockClock,
) -> None:
    with trio.move_on_after(7) as shown:
        await replay_on(LiveScreen(), film())
    with trio.CancelScope() as printed:
        printed.cancel()
        await replay_on(PlainScreen(), film())
    assert shown.cancelled_caught
    assert printed.cancelled_caught


def test_every_moment_is_there_once_and_in_order() -> None:
    replay = decode(whole())
    moments = film().moments
    ticks = [moment.tick for moment in moments]
    assert ticks == sorted(ticks)
    frames = sum(map(len, retell(replay, base_catalog())))
    assert sum(len(moment.said) for moment in moments) == 1 + frames + 1
    assert isinstance(moments[-1].said[0], Result)
