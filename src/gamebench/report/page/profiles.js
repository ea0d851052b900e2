/* Which share of the games is solved by when. */

function profiles() {
  const all = DATA.profiles;
  if (!all.length) return;
  const body = section(
    "profiles",
    "Time to epsilon",
    "The share of its games that a method has solved by a time: solved means that the main measure was at " +
      "most epsilon at some point so far. A game solved with some of the seeds counts in part; games where " +
      "higher is better do not count.",
  );
  const chosen = { epsilon: "0.0001", column: "iteration" };
  const epsilons = unique(all.map((one) => String(one.epsilon)));
  if (!epsilons.includes(chosen.epsilon)) chosen.epsilon = epsilons[0];
  body.append(
    make(
      "div",
      { class: "row" },
      segments(
        "epsilon",
        epsilons.map((text) => [text, power(Math.round(Math.log10(Number(text))))]),
        chosen.epsilon,
        (epsilon) => {
          chosen.epsilon = epsilon;
          show();
        },
      ),
      segments(
        "time",
        SHORT_AXES,
        chosen.column,
        (column) => {
          chosen.column = column;
          show();
        },
      ),
    ),
  );
  const host = make("figure", { class: "panel plain-chart", id: "profile-chart" });
  const legend = make("ul", { class: "legend" });
  body.append(host, legend);
  const drawn = chart(host, {
    height: (width) => Math.max(240, Math.min(380, width * 0.5)),
    label: "Time to epsilon",
    dense: false,
  });
  function show() {
    const column = all.filter((one) => one.column === chosen.column);
    const end = Math.max(...column.map((one) => one.end));
    const lines = column
      .filter((one) => String(one.epsilon) === chosen.epsilon && isOn(one.method))
      .map((one) => ({
        key: one.method,
        label: DATA.methods[one.method].name,
        style: DATA.methods[one.method],
        x: array(one.times),
        y: array(one.shares),
        end: one.end,
        games: one.games,
      }))
      .sort((one, other) => one.key - other.key);
    const low = leastPositive(column.map((one) => array(one.times)));
    drawn.show({
      lines,
      xLabel: AXES[chosen.column],
      yLabel: "share of games solved",
      xLog: true,
      yLog: false,
      yRange: [0, 1],
      xRange: [0, end],
      xLow: Number.isFinite(low) ? low : end,
      step: true,
      higher: true,
    });
    fillLegend(legend, lines, (line) => {
      const last = line.y.length ? line.y[line.y.length - 1] : 0;
      return `${digits(last * 100, 3)}\u2009% of ${plural(line.games, "game")}`;
    });
  }
  listen((what) => what === "methods" && show());
  show();
}

function fillLegend(legend, lines, words) {
  legend.replaceChildren(
    ...lines.map((line) =>
      make(
        "li",
        {},
        swatch(line.style),
        make("span", {}, line.label),
        words ? make("small", { class: "muted" }, words(line)) : null,
      ),
    ),
  );
}
