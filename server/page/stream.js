// The stream of a battle that is over, asked for once: here it is, or why not, and whether it may
// come yet.

const PATIENCE = 30_000;
/** What is so now and may be otherwise soon. */
const PASSING = new Set([429, 502, 503, 504]);
const GONE = "There is no replay of this battle, or no longer.";
const SILENT = "The server does not answer.";
const UNABLE = "The server cannot show this replay at the moment.";

/**
 * @param {string} battle
 * @param {AbortSignal} gone nobody waits for it any more
 * @returns {Promise<{stream?: any, reason?: string, passes?: boolean}>}
 */
export async function askForStream(battle, gone) {
  try {
    const signal = AbortSignal.any([gone, AbortSignal.timeout(PATIENCE)]);
    const answer = await fetch(`replays/${encodeURIComponent(battle)}/stream`, { signal });
    if (answer.ok) return { stream: await answer.json() };
    return { reason: await reasonOf(answer), passes: PASSING.has(answer.status) };
  } catch {
    return { reason: SILENT, passes: true };
  }
}

/** What the server says, where it is the server that speaks: a proxy says it with a page. */
async function reasonOf(answer) {
  if (answer.status === 404) return GONE;
  const isText = answer.headers.get("Content-Type")?.startsWith("text/plain");
  return (isText ? (await answer.text()).trim() : "") || UNABLE;
}
