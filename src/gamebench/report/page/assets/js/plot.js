/* A picture of lines as SVG: scales, axes, grid and lines.

   A picture has `lines`, `xLabel`, `yLabel`, `xLog` and `yLog`, and may have
     floor      values up to it are drawn as equal on a logarithmic y axis,
     xRange     the least and the greatest number on the x axis,
     xLow       where a logarithmic x axis begins, apart from 0,
     yRange     the same for a linear y axis,
     isStep     whether lines are steps that begin at 0 and end at their `end`,
     isHigherBetter   for the order in which values are listed,
     empty      the words to show if there are no lines.
   A line has `label`, `x`, `y` and `style` (`colour`, `marker`, `dash`), a `key` that tells it from others, and may have
   a band from `low` to `high`. */

import { distinct } from "./data.js";
import { coloured, DECORATIVE, draw, drawing } from "./dom.js";
import { series } from "./marks.js";
import { round } from "./numbers.js";
import { extent, leastPositive, linearScale, logScale } from "./scales.js";

const RIGHT_MARGIN = 10;
const TICK_LETTER_WIDTH = 6.4;

/** Draw a picture of a size in pixels. Returns the drawing (`svg`), the numbers on the x axis at which the crosshair can
    stop (`stops`), and functions that move it. */
export function plotOf(picture, width, height, isDense) {
  const svg = drawing(width, height, DECORATIVE);
  const lines = picture.lines.filter((line) => picture.isStep || line.x.length);
  if (!lines.length) {
    const words = picture.empty || "no method is selected";
    svg.append(draw("text", { class: "nothing", x: width / 2, y: height / 2 }, words));
    return { svg, stops: [] };
  }
  const y = yScale(picture, lines, height - (isDense ? 32 : 44), isDense ? 8 : 12);
  const yTicks = y.ticks(isDense ? 5 : 8);
  const widest = Math.max(20, ...yTicks.map((tick) => tick.text.length * TICK_LETTER_WIDTH));
  const area = { left: widest + (isDense ? 8 : 30), right: width - RIGHT_MARGIN, top: y.top, bottom: y.bottom };
  const x = xScale(picture, lines, area.left, area.right);
  const cursor = draw("g", { class: "cursor" });
  svg.append(
    ...axes(area, x, y, x.ticks(isDense ? 5 : 9), yTicks, axisNames(picture, area, height, isDense)),
    draw(
      "g",
      { class: "lines" },
      [...lines].reverse().map((line) => series(line, x, y, picture.isStep, isDense)),
    ),
    cursor,
  );
  const stops = distinct(lines.flatMap((line) => [...line.x])).sort((one, other) => one - other);
  const pixels = stops.map(x);
  return {
    svg,
    stops,
    x,
    nearest: (pixel) => nearestIndex(pixels, pixel),
    clear: () => cursor.replaceChildren(),
    cross: (stop, rows) => cursor.replaceChildren(...crosshair(area, x, y, stop, rows, isDense ? 3 : 4)),
  };
}

function nearestIndex(pixels, pixel) {
  let best = 0;
  for (let k = 1; k < pixels.length; k++) if (Math.abs(pixels[k] - pixel) < Math.abs(pixels[best] - pixel)) best = k;
  return best;
}

function crosshair({ top, bottom }, x, y, stop, rows, radius) {
  const dots = rows.map(({ line, x: at, value }) =>
    coloured(draw("circle", { class: "dot", cx: round(x(at)), cy: round(y(value)), r: radius }), line.style.colour),
  );
  return [draw("path", { class: "crosshair", d: `M${round(x(stop))} ${top}V${bottom}` }), ...dots];
}

function xScale(picture, lines, begin, end) {
  const values = lines.map((line) => line.x);
  const [least, most] = picture.xRange || extent(values);
  const low = picture.xLow || leastPositive(values);
  if (picture.xLog && Number.isFinite(low))
    return logScale(low, Math.max(most, low), begin, end, { hasZero: least <= 0 || picture.isStep });
  return linearScale(Math.min(least, most), most, begin, end);
}

function yScale(picture, lines, bottom, top) {
  const values = lines.flatMap((line) => (line.low ? [line.y, line.low, line.high] : [line.y]));
  const range = extent(values);
  const scale = picture.yLog
    ? logScaleWithFloor(range, picture.floor, bottom, top)
    : linearScale(...(picture.yRange || padded(range)), bottom, top);
  return Object.assign(scale, { bottom, top });
}

/** A logarithmic scale that begins at a power of ten, at the floor or above it; numbers below it are drawn there. */
function logScaleWithFloor(range, floor, bottom, top) {
  const [least, most] = range.map((value) => Math.max(value, floor));
  const low = 10 ** Math.floor(Math.log10(least) + 1e-9);
  const high = most > low ? 10 ** (Math.ceil(Math.log10(most) * 4 - 1e-9) / 4) : low * 10;
  const inner = logScale(low, high, bottom, top, { fromBelow: true });
  const scale = (value) => inner(Math.max(value, low));
  const isFloor = (tick) => range[0] <= floor && tick.value <= floor * 1.001;
  scale.ticks = (most) =>
    inner.ticks(most).map((tick) => (isFloor(tick) ? { ...tick, text: `\u2264${tick.text}` } : tick));
  return scale;
}

function padded([low, high]) {
  const padding = (high - low) * 0.05;
  return [low >= 0 && low <= padding * 4 ? 0 : low - padding, high + padding];
}

function axes(area, x, y, xTicks, yTicks, names) {
  const { left, right, top, bottom } = area;
  const [across, acrossTexts] = horizontalTicks(area, y, yTicks);
  const isInside = ({ value }) => round(x(value)) >= left - 1 && round(x(value)) <= right + 1;
  const [down, downTexts] = verticalTicks({ top, bottom, baseline: bottom + 14 }, x, xTicks.filter(isInside));
  return [
    draw("g", { class: "grid" }, across, down),
    draw("path", { class: "frame", d: `M${round(left)} ${top}V${bottom}H${right}` }),
    draw("g", { class: "ticks" }, acrossTexts, downTexts, names),
  ];
}

function horizontalTicks({ left, right }, y, ticks) {
  const heights = ticks.map(({ value }) => round(y(value)));
  return [
    heights.map((height) => draw("path", { d: `M${round(left)} ${height}H${right}` })),
    ticks.map(({ text }, k) => draw("text", { class: "y", x: round(left - 6), y: heights[k] + 3.5 }, text)),
  ];
}

/** The lines of the grid at the ticks of an x axis, and the texts below them. */
export function verticalTicks({ top, bottom, baseline }, x, ticks) {
  return [
    ticks.map(({ value }) => draw("path", { d: `M${round(x(value))} ${top}V${bottom}` })),
    ticks.map(({ value, text }) => draw("text", { class: "x", x: round(x(value)), y: baseline }, text)),
  ];
}

/** The names of the axes; a small chart has room only for that of the x axis. */
function axisNames(picture, { left, right, top, bottom }, height, isDense) {
  const center = round((left + right) / 2);
  const xName = draw("text", { class: "x name", x: center, y: height - (isDense ? 4 : 6) }, picture.xLabel);
  if (isDense) return [xName];
  const middle = round((top + bottom) / 2);
  const turn = `rotate(-90 12 ${middle})`;
  return [xName, draw("text", { class: "x name", x: 12, y: middle, transform: turn }, picture.yLabel)];
}
