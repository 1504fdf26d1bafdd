// One seat in the audience of a room: says the first message, hears what comes, and after a lost
// connection comes back to where it was, with growing delays.

import { Backoff } from "./backoff.js";
import { Former } from "./former.js";
import { isRoomId } from "./rooms.js";
import { Silence } from "./silence.js";
import { STOPS, VERSION } from "./tables.js";

/**
 * @typedef {{state: "connecting"|"live"|"replay"|"lost"|"ended", resumed?: boolean, code?: string|number,
 *   reason?: string, faults?: {path: string, message: string}[]}} Standing
 * @typedef {{key?: string, ticket?: string}} Papers
 */

export class Connection {
  /**
   * @param {string} room
   * @param {Papers} papers
   * @param {{hear: (message: any) => void, stand: (standing: Standing) => void,
   *   position: () => object|null, busy: () => boolean, crowd: () => number}} owner `hear` may
   *   throw: then the connection is dropped and resumed; `busy`: a battle runs, so frames must
   *   come; `crowd`: so many watch the room.
   */
  constructor(room, papers, owner) {
    this.room = room;
    this.papers = papers;
    this.owner = owner;
    this.token = null;
    this.former = new Former(); // until another is welcomed in its place
    this.inside = false; // the welcome has come on this connection
    this.fresh = false; // the next resume asks for a snapshot
    this.backoff = new Backoff();
    this.ended = false;
    this.farewell = ""; // why the server is about to close
    this.silence = new Silence(() => this.#doubt(), () => this.#prove());
    this.wake = () => this.#wake();
    this.part = () => this.#drop();
    globalThis.addEventListener("online", this.wake);
    globalThis.addEventListener("offline", this.part);
    document.addEventListener("visibilitychange", this.wake);
    this.owner.stand({ state: "connecting" });
    if (isRoomId(room)) this.#open();
    else this.#refused({ code: "no_such_room", message: "There is no such room." });
  }

  /** Goes for good. */
  leave() {
    for (const line of [this.former.line, this.socket]) {
      if (line?.readyState === WebSocket.OPEN) line.send(JSON.stringify({ type: "leave" }));
    }
    this.#end();
    this.socket?.close();
  }

  /** What came does not fit together: begins again from a snapshot. */
  restart() {
    this.fresh = true;
    this.#drop();
  }

  #drop() {
    if (this.socket === null) return;
    this.former.close();
    this.socket.close();
    this.#lost(this.socket, 1006, "");
  }

  /** Somebody looks again, or the line is back: no use in waiting on. */
  #wake() {
    if (document.visibilityState !== "visible") return;
    if (this.timer && this.backoff.isGranted) this.#open();
    else if (this.silence.isLong) this.#prove();
  }

  #doubt() {
    if (!this.inside || this.owner.busy()) this.#drop();
  }

  /**
   * Resumes on another line, which takes the place of this one: the room sees nobody go, nothing is
   * missed, and a person is told only if it fails. Nobody looks at a hidden page: it waits for one.
   */
  #prove() {
    if (!this.inside || document.visibilityState !== "visible") return;
    this.former.keep(this.socket);
    this.#open();
  }

  /** There was no place for another line: this one goes on, where the server is there at all. */
  async #turnedAway(proof) {
    const goesOn = await this.former.isAnswered();
    if (this.ended || proof !== this.socket) return;
    if (!goesOn) return this.#drop();
    const { line, heard } = this.former.take();
    this.socket = line;
    this.inside = true;
    this.silence.begin(this.owner.crowd());
    return heard.forEach((data) => { if (line === this.socket) this.#hear(data); });
  }

  #open() {
    clearTimeout(this.timer);
    this.timer = 0;
    const url = new URL(`rooms/${encodeURIComponent(this.room)}`, document.baseURI);
    url.protocol = url.protocol.replace("http", "ws");
    url.hash = "";
    const socket = new WebSocket(url);
    this.socket = socket;
    this.inside = false;
    this.silence.begin(this.owner.crowd());
    socket.onopen = () => this.#greet();
    socket.onmessage = ({ data }) => {
      if (socket === this.socket) this.#hear(data);
      if (socket === this.former.line) this.former.heard.push(data);
    };
    socket.onclose = ({ code, reason }) => this.#lost(socket, code, reason);
  }

  #greet() {
    const hello = this.token === null
      ? { type: "watch", version: VERSION, start: "beginning", ...this.papers }
      : { type: "resume", version: VERSION, token: this.token, last: this.#position() };
    this.socket.send(JSON.stringify(hello));
  }

  #position() {
    return this.fresh ? null : this.owner.position();
  }

  #hear(data) {
    const message = JSON.parse(data);
    this.silence.begin(this.owner.crowd());
    if (message.type === "error" && !this.inside) return this.#refused(message);
    if (message.type === "welcome") this.#welcomed(message);
    if (message.type === "bye") this.#dismissed(message);
    try {
      return this.owner.hear(message);
    } catch (error) {
      console.warn("what came does not fit, asking anew:", error);
      return this.restart();
    }
  }

  #dismissed({ reason, retry_seconds: seconds }) {
    this.farewell = reason;
    this.backoff.ask(seconds ?? 0);
  }

  #welcomed({ token }) {
    const resumed = this.token !== null;
    const proved = resumed && this.former.line !== null;
    this.former.close();
    this.inside = true;
    this.token = token;
    if (!this.fresh) this.backoff.reset(); // or what never fits would be asked for without a pause
    this.fresh = false;
    if (!proved) this.owner.stand({ state: "live", resumed });
  }

  /** A session that is no more is begun anew, and what passes is tried again; all else is for a person. */
  #refused({ code, message, faults = [] }) {
    if (code === "bad_token" && this.token !== null) {
      this.token = null;
      return this.#greet();
    }
    if (code === "too_fast" || (code === "draining" && this.token)) return this.#drop();
    this.#end();
    this.socket?.close();
    const reason = code === "wrong_key" && !this.papers.key ? "The room is private." : message;
    this.owner.stand({ state: "ended", code, reason, faults });
  }

  #lost(socket, code, reason) {
    if (this.ended || socket !== this.socket) return;
    if (code === 1006 && !this.inside && this.former.isOpen) return void this.#turnedAway(socket);
    this.socket = null;
    this.inside = false;
    this.former.close();
    this.silence.end();
    if (STOPS.has(code)) {
      this.#end();
      this.owner.stand({ state: "ended", code, reason });
      return;
    }
    this.timer = setTimeout(() => this.#open(), this.backoff.next());
    this.owner.stand({ state: "lost", reason: this.farewell });
    this.farewell = "";
  }

  #end() {
    this.ended = true;
    this.former.close();
    clearTimeout(this.timer);
    this.silence.end();
    globalThis.removeEventListener("online", this.wake);
    globalThis.removeEventListener("offline", this.part);
    document.removeEventListener("visibilitychange", this.wake);
  }
}
