/* Methods over all games, best first. */

import { DATA, methodName } from "./data.js";
import { descriptions, make, note, scrolling, section } from "./dom.js";
import { saveTableButton } from "./download.js";
import { segments } from "./inputs.js";
import { methodLabel } from "./legend.js";
import { count, digits, nearestPower, plural, seconds } from "./numbers.js";
import { follow, isShown, SHORT_AXES } from "./state.js";
import { sortable } from "./table.js";

const NEVER = "\u2013";
const UNITS = Object.fromEntries(SHORT_AXES);

export function leaderboard() {
  const boards = new Map(DATA.leaderboards.map((board) => [board.column, board]));
  const [first] = boards.values();
  if (!first.standings.length) return;
  const body = section(
    "leaderboard",
    "Leaderboard",
    "All methods over all games, whichever are shown above, the lowest mean rank first. In each game, methods are ranked " +
      "by the game\u2019s main measure: at the end, and early, after a number of iterations, joint policies or seconds. " +
      "Values within a factor of 2 tie; elsewhere on this page only values within 10\u207b\u2077 do, so ranks and games " +
      "won differ. Median times are over all games of a method, solved or not, so a dash stands for a method that left " +
      "half of them or more unsolved.",
  );
  body.append(howToRead());
  const left = Object.entries(first.left_out).map(([game, reason]) => `${game} (${reason})`);
  if (left.length) body.append(note(`These do not count: ${left.join("; ")}.`));
  const host = make("div");
  const total = make("span", { class: "chosen", "aria-live": "polite" });
  let showStandings = () => {};
  let save = () => [];
  const choose = (column) => {
    const board = boards.get(column);
    const { table, show, values } = sortable(
      standingColumns(board),
      "Standings of methods over all games",
      "standings",
      ({ method }) => (isShown(method) ? null : "off"),
    );
    host.replaceChildren(scrolling("Leaderboard", table));
    save = values;
    showStandings = () => {
      show(board.standings);
      total.textContent = coverage(board.standings);
    };
    showStandings();
  };
  body.append(
    make(
      "div",
      { class: "row" },
      segments("time counted in", SHORT_AXES, first.column, choose),
      saveTableButton("leaderboard", () => save()),
      total,
    ),
    host,
  );
  choose(first.column);
  follow(["methods"], () => showStandings());
}

/** How many methods are listed, and which of them are grey. */
function coverage(standings) {
  const off = standings.filter(({ method }) => !isShown(method)).length;
  return `${plural(standings.length, "method")}${off ? `; ${off} not in colour above are grey here` : ""}`;
}

function howToRead() {
  return make(
    "details",
    { class: "note" },
    make("summary", {}, "How to read the leaderboard"),
    descriptions({ class: "facts" }, [
      [
        "rank",
        "1 + the number of better methods, averaged over the games in which the method has a rival. Values tie if they " +
          "differ by less than a factor of 2, or if both are below 10\u207b\u00b9\u00b2.",
      ],
      [
        "different lengths",
        "Ends are compared after as many iterations as all methods of the game did. Early ranks are compared after the " +
          "most that all methods of the game have, if that is less than the budget.",
      ],
      [
        "games won",
        "The games in which no method is better at the end. A tie counts for each method in it. (Under Scores, all " +
          "values within 10\u207b\u2077 tie, so more methods win there.)",
      ],
      [
        "share solved",
        "The share of its games in which the method\u2019s measure was at most epsilon, once. Whole runs count, so a " +
          "method that was run for longer had more time.",
      ],
      [
        "median time to epsilon",
        "The median over all of its games, where never counts as infinity. A dash means that half of them or more " +
          "were not solved; with several seeds, a game counts as solved here if more than half of them solved it.",
      ],
    ]),
  );
}

function standingColumns({ column, games, standings }) {
  const [{ reached, rank_after }] = standings;
  const unit = UNITS[column];
  const timeCell = (time) =>
    numberCell(time, column === "seconds" ? seconds : count, "half of its games or more unsolved");
  const all = Object.keys(games).length;
  return [
    { title: "method", value: ({ method }) => methodName(method), cell: ({ method }) => methodLabel(method) },
    { title: "games", kind: "number", value: (row) => row.games, cell: (row) => gamesCell(row.games, all) },
    { title: "mean rank", kind: "number", value: (row) => row.rank, cell: (row) => rankCell(row.rank) },
    { title: "games won", kind: "number", value: (row) => row.won, cell: (row) => count(row.won) },
    ...rank_after.map(({ budget }, index) =>
      numberColumn("rank after", count(budget), index, (row) => row.rank_after[index].rank, rankCell),
    ),
    ...reached.map(({ epsilon }, index) =>
      numberColumn("share solved to", nearestPower(epsilon), index, (row) => row.reached[index].share, shareCell),
    ),
    ...reached.map(({ epsilon }, index) =>
      numberColumn(`median ${unit} to`, nearestPower(epsilon), index, (row) => row.reached[index].time, timeCell),
    ),
  ];
}

function numberColumn(group, title, index, value, cell) {
  return { title, group, begins: index === 0, kind: "number", value, cell: (row) => cell(value(row)) };
}

/** A number, or a dash that says why there is none. */
function numberCell(value, format, reason) {
  if (value === null) return make("span", { class: "muted", title: reason }, NEVER);
  return make("span", { title: String(value), "data-value": value }, format(value));
}

/** The number of games, and of how many if the method was not run on all of them. */
function gamesCell(games, all) {
  if (games === all) return count(games);
  return make("span", { title: `not run on ${plural(all - games, "game")}` }, `${games} of ${all}`);
}

function rankCell(rank) {
  return numberCell(rank, (value) => value.toFixed(2), "no other method to compare with");
}

function shareCell(share) {
  return numberCell(share, (value) => `${digits(value * 100, 3)}\u2009%`);
}
