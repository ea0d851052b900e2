/* What is chosen for all charts and tables together, and who is told when it changes. */

import { allMethods, DATA } from "./data.js";

export const AXES = { iteration: "iterations", policies_evaluated: "joint policies evaluated", seconds: "seconds" };
export const SHORT_AXES = Object.entries({ ...AXES, policies_evaluated: "joint policies" });
/** The choice of each game's main measure instead of one measure for all. */
export const MAIN_MEASURE = "";
const FEW_METHODS = 12;

/** Methods with default hyper-parameters. */
export const plainMethods = allMethods().filter((method) => DATA.methods[method].plain);
/** Whether there are so many methods that variants are folded away and switched off at first. */
export const hidesVariants = DATA.methods.length > FEW_METHODS && plainMethods.length > 0;

export const state = {
  methods: new Set(hidesVariants ? plainMethods : allMethods()),
  x: "iteration",
  measure: MAIN_MEASURE,
  log: true,
};
const methodListeners = [];
const axesListeners = [];

/** Call `show` now and whenever other methods are shown. */
export function followMethods(show) {
  methodListeners.push(show);
  show();
}

/** Call `show` now and whenever methods, axes or the measure change. */
export function followAll(show) {
  axesListeners.push(show);
  followMethods(show);
}

export function setMethods(methods) {
  state.methods = new Set(methods);
  for (const show of methodListeners) show();
}

export function setAxes(values) {
  Object.assign(state, values);
  for (const show of axesListeners) show();
}

export function isShown(method) {
  return state.methods.has(method);
}
