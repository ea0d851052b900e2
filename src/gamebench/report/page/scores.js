/* The score table, and who wins how often. */

function scores() {
  const { rows, epsilons, wins } = DATA.scores;
  if (!rows.length) return;
  const body = section(
    "scores",
    "Scores",
    "The main measure of the runs at the end, the mean over the seeds, and how soon it was small enough for " +
      "the first time (the median over the seeds; empty if never, or if higher is better). Ranks are among all " +
      "methods of this folder with the same main measure in the game, whether shown or not; ties within " +
      "10\u207b\u2077 share their rank, and a star marks all who are best.",
  );
  const filters = { game: "", category: "" };
  const name = (row) => DATA.games[row.game].name;
  const { table, show } = sortable(
    [
      { title: "game", value: name, cell: name },
      { title: "category", value: (row) => row.category, cell: (row) => row.category },
      { title: "method", value: (row) => DATA.methods[row.method].name, cell: (row) => named(row.method) },
      { title: "measure", value: (row) => row.measure, cell: (row) => row.measure },
      { title: "iterations", kind: "number", value: (row) => row.iterations, cell: (row) => count(row.iterations) },
      { title: "seeds", kind: "number", value: (row) => row.seeds, cell: (row) => count(row.seeds) },
      { title: "final value", kind: "number final", value: (row) => row.final, cell: finalCell },
      { title: "rank", kind: "number", value: (row) => row.rank, cell: (row) => digits(row.rank, 3) },
      ...epsilons.map((epsilon, place) => reachColumn("iterations", epsilon, place, count)),
      ...epsilons.map((epsilon, place) => reachColumn("seconds", epsilon, place, seconds)),
    ],
    "Scores of methods in games",
    "scores",
  );
  const games = unique(rows.map((row) => row.game)).map((game) => [String(game), DATA.games[game].name]);
  const found = make("span", { class: "chosen", "aria-live": "polite" });
  const update = () => {
    const some = rows.filter(
      (row) =>
        isOn(row.method) &&
        (!filters.game || String(row.game) === filters.game) &&
        (!filters.category || row.category === filters.category),
    );
    show(some);
    found.textContent = plural(some.length, "row");
  };
  body.append(
    make(
      "div",
      { class: "row" },
      choice(
        "game",
        [["", "all"], ...games],
        "",
        (value) => {
          filters.game = value;
          update();
        },
        { id: "score-game" },
      ),
      choice(
        "category",
        [["", "all"], ...unique(rows.map((row) => row.category)).map((one) => [one, one])],
        "",
        (value) => {
          filters.category = value;
          update();
        },
        { id: "score-category" },
      ),
      found,
    ),
  );
  body.append(scrolling("Score table", table));
  body.append(
    make("h3", {}, "Games won"),
    make("p", { class: "about" }, "In how many games a method is best; a tie counts for all who tie."),
  );
  const won = make("div");
  body.append(won);
  const everything = () => {
    update();
    won.replaceChildren(winsTable(wins));
  };
  listen((what) => what === "methods" && everything());
  everything();
}

function finalCell(row) {
  const range = row.seeds > 1 ? `${row.final}; from ${row.low} to ${row.high}` : String(row.final);
  return make(
    "span",
    { title: range, "data-value": row.final },
    row.best
      ? make("span", { class: "star", title: "best" }, "\u2605", make("span", { class: "unseen" }, "best "))
      : null,
    short(row.final),
  );
}

function reachColumn(what, epsilon, place, format) {
  const value = (row) => (row.reach[place] ? row.reach[place][what] : null);
  const cell = (row) => {
    const found = row.reach[place];
    if (!found || value(row) === null)
      return make("span", { class: "muted", title: found ? "never" : "higher is better" }, "\u2013");
    return make(
      "span",
      { title: `${value(row)}; ${found.seeds} of ${plural(row.seeds, "seed")} got there` },
      format(value(row)),
    );
  };
  return {
    title: power(Math.round(Math.log10(epsilon))),
    group: `${what} to`,
    begins: place === 0,
    kind: "number",
    value,
    cell,
  };
}

function winsTable(wins) {
  const categories = Object.keys(wins);
  const methods = [...state.on]
    .sort((a, b) => a - b)
    .filter((method) => categories.some((name) => wins[name][method] !== undefined));
  const total = (method) => categories.reduce((sum, name) => sum + (wins[name][method] || 0), 0);
  const most = Math.max(1, ...methods.map(total));
  const rows = methods.map((method) => {
    const bar = make("span", { class: "bar-of-wins", "aria-hidden": "true" });
    bar.style.setProperty("width", `${(70 * total(method)) / most}px`);
    coloured(bar, DATA.methods[method].colour);
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, named(method)),
      categories.map((name) =>
        make("td", { class: "number" }, wins[name][method] === undefined ? "\u2013" : String(wins[name][method])),
      ),
      make("td", { class: "number total" }, bar, String(total(method))),
    );
  });
  return scrolling(
    "Games won",
    make(
      "table",
      { class: "narrow" },
      make("caption", { class: "unseen" }, "Games won by category"),
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          make("th", { scope: "col" }, "method"),
          categories.map((name) => make("th", { scope: "col", class: "number" }, name)),
          make("th", { scope: "col", class: "number" }, "all"),
        ),
      ),
      make("tbody", {}, rows),
    ),
  );
}
