// How long nothing has been heard. Pages cannot see the pings of a server, so that a line that is
// dead and one on which there is nothing to say look alike.

// In a battle no two frames are as far apart as two seconds, and a welcome comes at once; a line
// that is silent for so long where something must come is dead.
const SILENCE = 8000;
// Where nothing need come, it is put to the proof after so long, and as much again by chance: or all
// who look at one room would come to its server in one moment.
const QUIET = 30000;
// For so many who watch; the more there are the later, up to so many times. Proofs are to cost a
// server little, and a crowd is hardly ever quiet: whoever comes or goes is told to all.
const CROWD = 100;
const LATEST = 10;

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

  /**
   * Something was heard, or is waited for from now on.
   * @param {number} crowd how many watch the room
   */
  begin(crowd) {
    const times = Math.min(Math.max(crowd / CROWD, 1), LATEST);
    this.end();
    this.since = Date.now();
    this.timers = [
      setTimeout(this.silent, SILENCE),
      setTimeout(this.quiet, times * QUIET * (1 + Math.random())),
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
