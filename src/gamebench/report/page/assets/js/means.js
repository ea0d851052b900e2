/* The picture of the interquartile means: a dot with whiskers for each method, the best first. */

import { DATA, methodName } from "./data.js";
import { coloured, draw, drawing } from "./dom.js";
import { markerPath } from "./marks.js";
import { plural, round } from "./numbers.js";
import { verticalTicks } from "./plot.js";
import { linearScale } from "./scales.js";

const LINE_HEIGHT = 14;
const REST_OF_ROW = 24;
const AXIS_HEIGHT = 26;
const LETTER_WIDTH = 8;
const PANEL_PADDING = 28;

/** The picture of some rows of the aggregates, in a panel of a width in pixels. */
export function meansPicture(rows, panelWidth) {
  const width = Math.max(260, panelWidth - PANEL_PADDING);
  const means = sortedMeans(rows);
  const longest = Math.max(13, ...means.map(({ name }) => name.length));
  const left = Math.min(width * 0.45, 16 + 8.2 * longest);
  const names = means.map(({ name }) => wrapped(name, Math.floor((left - 16) / LETTER_WIDTH)));
  const rowHeight = LINE_HEIGHT * Math.max(1, ...names.map((lines) => lines.length)) + REST_OF_ROW;
  const height = rowHeight * means.length + AXIS_HEIGHT;
  const x = linearScale(0, 1, left, width - 14);
  const [grid, texts] = verticalTicks({ top: 4, bottom: height - 22, baseline: height - 7 }, x, x.ticks(5));
  return drawing(
    width,
    height,
    {
      class: "means",
      role: "img",
      "aria-label": means.map(({ name, value }) => `${name} ${value.toPrecision(3)}`).join(", "),
    },
    draw("g", { class: "grid" }, grid),
    draw("g", { class: "ticks" }, texts),
    means.map((mean, index) => [
      meanLabel(mean, names[index], left - 12, rowHeight * (index + 0.5)),
      meanRow(mean, x, rowHeight * (index + 0.5), width),
    ]),
  );
}

/** The numbers of the picture, below the names of the columns. */
export function meansValues(rows) {
  const means = sortedMeans(rows);
  return [
    ["method", "interquartile mean", "low", "high", "games"],
    ...means.map(({ name, value, low, high, games }) => [name, value, low, high, games]),
  ];
}

function sortedMeans(rows) {
  return rows.map(meanOf).sort((one, other) => other.value - one.value);
}

function meanOf(row) {
  const { methods, iqm, games, seeds } = DATA.aggregates;
  const base = `${plural(games[row], "game")}, ${seedsText(seeds[row])}`;
  return { method: methods[row], name: methodName(methods[row]), base, ...iqm[row] };
}

function seedsText([least, most]) {
  return least === most ? plural(least, "seed") : `${least} to ${most} seeds`;
}

/** The name of a method in lines, and the basis of its mean, centred at the height `y`. */
function meanLabel({ name, base }, lines, x, y) {
  const top = y + 1 - (LINE_HEIGHT * (lines.length - 1)) / 2;
  return draw(
    "g",
    {},
    draw("title", {}, name),
    lines.map((line, index) => draw("text", { class: "mean-name", x, y: top + LINE_HEIGHT * index }, line)),
    draw("text", { class: "mean-about", x, y: top + LINE_HEIGHT * lines.length - 2 }, base),
  );
}

function meanRow({ method, base, value, low, high }, x, y, width) {
  const { marker, colour } = DATA.methods[method];
  const [from, to, at] = [low, high, value].map((score) => round(x(score)));
  const whisker = `M${from} ${y}H${to}M${from} ${y - 4}v8M${to} ${y - 4}v8`;
  const group = draw(
    "g",
    { class: "mean", "data-key": method, "data-value": value },
    draw("title", {}, `${value} (${low} to ${high}); ${base}`),
    draw("path", { class: "whisker", d: whisker }),
    draw("path", { class: "marker", d: markerPath(marker, x(value), y, 5) }),
    x(value) > width - 70
      ? draw("text", { class: "mean-value before", x: at - 9, y: y - 7 }, value.toFixed(3))
      : draw("text", { class: "mean-value", x: at + 9, y: y - 7 }, value.toFixed(3)),
  );
  return coloured(group, colour);
}

/** A name broken at spaces into lines of at most `most` letters. */
function wrapped(name, most) {
  const lines = [];
  for (const word of name.split(" ")) {
    const last = lines[lines.length - 1];
    if (last !== undefined && last.length + 1 + word.length <= most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => (line.length > most ? `${line.slice(0, most - 1)}\u2026` : line));
}
