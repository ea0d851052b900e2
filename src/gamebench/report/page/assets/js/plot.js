/* A picture of lines as SVG: scales, axes, grid and lines.

   A picture has `lines`, `xLabel`, `yLabel`, `xLog` and `yLog`, and may have
     xRange          the least and the greatest number on the x axis (default: those of the lines),
     yRange          the same for a linear y axis,
     xLow            where a logarithmic x axis begins, apart from 0 (default: at the least positive number),
     floor           values up to it are drawn as equal on a logarithmic y axis,
     level           a value to compare with, drawn as a dotted line if it is within the axis,
     isStep          whether lines are steps that begin at 0 and continue to their `end`,
     isHigherBetter  whether values are listed from the greatest to the least,
     rest            lines to draw in grey behind the others, as one,
     zoom            the ranges `x` and `y` to show, null for a whole axis,
     empty           the words to show if there are no lines.
   A line has `label`, `x`, `y`, `style` (`colour`, `marker`, `dash`) and a `key` that tells it from others, and may have
   a band from `low` to `high`. */

import { distinct } from "./data.js";
import { coloured, DECORATIVE, draw, drawing } from "./dom.js";
import { linePath, series } from "./marks.js";
import { round } from "./numbers.js";
import { extent, leastPositive, linearScale, logScale } from "./scales.js";

/* In pixels, except for the greatest numbers of ticks. */
const SMALL = { top: 8, bottom: 32, left: 8, xTicks: 5, yTicks: 5, xLabelBottom: 4, dot: 3 };
const LARGE = { top: 12, bottom: 44, left: 30, xTicks: 9, yTicks: 8, xLabelBottom: 6, dot: 4 };
const RIGHT_MARGIN = 10;
const TICK_LETTER_WIDTH = 6.4;

/** Draw a picture of a size in pixels. Return the drawing (`svg`), the numbers on the x axis at which the crosshair can
    stop (`stops`), functions that move it, and the scales `x` and `y` of the `area` of the lines. */
export function plotOf(picture, width, height, isDense) {
  const svg = drawing(width, height, DECORATIVE);
  const lines = picture.lines.filter((line) => picture.isStep || line.x.length);
  const rest = picture.rest || [];
  const all = [...lines, ...rest];
  if (!all.length) {
    const words = picture.empty || "no method is selected";
    svg.append(draw("text", { class: "nothing", x: width / 2, y: height / 2 }, words));
    return { svg, stops: [] };
  }
  const layout = isDense ? SMALL : LARGE;
  const [top, bottom] = [layout.top, height - layout.bottom];
  const y = yScale(picture, all, bottom, top);
  const yTicks = y.ticks(layout.yTicks);
  const widest = Math.max(20, ...yTicks.map((tick) => tick.text.length * TICK_LETTER_WIDTH));
  const area = { left: widest + layout.left, right: width - RIGHT_MARGIN, top, bottom };
  const x = xScale(picture, all, area.left, area.right);
  const names = [xName(picture.xLabel, area, height - layout.xLabelBottom)];
  if (!isDense) names.push(yName(picture.yLabel, area));
  const groups = [...lines].reverse().map((line) => series(line, x, y, picture.isStep, isDense)); // the first on top
  const cursor = draw("g", { class: "cursor" });
  svg.append(
    ...axes(area, x, y, x.ticks(layout.xTicks), yTicks, names),
    ...levelLine(picture.level, area, y),
    linesIn(picture.zoom ? area : null, [...restPath(rest, x, y), ...groups]),
    cursor,
  );
  const isInside = (stop) => x(stop) >= area.left - 1 && x(stop) <= area.right + 1;
  const stops = distinct(lines.flatMap((line) => [...line.x]))
    .filter(isInside)
    .sort((one, other) => one - other);
  const pixels = stops.map(x);
  return {
    ...{ svg, stops, x, y, area, whole: extent(all.map((line) => line.x)) },
    nearest: (pixel) => nearestIndex(pixels, pixel),
    clear: () => cursor.replaceChildren(),
    cross: (stop, rows) => cursor.replaceChildren(...crosshair(area, x, y, stop, rows, layout.dot)),
    select: (box) => cursor.replaceChildren(draw("rect", { class: "selection", ...box })),
  };
}

/** The lines, clipped to an area if there is one: a nested drawing clips, and needs no identifier. */
function linesIn(area, children) {
  if (!area) return draw("g", { class: "lines" }, children);
  const [x, y, width, height] = [area.left, area.top, area.right - area.left, area.bottom - area.top];
  return draw("svg", { class: "lines", x, y, width, height, viewBox: `${x} ${y} ${width} ${height}` }, children);
}

function restPath(lines, x, y) {
  const paths = lines.filter((line) => line.x.length).map((line) => linePath(line, x, y));
  return paths.length ? [draw("path", { class: "rest", d: paths.join("") })] : [];
}

function levelLine(level, { left, right, top, bottom }, y) {
  if (!level || y(level) < top || y(level) >= bottom) return [];
  return [draw("path", { class: "level", d: `M${round(left)} ${round(y(level))}H${right}` })];
}

function nearestIndex(pixels, pixel) {
  let best = 0;
  for (let k = 1; k < pixels.length; k++) if (Math.abs(pixels[k] - pixel) < Math.abs(pixels[best] - pixel)) best = k;
  return best;
}

function crosshair({ left, right, top, bottom }, x, y, stop, rows, radius) {
  const isInside = ({ x: at, value }) =>
    x(at) >= left - 1 && x(at) <= right + 1 && y(value) >= top - 1 && y(value) <= bottom + 1;
  const dots = rows
    .filter(isInside)
    .map(({ line, x: at, value }) =>
      coloured(draw("circle", { class: "dot", cx: round(x(at)), cy: round(y(value)), r: radius }), line.style.colour),
    );
  return [draw("path", { class: "crosshair", d: `M${round(x(stop))} ${top}V${bottom}` }), ...dots];
}

function xScale(picture, lines, begin, end) {
  const values = lines.map((line) => line.x);
  const [least, most] = picture.zoom?.x || picture.xRange || extent(values);
  const low = picture.xLow || leastPositive(values);
  if (picture.xLog && least > 0 && picture.zoom?.x) return logScale(least, most, begin, end);
  if (picture.xLog && Number.isFinite(low))
    return logScale(low, Math.max(most, low), begin, end, { hasZero: least <= 0 || picture.isStep });
  return linearScale(Math.min(least, most), most, begin, end);
}

function yScale(picture, lines, bottom, top) {
  const values = lines.flatMap((line) => (line.low ? [line.y, line.low, line.high] : [line.y]));
  const zoom = picture.zoom?.y;
  const range = extent(values);
  if (picture.yLog && zoom) return zoomedLogScale(zoom, picture.floor, bottom, top);
  if (picture.yLog) return logScaleWithFloor(range, picture.floor, bottom, top);
  return linearScale(...(zoom || picture.yRange || padded(range)), bottom, top);
}

/** A logarithmic scale from one number to another; numbers below the floor are drawn there. */
function zoomedLogScale(range, floor, bottom, top) {
  const [low, high] = range.map((value) => Math.max(value, floor));
  const inner = logScale(low, high, bottom, top, { fromBelow: true });
  return Object.assign((value) => inner(Math.max(value, floor)), { invert: inner.invert, ticks: inner.ticks });
}

/** A logarithmic scale that begins at a power of ten, at the floor or above it; numbers below it are drawn there. */
function logScaleWithFloor(range, floor, bottom, top) {
  const [least, most] = range.map((value) => Math.max(value, floor));
  const low = 10 ** Math.floor(Math.log10(least) + 1e-9);
  const high = most > low ? 10 ** (Math.ceil(Math.log10(most) * 4 - 1e-9) / 4) : low * 10;
  const inner = logScale(low, high, bottom, top, { fromBelow: true });
  const scale = (value) => inner(Math.max(value, low));
  scale.invert = inner.invert;
  const isFloor = (tick) => range[0] <= floor && tick.value <= floor * 1.001;
  scale.ticks = (number) =>
    inner.ticks(number).map((tick) => (isFloor(tick) ? { ...tick, text: `\u2264${tick.text}` } : tick));
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

/** The grid lines at the ticks of an x axis, and the texts below them. */
export function verticalTicks({ top, bottom, baseline }, x, ticks) {
  return [
    ticks.map(({ value }) => draw("path", { d: `M${round(x(value))} ${top}V${bottom}` })),
    ticks.map(({ value, text }) => draw("text", { class: "x", x: round(x(value)), y: baseline }, text)),
  ];
}

function xName(text, { left, right }, baseline) {
  return draw("text", { class: "x name", x: round((left + right) / 2), y: baseline }, text);
}

function yName(text, { top, bottom }) {
  const middle = round((top + bottom) / 2);
  return draw("text", { class: "x name", x: 12, y: middle, transform: `rotate(-90 12 ${middle})` }, text);
}
