"""The scaling plot: microseconds per iteration against histories, on logarithmic axes, with fitted power laws."""

from __future__ import annotations

import io

from benchmarks.power_law import fits
from benchmarks.record import Record

COLOURS = ("#0072b2", "#009e73", "#d55e00", "#7f7f7f", "#cc79a7")
MARKERS = ("o", "s", "^", "x", "d")


def scaling_svg(record: Record) -> bytes:
    """Return the figure as SVG, with searchable labels; the same record gives the same bytes."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    axes.set(xscale="log", yscale="log", xlabel="histories", ylabel="microseconds per iteration")
    laws = fits(record.points)
    for index, series in enumerate(dict.fromkeys(point.series for point in record.points)):
        points = sorted((point.histories, point.seconds * 1e6) for point in record.points if point.series == series)
        x, y = zip(*points, strict=True)
        colour, marker = COLOURS[index % len(COLOURS)], MARKERS[index % len(MARKERS)]
        label = f"{series}: slope {laws[series].slope:.3f}" if series in laws else series
        axes.plot(x, y, ls="none", marker=marker, ms=5, color=colour, label=label)
        if series in laws:
            ends = [x[0], x[-1]]
            axes.plot(ends, [laws[series].at(end) * 1e6 for end in ends], color=colour, lw=0.9, alpha=0.7)
    axes.grid(alpha=0.25, lw=0.5)
    axes.legend(fontsize=8, frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    buffer = io.BytesIO()
    with rc_context({"svg.hashsalt": "gamebench", "svg.fonttype": "none"}):
        FigureCanvasSVG(figure).print_svg(buffer, metadata={"Date": None})
    return buffer.getvalue()
