// Elements out of plain values. Text becomes text nodes only: what strangers write stays text.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {string} tag and its classes: `span.name.dead`
 * @param {Object<string, string>|null} attributes
 * @param {...(Node|string)} children
 * @returns {HTMLElement}
 */
export function el(tag, attributes = null, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes ?? {})) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/**
 * A picture of the sprite in index.html, with words for who does not see it.
 * @param {string} name
 * @param {string} label
 */
export function icon(name, label) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  const title = document.createElementNS(SVG, "title");
  title.append(label);
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#i-${name}`);
  svg.append(title, use);
  return svg;
}

/** A line of the overlay on which strikes are drawn. */
export function svgLine() {
  return document.createElementNS(SVG, "line");
}

/** Sets an element's text where it is another. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A name between other words, whichever way it is written. */
export function named(name) {
  return el("bdi", null, name);
}

/** The same in a text that can hold no elements. */
export function isolated(name) {
  return `\u2068${name}\u2069`;
}

/** The element of index.html with this id. */
export function byId(id) {
  return document.getElementById(id);
}

/** `bone-squire` as `Bone Squire`. */
export function title(id) {
  return id.split(/[-_]/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(" ");
}
