// Where the battle is between its frames: ticks pass as the room's speed says, from when it must have
// begun. Never further than the frame that must come next, and never back.

import { TICKS_PER_SECOND } from "./seconds.js";
import { DIGEST_TICKS } from "./tables.js";

/** So much of the time that passes, a beginning that was told earlier than is true may be put right. */
const YIELDS = 0.1;

export class Beat {
  constructor() {
    this.ticksPerSecond = TICKS_PER_SECOND;
    this.rest(0);
  }

  /** Stands still at a tick; what is heard next is of another battle. */
  rest(tick) {
    this.tick = Math.max(tick, 0);
    this.origin = null; // when tick 0 was
    this.heardAt = 0;
    this.shown = 0;
  }

  /**
   * A frame told of the end of this tick just now. Lines are late, and never early: of all frames, the
   * one that came soonest says best when the battle began. That gives way slowly, for a server that
   * has paused, or a clock that goes otherwise.
   */
  heard(tick) {
    const at = performance.now();
    const origin = at - tick / this.ticksPerSecond * 1000;
    const latest = this.origin === null ? origin : this.origin + (at - this.heardAt) * YIELDS;
    this.origin = Math.min(origin, latest);
    this.heardAt = at;
    this.tick = tick;
  }

  /** The tick that it is now, and the part of the next one that has passed. */
  get now() {
    if (this.origin === null) return this.tick;
    const passed = (performance.now() - this.origin) / 1000 * this.ticksPerSecond;
    const nextSecond = (Math.floor(this.tick / DIGEST_TICKS) + 1) * DIGEST_TICKS;
    const most = nextSecond + DIGEST_TICKS - 1;
    this.shown = Math.max(this.shown, Math.min(Math.max(passed, this.tick), most));
    return this.shown;
  }
}
