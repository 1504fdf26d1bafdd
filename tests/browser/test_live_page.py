"""The page in a real browser: a battle is seen, moves, ends, and is checked."""

from __future__ import annotations

import time
from typing import Any, cast

import jwt
import pytest

from engine import base_catalog, sample_boards
from protocol.client import open_client
from protocol.messages import Create, Welcome
from server.security import Security
from server.tickets import with_secret
from server.view.words import seconds
from tests.browser.arena import Players, Wire, needs_chromium, open_arena, page_of
from tests.browser.chromium import Page, open_page

pytestmark = needs_chromium

# So many times as fast as life: a battle of a minute takes five seconds and less.
PACE = 12.0
# Longest names there are; one of them means harm.
NAMES = ("<img src=x onerror=f()>", "<script>f()</script>")

SECRET = "s" * 32

BOARDS = ("red-kennel", "slow-kiln")

UNITS = "document.querySelectorAll('.unit').length"
CHARGES = (
    "[...document.querySelectorAll('.unit:not(.dead) .bar.charge > i')]"
    ".map((bar) => bar.style.transform).join()"
)
BANNER = "!document.getElementById('banner').hidden && document.querySelector('.check') !== null"
CHECKS = "[...document.querySelectorAll('.check')].map((check) => check.dataset.holds)"


# Counts the strikes that are drawn, from now on.
COUNT_STRIKES = (
    "window.strikes = 0; new MutationObserver((changes) => {"
    " for (const { addedNodes } of changes) strikes += addedNodes.length;"
    " }).observe(document.getElementById('overlay'), { childList: true })"
)

# Says it at the door.
COME_IN = (
    "document.getElementById('door-value').value = '{}';"
    " document.getElementById('door-form').requestSubmit()"
)


def text(element: str) -> str:
    return f"document.getElementById({element!r}).textContent"


async def assert_battle_is_checked(page: Page) -> None:
    """Waits for the end of the battle. All four marks hold: commitment, seed, log and states."""
    await page.wait(BANNER)
    assert await page.run(CHECKS) == ["true"] * 4
    assert await page.run(text("banner-checks")) == "✓ 4 checks made in this browser"
    assert "✓✓✓✓" in await page.run(
        "[...document.querySelectorAll('.check .tick')].map((mark) => mark.textContent).join('')"
    )


async def test_a_battle_is_seen_live_to_its_checked_end() -> None:
    players = Players(names=NAMES)
    async with open_arena(PACE) as (server, nursery), open_page() as page:
        await nursery.start(players.play, server.url)
        players.begun.set()
        await page.open(page_of(server))
        await page.run(COUNT_STRIKES)
        await page.wait(f"{UNITS} >= 12")  # without a click: it is the only battle
        assert await page.run("document.getElementById('invitation').hidden") is False
        before = await page.run(CHARGES)
        await page.wait(f"{CHARGES} !== {before!r}")

        assert await page.run(text("name-a")) == NAMES[0]
        assert await page.run(text("name-b")) == NAMES[1]
        assert await page.run("document.querySelectorAll('img, main script').length") == 0

        await assert_battle_is_checked(page)
        assert await page.run("document.querySelectorAll('#log .major').length") > 0
        assert await page.run("strikes") > 10
        (result,) = players.results
        assert await page.run(text("digest")) == result.digest
        who = f"{NAMES['ab'.index(result.winner)]} wins" if result.winner else "A draw"
        how = f"{who} by {result.reason} after {seconds(result.tick)}"
        assert await page.run(text("banner-text")) == how
        assert page.complaints == []


async def test_bars_move_between_frames_too() -> None:
    """At half its speed, no frame comes for a while, and Charge moves all the same."""
    players = Players()
    async with open_arena(0.5) as (server, nursery), open_page() as page:
        await nursery.start(players.play, server.url)
        players.begun.set()
        await page.open(page_of(server))
        await page.wait(f"{UNITS} >= 12")
        shown = await page.run(
            "new Promise((resolve) => { const seen = new Set(); let left = 20;"
            f" const look = () => {{ seen.add({CHARGES});"
            " if (left-- > 0) requestAnimationFrame(look); else resolve(seen.size); }; look(); })"
        )
        assert shown >= 10, "of 20 pictures, most show another Charge"


async def test_a_lost_connection_is_resumed_with_nothing_missing() -> None:
    """The page comes late, so that a resume without the right numbers would leave a hole."""
    players = Players()
    async with open_arena(PACE) as (server, nursery), open_page() as page:
        wire = Wire(server.port)
        await nursery.start(wire.run)
        room = await nursery.start(players.play, server.url)
        players.begun.set()
        await players.fighting.wait()
        await page.open(f"{page_of(server, wire.port)}#room={room}")
        await page.wait(f"{UNITS} >= 12")
        wire.cut()
        await page.wait("document.getElementById('standing').dataset.state === 'lost'")
        assert await page.run(text("standing")) == "connection lost, trying again…"
        wire.mend()
        await page.wait("document.getElementById('standing').dataset.state === 'live'")
        assert await page.run(text("standing")) == "live · resumed"
        await assert_battle_is_checked(page)  # the log has no gap, or its mark would not hold


# At the tenth frame, something slips in the mirror.
SLIP = """(async () => {
  const { Mirror } = await import("/page/mirror.js");
  const { apply } = Mirror.prototype;
  let frames = 0;
  Mirror.prototype.apply = function (frame) {
    const events = apply.call(this, frame);
    frames += 1;
    if (frames === 10) this.units.get("a0").speed += 1;
    return events;
  };
})()"""


async def test_a_server_that_is_about_to_stop_is_watched_to_the_end() -> None:
    players = Players()
    async with open_arena(PACE) as (server, nursery), open_page() as page:
        await nursery.start(players.play, server.url)
        await page.open(page_of(server))
        players.begun.set()
        await page.wait(f"{UNITS} > 0")
        server.hall.drain()
        await assert_battle_is_checked(page)
        assert await page.run("document.getElementById('standing').dataset.state") == "live"


@pytest.mark.parametrize(("comes_late", "log"), [(False, "true"), (True, "null")])
async def test_a_mirror_that_goes_wrong_is_noticed_and_begins_anew(
    comes_late: bool, log: str
) -> None:
    """Who was there before the battle gets all of it again; who came later a snapshot, and so not
    the whole log.
    """
    players = Players()
    async with open_arena(PACE) as (server, nursery), open_page() as page:
        room = await nursery.start(players.play, server.url)
        if comes_late:
            players.begun.set()
            await players.fighting.wait()
        await page.open(f"{page_of(server)}#room={room}")
        await page.run(SLIP)
        await page.wait("document.getElementById('standing').dataset.state === 'live'")
        players.begun.set()
        await page.wait("document.getElementById('standing').textContent === 'live · resumed'")
        await page.wait(BANNER)
        assert await page.run(CHECKS) == ["true", "true", log, "true"]


async def test_a_private_room_asks_for_its_key() -> None:
    players = Players(key="four candles")
    async with open_arena(PACE) as (server, nursery), open_page() as page:
        room = await nursery.start(players.play, server.url)
        await page.open(f"{page_of(server)}#room={room}")
        await page.wait("!document.getElementById('door').hidden")
        assert await page.run(text("door-text")) == "This room is private. Its key?"
        assert await page.run(text("standing")) == "The room is private."
        hint = f"phylactery watch {room} --key KEY --server ws://127.0.0.1:{server.port}"
        assert await page.run(text("command")) == hint
        for key, state in (("five candles", "ended"), ("four candles", "live")):
            await page.run(
                f"document.getElementById('standing').dataset.state = ''; {COME_IN.format(key)}"
            )
            await page.wait(f"document.getElementById('standing').dataset.state === {state!r}")
            if state == "ended":
                assert "not the room's key" in await page.run(text("door-text"))
                assert "not its key" in await page.run(text("standing"))
        assert await page.run("document.getElementById('door').hidden") is True
        assert await page.run(text("command")) == hint
        assert "candles" not in await page.run("location.href + document.body.textContent")
        assert page.complaints == []


async def test_the_way_into_a_private_room_asks_for_its_key() -> None:
    create = Create(version=1, name="Ada", key="four candles")
    async with (
        open_arena(PACE) as (server, _),
        open_page() as page,
        open_client(server.url, create) as ada,
    ):
        welcome = await anext(ada)
        assert isinstance(welcome, Welcome)
        room = welcome.room.id
        await page.open(f"{page_of(server)}#room={room}")
        await page.wait("!document.getElementById('door').hidden")
        await page.run(COME_IN.format("four candles"))
        await page.wait(f"{text('banner-checks')} !== ''")
        hint = f"phylactery play red-kennel --room {room} --key KEY --server {server.url}"
        assert await page.run(text("banner-checks")) == hint


async def test_who_was_asked_for_a_ticket_and_then_a_key_comes_in_with_both() -> None:
    ticket = jwt.encode({"player": "ada", "exp": time.time() + 600}, SECRET, "HS256")
    create = Create(version=1, name="Ada", key="four candles", ticket=ticket)
    security = Security(tickets=with_secret(SECRET))
    async with (
        open_arena(PACE, security=security) as (server, _),
        open_page() as page,
        open_client(server.url, create) as ada,
    ):
        welcome = await anext(ada)
        assert isinstance(welcome, Welcome)
        await page.open(f"{page_of(server)}#room={welcome.room.id}")
        for asked, said in (("ticket", ticket), ("key", "four candles")):
            await page.wait(f"document.getElementById('door-value').name === {asked!r}")
            await page.wait("!document.getElementById('door').hidden")
            await page.run(COME_IN.format(said))
        await page.wait("document.getElementById('standing').dataset.state === 'live'")
        assert " --ticket TICKET --key KEY" in await page.run(text("command"))


async def test_an_empty_list_says_what_is_true_of_each_command() -> None:
    async with open_arena(PACE) as (server, _), open_page() as page:
        await page.open(page_of(server))
        await page.wait("!document.getElementById('none').hidden")
        said = await page.run(text("none"))
        play, _, demo = said.partition("Or see two bots fight.")
        assert "This list sees the room by itself." in play
        assert "phylactery play red-kennel --server" in play
        assert "a server of their own" in demo
        assert "phylactery demo" in demo


async def test_who_wants_no_motion_is_shown_none() -> None:
    players = Players(boards=BOARDS)
    async with open_arena(PACE) as (server, nursery), open_page() as page:
        features = [{"name": "prefers-reduced-motion", "value": "reduce"}]
        await page.command("Emulation.setEmulatedMedia", features=features)
        room = await nursery.start(players.play, server.url)
        await page.open(f"{page_of(server)}#room={room}")
        await page.run(COUNT_STRIKES)
        await page.wait("document.getElementById('standing').dataset.state === 'live'")
        players.begun.set()
        await assert_battle_is_checked(page)
        assert await page.run("strikes") == 0


async def test_a_unit_can_be_looked_at_by_keyboard() -> None:
    players = Players()
    async with open_arena(1.0) as (server, nursery), open_page() as page:
        await nursery.start(players.play, server.url)
        players.begun.set()
        await page.open(page_of(server))
        await page.wait(f"{UNITS} >= 12")
        await page.run("document.querySelector('[data-unit=\"b1\"]').focus()")
        enter = {"key": "Enter", "text": "\r", "windowsVirtualKeyCode": 13}
        for kind in ("keyDown", "keyUp"):
            await page.command("Input.dispatchKeyEvent", type=kind, **enter)
        await page.wait("!document.getElementById('inspector').hidden")
        second = base_catalog().cards[str(sorted_units(players.boards[1])[1]["card"])]
        assert await page.run(text("inspector-name")) == second.name
        assert second.text in await page.run(text("texts"))


def sorted_units(name: str) -> list[dict[str, Any]]:
    """A sample board's units in the order in which they are numbered."""
    units = cast(list[dict[str, Any]], sample_boards()[name]["units"])
    return sorted(units, key=lambda unit: int(unit["cell"]))


async def test_a_list_of_rooms_and_what_to_do_without_any() -> None:
    async with open_arena(PACE) as (server, nursery), open_page() as page:
        await page.open(page_of(server))
        await page.wait("!document.getElementById('none').hidden")
        assert f"--server {server.url}" in await page.run(text("none"))
        rooms = [await nursery.start(Players(boards=BOARDS).play, server.url) for _ in range(2)]
        await page.wait("document.querySelectorAll('#rooms li').length === 2")
        assert await page.run("document.getElementById('none').hidden") is True
        links = await page.run("[...document.querySelectorAll('#rooms a')].map((a) => a.hash)")
        assert sorted(links) == sorted(f"#room={room}" for room in rooms)
        assert "Ada 0 vs Grace 0" in await page.run(text("rooms"))
        await page.run("document.querySelector('#rooms a').click()")
        await page.wait("document.getElementById('standing').dataset.state === 'live'")
        assert page.complaints == []


async def test_a_room_that_is_not_there() -> None:
    async with open_arena(PACE) as (server, _), open_page() as page:
        await page.open(f"{page_of(server)}#room=nowhere")
        await page.wait("!document.getElementById('door').hidden")
        assert await page.run(text("door-text")) == "There is no such room."
        assert await page.run("document.getElementById('door-form').hidden") is True


@pytest.mark.parametrize("scheme", ["dark", "light"])
async def test_words_can_be_read_and_a_phone_holds_it(scheme: str) -> None:
    players = Players()
    async with open_arena(PACE) as (server, nursery), open_page() as page:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        await page.command("Emulation.setEmulatedMedia", features=features)
        await page.command(
            "Emulation.setDeviceMetricsOverride",
            width=360,
            height=740,
            deviceScaleFactor=1,
            mobile=True,
        )
        await nursery.start(players.play, server.url)
        players.begun.set()
        await page.open(page_of(server))
        await page.wait(f"{UNITS} >= 12")
        assert await page.run("document.documentElement.scrollWidth") <= 360
        assert await page.run(CONTRAST) == []
        await page.wait(BANNER)
        await page.run("document.querySelector('.unit').click()")
        assert await page.run("document.documentElement.scrollWidth") <= 360
        assert await page.run(CONTRAST) == []


# Every text against the nearest ground below it, as WCAG 2 counts contrast.
CONTRAST = """(() => {
  const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => parse(colour).slice(0, 3)
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if ((parse(colour)[3] ?? 1) > 0.9) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const poor = [];
  for (const element of document.querySelectorAll("main *, header *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const { color, visibility, textShadow } = getComputedStyle(element);
    if (!own || visibility === "hidden" || element.offsetParent === null) continue;
    if (textShadow !== "none" || element.closest("svg, .unseen")) continue; // has an outline
    const [one, other] = [light(color), light(ground(element))].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    if (ratio < 4.5) poor.push(`${element.className} ${element.textContent}: ${ratio.toFixed(2)}`);
  }
  return poor;
})()"""
