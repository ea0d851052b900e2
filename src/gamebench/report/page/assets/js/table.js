/* Tables that sort by any column. */

import { make } from "./dom.js";

/** A table, and a function that shows rows in it.

    A column has a `title`, a `value(row)` to sort by and a `cell(row)` to show, and may have a `kind` (a class), a
    `group` (a heading above it) and a line before it (`begins`). Rows without a value are always last. `rowClass(row)`
    is the class of a row, or null. */
export function sortable(columns, caption, name, rowClass = () => null) {
  const head = make("tr");
  const groups = columns.some((column) => column.group) ? groupRow(columns) : null;
  const body = make("tbody");
  const table = make(
    "table",
    { class: name },
    make("caption", { class: "unseen" }, caption),
    make("thead", {}, groups, head),
    body,
  );
  let sorted = { index: -1, sign: 1 };
  let shown = [];

  function sortBy(index) {
    sorted = { index, sign: sorted.index === index ? -sorted.sign : 1 };
    show(shown);
    const direction = sorted.sign > 0 ? "ascending" : "descending";
    [...head.children].forEach((cell, at) => {
      cell.setAttribute("aria-sort", at === index ? direction : "none");
    });
  }

  function show(rows) {
    shown = rows;
    const ordered = inOrder(rows, columns[sorted.index], sorted.sign);
    body.replaceChildren(...ordered.map((row) => tableRow(columns, row, rowClass(row))));
  }

  head.append(...columns.map((column, index) => columnHead(column, () => sortBy(index))));
  /** The rows as they are shown, as values, below the names of the columns. */
  function values() {
    const titles = columns.map(({ group, title }) => (group ? `${group} ${title}` : title));
    return [
      titles,
      ...inOrder(shown, columns[sorted.index], sorted.sign).map((row) => columns.map((c) => c.value(row))),
    ];
  }

  return { table, show, values };
}

function inOrder(rows, column, sign) {
  if (!column) return rows;
  return [...rows].sort((one, other) => compare(column.value(one), column.value(other), sign));
}

function columnHead(column, onclick) {
  const label = column.group ? `${column.group} ${column.title}` : null;
  const arrow = make("span", { class: "arrow", "aria-hidden": "true" });
  const button = make("button", { type: "button", "aria-label": label, onclick }, column.title, arrow);
  return make("th", { scope: "col", class: classOf(column), "aria-sort": "none" }, button);
}

function tableRow(columns, row, name) {
  const cells = columns.map((column, index) => {
    const [tag, scope] = index === 0 ? ["th", "row"] : ["td", null];
    return make(tag, { class: classOf(column), scope }, column.cell(row));
  });
  return make("tr", { class: name }, cells);
}

/** The names above columns that belong together. */
function groupRow(columns) {
  const row = make("tr", { class: "grouped" });
  for (let first = 0; first < columns.length; ) {
    const { group } = columns[first];
    let end = first + 1;
    while (end < columns.length && columns[end].group === group) end++;
    row.append(
      group
        ? make("th", { scope: "colgroup", class: "group-name begins", colspan: end - first }, group)
        : make("td", { colspan: end - first }),
    );
    first = end;
  }
  return row;
}

function classOf(column) {
  return [column.kind, column.begins ? "begins" : null].filter(Boolean).join(" ") || null;
}

function compare(one, other, sign) {
  const isMissing = (value) => value === null || value === undefined;
  if (isMissing(one) || isMissing(other)) return isMissing(one) - isMissing(other);
  if (typeof one === "string") return sign * one.localeCompare(other, "en", { numeric: true });
  return sign * (one - other);
}
