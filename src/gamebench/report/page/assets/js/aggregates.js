/* Methods over all games at once. */

import { chartWithLegend } from "./chart.js";
import { DATA, methodLine, methodName } from "./data.js";
import { make, note, scrolling, section, subsection, watchWidth } from "./dom.js";
import { saveButtonsOf, saveTableButton } from "./download.js";
import { methodLabel } from "./legend.js";
import { meansPicture, meansValues } from "./means.js";
import { plural } from "./numbers.js";
import { follow, isShown } from "./state.js";

export function aggregates() {
  const { methods, leftOut } = DATA.aggregates;
  if (!methods.length) return;
  const body = section(
    "aggregates",
    "Aggregates",
    "The normalised score of a run shows how far it came from uniform play (0) to a main measure of 10\u207b\u2077 or " +
      "less (1), in orders of magnitude. Every game has the same weight, and so has every seed of a game. Intervals " +
      "contain 95\u2009% of 2000 bootstrap resamples of games and seeds.",
  );
  const missing = Object.entries(leftOut).map(([game, reason]) => `${game} (${reason})`);
  if (missing.length) body.append(note(`Without a score: ${missing.join("; ")}.`));
  body.append(...onlyTheBest());
  const picture = make("div");
  const saving = saveButtonsOf(
    "interquartile means",
    () => meansValues(shownRows()),
    () => picture.firstChild,
  );
  const means = make("div", { class: "panel" }, picture, make("div", { class: "tools" }, saving));
  const profile = chartWithLegend("performance-chart", "Performance profile", { share: 0.6, least: 220, most: 330 });
  const matrix = make("div");
  body.append(...layout(means, profile.elements, matrix));
  let room = means.clientWidth;
  const showMeans = () => picture.replaceChildren(meansPicture(shownRows(), room));
  watchWidth(means, (width) => {
    room = width;
    showMeans();
  });
  follow(["methods"], () => {
    showMeans();
    profile.show(profilePicture(shownRows()));
    matrix.replaceChildren(improvementTable(shownRows()));
  });
}

/** A note for sections that compare only some of the methods. */
export function onlyTheBest() {
  const [number, all] = [DATA.aggregated, DATA.ranking.length];
  return number < all ? [note(`Of ${all} methods, the ${number} best by their mean ranks are compared here.`)] : [];
}

function layout(means, profile, matrix) {
  const averages = subsection(
    "Interquartile mean",
    "The mean of the middle half of all scores; higher is better. Compare only methods that were run on the same games.",
  );
  const shares = subsection(
    "Performance profile",
    "The share of runs whose score is above a threshold; higher is better.",
  );
  const improvement = subsection(
    "Probability of improvement",
    "The probability that a run of the row\u2019s method beats a run of the column\u2019s, in a random game among " +
      "those that both were run on; a tie counts one half. It does not say by how much.",
  );
  const saving = saveTableButton("probability of improvement", () => improvementValues(shownRows()));
  const pair = make("div", { class: "pair" }, make("div", {}, averages, means), make("div", {}, shares, profile));
  return [pair, ...improvement, make("div", { class: "row" }, saving), matrix];
}

/** The rows of the aggregates whose methods are shown. */
function shownRows() {
  const { methods } = DATA.aggregates;
  return [...methods.keys()].filter((row) => isShown(methods[row]));
}

function profilePicture(rows) {
  const { methods, thresholds, profiles } = DATA.aggregates;
  const lines = rows.map((row) => methodLine(methods[row], thresholds, profiles[row]));
  return {
    lines: lines.map((line) => ({ ...line, style: { ...line.style, marker: null } })),
    xLabel: "threshold of the normalised score",
    yLabel: "share of runs above it",
    xLog: false,
    yLog: false,
    yRange: [0, 1],
    isHigherBetter: true,
  };
}

function improvementValues(rows) {
  const { methods, improvement } = DATA.aggregates;
  const names = rows.map((row) => methodName(methods[row]));
  const chances = (first) => rows.map((second) => improvement[first][second]?.value ?? null);
  return [["method", ...names], ...rows.map((row, index) => [names[index], ...chances(row)])];
}

function improvementTable(rows) {
  const { methods } = DATA.aggregates;
  const titles = rows.map((row) => {
    const name = methodName(methods[row]);
    return make("th", { scope: "col", title: name }, make("span", { class: "turned" }, name));
  });
  const body = rows.map((first) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, methodLabel(methods[first])),
      rows.map((second) => improvementCell(first, second)),
    ),
  );
  return scrolling(
    "Probability of improvement",
    make(
      "table",
      { class: "matrix" },
      make("caption", { class: "unseen" }, "Probability that the row\u2019s method is better than the column\u2019s"),
      make("thead", {}, make("tr", {}, make("td", { class: "corner" }), titles)),
      make("tbody", {}, body),
    ),
  );
}

function improvementCell(first, second) {
  if (first === second) return make("td", { class: "number muted" }, "");
  const chance = DATA.aggregates.improvement[first][second];
  if (!chance) return make("td", { class: "number muted" }, "\u2013");
  const { value, low, high, games } = chance;
  const attributes = {
    class: `number ${comparison(value)}`,
    "data-value": value,
    title: `${value} (${low} to ${high}), ${plural(games, "game")}`,
  };
  const cell = make("td", attributes, value.toFixed(2));
  cell.style.setProperty("--much", `${Math.round(Math.abs(value - 0.5) * 100)}%`);
  return cell;
}

function comparison(probability) {
  if (probability > 0.5) return "better";
  return probability < 0.5 ? "worse" : "";
}
