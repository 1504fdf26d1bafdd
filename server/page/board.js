// The board: two halves of eight cells that face each other, and who stands where.

import { byId, el } from "./dom.js";
import { Heights } from "./heights.js";
import { RULES } from "./tables.js";
import { UnitView, fate } from "./unit.js";
import { unitNames } from "./words.js";

const CELLS = 8;
const ROW = 4;

export class BoardView {
  constructor() {
    /** @type {Map<string, UnitView>} */
    this.views = new Map();
    this.names = new Map();
    this.rules = RULES;
    this.sides = { a: half("a"), b: half("b") };
    this.heights = new Heights();
  }

  close() {
    this.heights.close();
  }

  clear() {
    this.views.clear();
    this.heights.forget();
    for (const { cells, away } of Object.values(this.sides)) {
      cells.forEach((cell) => cell.replaceChildren());
      away.replaceChildren();
    }
  }

  /** What a unit is called; by its id where it is not known. */
  name(id) {
    return this.names.get(id) ?? id;
  }

  /**
   * Shows the state as the last frame left it.
   * @param {import("./mirror.js").Mirror} mirror
   */
  update(mirror) {
    this.names = unitNames(mirror.units.values());
    const standing = occupants(mirror.units.values());
    for (const [id, view] of this.views) {
      if (mirror.units.has(id)) continue;
      view.element.remove();
      this.views.delete(id);
    }
    for (const [id, unit] of mirror.units) {
      if (!this.views.has(id)) this.views.set(id, new UnitView(unit));
      const view = this.views.get(id);
      view.update(unit, this.name(id), this.rules);
      const cell = this.sides[id.slice(0, 1)].cells[unit.cell];
      const holds = standing.get(`${id.slice(0, 1)}${unit.cell}`) === unit;
      if (holds && view.element.parentNode !== cell) cell.append(view.element);
      if (!holds) view.element.remove();
    }
  }

  /**
   * Shows what moves between frames.
   * @param {import("./mirror.js").Mirror} mirror
   * @param {number} now in ticks
   */
  move(mirror, now) {
    const away = { a: [], b: [] };
    for (const [id, unit] of mirror.units) {
      const view = this.views.get(id);
      if (!view) continue;
      view.move(unit, mirror.chargeAt(unit, now), now, mirror.over);
      if (unit.return_due !== null && !mirror.over && !view.element.isConnected) {
        away[id.slice(0, 1)].push(`${this.name(id)}: ${fate(unit, now, false).toLowerCase()}`);
      }
    }
    for (const side of ["a", "b"]) showAway(this.sides[side].away, away[side]);
  }
}

/** Who is shown in each cell: who lives there, else who is to return, else who fell last. */
function occupants(units) {
  const found = new Map();
  const rank = (unit) => (unit.vitality > 0 ? 2 : unit.return_due !== null ? 1 : 0);
  for (const unit of units) {
    const place = `${unit.id.slice(0, 1)}${unit.cell}`;
    const other = found.get(place);
    if (!other || rank(unit) >= rank(other)) found.set(place, unit);
  }
  return found;
}

function half(side) {
  const cells = [];
  for (let at = 0; at < CELLS; at += 1) {
    const cell = el("div.cell", { "data-cell": String(at) });
    cell.style.setProperty("--column", String(at % ROW + 1));
    cell.style.setProperty("--row", String(Math.floor(at / ROW) + 1));
    cells.push(cell);
  }
  byId(`half-${side}`).replaceChildren(...cells);
  return { cells, away: byId(`away-${side}`) };
}

function showAway(list, texts) {
  while (list.childElementCount > texts.length) list.lastElementChild.remove();
  while (list.childElementCount < texts.length) list.append(el("li"));
  texts.forEach((text, at) => { list.children[at].textContent = text; });
}
