// The exact state of a battle, from a snapshot or from the first frame on. Knows no page and no
// socket: it is fed what came, and asked.

import { readEvents, sourcesOf } from "./events.js";
import { BUILT, FIELDS, JUST_BUILT, STATUS_FIELDS } from "./tables.js";

/** @typedef {import("./events.js").BattleEvent} BattleEvent */
/** @typedef {Object<string, any>} Unit its 22 fields by name */
/** @typedef {{tick: number, revival: number, vessel: number}} Numbers */

/** A frame that should have come has not: the connection is to be dropped and resumed. */
export class Gap extends Error {}

/** What each event says of its unit; the rest is in the frame's patch, and its rate follows. */
const TELLS = {
  activation: (unit, { nested }) => { if (!nested) unit.charge -= 1000; },
  damage: (unit, { vitality, absorbed }) => { unit.vitality = vitality; unit.ward -= absorbed; },
  heal: (unit, { vitality }) => { unit.vitality = vitality; },
  endure: (unit, { vitality }) => { unit.vitality = vitality; },
  ward: (unit, { ward }) => { unit.ward = ward; },
  quicken: (unit, { speed }) => { unit.quickened = speed; },
  charge: (unit, { charge }) => { unit.charge = charge; },
  stat: (unit, { stat, amount, value }) => {
    unit[stat] = value;
    if (stat === "vitality") unit.max_vitality += amount;
  },
  status: (unit, { status, total }) => { setStatus(unit, status, total); },
  status_end: (unit, { status }) => { setStatus(unit, status, status === "freeze" ? null : 0); },
};

export class Mirror {
  constructor() {
    /** @type {string|null} the battle that this is of */
    this.battle = null;
    this.begin(null);
  }

  /**
   * Nothing is known of this battle yet; its first frames come next.
   * @param {string|null} battle
   * @param {{a: any, b: any}} boards as `begin` has them
   */
  begin(battle, boards = { a: { units: [] }, b: { units: [] } }) {
    this.battle = battle;
    this.sources = sourcesOf(boards);
    this.tick = -1;
    this.over = false;
    /** @type {Map<string, Unit>} in the order of the digest */
    this.units = new Map();
    /** @type {Numbers} of the frames that come next */
    this.next = { tick: 0, revival: 0, vessel: 0 };
  }

  /** The state of a `snapshot` message, in place of everything before. */
  load(snapshot) {
    this.battle = snapshot.battle;
    this.tick = snapshot.tick;
    this.over = false;
    this.units = new Map();
    this.next = { ...snapshot.next };
    for (const values of snapshot.units) this.#put(values);
    this.#sort();
  }

  /**
   * Takes in a frame and gives its events. Throws `Gap`, and then nothing has changed.
   * @param {any[]} frame
   * @returns {BattleEvent[]}
   */
  apply(frame) {
    const [channel, battle, number, tick] = frame;
    if (battle !== this.battle) throw new Gap(`a frame of ${battle} amid ${this.battle}`);
    if (number !== this.next[channel]) {
      throw new Gap(`${channel}: ${number} came where ${this.next[channel]} was due`);
    }
    const events = readEvents(tick, frame[4], this.sources);
    if (channel === "tick") this.#move(tick, events, frame[5] ?? {});
    this.next[channel] += 1;
    return events;
  }

  /** What a `resume` says was seen last. */
  get position() {
    const { tick, revival, vessel } = this.next;
    return { battle: this.battle, tick: tick - 1, revival: revival - 1, vessel: vessel - 1 };
  }

  /**
   * A unit's Charge at a tick from the last one told on, parts of ticks too.
   * @param {Unit} unit
   * @param {number} tick
   */
  chargeAt(unit, tick) {
    return unit.charge + unit.rate * Math.max(tick - this.tick, 0);
  }

  /** The text whose SHA-256 begins with the state's digest. */
  get text() {
    const units = [...this.units.values()].map((unit) => FIELDS.map((field) => unit[field]));
    return JSON.stringify([this.tick, units]);
  }

  #move(tick, events, patches) {
    for (const unit of this.units.values()) unit.charge += unit.rate * (tick - this.tick);
    this.tick = tick;
    for (const { kind, values } of events) {
      if (kind === "battle_start") this.#build(values.units);
      if (kind === "battle_end") this.over = true;
      const unit = this.units.get(values.unit);
      if (unit && Object.hasOwn(TELLS, kind)) TELLS[kind](unit, values);
    }
    this.#patch(patches);
    for (const unit of this.units.values()) unit.rate = rate(unit);
  }

  #build(units) {
    for (const written of units) {
      const unit = { ...JUST_BUILT };
      FIELDS.slice(0, BUILT).forEach((field, at) => { unit[field] = written[at]; });
      this.units.set(unit.id, unit);
    }
    this.#sort();
  }

  #patch(patches) {
    for (const [id, patch] of Object.entries(patches)) {
      if (Array.isArray(patch)) {
        this.#put(patch);
        this.#sort();
      } else {
        Object.assign(this.units.get(id), patch);
      }
    }
  }

  #put(values) {
    const unit = Object.fromEntries(FIELDS.map((field, at) => [field, values[at]]));
    this.units.set(unit.id, unit);
  }

  #sort() {
    const key = (id) => (id.startsWith("b") ? 1e6 : 0) + Number(id.slice(1));
    this.units = new Map([...this.units].sort(([one], [other]) => key(one) - key(other)));
  }
}

/** What a unit gains each tick: nothing while it is dead or Frozen. */
function rate({ vitality, frozen_until: frozen, speed, quickened }) {
  return vitality <= 0 || frozen !== null ? 0 : speed + quickened;
}

function setStatus(unit, status, value) {
  if (Object.hasOwn(STATUS_FIELDS, status)) unit[STATUS_FIELDS[status]] = value;
}
