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
    for (const half of this.halves) this.sized.observe(half);
  }

  close() {
    this.sized.disconnect();
  }

  /** As high as they need to be from here on. */
  forget() {
    for (const half of this.halves) half.style.minHeight = "";
  }

  /** In another width everything has other lines. */
  #keep(half, { width, height }) {
    const isSame = this.widths.get(half) === width;
    this.widths.set(half, width);
    half.style.minHeight = isSame ? `${height}px` : "";
  }
}
