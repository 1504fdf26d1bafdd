// What a person has in hand while a replay plays: stop and go on, the moment, the speed.

import { byId, el, setText } from "./dom.js";
import { TICKS_PER_SECOND, seconds } from "./seconds.js";

/** Where these keys have a meaning of their own: whoever can be pressed is so by Space alone. */
const SCROLLED = "input:not(#moment), select, [tabindex='0']";
const PRESSED = `a, button, ${SCROLLED}`;
/** While it plays, the moment is told so seldom, in ticks. */
const TOLD_EVERY = 100;
const STEPS = { ArrowLeft: -TICKS_PER_SECOND, ArrowRight: TICKS_PER_SECOND };

export class Controls {
  /** @param {{toggle: () => void, seek: (tick: number) => void, step: (ticks: number) => void}} hands */
  constructor(hands) {
    this.hands = hands;
    this.gone = new AbortController();
    this.bar = byId("player");
    this.slider = byId("moment");
    this.button = byId("play");
    this.last = 0;
    this.told = -Infinity; // the moment that a reader of the screen was told
    this.held = false; // the slider, by a hand
  }

  /**
   * @param {number} last the battle's last tick
   * @param {{tick: number, kind: string}[]} moments
   */
  open(last, moments) {
    const { signal } = this.gone;
    this.last = last;
    this.slider.max = String(last);
    byId("moments").replaceChildren(
      ...moments.map(({ tick, kind }) => mark(kind, tick / Math.max(last, 1))));
    this.button.addEventListener("click", this.hands.toggle, { signal });
    this.slider.addEventListener("input",
      () => this.hands.seek(Number(this.slider.value)), { signal });
    this.slider.addEventListener("pointerdown", () => { this.held = true; }, { signal });
    for (const end of ["pointerup", "pointercancel"]) {
      document.addEventListener(end, () => { this.held = false; }, { signal });
    }
    document.addEventListener("keydown", (event) => this.#press(event), { signal });
    this.bar.hidden = false;
  }

  close() {
    this.gone.abort();
    this.bar.hidden = true;
  }

  /** So many times as fast as it was fought. */
  get rate() {
    return Number(byId("rate").value);
  }

  /** @param {number} now in ticks */
  show(now, playing) {
    this.slider.value = String(Math.floor(now));
    if (!playing || Math.abs(now - this.told) >= TOLD_EVERY) {
      this.told = now;
      this.slider.setAttribute("aria-valuetext", `${seconds(now)} of ${seconds(this.last)}`);
    }
    const does = playing ? "Pause" : now >= this.last ? "Play again" : "Play";
    if (this.button.getAttribute("aria-label") === does) return;
    this.button.setAttribute("aria-label", does);
    setText(this.button, playing ? "❚❚" : now >= this.last ? "↻" : "▶");
  }

  #press(event) {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (target.closest(key === " " ? PRESSED : SCROLLED)) return;
    if (Object.hasOwn(STEPS, key)) this.hands.step(STEPS[key]);
    else if (key !== " ") return;
    else if (!event.repeat) this.hands.toggle();
    event.preventDefault();
  }
}

function mark(kind, share) {
  const place = el("i", { "data-kind": kind });
  place.style.left = `${(100 * share).toFixed(2)}%`;
  return place;
}
