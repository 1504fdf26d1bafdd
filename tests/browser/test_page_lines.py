"""The page's line to its server where a battle's frames do not show whether it is still there."""

from __future__ import annotations

from tests.browser.arena import Players, Wire, needs_chromium, open_arena, page_of
from tests.browser.chromium import Page, open_page

pytestmark = needs_chromium

STATE = "document.getElementById('standing').dataset.state"

# Time is passed by hand, and lines are made up: each is open a moment later, and welcomes whoever
# says hello, as long as `answers` is true.
MADE_UP = """(() => {
  const made = [];
  const stands = [];
  const timers = new Map();
  let now = 1e6;
  let last = 0;
  globalThis.setTimeout = (then, wait) => {
    last += 1;
    timers.set(last, { then, at: now + wait });
    return last;
  };
  globalThis.clearTimeout = (id) => timers.delete(id);
  Date.now = () => now;
  Math.random = () => 0.5;
  globalThis.pass = (seconds) => {
    const until = now + 1000 * seconds;
    for (;;) {
      const [id, due] = [...timers].sort(([, one], [, other]) => one.at - other.at)[0] ?? [];
      if (!due || due.at > until) break;
      timers.delete(id);
      now = due.at;
      due.then();
    }
    now = until;
  };
  globalThis.WebSocket = class {
    static OPEN = 1;
    constructor() {
      made.push(this);
      this.said = [];
      this.closed = false;
      this.readyState = 0;
      this.welcome = { type: "welcome", token: `token ${made.length}` };
      setTimeout(() => (globalThis.full ? this.turnAway() : this.open()), 10);
    }
    open() {
      if (this.closed) return;
      this.readyState = 1;
      this.onopen();
    }
    turnAway() {
      this.close();
      this.onclose({ code: 1006, reason: "" });
    }
    send(text) {
      const said = JSON.parse(text);
      this.said.push(said);
      if (globalThis.answers && said.type !== "leave") this.say(this.welcome);
    }
    say(message) { this.onmessage({ data: JSON.stringify(message) }); }
    close() {
      this.closed = true;
      this.readyState = 3;
    }
  };
  globalThis.fetch = async () => ({ ok: globalThis.answers });
  globalThis.look = (state) => {
    Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  };
  globalThis.told = () => ({ lines: made.length, stands: stands.splice(0),
    said: made.at(-1).said.map(({ type, token }) => [type, token ?? null]),
    open: made.filter(({ closed }) => !closed).length });
  Object.assign(globalThis, { made, answers: true, full: false, crowd: 1, heard: [],
    stand: ({ state }) => stands.push(state) });
})()"""

WATCH = """(async () => {
  const { Connection } = await import("/page/connection.js");
  const owner = { stand, hear: ({ type }) => heard.push(type), position: () => null,
    busy: () => false, crowd: () => globalThis.crowd };
  globalThis.connection = new Connection("room", {}, owner);
  pass(1);
  return told();
})()"""


async def test_a_quiet_line_is_proved_by_another_and_nobody_is_told_unless_it_fails() -> None:
    async with open_arena(1.0) as (server, _), open_page() as page:
        await page.open(page_of(server))
        await page.run(MADE_UP)

        async def told(script: str) -> list[object]:
            seen = await page.run(f"{script}; told()")
            return [seen["lines"], seen["open"], seen["said"], seen["stands"]]

        first = await page.run(WATCH)
        assert first["stands"] == ["connecting", "live"]
        assert await told("pass(40)") == [1, 1, [["watch", None]], []]
        assert await told("pass(10)") == [2, 1, [["resume", "token 1"]], []]
        assert (await told("pass(3600)"))[0] == 82, "one in 45 seconds, at this chance"

        assert (await told("look('hidden'); pass(3600)"))[0] == 82, "nobody looks"
        assert await told("look('visible'); pass(1)") == [83, 1, [["resume", "token 82"]], []]
        assert (await told("look('visible'); pass(1)"))[0] == 83, "it has just been heard"

        gone = "globalThis.dispatchEvent(new Event('offline'))"
        assert await told(gone) == [83, 0, [["resume", "token 82"]], ["lost"]]
        back = "globalThis.dispatchEvent(new Event('online')); pass(0.1)"
        assert await told(back) == [84, 1, [["resume", "token 83"]], ["live"]]

        await told("crowd = 400; pass(46)")
        assert (await told("pass(720)"))[0] == 89, "one in 180 seconds, beside 400 others"
        await told("crowd = 12000; pass(181)")
        assert (await told("pass(900)"))[0] == 92, "one in 450 seconds, whatever the crowd"
        await told("crowd = 1; look('hidden'); pass(3600); look('visible'); pass(1)")

        assert (await told("answers = false; pass(45)"))[1:] == [2, [["resume", "token 93"]], []]
        assert (await told("pass(7.1)"))[3] == ["lost"]
        lines, still_open, _, stands = await told("connection.leave(); pass(3600)")
        assert (lines, still_open, stands) == (94, 0, []), "who has gone proves nothing"


async def test_a_line_goes_on_where_there_is_no_place_for_its_proof() -> None:
    async with open_arena(1.0) as (server, _), open_page() as page:
        await page.open(page_of(server))
        await page.run(MADE_UP)
        await page.run(WATCH)
        await page.run("full = true; pass(44.005)")
        await page.run("made[0].say({ type: 'room' }); heard.length = 0; pass(45)")
        assert (await page.run("told()"))["lines"] == 2, "there was something to hear just then"
        await page.run("made[0].say({ type: 'begin' }); pass(0.02)")
        assert await page.run("heard") == ["begin"], "what came meanwhile"
        seen = await page.run("told()")
        assert (seen["lines"], seen["open"], seen["stands"]) == (2, 1, [])

        await page.run("answers = false; pass(46)")
        assert (await page.run("told()"))["stands"] == ["lost"], "the server is not there at all"


async def test_who_goes_says_so_on_the_line_that_still_stands() -> None:
    async with open_arena(1.0) as (server, _), open_page() as page:
        await page.open(page_of(server))
        await page.run(MADE_UP)
        await page.run(WATCH)
        await page.run("pass(44.015)")  # another is made, and is not open yet
        assert await page.run("made.length") == 2
        assert await page.run("connection.leave(); made[0].said.at(-1).type") == "leave"
        assert (await page.run("pass(3600); told()"))["open"] == 0


# What one who was away did not hear is not held against the server.
AWAY = """(async () => {
  const { Stage } = await import("/page/stage.js");
  const { Playhead } = await import("/page/player.js");
  answers = false;
  const stage = new Stage([], new Playhead(), () => ({}), () => {});
  const room = (phase, commitment) => ({ id: "room", seq: 1, phase, private: false, speed: 1,
    best_of: 3, round: 1, a: null, b: null, spectators: 0, commitment, battle: null });
  const welcome = (room) => stage.hear({ type: "welcome", ticks_per_second: 20, room });
  const boards = { a: { units: [] }, b: { units: [] } };
  const begin = { type: "begin", battle: "room.1", round: 1, speed: 1, players: {}, boards,
    commitment: "told", rules: {} };
  const promised = [];
  for (const comesBack of [false, true]) {
    welcome(room("building", "other"));
    if (comesBack) welcome(room("battle", "told"));
    stage.hear(begin);
    promised.push(stage.begun.promised);
  }
  return promised;
})()"""


async def test_a_promise_that_may_have_been_taken_back_unheard_is_none() -> None:
    async with open_arena(1.0) as (server, _), open_page() as page:
        await page.open(page_of(server))
        await page.run(MADE_UP)
        assert await page.run(AWAY) == ["other", None]


# The long waits of the page last a twentieth.
HURRY = """(() => {
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (then, wait) => setTimeout(then, wait >= 30000 ? wait / 20 : wait);
})()"""

# Keeps how the line is said to stand, and how many are said to watch.
KEEP = """(() => {
  globalThis.seen = new Set();
  const look = () => {
    for (const id of ["standing", "crowd"]) seen.add(document.getElementById(id).textContent);
  };
  look();
  const options = { childList: true, characterData: true, subtree: true };
  new MutationObserver(look).observe(document.querySelector(".line"), options);
})()"""


async def go_offline(page: Page, *, offline: bool) -> None:
    await page.command(
        "Network.emulateNetworkConditions",
        offline=offline,
        latency=0,
        downloadThroughput=-1,
        uploadThroughput=-1,
    )


async def test_a_line_that_dies_between_rounds_is_noticed_and_nothing_is_missed() -> None:
    players = Players()
    async with open_arena(12.0) as (server, nursery), open_page() as page:
        wire = Wire(server.port)
        await nursery.start(wire.run)
        room = await nursery.start(players.play, server.url)
        await page.command("Page.addScriptToEvaluateOnNewDocument", source=HURRY)
        await page.open(f"{page_of(server, wire.port)}#room={room}")
        await page.wait(f"{STATE} === 'live'")
        await page.wait("document.getElementById('crowd').textContent === '1 watching'")
        await page.run(KEEP)
        wire.mute()  # and it stays open
        players.begun.set()
        await page.wait("document.querySelectorAll('.unit').length >= 12")
        await page.wait("document.querySelector('.check') !== null")
        marks = "[...document.querySelectorAll('.check')].map((check) => check.dataset.holds)"
        assert await page.run(marks) == ["true"] * 4
        assert await page.run("[...seen].sort()") == ["1 watching", "live"]

        await go_offline(page, offline=True)
        await page.wait(f"{STATE} === 'lost'")
        await go_offline(page, offline=False)
        await page.wait(f"{STATE} === 'live'")


async def test_what_is_refused_for_now_is_said_again() -> None:
    async with open_arena(1.0) as (server, _), open_page() as page:
        await page.open(page_of(server))
        await page.run(MADE_UP)
        await page.run("answers = false")
        await page.run(WATCH)
        for code, kind in (("too_fast", "watch"), ("too_fast", "resume"), ("draining", "resume")):
            refused = f"made.at(-1).say({{ type: 'error', code: '{code}', message: '' }})"
            seen = await page.run(f"{refused}; told()")
            assert (seen["open"], seen["stands"]) == (0, ["lost"])
            seen = await page.run("answers = true; pass(1); told()")
            assert (seen["said"][-1][0], seen["stands"]) == (kind, ["live"])
            await page.run("answers = false; globalThis.dispatchEvent(new Event('offline'))")
            await page.run("globalThis.dispatchEvent(new Event('online')); pass(0.1); told()")
