// How high the halves of the board are: in a battle they grow where a unit bears more than there is
// room for, and do not shrink again, or all would move up and down with every mark.

import { byId } from "./dom.js";

export class Heights {
  constructor() {
    this.halves = ["a", "b"].map((side) => byId(`half-${side}`));
    this.widths = new Map();
    this.sized = new ResizeObserver((entries) => {
      for (const { target, contentRect } of entries) this.#keep(target, contentRect);
    });
    this.forget();
  }

  close() {
    this.sized.disconnect();
    this.halves = [];
  }

  /** As high as they need to be from here on. */
  forget() {
    this.halves.forEach((half) => this.#measure(half));
  }

  #measure(half) {
    half.style.minHeight = "";
    this.sized.observe(half); // anew: it is told how high it is, also where that is as before
  }

  /** In another width everything has other lines. */
  #keep(half, { width, height }) {
    const isSame = this.widths.get(half) === width;
    this.widths.set(half, width);
    if (isSame) half.style.minHeight = `${height}px`;
    else requestAnimationFrame(() => this.forget());
  }
}
