"""How a battle ends on the page, and what stands still or moves on it."""

from __future__ import annotations

from tests.browser.arena import Players, needs_chromium, open_arena, page_of
from tests.browser.chromium import Page, open_page

pytestmark = needs_chromium


# The mirror of the battle that begins next.
KEEP_MIRROR = """(async () => {
  const { Mirror } = await import("/page/mirror.js");
  const { begin } = Mirror.prototype;
  Mirror.prototype.begin = function (...told) {
    globalThis.mirror = this;
    return begin.apply(this, told);
  };
})()"""


async def test_a_forfeit_is_told_in_the_chronicle_and_to_those_who_do_not_look() -> None:
    players = Players()
    async with open_arena(0.5) as (server, nursery), open_page() as page:
        room = await nursery.start(players.play, server.url)
        await page.open(f"{page_of(server)}#room={room}")
        await page.run(KEEP_MIRROR)
        players.begun.set()
        await page.wait("document.querySelector('#log li') !== null")
        players.giving_up.set()
        await page.wait("document.getElementById('said').textContent === 'Ada wins by forfeit'")
        last = "[...document.querySelectorAll('#log li span')].at(-1).textContent"
        assert await page.run(last) == "Ada wins by forfeit"
        assert (
            await page.run("document.querySelectorAll('#log [data-kind=battle_end]').length") == 1
        )
        assert await page.run("mirror.over"), "nobody is said to return any more"
        assert page.complaints == []


async def test_a_void_is_no_draw() -> None:
    async with open_arena(1.0) as (server, _), open_page() as page:
        await page.open(page_of(server))
        told = await page.run(
            """(async () => {
              const { tell } = await import("/page/words.js");
              return [["a", "timeout"], [null, "timeout"], [null, "void"]].map(([winner, reason]) =>
                tell({ kind: "battle_end", values: { winner, reason } }));
            })()"""
        )
        assert told == [
            [{"side": "a"}, " wins by ", "timeout"],
            ["A draw by ", "timeout"],
            ["Void: the server failed at this battle"],
        ]


# Two are to return, and beside one of them another stands in its cell.
BOARD = """(async () => {
  const { Mirror } = await import("/page/mirror.js");
  const { BoardView } = await import("/page/board.js");
  const { Inspector } = await import("/page/inspector.js");
  const unit = (id, cell, vitality, due, charge, rate) => [id, cell, "rimewitch", [], "any", [], 0,
    0, vitality, 39, 8, 15, 0, 0, 0, 0, 0, null, 0, due, charge, rate];
  const mirror = new Mirror();
  mirror.load({ battle: "k3f9x2.1", tick: 100, next: { tick: 1, revival: 0, vessel: 0 }, units: [
    unit("a0", 0, 0, 290, 0, 0), unit("a1", 1, 0, 290, 0, 0), unit("a2", 1, 9, null, 300, 15),
    unit("b0", 0, 9, null, 990, 15)] });
  const board = new BoardView();
  const inspector = new Inspector(board);
  Object.assign(globalThis, { mirror, board, inspector });
  document.getElementById("stage").hidden = false;
  board.update(mirror);
  inspector.update(mirror);
})()"""

FATES = (
    "board.move(mirror, 100); [document.querySelector('[data-unit=a0] .fate').textContent,"
    " document.getElementById('away-a').textContent]"
)
CHARGE = (
    "[...document.querySelectorAll('#facts div')].map((fact) => fact.textContent)"
    ".find((fact) => fact.startsWith('Charge'))"
)


async def test_nobody_returns_after_the_battle_and_charge_is_what_the_bar_shows() -> None:
    async with open_arena(1.0) as (server, _), open_page() as page:
        await page.open(page_of(server))
        await page.run(BOARD)
        away = "Rimewitch a1: returns in 9.5 s"
        assert await page.run(FATES) == ["Returns in 9.5 s", away]

        await page.run("document.querySelector('[data-unit=a2]').click()")
        assert await page.run(CHARGE) == "Charge300 of 1000, 15 a tick"
        await page.run("inspector.move(mirror, 102.5)")
        assert await page.run(CHARGE) == "Charge337 of 1000, 15 a tick"
        await page.run("document.querySelector('[data-unit=b0]').click()")
        assert await page.run(CHARGE) == "Charge1000 of 1000, 15 a tick", "of the new one, at once"

        await page.run("mirror.over = true")
        assert await page.run(FATES) == ["Fallen", ""]


async def test_charge_is_told_as_it_moves() -> None:
    """At half its speed, no frame comes for a while."""
    players = Players()
    async with open_arena(0.5) as (server, nursery), open_page() as page:
        room = await nursery.start(players.play, server.url)
        await page.open(f"{page_of(server)}#room={room}")
        players.begun.set()
        await page.wait("document.querySelectorAll('.unit').length >= 12")
        await page.run("document.querySelector('.unit').click()")
        seen = await page.run(
            "new Promise((resolve) => { const seen = new Set(); let left = 20;"
            f" const look = () => {{ seen.add({CHARGE});"
            " if (left-- > 0) requestAnimationFrame(look); else resolve(seen.size); }; look(); })"
        )
        assert seen >= 5, "of 20 pictures, a good deal show another Charge"


# What stands above the board, by a room that was played in and then closes.
CLOSES = """(async () => {
  const { Header } = await import("/page/header.js");
  const header = new Header();
  const seat = (name, wins) => ({ name, wins, present: true, stored: false, rematch: false });
  const room = { phase: "over", a: seat("Ada", 2), b: seat("Grace", 0), round: 2, best_of: 3,
    speed: 1, spectators: 4 };
  header.showRoom(room);
  header.showRoom({ ...room, phase: "closed", a: null, b: null, spectators: 0 });
  return [...["name-a", "score-a", "name-b", "score-b", "phase"]
    .map((id) => document.getElementById(id).textContent), document.title];
})()"""


async def test_who_fought_still_stands_above_the_battle_when_the_room_has_closed(
    page: Page,
) -> None:
    *shown, title = await page.run(CLOSES)
    assert shown == ["Ada", "2", "Grace", "0", "closed"]
    assert title.startswith("\u2068Ada\u2069 ")
