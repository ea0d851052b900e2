/* Methods over all games, best first. */

import { DATA } from "./data.js";
import { descriptions, make, note, scrolling, section } from "./dom.js";
import { saveTableButton } from "./download.js";
import { segments } from "./inputs.js";
import { plural } from "./numbers.js";
import { columnsOf } from "./standings.js";
import { follow, isShown, TIME_UNITS } from "./state.js";
import { sortable } from "./table.js";

export function leaderboard() {
  const boards = new Map(DATA.leaderboards.map((board) => [board.column, board]));
  const [first] = boards.values();
  if (!first.rows.length) return;
  const body = section(
    "leaderboard",
    "Leaderboard",
    "All methods over all games, whichever are shown above, the lowest mean rank first. In each game, methods are ranked " +
      "by the game\u2019s main measure: at the end, and early, after some time. " +
      `Values ${DATA.ties.close} tie; elsewhere on this page only values ${DATA.ties.equal} do, so ranks and games ` +
      "won differ. Median times are over all games of a method, solved or not, so a dash stands for a method that left " +
      "at least half of them unsolved.",
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
      columnsOf(board.columns),
      "Standings of methods over all games",
      "standings",
      ({ method }) => (isShown(method) ? null : "off"),
    );
    host.replaceChildren(scrolling("Leaderboard", table));
    save = values;
    showStandings = () => {
      show(board.rows);
      total.textContent = coverage(board.rows);
    };
    showStandings();
  };
  body.append(
    make(
      "div",
      { class: "row" },
      segments("time counted in", TIME_UNITS, first.column, choose),
      saveTableButton("leaderboard", () => save()),
      total,
    ),
    host,
  );
  choose(first.column);
  follow(["methods"], () => showStandings());
}

/** How many methods are listed, and which of them are grey. */
function coverage(rows) {
  const off = rows.filter(({ method }) => !isShown(method)).length;
  return `${plural(rows.length, "method")}${off ? `; ${off} not in colour above are grey here` : ""}`;
}

function howToRead() {
  return make(
    "details",
    { class: "note" },
    make("summary", {}, "How to read the leaderboard"),
    descriptions({ class: "facts" }, [
      [
        "rank",
        "1 + the number of better methods, averaged over the games in which the method has a rival. Values " +
          `${DATA.ties.close} tie, and so do values below ${DATA.ties.negligible}.`,
      ],
      [
        "different lengths",
        "Ends are compared after as many iterations as all methods of the game did. Early ranks are compared after the " +
          "budget, or after the most that all methods of the game have if that is less.",
      ],
      [
        "games won",
        "The games in which no method is better at the end. A tie counts for each method in it. (Under Scores, all " +
          `values ${DATA.ties.equal} tie, so more methods win there.)`,
      ],
      [
        "share solved",
        "The share of its games in which the method\u2019s measure was ever at most epsilon. Whole runs count, so a " +
          "method that was run for longer had more time.",
      ],
      [
        "median time to epsilon",
        "The median over all of its games, where never counts as infinity. A dash means that at least half of them " +
          "were not solved; with several seeds, a game counts as solved here if more than half of them solved it.",
      ],
    ]),
  );
}
