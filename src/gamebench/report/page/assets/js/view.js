/* The view in the address: differences from a page just opened follow the #, so that a link shows the same view and Back
   returns to the previous one. Games and methods are named, because a page made again may renumber them. */

import { DATA } from "./data.js";
import { note } from "./dom.js";
import { beginning, change, follow, SCALES, state, TIME_UNITS } from "./state.js";

const TEXTS = [
  "x",
  "xScale",
  "yScale",
  "measure",
  "rest",
  "large",
  "section",
  "algorithm",
  "view",
  "across",
  "down",
  "over",
];
const NAMED = { methods: ["method", DATA.methods], games: ["game", DATA.games] };

/** The state as text; empty for a page just opened. */
function written() {
  const first = beginning();
  const parts = new URLSearchParams();
  for (const key of TEXTS) if (state[key] !== first[key]) parts.append(key, state[key]);
  for (const [key, [name, items]] of Object.entries(NAMED)) {
    const chosen = [...state[key]].sort((one, other) => one - other);
    if (chosen.join() === [...first[key]].sort((one, other) => one - other).join()) continue;
    for (const index of chosen.length ? chosen : [null]) parts.append(name, index === null ? "" : items[index].name);
  }
  for (const [name, { x, y }] of Object.entries(state.zoom)) {
    const range = (values) => (values ? values.join("~") : "");
    parts.append("zoom", `${range(x)},${range(y)},${name}`);
  }
  return parts.toString();
}

/** The state that a text stands for, and the names in it that this page does not know. */
function read(text) {
  const parts = new URLSearchParams(text.includes("=") ? text : `section=${text}`);
  const values = beginning();
  const unknown = [];
  for (const key of TEXTS) if (parts.has(key)) values[key] = parts.get(key);
  for (const [key, [name, items]] of Object.entries(NAMED)) {
    if (!parts.has(name)) continue;
    const names = parts.getAll(name).filter(Boolean);
    const indices = names.map((wanted) => items.findIndex((item) => item.name === wanted));
    unknown.push(...names.filter((_, k) => indices[k] < 0));
    values[key] = new Set(indices.filter((index) => index >= 0));
  }
  values.zoom = Object.fromEntries(parts.getAll("zoom").map(zoomOf).filter(Boolean));
  return { values: valid(values), unknown };
}

function zoomOf(text) {
  const [x, y, ...name] = text.split(",");
  const range = (part) => {
    const [from, to] = part.split("~").map(Number);
    return part && from < to ? [from, to] : null;
  };
  const ranges = { x: range(x), y: range(y ?? "") };
  return ranges.x || ranges.y ? [name.join(","), ranges] : null;
}

/** The values, with invalid ones replaced by those of a page just opened. */
function valid(values) {
  const choices = {
    x: TIME_UNITS.map(([column]) => column),
    xScale: SCALES.map(([scale]) => scale),
    yScale: SCALES.map(([scale]) => scale),
    rest: ["grey", "hidden"],
    over: ["best", "median"],
    measure: ["", ...Object.keys(DATA.measures)],
    large: ["", ...DATA.games.map(({ name }) => name)],
  };
  const first = beginning();
  for (const [key, known] of Object.entries(choices)) if (!known.includes(values[key])) values[key] = first[key];
  return values;
}

function current() {
  return location.hash.slice(1);
}

/** Restore the view in the address, before anything is drawn. */
export function restoreView() {
  const { values, unknown } = read(current());
  change(values);
  if (unknown.length)
    document.getElementById("content").append(note(`Not on this page, but in its address: ${unknown.join(", ")}.`));
}

/** From now on keep the address up to date, and follow it when the reader goes back. */
export function followView() {
  let isGoingBack = false;
  follow(Object.keys(state), () => {
    const text = written();
    if (!isGoingBack && text !== written.last) history.pushState(null, "", text ? `#${text}` : "#");
    written.last = text;
  });
  window.addEventListener("popstate", () => {
    isGoingBack = true;
    change(read(current()).values);
    isGoingBack = false;
  });
  follow(["section"], scrollToSection);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (!link) return;
    event.preventDefault();
    const section = link.getAttribute("href").slice(1);
    if (state.section === section) scrollToSection();
    change({ section });
  });
}

function scrollToSection() {
  const target = state.section && document.getElementById(state.section);
  if (!target) return;
  target.scrollIntoView();
  if (target.tabIndex < 0) target.setAttribute("tabindex", "-1");
  target.focus({ preventScroll: true });
}
