/* The controls that all charts share: which methods are shown, the axes, the measure. */

import { allMethods, DATA, methodName } from "./data.js";
import { make } from "./dom.js";
import { choice, plainButton, segments } from "./inputs.js";
import { swatch } from "./legend.js";
import {
  followMethods,
  hidesVariants,
  isShown,
  MAIN_MEASURE,
  plainMethods,
  SHORT_AXES,
  setAxes,
  setMethods,
  state,
} from "./state.js";

export function controls() {
  const chips = new Map();
  const shown = make("span", { class: "chosen", "aria-live": "polite" });
  const panel = make("div", { class: "panel controls" }, methodsHead(shown), methodGroups(chips), axesRow());
  followMethods(() => {
    for (const [method, chip] of chips) chip.setAttribute("aria-pressed", String(isShown(method)));
    shown.textContent = `${state.methods.size} of ${DATA.methods.length} shown`;
  });
  return panel;
}

function methodsHead(shown) {
  const hasVariants = plainMethods.length > 0 && plainMethods.length < DATA.methods.length;
  const plain = () => plainButton("default settings", () => setMethods(plainMethods), { "data-all": "plain" });
  return make(
    "div",
    { class: "chips-head" },
    make("h3", { id: "methods" }, "Methods"),
    shown,
    plainButton("all", () => setMethods(allMethods()), { "data-all": "all" }),
    plainButton("none", () => setMethods([]), { "data-all": "none" }),
    hasVariants ? plain() : null,
  );
}

function axesRow() {
  const scales = [
    ["log", "logarithmic"],
    ["linear", "linear"],
  ];
  const measures = [
    [MAIN_MEASURE, "main measure of each game"],
    ...Object.keys(DATA.measures).map((name) => [name, name]),
  ];
  return make(
    "div",
    { class: "row" },
    segments("x axis", SHORT_AXES, state.x, (x) => setAxes({ x })),
    choice("measure", measures, state.measure, (measure) => setAxes({ measure }), { id: "measure" }),
    segments("y axis", scales, "log", (scale) => setAxes({ log: scale === "log" })),
  );
}

/** Chips in one row; if there are many methods, those with default settings, and the variants of each algorithm below,
    folded away. */
function methodGroups(chips) {
  if (!hidesVariants) return chipRow("Methods", allMethods(), chips);
  const variants = allMethods().filter((method) => !DATA.methods[method].plain);
  const byAlgorithm = Map.groupBy(variants, (method) => DATA.methods[method].algorithm);
  return make(
    "div",
    { class: "groups" },
    chipRow("Methods", plainMethods, chips),
    [...byAlgorithm].map(([algorithm, methods]) => variantGroup(algorithm, methods, chips)),
  );
}

function variantGroup(algorithm, methods, chips) {
  const shown = make("span", { class: "muted" });
  followMethods(() => {
    shown.textContent = ` ${methods.filter(isShown).length} of ${methods.length} shown`;
  });
  const others = () => [...state.methods].filter((method) => !methods.includes(method));
  return make(
    "details",
    { class: "group" },
    make("summary", {}, `${algorithm} variants`, shown),
    make(
      "div",
      { class: "chips-head" },
      plainButton("all", () => setMethods([...others(), ...methods])),
      plainButton("none", () => setMethods(others())),
    ),
    chipRow(`Methods: ${algorithm}`, methods, chips),
  );
}

/** A row of buttons that switch methods on and off; they are added to `chips` by method. */
function chipRow(label, methods, chips) {
  for (const method of methods) {
    const attributes = { type: "button", class: "chip", "data-method": method, onclick: () => toggle(method) };
    chips.set(method, make("button", attributes, swatch(DATA.methods[method]), make("span", {}, methodName(method))));
  }
  const row = methods.map((method) => chips.get(method));
  return make("div", { class: "chips", role: "group", "aria-label": label }, row);
}

function toggle(method) {
  const next = new Set(state.methods);
  if (!next.delete(method)) next.add(method);
  setMethods(next);
}
