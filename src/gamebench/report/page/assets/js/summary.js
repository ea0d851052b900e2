/* A small chart for each game, by category; each can be enlarged. */

import { Chart, sortByValue } from "./chart.js";
import { controls } from "./controls.js";
import { array, DATA, distinct, methodLine } from "./data.js";
import { DECORATIVE, draw, drawing, make, note, section } from "./dom.js";
import { valueItem } from "./legend.js";
import { plural, short } from "./numbers.js";
import { extent } from "./scales.js";
import { AXES, followAll, isShown, MAIN_MEASURE, state } from "./state.js";

const LINES = Map.groupBy(DATA.lines, ({ game, measure }) => `${game} ${measure}`);

export function summary() {
  const body = section(
    "summary",
    "Summary",
    "One chart per game: the mean over seeds, with a band from the least to the greatest value where there are several " +
      "seeds. Point at a chart, or focus it and use the arrow keys, to read values; if a method was not measured at " +
      "that very x, its latest earlier value is shown. Click, or press Enter, to enlarge.",
  );
  body.append(controls());
  if (!DATA.games.length) {
    body.append(note("There are no finished runs in this folder."));
    return;
  }
  const cards = DATA.games.map((_, game) => card(game));
  body.append(wall(cards));
  followAll(() => {
    for (const { show } of cards) show();
  });
}

/** The cards of all games under the names of their categories; few categories of few games stand side by side. */
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
  const enlarge = () => openLarge(game);
  const measure = make("span", { class: "measure" });
  const button = { type: "button", class: "enlarge", "aria-label": `Enlarge ${name}`, title: "Enlarge" };
  const element = make(
    "figure",
    { class: "card", "data-game": game },
    make(
      "figcaption",
      {},
      make("h4", {}, name),
      measure,
      make("button", { ...button, onclick: enlarge }, enlargeIcon()),
    ),
  );
  const chart = new Chart(element, { height: 178, label: name, open: enlarge, isDense: true });
  const show = () => {
    const picture = pictureOf(game);
    measure.textContent = picture.level ? `${picture.yLabel}; dotted: least of independent policies` : picture.yLabel;
    chart.show(picture);
  };
  return { element, show };
}

function enlargeIcon() {
  return drawing(
    13,
    13,
    DECORATIVE,
    draw("path", { d: "M8 1.5h3.5V5M5 11.5H1.5V8M11.2 1.8 7.8 5.2M1.8 11.2l3.4-3.4" }),
  );
}

/** What the chart of a game shows with the present choices. */
function pictureOf(game) {
  const measure = state.measure === MAIN_MEASURE ? DATA.games[game].measure : state.measure;
  const measured = LINES.get(`${game} ${measure}`) || [];
  const isLowerBetter = DATA.measures[measure]?.lower ?? true;
  return {
    lines: measured
      .filter((line) => isShown(line.method))
      .map(lineOf)
      .sort((one, other) => one.key - other.key),
    xLabel: AXES[state.x],
    yLabel: measure,
    xLog: true,
    yLog: state.log && isLowerBetter && measured.every(isNeverNegative),
    floor: DATA.floor,
    level: measure === "NashConv" ? DATA.games[game].least : undefined,
    isHigherBetter: !isLowerBetter,
    empty: emptyText(measure, measured.length > 0),
  };
}

function lineOf(line) {
  const band = line.low === undefined ? {} : { low: array(line.low), high: array(line.high) };
  return methodLine(line.method, line[state.x], line.mean, { ...band, seeds: line.seeds });
}

function emptyText(measure, isMeasured) {
  if (!isMeasured) return `${measure}: not measured`;
  return state.methods.size ? `${measure}: not measured for the methods shown` : undefined;
}

function isNeverNegative(line) {
  const [least] = extent([array(line.low ?? line.mean)]);
  return least > -DATA.floor;
}

/** Show a game's chart in a dialog, with the final values beside it. */
function openLarge(game) {
  const dialog = document.getElementById("large");
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
      make("div", { class: "beside" }, make("h3", {}, "Final values"), finalValues(picture)),
    ),
  );
  dialog.showModal();
  const height = (width) => Math.max(240, Math.min(560, window.innerHeight * 0.7, width * 0.7));
  const chart = new Chart(host, { height, label: name, isDense: false });
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
  const rows = picture.lines.map((line) => ({ line, value: line.y[line.y.length - 1] }));
  const items = sortByValue(rows, picture).map(({ line, value }) => {
    const seeds = make("small", { class: "muted" }, line.seeds > 1 ? `${line.seeds} seeds` : "");
    return valueItem(line, short(value), { title: String(value) }, seeds);
  });
  return make("ul", { class: "finals" }, items);
}
