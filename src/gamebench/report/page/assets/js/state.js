/* The choices shared by all charts and tables, and the functions called when they change. */

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
/** The page's own choice. */
const AUTOMATIC = "";

/** The label of an axis that shows a column of time. */
export function timeLabel(column) {
  return DATA.axes.find((axis) => axis.column === column).label;
}

/** Methods with default hyper-parameters. */
export const plainMethods = allMethods().filter((method) => DATA.methods[method].plain);
/** The best methods over all games and the winners of games, as many as can be told apart. */
export const bestMethods = DATA.best;
/** Whether only the best methods are in colour at first, because there are many; the others are grey. */
export const hasMany = DATA.methods.length > DATA.few && bestMethods.length > 0;

/** The state of a page when it is opened. */
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
    section: AUTOMATIC, // the section to which a link has scrolled the page
    algorithm: AUTOMATIC, // the algorithm whose hyper-parameters are compared
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

/** Change parts of the state, and call each function that follows one of them once. */
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

/** A phrase beside a table of the methods in colour: how many others there are. */
export function withoutOthers() {
  const others = DATA.methods.length - state.methods.size;
  return others ? `, without ${plural(others, "method")} not in colour` : "";
}

export function isGameShown(game) {
  return state.games.has(game);
}

/** A copy of a set with an item added if it was missing, removed otherwise. */
export function toggled(set, item) {
  const next = new Set(set);
  if (!next.delete(item)) next.add(item);
  return next;
}

/** The measure shown for a game. */
export function measureOf(game) {
  return state.measure === MAIN_MEASURE ? DATA.games[game].measure : state.measure;
}
