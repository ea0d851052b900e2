/* Interactive charts: a plot with a crosshair that pointer and keyboard move, a tip with the values there, and a zoom. */

import { announce, make, watchWidth } from "./dom.js";
import { saveButtons } from "./download.js";
import { plainButton } from "./inputs.js";
import { fillLegend, valueItem } from "./legend.js";
import { clamp, count, digits, short, spread } from "./numbers.js";
import { plotOf } from "./plot.js";
import { follow } from "./state.js";
import { placeTip } from "./tip.js";
import { Zoom, zoomOf } from "./zoom.js";

const NOWHERE = -1;

/** A chart inside `host`; `show` draws a picture (defined in plot.js).

    `height` is in pixels, or a function of the width; `label` names the chart, and `name` its zoom in the address;
    Enter and a click call `open`, if given; `isDense` is for small charts. */
export class Chart {
  constructor(host, { height, label, name, open, isDense }) {
    Object.assign(this, { height, label, name, open, isDense });
    this.zoom = new Zoom(this);
    this.element = make("div", {
      class: "plot",
      tabindex: "0",
      role: "application",
      "aria-roledescription": "chart",
      onpointerdown: (event) => this.zoom.begin(event),
      onpointermove: (event) => this.point(event),
      onpointerup: () => this.release(),
      onpointerleave: () => this.leave(),
      onblur: () => this.leave(),
      onkeydown: (event) => this.press(event),
      onclick: () => this.click(),
      ondblclick: open ? undefined : () => this.zoom.reset(),
    });
    this.tip = make("div", { class: "tip", hidden: true });
    host.append(this.element, this.tip);
    this.picture = null;
    this.plot = null;
    this.width = 0;
    this.index = NOWHERE; // of the crosshair's stop
    this.wasDragged = false;
    watchWidth(this.element, (width) => {
      this.width = width;
      this.redraw();
    });
    this.followZoom();
  }

  /** Redraw when the zoom of this chart changes. */
  followZoom() {
    let shown;
    follow(["zoom"], () => {
      const wanted = JSON.stringify(zoomOf(this.name));
      if (wanted !== shown) this.redraw();
      shown = wanted;
    });
  }

  show(picture) {
    this.picture = picture;
    const keys = this.open ? "Arrow keys move the crosshair, Enter enlarges" : "Arrow keys move the crosshair";
    const label = `${this.label}: ${picture.yLabel} against ${picture.xLabel}. ${keys}, plus and minus zoom, 0 shows all.`;
    this.element.setAttribute("aria-label", label);
    this.tip.hidden = true;
    this.redraw();
  }

  redraw() {
    if (!this.picture) return;
    this.width = this.width || this.element.clientWidth; // asked once: asking makes the browser lay out the page
    const width = Math.max(160, this.width || 300);
    const height = typeof this.height === "function" ? this.height(width) : this.height;
    this.plot = plotOf({ ...this.picture, zoom: zoomOf(this.name) }, width, height, this.isDense);
    this.element.replaceChildren(this.plot.svg);
    this.index = NOWHERE;
    this.tip.hidden = true;
  }

  /** Move the crosshair to a stop; return what it shows there. */
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
    if (this.zoom.box) return; // the drag goes on outside
    this.index = NOWHERE;
    this.tip.hidden = true;
    if (this.plot?.stops.length) this.plot.clear();
  }

  point(event) {
    if (this.zoom.move(event)) {
      this.tip.hidden = true;
      this.index = NOWHERE;
      return;
    }
    if (!this.plot?.stops.length) return;
    const index = this.plot.nearest(event.clientX - this.element.getBoundingClientRect().left);
    if (index !== this.index) this.move(index);
  }

  release() {
    this.wasDragged = this.zoom.end();
  }

  /** A click opens, unless it ends a drag. */
  click() {
    if (!this.wasDragged) this.open?.();
    this.wasDragged = false;
  }

  press(event) {
    const index = this.target(event.key);
    const zoom = event.ctrlKey || event.metaKey ? undefined : this.zoom.action(event.key);
    if (index !== undefined) {
      event.preventDefault();
      const { stop, rows } = this.move(index);
      announce(spoken(this.picture, stop, rows));
    } else if (zoom) {
      event.preventDefault();
      zoom();
      announce(zoomOf(this.name) ? `${this.picture.xLabel} ${zoomText(zoomOf(this.name).x)}` : "everything is shown");
    } else if (event.key === "Enter" && this.open) {
      event.preventDefault();
      this.open();
    } else if (event.key === "Escape" && this.index !== NOWHERE && this.open) {
      this.leave();
    }
  }

  /** The stop to which a key moves the crosshair, undefined for other keys. */
  target(key) {
    if (!this.plot?.stops.length) return undefined;
    const last = this.plot.stops.length - 1;
    const left = this.index === NOWHERE ? last : this.index - 1;
    return { ArrowRight: this.index + 1, ArrowLeft: left, Home: 0, End: last }[key];
  }

  /** Buttons that zoom, and buttons that save the chart. */
  tools() {
    const reset = plainButton("show all", () => this.zoom.reset(), { class: "plain reset" });
    follow(["zoom"], () => {
      reset.disabled = !zoomOf(this.name);
    });
    return make(
      "div",
      { class: "tools", role: "group", "aria-label": `Zoom and save ${this.label}` },
      plainButton("+", () => this.zoom.by(2), { "aria-label": "zoom in" }),
      plainButton("\u2212", () => this.zoom.by(1 / 2), { "aria-label": "zoom out" }),
      reset,
      saveButtons(this.label, () => ({ ...this.picture, zoom: zoomOf(this.name) })),
    );
  }
}

function zoomText(ends) {
  return ends ? `from ${digits(ends[0], 3)} to ${digits(ends[1], 3)}` : "as before";
}

/** A chart in a panel of its own with a legend below it. The height is a share of the width, within limits. Return the
    elements, and a function that shows a picture and an optional remark on each line. */
export function chartWithLegend(id, label, { share, least, most }) {
  const figure = make("figure", { class: "panel plain-chart", id });
  const legend = make("ul", { class: "legend" });
  const height = (width) => clamp(width * share, least, most);
  const chart = new Chart(figure, { height, label, name: id, isDense: false });
  figure.append(chart.tools());
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

/** The value of each line at x, or its latest earlier value. A line that begins later has none, unless it is a step. */
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
    const band = hasBand ? make("small", {}, ` ${spread(line.low[index], line.high[index])}`) : null;
    return valueItem(line, [short(value), band], { "data-key": line.key, "data-value": value });
  });
  tip.replaceChildren(make("p", { class: "tip-x" }, `${picture.xLabel} ${count(stop)}`), make("ul", {}, items));
  tip.hidden = false;
}

function spoken(picture, stop, rows) {
  const values = rows.map(({ line, value }) => `${line.label} ${value.toPrecision(3)}`);
  return `${picture.xLabel} ${digits(stop, 6)}: ${values.join(", ")}`;
}
