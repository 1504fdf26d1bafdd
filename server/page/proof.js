// What a browser can check by itself: digests of the state and of the log, the commitment, the seed.
// Browsers give `crypto.subtle` to pages from this machine or over TLS only; then `can` is true.

const subtle = globalThis.crypto?.subtle;
const utf8 = new TextEncoder();

export const can = subtle !== undefined;

/**
 * @param {string|Uint8Array} data text is taken as UTF-8
 * @returns {Promise<string>} 64 hex digits
 */
export async function sha256(data) {
  const bytes = typeof data === "string" ? utf8.encode(data) : data;
  return toHex(await subtle.digest("SHA-256", bytes));
}

/**
 * The digest of a mirror's state as the stream carries it.
 * @param {string} text
 */
export async function stateDigest(text) {
  return (await sha256(text)).slice(0, 16);
}

/** How many digests of the state have agreed on the way, and how many have not. */
export class Digests {
  held = 0;

  failed = 0;

  /** Whether the state is the server's; null where that cannot be known here. */
  async check(text, digest) {
    if (!can) return null;
    const holds = await stateDigest(text) === digest;
    if (holds) this.held += 1;
    else this.failed += 1;
    return holds;
  }
}

/**
 * Whether a secret is the one that was bound by the commitment.
 * @param {string} secret hex digits
 * @param {string} commitment hex digits
 */
export async function checkCommitment(secret, commitment) {
  return await sha256(fromHex(secret)) === commitment;
}

/**
 * Whether the seed follows from the secret and both nonces.
 * @param {{battle: string, secret: string, nonces: {a: string, b: string}, seed: string}} result
 */
export async function checkSeed({ battle, secret, nonces, seed }) {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await subtle.importKey("raw", fromHex(secret), algorithm, false, ["sign"]);
  const message = `phylactery/1|${battle}|${nonces.a}|${nonces.b}`;
  return toHex(await subtle.sign("HMAC", key, utf8.encode(message))) === seed;
}

function toHex(buffer) {
  return [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function fromHex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
