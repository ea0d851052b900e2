"""``plot``: learning curves of any results as a figure."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gamebench.core.choices import Spread, TimeAxis
from gamebench.core.errors import SettingError, UnknownNameError, brief
from gamebench.core.settings import checked, one_of, real, whole
from gamebench.report.charts import Chart, by_columns, even_columns, panel_of
from gamebench.report.scores import most_interesting
from gamebench.report.selection import Names, select
from gamebench.report.tracks import Contest, Results, fair_axis

if TYPE_CHECKING:
    from matplotlib.figure import Figure

IN_COLOUR = 8
"""Maximum number of methods in colour by default: more are hard to tell apart."""


def plot(
    source: Any,
    games: Names = None,
    methods: Names = None,
    *,
    x: str | None = None,
    measure: Names = None,
    spread: str = "range",
    highlight: int | Iterable[str] = IN_COLOUR,
    columns: int | None = None,
    log_x: bool = True,
    log_y: bool = True,
    title: str = "",
    width: float | None = None,
) -> Figure:
    """Draw learning curves: a panel for each game and measure, with the mean and spread over seeds of each method.

    Args:
        source: A folder of results or a list of them, a :class:`Store`, the :class:`Outcome` of a sweep, a
            :class:`Result` or :class:`Curve`, a list of these, a dictionary of them by label (a list under a label
            holds the seeds of one method), or a data frame of :func:`load_results`, whole or in part. Under a label,
            data frames and dictionaries of arrays hold curves of other programs: a column that counts time
            (``iteration``, ``policies_evaluated`` or ``seconds``), measures, and perhaps ``seed`` and ``game``.
        games: The games to show, in this order (default: all).
        methods: The methods to show, in this order (default: all). An algorithm's name stands for all of its
            configurations if no method has exactly this name.
        x: The x axis: ``"iterations"``, ``"policies"`` (joint policies evaluated) or ``"seconds"`` (default: policies
            if the methods shown evaluate different numbers of them per iteration, otherwise iterations).
        measure: One or several measures (default: the main measure of each game).
        spread: What the bands show: ``"range"``, ``"std"`` (one standard deviation), ``"iqr"`` (interquartile range) or
            ``"ci"`` (Student's 95 % confidence interval of the mean).
        highlight: The number of methods in colour (the best by mean rank at the end), or their names. Others are grey.
        columns: Panels side by side (default: one for each category of games, or at most five).
        log_x: Whether the x axis is logarithmic, with a zero.
        log_y: Whether y axes may be logarithmic. They are if all values are above zero and span a decade.
        title: Title of the figure.
        width: Width in inches, such as LaTeX's text width. The font size stays the same.

    Returns:
        A matplotlib figure, which a notebook shows and ``figure.savefig("figure.pdf")`` writes.

    Examples:
        >>> import gamebench as gb
        >>> results = [gb.solve("Kuhn", "CMD", 32, seed=seed) for seed in range(3)] + [gb.solve("Kuhn", "CFR+", 32)]
        >>> figure = gb.plot(results)
        >>> [line.get_label() for line in figure.axes[0].get_lines()]
        ['CMD', 'CFR+']
        >>> figure.savefig("kuhn.pdf")  # doctest: +SKIP
    """
    from gamebench.report.figures import draw

    selection = select(source, games, methods, measure)
    for sentence in selection.notes:
        warnings.warn(sentence, stacklevel=2)
    return draw(
        chart_of_contests(selection.contests, x, spread, highlight, columns, log_x, log_y, title, width),
    )


def chart_of_contests(
    contests: Sequence[Contest],
    x: str | None = None,
    spread: str = "range",
    highlight: int | Iterable[str] = IN_COLOUR,
    columns: int | None = None,
    log_x: bool = True,
    log_y: bool = True,
    title: str = "",
    width: float | None = None,
) -> Chart:
    """Return the chart of contests, a panel for each; the options are those of :func:`plot`, and are checked."""
    axes = {str(axis): axis for axis in TimeAxis}
    axis = fair_axis(contests) if x is None else axes[checked("x", x, one_of("x axis", *axes))]
    chosen = Spread(checked("spread", spread, one_of("spread", *map(str, Spread))))
    ordered, headings = list(contests), tuple[str, ...]()
    if columns is None:
        ordered, headings = by_columns(contests, lambda contest: contest.category)
    across = len(headings) or even_columns(len(contests))
    in_colour = _in_colour(contests, highlight)
    muted = frozenset(method for contest in contests for method in contest.tracks) - {*in_colour}
    place = {method: index for index, method in enumerate(in_colour if muted else [])}  # the legend has the best first
    panels = [panel_of(contest, log_y) for contest in ordered]
    return Chart(
        tuple(
            replace(panel, tracks=tuple(sorted(panel.tracks, key=lambda track: place.get(track.method, len(place)))))
            for panel in panels
        ),
        axis.column,
        columns=across if columns is None else min(len(panels), checked("columns", columns, whole(1))),
        headings=headings,
        is_log=log_x,
        muted=muted,
        spread=chosen,
        title=title,
        width=None if width is None else checked("width", width, real(0, 100)),
        is_legend_beside=bool(muted) or len(in_colour) > IN_COLOUR,
    )


def chart_of_main_measures(results: Results) -> Chart:
    """Return the chart of the main measure of each game, with all methods in colour."""
    contests = [contest for contest in results.measured if contest.measure == results.main_measures[contest.game]]
    return chart_of_contests(contests, highlight=dict.fromkeys(name for each in contests for name in each.tracks))


def _in_colour(contests: Sequence[Contest], highlight: int | Iterable[str]) -> list[str]:
    """Return the methods in colour: the named ones, or the best and the winners of games."""
    if isinstance(highlight, int):
        return most_interesting(contests, checked("highlight", highlight, whole(1)))
    if not isinstance(highlight, Iterable):
        raise SettingError(f"highlight must be a number of methods or their names, not {brief(highlight)}.")
    names = [highlight] if isinstance(highlight, str) else list(highlight)
    known = dict.fromkeys(method for contest in contests for method in contest.tracks)
    for name in names:
        if name not in known:
            raise UnknownNameError("method in the figure", name, known)
    return names
