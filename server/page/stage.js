// A battle being watched: what its source hears goes to the mirror, the log book and the views, at
// once; what is shown of it, is shown once for each picture.

import { BoardView } from "./board.js";
import { byId } from "./dom.js";
import { Effects } from "./effects.js";
import { brokenOff } from "./events.js";
import { Header } from "./header.js";
import { Inspector } from "./inspector.js";
import { LogView } from "./log.js";
import { Logbook } from "./logbook.js";
import { Mirror } from "./mirror.js";
import { Promises } from "./promises.js";
import { Digests } from "./proof.js";
import { RULES } from "./tables.js";
import { Verdict } from "./verdict.js";

// Events older than this were caught up on; only their outcome is shown.
const RECENT_TICKS = 10;

export class Stage {
  /**
   * @param {string[]} papers what was asked for here, by name
   * @param {import("./beat.js").Beat|import("./player.js").Playhead} beat
   * @param {(stage: Stage) => {leave: () => void, restart: () => void, turn?: (time: number) => void}}
   *   open the source, which says what comes and how it stands; `turn`: before a picture is drawn
   * @param {(standing: import("./connection.js").Standing) => void} refused nothing comes, or no more
   */
  constructor(papers, beat, open, refused) {
    this.papers = papers;
    this.refused = refused;
    this.ended = false;
    this.heard = false; // anything at all
    this.mirror = new Mirror();
    this.promises = new Promises();
    this.beat = beat;
    this.board = new BoardView();
    this.header = new Header();
    this.inspector = new Inspector(this.board);
    this.effects = new Effects((id) => this.board.views.get(id)?.element);
    this.log = new LogView((id) => this.board.name(id), (side) => this.#player(side));
    this.verdict = new Verdict((side) => this.#player(side));
    this.#forget(null);
    this.source = open(this);
    this.picture = requestAnimationFrame((time) => this.#draw(time));
  }

  /** Leaves the source and the page's elements to whoever comes next. */
  close() {
    cancelAnimationFrame(this.picture);
    this.source.leave();
    this.verdict.close();
    this.effects.clear();
    this.board.close();
    this.log.close();
    this.inspector.close();
  }

  /** @param {any} message a message or a frame, as it came; throws where it does not fit */
  hear(message) {
    this.heard = true;
    if (Array.isArray(message)) this.#hearFrame(message);
    else if (Object.hasOwn(HEARD, message.type)) HEARD[message.type](this, message);
  }

  /** @param {import("./connection.js").Standing} standing */
  stand(standing) {
    this.header.showStanding(standing);
    if (standing.state === "live" && !standing.resumed) this.#forget(null);
    if (standing.state === "live" && this.mirror.over) this.beat.rest(this.mirror.tick);
    this.ended = standing.state === "ended";
    byId("stage").classList.toggle("unheard", this.ended && !this.heard);
    if (this.ended) this.refused(standing);
  }

  position() {
    return this.mirror.battle === null ? null : this.mirror.position;
  }

  busy() {
    return this.mirror.battle !== null && this.begun !== null && !this.result && !this.mirror.over;
  }

  crowd() { return this.header.room?.spectators ?? 0; }

  /** Who fights, or fought, on a side: the seats may be others' by the time it is seen. */
  #player(side) {
    return this.begun?.players?.[side] ?? `Side ${side}`;
  }

  showRoom(room) {
    this.promises.hear(room);
    this.header.showRoom(room);
    this.beat.ticksPerSecond = this.usualPace * room.speed;
    this.effects.pace = room.speed;
    if (this.begun === null) this.verdict.expect(room, this.papers);
  }

  #forget(battle, boards) {
    if (battle === null || battle !== this.mirror.battle) { // else who looks at a unit does so on
      this.board.clear();
      this.inspector.close();
    }
    this.mirror.begin(battle, boards);
    this.beat.rest(0);
    this.logbook = new Logbook();
    this.begun = null;
    this.result = null;
    this.digests = new Digests();
    this.fresh = []; // events not shown yet
    this.log.clear();
    this.effects.clear();
    this.changed = true;
    this.shown = null; // the tick that is seen
  }

  /** Whatever was known of a battle, it is told anew from here on. */
  begin(begin) {
    this.#forget(begin.battle, begin.boards);
    this.begun = { ...begin, promised: this.promises.before(begin) };
    this.board.rules = { ...RULES, ...begin.rules };
    this.verdict.wait();
  }

  load(snapshot) {
    this.mirror.load(snapshot);
    this.beat.heard(snapshot.tick);
    this.fresh = [];
    this.changed = true;
    this.#check(snapshot.digest);
  }

  async end(result) {
    if (this.result?.battle === result.battle) return;
    this.result = result;
    this.mirror.over = true;
    this.changed = true;
    this.beat.rest(this.mirror.tick);
    if (result.digest === null) this.fresh.push(brokenOff(result));
    const { begun, logbook, digests } = this;
    const seen = begun?.battle === result.battle ? begun : null;
    await this.verdict.show(result, seen, logbook, digests);
  }

  #hearFrame(frame) {
    const events = this.mirror.apply(frame);
    this.logbook.add(events);
    this.fresh.push(...events);
    if (frame[0] !== "tick") return;
    this.changed = true;
    if (this.mirror.over) this.beat.rest(this.mirror.tick);
    else this.beat.heard(this.mirror.tick);
    if (frame.length > 6) this.#check(frame[6]);
  }

  /** A mirror whose digest differs has gone wrong, and begins again. */
  async #check(digest) {
    const { digests } = this;
    if (await digests.check(this.mirror.text, digest) === false) this.source.restart();
    byId("field").dataset.digests = String(digests.held);
  }

  #draw(time) {
    this.picture = requestAnimationFrame((next) => this.#draw(next));
    this.source.turn?.(time);
    const { mirror, changed } = this;
    this.changed = false;
    if (changed) {
      this.board.update(mirror);
      this.inspector.update(mirror);
    }
    const now = this.beat.now;
    if (changed || now !== this.shown) {
      this.shown = now;
      this.board.move(mirror, now);
      this.inspector.move(mirror, now);
      this.header.showClock(now, this.board.rules.time_limit, this.begun !== null);
    }
    if (this.fresh.length === 0) return;
    const events = this.fresh.splice(0).sort((one, other) => one.line - other.line);
    this.log.add(events);
    const recent = events.filter(({ tick }) => tick > mirror.tick - RECENT_TICKS);
    this.log.announce(recent);
    this.effects.play(recent);
  }
}

/** @type {Object<string, (stage: Stage, message: any) => void>} */
const HEARD = {
  welcome: (stage, { room, ticks_per_second: pace }) => {
    stage.usualPace = pace;
    stage.promises.doubt();
    stage.showRoom(room);
  },
  room: (stage, { room }) => stage.showRoom(room),
  begin: (stage, begin) => stage.begin(begin),
  snapshot: (stage, snapshot) => stage.load(snapshot),
  result: (stage, result) => { void stage.end(result); },
};
