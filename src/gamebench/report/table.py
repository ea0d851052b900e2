"""``table``: what methods reached in games, as a data frame, LaTeX, Markdown or CSV."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

from gamebench.core.choices import Spread, TableFormat
from gamebench.core.errors import printable
from gamebench.core.settings import checked, one_of, whole
from gamebench.report.charts import SPREADS
from gamebench.report.scores import score_columns, score_table
from gamebench.report.selection import Names, select
from gamebench.report.standings import ScoreColumn, Standing, over_games, records
from gamebench.report.tracks import Contest, band

if TYPE_CHECKING:
    import pandas

ROWS = ("games", "methods")
"""The choices for the rows of a table."""
AGREE = "seeds agree"
"""What cells show instead of a spread if all seeds ended with exactly the same value."""
LATEX = {
    **{char: f"\\{char}" for char in "&%$#_{}"},
    **{char: f"{{{char}}}" for char in "[]*"},  # \\[ and \\* would be options of a line break
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}
"""Escapes of LaTeX's special characters."""
MARKDOWN = {char: f"\\{char}" for char in "\\`*_{}[]<>|#$~^&"}
"""Escapes of Markdown's special characters."""


@overload
def table(
    source: Any,
    games: Names = None,
    methods: Names = None,
    *,
    measure: Names = None,
    format: None = None,
    spread: str = "std",
    rows: str | None = None,
    digits: int = 3,
) -> pandas.DataFrame: ...
@overload
def table(
    source: Any,
    games: Names = None,
    methods: Names = None,
    *,
    measure: Names = None,
    format: Literal["latex", "markdown", "csv"],
    spread: str = "std",
    rows: str | None = None,
    digits: int = 3,
) -> str: ...


def table(
    source: Any,
    games: Names = None,
    methods: Names = None,
    *,
    measure: Names = None,
    format: str | None = None,  # noqa: A002  (as pandas and others call it)
    spread: str = "std",
    rows: str | None = None,
    digits: int = 3,
) -> pandas.DataFrame | str:
    """Tabulate what methods reached at the end of their runs: mean and spread over seeds, ranks, and which are best.

    Methods whose means differ by at most 1e-7 tie: they share a rank, and all that tie with the best are best.

    Args:
        source: Results, as :func:`plot` takes them.
        games: The games to show, in this order (default: all).
        methods: The methods to show, in this order (default: all). An algorithm's name stands for all of its
            configurations if no method has exactly this name.
        measure: One or several measures (default: the main measure of each game).
        format: ``"latex"`` (needs the package booktabs), ``"markdown"`` or ``"csv"`` (default: a data frame).
        spread: ``"std"``, ``"range"``, ``"iqr"`` or ``"ci"``, as in :func:`plot`.
        rows: What the rows of LaTeX and Markdown list, ``"games"`` or ``"methods"`` (default: whichever are more).
        digits: Significant digits of LaTeX and Markdown.

    Returns:
        A data frame with a row for each game, measure and method, or a text. ``mean_rank`` is the mean over the games
        in which the method has a rival.

    Examples:
        >>> import gamebench as gb
        >>> results = [gb.solve("Kuhn", "CMD", 32, seed=seed) for seed in range(3)] + [gb.solve("Kuhn", "CFR+", 32)]
        >>> gb.table(results)[["game", "method", "seeds", "rank", "best"]]
           game method  seeds  rank   best
        0  Kuhn    CMD      3     2  False
        1  Kuhn   CFR+      1     1   True
        >>> print(gb.table(results, format="markdown"))
        | Method | Kuhn (NashConv) | Mean rank |
        |:--|--:|--:|
        | CMD | 0.0847 ± 0.0039 | 2 |
        | CFR+ | **0.0214** | 1 |
    """
    kind = None if format is None else TableFormat(checked("format", format, one_of("format", *map(str, TableFormat))))
    selection = select(source, games, methods, measure)
    for sentence in selection.notes:
        warnings.warn(sentence, stacklevel=2)
    comparison = compare(selection.contests, spread)
    return comparison.frame() if kind is None else written(comparison, kind, rows, digits)


@dataclass(frozen=True)
class Comparison:
    """What methods reached in contests: the numbers of a table."""

    contests: Sequence[Contest]
    methods: Sequence[str]
    """The methods to show, in this order."""
    spread: Spread

    @cached_property
    def rows(self) -> list[Standing]:
        """How each method did in each contest, contest by contest."""
        return score_table(self.contests, epsilons=())

    @cached_property
    def mean_ranks(self) -> dict[str, float | None]:
        """By method, the mean rank over the contests in which it has a rival; ``None`` if there are none."""
        return {method: total.rank for method, total in over_games(self.rows).items()}

    def frame(self) -> pandas.DataFrame:
        """Return a row for each contest and method."""
        import pandas

        return pandas.DataFrame(self.records()).astype({"mean_rank": float})

    def records(self) -> list[dict[str, Any]]:
        """Return a record for each contest and method; the mean rank of a method without a rival is ``None``."""
        best = ScoreColumn("best", "best", lambda row: row.won == 1, "text")
        mean_rank = ScoreColumn("mean_rank", "mean rank", lambda row: self.mean_ranks[row.method], "rank")
        return records([*score_columns(self.spread), best, mean_rank], self.rows)

    @property
    def note(self) -> str:
        """A phrase that explains the numbers."""
        counts = sorted({row.seeds for row in self.rows})
        if counts == [1]:
            return "At the end of single runs"
        seeds = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        return f"At the end, mean and {SPREADS[self.spread]} of {seeds} seeds"


def compare(contests: Sequence[Contest], spread: str = "std") -> Comparison:
    """Return what the methods of these contests reached."""
    methods = list(dict.fromkeys(method for contest in contests for method in contest.tracks))
    return Comparison(contests, methods, Spread(checked("spread", spread, one_of("spread", *map(str, Spread)))))


def written(comparison: Comparison, kind: TableFormat, rows: str | None = None, digits: int = 3) -> str:
    """Return the table as text in a format."""
    chosen = checked_rows(rows)
    if kind is TableFormat.CSV:
        return str(comparison.frame().to_csv(index=False, lineterminator="\n"))
    write = _latex if kind is TableFormat.LATEX else _markdown
    return write(comparison, chosen, checked("digits", digits, whole(1, 15)))


def checked_rows(rows: str | None) -> str | None:
    """Return the choice of rows, ``None`` if there is none; raise for anything else."""
    return None if rows is None else str(checked("rows", rows, one_of("choice of rows", *ROWS)))


# --- texts -----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Grid:
    """A table of strings."""

    lines: list[list[str]]
    """The headings, then the rows. Mean ranks are the last column, or the last line if rows are games."""
    names: int
    """Number of columns with names, which precede those with numbers."""
    has_rank_line: bool


def grid(comparison: Comparison, rows: str | None, cell: Callable[[Standing], str], name: Callable[[str], str]) -> Grid:
    """Return the table as strings; ``rows`` is that of :func:`table`."""
    methods, contests = comparison.methods, comparison.contests
    ranks = ["" if rank is None else f"{rank:.3g}" for rank in map(comparison.mean_ranks.get, methods)]
    has_ranks = any(ranks)
    shown = {(row.contest, row.method): cell(row) for row in comparison.rows}
    columns = [[shown.get((contest, method), "") for method in methods] for contest in contests]
    if rows == "methods" or (rows is None and len(methods) > len(contests)):
        names = [f"{contest.game} ({contest.measure})" for contest in contests]
        columns = [[name(method) for method in methods], *columns, *([ranks] if has_ranks else [])]
        headings = ["Method", *map(name, names), *(["Mean rank"] if has_ranks else [])]
        return Grid([headings, *map(list, zip(*columns, strict=True))], 1, False)
    headings = ["Game", "Measure", *map(name, methods)]
    lines = [
        [name(contest.game), name(contest.measure), *cells] for contest, cells in zip(contests, columns, strict=True)
    ]
    return Grid([headings, *lines, *([["Mean rank", "", *ranks]] if has_ranks else [])], 2, has_ranks)


def edges_of(row: Standing, spread: Spread) -> list[float]:
    """Return half the band if it is symmetric, otherwise its two edges; single runs and equal values have none."""
    if row.seeds == 1 or row.seeds_agree:
        return []
    low, high = map(float, band(row.ends, spread))
    return [(high - low) / 2] if spread in (Spread.STD, Spread.CI) else [low, high]


def numbers(mean: float, edges: Sequence[float], digits: int) -> list[tuple[str, int]]:
    """Return mean and spread as decimals, each with its power of ten: the same for all unless a spread is too small.

    A spread too small for the mean's decimals gets more decimals, or its own power of ten; only zero is shown as 0.

    >>> numbers(0.01234, [0.001], 3), numbers(1.15, [0.00064], 3)
    ([('0.0123', 0), ('0.0010', 0)], [('1.15', 0), ('0.00064', 0)])
    >>> numbers(1.234e-5, [1.1e-5, 1.5e-5], 3)
    [('1.23', -5), ('1.10', -5), ('1.50', -5)]
    >>> numbers(2.5e-10, [1e-14], 3)
    [('2.50', -10), ('1.0', -14)]
    """
    values = [mean, *edges]
    if not all(map(math.isfinite, values)):
        return [(f"{value:g}", 0) for value in values]
    size = max(map(abs, values))
    if not size:
        return [("0", 0) for _ in values]
    order = int(f"{size:.{digits - 1}e}".partition("e")[2])  # of the rounded number
    power = order if not -3 <= order < 4 else 0
    places = max(0, digits - 1 - order + power)
    shown = [(f"{value / 10.0**power:.{places}f}", power) for value in values]
    for index, value in enumerate(values):
        if index and not float(shown[index][0]):
            text, _, own = f"{value:.{min(digits, 2) - 1}e}".partition("e")
            if not power and -5 <= int(own) < 0:
                text, own = f"{value:.{min(digits, 2) - 1 - int(own)}f}", "0"
            shown[index] = (text, int(own)) if value else ("0", power)
    return shown


def cell_text(row: Standing, spread: Spread, digits: int) -> str:
    """Return what a row reached as plain text: ``0.5 ± 0.1``, ``0.5`` for a single run, or ``0.5 (seeds agree)``."""
    text = plain(row.final, edges_of(row, spread), digits)
    return f"{text} ({AGREE})" if row.seeds_agree else text


def plain(mean: float, edges: Sequence[float], digits: int) -> str:
    """Return mean and spread in a line of text, such as ``1.2e-5 ± 0.1e-5`` or ``0.5 [0.4, 0.6]``."""
    shown = numbers(mean, edges, digits)
    middle, *ends = (f"{text}e{power}" if power and float(text) else text for text, power in shown)
    if len(ends) == 2:
        return f"{middle} [{ends[0]}, {ends[1]}]"
    return f"{middle} ± {ends[0]}" if ends else middle


def _markdown(comparison: Comparison, rows: str | None, digits: int) -> str:
    def escaped(text: str) -> str:
        return "".join(MARKDOWN.get(char, char) for char in printable(text))

    def cell(row: Standing) -> str:
        text = cell_text(row, comparison.spread, digits)
        return f"**{text}**" if row.won else text

    made = grid(comparison, rows, cell, escaped)
    rule = "|".join([":--"] * made.names + ["--:"] * (len(made.lines[0]) - made.names))
    first, *rest = (f"| {' | '.join(line)} |" for line in made.lines)
    return "\n".join([first, f"|{rule}|", *rest])


def _latex(comparison: Comparison, rows: str | None, digits: int) -> str:
    def escaped(text: str) -> str:
        characters = "".join(LATEX.get(char, char) for char in printable(text))
        return re.sub("-(?=-)", "-{}", characters)  # two hyphens would become a dash

    def times(text: str, power: int) -> str:
        return f"{text} \\times 10^{{{power}}}" if power else text

    def cell(row: Standing) -> str:
        shown = numbers(row.final, edges_of(row, comparison.spread), digits)
        [power, *others] = dict.fromkeys(power for _, power in shown)
        mean, *edges = (text if not others else times(text, own) for text, own in shown)
        inner = f"{mean} \\pm {edges[0]}" if len(edges) == 1 else mean
        inner += f"\\ [{edges[0]}, {edges[1]}]" if len(edges) == 2 else ""
        if not others:
            inner = times(f"({inner})" if edges and power else inner, power)
        text = f"{{\\boldmath${inner}$}}" if row.won else f"${inner}$"
        return f"{text} ({AGREE})" if row.seeds_agree else text

    made = grid(comparison, rows, cell, escaped)
    first, *rest = (f"{' & '.join(line)} \\\\" for line in made.lines)
    rest = [*rest[:-1], "\\midrule", rest[-1]] if made.has_rank_line else rest
    foreign = sorted({char for line in (first, *rest) for char in line if ord(char) > 0xFF})
    columns = "l" * made.names + "r" * (len(made.lines[0]) - made.names)
    return "\n".join(
        [
            f"% {comparison.note}. Needs \\usepackage{{booktabs}}.",
            *([f"% Compile with LuaLaTeX or XeLaTeX: names contain {' '.join(foreign)}"] if foreign else []),
            f"\\begin{{tabular}}{{{columns}}}",
            *("\\toprule", first, "\\midrule", *rest, "\\bottomrule"),
            "\\end{tabular}",
        ]
    )
