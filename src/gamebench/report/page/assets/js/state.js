/* What is chosen for all charts and tables together, and who is told when it changes. */

import { allMethods, DATA } from "./data.js";
import { plural } from "./numbers.js";

/** The ways to count time, for buttons: pairs of the column that counts it and its name. */
export const TIME_UNITS = DATA.axes.map(({ column, unit }) => [column, unit]);
export const SCALES = [
  ["log", "logarithmic"],
  ["linear", "linear"],
];
/** The choice of each game's main measure instead of one measure for all. */
export const MAIN_MEASURE = "";
/** What the page chooses by itself. */
const AUTOMATIC = "";

/** What is written beside an axis that shows a column of time. */
export function timeLabel(column) {
  return DATA.axes.find((axis) => axis.column === column).label;
}

/** Methods with default hyper-parameters. */
export const plainMethods = allMethods().filter((method) => DATA.methods[method].plain);
/** The best methods, as many as can be told apart: over all games, and those that win one. */
export const bestMethods = DATA.best;
/** Whether there are so many methods that only the best are in colour at first, and the rest is grey. */
export const hasMany = DATA.methods.length > DATA.few && bestMethods.length > 0;

/** The state of a page that is opened. */
export function beginning() {
  return {
    methods: new Set(hasMany ? bestMethods : allMethods()), // in colour, and in tables
    rest: hasMany ? "grey" : "hidden", // all other methods
    games: new Set(DATA.games.keys()),
    x: DATA.x,
    xScale: "log",
    yScale: "log",
    measure: MAIN_MEASURE,
    zoom: {}, // by the name of a chart: the ranges of x and of y, if they are not the whole ones
    large: AUTOMATIC, // the name of the game whose chart is enlarged
    section: AUTOMATIC, // to which the page was scrolled by a link
    algorithm: AUTOMATIC, // of which hyper-parameters are compared
    view: AUTOMATIC, // how they are compared
    across: AUTOMATIC,
    down: AUTOMATIC,
    over: "best",
  };
}

export const state = beginning();
const listeners = [];

/** Call `show` now and whenever one of these parts of the state changes. */
export function follow(keys, show) {
  listeners.push({ keys, show });
  show();
}

/** Change parts of the state, and tell those who follow them, each once. */
export function change(values) {
  const changed = Object.keys(values).filter((key) => !isSame(state[key], values[key]));
  if (!changed.length) return;
  Object.assign(state, values);
  for (const { keys, show } of listeners) if (keys.some((key) => changed.includes(key))) show();
}

function isSame(one, other) {
  if (one instanceof Set) return one.size === other.size && [...one].every((item) => other.has(item));
  return JSON.stringify(one) === JSON.stringify(other);
}

export function setMethods(methods) {
  change({ methods: new Set(methods) });
}

export function isShown(method) {
  return state.methods.has(method);
}

/** What is said beside a table of the methods in colour: how many others there are. */
export function withoutOthers() {
  const others = DATA.methods.length - state.methods.size;
  return others ? `, without ${plural(others, "method")} not in colour` : "";
}

export function isGameShown(game) {
  return state.games.has(game);
}

/** A set without an item that it has, or with one that it lacks. */
export function toggled(set, item) {
  const next = new Set(set);
  if (!next.delete(item)) next.add(item);
  return next;
}

/** The measure of a game that is looked at. */
export function measureOf(game) {
  return state.measure === MAIN_MEASURE ? DATA.games[game].measure : state.measure;
}
