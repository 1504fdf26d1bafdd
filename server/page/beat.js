// Where the battle is between its frames: ticks pass as the room's speed says. A frame may have been
// on its way for longer than another, and the one that took least says best when the battle began.
// Never further than the frame that must come next, and never back.

import { TICKS_PER_SECOND } from "./seconds.js";
import { DIGEST_TICKS } from "./tables.js";

// How much later than was thought, in ms, is a battle that was held up, and no slow line.
const HELD_UP = 1000;
// Of anything less, so much is believed with each frame.
const BELIEF = 0.02;

export class Beat {
  constructor() {
    this.ticksPerSecond = TICKS_PER_SECOND;
    this.rest(0);
  }

  /** Stands still at a tick. */
  rest(tick) {
    this.tick = Math.max(tick, 0);
    this.shown = this.tick;
    this.began = null; // when tick 0 was, by the frames so far
  }

  /** A frame told of the end of this tick just now. */
  heard(tick) {
    const began = performance.now() - tick / this.ticksPerSecond * 1000;
    const later = this.began === null ? -1 : began - this.began;
    if (later < 0 || later > HELD_UP) this.began = began;
    else this.began += later * BELIEF;
    this.tick = tick;
  }

  /** The tick that it is now, and the part of the next one that has passed. */
  get now() {
    if (this.began === null) return this.tick;
    const passed = (performance.now() - this.began) / 1000 * this.ticksPerSecond;
    const nextSecond = (Math.floor(this.tick / DIGEST_TICKS) + 1) * DIGEST_TICKS;
    const now = Math.max(Math.min(passed, nextSecond + DIGEST_TICKS - 1), this.tick);
    this.shown = Math.max(this.shown, now);
    return this.shown;
  }
}
