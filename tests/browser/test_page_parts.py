"""Parts of the page by themselves, in a real browser: what they show, and that they hold still."""

from __future__ import annotations

import json
import random

from tests.browser.arena import needs_chromium
from tests.browser.chromium import Page

pytestmark = needs_chromium

# What a beat shows as frames come: of each, when in ms, and of which tick.
SHOWN = """(async (frames) => {
  const { Beat } = await import("/page/beat.js");
  const { now } = performance;
  let time = 0;
  performance.now = () => time;
  const beat = new Beat();
  const shown = [];
  for (const [at, tick] of frames) {
    time = at;
    shown.push(beat.now);
    beat.heard(tick);
    shown.push(beat.now);
  }
  performance.now = now;
  return shown;
})"""


async def test_on_an_uneven_line_the_clock_does_not_run_back(page: Page) -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    dice, at = random.Random(seed), 0.0
    frames = []
    for tick in range(0, 400, 4):
        at = max(at, 50.0 * tick + dice.uniform(0, 400))
        frames.append((at, tick))
    shown = await page.run(f"{SHOWN}({json.dumps(frames)})")
    assert shown == sorted(shown)
    late = [at / 50 - tick for (at, _), tick in zip(frames[50:], shown[101::2], strict=True)]
    assert max(late) < 3  # ticks: what was on its way for least says when the battle began


async def test_a_battle_that_was_held_up_is_shown_so(page: Page) -> None:
    frames = [(50.0 * tick, tick) for tick in range(0, 40, 4)]
    frames += [(50.0 * tick + 3000, tick) for tick in range(40, 200, 4)]
    shown = await page.run(f"{SHOWN}({json.dumps(frames)})")
    assert shown == sorted(shown)
    assert shown[-1] == frames[-1][1]


LINKS = """(async () => {
  const { el, showLinks } = await import("/page/dom.js");
  const list = el("ul");
  document.body.append(list);
  const show = (...rows) => showLinks(list, rows.map(([id, text]) =>
    el("li", { "data-text": text }, el("a", { href: `#${id}` }, el("b", null, text)))));
  show(["a", "one"], ["b", "two"], ["c", "three"]);
  const link = list.children[1].firstChild;
  link.focus();
  show(["d", "four"], ["b", "more"], ["a", "one"]);
  const told = [...list.children].map((row) => [row.dataset.text, row.textContent]);
  const kept = [list.children[1].firstChild === link, document.activeElement === link];
  list.remove();
  return [told, kept];
})()"""


async def test_a_link_that_is_still_listed_stays_the_same(page: Page) -> None:
    told, kept = await page.run(LINKS)
    assert told == [["four", "four"], ["more", "more"], ["one", "one"]]
    assert kept == [True, True]


UNIT = {
    "id": "a0",
    "cell": 0,
    "card": "bone-squire",
    "runes": [],
    "focus": "front",
    "keywords": ["phylactery"],
    "vessels": 2,
    "progress": 2,
    "vitality": 9,
    "max_vitality": 9,
    "power": 3,
    "speed": 100,
    "armor": 0,
    "ward": 0,
    "quickened": 0,
    "dread": 0,
    "burn": 0,
    "frozen_until": None,
    "incarnation": 0,
    "return_due": None,
    "charge": 0,
    "rate": 100,
}

VESSELS = """(async (unit) => {
  const { UnitView } = await import("/page/unit.js");
  const view = new UnitView(unit);
  view.update(unit, "Squire", { vessel_max: 2, vessel_cost: 4 });
  return view.vessels.textContent;
})"""


async def test_points_beyond_the_last_vessel_are_shown(page: Page) -> None:
    """800.49h: they are held, and count after the next death."""
    assert await page.run(f"{VESSELS}({json.dumps(UNIT)})") == "+2"
    filling = {**UNIT, "vessels": 1}
    assert await page.run(f"{VESSELS}({json.dumps(filling)})") == ""


INSPECTED = """(async (units) => {
  const { Inspector } = await import("/page/inspector.js");
  const element = document.createElement("button");
  element.className = "unit";
  element.dataset.unit = "a0";
  const board = { views: new Map([["a0", { element }]]), name: () => "Squire",
    rules: { vessel_cost: 4 } };
  const inspector = new Inspector(board);
  const field = document.getElementById("field");
  field.append(element);
  element.click();
  const paragraph = () => document.getElementById("texts").firstChild;
  let first = null;
  const told = units.map((unit) => {
    inspector.update({ units: new Map([["a0", unit]]), over: false, chargeAt: () => 7 });
    inspector.move(inspector.mirror, 10);
    first ??= paragraph();
    const facts = [...document.querySelectorAll("#facts div")].map(
      (fact) => [...fact.children].map((one) => one.textContent));
    return [Object.fromEntries(facts), paragraph() === first];
  });
  element.remove();
  inspector.close();
  return told;
})"""


async def test_who_looks_at_a_unit_is_told_of_freeze_and_return_and_not_disturbed(
    page: Page,
) -> None:
    frozen = {**UNIT, "frozen_until": 40, "rate": 0}
    dead = {**UNIT, "vitality": 0, "return_due": 210, "rate": 0}
    told = await page.run(f"{INSPECTED}({json.dumps([UNIT, frozen, dead])})")
    (well, _), (cold, _), (gone, _) = told
    assert "Freeze" not in well
    assert "Fate" not in well
    assert cold["Freeze"] == "1.5 s"
    assert gone["Fate"] == "Returns in 10.0 s"
    assert "Freeze" not in gone
    assert [same for _, same in told] == [True] * 3
