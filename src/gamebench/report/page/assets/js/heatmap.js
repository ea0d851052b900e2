/* A heat map: two hyper-parameters on the axes, and in each cell the best or the median of all configurations with
   those two values. The stronger a cell's colour, the better. */

import { DECORATIVE, draw, drawing } from "./dom.js";
import { digits, plural, round } from "./numbers.js";

const ROW = 32;
const LETTER = 6.8;
const TOP = 8;
const BOTTOM = 46;
const NAME = 20;
const LEAST_FOR_TEXT = 46;
const LEAST_FOR_STAR = 64;
const FAINTEST = 6;
const STRONGEST = 74;

/** The cells with at least one configuration; `entries` are configurations, the best first, with the place `at` which
    each axis has their value. */
export function cellsOf(entries, across, down, over) {
  const groups = Map.groupBy(entries, ({ at }) => `${at[across]} ${down === null ? 0 : at[down]}`);
  return [...groups].map(([key, members]) => {
    const [column, row] = key.split(" ").map(Number);
    const chosen = over === "best" ? members[0] : members[Math.floor((members.length - 1) / 2)];
    return { column, row, entry: chosen, members };
  });
}

/** The drawing of cells, and its items for the pointer. `strength` is from 0 for the worst value to 1 for the best. */
export function heatMap(cells, { across, down, width, strength, over }) {
  const columns = across.values.length;
  const rows = down ? down.values.length : 1;
  const texts = down ? down.values.map(({ text }) => text) : [""];
  const left = (down ? NAME : 0) + Math.min(width * 0.3, 12 + LETTER * Math.max(...texts.map((text) => text.length)));
  const cellWidth = (width - left - 4) / columns;
  const height = TOP + ROW * rows + BOTTOM;
  const best = cells.reduce((one, other) => (strength(other.entry.value) > strength(one.entry.value) ? other : one));
  const items = cells.map((cell) => {
    const x = left + cell.column * cellWidth;
    const y = TOP + (rows - 1 - cell.row) * ROW; // as on any axis, numbers increase upwards
    const element = cellElement(cell, { x, y, cellWidth, share: strength(cell.entry.value), isBest: cell === best });
    return { ...cell, element, x: x + cellWidth / 2, ...aboutCell(cell, over) };
  });
  const svg = drawing(
    width,
    height,
    DECORATIVE,
    draw(
      "g",
      {},
      items.map(({ element }) => element),
    ),
  );
  svg.append(...axisTexts({ across, down, left, cellWidth, rows, height }));
  return { svg, items, next: (index, key) => neighbour(items, index, key) };
}

function cellElement({ entry }, { x, y, cellWidth, share, isBest }) {
  const size = { x: round(x + 1), y: y + 1, width: round(cellWidth - 2), height: ROW - 2, rx: 4 };
  const box = draw("rect", { class: isBest ? "cell best" : "cell", ...size });
  box.style.setProperty("--much", `${Math.round(FAINTEST + (STRONGEST - FAINTEST) * share)}%`);
  const text = (isBest && cellWidth >= LEAST_FOR_STAR ? "\u2605 " : "") + digits(entry.value, 2);
  const label = draw("text", { class: "cell-text", x: round(x + cellWidth / 2), y: y + ROW / 2 + 4 }, text);
  return draw("g", { class: "item", "data-value": entry.value }, box, cellWidth >= LEAST_FOR_TEXT ? label : null);
}

function aboutCell({ entry, members }, over) {
  const rest = members.length > 1 ? [`${over} of ${plural(members.length, "configuration")}`] : [];
  return { title: entry.name, texts: [entry.text, ...rest] };
}

function axisTexts({ across, down, left, cellWidth, rows, height }) {
  const middle = TOP + (ROW * rows) / 2;
  const places = across.values.map((_, column) => round(left + (column + 0.5) * cellWidth));
  const every = Math.max(
    1,
    Math.ceil((LETTER * Math.max(...across.values.map(({ text }) => text.length))) / cellWidth),
  );
  const name = { class: "x name", x: round(left + (cellWidth * places.length) / 2), y: height - 8 };
  const turned = { class: "x name", x: 12, y: middle, transform: `rotate(-90 12 ${middle})` };
  const downTexts = (down?.values ?? []).map(({ text }, row) =>
    draw("text", { class: "y", x: round(left - 6), y: TOP + (rows - 0.5 - row) * ROW + 4 }, text),
  );
  return [
    draw(
      "g",
      { class: "ticks" },
      across.values.map(({ text }, column) =>
        column % every ? null : draw("text", { class: "x", x: places[column], y: height - 28 }, text),
      ),
      downTexts,
      draw("text", name, across.name),
      down ? draw("text", turned, down.name) : null,
    ),
  ];
}

const STEPS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** The nearest cell in the direction of an arrow. */
function neighbour(items, index, key) {
  if (!STEPS[key]) return undefined;
  const [right, up] = STEPS[key];
  const from = items[index];
  const ahead = items
    .map((item, at) => ({ at, along: (item.column - from.column) * right + (item.row - from.row) * up, item }))
    .filter(({ along }) => along > 0)
    .map(({ at, along, item }) => {
      const aside = Math.abs((item.column - from.column) * up) + Math.abs((item.row - from.row) * right);
      return { at, distance: along + 3 * aside };
    });
  return ahead.sort((one, other) => one.distance - other.distance)[0]?.at ?? index;
}
