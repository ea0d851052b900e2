/* Zooming: by dragging a box with the mouse, by keys, and by buttons. */

import { change, state } from "./state.js";

const LEAST_DRAG = 6;
const LEAST_SIDE = 12;
const STEP = 2;

/** The ranges that a chart shows, if it does not show everything. */
export function zoomOf(name) {
  return state.zoom[name];
}

/** Let a chart show these ranges, or everything. */
export function setZoom(name, ranges) {
  const { [name]: _, ...others } = state.zoom;
  change({ zoom: ranges ? { ...others, [name]: ranges } : others });
}

/** The ranges after zooming x in (or out, if `factor` is less than 1) around a pixel; null for everything. */
function zoomedBy(plot, ranges, factor, pixel) {
  const { x, area, whole } = plot;
  const centre = pixel ?? (area.left + area.right) / 2;
  const [least, most] = whole;
  const from = x.invert(centre - (centre - area.left) / factor);
  const to = Math.min(most, x.invert(centre + (area.right - centre) / factor));
  const begin = factor < 1 && (from <= least || x(least) > -area.right) ? least : Math.max(from, least);
  const next = { x: begin <= least && to >= most ? null : [begin, to], y: ranges?.y ?? null };
  return next.x || next.y ? next : null;
}

/** The ranges in a box of pixels; an axis stays as it is if the box's side along it is too short. */
function rangesIn({ x, y }, box, ranges) {
  const between = (scale, one, other) =>
    [scale.invert(one), scale.invert(other)].map((value) => Number(value.toPrecision(5))).sort((a, b) => a - b);
  return {
    x: box.width < LEAST_SIDE ? (ranges?.x ?? null) : between(x, box.x, box.x + box.width),
    y: box.height < LEAST_SIDE ? (ranges?.y ?? null) : between(y, box.y, box.y + box.height),
  };
}

/** Zooming of a chart: what its keys and buttons do, and a drag over it. */
export class Zoom {
  constructor(chart) {
    this.chart = chart;
    this.origin = null;
    this.box = null;
  }

  by(factor) {
    const { plot, name, index } = this.chart;
    if (!plot?.area) return;
    const pixel = index >= 0 ? plot.x(plot.stops[index]) : null;
    setZoom(name, zoomedBy(plot, zoomOf(name), factor, pixel));
  }

  reset() {
    setZoom(this.chart.name, null);
  }

  /** What a key does, if it zooms. */
  action(key) {
    return {
      "+": () => this.by(STEP),
      "=": () => this.by(STEP),
      "-": () => this.by(1 / STEP),
      0: () => this.reset(),
    }[key];
  }

  /** A drag begins; a finger scrolls the page instead. */
  begin(event) {
    if (event.button !== 0 || event.pointerType === "touch" || !this.chart.plot?.area) return;
    this.origin = this.place(event);
    this.box = null;
  }

  /** Whether the pointer draws a box. */
  move(event) {
    if (!this.origin) return false;
    const { left, right, top, bottom } = this.chart.plot.area;
    const [one, other] = [this.origin, this.place(event)];
    if (!this.box && Math.hypot(one[0] - other[0], one[1] - other[1]) < LEAST_DRAG) return false;
    if (!this.box) this.chart.element.setPointerCapture(event.pointerId);
    const [fromX, toX] = side(one[0], other[0], left, right);
    const [fromY, toY] = side(one[1], other[1], top, bottom);
    this.box = { x: fromX, y: fromY, width: toX - fromX, height: toY - fromY };
    this.chart.plot.select(shownBox(this.box, this.chart.plot.area));
    return true;
  }

  /** A drag ends; returns whether it was one, and not a click. */
  end() {
    const { box, chart } = this;
    this.origin = null;
    this.box = null;
    if (!box) return false;
    chart.plot.clear();
    if (box.width >= LEAST_SIDE || box.height >= LEAST_SIDE)
      setZoom(chart.name, rangesIn(chart.plot, box, zoomOf(chart.name)));
    return true;
  }

  place(event) {
    const box = this.chart.element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }
}

/** A side of a box, within the area. */
function side(one, other, low, high) {
  return [Math.min(one, other), Math.max(one, other)].map((at) => Math.max(low, Math.min(high, at)));
}

/** A box as it is drawn: one that is too thin to zoom an axis reaches from edge to edge. */
function shownBox(box, { left, right, top, bottom }) {
  const across = box.width < LEAST_SIDE ? { x: left, width: right - left } : {};
  const down = box.height < LEAST_SIDE ? { y: top, height: bottom - top } : {};
  return { ...box, ...across, ...down };
}
