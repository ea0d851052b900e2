/* Controls for all charts and tables: games, methods, axes, the measure; and the legend. */

import { allMethods, DATA, methodName } from "./data.js";
import { make } from "./dom.js";
import { plainButton, stateChoice, stateSegments } from "./inputs.js";
import { restSwatch, settingsText, swatch } from "./legend.js";
import { plural } from "./numbers.js";
import {
  bestMethods,
  change,
  follow,
  hasMany,
  isGameShown,
  isShown,
  MAIN_MEASURE,
  plainMethods,
  SCALES,
  setMethods,
  state,
  TIME_UNITS,
  toggled,
} from "./state.js";

export function controls() {
  if (!DATA.games.length) return;
  const panel = make(
    "section",
    { class: "panel controls", "aria-labelledby": "shown-title" },
    make("h2", { id: "shown-title", class: "unseen" }, "What is shown"),
    axesRow(),
    DATA.games.length > 1 ? gameGroup() : null,
    hasMany ? methodGroups() : null,
  );
  const bar = legend();
  document.getElementById("content").append(panel, bar);
  keepFree(bar);
}

/** Tell the style sheet the legend's height, so that links do not scroll sections beneath it. */
function keepFree(bar) {
  const measure = () => document.documentElement.style.setProperty("--legend", `${bar.offsetHeight}px`);
  measure();
  new ResizeObserver(measure).observe(bar);
}

function axesRow() {
  const measures = [
    [MAIN_MEASURE, "main measure of each game"],
    ...Object.keys(DATA.measures).map((name) => [name, name]),
  ];
  const whole = { zoom: {} }; // a zoom makes no sense for other numbers
  return make(
    "div",
    { class: "row" },
    stateChoice("measure", measures, "measure", whole),
    stateSegments("x axis", TIME_UNITS, "x", whole),
    stateSegments("x scale", SCALES, "xScale"),
    stateSegments("y scale", SCALES, "yScale"),
  );
}

/** A group of buttons under a heading that opens it and shows how many are pressed. */
function group(title, keys, shown, ...children) {
  const chosen = make("span", { class: "muted" });
  follow(keys, () => {
    chosen.textContent = ` ${shown()}`;
  });
  return make("details", { class: "group" }, make("summary", {}, title, chosen), children);
}

function gameGroup() {
  const games = [...DATA.games.keys()];
  const chips = games.map((game) => {
    const onclick = () => change({ games: toggled(state.games, game) });
    return make("button", { type: "button", class: "chip", "data-game-chip": game, onclick }, DATA.games[game].name);
  });
  follow(["games"], () => {
    for (const game of games) chips[game].setAttribute("aria-pressed", String(isGameShown(game)));
  });
  const setGames = (chosen) => () => change({ games: new Set(chosen) });
  const byCategory = Map.groupBy(games, (game) => DATA.games[game].category);
  return group(
    "Games",
    ["games"],
    () => `${state.games.size} of ${games.length} shown`,
    make(
      "div",
      { class: "chips-head" },
      plainButton("all games", setGames(games)),
      plainButton("none", setGames([])),
      byCategory.size > 1
        ? [...byCategory].map(([category, chosen]) => plainButton(`only ${category}`, setGames(chosen)))
        : null,
    ),
    make("div", { class: "chips", role: "group", "aria-label": "Games" }, chips),
  );
}

/** All methods by algorithm, collapsed. */
function methodGroups() {
  const byAlgorithm = Map.groupBy(allMethods(), (method) => DATA.methods[method].algorithm);
  return [...byAlgorithm].map(([algorithm, methods]) => {
    const others = () => [...state.methods].filter((method) => !methods.includes(method));
    return group(
      algorithm,
      ["methods"],
      () => `${methods.filter(isShown).length} of ${plural(methods.length, "method")} in colour`,
      make(
        "div",
        { class: "chips-head" },
        plainButton("all", () => setMethods([...others(), ...methods])),
        plainButton("none", () => setMethods(others())),
      ),
      make("div", { class: "chips", role: "group", "aria-label": `Methods: ${algorithm}` }, methods.map(methodChip)),
    );
  });
}

/** A button that switches a method on and off. */
function methodChip(method) {
  const attributes = { type: "button", class: "chip", "data-method": method, title: settingsText(method) };
  const onclick = () => setMethods(toggled(state.methods, method));
  const label = [swatch(DATA.methods[method]), make("span", {}, methodName(method))];
  const chip = make("button", { ...attributes, onclick }, label);
  follow(["methods"], () => chip.setAttribute("aria-pressed", String(isShown(method))));
  return chip;
}

/** The legend of all charts, which stays in sight and scrolls if it is long: the best methods (or all) and those that
    were switched on, then one entry for the others, and buttons. */
function legend() {
  const always = hasMany ? bestMethods : allMethods();
  const chips = new Map();
  const row = make("div", { class: "chips", role: "group", "aria-label": "Methods" });
  let listed = [];
  follow(["methods"], () => {
    const wanted = [...new Set([...always, ...[...state.methods].sort((one, other) => one - other)])];
    if (wanted.join() === listed.join()) return; // the button just pressed keeps the focus
    listed = wanted;
    for (const method of wanted) if (!chips.has(method)) chips.set(method, methodChip(method));
    row.replaceChildren(...wanted.map((method) => chips.get(method)));
  });
  return make("div", { class: "legend-bar" }, row, make("div", { class: "legend-end" }, restChip(), methodButtons()));
}

/** The entry of the methods that are not in colour. */
function restChip() {
  if (!hasMany) return [];
  const text = make("span");
  const onclick = () => change({ rest: state.rest === "grey" ? "hidden" : "grey" });
  const chip = make("button", { type: "button", class: "chip", "data-rest": "", onclick }, restSwatch(), text);
  follow(["rest", "methods"], () => {
    chip.setAttribute("aria-pressed", String(state.rest === "grey"));
    text.textContent = plural(DATA.methods.length - state.methods.size, "other");
  });
  return [chip];
}

function methodButtons() {
  const hasVariants = plainMethods.length > 0 && plainMethods.length < DATA.methods.length;
  const button = (text, methods, name) => plainButton(text, () => setMethods(methods), { "data-all": name });
  return make(
    "div",
    { class: "legend-buttons" },
    hasMany ? button(`best ${bestMethods.length}`, bestMethods, "best") : null,
    hasVariants ? button("default settings", plainMethods, "plain") : null,
    button("all", allMethods(), "all"),
    button("none", [], "none"),
  );
}
