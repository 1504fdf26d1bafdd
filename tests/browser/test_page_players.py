"""The page says of a battle who fought it, whoever holds the seats by the time it is seen."""

from __future__ import annotations

import trio

from protocol.client import open_client
from protocol.messages import Join, Welcome
from tests.browser.arena import Players, needs_chromium, open_arena, page_of
from tests.browser.chromium import open_page

pytestmark = needs_chromium

ENDED = "!document.getElementById('banner').hidden && document.querySelector('.check') !== null"


async def test_a_battle_that_is_over_has_its_own_players() -> None:
    players = Players(best_of=3, leaves=True)
    async with open_arena(100.0) as (server, nursery), open_page() as page:
        room = await nursery.start(players.play, server.url)
        players.begun.set()
        with trio.fail_after(30):
            await players.left.wait()
            async with open_client(server.url, Join(version=1, name="Zoe"), room) as zoe:
                assert isinstance(await anext(zoe), Welcome)
                await page.open(f"{page_of(server)}#room={room}")
                await page.wait(ENDED)
                named = await page.run(
                    "['name-a', 'name-b', 'banner-text'].map("
                    " (id) => document.getElementById(id).textContent)"
                )
                chronicle = await page.run("document.getElementById('log').textContent")
    (result,) = players.results
    assert named[:2] == ["Zoe", "Grace"]
    winner = {"a": "Ada", "b": "Grace", None: "A draw"}[result.winner]
    assert named[2].startswith(winner)
    assert winner in chronicle
    assert "Zoe" not in chronicle
