// Ticks as everyone is shown them: in seconds with one decimal.

export const TICKS_PER_SECOND = 20;

/**
 * Halves go up, as in the terminal; by whole numbers, since most twentieths have no exact float.
 * @param {number} ticks may be between two
 */
export const tenths = (ticks) => (Math.floor((ticks + 1) / 2) / 10).toFixed(1);

export const seconds = (ticks) => `${tenths(ticks)} s`;
