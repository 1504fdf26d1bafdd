// All that is known of one unit, for whoever clicks it or presses Enter on it.

import { byId, el, setText, title } from "./dom.js";
import { card, rune } from "./names.js";
import { seconds } from "./seconds.js";
import { FULL_CHARGE } from "./tables.js";
import { fate } from "./unit.js";

export class Inspector {
  /** @param {import("./board.js").BoardView} board */
  constructor(board) {
    this.board = board;
    this.chosen = null;
    this.printed = ""; // the texts that are shown
    this.now = 0;
    this.values = Object.fromEntries(Object.keys(FACTS).map((name) => [name, el("dd")]));
    byId("texts").replaceChildren();
    byId("facts").replaceChildren(...Object.entries(this.values).map(
      ([name, value]) => el("div", null, el("dt", null, name), value)));
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
    this.#print(unit);
    this.move(mirror, this.now);
  }

  /**
   * Shows it as it is now; only what differs, or nobody could select a word of it.
   * @param {import("./mirror.js").Mirror} mirror
   * @param {number} now in ticks
   */
  move(mirror, now) {
    this.now = now;
    const unit = mirror.units.get(this.chosen);
    if (!unit) return;
    const moment = { now, charge: mirror.chargeAt(unit, now), over: mirror.over, ...this.board.rules };
    for (const [name, tell] of Object.entries(FACTS)) {
      const told = String(tell(unit, moment));
      setText(this.values[name], told);
      this.values[name].parentElement.hidden = told === "";
    }
  }

  /** What the card does, and what each rune adds. */
  #print(unit) {
    const lines = [{ name: "", text: card(unit.card).text }, ...unit.runes.map(rune)];
    const printed = JSON.stringify(lines);
    if (printed === this.printed) return;
    this.printed = printed;
    byId("texts").replaceChildren(...lines.filter(({ name, text }) => name || text).map(textLine));
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

function textLine({ name, text }) {
  if (!name) return el("p", null, text);
  return el("p", null, el("b", null, name), text ? `: ${text}` : "");
}

/**
 * What is told of a unit, in this order; empty: nothing.
 * @type {Object<string, (unit: import("./mirror.js").Unit, moment: {now: number, charge: number,
 *   over: boolean, vessel_cost: number}) => string|number>}
 */
const FACTS = {
  Unit: ({ id, cell }) => `${id}, ${cell < 4 ? "front" : "back"} row, cell ${cell}`,
  Vitality: ({ vitality, max_vitality: most }) => `${vitality} of ${most}`,
  Fate: (unit, { now, over }) => (unit.vitality > 0 ? "" : fate(unit, now, over)),
  Power: ({ power }) => power,
  Speed: ({ speed, quickened }) => (quickened ? `${speed} + ${quickened} until it acts` : speed),
  Armor: ({ armor }) => armor,
  Ward: ({ ward }) => ward,
  Focus: ({ focus }) => title(focus),
  Charge: ({ rate }, { charge }) => (
    `${Math.min(Math.floor(charge), FULL_CHARGE)} of ${FULL_CHARGE}, ${rate} a tick`),
  Keywords: ({ keywords }) => keywords.map(title).join(", "),
  Vessels: ({ vessels, progress, keywords }, { vessel_cost: cost }) => (
    vessels || progress || keywords.includes("phylactery")
      ? `${vessels}, and ${progress} of ${cost} points` : ""),
  Dread: ({ dread }) => dread || "",
  Freeze: ({ frozen_until: until }, { now }) => (
    until === null ? "" : `for ${seconds(Math.max(until - now, 0))} more`),
  Burn: ({ burn }) => burn || "",
  "Lives lived": ({ incarnation }) => incarnation + 1,
};
