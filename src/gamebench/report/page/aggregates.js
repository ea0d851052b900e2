/* Methods over all games at once. */

function aggregates() {
  const all = DATA.aggregates;
  if (!all.methods.length) return;
  const body = section(
    "aggregates",
    "Aggregates",
    "The normalised score of a run says how far it came from uniform play (0) to a main measure of " +
      "10\u207b\u2077 or less (1), in orders of magnitude. Every game counts the same, and within a game " +
      "every seed. Intervals hold 95\u2009% of 2000 bootstrap resamples of games and seeds.",
  );
  const left = Object.entries(all.leftOut);
  if (left.length)
    body.append(
      make("p", { class: "note" }, `Without a score: ${left.map(([game, why]) => `${game} (${why})`).join("; ")}.`),
    );
  const means = make("div", { class: "panel" });
  const host = make("figure", { class: "panel plain-chart", id: "performance-chart" });
  const legend = make("ul", { class: "legend" });
  const matrix = make("div");
  body.append(
    make(
      "div",
      { class: "pair" },
      make(
        "div",
        {},
        make("h3", {}, "Interquartile mean"),
        make(
          "p",
          { class: "about" },
          "The mean of the middle half of all scores; more is better. Compare methods that were run on the same games.",
        ),
        means,
      ),
      make(
        "div",
        {},
        make("h3", {}, "Performance profile"),
        make("p", { class: "about" }, "The share of runs whose score is above a threshold; higher is better."),
        host,
        legend,
      ),
    ),
    make("h3", {}, "Probability of improvement"),
    make(
      "p",
      { class: "about" },
      "How probable it is that a run of the row\u2019s method beats one of the column\u2019s, in a game " +
        "drawn from all that both were run on; a tie counts one half. By how much is not said.",
    ),
    matrix,
  );
  const drawn = chart(host, {
    height: (width) => Math.max(220, Math.min(330, width * 0.6)),
    label: "Performance profile",
    dense: false,
  });
  let room = means.clientWidth;
  const redrawMeans = () => means.replaceChildren(meansPicture(all, shownPlaces(all), Math.max(260, room - 28)));
  function show() {
    const places = shownPlaces(all);
    redrawMeans();
    const lines = places.map((place) => ({
      key: all.methods[place],
      label: DATA.methods[all.methods[place]].name,
      style: { ...DATA.methods[all.methods[place]], marker: null },
      x: array(all.thresholds),
      y: array(all.profiles[place]),
    }));
    drawn.show({
      lines,
      xLabel: "threshold of the normalised score",
      yLabel: "share of runs above it",
      xLog: false,
      yLog: false,
      yRange: [0, 1],
      higher: true,
    });
    fillLegend(legend, lines);
    matrix.replaceChildren(improvementTable(all, places));
  }
  watchWidth(means, (width) => {
    room = width;
    redrawMeans();
  });
  listen((what) => what === "methods" && show());
  show();
}

function shownPlaces(all) {
  return all.methods.map((_, place) => place).filter((place) => isOn(all.methods[place]));
}

function seedsOf([least, most]) {
  return least === most ? plural(least, "seed") : `${least} to ${most} seeds`;
}

/** Dots with whiskers, best first. */
function meansPicture(all, places, width) {
  const order = [...places].sort((one, other) => all.iqm[other].value - all.iqm[one].value);
  const names = order.map((place) => DATA.methods[all.methods[place]].name);
  const left = Math.min(width * 0.45, 16 + 8.2 * Math.max(13, ...names.map((name) => name.length)));
  const room = Math.floor((left - 16) / 8);
  const cut = (text) => (text.length > room ? `${text.slice(0, room - 1)}\u2026` : text);
  const row = 38;
  const height = row * order.length + 26;
  const x = linearScale(0, 1, left, width - 14);
  const svg = draw("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": order.map((place, k) => `${names[k]} ${all.iqm[place].value.toPrecision(3)}`).join(", "),
  });
  const ticks = draw("g", { class: "ticks" });
  const grid = draw("g", { class: "grid" });
  for (const { value, text } of x.ticks(5)) {
    grid.append(draw("path", { d: `M${round(x(value))} 4V${height - 22}` }));
    ticks.append(draw("text", { class: "x", x: round(x(value)), y: height - 7 }, text));
  }
  svg.append(grid, ticks);
  order.forEach((place, k) => {
    const { value, low, high } = all.iqm[place];
    const style = DATA.methods[all.methods[place]];
    const y = row * k + row / 2;
    const words = `${value} (${low} to ${high}); ${plural(all.games[place], "game")}, ${seedsOf(all.seeds[place])}`;
    const group = draw(
      "g",
      { class: "mean", "data-key": all.methods[place], "data-value": value },
      draw("title", {}, words),
      draw("path", {
        class: "whisker",
        d: `M${round(x(low))} ${y}H${round(x(high))}M${round(x(low))} ${y - 4}v8M${round(x(high))} ${y - 4}v8`,
      }),
      draw("path", { class: "marker", d: markerPath(style.marker, x(value), y, 5) }),
      draw("text", { class: "mean-name", x: left - 12, y: y + 1 }, cut(names[k])),
      draw(
        "text",
        { class: "mean-about", x: left - 12, y: y + 13 },
        `${plural(all.games[place], "game")}, ${seedsOf(all.seeds[place])}`,
      ),
    );
    const near =
      x(value) > width - 70
        ? { x: round(x(value)) - 9, class: "mean-value before" }
        : { x: round(x(value)) + 9, class: "mean-value" };
    group.append(draw("text", { ...near, y: y - 7 }, value.toFixed(3)));
    svg.append(coloured(group, style.colour));
  });
  return svg;
}

function improvementTable(all, places) {
  const header = places.map((place) =>
    make("th", { scope: "col" }, make("span", { class: "turned" }, DATA.methods[all.methods[place]].name)),
  );
  const rows = places.map((first) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, named(all.methods[first])),
      places.map((second) => improvementCell(all, first, second)),
    ),
  );
  return scrolling(
    "Probability of improvement",
    make(
      "table",
      { class: "matrix" },
      make("caption", { class: "unseen" }, "Probability that the row\u2019s method is better than the column\u2019s"),
      make("thead", {}, make("tr", {}, make("td", { class: "corner" }), header)),
      make("tbody", {}, rows),
    ),
  );
}

function improvementCell(all, first, second) {
  const chance = all.improvement[first][second];
  if (first === second || !chance) return make("td", { class: "number muted" }, first === second ? "" : "\u2013");
  const cell = make(
    "td",
    {
      class: `number ${chance.value > 0.5 ? "better" : chance.value < 0.5 ? "worse" : ""}`,
      "data-value": chance.value,
      title: `${chance.value} (${chance.low} to ${chance.high}), ${plural(chance.games, "game")}`,
    },
    chance.value.toFixed(2),
  );
  cell.style.setProperty("--much", `${Math.round(Math.abs(chance.value - 0.5) * 100)}%`);
  return cell;
}
