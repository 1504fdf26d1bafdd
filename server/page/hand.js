// Whether a hand is at something: nothing is to move away under it.

/** It has left what it did not touch for so long, in milliseconds. */
const GONE_AFTER = 3000;
const TOUCHES = ["pointermove", "pointerdown", "focusin", "keydown"];
const RELEASES = ["pointerup", "pointercancel"];

export class Hand {
  /** @param {Iterable<HTMLElement>} places */
  constructor(places) {
    this.last = -Infinity;
    this.presses = false;
    for (const place of places) {
      for (const touch of TOUCHES) {
        place.addEventListener(touch, () => { this.last = performance.now(); }, { passive: true });
      }
      place.addEventListener("pointerdown", () => { this.presses = true; }, { passive: true });
    }
    for (const release of RELEASES) {
      document.addEventListener(release, () => { this.presses = false; });
    }
  }

  get isNear() {
    return this.presses || performance.now() - this.last < GONE_AFTER;
  }
}
