// The list of battles that were fought lately.

import { byId, el } from "./dom.js";
import { Poll } from "./poll.js";
import { showRows } from "./rows.js";
import { seconds } from "./seconds.js";

const EVERY = 10_000;
const SHOWN = 12;

export class ReplayList {
  /** @param {import("./hand.js").Hand} hand */
  constructor(hand) {
    this.hand = hand;
    // That the server does not answer, the list of rooms says; what was heard last stays.
    this.poll = new Poll("api/replays", EVERY, ({ replays }) => {
      this.#show(replays.filter(isWatchable).slice(0, SHOWN));
    });
  }

  start() {
    this.poll.start();
  }

  stop() {
    this.poll.stop();
  }

  #show(replays) {
    byId("fought").hidden = replays.length === 0;
    showRows(byId("replays"), replays.map(row), this.hand.isNear);
  }
}

/** Of a void battle nothing is kept that could be seen. */
function isWatchable({ reason }) {
  return reason !== "void";
}

/**
 * The battles of a room that were fought lately, as rows of a list; none where the server does not say.
 * @param {string} room
 * @returns {Promise<HTMLElement[]>}
 */
export async function rowsOf(room) {
  try {
    const { replays } = await (await fetch("api/replays", { cache: "no-store" })).json();
    return replays.filter((replay) => replay.room === room && isWatchable(replay)).map(row);
  } catch {
    return [];
  }
}

function row({ id, players, winner, reason, tick, ended }) {
  const sides = winner === "b" ? ["b", "a"] : ["a", "b"];
  const [one, other] = sides.map((side) => el(`b.${side}`, null, players[side] ?? `Side ${side}`));
  const verb = winner === null ? "draws with" : "beats";
  return el("li", { "data-id": id },
    el("a", { href: linkToReplay(id) },
      el("time.phase", { datetime: new Date(1000 * ended).toISOString() }, when(ended)),
      el("span.pair", null, one, el("span.versus", null, ` ${verb} `), other),
      el("span.more", null, `by ${reason} after ${seconds(tick)}`),
      el("span.go", { "aria-hidden": "true" }, "Watch again →")));
}

/** The time of today, or the day before it. */
function when(ended) {
  const then = new Date(1000 * ended);
  const isToday = then.toDateString() === new Date().toDateString();
  return isToday ? then.toLocaleTimeString([], { timeStyle: "short" })
    : then.toLocaleDateString([], { dateStyle: "medium" });
}

/** Where a battle that is over is watched. */
export function linkToReplay(battle) {
  return `#replay=${encodeURIComponent(battle)}`;
}

/** Whether a battle can be called so: whoever makes a link says any text in its place. */
export function isBattleId(text) {
  return /^[0-9a-z][0-9a-z_.-]{0,99}$/i.test(text);
}

/** What plays it in a terminal. */
export function replayCommand(battle) {
  return `phylactery replay ${new URL(`replays/${battle}`, document.baseURI)}`;
}
