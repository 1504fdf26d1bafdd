// The events of a battle in words: a table from kind to sentence. A sentence is a list of texts
// and of whom it names, so that the page can colour names without ever parsing text.

import { title } from "./dom.js";
import { card as printedCard } from "./names.js";
import { seconds } from "./seconds.js";

/** @typedef {{unit: string}|{side: string}} Named */
/** @typedef {(string|Named)[]} Sentence */

/** What is told even to those who want the great moments only. */
export const MAJOR = new Set([
  "battle_start", "death", "vessel_spent", "return_due", "revival", "fallback", "summon", "endure",
  "chain_cut", "battle_end",
]);

/** What becomes of a battle at which the server failed. */
export const VOID = "Void: the server failed at this battle";

/** A template whose holes are texts, numbers or whom it names; empty texts fall away. */
function say(texts, ...holes) {
  return texts.flatMap((text, at) => [text, ...[holes[at] ?? ""].flat()])
    .map((part) => (typeof part === "number" ? String(part) : part))
    .filter((part) => part !== "");
}

const unit = (id) => (id === null ? "nobody" : { unit: id });
const side = (id) => ({ side: id });
const signed = (amount) => (amount < 0 ? `−${-amount}` : `+${amount}`);

/** Whose doing it was, unless its own. */
function by(values, word = "from") {
  if (values.source === null || values.source === values.unit) return "";
  return say` ${word} ${unit(values.source)}`;
}

/** @type {Object<string, (values: any) => Sentence|null>} null: others say it better */
const SENTENCES = {
  battle_start: (v) => say`The battle begins; ${side(v.initiative)} has the initiative`,
  activation: () => null,
  strike: () => null,
  line: (v) => (v.on === "ally_revived"
    ? say`${unit(v.unit)} answers the return of ${unit(v.revived)}` : null),
  fallback: (v) => say`${unit(v.unit)} finds the killer gone and turns on ${unit(v.target)}`,
  damage: (v) => say`${unit(v.unit)} takes ${v.amount}${
    v.source === null ? "" : say` from ${unit(v.source)}`}${
    v.absorbed ? ` (${v.absorbed} on its Ward)` : ""}`,
  heal: (v) => say`${unit(v.unit)} heals ${v.amount}${by(v)}`,
  ward: (v) => say`${unit(v.unit)} gains ${v.amount} Ward${by(v)}`,
  status: tellStatus,
  status_end: (v) => say`${unit(v.unit)} ${ENDS[v.status] ?? `is free of ${title(v.status)}`}`,
  stat: (v) => (v.source === null ? null
    : say`${unit(v.unit)}: ${signed(v.amount)} ${title(v.stat)}${by(v)}`),
  quicken: (v) => (v.speed ? say`${unit(v.unit)} quickens by ${v.speed} Speed` : null),
  grant: (v) => say`${unit(v.unit)} gains ${title(v.keyword)}${
    v.until === "battle" ? " for the battle" : ""}`,
  grant_end: (v) => say`${unit(v.unit)} loses ${title(v.keyword)}`,
  charge: () => null,
  endure: (v) => say`${unit(v.unit)} defies death`,
  death: tellDeath,
  vessel_spent: (v) => say`${unit(v.unit)} spends a Vessel, ${v.vessels} left`,
  return_due: (v) => say`${unit(v.unit)} is to return at ${seconds(v.due)}`,
  revival: (v) => say`${unit(v.unit)} ${
    v.cause === "phylactery" ? "returns from its Phylactery" : "returns, Everlasting"}`,
  vessel_points: (v) => say`${side(v.side)} earns ${v.points} Vessel Points${
    v.units.length ? "" : ", and nobody to take them"}`,
  vessel: () => null,
  summon: (v) => say`${unit(v.source)} summons ${unit(v.unit)}`,
  chain_cut: () => say`The chain is cut short`,
  battle_end: tellEnd,
};

const ENDS = { freeze: "thaws", burn: "stops burning", dread: "sheds its Dread" };

function tellStatus(v) {
  if (v.status === "freeze") {
    return say`${unit(v.unit)} is frozen for ${seconds(v.amount)}${by(v, "by")}`;
  }
  if (v.amount < 0) return null; // Burn that loses a stack is seen on the unit
  return say`${unit(v.unit)} takes ${v.amount} ${title(v.status)}${by(v)}`;
}

function tellDeath(v) {
  if (v.sweep) return say`${unit(v.unit)} falls in the final sweep`;
  if (v.killer === v.unit) return say`${unit(v.unit)} dies by its own hand`;
  return v.killer === null ? say`${unit(v.unit)} dies` : say`${unit(v.unit)} dies to ${unit(v.killer)}`;
}

function tellEnd({ winner, reason }) {
  if (reason === "void") return [VOID];
  return winner === null ? say`A draw by ${reason}` : say`${side(winner)} wins by ${reason}`;
}

/**
 * The event in words, or null for one that others say better. A kind that is not known here is
 * told by its bare name: a newer server may have more.
 * @param {import("./events.js").BattleEvent} event
 * @returns {Sentence|null}
 */
export function tell({ kind, values }) {
  if (Object.hasOwn(SENTENCES, kind)) return SENTENCES[kind](values);
  return say`${kind}`;
}

/**
 * What to call each unit: its card's title, with its id where the title alone would not do.
 * @param {Iterable<{id: string, card: string}>} units
 * @returns {Map<string, string>}
 */
export function unitNames(units) {
  const named = [...units].map(({ id, card }) => [id, printedCard(card).name]);
  const times = new Map();
  for (const [, name] of named) times.set(name, (times.get(name) ?? 0) + 1);
  return new Map(named.map(([id, name]) => [id, times.get(name) > 1 ? `${name} ${id}` : name]));
}
