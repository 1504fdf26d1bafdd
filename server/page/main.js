// The map of the page: `#room=ID` is a room being watched, `#replay=ID` a battle that is over, and
// anything else the lists of both; beside them, where exactly one battle is on, that one.

import { Beat } from "./beat.js";
import { Connection } from "./connection.js";
import { byId, named, setText } from "./dom.js";
import { Hand } from "./hand.js";
import { phaseWords } from "./header.js";
import { loadNames } from "./names.js";
import { Player, Playhead } from "./player.js";
import { ReplayList, isBattleId, replayCommand, rowsOf } from "./replays.js";
import { RoomList, command, elsewhere, isRoomId, linkTo } from "./rooms.js";
import { Stage } from "./stage.js";

/** What to ask a person for, where a room does not let in just anyone. */
const ASKED = { wrong_key: "key", bad_ticket: "ticket" };

/** How a server answers what cannot be a key or a ticket. */
const UNFIT = new Set(["bad_message", 1009]);

/** What can be one. By characters: the lengths of an input are by halves of some. */
const SHAPES = {
  key: { pattern: "[^\\p{Cc}\\u2028\\u2029]{4,64}", title: "4 to 64 characters" },
  ticket: { pattern: ".{1,4096}", title: "at most 4096 characters" },
};

/** What a room is in while no battle can be near, and so many lists are time to read how it ended. */
const RESTING = new Set(["over", "waiting"]);
const RESTED = 4;

/** A room that is gone, or goes. */
const GONE = new Set(["no_such_room", 4002]);

/** @type {Stage|null} */
let stage = null;
/** @type {string|null} the room that is on the stage */
let shown = null;
/** @type {import("./connection.js").Papers} what was given for the room that is shown */
let given = {};
/** @type {string|null} the one of them that was typed just now */
let typed = null;
/** @type {string|null} the room that the list opened and that let nobody in */
let refusedBeside = null;

/** How many lists in a row have said that the room on home's stage rests. */
let rested = 0;

const hand = new Hand(document.querySelectorAll(".home"));
const list = new RoomList(hand, (rooms) => {
  if (!hand.isNear) {
    choose(rooms);
    invite(rooms.find(({ id }) => isShown(id)));
  }
  return rooms.find(({ id }) => isShown(id))?.id;
});
const replays = new ReplayList(hand);

/** What is on stage at home: the one battle that is on; and what was, until it rests while one is on. */
function choose(rooms) {
  const room = rooms.find(({ id }) => isShown(id));
  const on = rooms.filter(({ phase }) => phase === "battle");
  const next = on.length === 1 && on[0].id !== refusedBeside ? on[0] : null;
  const rests = room ? RESTING.has(room.phase) : stage?.result; // gone: how it ended is to be read
  rested = rests ? rested + 1 : 0;
  if (room ? !next || rested < RESTED : rests && rested < RESTED) return;
  if (next) open(next.id);
  else shut();
}

const INVITES = { battle: "A battle is on", building: "The next round is near" };

const capital = (words) => words.slice(0, 1).toUpperCase() + words.slice(1);

/** Whether this room is being watched, or a person is asked for what it takes to. */
function isShown(room) {
  return shown === room && stage !== null && (!stage.ended || !byId("door-form").hidden);
}

function invite(room) {
  byId("invitation").hidden = !room;
  if (!room) return;
  byId("invitation").href = linkTo(room.id);
  setText(byId("invited-to"), INVITES[room.phase] ?? capital(phaseWords(room.phase)));
  const [one, other] = [room.a, room.b].map((seat) => named(seat?.name ?? "…"));
  byId("invited").replaceChildren(one, " against ", other);
}

function open(room, papers = {}, paper = null) {
  shut();
  shown = room;
  given = papers;
  typed = paper;
  byId("stage").hidden = false;
  const needed = Object.keys(papers);
  showCommand(room, needed);
  stage = new Stage(needed, new Beat(), (owner) => new Connection(room, papers, owner), refuse);
}

function replay(battle) {
  shut();
  byId("stage").hidden = false;
  showText(isBattleId(battle), replayCommand(battle));
  const head = new Playhead();
  stage = new Stage([], head, (owner) => new Player(battle, head, owner), refuse);
}

function showCommand(room, papers) {
  showText(isRoomId(room), command(`watch ${room}`, papers));
}

function showText(fit, text) {
  byId("command").parentElement.hidden = !fit;
  setText(byId("command"), text);
}

function shut() {
  stage?.close();
  stage = null;
  shown = null;
  document.title = "Phylactery"; // until it is known who plays
  byId("stage").hidden = true;
  byId("door").hidden = true;
  byId("door-form").hidden = true;
  byId("kept").hidden = true;
}

/** A person is there now, and reads on from there. */
function goTo(place) {
  byId(place).focus({ preventScroll: true });
}

async function showGone(room) {
  byId("command").parentElement.hidden = true; // nobody can go there any more
  const rows = isRoomId(room) ? await rowsOf(room) : [];
  if (room !== shown) return;
  byId("kept-list").replaceChildren(...rows);
  byId("kept").hidden = rows.length === 0;
}

/** @param {import("./connection.js").Standing} standing */
function refuse(standing) {
  const asked = ASKED[standing.code] ?? (UNFIT.has(standing.code) ? typed : null);
  setText(byId("door-text"), words(asked, standing));
  byId("door").hidden = false;
  byId("door-form").hidden = !asked;
  if (!asked) {
    if (document.body.dataset.view === "home") refusedBeside = shown;
    if (GONE.has(standing.code)) void showGone(shown);
    return;
  }
  const input = byId("door-value");
  Object.assign(input, { name: asked, ...SHAPES[asked] });
  showCommand(shown, [...new Set([...Object.keys(given), asked])]);
  input.focus();
}

/** Why nobody comes in like this, and what would help. */
function words(asked, { code, reason, faults }) {
  if (!asked) return reason || "The connection is closed.";
  if (UNFIT.has(code)) return `This cannot be a ${asked}, which has ${SHAPES[asked].title}.`;
  if (asked === "key") {
    return given.key ? "This is not the room's key. Which is?" : "This room is private. Its key?";
  }
  const fault = given.ticket && faults?.[0]?.message;
  return fault ? `The ticket ${fault}.` : "This server asks for a ticket.";
}

function route() {
  const before = document.body.dataset.view;
  const asked = new URLSearchParams(location.hash.slice(1));
  const room = asked.get("room");
  const battle = asked.get("replay");
  document.body.dataset.view = room || battle ? "room" : "home";
  refusedBeside = null;
  if (!room && !battle) {
    if (shown === null) shut();
    list.start();
    replays.start();
    if (before === "room") goTo("main");
    return;
  }
  list.stop();
  replays.stop();
  if (!room) replay(battle);
  else if (!isShown(room)) open(room);
  goTo("stage");
  globalThis.scrollTo(0, 0);
}

byId("door-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const { name, value } = byId("door-value");
  byId("door-value").value = "";
  open(shown, { ...given, [name]: value }, name);
  goTo("stage");
});
for (const code of document.querySelectorAll("code[data-server]")) code.append(elsewhere());
globalThis.addEventListener("hashchange", route);
void loadNames();
route();
