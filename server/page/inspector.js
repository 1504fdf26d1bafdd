// All that is known of one unit, for whoever clicks it or presses Enter on it.

import { byId, el, setText, title } from "./dom.js";
import { card, rune } from "./names.js";
import { tenths } from "./seconds.js";
import { FULL_CHARGE } from "./tables.js";
import { fate } from "./unit.js";

export class Inspector {
  /** @param {import("./board.js").BoardView} board */
  constructor(board) {
    this.board = board;
    this.chosen = null;
    this.now = 0;
    this.told = ""; // whose texts are shown
    this.values = new Map(); // the element of each fact
    byId("field").onclick = ({ target }) => this.#choose(target.closest(".unit"));
    byId("inspector-close").onclick = () => {
      board.views.get(this.chosen)?.element.focus();
      this.#choose(null);
    };
  }

  close() {
    this.#choose(null);
  }

  /** @param {import("./mirror.js").Mirror} mirror */
  update(mirror) {
    this.mirror = mirror;
    const unit = mirror.units.get(this.chosen);
    byId("inspector").hidden = !unit;
    if (!unit) return;
    setText(byId("inspector-name"), this.board.name(unit.id));
    this.#tell(unit);
    this.move(mirror, this.now);
  }

  /**
   * Shows what moves between frames.
   * @param {import("./mirror.js").Mirror} mirror
   * @param {number} now in ticks
   */
  move(mirror, now) {
    this.now = now;
    const unit = mirror.units.get(this.chosen);
    if (!unit) return;
    const charge = Math.min(Math.floor(mirror.chargeAt(unit, now)), FULL_CHARGE);
    const known = facts(unit, this.board.rules, charge, mirror.over ? Infinity : now);
    if (known.map(([name]) => name).join() !== [...this.values.keys()].join()) this.#list(known);
    for (const [name, value] of known) setText(this.values.get(name), String(value));
  }

  /** What stays for as long as a unit is looked at: who reads or marks it is not disturbed. */
  #tell(unit) {
    const told = [unit.card, ...unit.runes].join();
    if (told === this.told) return;
    this.told = told;
    byId("texts").replaceChildren(...texts(unit));
  }

  #list(known) {
    this.values = new Map(known.map(([name]) => [name, el("dd")]));
    byId("facts").replaceChildren(...[...this.values].map(
      ([name, value]) => el("div", null, el("dt", null, name), value)));
  }

  #choose(element) {
    for (const view of this.board.views.values()) view.element.removeAttribute("aria-pressed");
    const id = element?.dataset.unit ?? null;
    this.chosen = id === this.chosen ? null : id;
    if (this.chosen) element.setAttribute("aria-pressed", "true");
    if (this.mirror) this.update(this.mirror);
    byId("inspector").hidden = this.chosen === null;
    if (this.chosen) byId("inspector").scrollIntoView({ block: "nearest" });
  }
}

/** What the card does, and what each rune adds. */
function texts(unit) {
  const { text } = card(unit.card);
  const lines = text ? [el("p", null, text)] : [];
  return [...lines, ...unit.runes.map(rune).map(
    (worn) => el("p", null, el("b", null, worn.name), worn.text ? `: ${worn.text}` : ""))];
}

/**
 * @param {import("./mirror.js").Unit} unit
 * @param {{vessel_cost: number}} rules
 * @param {number} charge
 * @param {number} now in ticks; Infinity once nothing comes any more
 */
function facts(unit, { vessel_cost: cost }, charge, now) {
  const frozen = unit.vitality > 0 && unit.frozen_until !== null;
  const known = [
    ["Unit", `${unit.id}, ${unit.cell < 4 ? "front" : "back"} row, cell ${unit.cell}`],
    ["Vitality", `${unit.vitality} of ${unit.max_vitality}`],
    ["Power", unit.power],
    ["Speed", unit.quickened ? `${unit.speed} + ${unit.quickened} until it acts` : unit.speed],
    ["Armor", unit.armor],
    ["Ward", unit.ward],
    ["Focus", title(unit.focus)],
    ["Charge", `${charge} of ${FULL_CHARGE}, ${unit.rate} a tick`],
    ["Keywords", unit.keywords.map(title).join(", ")],
    ["Vessels", unit.vessels || unit.progress || unit.keywords.includes("phylactery")
      ? `${unit.vessels}, and ${unit.progress} of ${cost} points` : ""],
    ["Fate", unit.vitality > 0 ? "" : now === Infinity ? "Fallen" : fate(unit, now)],
    ["Freeze", frozen && now < Infinity ? `${tenths(Math.max(unit.frozen_until - now, 0))} s` : ""],
    ["Dread", unit.dread || ""],
    ["Burn", unit.burn || ""],
    ["Lives lived", unit.incarnation + 1],
  ];
  return known.filter(([, value]) => value !== "");
}
