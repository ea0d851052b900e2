"""A record as tables of text, for the terminal and for the page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from benchmarks import published
from benchmarks.power_law import fits
from benchmarks.record import Record
from benchmarks.result import BEST, MEBIBYTES, Engine, Result
from gamebench.games.catalog import LARGE_GAMES

COLUMNS = (Engine.PYTHON, Engine.CPP, Engine.LITE_EFG)
"""Engines with a column in the table of ratios."""
DIFFERENT = "\u2020"
"""Marks the ratio to an engine that does not compute the same."""


@dataclass(frozen=True)
class Text:
    """A table of text."""

    title: str
    headings: tuple[str, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)


def as_number(value: float) -> str:
    """Return a number with three digits, or all digits above a thousand."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def as_time(value: float) -> str:
    """Return seconds with a suitable unit."""
    for limit, factor, unit in ((1e-3, 1e6, "us"), (1.0, 1e3, "ms")):
        if value < limit:
            return f"{value * factor:.3g} {unit}"
    return f"{as_number(value)} s"


def ratios(record: Record) -> Text:
    """Return how many times faster we are than each engine, with a row per measurement and game."""
    rows: dict[tuple[str, str], dict[Engine, Result]] = {}
    for result in record.results:
        if result.engine in COLUMNS:
            rows.setdefault((result.what, result.game), {})[result.engine] = result
    table = Text("How many times faster", ("what", "game", "GameBench", *COLUMNS))
    for (what, game), results in rows.items():
        ours = as_time(next(iter(results.values())).ours)
        table.rows.append((what, game, ours, *(_cell(results.get(engine)) for engine in COLUMNS)))
    return table


def _cell(result: Result | None) -> str:
    if result is None:
        return ""
    seconds = result.theirs if result.speedup else result.ours
    text = f"{as_number(result.ratio)} x ({as_time(seconds)}){'' if result.same else ' ' + DIFFERENT}"
    return text if result.holds else f"{text} MISSED"


def lite_efg_published(record: Record) -> Text:
    """Return LiteEFG's times in this run and in its README, with the ratio of each to ours."""
    headings = "game", "GameBench, here", "LiteEFG, here", "ratio", "LiteEFG, its README", "ratio"
    table = Text("LiteEFG's own times", headings)
    for result in record.results:
        said = published.LITE_EFG.get(result.game)
        if said is None or (result.what, result.engine) != (published.WHAT, Engine.LITE_EFG):
            continue
        bound = "at most " if said.is_bound else ""
        here = as_time(result.ours), as_time(result.theirs), f"{as_number(result.ratio)} x"
        there = f"{bound}{as_time(said.seconds)}", f"{bound}{as_number(said.seconds / result.ours)} x"
        table.rows.append((result.game, *here, *there))
    return table


def solvers(record: Record) -> Text:
    """Return the time of an iteration of the field's solvers as a multiple of another, with a column per game."""
    found = [result for result in record.results if _is_of_solver(result)]
    games = list(dict.fromkeys(result.game for result in found))
    names = {result.what for result in found}
    rows: dict[tuple[str, str, str], dict[str, str]] = {}
    for result in found:
        if result.other not in names:  # the one that all others are compared with
            rows.setdefault((result.other.removesuffix(BEST), "", ""), {})[result.game] = as_time(result.theirs)
        promise = f"at most {result.target:g}" if result.target is not None else ""
        key = result.what.removesuffix(BEST), result.other.removesuffix(BEST), promise
        rows.setdefault(key, {})[result.game] = _cell(result)
    table = Text("The field's solvers", ("an iteration of", "compared with", "promised", *games))
    table.rows.extend((*key, *(cells.get(game, "") for game in games)) for key, cells in rows.items())
    return table


def _is_of_solver(result: Result) -> bool:
    return result.engine is Engine.OURSELVES and result.what.endswith(BEST)


def costs(record: Record) -> tuple[Text, Text]:
    """Return comparisons with a walk, a program, ourselves or a limit, and all promises; those of large games apart."""
    headings = "what", "game", "GameBench", "compared with", "theirs", "ratio", "promised", ""
    table, large = Text("Costs, and what was promised", headings), Text("Large games", headings)
    for result in record.results:
        if (result.engine in COLUMNS and result.target is None) or _is_of_solver(result):
            continue
        rows = large.rows if result.game in LARGE_GAMES else table.rows
        form = (lambda value: f"{value:.3g} MiB") if result.unit == MEBIBYTES else as_time
        kind = "x faster" if result.speedup else "of it" if result.engine is Engine.LIMIT else "x its cost"
        promise = f"at {'least' if result.speedup else 'most'} {result.target:g}" if result.target is not None else ""
        other = result.other if result.engine is Engine.LIMIT else f"{result.engine}: {result.other}"
        values = form(result.ours), other, form(result.theirs), f"{as_number(result.ratio)} {kind}"
        rows.append((result.what, result.game, *values, promise, "" if result.holds else "MISSED"))
    return table, large


def scaling(record: Record) -> Text:
    """Return microseconds per iteration by game and series; the last row has the slopes."""
    series = list(dict.fromkeys(point.series for point in record.points))
    table = Text("Scaling, in microseconds per iteration", ("game", "histories", *series))
    games = sorted({(point.histories, point.game) for point in record.points})
    seconds = {(point.game, point.series): point.seconds for point in record.points}
    for histories, game in games:
        values = (seconds.get((game, name)) for name in series)
        cells = ("" if value is None else as_number(value * 1e6) for value in values)
        table.rows.append((game, f"{histories:,}", *cells))
    laws = fits(record.points)
    if laws:
        table.rows.append(("slope", "", *(f"{laws[name].slope:.3f}" if name in laws else "" for name in series)))
    return table


def checks(record: Record) -> Text:
    """Return what was checked before timing, and other remarks."""
    table = Text("Checked before timing, and remarks", ("what", "game", "with", "remark"))
    for result in record.results:
        if result.note:
            table.rows.append((result.what, result.game, str(result.engine), result.note))
    for point in record.points:
        if point.note:
            table.rows.append(("CFR iteration, scaling", point.game, Engine.CPP.value, point.note))
    return table


def all_tables(record: Record) -> Iterable[Text]:
    """Return all tables that have rows."""
    first = ratios(record), lite_efg_published(record), solvers(record)
    return [table for table in (*first, *costs(record), scaling(record), checks(record)) if table.rows]
