// The list of battles that were fought lately, asked for anew every so often while somebody looks.

import { byId, el, named } from "./dom.js";
import { seconds } from "./seconds.js";

const EVERY = 10_000;
const SHOWN = 12;

export class ReplayList {
  constructor() {
    this.running = false;
    this.shown = "";
    this.timer = 0;
    document.addEventListener("visibilitychange", () => this.#wake());
  }

  start() {
    this.running = true;
    void this.#ask();
  }

  stop() {
    this.running = false;
    clearTimeout(this.timer);
  }

  #wake() {
    if (this.running && document.visibilityState === "visible") void this.#ask();
  }

  /** That the server does not answer, the list of rooms says. */
  async #ask() {
    clearTimeout(this.timer);
    try {
      const answer = await fetch("api/replays", { cache: "no-store" });
      const { replays } = await answer.json();
      if (this.running) this.#show(replays.filter(({ reason }) => reason !== "void").slice(0, SHOWN));
    } catch { /* what was heard last stays to be read */ }
    clearTimeout(this.timer);
    if (this.running && document.visibilityState === "visible") {
      this.timer = setTimeout(() => this.#ask(), EVERY);
    }
  }

  #show(replays) {
    byId("fought").hidden = replays.length === 0;
    const state = JSON.stringify(replays);
    if (state === this.shown) return; // or a link would lose the focus for nothing
    this.shown = state;
    const focus = document.activeElement?.closest?.("#replays a")?.hash;
    byId("replays").replaceChildren(...replays.map(row));
    if (focus) [...byId("replays").querySelectorAll("a")].find((a) => a.hash === focus)?.focus();
  }
}

function row({ id, players, winner, reason, tick, ended }) {
  const sides = ["a", "b"].map((side) => el(`b.${side}`, null, players[side] ?? `Side ${side}`));
  const how = `by ${reason} after ${seconds(tick)}`;
  const outcome = winner === null ? [`a draw ${how}`] : [named(players[winner]), ` won ${how}`];
  return el("li", null,
    el("a", { href: linkToReplay(id) },
      el("time.phase", { datetime: new Date(1000 * ended).toISOString() }, when(ended)),
      el("span.pair", null, sides[0], el("span.versus", null, " vs "), sides[1]),
      el("span.more", null, ...outcome),
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
