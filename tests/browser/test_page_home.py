"""Home keeps still under the hand, and shows the battle that is on; and where the focus goes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from server.app import Running
from server.limits import Limits
from tests.browser.arena import Players, needs_chromium, open_arena, page_of
from tests.browser.chromium import Page, open_page

pytestmark = needs_chromium

# The list of rooms is asked for twenty times as often.
HURRY = """{
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (then, wait) => setTimeout(then, wait === 2000 ? 100 : wait);
}"""
NO_STAGE = "document.getElementById('stage').hidden"
COMMAND = "document.getElementById('command').checkVisibility()"
FOCUS = "document.activeElement.id || document.activeElement.tagName"


def text(element: str) -> str:
    return f"document.getElementById({element!r}).textContent"


def row(room: str, more: str = "") -> str:
    return f"document.querySelector('#rooms [data-id=\"{room}\"] a'){more}"


@asynccontextmanager
async def open_home(
    pace: float, limits: Limits | None = None
) -> AsyncIterator[tuple[Page, Running, trio.Nursery]]:
    settings = {"limits": limits} if limits else {}
    async with (
        open_arena(pace, data=":memory:", **settings) as (server, nursery),
        open_page() as page,
    ):
        await page.command("Page.addScriptToEvaluateOnNewDocument", source=HURRY)
        await page.open(page_of(server))
        yield page, server, nursery


async def mouse(page: Page, event: str, room: str) -> None:
    """At a place in the row of this room, where it is first seen."""
    x, y = await page.run(
        f"globalThis.spot ??= (({{ left, top, width, height }}) => [left + width / 2,"
        f" top + height / 2])({row(room)}.getBoundingClientRect())"
    )
    more = {"button": "left", "clickCount": 1} if event != "mouseMoved" else {}
    await page.command("Input.dispatchMouseEvent", type=event, x=x, y=y, **more)


async def test_a_row_stays_under_the_hand_that_presses_it() -> None:
    async with open_home(0.5) as (page, server, nursery):
        room = await nursery.start(Players(names=("I", "J")).play, server.url)
        await page.wait(row(room))
        await page.run(f"globalThis.before = {row(room)}; before.focus()")
        await mouse(page, "mouseMoved", room)
        await mouse(page, "mousePressed", room)
        others = Players(names=("K", "L"))
        other = await nursery.start(others.play, server.url)
        await page.wait(row(other))
        others.begun.set()  # and so it goes to the top
        await page.wait(row(other, ".textContent.startsWith('battle on')"))
        assert await page.run(NO_STAGE), "which would move all of the list"
        assert await page.run(f"{row(room)} === before && document.activeElement === before")
        await mouse(page, "mouseReleased", room)
        await page.wait(f"location.hash === '#room={room}'")
        assert page.complaints == []


async def test_home_shows_the_battle_that_is_on_once_no_hand_is_near_and_the_next_after_it() -> (
    None
):
    async with open_home(0.5) as (page, server, nursery):
        first, second = Players(names=("I", "J")), Players(names=("K", "L"))
        for players in (first, second):
            room = await nursery.start(players.play, server.url)
        await page.wait(row(room))
        await mouse(page, "mouseMoved", room)
        first.begun.set()
        await page.wait(f"{text('rooms')}.includes('battle on')")
        assert await page.run(NO_STAGE)
        await page.run(
            "(() => { const now = performance.now.bind(performance);"
            " performance.now = () => now() + 5000; })()"
        )
        await page.wait(f"{text('name-a')} === 'I'")
        assert await page.run(f"!{NO_STAGE}")
        assert await page.run(FOCUS) == "BODY"
        first.giving_up.set()
        await page.wait(f"{text('invited-to')} === 'The series is decided'")
        second.begun.set()
        await page.wait(f"{text('name-a')} === 'K'")
        assert await page.run(text("invited-to")) == "A battle is on"
        assert page.complaints == []


async def test_whoever_goes_to_a_room_is_there_with_the_focus_and_home_again() -> None:
    async with open_home(0.5) as (page, server, nursery):
        room = await nursery.start(Players().play, server.url)
        await page.wait(row(room))
        await page.run(f"{row(room)}.focus(); {row(room)}.click()")
        await page.wait("document.getElementById('standing').dataset.state === 'live'")
        assert await page.run(FOCUS) == "stage"
        label = "document.getElementById('stage').getAttribute('aria-label')"
        assert await page.run(label) == "\u2068Ada\u2069 against \u2068Grace\u2069"
        await page.run("document.querySelector('.back').click()")
        await page.wait("document.body.dataset.view === 'home'")
        assert await page.run(FOCUS) == "main"


async def test_of_a_room_that_is_gone_what_was_fought_there_can_be_seen_again() -> None:
    players = Players()
    async with open_home(200.0, Limits(over_seconds=0.5)) as (page, server, nursery):
        room = await nursery.start(players.play, server.url)
        await page.run(f"location.hash = 'room={room}'")
        await page.wait("document.getElementById('standing').dataset.state === 'live'")
        players.begun.set()
        await page.wait("!document.getElementById('door').hidden")
        assert await page.run(text("door-text")) == "the series is over"
        assert not await page.run(COMMAND)
        arena = "document.querySelector('.arena').checkVisibility()"
        assert await page.run(arena)
        await page.open(f"{page_of(server)}?again#room={room}")
        await page.wait("!document.getElementById('kept').hidden")
        assert await page.run(text("door-text")) == "There is no such room."
        assert not await page.run(COMMAND)
        assert not await page.run(arena)
        await page.run("document.querySelector('#kept a').click()")
        await page.wait("document.querySelectorAll('.unit').length > 0")
        assert await page.run(arena)
        assert await page.run("location.hash") == f"#replay={players.results[0].battle}"


# Lists stay as they are until `gone` is set, and are empty and counted from then on.
HOLD_LISTS = """(async () => {
  const { fetch } = globalThis;
  const held = await (await fetch("api/rooms")).json();
  Object.assign(globalThis, { gone: false, lists: 0 });
  globalThis.fetch = async (path, options) => {
    if (path !== "api/rooms") return fetch(path, options);
    if (gone) globalThis.lists += 1;
    return { json: async () => (gone ? { rooms: [] } : held) };
  };
})()"""


async def test_how_a_battle_ended_can_be_read_though_the_room_is_gone() -> None:
    async with open_home(0.5) as (page, server, nursery):
        players = Players()
        await nursery.start(players.play, server.url)
        players.begun.set()
        await page.wait(f"{text('name-a')} === 'Ada'")
        await page.run(HOLD_LISTS)
        players.giving_up.set()
        await page.wait("document.querySelector('.check') !== null")
        assert not await page.run(NO_STAGE)
        await page.run("globalThis.gone = true")
        assert await page.wait(f"{NO_STAGE} && lists") >= 4
        assert page.complaints == []


# From now on the server takes every question and answers none; time runs fast.
HANG = """{
  const { timeout } = AbortSignal;
  AbortSignal.timeout = (wait) => timeout.call(AbortSignal, wait / 40);
  globalThis.fetch = (path, { signal } = {}) => new Promise((_, refuse) => {
    signal?.addEventListener("abort", () => refuse(signal.reason));
  });
}"""


async def test_a_server_that_hangs_is_said_not_to_answer() -> None:
    async with open_home(1.0) as (page, _, _):
        await page.wait("!document.getElementById('none').hidden")
        await page.run(HANG)
        with trio.fail_after(20):
            await page.wait(f"{text('rooms-note')} === 'The server does not answer. Trying again…'")
        assert page.complaints == []
