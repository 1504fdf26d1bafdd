// The list of public rooms.

import { byId, el, setText } from "./dom.js";
import { Poll } from "./poll.js";
import { showRows } from "./rows.js";

const EVERY = 2000;
const ORDER = ["battle", "building", "over", "waiting"];
const PHASES = {
  battle: "battle on", building: "between rounds", over: "series decided", waiting: "seat free",
};

export class RoomList {
  /**
   * @param {import("./hand.js").Hand} hand
   * @param {(rooms: any[]) => string|undefined} heard is told of every list that comes, and gives
   *   the room that is shown beside it, if one is
   */
  constructor(hand, heard) {
    this.hand = hand;
    this.heard = heard;
    this.poll = new Poll("api/rooms", EVERY, ({ rooms }) => {
      this.#show(rooms);
      setText(byId("rooms-note"), "");
    }, () => setText(byId("rooms-note"), "The server does not answer. Trying again…"));
  }

  start() {
    this.poll.start();
  }

  stop() {
    this.poll.stop();
  }

  #show(rooms) {
    const rank = ({ phase }) => (ORDER.includes(phase) ? ORDER.indexOf(phase) : ORDER.length);
    const beside = this.heard(rooms);
    const sorted = rooms.filter(({ id }) => id !== beside)
      .sort((one, other) => rank(one) - rank(other));
    showRows(byId("rooms"), sorted.map(row), this.hand.isNear);
    byId("none").hidden = rooms.length > 0;
    setText(byId("rooms-title"), beside ? "Other rooms" : "Rooms");
    byId("rooms-title").hidden = sorted.length === 0 && rooms.length > 0;
  }
}

function row(room) {
  return el("li", { "data-id": room.id, "data-phase": room.phase },
    el("a", { href: linkTo(room.id) },
      el("span.phase", null, PHASES[room.phase] ?? room.phase),
      el("span.pair", null, ...seat(room.a, "a"), el("span.versus", null, " vs "),
        ...seat(room.b, "b")),
      el("span.more", null, `round ${room.round}, best of ${room.best_of} · `
        + `${room.spectators} watching`),
      el("span.go", { "aria-hidden": "true" }, room.phase === "battle" ? "Watch live →" : "Watch →")));
}

function seat(state, side) {
  if (state === null) return [el("i", null, "free seat")];
  return [el(`b.${side}`, null, state.name), el("span.won", null, ` ${state.wins}`)];
}

/**
 * A command for a room, to be said in a terminal. It names the papers that are needed, and does not
 * show them: whoever is on the page was asked for them in secret.
 * @param {string} words
 * @param {string[]} papers
 */
export function command(words, papers) {
  const needed = papers.map((paper) => ` --${paper} ${paper.toUpperCase()}`).join("");
  return `phylactery ${words}${needed}${elsewhere()}`;
}

/** What a command needs to find a server that is not where it looks first. */
export function elsewhere() {
  if (location.host === "127.0.0.1:8750") return "";
  return ` --server ${location.protocol.replace("http", "ws")}//${location.host}`;
}

/**
 * Whether a room can be called so. Whoever makes a link says any text in its place, and it would
 * stand in a command that others paste.
 * @param {string} text
 */
export function isRoomId(text) {
  return /^[0-9a-z][0-9a-z_-]{0,63}$/i.test(text);
}

/** Where a room is watched. */
export function linkTo(id) {
  return `#room=${encodeURIComponent(id)}`;
}
