"""A record as rows of text, for the terminal and the docs."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.power_law import fits
from benchmarks.record import Record
from benchmarks.result import MEBIBYTES, Engine, Result

HEADINGS = "what", "game", "GameBench", "compared with", "theirs", "ratio", "promised"
RIVALS = Engine.CPP, Engine.PYTHON, Engine.LITE_EFG
"""The engines with a column of their own."""
COMPILED = Engine.CPP, Engine.LITE_EFG
"""The fastest engines."""
RANGES = {
    "an iteration of CFR or CFR+": ("CFR iteration", "CFR+ iteration", "CFR iteration, simultaneous"),
    "NashConv": ("NashConv",),
    "expected values": ("expected values",),
    "loading, until the first iteration": ("loading",),
}
"""What people do most, and the tasks that are summed up in a range."""
DIFFERENT = "\u2020"
"""Marks the ratio to an engine that runs a different algorithm."""
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
    """Yield the headings and a row for each measurement, then the slopes of the scaling plot."""
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


def side_by_side(record: Record) -> Iterator[tuple[str, ...]]:
    """Yield a row for each task and game that other engines have as well, with a column for each engine."""
    yield "task", "game", "GameBench", *RIVALS
    tasks: dict[tuple[str, str], dict[Engine, Result]] = {}
    for result in record.results:
        if result.engine in RIVALS:
            tasks.setdefault((result.what, result.game), {})[result.engine] = result
    for (what, game), found in tasks.items():
        ours = as_time(next(iter(found.values())).ours)
        yield what, game, ours, *(_rival(found[engine]) if engine in found else "" for engine in RIVALS)


def ranges(record: Record) -> Iterator[tuple[str, ...]]:
    """Yield the least and the greatest ratio to the fastest engines, over all games."""
    yield "", *(f"against {engine}" for engine in COMPILED)
    for title, tasks in RANGES.items():
        found = [result for result in record.results if result.what in tasks]
        yield title, *(_range([result.ratio for result in found if result.engine == engine]) for engine in COMPILED)


def _range(ratios: list[float]) -> str:
    least, greatest = (f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}" for ratio in (min(ratios), max(ratios)))
    return f"{least} to {greatest} times"


def functions(record: Record) -> Iterator[tuple[str, ...]]:
    """Yield the functions of other engines that each task is compared with."""
    yield "task", *RIVALS
    tasks: dict[str, dict[Engine, str]] = {}
    for result in record.results:
        if result.engine in RIVALS:
            tasks.setdefault(result.what, {})[result.engine] = f"`{result.other}`"
    for what, found in tasks.items():
        yield what, *(found.get(engine, "") for engine in RIVALS)


def costs(record: Record) -> Iterator[tuple[str, ...]]:
    """Yield the measurements that are compared with our own code, a limit, or another tool."""
    yield HEADINGS[:-1]
    for result in record.results:
        if result.engine not in RIVALS:
            what, game, ours, other, theirs, ratio, _ = _row(result)
            kind = "faster" if ratio.endswith("faster") else ""
            yield what, game, ours, other.removeprefix("GameBench: "), theirs, _ratio(result, kind)


def growth(record: Record) -> Iterator[tuple[str, ...]]:
    """Yield the time of an iteration for each size of the scaling plot; in the last row the slopes."""
    series = list(dict.fromkeys(point.series for point in record.points))
    yield "game", "histories", *series
    sizes = {point.game: point.histories for point in record.points}
    seconds = {(point.game, point.series): point.seconds for point in record.points}

    def cell(game: str, name: str) -> str:
        if (game, name) not in seconds:
            return ""
        time, ours = seconds[game, name], seconds.get((game, name.split(",")[0]))
        compared = f", {as_number(time / ours)} x" if ours and "," in name else ""
        return f"{as_time(time)}{compared}"

    for game, histories in sizes.items():
        yield game, f"{histories:,}", *(cell(game, name) for name in series)
    laws = fits(record.points)
    yield "slope", "", *(f"{laws[name].slope:.3f}" if name in laws else "" for name in series)


def _rival(result: Result) -> str:
    """Return the time of another engine, and how many times that is ours."""
    return f"{as_time(result.theirs)}, {_ratio(result, '' if result.same else DIFFERENT)}"


def _ratio(result: Result, remark: str) -> str:
    """Return the ratio and, in parentheses, the promised one, if any."""
    promise = "" if result.target is None else f"(at {'least' if result.speedup else 'most'} {result.target:g})"
    missed = "" if result.holds else "MISSED"
    return " ".join(filter(None, (f"{as_number(result.ratio)} x", remark, promise, missed)))


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
    """Yield remarks, such as what was checked before timing."""
    for result in record.results:
        if result.note:
            yield f"{', '.join(filter(None, (result.what, result.game)))}, {result.engine}: {result.note}"
    for point in record.points:
        if point.note:
            yield f"{point.series}, {point.game}: {point.note}"


def provenance(record: Record) -> Iterator[tuple[str, str]]:
    """Yield when, where and with which versions a record was measured."""
    yield "what", "value"
    yield "date", f"{record.date}, {record.minutes:.1f} minutes"
    yield (
        "versions",
        ", ".join(f"{name} {record.versions[key]}" for key, name in NAMES.items() if key in record.versions),
    )
    yield "commit", record.commit or "unknown: not a checkout"
    about = record.machine
    yield "machine", f"{about['processor']}, {about['cores']} cores, {about['system']}, {about['architecture']}"
    yield "load at the start and the end", f"{record.load[0]:.2f}, {record.load[1]:.2f}"
    if record.stolen:
        stolen = (f"{group} {share:.0%}" for group, share in record.stolen.items() if share >= 0.005)
        yield "time taken by other virtual machines", ", ".join(stolen) or "none"
