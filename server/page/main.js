// The map of the page: `#room=ID` is a room being watched, anything else the list of rooms; and
// beside the list, where exactly one battle is on, that one.

import { byId, setText } from "./dom.js";
import { loadNames } from "./names.js";
import { RoomList, command, elsewhere, linkTo } from "./rooms.js";
import { Stage } from "./stage.js";

/** What to ask a person for, where a room does not let in just anyone. */
const ASKED = { wrong_key: "key", bad_ticket: "ticket" };

/** @type {Stage|null} */
let stage = null;
/** @type {import("./connection.js").Papers} what was given for the room that is shown */
let given = {};

const list = new RoomList((rooms) => {
  const on = rooms.filter(({ phase }) => phase === "battle");
  const watched = rooms.some(({ id }) => id === stage?.room);
  if (!watched && on.length === 1) open(on[0].id);
  if (!watched && on.length !== 1) shut();
  const room = rooms.find(({ id }) => id === stage?.room);
  invite(room);
  return room?.id;
});

function invite(room) {
  byId("invitation").hidden = !room;
  if (!room) return;
  byId("invitation").href = linkTo(room.id);
  setText(byId("invited-to"), room.phase === "battle" ? "A battle is on" : "The next round is near");
  setText(byId("invited"), `${room.a?.name ?? "…"} against ${room.b?.name ?? "…"}`);
}

function open(room, papers = {}) {
  shut();
  given = papers;
  byId("stage").hidden = false;
  showCommand(room, Object.keys(papers));
  stage = new Stage(room, papers, refuse);
}

function showCommand(room, papers) {
  setText(byId("command"), command(`watch ${room}`, papers));
}

function shut() {
  stage?.close();
  stage = null;
  byId("stage").hidden = true;
  byId("door").hidden = true;
}

function refuse(code, reason) {
  const asked = ASKED[code];
  const key = given.key ? "This is not the room's key. Which is?" : "This room is private. Its key?";
  setText(byId("door-text"), asked === "key" ? key
    : asked ? "This server asks for a ticket." : `${reason || "The connection is closed."}`);
  byId("door").hidden = false;
  byId("door-form").hidden = !asked;
  byId("door-value").name = asked ?? "";
  if (!asked) return;
  showCommand(stage.room, [...new Set([...Object.keys(given), asked])]);
  byId("door-value").focus();
}

function route() {
  const room = new URLSearchParams(location.hash.slice(1)).get("room");
  document.body.dataset.view = room ? "room" : "home";
  if (!room) {
    document.title = "Phylactery";
    list.start();
    return;
  }
  list.stop();
  if (stage?.room !== room) open(room);
  globalThis.scrollTo(0, 0);
}

byId("door-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const { name, value } = byId("door-value");
  byId("door-value").value = "";
  open(stage.room, { ...given, [name]: value });
});
for (const code of document.querySelectorAll("code[data-server]")) code.append(elsewhere());
globalThis.addEventListener("hashchange", route);
void loadNames();
route();
