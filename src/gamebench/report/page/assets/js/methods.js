/* The hyper-parameters of each method. */

import { DATA, methodName } from "./data.js";
import { make, scrolling, section } from "./dom.js";
import { saveTableButton } from "./download.js";
import { methodLabel } from "./legend.js";
import { digits, plural } from "./numbers.js";
import { follow, isShown, state } from "./state.js";
import { sortable } from "./table.js";

const RANKS = new Map(DATA.ranking.map(({ method, ...about }) => [method, about]));

export function methods() {
  if (!DATA.methods.length) return;
  const body = section(
    "methods",
    "Methods",
    "The hyper-parameters of each method: first, in bold, those set for it, then the defaults. If a default depends on " +
      "the game, all its values are listed. The mean rank is by the final main measure, among all methods; values " +
      `${DATA.ties.equal} tie.`,
  );
  const columns = [
    { title: "method", value: methodName, cell: methodLabel },
    { title: "mean rank", kind: "number", value: rankOf, cell: (method) => digits(rankOf(method), 3) },
    { title: "hyper-parameters", kind: "settings", value: settingsLine, cell: settingsCell },
  ];
  const { table, show, values } = sortable(columns, "Hyper-parameters of methods", "methods-table");
  const total = make("span", { class: "chosen", "aria-live": "polite" });
  body.append(
    make("div", { class: "row" }, saveTableButton("methods", values), total),
    scrolling("Hyper-parameters of methods", table),
  );
  follow(["methods"], () => {
    show([...DATA.methods.keys()].filter(isShown));
    total.textContent = `${state.methods.size} of ${plural(DATA.methods.length, "method")}`;
  });
}

function rankOf(method) {
  return RANKS.get(method)?.rank ?? null;
}

function settingsLine(method) {
  return DATA.methods[method].settings.map(({ name, text }) => `${name}=${text}`).join(", ");
}

function settingsCell(method) {
  const { settings } = DATA.methods[method];
  if (!settings.length) return make("span", { class: "muted" }, "none");
  const sorted = [...settings.filter(({ asked }) => asked), ...settings.filter(({ asked }) => !asked)];
  return sorted.map(({ name, text, asked }) =>
    make("span", { class: asked ? "setting asked" : "setting" }, `${name} = ${text}`),
  );
}
