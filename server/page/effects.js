// What happens, as it happens: a strike flies over, numbers rise, the fallen flare up again.
// Nothing here is needed to follow a battle; it keeps still for those who want no motion.

import { byId, el, svgLine } from "./dom.js";

/** @typedef {import("./events.js").BattleEvent} BattleEvent */

const MANY = 24; // at one time; beyond it nobody sees more
const LANES = 4; // beside each other

const still = globalThis.matchMedia("(prefers-reduced-motion: reduce)");

export class Effects {
  /** @param {(id: string) => HTMLElement|undefined} find a unit's element */
  constructor(find) {
    this.find = find;
    this.field = byId("field");
    this.overlay = byId("overlay");
    /** @type {Set<Animation>} */
    this.running = new Set();
    this.turn = 0;
    this.pace = 1;
  }

  /** @param {BattleEvent[]} events of the last few ticks */
  play(events) {
    for (const event of events) {
      if (this.running.size >= MANY) return;
      PLAYS[event.kind]?.(this, event.values);
    }
  }

  /** Nothing of what was is to be seen. */
  clear() {
    for (const animation of this.running) {
      animation.oncancel();
      animation.oncancel = null;
      animation.cancel();
    }
  }

  /** A line from one to the other, and a lunge after it. */
  strike({ unit, target }) {
    const from = this.#middle(unit);
    const to = this.#middle(target);
    if (!from || !to || still.matches) return;
    const line = svgLine();
    line.setAttribute("class", unit.slice(0, 1));
    [["x1", from.x], ["y1", from.y], ["x2", to.x], ["y2", to.y]]
      .forEach(([name, value]) => line.setAttribute(name, value.toFixed(0)));
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    line.style.strokeDasharray = `${length}`;
    this.overlay.append(line);
    this.#run(line, [
      { strokeDashoffset: length, opacity: 0.95 },
      { strokeDashoffset: 0, opacity: 0.9, offset: 0.35 },
      { strokeDashoffset: -length, opacity: 0.2 },
    ], 420, () => line.remove());
    const step = Math.min(14, length) / (length || 1);
    const away = `translate(${(to.x - from.x) * step}px, ${(to.y - from.y) * step}px)`;
    this.#run(this.find(unit), [{}, { transform: away, offset: 0.3 }, {}], 320);
  }

  /** A number that rises from a unit and fades. */
  rise(id, text, kind) {
    const middle = this.#middle(id);
    if (!middle) return;
    // From below the bar of Vitality, which says what is left; beside each other, not one on another.
    this.turn = (this.turn + 1) % LANES;
    const number = el(`span.rise.${kind}`, { "aria-hidden": "true" }, text);
    const aside = kind === "vessel" ? 0 : this.turn * middle.width / 2 / LANES;
    number.style.left = `${middle.x + aside}px`;
    number.style.top = `${middle.y + middle.height * 0.4}px`;
    this.field.append(number);
    const drift = still.matches ? "translate(-50%, -50%)" : "translate(-50%, -150%)";
    this.#run(number, [
      { transform: "translate(-50%, -50%)", opacity: 1 },
      { transform: drift, opacity: 1, offset: 0.7 },
      { transform: drift, opacity: 0 },
    ], 900, () => number.remove());
  }

  /** A unit lights up in the colour of what befell it. */
  flash(id, kind) {
    const element = this.find(id);
    if (!element) return;
    const light = el(`span.flash.${kind}`, { "aria-hidden": "true" });
    element.append(light);
    this.#run(light, [{ opacity: 0.9 }, { opacity: 0 }], kind === "reborn" ? 1100 : 450,
      () => light.remove());
  }

  #run(element, frames, length, done = () => {}) {
    if (!element) return;
    const animation = element.animate(frames, { duration: length / this.pace, easing: "ease-out" });
    this.running.add(animation);
    animation.onfinish = animation.oncancel = () => {
      this.running.delete(animation);
      done();
    };
  }

  #middle(id) {
    const element = this.find(id);
    if (!element?.isConnected) return null;
    const box = element.getBoundingClientRect();
    const field = this.field.getBoundingClientRect();
    const { width, height } = box;
    return { x: box.left - field.left + width / 2, y: box.top - field.top + height / 2, width, height };
  }
}

/** @type {Object<string, (effects: Effects, values: any) => void>} */
const PLAYS = {
  strike: (effects, values) => effects.strike(values),
  damage: (effects, { unit, amount, absorbed }) => {
    effects.rise(unit, amount ? `−${amount}` : `${absorbed} warded`, amount ? "hurt" : "ward");
    effects.flash(unit, amount ? "hurt" : "ward");
  },
  heal: (effects, { unit, amount }) => effects.rise(unit, `+${amount}`, "heal"),
  ward: (effects, { unit }) => effects.flash(unit, "ward"),
  status: (effects, { unit, status, amount }) => {
    if (amount > 0) effects.flash(unit, status);
  },
  endure: (effects, { unit }) => {
    effects.rise(unit, "endures", "vessel");
    effects.flash(unit, "reborn");
  },
  death: (effects, { unit }) => effects.flash(unit, "death"),
  summon: (effects, { unit }) => effects.flash(unit, "reborn"),
  revival: (effects, { unit, cause }) => {
    effects.rise(unit, cause === "phylactery" ? "Phylactery" : "Everlasting", "vessel");
    effects.flash(unit, "reborn");
  },
};
