"""The board keeps still, and shows all of a unit at every size."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import cast

import pytest

from tests.browser.arena import needs_chromium, open_alone, open_arena
from tests.browser.chromium import Page, open_page
from tests.browser.test_page_access import heard

pytestmark = needs_chromium


@pytest.fixture
async def page() -> AsyncIterator[Page]:
    """A tab with a board on it that `bears` sets: what one unit of it bears."""
    async with open_arena(1.0) as (server, _), open_page() as page:
        await open_alone(page, server)
        await page.run(BOARD)
        yield page


BOARD = """(async () => {
  const { Mirror } = await import("/page/mirror.js");
  const { BoardView } = await import("/page/board.js");
  const { Inspector } = await import("/page/inspector.js");
  const unit = (id, cell) => [id, cell, "tallow-knight", [], "any", ["phylactery"], 1,
    3, 39, 39, 8, 15, 0, 0, 0, 0, 0, null, 0, null, 300, 15];
  const mirror = new Mirror();
  const units = ["a", "b"].flatMap((side) =>
    Array.from({ length: 8 }, (_, at) => unit(`${side}${at}`, at)));
  mirror.load({ battle: "k3f9x2.1", tick: 100, next: { tick: 1, revival: 0, vessel: 0 }, units });
  const board = new BoardView();
  const inspector = new Inspector(board);
  document.body.dataset.view = "room";
  document.getElementById("stage").hidden = false;
  const picture = () => new Promise((done) => requestAnimationFrame(done));
  const { card } = await import("/page/names.js");
  while (!card("tallow-knight").text) await picture(); // the catalog may be on its way
  globalThis.bears = async (changes, now = 100) => {
    Object.assign(mirror.units.get("b5"), changes);
    board.update(mirror);
    board.move(mirror, now);
    inspector.update(mirror);
    inspector.move(mirror, now);
    for (let left = 4; left > 0; left -= 1) await picture();
    return document.getElementById("field").offsetHeight;
  };
})()"""

MUCH = (
    "{ quickened: 30, armor: 2, ward: 15, dread: 3, burn: 4, frozen_until: 140,"
    " keywords: ['phylactery', 'rabid'] }"
)
LITTLE = (
    "{ quickened: 0, armor: 0, ward: 0, dread: 0, burn: 0, frozen_until: null,"
    " keywords: ['phylactery'] }"
)
MOST = "{ card: 'the-one-with-the-longest-name-of-all-and-then-some' }"
# What of a unit is outside of it.
OUTSIDE = """[...document.querySelectorAll(".unit")].filter((unit) => {
  const { right, bottom } = unit.getBoundingClientRect();
  return [...unit.querySelectorAll("span:not(.unseen), em")].some((part) => {
    const box = part.getBoundingClientRect();
    const isHushed = (part.closest(".keywords, .speed")?.offsetWidth ?? 2) <= 1;
    return part.checkVisibility() && !isHushed && box.width > 1
      && (box.right > right + 1 || box.bottom > bottom + 1);
  });
}).length"""


UNIT = "document.querySelector('[data-unit=b5]')"


async def size(page: Page, width: int, height: int = 800) -> None:
    await page.command(
        "Emulation.setDeviceMetricsOverride",
        width=width,
        height=height,
        deviceScaleFactor=1,
        mobile=False,
    )


async def test_rows_keep_their_height_whatever_a_unit_bears(page: Page) -> None:
    for width in (360, 500, 640, 721, 1141, 1280):
        await size(page, width)
        before = await page.run("bears({})")
        assert await page.run(f"bears({MUCH})") == before, width
        assert await page.run(OUTSIDE) == 0
        await page.run(f"bears({LITTLE})")
    assert page.complaints == []


async def test_a_board_that_had_to_grow_does_not_shrink_again(page: Page) -> None:
    await size(page, 360)
    before = await page.run("bears({})")
    grown = await page.run(f"bears({MOST})")
    assert grown > before
    assert await page.run(OUTSIDE) == 0
    assert await page.run("bears({ card: 'tallow-knight' })") == grown
    await size(page, 1280)
    await page.run("bears({})")
    await size(page, 360)
    assert await page.run("bears({})") == before
    assert page.complaints == []


SPEED_IS_SEEN = "document.querySelector('[data-unit=b5] .speed').offsetWidth > 1"


async def test_speed_and_keywords_are_always_heard_and_seen_in_all_but_narrow_cells(
    page: Page,
) -> None:
    for width, is_seen in ((360, False), (640, True), (720, True)):
        await size(page, width)
        await page.run("bears({})")
        assert await page.run(SPEED_IS_SEEN) == is_seen
        heard_now = [" ".join(name.split()) for name in await heard(page, "button")]
        assert any("Speed 15 Phylactery" in name for name in heard_now), width


async def test_points_toward_a_vessel_show_while_a_unit_has_all_it_can_keep(page: Page) -> None:
    pips = "[...document.querySelectorAll('[data-unit=b5] .pip')].map((pip) => pip.className)"
    await page.run("bears({ vessels: 2, progress: 0 })")
    assert await page.run(pips) == ["pip full"] * 2
    await page.run("bears({ progress: 3 })")
    assert await page.run(pips) == [*["pip full"] * 2, "pip beyond"]
    fill = "document.querySelector('[data-unit=b5] .beyond > i').style.transform"
    assert await page.run(fill) == "scaleY(0.3)"


async def fact(page: Page, name: str) -> str | None:
    """What the inspector says of it, if it does."""
    found = await page.run(
        "Object.fromEntries([...document.querySelectorAll('#facts div')]"
        ".filter((fact) => fact.checkVisibility())"
        ".map(({ children: [name, value] }) => [name.textContent, value.textContent]))"
    )
    return cast(str | None, found.get(name))


async def test_freeze_and_a_return_are_told_as_they_move(page: Page) -> None:
    await page.run(f"bears({{ frozen_until: 140 }}); {UNIT}.click()")
    assert await fact(page, "Freeze") == "for 2.0 s more"
    await page.run("bears({}, 120)")
    assert await fact(page, "Freeze") == "for 1.0 s more"
    assert await fact(page, "Fate") is None
    await page.run("bears({ frozen_until: null, vitality: 0, return_due: 190 })")
    assert await fact(page, "Freeze") is None
    assert await fact(page, "Fate") == "Returns in 4.5 s"
    await page.run("bears({ return_due: null })")
    assert await fact(page, "Fate") == "Fallen"


async def test_who_chooses_a_unit_on_a_phone_sees_what_is_told_and_can_select_it(
    page: Page,
) -> None:
    await size(page, 360, 640)
    await page.run("bears({})")
    await page.run(f"scrollTo(0, 0); {UNIT}.click()")
    bottom = "document.getElementById('inspector').getBoundingClientRect().bottom <= innerHeight"
    assert await page.run(bottom)
    await page.run("getSelection().selectAllChildren(document.getElementById('inspector'))")
    await page.run("globalThis.line = document.querySelector('#texts p')")
    selected = await page.run("getSelection().toString()")
    assert "Tallow Knight b5" in selected
    await page.run("bears({ dread: 3, burn: 2, vitality: 20 }, 105)")
    assert "20 of 39" in await page.run("getSelection().toString()")
    assert await fact(page, "Vitality") == "20 of 39"
    assert await page.run("line.isConnected")


LONG_NAMES = """(async () => {
  const { Verdict } = await import("/page/verdict.js");
  const { Logbook } = await import("/page/logbook.js");
  const result = { round: 1, winner: "a", reason: "elimination", tick: 20, digest: null,
    secret: "00", battle: "", nonces: {}, seed: "" };
  const verdict = new Verdict(() => "M".repeat(24));
  globalThis.show = () => verdict.show(result, null, new Logbook(), { held: 0, failed: 0 });
  await show();
  for (const id of ["name-a", "name-b"]) document.getElementById(id).textContent = "M".repeat(24);
})()"""


async def test_the_longest_names_do_not_make_a_phone_scroll_sideways(page: Page) -> None:
    await size(page, 360)
    await page.run(LONG_NAMES)
    await page.wait("!document.getElementById('verdict').hidden")
    assert await page.run("document.documentElement.scrollWidth") <= 360


async def test_the_banner_of_a_result_can_be_put_away(page: Page) -> None:
    await page.run(LONG_NAMES)
    hidden = "document.getElementById('banner').hidden"
    assert await page.run(hidden) is False
    await page.run("document.getElementById('banner-close').focus()")
    await page.run("document.getElementById('banner-close').click()")
    assert await page.run(hidden) is True
    assert await page.run("document.activeElement.id") == "stage"
    await page.run("show()")
    assert await page.run(hidden) is False
    await page.run(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', "
        "{ key: 'Escape', bubbles: true }))"
    )
    assert await page.run(hidden) is True
