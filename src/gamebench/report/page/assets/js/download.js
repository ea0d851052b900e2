/* Charts and tables as files: numbers as CSV with all digits, drawings as SVG that looks the same in other programs. */

import { coloured, draw, drawing, make } from "./dom.js";
import { plainButton } from "./inputs.js";
import { markerPath, strokedLine } from "./marks.js";
import { plotOf } from "./plot.js";

const WIDTH = 720;
const HEIGHT = 440;
const TITLE_HEIGHT = 26;
const ROW_HEIGHT = 18;
const LETTER_WIDTH = 6.6;
const STYLES = {
  fill: "rgb(0, 0, 0)",
  stroke: "none",
  "stroke-width": "1px",
  "stroke-dasharray": "none",
  "stroke-linejoin": "miter",
  opacity: "1",
  "font-size": "",
  "font-weight": "400",
  "text-anchor": "start",
};
const FONT = "Helvetica, Arial, sans-serif";

/** Buttons that save the picture of a chart as CSV and as SVG. */
export function saveButtons(title, picture) {
  return saveButtonsOf(
    title,
    () => valuesOf(picture()),
    () => chartDrawing(title, picture()),
  );
}

/** Buttons that save rows of values and a drawing. */
export function saveButtonsOf(title, rows, svg) {
  const saveSvg = () => saveDrawing(title, svg().cloneNode(true));
  return [saveTableButton(title, rows), plainButton("SVG", saveSvg, { "aria-label": `save ${title} as SVG` })];
}

/** A button that saves the rows of a table, the first with the names of the columns. */
export function saveTableButton(title, rows) {
  return plainButton("CSV", () => saveText(title, "csv", csv(rows())), { "aria-label": `save ${title} as CSV` });
}

/** Rows of values as text, quoted where necessary. */
function csv(rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(cell).join(",")}\n`).join("");
}

/** The names of the columns, then the points of all lines. */
function valuesOf(picture) {
  const lines = [...picture.lines, ...(picture.rest || [])];
  const hasBand = lines.some((line) => line.low);
  const rows = [["line", picture.xLabel, picture.yLabel, ...(hasBand ? ["least", "greatest"] : [])]];
  for (const line of lines)
    line.x.forEach((x, k) => {
      const band = hasBand ? [line.low?.[k] ?? line.y[k], line.high?.[k] ?? line.y[k]] : [];
      rows.push([line.label, x, line.y[k], ...band]);
    });
  return rows;
}

/** A chart with its title above and its legend below. */
function chartDrawing(title, picture) {
  const { svg } = plotOf(picture, WIDTH, HEIGHT, false);
  const entries = picture.lines.map((line) => [line.label, line.style]);
  if (picture.rest?.length) entries.push([`${picture.rest.length} others`, null]);
  const longest = Math.max(1, ...entries.map(([label]) => label.length));
  const columns = Math.max(1, Math.floor((WIDTH - 20) / (48 + longest * LETTER_WIDTH)));
  const height = TITLE_HEIGHT + HEIGHT + ROW_HEIGHT * Math.ceil(entries.length / columns) + 10;
  const legend = entries.map(([label, style], index) => {
    const x = 20 + (index % columns) * ((WIDTH - 20) / columns);
    const y = TITLE_HEIGHT + HEIGHT + ROW_HEIGHT * (Math.floor(index / columns) + 0.5);
    return legendEntry(label, style, x, y);
  });
  return drawing(
    WIDTH,
    height,
    {},
    draw("rect", { class: "paper", width: WIDTH, height }),
    draw("text", { class: "mean-value", x: 20, y: 18 }, `${title}: ${picture.yLabel}`),
    draw("g", { transform: `translate(0 ${TITLE_HEIGHT})` }, [...svg.childNodes]),
    legend,
  );
}

function legendEntry(label, style, x, y) {
  const text = draw("text", { class: "mean-value", x: x + 34, y: y + 4 }, label);
  const way = `M${x} ${y}H${x + 26}`;
  if (!style) return draw("g", {}, draw("path", { class: "rest", d: way }), text);
  const marker = style.marker ? draw("path", { class: "marker", d: markerPath(style.marker, x + 13, y, 3.6) }) : null;
  return coloured(draw("g", {}, strokedLine(way, style), marker, text), style.colour);
}

/** Save a drawing that looks the same without this page: every element gets its own style, in light colours. */
function saveDrawing(title, svg) {
  const host = make("div", { class: "export" }, svg);
  document.body.append(host);
  const colours = rgbColours();
  for (const element of svg.querySelectorAll("path, text, rect, circle")) {
    const style = getComputedStyle(element);
    for (const [name, usual] of Object.entries(STYLES)) {
      const value = style.getPropertyValue(name);
      if (value !== usual && (element.tagName === "text" || !/^(font|text)/.test(name)))
        element.setAttribute(name, name === "fill" || name === "stroke" ? colours(value) : value);
    }
  }
  for (const element of [svg, ...svg.querySelectorAll("*")])
    for (const { name } of [...element.attributes])
      if (/^(class|style|data-|aria-|role|focusable|tabindex)/.test(name)) element.removeAttribute(name);
  svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  svg.setAttribute("font-family", FONT);
  host.remove();
  saveText(title, "svg", new XMLSerializer().serializeToString(svg));
}

/** A function from any colour of CSS to one that every program knows. */
function rgbColours() {
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const known = new Map([["none", "none"]]);
  return (colour) => {
    if (!known.has(colour)) {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
      const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
      known.set(colour, `rgb(${red},${green},${blue})`);
    }
    return known.get(colour);
  };
}

const TYPES = { csv: "text/csv;charset=utf-8", svg: "image/svg+xml" };

function saveText(title, ending, text) {
  const address = URL.createObjectURL(new Blob([text], { type: TYPES[ending] }));
  const name = title.replace(/[^\w.+-]+/g, "-").replace(/^-+|-+$/g, "") || "chart";
  make("a", { href: address, download: `${name}.${ending}` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
