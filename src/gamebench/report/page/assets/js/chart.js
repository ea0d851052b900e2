/* Interactive charts: a plot with a crosshair that pointer and keyboard move, and a tip with the values there. */

import { announce, make, watchWidth } from "./dom.js";
import { fillLegend, valueItem } from "./legend.js";
import { clamp, count, digits, short } from "./numbers.js";
import { plotOf } from "./plot.js";

const PHONE_WIDTH = 560;
const TIP_DISTANCE = 14;
const WINDOW_MARGIN = 6;
const NOWHERE = -1;

/** A chart inside `host`; `show` draws a picture (plot.js says what that is).

    `height` is in pixels, perhaps a function of the width; `label` names the chart; `open`, if given, is what Enter and
    a click do; `isDense` is for small charts. */
export class Chart {
  constructor(host, { height, label, open, isDense }) {
    Object.assign(this, { height, label, open, isDense });
    this.element = make("div", {
      class: "plot",
      tabindex: "0",
      role: "application",
      "aria-roledescription": "chart",
      onpointermove: (event) => this.point(event),
      onpointerleave: () => this.leave(),
      onblur: () => this.leave(),
      onkeydown: (event) => this.press(event),
      onclick: open,
    });
    this.tip = make("div", { class: "tip", hidden: true });
    host.append(this.element, this.tip);
    this.picture = null;
    this.plot = null;
    this.width = 0;
    this.index = NOWHERE; // of the stop at which the crosshair is
    watchWidth(this.element, (width) => {
      this.width = width;
      this.redraw();
    });
  }

  show(picture) {
    this.picture = picture;
    const keys = this.open ? "Arrow keys move the crosshair, Enter enlarges." : "Arrow keys move the crosshair.";
    const label = `${this.label}: ${picture.yLabel} against ${picture.xLabel}. ${keys}`;
    this.element.setAttribute("aria-label", label);
    this.tip.hidden = true;
    this.redraw();
  }

  redraw() {
    if (!this.picture) return;
    this.width = this.width || this.element.clientWidth; // asked once: each time the browser lays out the whole page
    const width = Math.max(160, this.width || 300);
    const height = typeof this.height === "function" ? this.height(width) : this.height;
    this.plot = plotOf(this.picture, width, height, this.isDense);
    this.element.replaceChildren(this.plot.svg);
    this.index = NOWHERE;
  }

  /** Move the crosshair to a stop; returns what it shows there. */
  move(index) {
    this.index = clamp(index, 0, this.plot.stops.length - 1);
    const stop = this.plot.stops[this.index];
    const rows = valuesAt(this.picture, stop);
    this.plot.cross(stop, rows);
    fillTip(this.tip, this.picture, stop, rows);
    placeTip(this.tip, this.element.getBoundingClientRect(), this.plot.x(stop));
    return { stop, rows };
  }

  leave() {
    this.index = NOWHERE;
    this.tip.hidden = true;
    if (this.plot?.stops.length) this.plot.clear();
  }

  point(event) {
    if (!this.plot?.stops.length) return;
    const index = this.plot.nearest(event.clientX - this.element.getBoundingClientRect().left);
    if (index !== this.index) this.move(index);
  }

  press(event) {
    const index = this.target(event.key);
    if (index !== undefined) {
      event.preventDefault();
      const { stop, rows } = this.move(index);
      announce(spoken(this.picture, stop, rows));
    } else if (event.key === "Enter" && this.open) {
      event.preventDefault();
      this.open();
    } else if (event.key === "Escape" && this.index !== NOWHERE && this.open) {
      this.leave();
    }
  }

  /** The stop to which a key moves the crosshair, if it is such a key. */
  target(key) {
    if (!this.plot?.stops.length) return undefined;
    const last = this.plot.stops.length - 1;
    const left = this.index === NOWHERE ? last : this.index - 1;
    return { ArrowRight: this.index + 1, ArrowLeft: left, Home: 0, End: last }[key];
  }
}

/** A chart in a panel of its own with a legend below it. The height is a share of the width, within limits. Returns the
    elements, and a function to show a picture and perhaps a remark on each line. */
export function chartWithLegend(id, label, { share, least, most }) {
  const figure = make("figure", { class: "panel plain-chart", id });
  const legend = make("ul", { class: "legend" });
  const height = (width) => clamp(width * share, least, most);
  const chart = new Chart(figure, { height, label, isDense: false });
  const show = (picture, remark) => {
    chart.show(picture);
    fillLegend(legend, picture.lines, remark);
  };
  return { elements: [figure, legend], show };
}

/** Sort rows that have a `value`, the best first. */
export function sortByValue(rows, picture) {
  const sign = picture.isHigherBetter ? -1 : 1;
  return rows.sort((one, other) => sign * (one.value - other.value));
}

/** The value of each line at x, or its latest value before; a line that begins later has none, except for steps. */
function valuesAt(picture, x) {
  const rows = [];
  for (const line of picture.lines) {
    const index = lastAtOrBefore(line.x, x);
    if (index >= 0) rows.push({ line, index, x: line.x[index], value: line.y[index] });
    else if (picture.isStep) rows.push({ line, index, x, value: 0 });
  }
  return sortByValue(rows, picture);
}

function lastAtOrBefore(values, x) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function fillTip(tip, picture, stop, rows) {
  const items = rows.map(({ line, index, value }) => {
    const hasBand = line.low && index >= 0;
    const band = hasBand ? make("small", {}, ` ${short(line.low[index])} \u2026 ${short(line.high[index])}`) : null;
    return valueItem(line, [short(value), band], { "data-key": line.key, "data-value": value });
  });
  tip.replaceChildren(make("p", { class: "tip-x" }, `${picture.xLabel} ${count(stop)}`), make("ul", {}, items));
  tip.hidden = false;
}

/** Place the tip beside the crosshair, on a phone below the chart, and always inside the window. */
function placeTip(tip, box, crosshair) {
  const x = box.left + crosshair;
  const right = x + TIP_DISTANCE;
  const fits = right + tip.offsetWidth <= document.documentElement.clientWidth - WINDOW_MARGIN;
  const left = fits ? right : Math.max(WINDOW_MARGIN, x - TIP_DISTANCE - tip.offsetWidth);
  const wanted = window.innerWidth < PHONE_WIDTH ? box.bottom - 4 : box.top + 6;
  const lowest = window.innerHeight - tip.offsetHeight - WINDOW_MARGIN;
  tip.style.setProperty("left", `${left}px`);
  tip.style.setProperty("top", `${Math.max(WINDOW_MARGIN, Math.min(wanted, lowest))}px`);
}

function spoken(picture, stop, rows) {
  const values = rows.map(({ line, value }) => `${line.label} ${value.toPrecision(3)}`);
  return `${picture.xLabel} ${digits(stop, 6)}: ${values.join(", ")}`;
}
