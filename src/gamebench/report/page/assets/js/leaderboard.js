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
    "Methods over all games, whichever are shown above, the lowest mean rank first. In each game, all methods of this page are ranked by the " +
      "game\u2019s main measure: at the end, and early, after a number of iterations, joint policies or seconds. Values " +
      "within a factor of 2 tie; elsewhere on this page only values within 10\u207b\u2077 do, so ranks and games won differ.",
  );
  body.append(howToRead());
  const left = Object.entries(first.left_out).map(([game, reason]) => `${game} (${reason})`);
  if (left.length) body.append(note(`These do not count: ${left.join("; ")}.`));
  const host = make("div");
  let showStandings = () => {};
  let save = () => [];
  const choose = (column) => {
    const board = boards.get(column);
    const { table, show, values } = sortable(
      standingColumns(board),
      "Standings of methods over all games",
      "standings",
    );
    host.replaceChildren(scrolling("Leaderboard", table));
    save = values;
    showStandings = () => show(board.standings.filter((standing) => isShown(standing.method)));
    showStandings();
  };
  body.append(
    make(
      "div",
      { class: "row" },
      segments("time counted in", SHORT_AXES, first.column, choose),
      saveTableButton("leaderboard", () => save()),
    ),
    host,
  );
  choose(first.column);
  follow(["methods"], () => showStandings());
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
        "time to epsilon",
        "The median over all of its games, where never counts as infinity. A dash means that half of them or more " +
          "were not solved.",
      ],
    ]),
  );
}

function standingColumns({ column, games, standings }) {
  const [{ reached, rank_after }] = standings;
  const unit = UNITS[column];
  const format = column === "seconds" ? seconds : count;
  const all = Object.keys(games).length;
  return [
    { title: "method", value: ({ method }) => methodName(method), cell: ({ method }) => methodLabel(method) },
    { title: "games", kind: "number", value: (row) => row.games, cell: (row) => gamesCell(row.games, all) },
    { title: "mean rank", kind: "number", value: (row) => row.rank, cell: (row) => numberCell(row.rank, rankText) },
    { title: "games won", kind: "number", value: (row) => row.won, cell: (row) => count(row.won) },
    ...rank_after.map(({ budget }, index) =>
      numberColumn("rank after", count(budget), index, (row) => row.rank_after[index].rank, rankText),
    ),
    ...reached.map(({ epsilon }, index) =>
      numberColumn("share solved to", nearestPower(epsilon), index, (row) => row.reached[index].share, percent),
    ),
    ...reached.map(({ epsilon }, index) =>
      numberColumn(`${unit} to`, nearestPower(epsilon), index, (row) => row.reached[index].time, format),
    ),
  ];
}

function numberColumn(group, title, index, value, format) {
  return { title, group, begins: index === 0, kind: "number", value, cell: (row) => numberCell(value(row), format) };
}

function numberCell(value, format) {
  if (value === null) return make("span", { class: "muted" }, NEVER);
  return make("span", { title: String(value), "data-value": value }, format(value));
}

/** The number of games, and of how many if the method was not run on all of them. */
function gamesCell(games, all) {
  if (games === all) return count(games);
  return make("span", { title: `not run on ${plural(all - games, "game")}` }, `${games} of ${all}`);
}

function rankText(rank) {
  return rank.toFixed(2);
}

function percent(share) {
  return `${digits(share * 100, 3)}\u2009%`;
}
