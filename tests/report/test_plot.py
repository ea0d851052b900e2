"""``gb.plot``: what is drawn, of which results, and that nothing is cut or covered."""

import warnings

import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg

import gamebench as gb
from gamebench.core.choices import Spread
from gamebench.report.figures import OTHERS, SETTINGS, draw
from gamebench.report.plot import chart_of_contests
from gamebench.report.tracks import Contest, Track, band

POINTS = np.array([0.0, 1, 2, 4, 8])
CATEGORIES = ("single-agent", "cooperative", "zero-sum", "general-sum", "mixed")


def contest(game, methods, category="other", seeds=3, measure="NashConv"):
    """A contest in which each method is better than the one before it."""
    tracks = {}
    for index, method in enumerate(methods):
        values = np.array([2 * (1 + POINTS) ** (-0.2 - index) * (1 + 0.1 * seed) for seed in range(seeds)])
        times = {name: np.tile(POINTS, (seeds, 1)) for name in ("iteration", "seconds", "policies_evaluated")}
        tracks[method] = Track(game, method, measure, tuple(range(seeds)), times, values)
    return Contest(game, category, measure, True, tracks)


def names(count, length=0):
    return [f"M{index}".ljust(length, "x") for index in range(count)]


def assert_nothing_is_cut_or_covered(figure, dpi):
    figure.dpi = dpi
    renderer = FigureCanvasAgg(figure).get_renderer()
    panels = [ax.get_tightbbox(renderer) for ax in figure.axes if ax.axison]
    [legend] = [legend.get_window_extent(renderer) for legend in figure.legends]
    texts = [text.get_window_extent(renderer) for text in figure.texts if text.get_text()]
    for box in (legend, *panels, *texts):
        assert box.x0 >= 0
        assert box.y0 >= 0
        assert box.x1 <= figure.bbox.width
        assert box.y1 <= figure.bbox.height
    assert not any(legend.overlaps(panel) for panel in panels)
    assert not any(text.overlaps(box) for text in texts for box in (legend, *panels))
    assert not any(one.overlaps(other) for one in panels for other in panels if one is not other)


def test_legends_are_inside_the_figure_and_outside_the_panels():
    """For any number of methods, panels and letters; warnings are errors here."""
    for methods, length, panels, options in (
        (5, 0, 3, {"title": "A title"}),
        (8, 60, 1, {"title": "A long title " * 9}),
        (9, 30, 4, {"width": 9.0}),
        (24, 60, 7, {"columns": 3}),
    ):
        contests = [
            contest(f"game_{number}(a={number},b=[1,2,3])".ljust(length, "x"), names(methods, length), category)
            for number, category in zip(range(panels), CATEGORIES * 3, strict=False)
        ]
        figure = draw(chart_of_contests(contests, **options))
        with rc_context(SETTINGS):
            for dpi in (220, 110):
                assert_nothing_is_cut_or_covered(figure, dpi)
        if "width" in options:
            assert figure.get_figwidth() == options["width"]


def test_the_best_eight_of_many_methods_are_in_colour_and_the_legend_stands_beside():
    figure = draw(chart_of_contests([contest("a", names(24)), contest("b", names(24))]))
    [legend] = figure.legends
    best = names(24)[:15:-1]
    assert [text.get_text() for text in legend.get_texts()] == [*best, OTHERS]
    renderer = FigureCanvasAgg(figure).get_renderer()
    right = max(ax.get_tightbbox(renderer).x1 for ax in figure.axes)
    assert legend.get_window_extent(renderer).x0 > right
    for ax in figure.axes:
        colours = [line.get_color() for line in ax.get_lines() if line.get_label() != OTHERS]
        assert len(colours) == 8
        assert len(ax.collections) == 24  # grey lines have bands, too
    by_name = chart_of_contests([contest("a", names(3))], highlight=["M1"])
    assert by_name.muted == {"M0", "M2"}


def test_categories_stand_in_columns_if_these_have_the_same_length():
    games = [contest(f"{category} {number}", ["A"], category) for category in CATEGORIES for number in (1, 2)]
    chart = chart_of_contests(games)
    assert (chart.headings, chart.columns) == (CATEGORIES, 5)
    assert [panel.title for panel in chart.panels[:6]] == [*(f"{name} 1" for name in CATEGORIES), "single-agent 2"]
    assert chart_of_contests(games[:-1]).headings == ()
    assert chart_of_contests(games, columns=3).headings == ()
    assert [chart_of_contests(games[:2] * count).columns for count in (1, 3)] == [2, 3]


def test_bands_show_the_spread_that_is_asked_for():
    values = np.array([[4.0, 1.0], [2.0, 2.0], [9.0, 4.0], [1.0, 3.0]])
    track = Track("g", "m", "NashConv", (0, 1, 2, 3), {"iteration": np.tile([0.0, 1.0], (4, 1))}, values)
    mean, sd = values.mean(axis=0), np.sqrt(((values - values.mean(axis=0)) ** 2).sum(axis=0) / 3)
    for spread, expected in {
        Spread.RANGE: ([1, 1], [9, 4]),
        Spread.STD: (mean - sd, mean + sd),
        Spread.IQR: ([1.75, 1.75], [5.25, 3.25]),
        Spread.CI: (mean - 3.182446305284263 * sd / 2, mean + 3.182446305284263 * sd / 2),  # t(3), from a table
    }.items():
        np.testing.assert_allclose(band(track.values, spread), expected, rtol=1e-12)
        np.testing.assert_array_equal(band(values[2:3], spread), [values[2], values[2]])
        chart = chart_of_contests([Contest("g", "other", "NashConv", True, {"m": track})], spread=spread, log_y=False)
        [polygon] = draw(chart).axes[0].collections
        for x, low, high in zip((0, 1), *expected, strict=True):
            ys = [y for at, y in polygon.get_paths()[0].vertices if at == x]
            np.testing.assert_allclose([min(ys), max(ys)], [low, high], rtol=1e-12)


def test_axes_can_be_chosen():
    figure = gb.plot(gb.solve("Kuhn", "CFR+", 64), x="policies", log_x=False, log_y=False)
    [ax] = figure.axes
    assert (ax.get_xscale(), ax.get_yscale(), ax.get_xlabel()) == ("linear", "linear", "joint policies evaluated")
    [line] = ax.get_lines()
    assert line.get_xdata()[-1] == 64
    [ax] = gb.plot(gb.solve("matrix_mp", "CFR+", 4)).axes  # solved from the start
    assert (ax.get_yscale(), ax.get_lines()[0].get_ydata().tolist()) == ("linear", [0.0] * 4)


def test_the_x_axis_is_joint_policies_if_methods_differ_in_them():
    cfr, plus = gb.solve("Kuhn", "CFR", 8), gb.solve("Kuhn", "CFR+", 16)
    cmd = gb.solve("Kuhn", "CMD", 32)  # whose controller evaluates several in some iterations
    for source, options, label in (
        ([cfr, plus], {}, "iterations"),
        ([cfr, cmd], {}, "joint policies evaluated"),
        ([cfr, cmd], {"methods": "CMD"}, "iterations"),
        ([cfr, cmd], {"x": "iterations"}, "iterations"),
        ([cfr, plus], {"x": "policies"}, "joint policies evaluated"),
        ([cfr, cmd, gb.solve("Leduc", "CFR", 8)], {}, "joint policies evaluated"),  # one axis for all panels
    ):
        figure = gb.plot(source, **options)
        assert {ax.get_xlabel() for ax in figure.axes if ax.axison} == {label}


def test_a_figure_shows_itself_in_a_notebook_and_saves_without_warnings(tmp_path):
    figure = gb.plot({"a$b_": gb.solve("Kuhn", "CFR+", 8)})
    picture, size = figure._repr_png_()
    assert picture.startswith(b"\x89PNG")
    assert size["width"] > size["height"] > 100
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in ("pdf", "svg"):
            figure.savefig(tmp_path / f"figure.{kind}")
            figure.savefig(tmp_path / f"tight.{kind}", bbox_inches="tight")
    assert b"/Type3" not in (tmp_path / "figure.pdf").read_bytes()


def test_options_that_make_no_sense():
    result = gb.solve("Kuhn", "CFR+", 2)
    for options, sentence in (
        ({"x": "iteration"}, "There is no x axis called 'iteration'; did you mean 'iterations'"),
        ({"spread": "sd"}, "There is no spread called 'sd'; did you mean 'std'"),
        ({"highlight": 0}, "highlight must be a whole number of at least 1"),
        ({"highlight": None}, "highlight must be a number of methods or their names"),
        ({"highlight": ["CFR"]}, "There is no method in the figure called 'CFR'; did you mean 'CFR\\+'"),
        ({"columns": 0}, "columns must be a whole number of at least 1"),
        ({"width": 0.5}, "The figure must be 1.1 inches wider\\."),
        ({"games": "Leduc"}, "There is no game among the results called 'Leduc'; available: Kuhn"),
        ({"methods": []}, "The methods to show must be names"),
    ):
        with pytest.raises(gb.errors.GameBenchError, match=sentence):
            gb.plot(result, **options)
