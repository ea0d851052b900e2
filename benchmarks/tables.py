"""A record as rows of text, for the terminal and for the page."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.power_law import fits
from benchmarks.record import Record
from benchmarks.result import MEBIBYTES, Engine, Result

HEADINGS = "what", "game", "GameBench", "compared with", "theirs", "ratio", "promised"
DIFFERENT = "\u2020"
"""Marks the ratio to an engine that does not compute the same."""
NAMES = {
    **{"gamebench": "GameBench", "open_spiel": "OpenSpiel", "LiteEFG": "LiteEFG"},
    **{"numpy": "NumPy", "numba": "Numba", "scipy": "SciPy", "python": "Python"},
}


def as_number(value: float) -> str:
    """Return a number with three digits, or all digits above a thousand."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def as_time(value: float) -> str:
    """Return seconds with a suitable unit."""
    for limit, factor, unit in ((1e-3, 1e6, "us"), (1.0, 1e3, "ms")):
        if value < limit:
            return f"{value * factor:.3g} {unit}"
    return f"{as_number(value)} s"


def rows(record: Record) -> Iterator[tuple[str, ...]]:
    """Yield the headings and a row for each measurement; of scaling, also the slope of each series."""
    yield HEADINGS
    yield from map(_row, record.results)
    others = {(point.series, point.game): point for point in record.points if not point.ours}
    laws = fits(record.points)
    for point in (point for point in record.points if point.ours):
        what = f"{point.series} iteration, scaling"
        compared = ("", "", f"{point.histories:,} histories")
        for (series, game), other in others.items():
            if game == point.game and series.startswith(f"{point.series}, "):
                name = series.removeprefix(f"{point.series}, ")
                compared = (name, as_time(other.seconds), f"{as_number(other.seconds / point.seconds)} x faster")
        yield what, point.game, as_time(point.seconds), *compared, "" if point.holds else "MISSED"
    for series, law in laws.items():
        yield f"{series} iteration, scaling", "slope", f"{law.slope:.3f}", "", "", "", ""


def _row(result: Result) -> tuple[str, ...]:
    def form(value: float) -> str:
        return f"{value:.3g} MiB" if result.unit == MEBIBYTES else as_time(value)

    is_limit = result.engine is Engine.LIMIT
    kind = "x faster" if result.speedup else "of it" if is_limit else "x its cost"
    ratio = f"{as_number(result.ratio)} {kind}{'' if result.same else f' {DIFFERENT}'}"
    promise = "" if result.target is None else f"at {'least' if result.speedup else 'most'} {result.target:g}"
    missed = "" if result.holds else "MISSED"
    other = result.other if is_limit else f"{result.engine}: {result.other}"
    promised = ", ".join(filter(None, (promise, missed)))
    return result.what, result.game, form(result.ours), other, form(result.theirs), ratio, promised


def remarks(record: Record) -> Iterator[str]:
    """Yield what was checked before timing, and other remarks."""
    for result in record.results:
        if result.note:
            yield f"{', '.join(filter(None, (result.what, result.game)))}, {result.engine}: {result.note}"
    for point in record.points:
        if point.note:
            yield f"{point.series}, {point.game}: {point.note}"


def provenance(record: Record) -> Iterator[tuple[str, str]]:
    """Yield the headings and rows about where a record comes from."""
    yield "what", "value"
    yield "date", f"{record.date}, {record.minutes:.1f} minutes"
    yield (
        "versions",
        ", ".join(f"{name} {record.versions[key]}" for key, name in NAMES.items() if key in record.versions),
    )
    yield "commit", record.commit or "unknown: this was no checkout"
    about = record.machine
    yield "machine", f"{about['processor']}, {about['cores']} cores, {about['system']}, {about['architecture']}"
    yield "load before and at the end", f"{record.load[0]:.2f}, {record.load[1]:.2f}"
    if record.stolen:
        stolen = (f"{group} {share:.0%}" for group, share in record.stolen.items())
        yield "time that other virtual machines took", ", ".join(stolen)
