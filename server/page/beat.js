// Where the battle is between its frames: ticks pass as the room's speed says, and are put right by
// every frame that comes. Never further than the frame that must come next.

import { TICKS_PER_SECOND } from "./seconds.js";
import { DIGEST_TICKS } from "./tables.js";

export class Beat {
  constructor() {
    this.ticksPerSecond = TICKS_PER_SECOND;
    this.rest(0);
  }

  /** Stands still at a tick. */
  rest(tick) {
    this.tick = Math.max(tick, 0);
    this.since = null;
  }

  /** A frame told of the end of this tick just now. */
  heard(tick) {
    this.tick = tick;
    this.since = performance.now();
  }

  /** The tick that it is now, and the part of the next one that has passed. */
  get now() {
    if (this.since === null) return this.tick;
    const passed = (performance.now() - this.since) / 1000 * this.ticksPerSecond;
    const nextSecond = (Math.floor(this.tick / DIGEST_TICKS) + 1) * DIGEST_TICKS;
    return Math.min(this.tick + passed, nextSecond + DIGEST_TICKS - 1);
  }
}
