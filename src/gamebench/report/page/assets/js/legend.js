/* Legends: swatches with names, and optional values. */

import { DATA, methodName } from "./data.js";
import { coloured, DECORATIVE, draw, drawing, make } from "./dom.js";
import { markerPath, strokedLine } from "./marks.js";

/** A short piece of a line, for legends. */
export function swatch(style) {
  const picture = drawing(
    26,
    12,
    { class: "swatch", ...DECORATIVE },
    strokedLine("M1 6H25", style),
    style.marker ? draw("path", { class: "marker", d: markerPath(style.marker, 13, 6, 3.4) }) : null,
  );
  return coloured(picture, style.colour);
}

/** The same for all lines in grey. */
export function restSwatch() {
  return drawing(
    26,
    12,
    { class: "swatch", ...DECORATIVE },
    draw("path", { class: "rest", d: "M1 3H25M1 6H25M1 9H25" }),
  );
}

/** The hyper-parameters of a method, those set for it first. */
export function settingsText(method) {
  const { settings, algorithm } = DATA.methods[method];
  const sorted = [...settings.filter(({ asked }) => asked), ...settings.filter(({ asked }) => !asked)];
  const texts = sorted.map(({ name, text }) => `${name} = ${text}`);
  return texts.length ? texts.join("\n") : `${algorithm} has no hyper-parameters`;
}

/** A method's swatch and name. */
export function methodLabel(method) {
  return make(
    "span",
    { class: "method", title: settingsText(method) },
    swatch(DATA.methods[method]),
    make("span", {}, methodName(method)),
  );
}

/** An item of a list that shows a line's value: in the tip beside the crosshair, and beside a large chart. */
export function valueItem(line, value, attributes, extra) {
  return make(
    "li",
    attributes,
    swatch(line.style),
    make("span", { class: "tip-name" }, line.label),
    make("span", { class: "tip-value" }, value),
    extra,
  );
}

/** Fill a legend with the names of lines; `remark` may add a few words to each name. */
export function fillLegend(legend, lines, remark) {
  legend.replaceChildren(
    ...lines.map((line) =>
      make(
        "li",
        {},
        swatch(line.style),
        make("span", {}, line.label),
        remark ? make("small", { class: "muted" }, remark(line)) : null,
      ),
    ),
  );
}
