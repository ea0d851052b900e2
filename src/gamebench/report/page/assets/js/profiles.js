/* The share of games solved over time. */

import { onlyTheBest } from "./aggregates.js";
import { chartWithLegend } from "./chart.js";
import { array, DATA, distinct, methodLine } from "./data.js";
import { make, note, section } from "./dom.js";
import { segments } from "./inputs.js";
import { digits, nearestPower, plural } from "./numbers.js";
import { leastPositive } from "./scales.js";
import { follow, isShown, state, TIME_UNITS, timeLabel } from "./state.js";
import { setZoom } from "./zoom.js";

const FIRST_EPSILON = 1e-4;

export function profiles() {
  if (!DATA.profiles.length) return;
  const body = section(
    "profiles",
    "Time to epsilon",
    "The share of its games that a method has solved by a given time. A game counts as solved once its main measure " +
      "has been at most epsilon, and in part if only some of the seeds got there. Games where higher is better do not " +
      "count.",
  );
  body.append(...onlyTheBest());
  const epsilons = distinct(DATA.profiles.map((profile) => String(profile.epsilon)));
  const chosen = { epsilon: String(firstEpsilon()), column: state.x };
  const choose = (key) => (value) => {
    chosen[key] = value;
    if (key === "column") setZoom("profile-chart", null);
    show();
  };
  const powers = epsilons.map((epsilon) => [epsilon, nearestPower(Number(epsilon))]);
  const chart = chartWithLegend("profile-chart", "Time to epsilon", { share: 0.5, least: 240, most: 380 });
  body.append(
    make(
      "div",
      { class: "row" },
      segments("epsilon", powers, chosen.epsilon, choose("epsilon")),
      segments("time", TIME_UNITS, chosen.column, choose("column")),
    ),
    ...chart.elements,
  );
  const nothing = note("");
  body.append(nothing);
  const show = () => {
    const picture = pictureOf(chosen);
    const isUnsolved = picture.lines.length > 0 && picture.lines.every((line) => !line.y.length);
    nothing.textContent = aboutUnsolved(chosen);
    nothing.hidden = !isUnsolved;
    for (const element of chart.elements) element.hidden = isUnsolved;
    chart.show(picture, solvedAtTheEnd);
  };
  follow(["methods", "xScale"], show);
}

/** The smallest epsilon from 1e-4 up that at least half of the methods in colour have reached on some game. */
function firstEpsilon() {
  const shown = DATA.profiles.filter(({ method, column }) => column === DATA.x && isShown(method));
  const byEpsilon = [...Map.groupBy(shown, ({ epsilon }) => epsilon)].sort(([one], [other]) => one - other);
  const isReached = (profiles) => 2 * profiles.filter(({ times }) => array(times).length).length >= profiles.length;
  const found = byEpsilon.find(([epsilon, profiles]) => epsilon >= FIRST_EPSILON && isReached(profiles));
  return found ? found[0] : Math.max(...DATA.profiles.map(({ epsilon }) => epsilon));
}

function pictureOf({ epsilon, column }) {
  const shown = DATA.profiles.filter((profile) => profile.column === column);
  const end = Math.max(...shown.map((profile) => profile.end));
  const earliest = leastPositive(shown.map((profile) => array(profile.times)));
  return {
    lines: shown
      .filter((profile) => String(profile.epsilon) === epsilon && isShown(profile.method))
      .map(({ method, times, shares, ...extra }) => methodLine(method, times, shares, extra))
      .sort((one, other) => one.key - other.key),
    xLabel: timeLabel(column),
    yLabel: "share of games solved",
    xLog: state.xScale === "log",
    yLog: false,
    yRange: [0, 1],
    xRange: [0, end], // of all methods and epsilons, so that charts can be compared
    xLow: Number.isFinite(earliest) ? earliest : end,
    isStep: true,
    isHigherBetter: true,
  };
}

/** The sentence in place of a chart without steps. */
function aboutUnsolved({ epsilon, column }) {
  const reached = DATA.profiles
    .filter((profile) => profile.column === column && isShown(profile.method) && array(profile.times).length)
    .map((profile) => profile.epsilon);
  const others = reached.length
    ? `. The smallest epsilon that any of them reached is ${nearestPower(Math.min(...reached))}`
    : ", nor to any other epsilon offered here";
  return `None of the methods in colour solved a game to ${nearestPower(Number(epsilon))}${others}.`;
}

function solvedAtTheEnd(line) {
  const share = line.y.length ? line.y[line.y.length - 1] : 0;
  return `${digits(share * 100, 3)}\u2009% of ${plural(line.games, "game")}`;
}
