"""The chronicle stays at its end, until the reader goes elsewhere, and keeps what it tells."""

from __future__ import annotations

from tests.browser.arena import needs_chromium, open_alone, open_arena
from tests.browser.chromium import open_page

pytestmark = needs_chromium

# A chronicle by itself, to which `more` adds; gives how far from its end it is, once it is drawn.
CHRONICLE = """(async () => {
  const { LogView } = await import("/page/log.js");
  document.getElementById("stage").hidden = false;
  const log = new LogView((id) => id, (side) => side);
  let line = 0;
  const picture = () => new Promise((done) => requestAnimationFrame(done));
  const drawn = async () => { await picture(); await picture(); };
  globalThis.log = log;
  globalThis.more = async (lines, high = "") => {
    document.getElementById("field").style.minHeight = high;
    await drawn();
    const heal = () => ({ tick: 20, line: line++, kind: "heal",
      values: { unit: "The Candle Abbot of the Barrow", source: null, amount: 3 } });
    log.add(Array.from({ length: lines }, heal));
    await drawn();
    return Math.round(log.list.scrollHeight - log.list.scrollTop - log.list.clientHeight);
  };
  globalThis.reshape = async (width, high) => {
    log.list.parentElement.style.width = width;
    document.getElementById("field").style.minHeight = high;
    log.list.scrollTop -= 300; // as browsers do, so that the same line stays in sight
    log.list.dispatchEvent(new Event("scroll"));
    await drawn();
  };
  globalThis.scroll = async (by) => { log.list.scrollTop += by; await drawn(); };
})()"""


async def test_it_follows_whatever_changes_in_size_until_the_reader_scrolls_up() -> None:
    async with open_arena(1.0) as (server, _), open_page() as page:
        await open_alone(page, server)
        await page.run(CHRONICLE)
        assert await page.run("more(90, '900px')") == 0
        assert await page.run("more(1, '600px')") == 0
        assert await page.run("more(1, '800px')") == 0
        for width, high in (("20rem", "900px"), ("40rem", "600px"), ("15rem", "700px")):
            await page.run(f"reshape({width!r}, {high!r})")
            assert await page.run(f"more(1, {high!r})") == 0
        await page.run("scroll(-30)")
        assert await page.run("more(1)") > 30
        assert await page.run("more(1, '700px')") > 0
        await page.run("scroll(9999)")
        assert await page.run("more(5, '900px')") == 0
        assert await page.run("more(600, '600px')") == 0, "the first ones are forgotten"


# Much at once, nearly all of it never told: gives the lines that are there then.
AT_ONCE = """(() => {
  const heal = { kind: "heal", values: { unit: "a0", source: null, amount: 3 } };
  const charge = { kind: "charge", values: { unit: "a0", amount: 3 } };
  const events = [heal, ...Array(600).fill(charge), heal];
  log.add(events.map((event, line) => ({ tick: 20, line, ...event })));
  return [...log.list.children].map((item) => item.dataset.line);
})()"""


async def test_what_is_never_told_takes_no_place_from_what_is() -> None:
    async with open_arena(1.0) as (server, _), open_page() as page:
        await open_alone(page, server)
        await page.run(CHRONICLE)
        assert await page.run(AT_ONCE) == ["0", "601"]
