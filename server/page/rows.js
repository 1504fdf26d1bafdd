// Lists that are heard anew while somebody reads them. A row stays the same element as long as it is of
// the same thing: a click is lost where what was pressed is gone when it is let go; so is the focus.

/**
 * @param {HTMLElement} list
 * @param {HTMLElement[]} rows as they are to be, each with a `data-id` of its own
 * @param {boolean} inPlace those that are there stay where they are, and others come after them
 */
export function showRows(list, rows, inPlace) {
  const focus = list.contains(document.activeElement) ? document.activeElement : null;
  const kept = new Map([...list.children].map((row) => [row.dataset.id, row]));
  const wanted = rows.map((row) => alike(kept.get(row.dataset.id), row));
  const stay = new Set(wanted);
  for (const row of kept.values()) if (!stay.has(row)) row.remove();
  arrange(list, inPlace ? [...new Set([...list.children, ...wanted])] : wanted);
  if (focus?.isConnected) focus.focus({ preventScroll: true });
}

/** With as few moves as can be: who is moved is taken out for a moment. */
function arrange(list, rows) {
  let at = list.firstElementChild;
  for (const row of rows) {
    if (at && row !== at && row === at.nextElementSibling) {
      list.append(at); // its place is further down
      at = row;
    }
    if (row === at) at = at.nextElementSibling;
    else list.insertBefore(row, at);
  }
}

/** The old one, that says what the fresh one does; or else the fresh one. */
function alike(old, fresh) {
  if (!old || old.nodeName !== fresh.nodeName) return fresh;
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return old;
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  const parts = [...fresh.childNodes].map((part, at) => alike(old.childNodes[at], part));
  const isWhole = parts.length === old.childNodes.length
    && parts.every((part, at) => part === old.childNodes[at]);
  if (!isWhole) old.replaceChildren(...parts);
  return old;
}
