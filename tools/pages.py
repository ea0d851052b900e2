"""Write the tables of the docs that come from shipped data, without running anything.

    python -m tools.pages                   all tables
    python -m tools.pages claims field      those of docs/claims.md and docs/field.md

A table called ``ends`` stands between ``<!-- ends -->`` and ``<!-- /ends -->``; the rest of a page is left alone.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks import record, tables

from gamebench.analysis.exact.solved import solved_games
from gamebench.core.choices import CORRELATED
from gamebench.evidence.claims import decide_all
from gamebench.evidence.exhibits import Ends, track_of
from gamebench.evidence.experiments import EXPERIMENTS, FIELD_METHODS, LEADERBOARDS, MIXED
from gamebench.evidence.methods import FIELD, main_measure_of
from gamebench.evidence.shipped import ShippedEvidence
from gamebench.report.standings import CLOSE, ScoreColumn, finite
from gamebench.report.table import MARKDOWN
from gamebench.system.files import write_atomically
from tools.large_games import large_games
from tools.standard_games import STANDARD_GAMES

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PUBLISHED = DOCS / "_static" / "bench" / "results.json"
"""The published record of the benchmarks."""
NEVER = "-"
Rows = Iterable[Sequence[str]]
"""The first row has the headings."""

shipped = cache(ShippedEvidence)


def markdown(table: Rows) -> str:
    """Return a table in Markdown, with columns of numbers aligned to the right."""
    head, *body = [[*map(plain, row)] for row in table]
    is_number = [all(re.match(r"[-\d]|$", cell) for cell in column) for column in zip(*body, strict=True)]
    lines = [head, ["--:" if number else "---" for number in is_number], *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def plain(text: str) -> str:
    """Return the text with Markdown's special characters escaped, except in `code`."""
    if text.startswith("`"):
        return text
    return "".join(MARKDOWN.get(letter, letter) for letter in text)


def claims() -> Rows:
    """Return a row for each claim, with the verdict under exact team deviations where that applies."""
    yield "claim", "statement", "source", "verdict", "true in", "exact"
    decided = {decision.claim.name: decision for decision in decide_all(shipped())}
    for name, decision in decided.items():
        if not name.endswith("-exact"):
            claim, twin = decision.claim, decided.get(f"{name}-exact")
            exact = "" if twin is None else f"{twin.verdict}, {twin.share}"
            yield f"`{name}`", claim.statement, claim.where, str(decision.verdict), decision.share, exact


def standings() -> Rows:
    """Return a row for each method of the field's leaderboard by iterations, best first.

    The share of games solved and the median time share a column; the number of games is the same for all methods.
    """
    board = LEADERBOARDS[""].board(shipped())
    columns = [column for column in board.columns if column.name != "games"]
    first = next(index for index, column in enumerate(columns) if column.kind == "share")
    alone, pairs = columns[:first], list(zip(columns[first::2], columns[first + 1 :: 2], strict=True))
    yield [
        *(f"{column.group} {column.title}".strip() for column in alone),
        *(f"to {left.title}" for left, _ in pairs),
    ]
    for row in board.standings:
        solved = (", ".join(_cell(column, column.value(row)) for column in pair) for pair in pairs)
        yield [*(_cell(column, column.value(row)) for column in alone), *solved]


def best_of_each_game() -> Rows:
    """Return a row for each game of the field: the best final value, the methods that tie for it, and some others."""
    some = "CRD", "CMD", "CFR+", "PDCFR+"
    yield "game", "measure", "best", "by", *some
    for game in FIELD:
        measure = main_measure_of(game)
        tracks = {method.label: track_of(game, method, measure, shipped()) for method in FIELD_METHODS}
        ends = {label: max(track.final, 0.0) for label, track in tracks.items() if track is not None}
        least = min(ends.values())
        best = [label for label, end in ends.items() if CLOSE.holds(least, end)]
        who = ", ".join(best) if len(best) <= 4 else f"{len(best)} methods"
        yield game, measure, _distance(least), who, *(_distance(ends[label]) for label in some)


def ends() -> Rows:
    """Return a row for each method in the mixed games: NashConv of independent members / of coordinators."""
    [exhibit] = [each for each in EXPERIMENTS["teams"].exhibits if isinstance(each, Ends)]
    medians = exhibit.rows(shipped()).set_index(["method", "game", "measure"])["median"].to_dict()

    def shown(label: str, game: str) -> str:
        value = medians.get((label, game, "NashConv"), math.nan)
        return NEVER if math.isnan(value) else "0" if abs(value) < 5e-13 else f"{value:.0e}"

    yield "method", *MIXED
    for label in (method.label for method in exhibit.methods):
        yield label, *(f"{shown(label, game)} / {shown(label, f'{game} [coordinated]')}" for game in MIXED)


def solved() -> Rows:
    """Return a row for each exact solution that comes with the package."""
    known = {standard.game: standard.literature for standard in STANDARD_GAMES}
    yield "game", "solution", "decision points", "value", "gap", "known"
    for entry in solved_games():
        teams = " against ".join(", ".join(map(str, team)) for team in entry.teams or ()) if entry.coordinated else ""
        payoffs = ", ".join(f"{round(payoff, 4) + 0.0:g}" for payoff in entry.payoffs)
        if entry.value is None:
            value = payoffs
        else:
            value = f"{entry.value:.9f}" if entry.fraction is None else entry.fraction
            value += f" = {entry.value:.6f}" if "/" in value else ""
            value += f" ({payoffs})" if entry.concept in CORRELATED else ""
        solution = f"{entry.concept}, {teams}" if teams else entry.concept
        gap = f"{entry.gap:.0e}" if entry.gap else "0"
        yield f"`{entry.game}`", solution, f"{entry.decision_points:,}", value, gap, "" if teams else known[entry.game]


def measured() -> Rows:
    """Return a row for each large game: its size, how long it takes to load, and the method that solves it first."""
    yield (
        *("game", "decision points", "histories", "load (s)", "reload (s)", "MB"),
        *("method", "iterations", "solve (s)"),
    )
    for entry in large_games():
        best = entry.best
        sizes = entry.decision_points, entry.histories
        loading = entry.seconds_from_open_spiel, entry.seconds_from_cache
        solving = best.method, f"{best.iterations:,}", entry.not_solved or _seconds(best.seconds)
        memory = f"{best.memory / 1e6:,.0f}"
        yield entry.game, *(f"{n:,}" for n in sizes), *map(_seconds, loading), memory, *solving


def engines() -> Rows:
    """Return the published times beside those of other engines."""
    return tables.side_by_side(record.read(PUBLISHED))


def speed() -> Rows:
    """Return how many times faster than other engines the published times are."""
    return tables.ranges(record.read(PUBLISHED))


def functions() -> Rows:
    """Return the functions of other engines that were timed."""
    return tables.functions(record.read(PUBLISHED))


def costs() -> Rows:
    """Return the published times and sizes that are compared with limits or with our own code."""
    return tables.costs(record.read(PUBLISHED))


def growth() -> Rows:
    """Return the published times of iterations by size of the game."""
    return tables.growth(record.read(PUBLISHED))


def origin() -> Rows:
    """Return where the published measurements come from."""
    return tables.provenance(record.read(PUBLISHED))


TABLES = {
    table.__name__.replace("_", " "): table
    for table in (
        *(claims, standings, best_of_each_game, ends, solved, measured),
        *(speed, engines, functions, costs, growth, origin),
    )
}


def rewritten(page: str) -> str:
    """Return the text of a page with new tables."""
    names = "|".join(TABLES)

    def table(found: re.Match[str]) -> str:
        return f"<!-- {found[1]} -->\n\n{markdown(TABLES[found[1]]())}\n\n<!-- /{found[1]} -->"

    return re.sub(rf"<!-- ({names}) -->.*?<!-- /\1 -->", table, page, flags=re.DOTALL)


def pages(names: Sequence[str] = ()) -> dict[Path, str]:
    """Return the new text of these pages, or of all pages with tables."""
    paths = *DOCS.parent.glob("README.md"), *sorted(DOCS.glob("*.md"))
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    return {
        path: rewritten(text)
        for path, text in texts.items()
        if path.stem in (names or [path.stem]) and re.search(rf"<!-- ({'|'.join(TABLES)}) -->", text)
    }


def write(*names: str) -> None:
    """Write the tables of these pages, or of all."""
    for path, text in pages(names).items():
        write_atomically(path, text.encode())


def _cell(column: ScoreColumn, value: Any) -> str:
    """Return a cell of a table of methods."""
    if finite(value) is None:
        return NEVER
    if isinstance(value, str):
        return value
    if column.kind == "rank":
        return f"{value:.2f}"
    if column.kind == "share":
        return f"{100 * value:.3g}%"
    number = f"{value:,.0f}" if value >= 100 or float(value).is_integer() else f"{value:.3g}"
    return number if column.total in (None, value) else f"{number} of {column.total}"


def _distance(value: float) -> str:
    return "0" if value < 1e-15 else f"{value:.1e}"


def _seconds(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


if __name__ == "__main__":
    write(*sys.argv[1:])
