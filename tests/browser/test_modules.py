"""The page's modules by themselves, in a real browser: the mirror against whole battles, and what
it proves against what is not so.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

from engine import Battle, Setup, state_digest
from protocol.frames import DIGEST_TICKS
from protocol.messages import TickFrame
from protocol.wire_events import KINDS
from server.view.words import seconds
from tests.browser.arena import needs_chromium
from tests.browser.chromium import Page
from tests.protocol.battles import BATTLE, boards_of, fed, frames_of, random_setup, sample_setups

pytestmark = needs_chromium


def recorded(setup: Setup) -> Any:
    """A battle's boards and all of its frames, as JSON has them."""
    frames = [json.loads(data) for tick in fed(setup) for data in tick.frames.values()]
    return {"boards": boards_of(setup), "frames": frames}


# Feeds each battle to a mirror and a log book of its own.
REPLAY = """(async (battles) => {
  const { Mirror } = await import("/page/mirror.js");
  const { Logbook } = await import("/page/logbook.js");
  const { stateDigest } = await import("/page/proof.js");
  const told = [];
  for (const { boards, frames } of battles) {
    const mirror = new Mirror();
    const logbook = new Logbook();
    const digests = {};
    mirror.begin(frames[0][1], boards);
    for (const frame of frames) {
      logbook.add(mirror.apply(frame));
      if (frame[0] === "tick") digests[frame[3]] = await stateDigest(mirror.text);
    }
    told.push({ digests, over: mirror.over, whole: logbook.whole, log: await logbook.digest() });
  }
  return told;
})"""


def assert_exact(setup: Setup, told: Any) -> None:
    """The digest of every tick that had a frame is the engine's, and so is the log's."""
    battle = Battle(setup)
    for tick, digest in told["digests"].items():
        battle.advance(int(tick))
        assert digest == state_digest(battle.snapshot()), f"tick {tick}"
    assert battle.over
    assert battle.result is not None
    assert (told["over"], told["whole"]) == (True, True)
    assert told["log"] == battle.result.digest


async def test_the_mirror_is_exact_over_whole_battles(page: Page) -> None:
    setups = [*list(sample_setups())[::8], *(random_setup(seed) for seed in range(12))]
    battles = [recorded(setup) for setup in setups]
    told = await page.run(f"{REPLAY}({json.dumps(battles)})")
    assert len(told) == len(setups)
    for setup, one in zip(setups, told, strict=True):
        assert_exact(setup, one)


async def test_the_streams_own_digests_hold_and_none_is_passed_over(page: Page) -> None:
    setup = next(sample_setups())
    frames = [frame for tick in fed(setup) for frame in frames_of(tick)]
    carried = {
        str(frame.tick): frame.digest
        for frame in frames
        if isinstance(frame, TickFrame) and frame.digest is not None
    }
    (told,) = await page.run(f"{REPLAY}({json.dumps([recorded(setup)])})")
    assert carried
    assert carried.items() <= told["digests"].items()


async def test_ticks_are_shown_as_in_the_terminal(page: Page) -> None:
    shown = await page.run(
        """(async () => {
          const { seconds } = await import("/page/seconds.js");
          return Array.from({ length: 1201 }, (_, ticks) => seconds(ticks));
        })()"""
    )
    assert shown == [seconds(ticks) for ticks in range(1201)]


async def test_a_gap_is_seen_and_changes_nothing(page: Page) -> None:
    frames = recorded(next(sample_setups()))["frames"]
    first, second, third = [frame for frame in frames if frame[0] == "tick"][:3]
    told = await page.run(
        f"""(async (first, second, third) => {{
          const {{ Mirror, Gap }} = await import("/page/mirror.js");
          const mirror = new Mirror();
          mirror.begin({json.dumps(BATTLE)});
          mirror.apply(first);
          const before = mirror.text;
          const seen = [];
          for (const frame of [third, first]) {{
            try {{ mirror.apply(frame); }} catch (error) {{ seen.push(error instanceof Gap); }}
          }}
          const kept = mirror.text === before;
          mirror.apply(second);
          return [...seen, kept, mirror.position.tick];
        }})({json.dumps(first)}, {json.dumps(second)}, {json.dumps(third)})"""
    )
    assert told == [True, True, True, 1]


async def test_what_is_not_fair_does_not_pass(page: Page) -> None:
    """A result that the standard library made passes; changed by a digit, it does not."""
    secret = bytes(range(32))
    message = f"phylactery/1|{BATTLE}|V0y4mQ2tXwJc9LrB|pK7dUe3nHs1ZgF5a"
    result = {
        "battle": BATTLE,
        "secret": secret.hex(),
        "nonces": {"a": "V0y4mQ2tXwJc9LrB", "b": "pK7dUe3nHs1ZgF5a"},
        "seed": hmac.new(secret, message.encode(), "sha256").hexdigest(),
    }
    commitment = hashlib.sha256(secret).hexdigest()
    other = {**result, "nonces": {"a": "V0y4mQ2tXwJc9LrB", "b": "pK7dUe3nHs1ZgF5b"}}
    told = await page.run(
        f"""(async (result, other, commitment) => {{
          const {{ checkCommitment, checkSeed }} = await import("/page/proof.js");
          const lie = result.secret.replace("00", "01");
          return [
            await checkCommitment(result.secret, commitment), await checkSeed(result),
            await checkCommitment(lie, commitment), await checkSeed({{ ...result, secret: lie }}),
            await checkSeed(other),
          ];
        }})({json.dumps(result)}, {json.dumps(other)}, {json.dumps(commitment)})"""
    )
    assert told == [True, True, False, False, False]


async def test_every_kind_of_event_has_its_words(page: Page) -> None:
    kinds = await page.run(
        """(async () => (await import("/page/tables.js")).EVENTS.map(([kind]) => kind))()"""
    )
    assert kinds == list(KINDS)


# After a frame of each tick, where a beat stands that hears no other.
STANDSTILL = """(async (ticks) => {
  const { Beat } = await import("/page/beat.js");
  return ticks.map((tick) => {
    const beat = new Beat();
    beat.ticksPerSecond = 1e9;
    beat.heard(tick);
    beat.origin -= 1000;
    return beat.now;
  });
})"""


async def test_a_beat_goes_as_far_as_the_frame_that_must_come_next(page: Page) -> None:
    for setup in (*list(sample_setups())[::8], *map(random_setup, range(12))):
        frames = [frame for tick in fed(setup) for frame in frames_of(tick)]
        ticks = [frame.tick for frame in frames if isinstance(frame, TickFrame)]
        stands = await page.run(f"{STANDSTILL}({json.dumps(ticks[:-1])})")
        assert stands == [last_tick_of_next_frame(tick) for tick in ticks[:-1]]
        assert all(after <= stand for after, stand in zip(ticks[1:], stands, strict=True))


# Frames of a tick that come so late each, in milliseconds; gives what is shown every 10 ms.
UNEVEN = """(async (lates) => {
  const { Beat } = await import("/page/beat.js");
  const { now } = performance;
  let time = 1000;
  performance.now = () => time;
  const beat = new Beat();
  const frames = lates.map((late, tick) => [1000 + 50 * tick + late, tick]);
  const seen = [];
  for (; frames.length; time += 10) {
    while (frames.length && frames[0][0] <= time) beat.heard(frames.shift()[1]);
    seen.push([(time - 1000) / 50, beat.now]);
  }
  beat.rest(lates.length - 1);
  const rests = beat.now;
  performance.now = now;
  return { seen, rests };
})"""


async def test_on_an_uneven_line_nothing_runs_backwards(page: Page) -> None:
    lates = [400 if tick % 20 else 20 for tick in range(100)]
    for tick in range(99, 0, -1):  # in their order
        lates[tick - 1] = min(lates[tick - 1], lates[tick] + 50)
    told = await page.run(f"{UNEVEN}({json.dumps(lates)})")
    shown = [one for _, one in told["seen"]]
    assert shown == sorted(shown)
    assert all(abs(true - one) < 4 for true, one in told["seen"][10:]), "and it is on time"
    assert told["rests"] == 99


async def test_after_a_pause_of_the_server_the_beat_is_late_too(page: Page) -> None:
    told = await page.run(f"{UNEVEN}({json.dumps([0] * 20 + [1000] * 400)})")
    true, shown = told["seen"][-1]
    assert true - 21 < shown <= true - 19
    values = [one for _, one in told["seen"]]
    assert values == sorted(values)


def last_tick_of_next_frame(tick: int) -> int:
    """This second's digest has gone with the frame of this tick, or before it."""
    return tick // DIGEST_TICKS * DIGEST_TICKS + 2 * DIGEST_TICKS - 1


# A line on which nothing ever comes, and time runs fast; gives how that stands in the end.
UNANSWERED = """(async () => {
  const { Connection } = await import("/page/connection.js");
  const { WebSocket, setTimeout } = globalThis;
  globalThis.WebSocket = class { close() {} };
  globalThis.setTimeout = (then, wait) => setTimeout(then, wait / 100);
  let connection;
  const state = await new Promise((done) => {
    const stand = ({ state }) => { if (state !== "connecting") done(state); };
    const owner = {
      stand, hear: () => {}, position: () => null, busy: () => false, crowd: () => 0 };
    connection = new Connection("room", {}, owner);
  });
  Object.assign(globalThis, { WebSocket, setTimeout });
  connection.leave();
  return state;
})()"""


async def test_a_first_message_that_is_not_answered_is_not_waited_for(page: Page) -> None:
    assert await page.run(UNANSWERED) == "lost"
