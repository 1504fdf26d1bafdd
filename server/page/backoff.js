// How long to wait before a lost connection is tried anew: longer each time, and by chance, or all who
// lost theirs would be back in one moment.

const FIRST_DELAY = 250;
const LAST_DELAY = 8000;

export class Backoff {
  constructor() {
    this.attempts = 0;
    this.notBefore = 0;
  }

  /** @param {number} [seconds] that a server asks for */
  ask(seconds = 0) {
    this.notBefore = Date.now() + 1000 * seconds;
  }

  /** Whether a server that has asked for time has had it. */
  get isGranted() {
    return Date.now() >= this.notBefore;
  }

  /** @returns {number} milliseconds */
  next() {
    const delay = Math.min(FIRST_DELAY * 2 ** this.attempts, LAST_DELAY);
    this.attempts += 1;
    return Math.max(delay * (1 + Math.random()) / 2, this.notBefore - Date.now());
  }

  reset() {
    this.attempts = 0;
  }
}
