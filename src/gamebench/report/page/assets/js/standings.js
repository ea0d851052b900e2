/* Tables about methods: the report's columns in the form that `sortable` takes. */

import { DATA, methodName } from "./data.js";
import { make } from "./dom.js";
import { methodLabel } from "./legend.js";
import { count, digits, seconds, short } from "./numbers.js";

export const NOTHING = "\u2013";
const TEXTS = { game: (game) => DATA.games[game].name, method: methodName, text: (text) => text };
const FORMATS = {
  value: short,
  mean: short,
  edge: short,
  count,
  seconds,
  rank: (rank) => rank.toFixed(2),
  share: (share) => `${digits(share * 100, 3)}\u2009%`,
};

/** The columns of a table for `sortable`, with a line where a group begins or ends. */
export function columnsOf(columns) {
  return columns.map((column, index) => {
    const { name, title, kind, group } = column;
    const place = { title, group, begins: index > 0 && group !== columns[index - 1].group };
    if (TEXTS[kind]) {
      const value = (row) => TEXTS[kind](row[name]);
      return { ...place, value, cell: kind === "method" ? (row) => methodLabel(row.method) : value };
    }
    return {
      ...place,
      kind: kind === "mean" ? "number final" : "number",
      value: (row) => row[name],
      cell: (row) => [kind === "mean" && row.best ? star() : null, numberCell(row, column)],
    };
  });
}

/** A number, a dash whose title explains why there is none, or an equals sign for the edges of seeds that agree. */
function numberCell(row, { name, kind, missing, total }) {
  const value = row[name];
  if (kind === "edge" && row.seeds > 1 && row.low === row.high)
    return make("span", { class: "muted", title: "seeds agree", "data-value": value }, "=");
  if (value === null || (kind === "edge" && row.seeds === 1))
    return make("span", { class: "muted", title: missing }, NOTHING);
  const text = total && value !== total ? `${value} of ${total}` : FORMATS[kind](value);
  return make("span", { title: String(value), "data-value": value }, text);
}

function star() {
  return make("span", { class: "star", title: "best" }, "\u2605", make("span", { class: "unseen" }, "best "));
}
