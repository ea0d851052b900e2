/* The picture of the interquartile means: a dot with whiskers for each method, the best first. */

import { DATA, methodName } from "./data.js";
import { coloured, draw, drawing } from "./dom.js";
import { markerPath } from "./marks.js";
import { plural, round } from "./numbers.js";
import { verticalTicks } from "./plot.js";
import { linearScale } from "./scales.js";

const ROW_HEIGHT = 38;
const AXIS_HEIGHT = 26;
const LETTER_WIDTH = 8;
const PANEL_PADDING = 28;

/** The picture of some rows of the aggregates, in a panel of so many pixels. */
export function meansPicture(rows, panelWidth) {
  const width = Math.max(260, panelWidth - PANEL_PADDING);
  const means = rows.map(meanOf).sort((one, other) => other.value - one.value);
  const longest = Math.max(13, ...means.map(({ name }) => name.length));
  const left = Math.min(width * 0.45, 16 + 8.2 * longest);
  const height = ROW_HEIGHT * means.length + AXIS_HEIGHT;
  const x = linearScale(0, 1, left, width - 14);
  const [grid, texts] = verticalTicks({ top: 4, bottom: height - 22, baseline: height - 7 }, x, x.ticks(5));
  return drawing(
    width,
    height,
    { role: "img", "aria-label": means.map(({ name, value }) => `${name} ${value.toPrecision(3)}`).join(", ") },
    draw("g", { class: "grid" }, grid),
    draw("g", { class: "ticks" }, texts),
    means.map((mean, index) => meanRow(mean, x, ROW_HEIGHT * (index + 0.5), left, width)),
  );
}

function meanOf(row) {
  const { methods, iqm, games, seeds } = DATA.aggregates;
  const base = `${plural(games[row], "game")}, ${seedsText(seeds[row])}`;
  return { method: methods[row], name: methodName(methods[row]), base, ...iqm[row] };
}

function seedsText([least, most]) {
  return least === most ? plural(least, "seed") : `${least} to ${most} seeds`;
}

function meanRow({ method, name, base, value, low, high }, x, y, left, width) {
  const { marker, colour } = DATA.methods[method];
  const [from, to, at] = [low, high, value].map((score) => round(x(score)));
  const whisker = `M${from} ${y}H${to}M${from} ${y - 4}v8M${to} ${y - 4}v8`;
  const group = draw(
    "g",
    { class: "mean", "data-key": method, "data-value": value },
    draw("title", {}, `${value} (${low} to ${high}); ${base}`),
    draw("path", { class: "whisker", d: whisker }),
    draw("path", { class: "marker", d: markerPath(marker, x(value), y, 5) }),
    draw("text", { class: "mean-name", x: left - 12, y: y + 1 }, shortened(name, left)),
    draw("text", { class: "mean-about", x: left - 12, y: y + 13 }, base),
    x(value) > width - 70
      ? draw("text", { class: "mean-value before", x: at - 9, y: y - 7 }, value.toFixed(3))
      : draw("text", { class: "mean-value", x: at + 9, y: y - 7 }, value.toFixed(3)),
  );
  return coloured(group, colour);
}

/** A name, cut where it would leave the drawing. */
function shortened(name, left) {
  const most = Math.floor((left - 16) / LETTER_WIDTH);
  return name.length > most ? `${name.slice(0, most - 1)}\u2026` : name;
}
