/* A small chart for each game, by category; each can be enlarged. */

import { Chart, sortByValue } from "./chart.js";
import { array, DATA, distinct, linesOf, methodLine } from "./data.js";
import { DECORATIVE, draw, drawing, make, note, section } from "./dom.js";
import { saveButtons } from "./download.js";
import { settingsText, valueItem } from "./legend.js";
import { plural, short, spreadOf } from "./numbers.js";
import { extent } from "./scales.js";
import { change, follow, isGameShown, isShown, measureOf, state, timeLabel } from "./state.js";
import { setZoom, zoomOf } from "./zoom.js";

const SEEN = ["methods", "rest", "x", "xScale", "yScale", "measure", "games"];

export function summary() {
  const body = section(
    "summary",
    "Summary",
    "The mean over seeds, with a band from the least to the greatest. Point at a chart to read it, drag to zoom, click " +
      "to enlarge.",
  );
  if (!DATA.games.length) {
    body.append(note("There are no finished runs here."));
    return;
  }
  const cards = DATA.games.map((_, game) => card(game));
  const nothing = note("No game is selected.");
  const keys = make(
    "p",
    { class: "about" },
    "For a method that was not measured where you point, its latest earlier value is shown. On the keyboard, arrow " +
      "keys move along the chart that has the focus, + and \u2212 zoom, and Enter enlarges.",
  );
  body.append(wall(cards), nothing, keys);
  follow(SEEN, () => {
    nothing.hidden = state.games.size > 0;
    cards.forEach(({ element, show }, game) => {
      element.hidden = !isGameShown(game);
      if (isGameShown(game)) show();
    });
    for (const category of body.querySelectorAll(".category"))
      category.hidden = !category.querySelector(".card:not([hidden])");
  });
  largeChart();
}

/** The cards of all games by category; a few categories with few games are side by side. */
function wall(cards) {
  const categories = distinct(DATA.games.map((game) => game.category));
  const columns = categories.map((category) => cards.filter((_, game) => DATA.games[game].category === category));
  const isNarrow = categories.length >= 3 && Math.max(...columns.map((column) => column.length)) <= 4;
  return make(
    "div",
    { class: isNarrow ? "wall columns" : "wall" },
    categories.map((category, index) =>
      make(
        "div",
        { class: "category" },
        make("h3", {}, category),
        make(
          "div",
          { class: "cards" },
          columns[index].map(({ element }) => element),
        ),
      ),
    ),
  );
}

function card(game) {
  const { name } = DATA.games[game];
  const enlarge = () => change({ large: name });
  const measure = make("span", { class: "measure" });
  const button = { type: "button", class: "enlarge", "aria-label": `Enlarge ${name}`, title: "Enlarge" };
  const reset = make(
    "button",
    { type: "button", class: "enlarge reset", onclick: () => setZoom(name, null) },
    "show all",
  );
  const element = make(
    "figure",
    { class: "card", "data-game": game },
    make(
      "figcaption",
      {},
      make("h4", {}, name),
      make(
        "div",
        { class: "beside-name" },
        measure,
        reset,
        saveMenu(name, () => ({ ...pictureOf(game), zoom: zoomOf(name) })),
        make("button", { ...button, onclick: enlarge }, enlargeIcon()),
      ),
    ),
  );
  const chart = new Chart(element, { height: 178, label: name, name, open: enlarge, isDense: true });
  follow(["zoom"], () => {
    reset.hidden = !zoomOf(name);
  });
  const show = () => {
    const picture = pictureOf(game);
    const dotted = picture.level ? "; dotted: lowest known for independent policies" : "";
    measure.textContent = `${picture.yLabel}${dotted}`;
    measure.title = measure.textContent;
    chart.show(picture);
  };
  return { element, show };
}

/** A button that opens the buttons to save a chart. */
function saveMenu(name, picture) {
  const close = (event) => {
    if (!menu.contains(event.relatedTarget)) menu.open = false;
  };
  const icon = drawing(13, 13, DECORATIVE, draw("path", { d: "M6.5 1.5v6.8M3.6 5.6l2.9 2.9 2.9-2.9M1.8 11.5h9.4" }));
  const menu = make(
    "details",
    { class: "menu", onfocusout: close },
    make("summary", { class: "enlarge", "aria-label": `Save ${name}`, title: "Save as CSV or SVG" }, icon),
    make("div", {}, saveButtons(name, picture)),
  );
  return menu;
}

function enlargeIcon() {
  return drawing(
    13,
    13,
    DECORATIVE,
    draw("path", { d: "M8 1.5h3.5V5M5 11.5H1.5V8M11.2 1.8 7.8 5.2M1.8 11.2l3.4-3.4" }),
  );
}

/** The picture of a game's chart with the current choices. */
function pictureOf(game) {
  const measure = measureOf(game);
  const measured = linesOf(game, measure);
  const isLowerBetter = DATA.measures[measure]?.lower ?? true;
  const inColour = measured.filter((line) => isShown(line.method)).map(lineOf);
  return {
    lines: inColour.sort((one, other) => one.key - other.key),
    rest: state.rest === "grey" ? measured.filter((line) => !isShown(line.method)).map(lineOf) : [],
    xLabel: timeLabel(state.x),
    yLabel: measure,
    xLog: state.xScale === "log",
    yLog: state.yScale === "log" && isLowerBetter && measured.every(isNeverNegative),
    floor: DATA.floor,
    level: measure === "NashConv" ? DATA.games[game].least : undefined,
    isHigherBetter: !isLowerBetter,
    empty: emptyText(measure, measured.length > 0),
  };
}

function lineOf(line) {
  const band = line.low === undefined ? {} : { low: array(line.low), high: array(line.high) };
  return methodLine(line.method, line[state.x], line.mean, { ...band, seeds: line.seeds, end: line.end });
}

function emptyText(measure, isMeasured) {
  if (!isMeasured) return `${measure}: not measured`;
  return state.methods.size ? `${measure}: not measured for the methods shown` : undefined;
}

function isNeverNegative(line) {
  const [least] = extent([array(line.low ?? line.mean)]);
  return least > -DATA.floor;
}

/** A dialog with the enlarged chart of a game. */
function largeChart() {
  const dialog = document.getElementById("large");
  dialog.addEventListener("close", () => change({ large: "" }));
  follow(["large"], () => {
    const game = DATA.games.findIndex(({ name }) => name === state.large);
    if (game < 0) dialog.close();
    else openLarge(dialog, game);
  });
}

/** Show a game's chart in a dialog, with the final values beside it. */
function openLarge(dialog, game) {
  const host = make("div", { class: "large-chart" });
  const picture = pictureOf(game);
  const { name } = DATA.games[game];
  dialog.replaceChildren(
    make(
      "div",
      { class: "dialog-head" },
      make("h2", { id: "large-title" }, name),
      make("p", { class: "muted" }, gameFacts(DATA.games[game])),
      make("button", { type: "button", class: "close", onclick: () => dialog.close() }, "Close"),
    ),
    make(
      "div",
      { class: "dialog-body" },
      host,
      make("div", { class: "beside" }, make("h3", {}, `Final ${picture.yLabel}`), finalValues(picture)),
    ),
  );
  if (!dialog.open) dialog.showModal();
  const height = (width) => Math.max(240, Math.min(560, window.innerHeight * 0.7, width * 0.7));
  const chart = new Chart(host, { height, label: name, name, isDense: false });
  host.append(chart.tools());
  chart.show(picture);
  chart.element.focus({ focusVisible: false });
}

function gameFacts({ category, players, points }) {
  const facts = [
    category,
    players ? plural(players, "player") : null,
    points ? plural(points, "decision point") : null,
  ];
  return facts.filter(Boolean).join(", ");
}

function finalValues(picture) {
  const rows = picture.lines.map((line) => ({ line, value: line.end[0] }));
  const items = sortByValue(rows, picture).map(({ line, value }) => {
    const [, low, high] = line.end;
    const spread = line.seeds > 1 ? spreadOf(low, high, line.seeds) : "";
    return valueItem(line, short(value), { title: `${value}\n${settingsText(line.key)}` }, make("small", {}, spread));
  });
  return make("ul", { class: "finals" }, items);
}
