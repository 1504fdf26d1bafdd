// What a server published before a round, as far as it was heard here: a commitment that is told
// with the battle binds nobody.

export class Promises {
  constructor() {
    /** @type {{round: number, commitment: string}|null} the last one heard before its battle */
    this.last = null;
    this.sure = false; // none can have come after it
  }

  /** The connection is another: what was said between the two was not heard. */
  doubt() {
    this.sure = false;
  }

  /** @param {any} room as it is now */
  hear({ phase, round, commitment }) {
    if (phase !== "building" || commitment === null) return;
    this.last = { round, commitment };
    this.sure = true;
  }

  /**
   * What was published before this battle; null where that was not heard.
   * @param {{round: number, commitment: string}} begin
   * @returns {string|null}
   */
  before({ round, commitment }) {
    if (this.last?.round !== round) return null;
    // A round is opened anew, with another secret, where another opponent comes.
    return this.sure || this.last.commitment === commitment ? this.last.commitment : null;
  }
}
