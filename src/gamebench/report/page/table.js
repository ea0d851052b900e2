/* Tables that sort by any column. */

/** A column has `title`, `value(row)` to sort by, and `cell(row)` to show, perhaps a `group`; rows without a value stay
    last. */
function sortable(columns, caption, name) {
  const head = make("tr");
  const groups = columns.some((column) => column.group) ? [groupRow(columns)] : [];
  const rows = make("tbody");
  const table = make(
    "table",
    { class: name },
    make("caption", { class: "unseen" }, caption),
    make("thead", {}, groups, head),
    rows,
  );
  let sorted = { place: -1, turn: 1 };
  let shown = [];
  columns.forEach((column, place) => {
    const button = make(
      "button",
      {
        type: "button",
        "aria-label": column.group ? `${column.group} ${column.title}` : null,
        onclick: () => sortBy(place),
      },
      column.title,
      make("span", { class: "arrow", "aria-hidden": "true" }),
    );
    head.append(make("th", { scope: "col", class: classOf(column), "aria-sort": "none" }, button));
  });

  function sortBy(place) {
    sorted = { place, turn: sorted.place === place ? -sorted.turn : 1 };
    show(shown);
    [...head.children].forEach((cell, at) =>
      cell.setAttribute("aria-sort", at !== place ? "none" : sorted.turn > 0 ? "ascending" : "descending"),
    );
  }

  function show(next) {
    shown = next;
    const column = columns[sorted.place];
    const order = column
      ? [...next].sort((one, other) => compare(column.value(one), column.value(other), sorted.turn))
      : next;
    rows.replaceChildren(
      ...order.map((row) =>
        make(
          "tr",
          { class: row.best ? "best" : null },
          columns.map((one, at) =>
            make(at === 0 ? "th" : "td", { class: classOf(one), scope: at === 0 ? "row" : null }, one.cell(row)),
          ),
        ),
      ),
    );
  }

  return { table, show };
}

/** The names above columns that belong together. */
function groupRow(columns) {
  const row = make("tr", { class: "grouped" });
  for (let place = 0; place < columns.length;) {
    const { group } = columns[place];
    let end = place + 1;
    while (end < columns.length && columns[end].group === group) end++;
    row.append(
      group
        ? make("th", { scope: "colgroup", class: "group-name begins", colspan: end - place }, group)
        : make("td", { colspan: end - place }),
    );
    place = end;
  }
  return row;
}

function classOf(column) {
  return [column.kind, column.begins ? "begins" : null].filter(Boolean).join(" ") || null;
}

function compare(one, other, turn) {
  const isMissing = (value) => value === null || value === undefined;
  if (isMissing(one) || isMissing(other)) return isMissing(one) - isMissing(other);
  if (typeof one === "string") return turn * one.localeCompare(other, "en", { numeric: true });
  return turn * (one - other);
}

/** A box in which what is too wide or too long scrolls, and not the page. */
function scrolling(label, ...children) {
  return make("div", { class: "scroll", role: "region", "aria-label": label, tabindex: "0" }, ...children);
}
