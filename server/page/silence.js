// How long nothing has been heard. Pages cannot see the pings of a server, so that a line that is
// dead and one on which there is nothing to say look alike.

// In a battle no two frames are as far apart as two seconds, and a welcome comes at once; a line
// that is silent for so long where something must come is dead.
const SILENCE = 8000;
// Where nothing need come, it is put to the proof after so long, and as much again by chance: or all
// who look at one room would come to its server in one moment.
const QUIET = 30000;

export class Silence {
  /**
   * @param {() => void} silent is called where dead lines are seen in a battle
   * @param {() => void} quiet is called later, once
   */
  constructor(silent, quiet) {
    this.silent = silent;
    this.quiet = quiet;
    this.since = 0;
    this.timers = [];
  }

  /** Something was heard, or is waited for from now on. */
  begin() {
    this.end();
    this.since = Date.now();
    this.timers = [
      setTimeout(this.silent, SILENCE),
      setTimeout(this.quiet, QUIET * (1 + Math.random())),
    ];
  }

  end() {
    this.timers.forEach(clearTimeout);
  }

  /** By the clock on the wall: timers stand still while a machine sleeps. */
  get isLong() {
    return Date.now() - this.since >= SILENCE;
  }
}
