// What PROTOCOL.md fixes in tables: the kinds of events, how their fields are written, the fields
// of a unit, the closes after which there is no coming back.

export const VERSION = 1;

/** Names of an event's fields by the number of its kind; the kind comes first. */
export const EVENTS = [
  ["battle_start", "initiative", "units"],
  ["activation", "unit", "nested"],
  ["strike", "unit", "target"],
  ["line", "unit", "on", "source", "index"],
  ["fallback", "unit", "target"],
  ["damage", "unit", "source", "amount", "absorbed", "vitality"],
  ["heal", "unit", "source", "amount", "vitality"],
  ["ward", "unit", "source", "amount", "ward"],
  ["status", "unit", "source", "status", "amount", "total"],
  ["status_end", "unit", "status"],
  ["stat", "unit", "source", "stat", "amount", "value", "until"],
  ["quicken", "unit", "speed"],
  ["grant", "unit", "keyword", "until"],
  ["grant_end", "unit", "keyword"],
  ["charge", "unit", "amount", "charge"],
  ["endure", "unit", "vitality"],
  ["death", "unit", "cell", "killer", "sweep"],
  ["vessel_spent", "unit", "vessels", "progress"],
  ["return_due", "unit", "due"],
  ["revival", "unit", "cause", "cell", "killer", "incarnation",
    "vitality", "max_vitality", "power", "speed", "armor", "ward"],
  ["vessel_points", "side", "raw", "points", "units"],
  ["vessel", "unit", "vessels", "progress"],
  ["summon", "unit", "source", "cell", "card",
    "vitality", "max_vitality", "power", "speed", "armor", "ward"],
  ["chain_cut"],
  ["battle_end", "winner", "reason", "digest"],
];

/** What a `line` says besides, on the two channels of a revival. */
export const REVIVAL_LINE = ["revived", "cause", "killer"];

/** Fields that are a unit, written as a number; the `source` of a `line` is a card or rune. */
export const UNITS = new Set(["unit", "target", "killer", "revived", "source"]);

/** Fields that are 1 if true, and left out if not. */
export const FLAGS = new Set(["nested", "sweep"]);

/** Words that are written as their number. */
export const WORDS = {
  on: ["battle_start", "activation", "hit", "new_target", "hurt", "lethal", "death", "macabre",
    "kill", "revived", "ally_revived"],
  status: ["dread", "freeze", "burn"],
  stat: ["power", "speed", "armor", "vitality"],
  keyword: ["phylactery", "everlasting", "rabid"],
  cause: ["phylactery", "everlasting"],
};

/** The 22 values of a unit's state, in their order. */
export const FIELDS = [
  "id", "cell", "card", "runes", "focus", "keywords", "vessels", "progress", "vitality",
  "max_vitality", "power", "speed", "armor", "ward", "quickened", "dread", "burn", "frozen_until",
  "incarnation", "return_due", "charge", "rate",
];

/** So many of them are written for a unit as built. */
export const BUILT = 14;

/** What the rest of them is when a unit is built; `rate` follows. */
export const JUST_BUILT = {
  quickened: 0, dread: 0, burn: 0, frozen_until: null, incarnation: 0, return_due: null, charge: 0,
};

/** The field of a unit that a status stands in. */
export const STATUS_FIELDS = { dread: "dread", burn: "burn", freeze: "frozen_until" };

/** Close codes after which the session is no longer there, or is somebody else's. */
export const STOPS = new Set([1000, 1002, 1007, 1008, 1009, 4001, 4002, 4003]);

/** What the standard rules say where `begin` says nothing else. */
export const RULES = { time_limit: 1200, vessel_max: 2, vessel_cost: 10 };

export const FULL_CHARGE = 1000;

/** Of so many ticks from one divisible by it on, one has a frame with a digest. */
export const DIGEST_TICKS = 20;
