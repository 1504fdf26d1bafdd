// The log on the page: what has happened, in words, each line where the log has it.

import { byId, el } from "./dom.js";
import { tenths } from "./seconds.js";
import { MAJOR, tell } from "./words.js";

const KEPT = 500;
/** So near to the end, in pixels, whoever scrolls down is there. */
const NEAR = 24;

export class LogView {
  /**
   * @param {(id: string) => string} unitName
   * @param {(side: string) => string} sideName
   */
  constructor(unitName, sideName) {
    this.unitName = unitName;
    this.sideName = sideName;
    this.list = byId("log");
    this.live = byId("said");
    this.choice = byId("major");
    this.gone = new AbortController();
    this.follows = true; // until the reader scrolls up
    this.top = 0; // where it was last, and how large
    this.size = "";
    this.sized = new ResizeObserver(() => this.#keepUp());
    this.sized.observe(this.list);
    const { signal } = this.gone;
    this.list.addEventListener("scroll", () => this.#scrolled(), { signal });
    this.choice.addEventListener("change", () => this.#choose(), { signal });
    this.#choose();
  }

  close() {
    this.gone.abort();
    this.sized.disconnect();
  }

  clear() {
    this.list.replaceChildren();
    this.follows = true;
    this.top = 0;
  }

  /** @param {import("./events.js").BattleEvent[]} events of one tick, in order */
  add(events) {
    const told = events.map((event) => [event, tell(event)]).filter(([, sentence]) => sentence);
    for (const [event, sentence] of told.slice(-KEPT)) this.#insert(this.#line(event, sentence));
    while (this.list.childElementCount > KEPT) this.list.firstElementChild.remove();
    this.#keepUp();
  }

  /** Tells the great moments to those who do not look; one at a time, or nobody could follow. */
  announce(events) {
    const told = events.filter(({ kind }) => MAJOR.has(kind)).map(tell).filter(Boolean);
    if (told.length) this.live.replaceChildren(...this.#parts(told.at(-1)));
  }

  #line(event, sentence) {
    const item = el("li", { "data-line": String(event.line), "data-kind": event.kind },
      el("time", null, tenths(Math.max(event.tick, 0))),
      el("span", null, ...this.#parts(sentence)));
    if (MAJOR.has(event.kind)) item.classList.add("major");
    return item;
  }

  #parts(sentence) {
    return sentence.map((part) => {
      if (typeof part === "string") return part;
      if ("side" in part) return el(`b.${part.side}`, null, this.sideName(part.side));
      return el(`b.${part.unit.slice(0, 1)}`, null, this.unitName(part.unit));
    });
  }

  /** The channels of a tick come one after the other; their lines belong between each other. */
  #insert(item) {
    const line = Number(item.dataset.line);
    let after = this.list.lastElementChild;
    while (after && Number(after.dataset.line) > line) after = after.previousElementSibling;
    if (after) after.after(item);
    else this.list.prepend(item);
  }

  #choose() {
    this.list.classList.toggle("major-only", this.choice.checked);
    this.#keepUp();
  }

  /** Only a way up is the reader's will; as sizes change, the browser moves the list by itself. */
  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.list;
    const left = scrollHeight - scrollTop - clientHeight;
    if (this.#size === this.size) {
      if (scrollTop < this.top && left > 1) this.follows = false;
      else if (left < NEAR) this.follows = true;
    }
    this.#keepUp();
  }

  get #size() {
    return `${this.list.clientWidth} ${this.list.clientHeight}`;
  }

  #keepUp() {
    if (this.follows) this.list.scrollTop = this.list.scrollHeight;
    this.top = this.list.scrollTop;
    this.size = this.#size;
  }
}
