"""The page for those who hear it, who see few colours, or whose names run from right to left."""

from __future__ import annotations

from typing import Any

import pytest

from protocol.client import open_client
from protocol.messages import Create, Welcome
from tests.browser.arena import Players, needs_chromium, open_arena, page_of
from tests.browser.chromium import Page, open_page

pytestmark = needs_chromium

UNITS = "document.querySelectorAll('.unit').length"
STATE = "document.getElementById('standing').dataset.state"


async def heard(page: Page, role: str) -> list[str]:
    """The names of all elements of a role, as the browser tells them to a screen reader."""
    nodes: list[Any] = (await page.command("Accessibility.getFullAXTree"))["nodes"]
    shown = [node for node in nodes if not node["ignored"]]
    return [one["name"]["value"] for one in shown if one["role"]["value"] == role]


# A unit by itself, alive and then fallen.
SHOW_UNIT = """(async () => {
  const { UnitView } = await import("/page/unit.js");
  const unit = { id: "a4", keywords: ["phylactery"], vessels: 1, progress: 3, vitality: 5,
    max_vitality: 57, power: 8, speed: 16, armor: 2, ward: 0, quickened: 0, dread: 3, burn: 0,
    frozen_until: null, return_due: null };
  const show = (changes) => {
    const view = new UnitView(unit);
    view.update({ ...unit, ...changes }, "Tallow Knight", { vessel_max: 2, vessel_cost: 10 });
    view.move({ ...unit, ...changes }, 0, 20);
    return view.element;
  };
  document.querySelector("main").replaceChildren(
    show({}), show({ vitality: 0, return_due: 120 }),
    show({ keywords: [], vessels: 0, progress: 0 }));
})()"""


async def test_all_of_a_unit_is_heard() -> None:
    async with open_arena(1.0) as (server, _), open_page() as page:
        await page.open(page_of(server))
        await page.run(SHOW_UNIT)
        vessels = "Vessels 1 of 2, 3 of 10 points toward the next"
        stats = "Power 8 Speed 16 Armor 2 Dread 3"
        assert [" ".join(name.split()) for name in await heard(page, "button")] == [
            f"Tallow Knight Vitality 5/57 {vessels} {stats} Phylactery",
            f"Tallow Knight {vessels} Returns in 5.0 s",
            f"Tallow Knight Vitality 5/57 {stats}",
        ]


async def test_the_clock_is_a_timer() -> None:
    create = Create(version=1, name="Ada")
    async with (
        open_arena(1.0) as (server, _),
        open_page() as page,
        open_client(server.url, create) as ada,
    ):
        welcome = await anext(ada)
        assert isinstance(welcome, Welcome)
        await page.open(f"{page_of(server)}#room={welcome.room.id}")
        await page.wait(f"{STATE} === 'live'")
        assert await heard(page, "timer") == ["Clock"]


# The left edges of what stands in a line: of texts, as they are seen.
EDGES = """((selector, ...texts) => {
  const found = [];
  const walk = document.createTreeWalker(document.querySelector(selector), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const at = texts.findIndex((text) => walk.currentNode.data.includes(text));
    if (at < 0) continue;
    const range = document.createRange();
    const from = walk.currentNode.data.indexOf(texts[at]);
    range.setStart(walk.currentNode, from);
    range.setEnd(walk.currentNode, from + texts[at].length);
    found.push([range.getBoundingClientRect().left, texts[at]]);
  }
  return found.sort(([one], [other]) => one - other).map(([, text]) => text);
})"""

SHALOM, SALAAM = "שלום 2", "سلام"

SHOW_NAMES = f"""(async () => {{
  const {{ Verdict }} = await import("/page/verdict.js");
  const {{ Logbook }} = await import("/page/logbook.js");
  const result = {{ round: 3, winner: "a", reason: "7", tick: 20, digest: null, secret: "00",
    battle: "", nonces: {{}}, seed: "" }};
  await new Verdict(() => "{SHALOM}").show(result, null, new Logbook(), {{ held: 0, failed: 0 }});
  document.getElementById("stage").hidden = false;
}})()"""


async def test_names_from_right_to_left_move_nothing_else() -> None:
    """Whatever has no direction of its own, numbers first of all, would go to their other side."""
    players = Players(names=(SHALOM, SALAAM))
    async with open_arena(1.0) as (server, nursery), open_page() as page:
        await page.open(page_of(server))
        await nursery.start(players.play, server.url)
        # The list may have been asked for before the second of them came.
        await page.wait(f"document.getElementById('rooms').textContent.includes('{SALAAM}')")
        pair = await page.run(f"{EDGES}('#rooms .pair', 'שלום', ' 0', 'vs', '{SALAAM}')")
        assert pair == ["שלום", " 0", "vs", SALAAM, " 0"]

        players.begun.set()
        await page.wait(f"{UNITS} >= 12")
        invited = await page.run(f"{EDGES}('#invited', 'שלום', 'against', '{SALAAM}')")
        assert invited == ["שלום", "against", SALAAM]
        await page.run("document.querySelector('#invitation').click()")
        await page.wait(
            f"document.title.startsWith('\\u2068{SHALOM}\\u2069 \\u2013 \\u2068{SALAAM}')"
        )
        await page.wait("document.querySelector('#log li') !== null")
        style = "getComputedStyle(document.querySelector('#log b')).unicodeBidi"
        assert await page.run(style) == "isolate"

        await page.run(SHOW_NAMES)
        for place in ("#banner-text", "#verdict-title"):
            assert await page.run(f"{EDGES}('{place}', 'שלום', '7')") == ["שלום", "7"]


GROUNDS = """(() => {
  const ground = (selector, pseudo) =>
    getComputedStyle(document.querySelector(selector), pseudo).backgroundColor;
  return [
    [ground(".pip.full"), ground(".pip:not(.full)")],
    [ground(".bar.vitality > i"), ground(".bar.vitality")],
    [ground(".bar.charge > i"), ground(".bar.charge")],
    [ground(".wins .win"), ground(".wins i:not(.win)")],
    [ground("#sand"), ground(".sand")],
    [ground("#standing[data-state=live]", "::before"), ground("body")],
    [ground(".beacon"), ground("body")],
    [ground(".check[data-holds=true] .tick"), ground(".check[data-holds=null] .tick")],
  ];
})()"""

# A win, and marks of which not all were made.
SHOW_REST = """(() => {
  document.getElementById("wins-a").innerHTML = '<i class="win"></i><i></i>';
  document.getElementById("checks").innerHTML = ["true", "null"]
    .map((holds) => `<li class="check" data-holds="${holds}"><b class="tick"></b></li>`).join("");
})()"""


@pytest.mark.parametrize("scheme", ["dark", "light"])
async def test_what_a_colour_alone_tells_is_seen_in_forced_colours_too(scheme: str) -> None:
    features = {"forced-colors": "active", "prefers-color-scheme": scheme}
    async with open_arena(1.0) as (server, _), open_page() as page:
        await page.command(
            "Emulation.setEmulatedMedia",
            features=[{"name": name, "value": value} for name, value in features.items()],
        )
        await page.open(page_of(server))
        await page.run("document.getElementById('standing').dataset.state = 'live'")
        await page.run(SHOW_REST)
        await page.run(SHOW_UNIT.replace(".replaceChildren(", ".append("))
        for full, empty in await page.run(GROUNDS):
            assert full != empty
