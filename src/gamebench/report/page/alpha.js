/* How the weights of one run moved. */

const PALETTE = ["#7F7F7F", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];
const PALETTE_MARKERS = "XosD^vP";

function alphas() {
  const { runs, leftOut } = DATA.alphas;
  if (!runs.length) return;
  const body = section(
    "alpha",
    "Alpha over time",
    "The weights of one run at the iterations at which it was measured: of the magnet, if it has one, then " +
      "of its latest policies, 1 for the newest.",
  );
  if (leftOut)
    body.append(
      make("p", { class: "note" }, `For want of room the weights of ${plural(leftOut, "further run")} are left out.`),
    );
  const host = make("figure", { class: "panel plain-chart", id: "alpha-chart" });
  const legend = make("ul", { class: "legend" });
  const chooser = runChooser(runs, "alpha", show);
  body.append(chooser.row, host, legend);
  const drawn = chart(host, {
    height: (width) => Math.max(220, Math.min(340, width * 0.45)),
    label: "Alpha over time",
    dense: false,
  });
  function show(run) {
    const lines = run.weights.map(([name, place]) => ({
      key: name,
      label: name === "1" ? "1 (newest policy)" : name,
      style: weightStyle(name === "magnet" ? 0 : Number(name)),
      x: array(run.iteration),
      y: array(place),
    }));
    drawn.show({ lines, xLabel: "iterations", yLabel: "alpha", xLog: true, yLog: false, higher: true });
    fillLegend(legend, lines);
  }
  chooser.start();
}

/** Of a weight by its place, the magnet's first. */
function weightStyle(place) {
  const round = Math.floor(place / PALETTE.length);
  return {
    colour: PALETTE[place % PALETTE.length],
    marker: PALETTE_MARKERS[place % PALETTE.length],
    dash: ["solid", "dashed", "dotted"][round % 3],
  };
}

/** Three choices (game, method, seed) of which each offers what the ones before it leave. */
function runChooser(runs, id, chosen) {
  const pick = { game: "", method: "", seed: "" };
  const parts = ["game", "method", "seed"];
  const text = { game: (key) => DATA.games[key].name, method: (key) => DATA.methods[key].name, seed: (key) => key };
  const row = make(
    "div",
    { class: "row" },
    parts.map((part) =>
      choice(
        part,
        [],
        "",
        (value) => {
          pick[part] = value;
          update();
        },
        { id: `${id}-${part}` },
      ),
    ),
  );
  const selects = Object.fromEntries(parts.map((part, k) => [part, row.children[k].querySelector("select")]));
  function update() {
    let left = runs;
    for (const part of parts) {
      const keys = unique(left.map((run) => String(run[part])));
      if (!keys.includes(pick[part])) pick[part] = keys[0];
      setOptions(
        selects[part],
        keys.map((key) => [key, text[part](key)]),
        pick[part],
      );
      left = left.filter((run) => String(run[part]) === pick[part]);
    }
    chosen(left[0]);
  }
  return { row, start: update };
}
