/* The table of scores, and how many games each method wins. */

import { DATA, distinct, methodName } from "./data.js";
import { coloured, make, scrolling, section, subsection } from "./dom.js";
import { saveTableButton } from "./download.js";
import { choice } from "./inputs.js";
import { methodLabel } from "./legend.js";
import { plural } from "./numbers.js";
import { columnsOf } from "./standings.js";
import { follow, isGameShown, isShown, state, withoutOthers } from "./state.js";
import { sortable } from "./table.js";

const LONGEST_BAR = 70;

export function scores() {
  const { rows, columns, wins } = DATA.scores;
  if (!rows.length) return;
  const body = section(
    "scores",
    "Scores",
    "The final value of the main measure, averaged over seeds, its range over them (= if all seeds agree), and the time " +
      "it took to fall to each threshold (the median over seeds; a dash if it never did, or if higher is better). Ranks " +
      "compare all methods of this page that have the same main measure in the game, whether shown or not; values " +
      `${DATA.ties.equal} share a rank, and a star marks the best.`,
  );
  const filters = { game: "", category: "" };
  const filter = (key, options) =>
    choice(key, [["", "all"], ...options], "", (value) => setFilter(key, value), { id: `score-${key}` });
  const games = distinct(rows.map((row) => row.game)).map((game) => [String(game), DATA.games[game].name]);
  const categories = distinct(rows.map((row) => row.category)).map((category) => [category, category]);
  const total = make("span", { class: "chosen", "aria-live": "polite" });
  const { table, show, values } = sortable(columnsOf(columns), "Scores of methods in games", "scores", ({ best }) =>
    best ? "best" : null,
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
      "The number of games in which a method is best; a tie counts for each method in it. Values " +
        `${DATA.ties.equal} tie; in the Leaderboard values ${DATA.ties.close} do, so other methods may win there.`,
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
