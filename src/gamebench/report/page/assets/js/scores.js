/* The table of scores, and how many games each method wins. */

import { DATA, distinct, methodName } from "./data.js";
import { coloured, make, scrolling, section, subsection } from "./dom.js";
import { choice } from "./inputs.js";
import { methodLabel } from "./legend.js";
import { count, digits, nearestPower, plural, seconds, short } from "./numbers.js";
import { followMethods, isShown, state } from "./state.js";
import { sortable } from "./table.js";

const LONGEST_BAR = 70;

export function scores() {
  const { rows, epsilons, wins } = DATA.scores;
  if (!rows.length) return;
  const body = section(
    "scores",
    "Scores",
    "The final value of the main measure, averaged over seeds, and the iterations and seconds it took to fall to each " +
      "threshold (the median over seeds; a dash if it never did, or if higher is better). Ranks compare all methods of " +
      "this folder that have the same main measure in the game, whether shown or not; values within 10\u207b\u2077 of " +
      "each other share a rank, and a star marks the best.",
  );
  const filters = { game: "", category: "" };
  const filter = (key, options) =>
    choice(key, [["", "all"], ...options], "", (value) => setFilter(key, value), { id: `score-${key}` });
  const games = distinct(rows.map((row) => row.game)).map((game) => [String(game), DATA.games[game].name]);
  const categories = distinct(rows.map((row) => row.category)).map((category) => [category, category]);
  const total = make("span", { class: "chosen", "aria-live": "polite" });
  const { table, show } = sortable(scoreColumns(epsilons), "Scores of methods in games", "scores");
  const won = make("div");
  body.append(
    make("div", { class: "row" }, filter("game", games), filter("category", categories), total),
    scrolling("Score table", table),
    ...subsection("Games won", "The number of games in which a method is best; a tie counts for each method in it."),
    won,
  );

  function setFilter(key, value) {
    filters[key] = value;
    showScores();
  }

  function showScores() {
    const matches = (key, row) => !filters[key] || String(row[key]) === filters[key];
    const shown = rows.filter((row) => isShown(row.method) && matches("game", row) && matches("category", row));
    show(shown);
    total.textContent = plural(shown.length, "row");
  }

  followMethods(() => {
    showScores();
    won.replaceChildren(winsTable(wins));
  });
}

function scoreColumns(epsilons) {
  const gameName = (row) => DATA.games[row.game].name;
  return [
    { title: "game", value: gameName, cell: gameName },
    { title: "category", value: (row) => row.category, cell: (row) => row.category },
    { title: "method", value: (row) => methodName(row.method), cell: (row) => methodLabel(row.method) },
    { title: "measure", value: (row) => row.measure, cell: (row) => row.measure },
    { title: "iterations", kind: "number", value: (row) => row.iterations, cell: (row) => count(row.iterations) },
    { title: "seeds", kind: "number", value: (row) => row.seeds, cell: (row) => count(row.seeds) },
    { title: "final value", kind: "number final", value: (row) => row.final, cell: finalCell },
    { title: "rank", kind: "number", value: (row) => row.rank, cell: (row) => digits(row.rank, 3) },
    ...epsilons.map((epsilon, index) => reachColumn("iterations", epsilon, index, count)),
    ...epsilons.map((epsilon, index) => reachColumn("seconds", epsilon, index, seconds)),
  ];
}

function finalCell(row) {
  const range = row.seeds > 1 ? `${row.final}; from ${row.low} to ${row.high}` : String(row.final);
  const star = () =>
    make("span", { class: "star", title: "best" }, "\u2605", make("span", { class: "unseen" }, "best "));
  return make("span", { title: range, "data-value": row.final }, row.best ? star() : null, short(row.final));
}

/** The column of the iterations, or of the seconds, until the measure was at most epsilon. */
function reachColumn(unit, epsilon, index, format) {
  const value = (row) => row.reach[index]?.[unit] ?? null;
  const cell = (row) => {
    const reach = row.reach[index];
    if (value(row) === null)
      return make("span", { class: "muted", title: reach ? "never" : "higher is better" }, "\u2013");
    const title = `${value(row)}; reached with ${reach.seeds} of ${plural(row.seeds, "seed")}`;
    return make("span", { title }, format(value(row)));
  };
  return { title: nearestPower(epsilon), group: `${unit} to`, begins: index === 0, kind: "number", value, cell };
}

function winsTable(wins) {
  const categories = Object.keys(wins);
  const methods = [...state.methods]
    .sort((one, other) => one - other)
    .filter((method) => categories.some((category) => wins[category][method] !== undefined));
  const total = (method) => categories.reduce((sum, category) => sum + (wins[category][method] || 0), 0);
  const most = Math.max(1, ...methods.map(total));
  const titles = [...categories, "all"].map((title) => make("th", { scope: "col", class: "number" }, title));
  const rows = methods.map((method) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, methodLabel(method)),
      categories.map((category) => make("td", { class: "number" }, String(wins[category][method] ?? "\u2013"))),
      make("td", { class: "number total" }, winsBar(method, total(method) / most), String(total(method))),
    ),
  );
  return scrolling(
    "Games won",
    make(
      "table",
      { class: "narrow" },
      make("caption", { class: "unseen" }, "Games won by category"),
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "method"), titles)),
      make("tbody", {}, rows),
    ),
  );
}

function winsBar(method, share) {
  const bar = make("span", { class: "bar-of-wins", "aria-hidden": "true" });
  bar.style.setProperty("width", `${LONGEST_BAR * share}px`);
  return coloured(bar, DATA.methods[method].colour);
}
