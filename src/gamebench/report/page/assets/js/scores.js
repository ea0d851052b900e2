/* The table of scores, and how many games each method wins. */

import { DATA, distinct, methodName } from "./data.js";
import { coloured, make, scrolling, section, subsection } from "./dom.js";
import { saveTableButton } from "./download.js";
import { choice } from "./inputs.js";
import { methodLabel } from "./legend.js";
import { count, digits, nearestPower, plural, seconds, short } from "./numbers.js";
import { follow, isGameShown, isShown, state, withoutOthers } from "./state.js";
import { sortable } from "./table.js";

const LONGEST_BAR = 70;

export function scores() {
  const { rows, epsilons, wins } = DATA.scores;
  if (!rows.length) return;
  const body = section(
    "scores",
    "Scores",
    "The final value of the main measure, averaged over seeds, its range over them, and the iterations and seconds it took to fall to each " +
      "threshold (the median over seeds; a dash if it never did, or if higher is better). Ranks compare all methods of " +
      "this page that have the same main measure in the game, whether shown or not; values within 10\u207b\u2077 of " +
      "each other share a rank, and a star marks the best.",
  );
  const filters = { game: "", category: "" };
  const filter = (key, options) =>
    choice(key, [["", "all"], ...options], "", (value) => setFilter(key, value), { id: `score-${key}` });
  const games = distinct(rows.map((row) => row.game)).map((game) => [String(game), DATA.games[game].name]);
  const categories = distinct(rows.map((row) => row.category)).map((category) => [category, category]);
  const total = make("span", { class: "chosen", "aria-live": "polite" });
  const { table, show, values } = sortable(
    scoreColumns(epsilons),
    "Scores of methods in games",
    "scores",
    ({ best }) => (best ? "best" : null),
  );
  body.append(
    make(
      "div",
      { class: "row" },
      filter("game", games),
      filter("category", categories),
      saveTableButton("scores", values),
      total,
    ),
    scrolling("Score table", table),
    ...gamesWon(wins),
  );

  function setFilter(key, value) {
    filters[key] = value;
    showScores();
  }

  function showScores() {
    const matches = (key, row) => !filters[key] || String(row[key]) === filters[key];
    const isChosen = (row) => isShown(row.method) && isGameShown(row.game);
    const shown = rows.filter((row) => isChosen(row) && matches("game", row) && matches("category", row));
    show(shown);
    total.textContent = plural(shown.length, "row") + withoutOthers();
  }

  follow(["games", "methods"], showScores);
}

function scoreColumns(epsilons) {
  const gameName = (row) => DATA.games[row.game].name;
  return [
    { title: "game", value: gameName, cell: gameName },
    { title: "method", value: (row) => methodName(row.method), cell: (row) => methodLabel(row.method) },
    { title: "final value", kind: "number final", value: (row) => row.final, cell: finalCell },
    {
      title: "least",
      group: "over seeds",
      begins: true,
      kind: "number",
      value: (row) => row.low,
      cell: endCell("low"),
    },
    { title: "greatest", group: "over seeds", kind: "number", value: (row) => row.high, cell: endCell("high") },
    { title: "rank", begins: true, kind: "number", value: (row) => row.rank, cell: (row) => digits(row.rank, 3) },
    { title: "measure", value: (row) => row.measure, cell: (row) => row.measure },
    { title: "category", value: (row) => row.category, cell: (row) => row.category },
    { title: "iterations", kind: "number", value: (row) => row.iterations, cell: (row) => count(row.iterations) },
    { title: "seeds", kind: "number", value: (row) => row.seeds, cell: (row) => count(row.seeds) },
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

/** The least or the greatest value of any seed; a dash if there is only one. */
function endCell(end) {
  return (row) => {
    if (row.seeds === 1) return make("span", { class: "muted", title: "one seed" }, "\u2013");
    return make("span", { title: String(row[end]) }, short(row[end]));
  };
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

function gamesWon(wins) {
  const table = make("div");
  const total = make("span", { class: "chosen", "aria-live": "polite" });
  follow(["methods"], () => {
    table.replaceChildren(winsTable(wins));
    total.textContent = plural(winsRows(wins).length, "method") + withoutOthers();
  });
  const saving = saveTableButton("games won", () => winsValues(wins));
  return [
    ...subsection(
      "Games won",
      "The number of games in which a method is best; a tie counts for each method in it. Values within 10\u207b\u2077 " +
        "tie; in the Leaderboard values within a factor of 2 do, so other methods may win there.",
    ),
    make("div", { class: "row" }, saving, total),
    table,
  ];
}

/** The methods in colour that were ranked, each with its wins in all games and by category. */
function winsRows(wins) {
  const categories = Object.keys(wins);
  const rows = [...state.methods]
    .sort((one, other) => one - other)
    .map((method) => ({ method, counts: categories.map((category) => wins[category][method] ?? null) }))
    .filter(({ counts }) => counts.some((won) => won !== null));
  return rows.map((row) => ({ ...row, all: row.counts.reduce((sum, won) => sum + (won ?? 0), 0) }));
}

function winsValues(wins) {
  const rows = winsRows(wins).map(({ method, all, counts }) => [methodName(method), all, ...counts]);
  return [["method", "all", ...Object.keys(wins)], ...rows];
}

function winsTable(wins) {
  const shown = winsRows(wins);
  const most = Math.max(1, ...shown.map(({ all }) => all));
  const titles = ["all", ...Object.keys(wins)].map((title) => make("th", { scope: "col", class: "number" }, title));
  const rows = shown.map(({ method, all, counts }) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, methodLabel(method)),
      make("td", { class: "number total" }, winsBar(method, all / most), String(all)),
      counts.map((won) => make("td", { class: "number" }, String(won ?? "\u2013"))),
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
