// How a round ended, and whether it was fair: checked here, in the browser, against what was
// published before it began.

import { byId, el, named, setText } from "./dom.js";
import { can, checkCommitment, checkSeed } from "./proof.js";
import { linkToReplay } from "./replays.js";
import { command } from "./rooms.js";
import { seconds } from "./seconds.js";
import { VOID } from "./words.js";

const MARKS = { true: "✓", false: "✗", null: "–" };
const VERDICTS = { true: "holds", false: "does not hold", null: "not checked" };

export class Verdict {
  /** @param {(side: string) => string} sideName */
  constructor(sideName) {
    this.sideName = sideName;
    this.turn = 0; // of the last one that is to be shown
    byId("verdict").hidden = true;
    byId("again").hidden = true;
    this.gone = new AbortController();
    const { signal } = this.gone;
    byId("banner-close").addEventListener("click", () => this.#putAway(), { signal });
    document.addEventListener("keydown", ({ key }) => {
      if (key === "Escape") this.#putAway();
    }, { signal });
    this.wait();
  }

  /** Whatever is still being checked is for nobody any more. */
  close() {
    this.turn += 1;
    this.gone.abort();
  }

  /** Who won is known: the board below is to be seen. */
  #putAway() {
    if (byId("banner-close").hidden || byId("banner").hidden) return;
    if (byId("banner").contains(document.activeElement)) byId("stage").focus({ preventScroll: true });
    this.wait();
  }

  /** The next battle runs: the last verdict stays to be read, out of the way. */
  wait() {
    byId("banner").hidden = true;
  }

  /**
   * No battle was seen yet: what the room waits for.
   * @param {any} room
   * @param {string[]} papers what was asked for here, by name
   */
  expect({ id, phase, private: locked }, papers) {
    const needed = new Set([...papers, ...(locked ? ["key"] : [])]);
    const told = phase === "waiting" ? "An opponent is awaited" : "The boards are being made ready";
    setText(byId("banner-text"), told);
    setText(byId("banner-checks"), phase === "waiting"
      ? command(`play red-kennel --room ${id}`, [...needed]) : "");
    byId("banner").dataset.winner = "";
    byId("banner-close").hidden = true; // there is nothing below
    byId("banner").hidden = phase !== "waiting" && phase !== "building";
  }

  /**
   * @param {any} result
   * @param {any} begun the `begin` of this battle, if it was seen
   * @param {import("./logbook.js").Logbook} logbook
   * @param {{held: number, failed: number}} digests of the state
   */
  async show(result, begun, logbook, digests) {
    this.turn += 1;
    const { turn } = this;
    byId("banner-text").replaceChildren(...outcome(result, this.sideName));
    byId("banner").dataset.winner = result.winner ?? "";
    byId("banner-close").hidden = false;
    byId("banner").hidden = false;
    byId("verdict-title").replaceChildren(`Round ${result.round}: `,
      ...outcome(result, this.sideName));
    byId("again").href = linkToReplay(result.battle);
    byId("again").hidden = result.reason === "void";
    setText(byId("digest"), result.digest ?? "none: the battle was not fought to its end");
    const checks = await makeChecks(result, begun, logbook, digests);
    if (turn !== this.turn) return;
    byId("checks").replaceChildren(...checks.map(showCheck));
    setText(byId("banner-checks"), summary(checks));
    byId("verdict").hidden = false;
  }
}

/** @returns {(Node|string)[]} */
function outcome({ winner, reason, tick }, sideName) {
  const after = `after ${seconds(tick)}`;
  if (reason === "void") return [VOID];
  if (winner === null) return [`A draw by ${reason} ${after}`];
  return [named(sideName(winner)), ` wins by ${reason} ${after}`];
}

function summary(checks) {
  const failed = checks.some(({ holds }) => holds === false);
  const held = checks.filter(({ holds }) => holds).length;
  if (failed) return "✗ A check failed: see below";
  return held ? `✓ ${held} checks made in this browser` : "";
}

/** @typedef {{holds: boolean|null, what: string}} Finding `holds` is null: not checked, and why */

const UNABLE = "this browser can check only what came over TLS, or from this machine";
const UNFOUGHT = "the battle was not fought to its end, and has no digest";
const UNTRUE = "what is fought to its end has a digest, and nothing else has";
const STOPPED = ["forfeit", "void"];

/** @returns {Promise<({name: string} & Finding)[]>} */
async function makeChecks(result, begun, logbook, digests) {
  return [
    { name: "Commitment", ...await ofCommitment(result, begun) },
    { name: "Seed", holds: can ? await checkSeed(result) : null,
      what: can ? "HMAC-SHA256 of the battle and both nonces under the secret is the seed" : UNABLE },
    { name: "Log", ...await ofLog(result, logbook) },
    { name: "States", ...ofStates(digests) },
  ];
}

/** @returns {Promise<Finding>} */
async function ofCommitment({ secret }, begun) {
  if (!can) return { holds: null, what: UNABLE };
  if (begun === null) return { holds: null, what: "the beginning of the battle was not seen here" };
  const { promised, commitment } = begun;
  const holds = await checkCommitment(secret, commitment);
  return promised === null
    ? { holds, what: "SHA-256 of the revealed secret is what was told with the battle; that it was"
      + " published before, was not seen here" }
    : { holds: holds && promised === commitment,
      what: "SHA-256 of the revealed secret is what was published before the round" };
}

/** @returns {Promise<Finding>} */
async function ofLog({ digest, reason }, logbook) {
  if (STOPPED.includes(reason) !== (digest === null)) return { holds: false, what: UNTRUE };
  if (digest === null) return { holds: null, what: UNFOUGHT };
  if (!can) return { holds: null, what: UNABLE };
  if (!logbook.whole) return { holds: null, what: "not all of its lines were seen here" };
  return { holds: await logbook.digest() === digest,
    what: `SHA-256 over the ${logbook.count - 1} lines seen here is the digest` };
}

/** @returns {Finding} */
function ofStates({ held, failed }) {
  if (!can) return { holds: null, what: UNABLE };
  if (held + failed === 0) return { holds: null, what: "no digest of the state was seen here" };
  return { holds: failed === 0, what: `${held} digests of the state agreed on the way` };
}

function showCheck({ name, holds, what }) {
  return el("li.check", { "data-holds": String(holds) },
    el("span.tick", { "aria-hidden": "true" }, MARKS[holds]),
    el("span", null, el("b", null, name), el("span.unseen", null, ` ${VERDICTS[holds]}`),
      el("small", null, what)));
}
