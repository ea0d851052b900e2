/* Markers and dashes, by matplotlib's names. */

const DASHES = { solid: null, dashed: "5 3", dotted: "1.5 2.5" };

function polygon(corners, x, y, size) {
  return `M${corners.map(([a, b]) => `${round(x + a * size)} ${round(y + b * size)}`).join("L")}Z`;
}

function regular(sides, turn, inner) {
  const corners = [];
  const steps = inner ? 2 * sides : sides;
  for (let k = 0; k < steps; k++) {
    const angle = turn + (2 * Math.PI * k) / steps;
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
  "*": regular(5, 0, 0.5),
  h: regular(6, 0, 0),
};

function round(value) {
  return Math.round(value * 100) / 100;
}

/** The outline of one marker. */
function markerPath(marker, x, y, size) {
  if (SHAPES[marker]) return polygon(SHAPES[marker], x, y, size);
  return `M${round(x - size)} ${round(y)}a${size} ${size} 0 1 0 ${2 * size} 0a${size} ${size} 0 1 0 ${-2 * size} 0Z`;
}

/** A short piece of a method's line, for legends. */
function swatch(style) {
  const picture = draw(
    "svg",
    { class: "swatch", viewBox: "0 0 26 12", width: 26, height: 12, "aria-hidden": "true", focusable: "false" },
    draw("path", { class: "line", d: "M1 6H25", "stroke-dasharray": DASHES[style.dash] }),
    style.marker ? draw("path", { class: "marker", d: markerPath(style.marker, 13, 6, 3.4) }) : null,
  );
  return coloured(picture, style.colour);
}

/** A method's swatch and name. */
function named(method) {
  const style = DATA.methods[method];
  return make("span", { class: "method" }, swatch(style), make("span", {}, style.name));
}
