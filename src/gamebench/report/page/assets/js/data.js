/* The data of the page. */

export const DATA = JSON.parse(document.getElementById("data").textContent);
const unpackedArrays = new Map();

/** The numbers of a packed array: 64-bit floats, bit for bit those of Python. */
export function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Float64Array(bytes.buffer);
}

/** An array of the pool, unpacked when first asked for. */
export function array(index) {
  if (!unpackedArrays.has(index)) unpackedArrays.set(index, unpack(DATA.arrays[index]));
  return unpackedArrays.get(index);
}

/** The indices of all methods. */
export function allMethods() {
  return [...DATA.methods.keys()];
}

export function methodName(method) {
  return DATA.methods[method].name;
}

/** A line of a chart that belongs to a method; `x` and `y` are arrays of the pool. */
export function methodLine(method, x, y, extra) {
  return { key: method, label: methodName(method), style: DATA.methods[method], x: array(x), y: array(y), ...extra };
}

export function distinct(values) {
  return [...new Set(values)];
}

const LINES = Map.groupBy(DATA.lines, ({ game, measure }) => `${game} ${measure}`);

/** The lines of a measure in a game, one for each method that was measured. */
export function linesOf(game, measure) {
  return LINES.get(`${game} ${measure}`) || [];
}
