"""Replays in a real browser: found, played, stopped, gone through to and fro, checked."""

from __future__ import annotations

import pytest
import trio

from protocol.messages import Result
from server.app import Running
from server.replay import Replay
from server.retelling import Untellable
from tests.browser.arena import Players, needs_chromium, open_arena, page_of
from tests.browser.chromium import Page, open_page
from tests.browser.test_live_page import BANNER, CHECKS, NAMES, UNITS, text

pytestmark = needs_chromium

PACE = 40.0
NOW = "Number(document.getElementById('moment').value)"
LAST = "Number(document.getElementById('moment').max)"
PLAYING = "document.getElementById('play').getAttribute('aria-label') === 'Pause'"
NO_BANNER = "document.getElementById('banner').hidden"
# All that the board shows, but what moves as it appears or goes.
BOARD = (
    "[...document.querySelectorAll('.cell')].map((cell) => cell.innerText.replace(/\\s+/g, ' '))"
    ".join('|')"
)
DOOR = "!document.getElementById('door').hidden"


def moment(tick: int | str) -> str:
    """Moves the slider there, as a hand does."""
    return (
        f"(() => {{ const moment = document.getElementById('moment'); moment.value = {tick};"
        " moment.dispatchEvent(new Event('input')); })()"
    )


def press(key: str, more: str = "") -> str:
    """Where the focus is."""
    return (
        f"document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {{ key: {key!r},"
        f" bubbles: true, cancelable: true{more} }}))"
    )


def hand(event: str) -> str:
    """Of a hand on the slider."""
    happens = f"new Event({event!r}, {{ bubbles: true }})"
    return f"document.getElementById('moment').dispatchEvent({happens})"


async def fought(server: Running, nursery: trio.Nursery, players: Players) -> Result:
    """Lets them fight their one battle."""
    await nursery.start(players.play, server.url)
    players.begun.set()
    await players.over.wait()
    return players.results[0]


async def open_replay(page: Page, server: Running, battle: str) -> None:
    await page.open(f"{page_of(server)}#replay={battle}")
    await page.wait(f"{UNITS} >= 12")


async def drawn(page: Page) -> None:
    """Until what was done is on the screen."""
    await page.run(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )


async def test_a_battle_that_is_over_is_found_and_plays_to_its_checked_end() -> None:
    async with open_arena(PACE, data=":memory:") as (server, nursery), open_page() as page:
        result = await fought(server, nursery, Players(names=NAMES))
        await page.open(page_of(server))
        await page.wait("document.querySelector('#replays a') !== null")
        (told,) = await page.run(
            "[...document.querySelectorAll('#replays .pair')].map((pair) => pair.textContent)"
        )
        ordered = NAMES[::-1] if result.winner == "b" else NAMES
        assert told == (" beats " if result.winner else " draws with ").join(ordered)
        await page.run("document.querySelector('#replays a').click()")
        await page.wait(f"{UNITS} >= 12 && {PLAYING}")
        assert await page.run(text("name-a")) == NAMES[0]
        await page.run("document.getElementById('rate').value = '8'")
        before = await page.run(NOW)
        await page.wait(f"{NOW} > {before}")
        assert await page.run("document.querySelectorAll('.moments i').length") > 0
        await page.run(moment(result.tick - 30))
        await page.wait(BANNER)
        assert await page.run(CHECKS) == ["true"] * 4
        assert await page.run(text("digest")) == result.digest
        assert not await page.run(PLAYING)
        command = await page.run(text("command"))
        assert command == f"phylactery replay {page_of(server)}replays/{result.battle}"
        assert page.complaints == []


async def test_a_moment_is_the_same_whichever_way_one_comes_to_it() -> None:
    async with open_arena(PACE, data=":memory:") as (server, nursery), open_page() as page:
        result = await fought(server, nursery, Players())
        await open_replay(page, server, result.battle)
        await page.run(press(" "))
        assert not await page.run(PLAYING)
        seen = {}
        for tick in range(0, result.tick, result.tick // 5):
            await page.run(moment(tick))
            await drawn(page)
            seen[tick] = await page.run(BOARD)
        assert len(set(seen.values())) == len(seen)
        await page.run(moment(LAST))
        await page.wait(BANNER)
        for tick in sorted(seen, reverse=True):
            await page.run(moment(tick))
            await drawn(page)
            assert await page.run(BOARD) == seen[tick]
            assert await page.run(NO_BANNER)
        await page.run(press(" "))
        await page.wait(f"{NOW} > 10")
        assert page.complaints == []


async def test_it_stops_and_goes_on_and_steps_by_keys_and_begins_again() -> None:
    async with open_arena(PACE, data=":memory:") as (server, nursery), open_page() as page:
        result = await fought(server, nursery, Players())
        await open_replay(page, server, result.battle)
        await page.run(press(" "))
        await page.run(moment(100))
        await drawn(page)
        assert await page.run(NOW) == 100
        for key, tick in (("ArrowRight", 120), ("ArrowLeft", 100), ("ArrowLeft", 80)):
            await page.run(press(key))
            assert await page.run(NOW) == tick
        await page.run("document.getElementById('play').click()")
        await page.wait(f"{NOW} > 85")
        await page.run(moment(LAST))
        await page.wait(BANNER)
        assert await page.run("document.getElementById('play').textContent") == "↻"
        await page.run("document.getElementById('play').click()")
        await page.wait(f"{PLAYING} && 0 < {NOW} && {NOW} < 100")
        assert await page.run(NO_BANNER)
        await page.run("location.hash = ''")
        await page.wait("document.getElementById('player').hidden")
        assert page.complaints == []


async def test_who_saw_a_battle_live_finds_it_again_beside_its_verdict() -> None:
    players = Players()
    async with open_arena(PACE, data=":memory:") as (server, nursery), open_page() as page:
        room = await nursery.start(players.play, server.url)
        await page.open(f"{page_of(server)}#room={room}")
        players.begun.set()
        await page.wait(BANNER)
        battle = players.results[0].battle
        assert await page.run("document.getElementById('again').hash") == f"#replay={battle}"
        await page.run(f"location.hash = '#replay={battle}'")
        await page.wait("!document.getElementById('player').hidden")
        hidden = "getComputedStyle(document.getElementById('again')).display"
        assert await page.run(hidden) == "none"


async def test_where_there_is_no_replay_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_arena(PACE, data=":memory:") as (server, nursery), open_page() as page:
        result = await fought(server, nursery, Players())
        await page.open(f"{page_of(server)}#replay=x;rm%20-rf")
        await page.wait(DOOR)
        said = await page.run(text("door-text"))
        assert said == "There is no replay of this battle, or no longer."
        assert await page.run("document.getElementById('command').parentElement.hidden")

        def fail(replay: Replay, _: object) -> None:
            raise Untellable(replay.id)

        monkeypatch.setattr("server.streams.retell", fail)
        await page.open(f"{page_of(server)}?again#replay={result.battle}")
        await page.wait(DOOR)
        assert await page.run(text("door-text")) == "This replay was not kept as it was."


async def test_arrows_step_wherever_one_has_clicked_and_space_plays_once() -> None:
    async with open_arena(PACE, data=":memory:") as (server, nursery), open_page() as page:
        result = await fought(server, nursery, Players())
        await open_replay(page, server, result.battle)
        await page.run("document.getElementById('play').focus()")
        await page.run("document.getElementById('play').click()")
        await page.run(moment(100))
        for element in ("#play", ".unit", "#moment", "body"):
            await page.run(f"document.querySelector({element!r}).focus()")
            before = await page.run(NOW)
            await page.run(press("ArrowRight"))
            assert await page.run(NOW) == before + 20, element
        await page.run("document.querySelector('.unit').focus()")
        await page.run(press(" "))  # it is the unit that is pressed
        await page.run("document.activeElement.blur()")
        for ignored in (", repeat: true", ", shiftKey: true", ", ctrlKey: true"):
            await page.run(press(" ", ignored))
        assert not await page.run(PLAYING)
        await page.run("document.getElementById('rate').focus()")
        before = await page.run(NOW)
        await page.run(press("ArrowLeft"))
        assert await page.run(NOW) == before


async def test_the_slider_stays_under_the_hand_that_holds_it() -> None:
    async with open_arena(PACE, data=":memory:") as (server, nursery), open_page() as page:
        result = await fought(server, nursery, Players())
        await open_replay(page, server, result.battle)
        await page.run("document.getElementById('rate').value = '8'")
        await page.run(hand("pointerdown"))
        await page.run(moment(60))
        for _ in range(5):
            await drawn(page)
        assert await page.run(NOW) == 60
        await page.run(moment(LAST))
        await page.wait(BANNER)
        await page.run(moment(60))
        await page.run(hand("pointerup"))
        await page.wait(f"{PLAYING} && {NOW} > 80")  # it was only passed over the end


async def test_who_looks_at_a_unit_looks_at_it_on_a_step_back_and_old_effects_are_gone() -> None:
    async with open_arena(PACE, data=":memory:") as (server, nursery), open_page() as page:
        result = await fought(server, nursery, Players())
        await open_replay(page, server, result.battle)
        await page.run("document.getElementById('rate').value = '0.25'")
        await page.run(moment(result.tick // 2))
        await page.wait("document.querySelector('.rise') !== null")
        await page.run("document.querySelector('.unit').focus()")
        await page.run("document.querySelector('.unit').click()")
        name = await page.run(text("inspector-name"))
        await page.run(moment(3))
        assert await page.run("document.querySelectorAll('.rise, #overlay line').length") == 0
        await drawn(page)
        assert not await page.run("document.getElementById('inspector').hidden")
        assert await page.run(text("inspector-name")) == name
        assert await page.run("document.activeElement.classList.contains('unit')")


# What is checked takes its time.
SLOW = (
    "const { digest } = SubtleCrypto.prototype; SubtleCrypto.prototype.digest = async function ("
    "...of) { await new Promise((done) => setTimeout(done, 50)); return digest.apply(this, of); }"
)


async def test_no_verdict_is_shown_under_another_battle() -> None:
    players = Players(best_of=3)
    async with open_arena(PACE, data=":memory:") as (server, nursery), open_page() as page:
        first = await fought(server, nursery, players)
        await page.open(page_of(server))
        await page.run(f"location.hash = '#replay={first.battle}'")
        await page.wait(f"{UNITS} >= 12")
        title = await page.run("document.title")
        await page.run(SLOW)
        await page.run(moment(LAST))
        await page.run("location.hash = '#replay=none'")
        await page.wait(DOOR)
        await page.run("new Promise((done) => setTimeout(done, 400))")
        assert await page.run("document.getElementById('verdict').hidden")
        assert await page.run("document.title") == "Phylactery" != title


# What a proxy says while the server is away; then it is back.
AWAY = """(() => {
  const { fetch } = globalThis;
  globalThis.left = 2;
  const page = () => new Response("<html>Bad Gateway</html>",
    { status: 502, headers: { "Content-Type": "text/html" } });
  globalThis.fetch = async (path, options) => (
    String(path).endsWith("/stream") && left-- > 0 ? page() : fetch(path, options));
})()"""


async def test_a_replay_that_does_not_come_is_asked_for_again() -> None:
    async with open_arena(PACE, data=":memory:") as (server, nursery), open_page() as page:
        result = await fought(server, nursery, Players())
        await page.open(page_of(server))
        await page.run(AWAY)
        await page.run(
            "globalThis.seen = []; new MutationObserver(() => seen.push("
            "document.getElementById('standing').textContent))"
            ".observe(document.getElementById('standing'), { childList: true })"
        )
        await page.run(f"location.hash = '#replay={result.battle}'")
        await page.wait(f"{UNITS} >= 12 && {PLAYING}")
        seen = await page.run("seen")
        sentence = "The server cannot show this replay at the moment, trying again…"
        assert seen[-2:] == [sentence, "as it was recorded"]
        assert await page.run("left") < 0, "it was away twice"
