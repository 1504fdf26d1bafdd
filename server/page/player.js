// A battle that is over, played again: its stream goes to the stage at the pace of a clock that can
// be stopped, set and hurried.

import { Backoff } from "./backoff.js";
import { Controls } from "./controls.js";
import { readEvents, sourcesOf } from "./events.js";
import { TICKS_PER_SECOND } from "./seconds.js";
import { askForStream } from "./stream.js";

/** Somebody looked away: the battle waits. */
const MOST_AT_ONCE = 250;

const UNFIT = "What was recorded of this battle does not fit together.";

/** Where the battle is: where the player has put it, whatever the frames say. */
export class Playhead {
  now = 0;

  rest() { /* it is not moved by frames */ }

  heard() { /* nor by these */ }
}

export class Player {
  /**
   * @param {string} battle
   * @param {Playhead} head
   * @param {import("./stage.js").Stage} stage
   */
  constructor(battle, head, stage) {
    this.battle = battle;
    this.head = head;
    this.stage = stage;
    this.gone = new AbortController();
    this.controls = new Controls({
      toggle: () => this.#dare(() => this.#toggle()),
      seek: (tick) => this.#dare(() => this.#go(tick)),
      step: (ticks) => this.#dare(() => this.#go(this.head.now + ticks)),
    });
    this.backoff = new Backoff();
    this.begin = null; // nothing has come yet
    stage.header.showReplay();
    stage.stand({ state: "connecting" });
    void this.#open();
  }

  /** Goes for good. */
  leave() {
    this.gone.abort();
    clearTimeout(this.timer);
    this.controls.close();
  }

  /** What was recorded comes no better a second time: the verdict says what did not hold. */
  restart() {}

  async #open() {
    const { stream, reason, passes } = await askForStream(this.battle, this.gone.signal);
    if (this.gone.signal.aborted) return;
    if (stream?.begin) this.#dare(() => this.#show(stream));
    else if (passes) this.#wait(reason);
    else this.#refuse(reason ?? UNFIT);
  }

  #wait(reason) {
    this.timer = setTimeout(() => this.#open(), this.backoff.next());
    this.stage.stand({ state: "lost", reason: reason.replace(/\.$/, "") });
  }

  /** Does what throws where the stream does not fit together. */
  #dare(work) {
    try {
      if (!this.gone.signal.aborted) work();
    } catch (error) {
      console.warn("what was recorded does not fit:", error);
      this.#refuse(UNFIT);
    }
  }

  #refuse(reason) {
    if (this.gone.signal.aborted) return;
    this.leave();
    this.stage.stand({ state: "ended", reason });
  }

  #show({ begin, frames, result }) {
    const last = frames.length ? result.tick : 0; // of a void battle nothing is kept
    Object.assign(this, { begin, frames, result, last });
    this.stage.stand({ state: "replay" });
    this.stage.header.showReplay(begin);
    this.controls.open(this.last, momentsOf(begin, frames));
    this.playing = true;
    this.#rewind();
  }

  /** Before the stage draws each picture. */
  turn(time) {
    const passed = Math.min(Math.max(time - (this.before ?? time), 0), MOST_AT_ONCE);
    this.before = time;
    if (this.begin === null) return;
    const speed = this.begin.speed * this.controls.rate;
    this.stage.effects.pace = speed;
    if (!this.playing || this.controls.held) return;
    this.#dare(() => this.#go(this.head.now + passed / 1000 * TICKS_PER_SECOND * speed));
  }

  #toggle() {
    if (!this.playing && this.head.now >= this.last) this.#go(0);
    this.playing = !this.playing;
    this.controls.show(this.head.now, this.playing);
  }

  #go(wanted) {
    const tick = Math.min(Math.max(wanted, 0), this.last);
    if (tick < this.head.now) this.#rewind();
    while (this.told < this.frames.length && this.frames[this.told][3] <= tick) {
      this.stage.hear(this.frames[this.told]);
      this.told += 1;
    }
    this.head.now = tick;
    if (tick >= this.last) this.#end();
    this.controls.show(tick, this.playing);
  }

  #rewind() {
    this.told = 0;
    this.head.now = 0;
    this.stage.hear(this.begin);
  }

  #end() {
    if (!this.controls.held) this.playing = false; // or it is only passed over
    this.stage.hear(this.result); // twice is as good as once
  }
}

/** The moments worth going to. @returns {{tick: number, kind: string}[]} */
function momentsOf({ boards }, frames) {
  const sources = sourcesOf(boards);
  return frames.flatMap(([, , , tick, events]) => readEvents(tick, events, sources))
    .filter(({ kind, values }) => kind === "revival" || (kind === "death" && !values.sweep));
}
