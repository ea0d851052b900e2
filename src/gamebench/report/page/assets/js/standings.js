/* Tables about methods: the columns that the report defines, as `sortable` shows them. */

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

/** The columns of a table for `sortable`, with a line before each group and behind it. */
export function columnsOf(columns) {
  return columns.map((column, index) => {
    const { name, title, kind, group } = column;
    if (TEXTS[kind]) {
      const value = (row) => TEXTS[kind](row[name]);
      return { title, value, cell: kind === "method" ? (row) => methodLabel(row.method) : value };
    }
    return {
      ...{ title, group, begins: index > 0 && group !== columns[index - 1].group },
      kind: kind === "mean" ? "number final" : "number",
      value: (row) => row[name],
      cell: (row) => [kind === "mean" && row.best ? star() : null, numberCell(row[name], column)],
    };
  });
}

/** A number, or a dash that says why there is none. */
export function numberCell(value, { kind, missing, total }) {
  if (value === null) return make("span", { class: "muted", title: missing }, NOTHING);
  const text = total && value !== total ? `${value} of ${total}` : FORMATS[kind](value);
  return make("span", { title: String(value), "data-value": value }, text);
}

function star() {
  return make("span", { class: "star", title: "best" }, "\u2605", make("span", { class: "unseen" }, "best "));
}
