/* What is chosen for all charts and tables together, and who wants to know when it changes. */

const AXES = { iteration: "iterations", policies_evaluated: "joint policies evaluated", seconds: "seconds" };
const SHORT_AXES = Object.entries({ ...AXES, policies_evaluated: "joint policies" });
const MAIN = "";
const FEW = 12;

const state = {
  on: new Set(firstOn()),
  x: "iteration",
  measure: MAIN,
  log: true,
};
const listeners = [];

/** All methods if they are few, else the plain ones. */
function firstOn() {
  const all = DATA.methods.map((_, place) => place);
  const plain = all.filter((place) => DATA.methods[place].plain);
  return all.length <= FEW || !plain.length ? all : plain;
}

/** Call `listener` with what changed: "methods" or "axes". */
function listen(listener) {
  listeners.push(listener);
}

function changed(what) {
  for (const listener of listeners) listener(what);
}

function setMethods(places) {
  state.on = new Set(places);
  changed("methods");
}

function setAxes(values) {
  Object.assign(state, values);
  changed("axes");
}

function isOn(method) {
  return state.on.has(method);
}
