/* The result of a sweep over hyper-parameters, or of a search: the best configuration for each game, and how the others
   compare. */

import { DATA, linesOf, methodName } from "./data.js";
import { make, note, scrolling, section, subsection, watchWidth } from "./dom.js";
import { saveButtonsOf, saveTableButton } from "./download.js";
import { cellsOf, heatMap } from "./heatmap.js";
import { choice, press, segments, setOptions, stateSegments } from "./inputs.js";
import { settingsText, swatch } from "./legend.js";
import { digits, plural, short, spreadOf } from "./numbers.js";
import { parallelCoordinates } from "./parallel.js";
import { pickable } from "./pick.js";
import { columnsOf, NOTHING } from "./standings.js";
import { change, follow, isGameShown, isShown, measureOf, state } from "./state.js";
import { sortable } from "./table.js";

const VIEWS = [
  ["heat", "heat map"],
  ["parallel", "parallel coordinates"],
];
/** Where a method stands on the axes of its algorithm, by game and method. */
const PLACES = new Map(
  DATA.variations.flatMap((variation) =>
    variation.points.map(({ game, method, at }) => [`${game} ${method}`, { variation, at }]),
  ),
);
const VARIED = [...new Set(DATA.variations.flatMap(({ axes }) => axes.map(({ name }) => name)))];

export function tuning() {
  if (!DATA.variations.length) return;
  const body = section(
    "best",
    "Best configurations",
    "The best of all methods on this page in each game, by the mean over seeds at the end of the runs. Values " +
      `${DATA.ties.equal} tie. ` +
      "A dash stands for a hyper-parameter that the algorithm did not vary.",
  );
  body.append(overall(), ...bestTable());
  body.append(
    ...subsection(
      "What varies",
      "The measure at the end of the runs by the hyper-parameters that vary. A frame marks the best cell; lines are " +
        "coloured as in the legend. Point at a cell or a line, or focus the chart and use the arrow keys, to read it.",
    ),
    ...comparison(),
  );
}

/** The best methods over all games, by both rules for ties on this page. */
function overall() {
  const [{ method, rank, games }] = DATA.ranking;
  const first = DATA.ranking.filter((other) => other.rank === rank && other.games === games);
  const [is, has] = first.length > 1 ? ["are", "have"] : ["is", "has"];
  const text =
    DATA.games.length > 1
      ? ` ${has} the lowest mean rank over ${plural(games, "game")}: ${rankAmong(first)}.${onFewerGames(games)}`
      : ` ${is} the best.`;
  return make("p", { class: "answer" }, named(first, method), text, ...onTheLeaderboard(method));
}

/** The mean rank that some methods share, and how many methods are ranked in their games. */
function rankAmong(entries) {
  const fewest = Math.min(...entries.map((entry) => entry.fewest));
  const most = Math.max(...entries.map((entry) => entry.most));
  const rank = digits(entries[0].rank, 3);
  return fewest === most ? `${rank} of ${most}` : `${rank}, with ${fewest} to ${most} methods in each`;
}

function onFewerGames(games) {
  const others = DATA.ranking.filter((entry) => entry.games < games).length;
  return others ? ` (${plural(others, "method")} ran on fewer games.)` : "";
}

/** The first on the leaderboard, where more values tie; it may be another method. */
function onTheLeaderboard(method) {
  const [{ rows }] = DATA.leaderboards;
  if (!rows.length || rows[0].rank === null) return [];
  const first = rows.filter(({ rank }) => rank === rows[0].rank);
  const [come, their] = first.length > 1 ? ["come", "each with"] : ["comes", "with"];
  const rank = digits(rows[0].rank, 3);
  return [
    " In the ",
    make("a", { href: "#leaderboard" }, "Leaderboard"),
    `, where values ${DATA.ties.close} tie, `,
    named(first, method),
    ` ${come} first, ${their} a mean rank of ${rank}.`,
  ];
}

/** One of several methods, `favourite` if it is among them, and the number of the others. */
function named(entries, favourite) {
  const { method } = entries.find((entry) => entry.method === favourite) ?? entries[0];
  const others = entries.length - 1;
  return [make("strong", {}, methodName(method)), others ? ` and ${plural(others, "other")}` : ""];
}

/** All methods in a game, the best first, each with what it reached. */
function entriesOf(game) {
  const measure = measureOf(game);
  const sign = (DATA.measures[measure]?.lower ?? true) ? 1 : -1;
  const entries = linesOf(game, measure).map((line) => {
    const [value, low, high] = line.end;
    const spread = line.seeds > 1 ? ` (${spreadOf(low, high, line.seeds)})` : "";
    const text = `${measure} ${short(value)}${spread}`;
    return {
      value,
      low,
      high,
      method: line.method,
      seeds: line.seeds,
      name: methodName(line.method),
      text,
      game,
      measure,
    };
  });
  return entries.sort((one, other) => sign * (one.value - other.value));
}

// --- the table -------------------------------------------------------------------------------------------------------
function bestTable() {
  const { table, show, values } = sortable(bestColumns(), "Best configuration of each game", "best-table");
  let by = "all";
  const fill = () =>
    show([...DATA.games.keys()].filter(isGameShown).flatMap((game) => bestRows(entriesOf(game), by === "algorithm")));
  const ways = [
    ["all", "of all methods"],
    ["algorithm", "of each algorithm"],
  ];
  const choose = (way) => {
    by = way;
    fill();
  };
  follow(["games", "measure"], fill);
  return [
    make(
      "div",
      { class: "row" },
      segments("the best", ways, by, choose),
      saveTableButton("best configurations", values),
    ),
    scrolling("Best configurations", table),
  ];
}

/** The best entry of a game, or of each algorithm in it, with the number of others that tie with it. */
function bestRows(entries, isByAlgorithm) {
  const algorithm = ({ method }) => DATA.methods[method].algorithm;
  const groups = isByAlgorithm ? [...Map.groupBy(entries, algorithm).values()] : [entries];
  return groups
    .filter((group) => group.length)
    .map((group) => {
      const [best] = group;
      const usual = entries.find((other) => DATA.methods[other.method].plain && algorithm(other) === algorithm(best));
      return {
        ...best,
        ...Object.fromEntries(VARIED.map((name) => [`set ${name}`, settingOf(name, best)])),
        tied: group.filter((other) => Math.abs(other.value - best.value) <= DATA.ties.most).length - 1,
        usual: usual?.value ?? null,
      };
    });
}

function bestColumns() {
  const varied = DATA.variations.map(({ algorithm }) => algorithm);
  const hasDefaults = DATA.methods.some(({ plain, algorithm }) => plain && varied.includes(algorithm));
  const hasSeeds = DATA.lines.some(({ seeds }) => seeds > 1);
  const column = (name, kind, title = name, group = "") => ({ name, kind, title, group });
  const spread = [column("low", "edge", "least", "over seeds"), column("high", "edge", "greatest", "over seeds")];
  const columns = columnsOf([
    column("game", "game"),
    column("name", "text", "method"),
    column("value", "mean"),
    column("measure", "text"),
    ...VARIED.map((name) => column(`set ${name}`, "text", name, "hyper-parameters")),
    ...(hasSeeds ? spread : []),
    column("seeds", "count"),
    ...(hasDefaults ? [column("usual", "value", "with defaults")] : []),
  ]);
  columns[1].cell = methodCell;
  return columns;
}

function methodCell({ method, tied }) {
  const { algorithm, name } = DATA.methods[method];
  const folder = / \[[^\]]+\]$/.exec(name)?.[0] ?? "";
  const others = tied
    ? make("small", { class: "muted" }, `and ${plural(tied, "other")} that ${tied > 1 ? "tie" : "ties"}`)
    : null;
  const label = make("span", {}, algorithm + folder);
  return make("span", { class: "method", title: settingsText(method) }, swatch(DATA.methods[method]), label, others);
}

/** The value of a hyper-parameter in a row of the table, or a dash for a default that was not varied. */
function settingOf(name, { game, method }) {
  const place = PLACES.get(`${game} ${method}`);
  const index = place ? place.variation.axes.findIndex((axis) => axis.name === name) : -1;
  if (index >= 0) return place.variation.axes[index].values[place.at[index]].text;
  return DATA.methods[method].settings.find((setting) => setting.name === name && setting.asked)?.text ?? NOTHING;
}

// --- the charts ------------------------------------------------------------------------------------------------------
/** What is compared: the reader's choices where they are possible. */
function chosen() {
  const named = (name) => DATA.variations.find(({ algorithm }) => algorithm === name);
  const best = DATA.methods[DATA.ranking[0]?.method]?.algorithm;
  const variation = named(state.algorithm) ?? named(best) ?? DATA.variations[0];
  const { axes } = variation;
  const across = Math.max(
    0,
    axes.findIndex(({ name }) => name === state.across),
  );
  const others = [...axes.keys()].filter((index) => index !== across);
  const down = others.find((index) => axes[index].name === state.down) ?? others[0] ?? null;
  const isKnown = VIEWS.some(([view]) => view === state.view);
  return {
    variation,
    across,
    down,
    view: isKnown ? state.view : usualView(variation),
  };
}

/** A heat map for two hyper-parameters whose values were combined; more of them, or a search, would leave it sparse. */
function usualView({ axes, points }) {
  if (axes.length > 2) return "parallel";
  const cells = new Set(points.map(({ at }) => at.join(" "))).size;
  return cells * 2 >= axes.reduce((product, { values }) => product * values.length, 1) ? "heat" : "parallel";
}

function comparison() {
  const wall = make("div", { class: "cards wide-cards" });
  const alone = note("");
  const row = make("div", { class: "row" });
  const across = axisChoice("across");
  const down = axisChoice("down");
  const ways = ["best", "median"].map((way) => [way, way]);
  const over = stateSegments("of the rest, show the", ways, "over");
  const algorithms = DATA.variations.map(({ algorithm }) => [algorithm, algorithm]);
  const choose = (value) => change({ algorithm: value, across: "", down: "", view: "" });
  const algorithm = choice("algorithm", algorithms, "", choose, { id: "algorithm" });
  const views = segments("show as", VIEWS, "", (view) => change({ view }));
  row.append(algorithm, views, across.element, down.element, over);
  algorithm.hidden = algorithms.length < 2;
  let width = 0;
  const show = () => {
    const choices = chosen();
    algorithm.querySelector("select").value = choices.variation.algorithm;
    press(views, choices.view);
    across.show(choices, choices.across);
    down.show(choices, choices.down);
    over.hidden = choices.view !== "heat" || choices.variation.axes.length < 3;
    const games = [...DATA.games.keys()].filter(isGameShown);
    const runs = games.map((game) => entriesIn(game, choices.variation));
    const compared = runs.filter((entries) => entries.length > 1);
    const drawingWidth = drawingWidthOf(width, compared.length);
    wall.replaceChildren(...compared.map((entries) => comparisonOf(entries, choices, drawingWidth)));
    showAlone(
      alone,
      runs.filter((entries) => entries.length === 1),
      choices.variation,
    );
  };
  follow(["games", "measure", "methods", "algorithm", "view", "across", "down", "over"], show);
  watchWidth(wall, (next) => {
    width = next;
    show();
  });
  return [row, wall, alone];
}

/** Name the games with only one configuration of the algorithm: a chart of one value would compare nothing. */
function showAlone(element, runs, { algorithm }) {
  const games = runs.map(([{ game }]) => DATA.games[game].name);
  element.hidden = !games.length;
  element.textContent = `Not drawn, because only one configuration of ${algorithm} was run there: ${games.join(", ")}.`;
}

/** A drop-down list of the hyper-parameters for an axis; choosing that of the other axis swaps the two. */
function axisChoice(key) {
  const other = key === "across" ? "down" : "across";
  const element = choice(`${key}`, [], "", (name) => choose(name), { id: `tuning-${key}` });
  function choose(name) {
    const { variation, ...places } = chosen();
    const { axes } = variation;
    const swapped = places[other] !== null && axes[places[other]].name === name ? axes[places[key]].name : state[other];
    change({ [key]: name, [other]: swapped });
  }
  function show({ variation, view }, index) {
    element.hidden = view !== "heat" || index === null || variation.axes.length < 2;
    const options = variation.axes.map(({ name }) => [name, name]);
    setOptions(element.querySelector("select"), options, index === null ? "" : variation.axes[index].name);
  }
  return { element, show };
}

const GAP = 14;
const LEAST_CARD = 360;
const PADDING = 18;

/** The configurations of an algorithm in a game, the best first, each with its place on the axes. */
function entriesIn(game, variation) {
  return entriesOf(game)
    .map((entry) => ({ ...entry, place: PLACES.get(`${game} ${entry.method}`) }))
    .filter(({ place }) => place?.variation === variation)
    .map((entry) => ({ ...entry, at: entry.place.at }));
}

/** The width of a drawing if this number of cards share a wall. */
function drawingWidthOf(wallWidth, cards) {
  const content = document.getElementById("content");
  const room = wallWidth || content.clientWidth - 2 * Number.parseFloat(getComputedStyle(content).paddingLeft);
  const columns = Math.max(1, Math.min(cards, Math.floor((room + GAP) / (LEAST_CARD + GAP))));
  return Math.max(240, Math.floor((room - GAP * (columns - 1)) / columns) - PADDING);
}

/** The card of a game. */
function comparisonOf(entries, { variation, across, down, view }, width) {
  const { axes } = variation;
  const scale = strengthOf(entries);
  const drawn =
    view === "heat"
      ? heatMap(cellsOf(entries, across, down, state.over), {
          ...{ across: axes[across], down: down === null ? null : axes[down], width, over: state.over },
          strength: scale.strength,
        })
      : parallelCoordinates(entries, {
          ...{ axes, width, measure: entries[0].measure, isLog: scale.isLog, floor: DATA.floor },
          ...{ isInColour: isShown, styleOf: (method) => DATA.methods[method] },
        });
  return comparisonCard(entries, drawn, variation);
}

function comparisonCard(entries, drawn, { algorithm, axes }) {
  const [{ game, measure }] = entries;
  const { name } = DATA.games[game];
  const title = `${algorithm} on ${name}`;
  const rows = () => [
    [...axes.map((axis) => axis.name), "method", measure, "least", "greatest", "seeds"],
    ...entries.map(({ at, name: method, value, low, high, seeds }) => [
      ...axes.map(({ values }, index) => values[at[index]].text),
      ...[method, value, low, high, seeds],
    ]),
  ];
  const card = make(
    "figure",
    { class: "card comparison", "data-game": game },
    make(
      "figcaption",
      {},
      make("h4", {}, title),
      make(
        "div",
        { class: "beside-name" },
        make("span", { class: "measure" }, measure),
        saveButtonsOf(title, rows, () => drawn.svg),
      ),
    ),
  );
  const best = `The best of ${plural(entries.length, "configuration")} is ${entries[0].name} with ${entries[0].text}.`;
  pickable(card, { label: `${title}. ${best}`, ...drawn });
  return card;
}

/** How good a value is, from 0 for the worst to 1 for the best, in orders of magnitude if possible. */
function strengthOf(entries) {
  const isLower = DATA.measures[entries[0].measure]?.lower ?? true;
  const isLog = isLower && entries.every(({ value }) => value > -DATA.floor);
  const size = (value) => (isLog ? Math.log10(Math.max(value, DATA.floor)) : value);
  const [best, worst] = [size(entries[0].value), size(entries[entries.length - 1].value)];
  return { isLog, strength: (value) => (best === worst ? 1 : (size(value) - worst) / (best - worst)) };
}
