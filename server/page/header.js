// Above the board: who plays, the score, the round, the clock, and how the connection stands.

import { byId, el, isolated, setText } from "./dom.js";
import { seconds } from "./seconds.js";

const PHASES = {
  waiting: "waiting for an opponent",
  building: "between rounds",
  battle: "battle",
  over: "the series is decided",
  closed: "closed",
};

/** What a room is at. */
export function phaseWords(phase) {
  return PHASES[phase] ?? phase;
}

export class Header {
  constructor() {
    this.room = null;
    for (const side of ["a", "b"]) this.#showSide(side);
    for (const id of ["round", "phase", "crowd", "clock"]) setText(byId(id), "");
    byId("stage").dataset.phase = "";
    byId("stage").setAttribute("aria-label", "The battle");
  }

  /** What to call a side: its player, where one is there. */
  sideName(side) {
    return this.room?.[side]?.name ?? `Side ${side}`;
  }

  /** From a closed room all have gone; above the battle still stands who fought it. */
  showRoom(room) {
    const known = this.room;
    this.room = known && room.phase === "closed" ? { ...known, phase: "closed" } : room;
    byId("stage").dataset.phase = room.phase;
    for (const side of ["a", "b"]) this.#showSide(side);
    const { round, best_of: most, speed, phase, spectators } = this.room;
    setText(byId("round"), `Round ${round} · best of ${most}${atSpeed(speed)}`);
    setText(byId("phase"), phaseWords(phase));
    setText(byId("crowd"), `${spectators} watching`);
    this.#showTitle(this.sideName("a"), this.sideName("b"), "");
  }

  /**
   * A battle that is over, and nobody there.
   * @param {any} [begun] its `begin`, once it has come
   */
  showReplay(begun) {
    byId("stage").dataset.phase = "replay";
    setText(byId("phase"), "replay");
    if (!begun) return;
    const [a, b] = ["a", "b"].map((side) => begun.players[side] ?? `Side ${side}`);
    setText(byId("name-a"), a);
    setText(byId("name-b"), b);
    setText(byId("round"), `Round ${begun.round}${atSpeed(begun.speed)}`);
    this.#showTitle(a, b, ", again");
  }

  /** @param {number} now in ticks */
  showClock(now, limit, runs) {
    const text = runs ? seconds(now) : "–";
    setText(byId("clock"), text);
    byId("sand").style.transform = `scaleX(${runs ? Math.min(now / limit, 1).toFixed(4) : 0})`;
  }

  /** @param {import("./connection.js").Standing} standing */
  showStanding(standing) {
    const badge = byId("standing");
    badge.dataset.state = standing.state;
    setText(badge, words(standing));
  }

  #showTitle(a, b, more) {
    document.title = `${isolated(a)} – ${isolated(b)}${more} · Phylactery`;
    byId("stage").setAttribute("aria-label", `${isolated(a)} against ${isolated(b)}${more}`);
  }

  #showSide(side) {
    const seat = this.room?.[side] ?? null;
    setText(byId(`name-${side}`), seat ? seat.name : this.room ? "free seat" : "…");
    setText(byId(`state-${side}`), seat ? seatState(seat, this.room.phase) : "");
    setText(byId(`score-${side}`), seat ? String(seat.wins) : "0");
    const needed = this.room ? Math.floor(this.room.best_of / 2) + 1 : 0;
    byId(`wins-${side}`).replaceChildren(...Array.from({ length: needed },
      (_, at) => el(seat && at < seat.wins ? "i.win" : "i")));
  }
}

function atSpeed(speed) {
  return speed > 1 ? ` · ${speed}× speed` : "";
}

function seatState(seat, phase) {
  if (seat.stored) return "a stored board";
  if (!seat.present) return "away";
  if (phase === "building") return seat.ready ? "ready" : seat.has_board ? "board sent" : "thinking";
  return phase === "over" && seat.rematch ? "asks for a rematch" : "";
}

function words({ state, resumed, reason }) {
  if (state === "connecting") return "connecting…";
  if (state === "replay") return "as it was recorded";
  if (state === "live") return resumed ? "live · resumed" : "live";
  if (state === "lost") return `${reason || "connection lost"}, trying again…`;
  return reason || "the connection is closed";
}
