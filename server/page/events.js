// The flat list of events in a frame, read into objects.

import { EVENTS, FLAGS, REVIVAL_LINE, UNITS, WORDS } from "./tables.js";

/**
 * One event of the battle. `values` by the names of its fields, in the log's order.
 * @typedef {{tick: number, line: number, batch: number|null, kind: string,
 *   values: Object<string, any>}} BattleEvent
 */

/**
 * The cards and runes that stand on the boards, each once: a line says by its place here which of
 * them it is printed on.
 * @param {{a: any, b: any}} boards as `begin` has them
 * @returns {string[]}
 */
export function sourcesOf({ a, b }) {
  const units = [...a.units, ...b.units];
  return [...new Set(units.flatMap(({ card, runes = [] }) => [card, ...runes]))];
}

/**
 * The events of a frame, in order.
 * @param {number} tick
 * @param {any[]} list the frame's `events`
 * @param {string[]} sources
 * @returns {BattleEvent[]}
 */
export function readEvents(tick, list, sources) {
  const events = [];
  let line = 0;
  let batch = null;
  for (let at = 0; at < list.length; at += 1) {
    if (!Array.isArray(list[at])) { // where the next event stands, and in which batch
      line = list[at];
      batch = list[at + 1];
      at += 1;
      continue;
    }
    const [kind, values] = readEvent(list[at]);
    if (kind === "line") values.source = sources[values.source] ?? values.source;
    events.push({ tick, line, batch, kind, values });
    line += 1;
  }
  return events;
}

/**
 * A battle that is forfeited or void has no last line; here is one, to be seen and heard.
 * @param {any} result
 * @returns {BattleEvent}
 */
export function brokenOff({ tick, winner, reason }) {
  return { tick, line: Infinity, batch: null, kind: "battle_end", values: { winner, reason } };
}

/** @returns {[string, Object<string, any>]} */
function readEvent([number, ...written]) {
  const [kind, ...fields] = EVENTS[number] ?? [`kind ${number}`];
  const values = {};
  fields.forEach((field, at) => { values[field] = readValue(kind, field, written[at]); });
  if (kind === "line" && (values.on === "revived" || values.on === "ally_revived")) {
    REVIVAL_LINE.forEach((field, at) => {
      values[field] = readValue(kind, field, written[fields.length + at]);
    });
  }
  return [kind, values];
}

function readValue(kind, field, value) {
  if (FLAGS.has(field)) return value === 1;
  if (field in WORDS) return typeof value === "number" ? WORDS[field][value] ?? value : value;
  if (field === "units" && kind !== "battle_start") return value.map(unitId);
  if (UNITS.has(field) && !(kind === "line" && field === "source")) return unitId(value);
  return value;
}

/**
 * `a0`, `a1` are written 0, 1; `b0`, `b1` are -1, -2.
 * @param {number|null} number
 * @returns {string|null}
 */
function unitId(number) {
  if (number === null) return null;
  return number >= 0 ? `a${number}` : `b${-1 - number}`;
}
