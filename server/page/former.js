// The line that stands while another is tried in its place, and what comes on it meanwhile.

export class Former {
  constructor() {
    /** @type {WebSocket|null} */
    this.line = null;
    this.heard = [];
  }

  /** @param {WebSocket} line */
  keep(line) {
    this.line = line;
    this.heard = [];
  }

  close() {
    this.line?.close();
    this.line = null;
  }

  get isOpen() {
    return this.line !== null && this.line.readyState === WebSocket.OPEN;
  }

  /** Whether the server is there, and has only no place for another line. */
  async isAnswered() {
    const answered = await fetch("healthz", { cache: "no-store" }).then(({ ok }) => ok, () => false);
    return answered && this.isOpen;
  }

  /** It is the line again; what it is, and what was not taken in of it. */
  take() {
    const { line, heard } = this;
    this.line = null;
    return { line, heard };
  }
}
