// One unit on the board: who it is and how it fares.

import { el, icon, setText, title } from "./dom.js";
import { seconds, tenths } from "./seconds.js";
import { FULL_CHARGE } from "./tables.js";

/** @typedef {import("./mirror.js").Unit} Unit */

const STATS = [["power", "Power"], ["speed", "Speed"], ["armor", "Armor"], ["ward", "Ward"]];
const STATUSES = [["dread", "Dread"], ["freeze", "Freeze"], ["burn", "Burn"]];

export class UnitView {
  /** @param {Unit} unit */
  constructor(unit) {
    this.id = unit.id;
    this.charge = el("i");
    this.vitality = el("i");
    this.numbers = el("span.numbers");
    this.fate = el("span.fate");
    this.name = el("span.name");
    this.vessels = el("span.vessels", { "aria-hidden": "true" });
    this.vesselsTold = el("span.unseen");
    this.stats = Object.fromEntries(STATS.map(([field, name]) => [field, chip(field, name, "stat")]));
    this.marks = Object.fromEntries(
      STATUSES.map(([field, name]) => [field, chip(field, name, "mark")]));
    this.keywords = el("span.keywords");
    // All of it is the button's name: no roles within, which nobody would hear of.
    this.meter = el("span.bar.vitality", null, this.vitality, el("span.unseen", null, "Vitality "),
      this.numbers);
    this.element = el("button.unit", { type: "button", "data-unit": unit.id,
      "data-side": unit.id.slice(0, 1) },
    el("span.head", null, this.name, this.vessels),
    this.meter,
    this.vesselsTold,
    el("span.bar.charge", { "aria-hidden": "true" }, this.charge),
    el("span.stats", null, ...STATS.map(([field]) => this.stats[field])),
    el("span.marks", null, ...STATUSES.map(([field]) => this.marks[field]),
      this.keywords),
    this.fate);
  }

  /**
   * Shows all but what moves between frames.
   * @param {Unit} unit
   * @param {string} name
   * @param {{vessel_max: number, vessel_cost: number}} rules
   */
  update(unit, name, rules) {
    setText(this.name, name);
    this.#vitality(unit);
    this.#vessels(unit, rules);
    for (const [field, label] of STATS) this.#stat(unit, field, label);
    mark(this.marks.dread, unit.dread);
    mark(this.marks.burn, unit.burn);
    const keywords = unit.keywords.map(title).join(" · ");
    if (keywords !== this.keywords.textContent) {
      this.keywords.replaceChildren(...unit.keywords.map((word) => el("em", null, title(word))));
    }
    const classes = this.element.classList;
    classes.toggle("dead", unit.vitality <= 0);
    classes.toggle("frozen", unit.vitality > 0 && unit.frozen_until !== null);
    classes.toggle("burning", unit.vitality > 0 && unit.burn > 0);
    classes.toggle("quickened", unit.quickened > 0);
  }

  /**
   * Shows what moves by itself.
   * @param {Unit} unit
   * @param {number} charge
   * @param {number} now in ticks
   * @param {boolean} over nobody returns any more
   */
  move(unit, charge, now, over) {
    const part = Math.min(Math.max(charge / FULL_CHARGE, 0), 1);
    this.charge.style.transform = `scaleX(${part.toFixed(4)})`;
    const until = unit.frozen_until;
    mark(this.marks.freeze, until === null ? 0 : `${tenths(Math.max(until - now, 0))}s`);
    setText(this.fate, unit.vitality > 0 ? "" : fate(unit, now, over));
  }

  #vitality({ vitality, max_vitality: most }) {
    const part = vitality / most;
    this.vitality.style.transform = `scaleX(${part.toFixed(4)})`;
    this.meter.dataset.level = part > 0.5 ? "high" : part > 0.25 ? "low" : "dire";
    setText(this.numbers, `${vitality}/${most}`);
  }

  #vessels({ keywords, vessels, progress }, { vessel_max: most, vessel_cost: cost }) {
    const state = keywords.includes("phylactery") || vessels || progress
      ? `${vessels}/${most} ${progress}/${cost}` : "";
    if (state === this.shown) return;
    this.shown = state;
    this.vessels.replaceChildren();
    setText(this.vesselsTold, "");
    if (!state) return;
    const label = `Vessels ${vessels} of ${most}, ${progress} of ${cost} points toward the next`;
    this.vessels.setAttribute("title", label);
    const next = progress > 0 ? vessels + 1 : vessels; // points count past the last Vessel too
    for (let at = 0; at < Math.max(most, next); at += 1) {
      const pip = el(at < vessels ? "i.pip.full" : at < most ? "i.pip" : "i.pip.beyond");
      if (at === vessels) { // the one that is being filled
        const fill = el("i");
        fill.style.transform = `scaleY(${(progress / cost).toFixed(3)})`;
        pip.append(fill);
      }
      this.vessels.append(pip);
    }
    setText(this.vesselsTold, label);
  }

  #stat(unit, field, label) {
    const extra = field === "speed" && unit.quickened ? `+${unit.quickened}` : "";
    const [picture, text] = this.stats[field].children;
    setText(text, `${unit[field]}${extra}`);
    picture.setAttribute("aria-label", label);
    this.stats[field].hidden = unit[field] === 0 && field !== "power" && field !== "speed";
  }
}

/** How long until a dead unit is back, or that it will not be: after the battle nobody is. */
export function fate({ return_due: due }, now, over) {
  if (due === null || over) return "Fallen";
  return due > now ? `Returns in ${seconds(due - now)}` : "Waits for a cell";
}

function chip(name, label, kind) {
  const element = el(`span.${kind}.${name}`, { title: label }, icon(name, label), el("b"));
  element.hidden = true;
  return element;
}

function mark(element, value) {
  element.hidden = !value;
  setText(element.lastElementChild, String(value));
}
