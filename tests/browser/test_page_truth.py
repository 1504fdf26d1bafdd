"""What the page says of a battle is so: what it has checked, and what it has not."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from protocol.fairness import derive_seed
from tests.browser.arena import Players, needs_chromium, open_arena, page_of
from tests.browser.chromium import Page, open_page

pytestmark = needs_chromium

MARKS = (
    "[...document.querySelectorAll('.check')].map((check) => [check.querySelector('b').textContent,"
    " check.dataset.holds, check.querySelector('small').textContent])"
)
SEEN_BEFORE = "SHA-256 of the revealed secret is what was published before the round"
NOT_SEEN_BEFORE = (
    "SHA-256 of the revealed secret is what was told with the battle; that it was published before,"
    " was not seen here"
)
UNABLE = "this browser can check only what came over TLS, or from this machine"


@pytest.mark.parametrize("comes_late", [False, True])
async def test_only_who_was_there_before_a_round_saw_what_was_published_before_it(
    comes_late: bool,
) -> None:
    players = Players()
    async with open_arena(12.0) as (server, nursery), open_page() as page:
        room = await nursery.start(players.play, server.url)
        if comes_late:
            players.begun.set()
            await players.fighting.wait()
        await page.open(f"{page_of(server)}#room={room}")
        await page.wait("document.getElementById('standing').dataset.state === 'live'")
        players.begun.set()
        await page.wait("document.querySelector('.check') !== null")
        words = NOT_SEEN_BEFORE if comes_late else SEEN_BEFORE
        assert (await page.run(MARKS))[0] == ["Commitment", "true", words]


# What is published of a round, what is told with its battle, and what was seen of the former.
HEARD = """(async () => {
  const { Promises } = await import("/page/promises.js");
  const room = (phase, commitment, round = 1) => ({ phase, commitment, round });
  const begin = { round: 1, commitment: "told" };
  const seen = (...rooms) => {
    const promises = new Promises();
    for (const room of rooms) room === null ? promises.doubt() : promises.hear(room);
    return promises.before(begin);
  };
  return [
    seen(room("building", "told"), room("battle", "told")),
    seen(room("waiting", null), room("battle", "told")),
    seen(room("building", "told", 0)),
    seen(room("building", "other"), room("battle", "told")),
    seen(room("building", "other"), null, room("battle", "told")),
    seen(room("building", "told"), null, room("battle", "told")),
    seen(room("building", "other"), null, room("building", "told")),
  ];
})()"""


async def test_what_was_published_is_remembered_as_far_as_it_was_heard() -> None:
    """After a gap, another than the one heard may have been published: that is no lie."""
    async with open_arena(1.0) as (server, _), open_page() as page:
        await page.open(page_of(server))
        told = ["told", None, None, "other", None, "told", "told"]
        assert await page.run(HEARD) == told


SECRET = bytes(range(32))
NONCES = {"a": "V0y4mQ2tXwJc9LrB", "b": "pK7dUe3nHs1ZgF5a"}
BEGUN = {"commitment": hashlib.sha256(SECRET).hexdigest(), "promised": None}

SHOW = """(async (result, begun, digests) => {
  const { Verdict } = await import("/page/verdict.js");
  const { Logbook } = await import("/page/logbook.js");
  await new Verdict((side) => side).show(result, begun, new Logbook(), digests);
})"""


async def marks(page: Page, begun: Any, digests: tuple[int, int], **told: Any) -> dict[str, Any]:
    """What is said of a result, by the name of the mark."""
    result = {
        "battle": "k3f9x2.1",
        "round": 1,
        "winner": "a",
        "reason": "elimination",
        "tick": 70,
        "digest": "8" * 32,
        "secret": SECRET.hex(),
        "nonces": NONCES,
        "seed": derive_seed(SECRET, "k3f9x2.1", NONCES["a"], NONCES["b"]),
        **told,
    }
    held, failed = digests
    given = (result, begun, {"held": held, "failed": failed})
    await page.run(f"{SHOW}({', '.join(json.dumps(one) for one in given)})")
    return {name: (holds, what) for name, holds, what in await page.run(MARKS)}


async def test_what_is_not_checked_says_why() -> None:
    async with open_arena(1.0) as (server, _), open_page() as page:
        await page.open(page_of(server))
        for reason in ("forfeit", "void"):
            said = await marks(page, BEGUN, (2, 0), digest=None, reason=reason)
            unfought = "the battle was not fought to its end, and has no digest"
            assert said["Log"] == ("null", unfought)
            assert said["States"] == ("true", "2 digests of the state agreed on the way")
            assert said["Commitment"] == ("true", NOT_SEEN_BEFORE)
            assert said["Seed"][0] == "true"
        for reason, digest in (("elimination", None), ("forfeit", "8" * 32)):
            said = await marks(page, BEGUN, (2, 0), digest=digest, reason=reason)
            assert said["Log"][0] == "false"
        said = await marks(page, None, (0, 0))
        assert said["Commitment"] == ("null", "the beginning of the battle was not seen here")
        assert said["Log"] == ("null", "not all of its lines were seen here")
        assert said["States"] == ("null", "no digest of the state was seen here")
        said = await marks(page, {**BEGUN, "promised": "another"}, (1, 1))
        assert [said[name][0] for name in ("Commitment", "States")] == ["false", "false"]


# What a page has that came over plain HTTP from elsewhere.
NO_SUBTLE = "Object.defineProperty(crypto, 'subtle', { value: undefined });"


async def test_a_browser_that_cannot_check_says_so() -> None:
    async with open_arena(1.0) as (server, _), open_page() as page:
        await page.command("Page.addScriptToEvaluateOnNewDocument", source=NO_SUBTLE)
        await page.open(page_of(server))
        said = await marks(page, BEGUN, (0, 0))
        assert set(said.values()) == {("null", UNABLE)}
        assert await page.run("document.getElementById('banner-checks').textContent") == ""
