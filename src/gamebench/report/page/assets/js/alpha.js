/* The weights of one run over time. */

import { chartWithLegend } from "./chart.js";
import { array, DATA } from "./data.js";
import { note, section } from "./dom.js";
import { runChooser } from "./inputs.js";
import { plural } from "./numbers.js";
import { follow, state, timeLabel } from "./state.js";

// The palette of report/styles.py.
const COLOURS = ["#7F7F7F", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];
const MARKERS = "XosD^vP";
const DASHES = ["solid", "dashed", "dotted"];

export function alphas() {
  const { runs, leftOut } = DATA.alphas;
  if (!runs.length) return;
  const body = section(
    "alpha",
    "Alpha over time",
    "The weights of one run wherever it was measured: that of the magnet, if it has one, then those of the latest " +
      "policies, numbered from the newest (1).",
  );
  if (leftOut) body.append(note(`To keep the page small, the weights of ${plural(leftOut, "more run")} are left out.`));
  const chart = chartWithLegend("alpha-chart", "Alpha over time", { share: 0.45, least: 220, most: 340 });
  let chosen = null;
  const chooser = runChooser(runs, "alpha", (run) => {
    chosen = run;
    chart.show(pictureOf(run));
  });
  body.append(chooser.row, ...chart.elements);
  chooser.start();
  follow(["xScale"], () => chart.show(pictureOf(chosen)));
}

function pictureOf(run) {
  const lines = run.weights.map(([name, values]) => ({
    key: name,
    label: name === "1" ? "1 (newest policy)" : name,
    style: weightStyle(name === "magnet" ? 0 : Number(name)),
    x: array(run.iteration),
    y: array(values),
  }));
  return {
    lines,
    xLabel: timeLabel("iteration"),
    yLabel: "alpha",
    xLog: state.xScale === "log",
    yLog: false,
    isHigherBetter: true,
  };
}

/** The style of a weight by its index; the magnet has index 0. */
function weightStyle(index) {
  const turn = Math.floor(index / COLOURS.length);
  return {
    colour: COLOURS[index % COLOURS.length],
    marker: MARKERS[index % COLOURS.length],
    dash: DASHES[turn % DASHES.length],
  };
}
