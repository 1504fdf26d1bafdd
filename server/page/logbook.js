// The whole log of a battle, for those who saw all of it, written as the rulebook fixes it.

import { sha256 } from "./proof.js";
import { BUILT, FIELDS } from "./tables.js";

/** @typedef {import("./events.js").BattleEvent} BattleEvent */

export class Logbook {
  constructor() {
    /** @type {BattleEvent[]} by line; lines that were not seen are holes */
    this.lines = [];
    this.count = 0;
  }

  /** @param {BattleEvent[]} events */
  add(events) {
    for (const event of events) {
      if (!(event.line in this.lines)) this.count += 1;
      this.lines[event.line] = event;
    }
  }

  /** Whether every line is there, from the first to the end of the battle. */
  get whole() {
    return this.count > 0 && this.count === this.lines.length
      && this.lines.at(-1).kind === "battle_end";
  }

  /** The digest that the last line should have. */
  async digest() {
    const text = this.lines.slice(0, -1).map((event) => `${written(event)}\n`).join("");
    return (await sha256(text)).slice(0, 32);
  }
}

/** @param {BattleEvent} event */
function written({ tick, batch, kind, values }) {
  const object = { tick, batch, kind, ...values };
  if (kind === "battle_start") object.units = values.units.map(builtUnit);
  return JSON.stringify(object);
}

function builtUnit(values) {
  return Object.fromEntries(FIELDS.slice(0, BUILT).map((field, at) => [field, values[at]]));
}
