/* Parallel coordinates: an axis for each hyper-parameter that varies and one for the measure; a line is a configuration. */

import { coloured, DECORATIVE, draw, drawing } from "./dom.js";
import { digits, power, round } from "./numbers.js";
import { linearScale, logScale } from "./scales.js";

const TOP = 14;
const BOTTOM = 34;
const LEFT = 46;
const RIGHT = 64;
const HEIGHT = 280;
const FEW_VALUES = 8;
const LOG_FROM = 20; // times the least value is the greatest one

/** The drawing of entries, the best first, and its items for the pointer. */
export function parallelCoordinates(entries, { axes, width, measure, isLog, floor, isInColour, styleOf }) {
  const columns = [...axes.map(axisScale), measureScale(entries, measure, isLog, floor)];
  const places = columns.map((_, k) => LEFT + (k * (width - LEFT - RIGHT)) / (columns.length - 1));
  const items = entries.map((entry) => {
    const heights = columns.map((column, k) => column.height(k < axes.length ? entry.at[k] : entry.value));
    const points = heights.map((y, k) => `${round(places[k])} ${round(y)}`);
    return { element: lineElement(entry, `M${points.join("L")}`), x: places[places.length - 1], entry };
  });
  function lineElement(entry, d) {
    const kind = isInColour(entry.method) ? "item own" : "item grey";
    const group = draw("g", { class: kind, "data-value": entry.value }, draw("path", { class: "catch", d }));
    group.append(draw("path", { class: "thin", d }));
    return coloured(group, styleOf(entry.method).colour);
  }
  const drawn = [...items].sort((one, other) => order(other) - order(one)).map(({ element }) => element);
  function order(item) {
    return items.indexOf(item) + (isInColour(item.entry.method) ? 0 : items.length);
  }
  return {
    svg: drawing(
      width,
      HEIGHT,
      DECORATIVE,
      frame(columns, places),
      draw("g", {}, drawn),
      texts(columns, places, width),
    ),
    items: items.map((item) => ({ ...item, title: item.entry.name, texts: [item.entry.text] })),
    next: (index, key) =>
      ({ ArrowDown: index + 1, ArrowRight: index + 1, ArrowUp: index - 1, ArrowLeft: index - 1 })[key],
  };
}

/** Few values stand at equal distances, many numbers on a scale; `height` is of the index of a value. */
function axisScale({ name, values }) {
  const numbers = values.map(({ number }) => number);
  if (values.length <= FEW_VALUES || numbers.includes(null)) {
    const height = (index) => HEIGHT - BOTTOM - (index + 0.5) * ((HEIGHT - TOP - BOTTOM) / values.length);
    const every = Math.ceil(values.length / (2 * FEW_VALUES));
    const ticks = values
      .map(({ text }, index) => ({ y: height(index), text }))
      .filter((_, index) => index % every === 0);
    return { name, height, ticks };
  }
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const scale = (low > 0 && high / low >= LOG_FROM ? logScale : linearScale)(low, high, HEIGHT - BOTTOM, TOP);
  return { name, height: (index) => scale(numbers[index]), ticks: ticksOf(scale) };
}

function ticksOf(scale) {
  return scale.ticks(6).map(({ value, text }) => ({ y: scale(value), text }));
}

function measureScale(entries, name, isLog, floor) {
  const values = entries.map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (!isLog) {
    const scale = linearScale(low, high, HEIGHT - BOTTOM, TOP);
    return { name, height: scale, ticks: ticksOf(scale) };
  }
  const scale = logScale(Math.max(low, floor), Math.max(high, floor), HEIGHT - BOTTOM, TOP);
  const height = (value) => scale(Math.max(value, floor));
  const inner = ticksOf(scale).filter(({ y }) => y < HEIGHT - BOTTOM - 12 && y > TOP + 12);
  const end = (value) => ({
    y: height(value),
    text: value <= floor ? `\u2264${power(Math.log10(floor))}` : digits(value, 2),
  });
  return { name, height, ticks: [end(low), ...inner, end(high)] };
}

function frame(columns, places) {
  return draw(
    "g",
    { class: "frames" },
    columns.map((_, k) => draw("path", { class: "frame", d: `M${round(places[k])} ${TOP}V${HEIGHT - BOTTOM}` })),
  );
}

/** The values beside the axes, and their names below. */
function texts(columns, places, width) {
  const last = columns.length - 1;
  const room = (width - LEFT - RIGHT) / (columns.length - 1) / 6.4;
  return draw(
    "g",
    { class: "ticks halo" },
    columns.map(({ name, ticks }, k) => [
      ticks.map(({ y, text }) =>
        draw(
          "text",
          { class: k === last ? "right" : "y", x: round(places[k] + (k === last ? 5 : -5)), y: round(y) + 3.5 },
          text,
        ),
      ),
      draw(
        "text",
        { class: "x name", x: round(places[k]), y: HEIGHT - 8 - (k % 2 && name.length > room ? 13 : 0) },
        name,
      ),
    ]),
  );
}
