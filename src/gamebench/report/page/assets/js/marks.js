/* The marks of a chart: lines, bands and markers. Markers and dashes have matplotlib's names. */

import { coloured, draw } from "./dom.js";
import { round } from "./numbers.js";

const DASHES = { solid: null, dashed: "5 3", dotted: "1.5 2.5" };

function polygon(corners, x, y, size) {
  return `M${corners.map(([a, b]) => `${round(x + a * size)} ${round(y + b * size)}`).join("L")}Z`;
}

/** The corners of a regular polygon, or of a star if it has an inner radius. */
function regular(sides, inner) {
  const corners = [];
  const steps = inner ? 2 * sides : sides;
  for (let k = 0; k < steps; k++) {
    const angle = (2 * Math.PI * k) / steps;
    const radius = inner && k % 2 ? inner : 1.15;
    corners.push([radius * Math.sin(angle), -radius * Math.cos(angle)]);
  }
  return corners;
}

const PLUS = [
  [-0.4, -1.1],
  [0.4, -1.1],
  [0.4, -0.4],
  [1.1, -0.4],
  [1.1, 0.4],
  [0.4, 0.4],
  [0.4, 1.1],
  [-0.4, 1.1],
  [-0.4, 0.4],
  [-1.1, 0.4],
  [-1.1, -0.4],
  [-0.4, -0.4],
];
const HALF = Math.SQRT1_2;
/** The corners of markers of size 1 around the origin; a marker that is not here is a circle. */
const SHAPES = {
  s: [
    [-0.85, -0.85],
    [0.85, -0.85],
    [0.85, 0.85],
    [-0.85, 0.85],
  ],
  D: [
    [0, -1.2],
    [1.2, 0],
    [0, 1.2],
    [-1.2, 0],
  ],
  "^": [
    [0, -1.15],
    [1.1, 0.85],
    [-1.1, 0.85],
  ],
  v: [
    [0, 1.15],
    [1.1, -0.85],
    [-1.1, -0.85],
  ],
  P: PLUS,
  X: PLUS.map(([a, b]) => [HALF * (a - b), HALF * (a + b)]),
  "*": regular(5, 0.5),
  h: regular(6, 0),
};

/** The outline of one marker. */
export function markerPath(marker, x, y, size) {
  if (SHAPES[marker]) return polygon(SHAPES[marker], x, y, size);
  return `M${round(x - size)} ${round(y)}a${size} ${size} 0 1 0 ${2 * size} 0a${size} ${size} 0 1 0 ${-2 * size} 0Z`;
}

/** A line in its dashes; the colour comes from the element around it. */
export function strokedLine(path, style) {
  return draw("path", { class: "line", d: path, "stroke-dasharray": DASHES[style.dash] });
}

/** A line of a chart with its band and its markers; as steps from the origin if `isStep`. */
export function series(line, x, y, isStep, isDense) {
  const points = Array.from(line.x, (value, k) => [round(x(value)), round(y(line.y[k]))]);
  const path = isStep ? stepPath(points, x(0), y(0), x(line.end)) : joined(points);
  const { colour, marker } = line.style;
  const group = draw(
    "g",
    { class: "series", "data-key": line.key },
    line.low ? draw("path", { class: "band", d: bandPath(line, x, y) }) : null,
    strokedLine(path, line.style),
    marker ? draw("path", { class: "marker", d: markersPath(points, marker, isDense) }) : null,
  );
  return coloured(group, colour);
}

/** The path of a line through its points. */
export function linePath(line, x, y) {
  return joined(Array.from(line.x, (value, k) => [round(x(value)), round(y(line.y[k]))]));
}

function joined(points) {
  return `M${points.map((point) => point.join(" ")).join("L")}`;
}

function bandPath(line, x, y) {
  const edge = (values) => Array.from(line.x, (value, k) => [round(x(value)), round(y(values[k]))]);
  return `${joined([...edge(line.high), ...edge(line.low).reverse()])}Z`;
}

function stepPath(points, begin, ground, end) {
  const steps = points.map(([across, down]) => `H${across}V${down}`).join("");
  const last = points.length ? points[points.length - 1][0] : -Infinity;
  return `M${round(begin)} ${round(ground)}${steps}H${Math.max(round(end), last)}`;
}

/** Markers along a line, with space between them; the last point has one unless it would touch the previous marker. */
function markersPath(points, marker, isDense) {
  const distance = isDense ? 18 : 24;
  let previous = -Infinity;
  let path = "";
  points.forEach(([across, down], k) => {
    const least = k === points.length - 1 ? distance / 2 : distance;
    if (across - previous < least) return;
    path += markerPath(marker, across, down, isDense ? 2.6 : 3.6);
    previous = across;
  });
  return path;
}
