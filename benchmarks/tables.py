"""A record as tables of text, for the terminal and for the page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from benchmarks import published
from benchmarks.fitting import fits
from benchmarks.record import Record
from benchmarks.result import MEBIBYTES, Engine, Result

COLUMNS = (Engine.PYTHON, Engine.CPP, Engine.LITE_EFG)
"""Engines that have a column of their own in the table of ratios."""
DIFFERENT = "\u2020"
"""Marks the ratio to an engine that does not compute the same."""


@dataclass(frozen=True)
class Text:
    """A table: a heading for each column, and rows of as many texts."""

    title: str
    headings: tuple[str, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)


def as_number(value: float) -> str:
    """Three digits, and all of them for thousands."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def as_time(value: float) -> str:
    """Seconds with a unit that suits them."""
    for limit, factor, unit in ((1e-3, 1e6, "us"), (1.0, 1e3, "ms")):
        if value < limit:
            return f"{value * factor:.3g} {unit}"
    return f"{as_number(value)} s"


def ratios(record: Record) -> Text:
    """How many times faster we are than each of the other engines: a row for each thing measured in each game."""
    rows: dict[tuple[str, str], dict[Engine, Result]] = {}
    for result in record.results:
        if result.engine in COLUMNS:
            rows.setdefault((result.what, result.game), {})[result.engine] = result
    table = Text("How many times faster", ("what", "game", "GameBench", *COLUMNS))
    for (what, game), found in rows.items():
        ours = as_time(next(iter(found.values())).ours)
        table.rows.append((what, game, ours, *(_cell(found.get(engine)) for engine in COLUMNS)))
    return table


def _cell(result: Result | None) -> str:
    if result is None:
        return ""
    text = f"{as_number(result.ratio)} x ({as_time(result.theirs)}){'' if result.same else ' ' + DIFFERENT}"
    return text if result.holds else f"{text} MISSED"


def lite_efg_published(record: Record) -> Text:
    """LiteEFG's times as measured in this run and as its README gives them, and the ratio of each to ours."""
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


def costs(record: Record) -> Text:
    """What is compared with a walk, a program, ourselves or a limit, and whatever was promised of any comparison."""
    headings = "what", "game", "GameBench", "compared with", "theirs", "ratio", "promised", ""
    table = Text("Costs, and what was promised", headings)
    for result in record.results:
        if result.engine in COLUMNS and result.target is None:
            continue
        form = (lambda value: f"{value:.3g} MiB") if result.unit == MEBIBYTES else as_time
        kind = "x faster" if result.speedup else "of it" if result.engine is Engine.LIMIT else "x its cost"
        promise = f"at {'least' if result.speedup else 'most'} {result.target:g}" if result.target is not None else ""
        other = result.other if result.engine is Engine.LIMIT else f"{result.engine}: {result.other}"
        values = form(result.ours), other, form(result.theirs), f"{as_number(result.ratio)} {kind}"
        table.rows.append((result.what, result.game, *values, promise, "" if result.holds else "MISSED"))
    return table


def scaling(record: Record) -> Text:
    """Microseconds per iteration, by game and series; the last row has the slopes."""
    series = list(dict.fromkeys(point.series for point in record.points))
    table = Text("Scaling, in microseconds per iteration", ("game", "histories", *series))
    games = sorted({(point.histories, point.game) for point in record.points})
    found = {(point.game, point.series): point.seconds for point in record.points}
    for histories, game in games:
        values = (found.get((game, one)) for one in series)
        cells = ("" if value is None else as_number(value * 1e6) for value in values)
        table.rows.append((game, f"{histories:,}", *cells))
    laws = fits(record.points)
    if laws:
        table.rows.append(("slope", "", *(f"{laws[one].slope:.3f}" if one in laws else "" for one in series)))
    return table


def checks(record: Record) -> Text:
    """What was found to be the same before it was timed, and other remarks."""
    table = Text("Checked before timing, and remarks", ("what", "game", "with", "remark"))
    for result in record.results:
        if result.note:
            table.rows.append((result.what, result.game, str(result.engine), result.note))
    for point in record.points:
        if point.note:
            table.rows.append(("CFR iteration, scaling", point.game, Engine.CPP.value, point.note))
    return table


def all_tables(record: Record) -> Iterable[Text]:
    """Those that have rows."""
    tables = ratios(record), lite_efg_published(record), costs(record), scaling(record), checks(record)
    return [table for table in tables if table.rows]
