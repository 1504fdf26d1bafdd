"""What the page does in time, by its modules alone: how far a replay goes with each picture, how
long a lost connection is waited for, and the order in which things are told.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from engine import Battle
from tests.browser.arena import needs_chromium
from tests.browser.chromium import Page
from tests.protocol.battles import BATTLE, boards_of, fed, random_setup

pytestmark = needs_chromium

SPEED = 4
# Some hundred ticks, with deaths, revivals, and a sweep at its end.
SETUP = random_setup(15)


@cache
def frames() -> list[Any]:
    return [json.loads(data) for tick in fed(SETUP) for data in tick.frames.values()]


@cache
def log() -> list[Any]:
    battle = Battle(SETUP)
    battle.run()
    return [json.loads(line) for line in battle.log().splitlines()]


# A replay of this stream, before a stage that takes in whatever it hears.
PLAYER = """const { Player, Playhead } = await import("/page/player.js");
  globalThis.fetch = async () => new Response(JSON.stringify(stream));
  const head = new Playhead();
  const effects = {};
  let player;
  await new Promise((shown) => {
    const stand = ({ state }) => { if (state === "replay") shown(); };
    const stage = { effects, stand, hear: () => {}, header: { showReplay: () => {} } };
    player = new Player("a battle", head, stage);
  });
"""


def play(then: str) -> str:
    """What comes of a player of the battle; `then` returns it."""
    stream = {
        "begin": {"type": "begin", "battle": BATTLE, "speed": SPEED, "boards": boards_of(SETUP)},
        "frames": frames(),
        "result": {"type": "result", "battle": BATTLE, "tick": log()[-1]["tick"]},
    }
    return f"(async (stream) => {{ {PLAYER} {then} }})({json.dumps(stream)})"


async def test_a_replay_goes_as_far_as_time_has_passed_and_waits_for_who_looks_away(
    page: Page,
) -> None:
    told = await page.run(
        play(
            """const seen = [];
            for (const [time, rate] of [
              [5000, 1], [5100, 1], [5200, 0.25], [5300, 2], [9000, 1], [8000, 1], [8050, 1]]) {
              document.getElementById("rate").value = String(rate);
              player.turn(time);
              seen.push([head.now, effects.pace]);
            }
            return seen;"""
        )
    )
    ticks_a_second = 20 * SPEED
    passed = [0, 0.1, 0.1 / 4, 0.1 * 2, 0.25, 0, 0.05]  # in seconds; never more than a quarter
    wanted = [sum(passed[: number + 1]) * ticks_a_second for number in range(len(passed))]
    assert [now for now, _ in told] == pytest.approx(wanted)
    assert [pace for _, pace in told] == [4, 4, 1, 8, 4, 4, 4]


async def test_deaths_and_revivals_are_marked_where_they_are_and_a_sweep_is_not(
    page: Page,
) -> None:
    marks = await page.run(
        play(
            """return [...document.querySelectorAll("#moments i")]
              .map((mark) => [mark.dataset.kind, parseFloat(mark.style.left)]);"""
        )
    )
    events = log()
    kinds = {event["kind"] for event in events if event.get("sweep") is not False}
    assert {"death", "revival"} <= kinds
    wanted = [
        (event["kind"], 100 * event["tick"] / events[-1]["tick"])
        for event in events
        if event["kind"] == "revival" or event.get("sweep") is False
    ]
    places = [place for _, place in sorted(map(tuple, marks))]
    assert places == pytest.approx([place for _, place in sorted(wanted)], abs=0.01)
    assert sorted(kind for kind, _ in marks) == sorted(kind for kind, _ in wanted)


async def test_delays_grow_by_chance_up_to_a_bound_and_begin_anew(page: Page) -> None:
    first, delays, again = await page.run(
        """(async () => {
          const { Backoff } = await import("/page/backoff.js");
          const backoff = new Backoff();
          const delays = Array.from({ length: 2000 }, () => backoff.next());
          backoff.reset();
          return [delays[0], delays.slice(1), backoff.next()];
        })()"""
    )
    for number, delay in enumerate([first, *delays]):
        whole = min(250 * 2 ** min(number, 5), 8000)
        assert whole / 2 <= delay <= whole
    assert len(set(delays)) > 1000
    assert 125 <= again <= 250


# What the chronicle shows of a battle, to which every frame comes by itself.
CHRONICLE = """(async (boards, frames) => {
  const { Mirror } = await import("/page/mirror.js");
  const { LogView } = await import("/page/log.js");
  const mirror = new Mirror();
  mirror.begin(frames[0][1], boards);
  const view = new LogView((id) => id, (side) => side);
  for (const frame of frames) view.add(mirror.apply(frame));
  return [...view.list.children].map(({ dataset }) => [Number(dataset.line), dataset.kind]);
})"""


async def test_the_chronicle_has_the_order_of_the_log(page: Page) -> None:
    told = await page.run(f"{CHRONICLE}({json.dumps(boards_of(SETUP))}, {json.dumps(frames())})")
    kinds = [event["kind"] for event in log()]
    lines = [line for line, _ in told]
    assert lines == sorted(set(lines))
    assert [kind for _, kind in told] == [kinds[line] for line in lines]
    great = [line for line in range(lines[0], len(kinds)) if kinds[line] in ("death", "revival")]
    assert great
    assert set(great) <= set(lines)
