// What cards and runes are called and what they do: as their server prints them, or else by their
// id alone.

import { title } from "./dom.js";

/** @type {{cards: Object<string, Printed>, runes: Object<string, Printed>}} */
const known = { cards: {}, runes: {} };

/** @typedef {{name: string, text: string}} Printed */

/** Asks the server once; one that does not say is done without. */
export async function loadNames() {
  try {
    const answer = await fetch("api/catalog");
    if (answer.ok) Object.assign(known, await answer.json());
  } catch (error) {
    console.info("only ids, no names:", error);
  }
}

/** @param {string} id @returns {Printed} */
export function card(id) {
  return printed("cards", id);
}

/** @param {string} id @returns {Printed} */
export function rune(id) {
  return printed("runes", id);
}

function printed(kind, id) {
  return Object.hasOwn(known[kind], id) ? known[kind][id] : { name: title(id), text: "" };
}
