"""Figures show what was measured, and their files can be read by others."""

import warnings
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest

import gamebench as gb
from gamebench.report.charts import FLOOR, Chart, Panel
from gamebench.report.figures import LONGEST, check_figure, draw, save_figure, shown
from gamebench.report.plot import chart_of_main_measures
from gamebench.report.tracks import Track
from gamebench.runs.curve import TIMES
from tests.report.made_up_runs import results_of


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    sweep = {
        "games": ["Leduc", "kuhn_poker", "Kuhn-A"],
        "algorithms": [{"algorithm": "GMD", "set": {"convex": ["x ln x", "x^2"]}}, "CMD"],
        "iterations": 20,
        "seeds": 2,
    }
    return gb.sweep(sweep, tmp_path_factory.mktemp("report") / "store", executor="serial")


@pytest.fixture(scope="module")
def results(outcome):
    return results_of(outcome)


@pytest.fixture(scope="module")
def small_chart(results):
    return Chart(chart_of_main_measures(results).panels[:1])


def test_the_lines_of_a_figure_are_the_curves(results):
    figure = draw(chart_of_main_measures(results))
    panels = [panel for panel in figure.axes if panel.axison]
    assert [panel.get_title() for panel in panels] == ["Kuhn-A", "Leduc", "kuhn_poker"]
    assert [panel.get_ylabel() for panel in panels] == ["OptGap (payoff)", "NashConv (payoff)", "NashConv (payoff)"]
    assert {panel.get_xlabel() for panel in panels} == {"joint policies evaluated"}  # CMD evaluates several each time
    for panel in panels:
        drawn = np.concatenate([line.get_ydata() for line in panel.get_lines()])
        assert panel.get_yscale() == ("log" if drawn.max() >= 10 * drawn.min() else "linear")
        lines = {line.get_label(): line for line in panel.get_lines()}
        assert list(lines) == ["GMD convex='x ln x'", "GMD convex=x^2", "CMD"]
        assert len({line.get_color() for line in lines.values()}) == 3
        for method, line in lines.items():
            runs = [run for run in results.by_game[panel.get_title()] if run.method == method]
            measured = np.mean([run.stored.curve()[run.measure] for run in runs], axis=0)
            evaluated = np.mean([run.stored.curve()["policies_evaluated"] for run in runs], axis=0)
            np.testing.assert_array_equal(line.get_xdata(), evaluated)
            np.testing.assert_allclose(line.get_ydata(), np.maximum(measured, FLOOR), rtol=1e-15)
        assert len(panel.collections) == 1  # only CMD has seeds, so only CMD has a band
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["GMD convex='x ln x'", "GMD convex=x^2", "CMD"]


KINDS = ["png", "pdf", "svg"]
STRANGE_NAMES = ["$x_{$", "100 %s", "_hidden", "a\nb\x00\x1b", "half \ud800", "x" * 5000, "<&> {0}", "\\ \u56db"]


def test_names_are_shown_as_they_are_whatever_is_in_them(tmp_path):
    """A dollar sign is no formula, an underscore hides nothing, and no file breaks."""
    x = {"iteration": np.array([[0.0, 1.0]])}
    tracks = tuple(Track("", name, "", (0,), x, np.array([[1.0, 0.5]])) for name in STRANGE_NAMES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        names = zip(STRANGE_NAMES[:4], STRANGE_NAMES[4:], strict=True)
        figure = draw(Chart((Panel("all", "all", tracks), *(Panel(*each, tracks[:1]) for each in names))))
        for kind in KINDS:
            save_figure(figure, tmp_path / f"figure.{kind}")
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [shown(name) for name in STRANGE_NAMES]
    assert [shown(name).strip() for name in STRANGE_NAMES[:3]] == STRANGE_NAMES[:3]
    assert shown("\u56db \u03c8") == "\\u56db \u03c8"  # the font lacks the first
    assert max(len(shown(name)) for name in STRANGE_NAMES) <= LONGEST
    ElementTree.parse(tmp_path / "figure.svg")


def test_a_figure_gives_the_same_bytes_whatever_was_written_before(small_chart, tmp_path):
    figure = draw(small_chart)
    files = []
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        for kind in KINDS:
            check_figure(tmp_path / folder / f"figure.{kind}")
            save_figure(figure, tmp_path / folder / f"figure.{kind}")
        files.append([(tmp_path / folder / f"figure.{kind}").read_bytes() for kind in KINDS])
    assert files[0] == files[1]
    for content, beginning in zip(files[0], (b"\x89PNG", b"%PDF", b"<?xml"), strict=True):
        assert content.startswith(beginning)
    with mpl.rc_context({"pdf.compression": 0}):
        save_figure(figure, tmp_path / "figure.pdf")
    written = (tmp_path / "figure.pdf").read_bytes()
    assert b"/TrueType" in written or b"/CIDFontType2" in written
    assert b"/Type3" not in written


def test_figures_that_cannot_be_written(tmp_path):
    with pytest.raises(gb.errors.StoreError, match=r"must end in \.png, \.pdf, \.svg; got 'figure\.doc'"):
        check_figure(tmp_path / "figure.doc")
    with pytest.raises(gb.errors.StoreError, match="There is no folder"):
        check_figure(tmp_path / "none" / "figure.png")


def test_an_axis_with_a_single_power_of_ten_has_labels_between():
    times = {name: np.array([[0.0, 1.0]]) for name in TIMES}
    for values, labels in (
        ([0.4, 0.02], ["10⁻¹", "0.02", "0.05", "0.2"]),
        ([4e-6, 2e-7], ["10⁻⁶", "2·10⁻⁷", "5·10⁻⁷", "2·10⁻⁶"]),
    ):
        panel = Panel("g", "NashConv", (Track("g", "A", "NashConv", (0,), times, np.array([values])),))
        [ax] = draw(Chart((panel,))).axes
        low, high = ax.get_ylim()
        ticks = [*ax.yaxis.get_major_ticks(), *ax.yaxis.get_minor_ticks()]
        assert [tick.label1.get_text() for tick in ticks if low <= tick.get_loc() <= high] == labels
