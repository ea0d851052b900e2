/* A small chart for each game, by category; any of them large. */

const LINES = new Map();
for (const line of DATA.lines) {
  const key = `${line.game} ${line.measure}`;
  if (!LINES.has(key)) LINES.set(key, []);
  LINES.get(key).push(line);
}

/** What the chart of a game shows under the present choices. */
function pictureOf(place) {
  const game = DATA.games[place];
  const measure = state.measure === MAIN ? game.measure : state.measure;
  const measured = LINES.get(`${place} ${measure}`) || [];
  const lines = measured
    .filter((line) => isOn(line.method))
    .map((line) => ({
      key: line.method,
      label: DATA.methods[line.method].name,
      style: DATA.methods[line.method],
      x: array(line[state.x]),
      y: array(line.mean),
      low: line.low === undefined ? null : array(line.low),
      high: line.high === undefined ? null : array(line.high),
      seeds: line.seeds,
    }))
    .sort((one, other) => one.key - other.key);
  const about = DATA.measures[measure] || { lower: true };
  return {
    lines,
    measure,
    xLabel: AXES[state.x],
    yLabel: measure,
    xLog: true,
    yLog: state.log && about.lower && measured.every((line) => neverNegative(line)),
    floor: DATA.floor,
    higher: !about.lower,
    empty: emptyText(measure, measured.length),
  };
}

function emptyText(measure, isMeasured) {
  if (!isMeasured) return `${measure}: not measured`;
  return state.on.size ? `${measure}: of no method shown` : "no method is switched on";
}

function neverNegative(line) {
  if (line.positive === undefined)
    line.positive = extent([array(line.low === undefined ? line.mean : line.low)])[0] > -DATA.floor;
  return line.positive;
}

function summary() {
  const body = section(
    "summary",
    "Summary",
    "One chart for each game: the mean over the seeds, with a band from the least to the greatest where " +
      "there are several. Point at a chart, or focus it and use the arrow keys, to read values; where a " +
      "method was not measured at that very x, its latest value before it. Click, or press Enter, to enlarge.",
  );
  controls(body);
  if (!DATA.games.length) {
    body.append(make("p", { class: "note" }, "There are no finished runs in this folder."));
    return;
  }
  const categories = unique(DATA.games.map((game) => game.category));
  const sizes = categories.map((name) => DATA.games.filter((game) => game.category === name).length);
  const inColumns = categories.length >= 3 && Math.max(...sizes) <= 4;
  const wall = make("div", { class: inColumns ? "wall columns" : "wall" });
  const cards = [];
  for (const category of categories) {
    const grid = make("div", { class: "cards" });
    wall.append(make("div", { class: "category" }, make("h3", {}, category), grid));
    DATA.games.forEach((game, place) => {
      if (game.category === category) cards.push(card(grid, game, place));
    });
  }
  body.append(wall);
  const show = () => cards.forEach((one) => one.show());
  listen(show);
  show();
}

function card(grid, game, place) {
  const enlarge = () => openLarge(game, place);
  const measure = make("span", { class: "measure" });
  const body = make(
    "figure",
    { class: "card", "data-game": place },
    make(
      "figcaption",
      {},
      make("h4", {}, game.name),
      measure,
      make(
        "button",
        { type: "button", class: "enlarge", "aria-label": `Enlarge ${game.name}`, title: "Enlarge", onclick: enlarge },
        enlargeIcon(),
      ),
    ),
  );
  grid.append(body);
  const drawn = chart(body, { height: 178, label: game.name, open: enlarge, dense: true });
  return {
    show() {
      const picture = pictureOf(place);
      measure.textContent = picture.measure;
      drawn.show(picture);
    },
  };
}

function enlargeIcon() {
  return draw(
    "svg",
    { width: 13, height: 13, viewBox: "0 0 13 13", "aria-hidden": "true", focusable: "false" },
    draw("path", { d: "M8 1.5h3.5V5M5 11.5H1.5V8M11.2 1.8 7.8 5.2M1.8 11.2l3.4-3.4" }),
  );
}

/** A chart in a dialog of its own, with all final values beside it. */
function openLarge(game, place) {
  const dialog = document.getElementById("large");
  const host = make("div", { class: "large-chart" });
  const list = make("ul", { class: "finals" });
  const facts = [
    game.category,
    game.players ? plural(game.players, "player") : null,
    game.points ? plural(game.points, "decision point") : null,
  ];
  dialog.replaceChildren(
    make(
      "div",
      { class: "dialog-head" },
      make("h2", { id: "large-title" }, game.name),
      make("p", { class: "muted" }, facts.filter(Boolean).join(", ")),
      make("button", { type: "button", class: "close", onclick: () => dialog.close() }, "Close"),
    ),
    make("div", { class: "dialog-body" }, host, make("div", { class: "beside" }, make("h3", {}, "At the end"), list)),
  );
  dialog.showModal();
  const drawn = chart(host, {
    height: (width) => Math.max(240, Math.min(560, window.innerHeight * 0.7, width * 0.7)),
    label: game.name,
    dense: false,
  });
  const picture = pictureOf(place);
  drawn.show(picture);
  const turn = picture.higher ? -1 : 1;
  const finals = picture.lines
    .map((line) => ({ line, value: line.y[line.y.length - 1] }))
    .sort((one, other) => turn * (one.value - other.value));
  list.append(
    ...finals.map(({ line, value }) =>
      make(
        "li",
        { title: String(value) },
        swatch(line.style),
        make("span", { class: "tip-name" }, line.label),
        make("span", { class: "tip-value" }, short(value)),
        make("small", { class: "muted" }, line.seeds > 1 ? `${line.seeds} seeds` : ""),
      ),
    ),
  );
  drawn.plot.focus({ focusVisible: false });
}
