// What changes by and by, asked for anew every so often while it is wanted and somebody looks.

/** A server that says nothing for so long, in milliseconds, does not answer. */
const PATIENCE = 8000;

export class Poll {
  /**
   * @param {string} path of a JSON object
   * @param {number} every so many milliseconds
   * @param {(answer: any) => void} heard
   * @param {() => void} unheard the server does not answer, or not so that it can be understood
   */
  constructor(path, every, heard, unheard = () => {}) {
    this.path = path;
    this.every = every;
    this.heard = heard;
    this.unheard = unheard;
    this.running = false;
    this.timer = 0;
    document.addEventListener("visibilitychange", () => { if (this.#isWanted) void this.#ask(); });
  }

  start() {
    this.running = true;
    void this.#ask();
  }

  stop() {
    this.running = false;
    clearTimeout(this.timer);
  }

  get #isWanted() {
    return this.running && document.visibilityState === "visible";
  }

  async #ask() {
    clearTimeout(this.timer);
    try {
      const signal = AbortSignal.timeout(PATIENCE);
      const answer = await fetch(this.path, { cache: "no-store", signal });
      const said = await answer.json();
      if (this.running) this.heard(said);
    } catch {
      if (this.running) this.unheard();
    }
    clearTimeout(this.timer);
    if (this.#isWanted) this.timer = setTimeout(() => this.#ask(), this.every);
  }
}
