/* Inputs with their labels. */

import { DATA, distinct, methodName } from "./data.js";
import { make } from "./dom.js";
import { change, follow, state } from "./state.js";

/** A button without decoration. */
export function plainButton(text, onclick, attributes) {
  return make("button", { type: "button", class: "plain", ...attributes, onclick }, text);
}

/** A drop-down list; `options` are pairs of value and text. */
export function choice(label, options, value, changed, attributes) {
  const select = make("select", { ...attributes, onchange: () => changed(select.value) });
  setOptions(select, options, value);
  return make("label", { class: "choice" }, make("span", {}, label), select);
}

export function setOptions(select, options, value) {
  select.replaceChildren(...options.map(([key, text]) => make("option", { value: key }, text)));
  if (value !== undefined) select.value = value;
}

/** A drop-down list of values of a part of the state. */
export function stateChoice(label, options, key, more) {
  const element = choice(label, options, state[key], (value) => change({ ...more, [key]: value }), { id: key });
  follow([key], () => {
    element.querySelector("select").value = state[key];
  });
  return element;
}

/** A row of buttons for the values of a part of the state. */
export function stateSegments(label, options, key, more) {
  const element = segments(label, options, state[key], (value) => change({ ...more, [key]: value }));
  follow([key], () => press(element, state[key]));
  return element;
}

/** Press the button of a value in a row of them. */
export function press(element, key) {
  for (const button of element.querySelectorAll("[data-value]"))
    button.setAttribute("aria-pressed", String(button.dataset.value === key));
}

/** A row of buttons, exactly one of them pressed. */
export function segments(label, options, value, changed) {
  const choose = (key) => {
    press(element, key);
    changed(key);
  };
  const buttons = options.map(([key, text]) =>
    make(
      "button",
      { type: "button", "data-value": key, "aria-pressed": String(key === value), onclick: () => choose(key) },
      text,
    ),
  );
  const row = make("div", { class: "segments", role: "group", "aria-label": label }, buttons);
  const element = make("div", { class: "choice" }, make("span", {}, label), row);
  return element;
}

/** A search field; `changed` is called with its text while it is typed. */
export function searchField(label, placeholder, changed, attributes) {
  const input = make("input", { type: "search", placeholder, ...attributes, oninput: () => changed(input.value) });
  return make("label", { class: "choice grow" }, make("span", {}, label), input);
}

const RUN_PARTS = { game: (key) => DATA.games[key].name, method: methodName, seed: (key) => key };

/** Drop-down lists for game, method and seed, each with the choices that the previous ones leave. `chosen` is called
    with the run; `start` chooses the first run. */
export function runChooser(runs, id, chosen) {
  const parts = Object.keys(RUN_PARTS);
  const picked = {};
  const choices = parts.map((part) => choice(part, [], "", (key) => pick(part, key), { id: `${id}-${part}` }));
  const selects = choices.map((label) => label.querySelector("select"));
  function pick(part, key) {
    picked[part] = key;
    update();
  }
  function update() {
    let remaining = runs;
    parts.forEach((part, index) => {
      const keys = distinct(remaining.map((run) => String(run[part])));
      if (!keys.includes(picked[part])) picked[part] = keys[0];
      setOptions(
        selects[index],
        keys.map((key) => [key, RUN_PARTS[part](key)]),
        picked[part],
      );
      remaining = remaining.filter((run) => String(run[part]) === picked[part]);
    });
    chosen(remaining[0]);
  }
  return { row: make("div", { class: "row" }, choices), start: update };
}
