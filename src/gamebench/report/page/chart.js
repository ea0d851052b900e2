/* A chart of lines: axes, bands, markers, and a crosshair that pointer and keyboard move.

   A line has `label`, `x`, `y`, perhaps `low` and `high`, and a style (`colour`, `marker`, `dash`); `key` tells it from
   others. A picture has `lines`, `xLabel`, `yLabel`, `xLog`, `yLog`, perhaps `floor`, `yRange`, `step`, `empty`. */

const NARROW = 560;

/** A chart inside `host`; `show(picture)` draws it. `height` is in pixels, `open` is what Enter and a click do. */
function chart(host, { height, label, open, dense }) {
  const plot = make("div", { class: "plot", tabindex: "0", role: "application", "aria-roledescription": "chart" });
  const tip = make("div", { class: "tip", hidden: true });
  host.append(plot, tip);
  let picture = null;
  let frame = null;
  let place = -1;
  let room = 0;

  function show(next) {
    picture = next;
    plot.setAttribute(
      "aria-label",
      `${label}: ${next.yLabel} against ${next.xLabel}. Arrow keys move the crosshair` +
        (open ? ", Enter enlarges." : "."),
    );
    leave();
    redraw();
  }

  function redraw() {
    if (!picture) return;
    room = room || plot.clientWidth; // asked once: every question makes the browser lay out the whole page
    const width = Math.max(160, room || 300);
    frame = frameOf(picture, width, typeof height === "function" ? height(width) : height, dense);
    plot.replaceChildren(frame.svg);
    place = -1;
  }

  function move(next) {
    if (!frame || !frame.stops.length) return;
    place = Math.max(0, Math.min(frame.stops.length - 1, next));
    const stop = frame.stops[place];
    const rows = valuesAt(picture, stop);
    frame.cross(stop, rows);
    fillTip(tip, picture, stop, rows);
    const box = plot.getBoundingClientRect();
    putTip(tip, box, box.left + frame.x(stop));
    return { stop, rows };
  }

  function leave() {
    place = -1;
    tip.hidden = true;
    if (frame) frame.clear();
  }

  plot.addEventListener("pointermove", (event) => {
    if (!frame) return;
    const at = event.clientX - plot.getBoundingClientRect().left;
    const next = frame.nearest(at);
    if (next !== place) move(next);
  });
  plot.addEventListener("pointerleave", leave);
  plot.addEventListener("blur", leave);
  plot.addEventListener("keydown", (event) => {
    const last = frame ? frame.stops.length - 1 : -1;
    const to = { ArrowRight: place + 1, ArrowLeft: place < 0 ? last : place - 1, Home: 0, End: last }[event.key];
    if (to !== undefined && last >= 0) {
      event.preventDefault();
      const seen = move(to);
      say(spoken(picture, seen.stop, seen.rows));
    } else if (event.key === "Enter" && open) {
      event.preventDefault();
      open();
    } else if (event.key === "Escape" && place >= 0 && open) {
      leave();
    }
  });
  if (open) plot.addEventListener("click", open);
  watchWidth(plot, (width) => {
    room = width;
    redraw();
  });
  return { show, plot };
}

/** Tell when the width changes, not when the height does. */
function watchWidth(element, changed) {
  let width = null;
  new ResizeObserver((entries) => {
    const next = entries[0].target.clientWidth;
    if (width !== null && next !== width) changed(next);
    width = next;
  }).observe(element);
}

/** What each line says at x: its value there, or the latest before; nothing before its first. */
function valuesAt(picture, x) {
  const rows = [];
  for (const line of picture.lines) {
    const at = lastAtOrBefore(line.x, x);
    if (at >= 0) rows.push({ line, at, x: line.x[at], value: line.y[at] });
    else if (picture.step) rows.push({ line, at, x, value: 0 });
  }
  const turn = picture.higher ? -1 : 1;
  return rows.sort((one, other) => turn * (one.value - other.value));
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
  tip.replaceChildren(
    make("p", { class: "tip-x" }, `${picture.xLabel} ${count(stop)}`),
    make(
      "ul",
      {},
      rows.map(({ line, at, value }) =>
        make(
          "li",
          { "data-key": line.key, "data-value": value },
          swatch(line.style),
          make("span", { class: "tip-name" }, line.label),
          make(
            "span",
            { class: "tip-value" },
            short(value),
            line.low && at >= 0 ? make("small", {}, ` ${short(line.low[at])} \u2026 ${short(line.high[at])}`) : null,
          ),
        ),
      ),
    ),
  );
  tip.hidden = false;
}

/** Beside the crosshair, on a phone below the chart; always inside the window. */
function putTip(tip, box, x) {
  const width = tip.offsetWidth;
  const right = x + 14 + width <= document.documentElement.clientWidth - 6;
  const left = right ? x + 14 : Math.max(6, x - 14 - width);
  const wanted = window.innerWidth < NARROW ? box.bottom - 4 : box.top + 6;
  const top = Math.max(6, Math.min(wanted, window.innerHeight - tip.offsetHeight - 6));
  tip.style.setProperty("left", `${left}px`);
  tip.style.setProperty("top", `${top}px`);
}

function spoken(picture, stop, rows) {
  const values = rows.map(({ line, value }) => `${line.label} ${value.toPrecision(3)}`);
  return `${picture.xLabel} ${digits(stop, 6)}: ${values.join(", ")}`;
}

/** Scales, axes and lines of a picture in so many pixels. */
function frameOf(picture, width, height, dense) {
  const svg = draw("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    "aria-hidden": "true",
    focusable: "false",
  });
  const lines = picture.lines.filter((line) => picture.step || line.x.length);
  const empty = { svg, stops: [], x: () => 0, nearest: () => -1, cross: () => {}, clear: () => {} };
  if (!lines.length) {
    svg.append(
      draw("text", { class: "nothing", x: width / 2, y: height / 2 }, picture.empty || "no method is switched on"),
    );
    return empty;
  }
  const y = yScale(picture, lines, height - (dense ? 32 : 44), dense ? 8 : 12);
  const yTicks = y.ticks(dense ? 5 : 8);
  const left = Math.max(...yTicks.map((tick) => tick.text.length * 6.4), 20) + (dense ? 8 : 30);
  const x = xScale(picture, lines, left, width - 10);
  axes(svg, picture, x, y, yTicks, { left, width, height, dense });
  const body = draw("g", { class: "lines" });
  for (const line of [...lines].reverse()) body.append(lineGroup(line, picture, x, y, dense));
  const cursor = draw("g", { class: "cursor" });
  svg.append(body, cursor);
  const stops = unique(lines.flatMap((line) => [...line.x])).sort((a, b) => a - b);
  const across = stops.map(x);
  return {
    svg,
    stops,
    x,
    nearest: (at) => nearestPlace(across, at),
    clear: () => cursor.replaceChildren(),
    cross(stop, rows) {
      const at = round(x(stop));
      cursor.replaceChildren(draw("path", { class: "crosshair", d: `M${at} ${y.top}V${y.bottom}` }));
      for (const row of rows) {
        const dot = draw("circle", { class: "dot", cx: round(x(row.x)), cy: round(y(row.value)), r: dense ? 3 : 4 });
        cursor.append(coloured(dot, row.line.style.colour));
      }
    },
  };
}

function nearestPlace(places, at) {
  let best = 0;
  for (let k = 1; k < places.length; k++) if (Math.abs(places[k] - at) < Math.abs(places[best] - at)) best = k;
  return best;
}

function xScale(picture, lines, begin, end) {
  const all = lines.map((line) => line.x);
  const [least, most] = picture.xRange || extent(all);
  const low = picture.xLow || leastPositive(all);
  if (picture.xLog && Number.isFinite(low))
    return logScale(low, Math.max(most, low), begin, end, { hasZero: least <= 0 || picture.step });
  return linearScale(Math.min(least, most), most, begin, end);
}

function yScale(picture, lines, bottom, top) {
  const all = lines.flatMap((line) => (line.low ? [line.y, line.low, line.high] : [line.y]));
  let scale;
  if (picture.yLog) {
    const [least, most] = extent(all).map((value) => Math.max(value, picture.floor));
    const low = 10 ** Math.floor(Math.log10(least) + 1e-9);
    const high = most > low ? 10 ** (Math.ceil(Math.log10(most) * 4 - 1e-9) / 4) : low * 10;
    const inner = logScale(low, high, bottom, top, { fromBelow: true });
    scale = (value) => inner(Math.max(value, low));
    const isFloor = extent(all)[0] <= picture.floor;
    scale.ticks = (count) =>
      inner
        .ticks(count)
        .map((tick) =>
          isFloor && tick.value <= picture.floor * 1.001 ? { ...tick, text: `\u2264${tick.text}` } : tick,
        );
  } else {
    const [low, high] = picture.yRange || padded(extent(all));
    scale = linearScale(low, high, bottom, top);
  }
  return Object.assign(scale, { bottom, top });
}

function padded([low, high]) {
  const room = (high - low) * 0.05;
  return [low >= 0 && low <= room * 4 ? 0 : low - room, high + room];
}

function axes(svg, picture, x, y, yTicks, { left, width, height, dense }) {
  const right = width - 10;
  const grid = draw("g", { class: "grid" });
  const text = draw("g", { class: "ticks" });
  for (const { value, text: words } of yTicks) {
    const at = round(y(value));
    grid.append(draw("path", { d: `M${round(left)} ${at}H${right}` }));
    text.append(draw("text", { class: "y", x: round(left - 6), y: at + 3.5 }, words));
  }
  const xTicks = x.ticks(dense ? 5 : 9);
  for (const { value, text: words } of xTicks) {
    const at = round(x(value));
    if (at < left - 1 || at > right + 1) continue;
    grid.append(draw("path", { d: `M${at} ${y.top}V${y.bottom}` }));
    text.append(draw("text", { class: "x", x: at, y: y.bottom + 14 }, words));
  }
  text.append(
    draw("text", { class: "x name", x: round((left + right) / 2), y: height - (dense ? 4 : 6) }, picture.xLabel),
  );
  if (!dense) {
    const middle = round((y.top + y.bottom) / 2);
    text.append(
      draw("text", { class: "x name", x: 12, y: middle, transform: `rotate(-90 12 ${middle})` }, picture.yLabel),
    );
  }
  svg.append(grid, draw("path", { class: "frame", d: `M${round(left)} ${y.top}V${y.bottom}H${right}` }), text);
}

function lineGroup(line, picture, x, y, dense) {
  const group = coloured(draw("g", { class: "series", "data-key": line.key }), line.style.colour);
  const points = [];
  for (let k = 0; k < line.x.length; k++) points.push([round(x(line.x[k])), round(y(line.y[k]))]);
  if (line.low) group.append(draw("path", { class: "band", d: bandPath(line, x, y) }));
  const d = picture.step
    ? stepPath(points, y(0), round(x(line.end ?? line.x[line.x.length - 1])), x(0))
    : `M${points.map((point) => point.join(" ")).join("L")}`;
  group.append(draw("path", { class: "line", d, "stroke-dasharray": DASHES[line.style.dash] }));
  if (line.style.marker)
    group.append(draw("path", { class: "marker", d: markersPath(points, line.style.marker, dense) }));
  return group;
}

function bandPath(line, x, y) {
  const upper = [];
  const lower = [];
  for (let k = 0; k < line.x.length; k++) {
    const at = round(x(line.x[k]));
    upper.push(`${at} ${round(y(line.high[k]))}`);
    lower.unshift(`${at} ${round(y(line.low[k]))}`);
  }
  return `M${upper.join("L")}L${lower.join("L")}Z`;
}

function stepPath(points, ground, end, begin) {
  let d = `M${round(begin)} ${round(ground)}`;
  for (const [a, b] of points) d += `H${a}V${b}`;
  return `${d}H${Math.max(end, points.length ? points[points.length - 1][0] : end)}`;
}

/** Markers with room between them. */
function markersPath(points, marker, dense) {
  const apart = dense ? 18 : 24;
  let last = -Infinity;
  let d = "";
  points.forEach(([a, b], k) => {
    if (a - last < apart && k < points.length - 1) return;
    if (k === points.length - 1 && a - last < apart / 2) return;
    d += markerPath(marker, a, b, dense ? 2.6 : 3.6);
    last = a;
  });
  return d;
}
