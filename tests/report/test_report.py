"""Tables and figures show what was measured."""

import warnings
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest

import gamebench as gb
from gamebench.experiments.perform import description_of
from gamebench.report.charts import Chart, Line, Panel, chart_of
from gamebench.report.entries import Entry, entries_of
from gamebench.report.figures import FLOOR, LONGEST, check_figure, draw, save_figure, shown
from gamebench.report.tables import summarise


def entry(game, method, value, seed=0, measure="NashConv"):
    return Entry(game, method, seed, measure, {"last": {measure: value}}, run=None)


def test_the_best_of_each_game_is_marked_whichever_way_is_better():
    summary = summarise(
        [
            entry("Kuhn", "A", 0.2),
            entry("Kuhn", "B", 0.1),
            entry("Kuhn", "C", 0.1 + 5e-9),  # a tie
            entry("Market", "A", 3.0, measure="SocialWelfare"),
            entry("Market", "B", 2.0, measure="SocialWelfare"),
        ]
    )
    best = {key for key, score in summary.scores.items() if score.is_best}
    assert best == {("Kuhn", "B"), ("Kuhn", "C"), ("Market", "A")}
    assert summary.methods == ["A", "B", "C"]
    assert summary.measures == {"Kuhn": "NashConv", "Market": "SocialWelfare"}


def test_seeds_are_averaged_and_runs_without_the_measure_are_left_out():
    nothing = Entry("Kuhn", "B", 0, "NashConv", {"last": {"iteration": 3}}, run=None)
    summary = summarise([entry("Kuhn", "A", 0.1, seed=0), entry("Kuhn", "A", 0.4, seed=1), nothing])
    score = summary.scores["Kuhn", "A"]
    assert (score.mean, score.seeds) == (0.25, 2)
    assert summary.methods == ["A"]


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
def entries(outcome):
    runs = [(outcome.store.run(plan.id), description_of(plan), outcome.records[plan.id]) for plan in outcome.plans]
    return entries_of(runs)


def test_methods_are_named_by_what_is_not_as_usual(entries):
    """The history that CMD has by default differs from game to game, which makes it no other method."""
    assert list(dict.fromkeys(entry.method for entry in entries)) == ["GMD", "GMD convex=x^2", "CMD"]
    assert [entry.game for entry in entries[::4]] == ["Kuhn-A", "Leduc", "kuhn_poker"]  # the paper's games first


def test_the_lines_of_a_figure_are_the_curves(entries):
    figure = draw(chart_of(entries))
    panels = [panel for panel in figure.axes if panel.axison]
    assert [panel.get_title() for panel in panels] == ["Kuhn-A", "Leduc", "kuhn_poker"]
    assert [panel.get_ylabel() for panel in panels] == ["OptGap (payoff)", "NashConv (payoff)", "NashConv (payoff)"]
    assert {panel.get_xlabel() for panel in panels} == {"iterations"}
    for panel in panels:
        drawn = np.concatenate([line.get_ydata() for line in panel.get_lines()])
        assert panel.get_yscale() == ("log" if drawn.max() >= 10 * drawn.min() else "linear")
        lines = {line.get_label(): line for line in panel.get_lines()}
        assert list(lines) == ["GMD", "GMD convex=x^2", "CMD"]
        assert len({line.get_color() for line in lines.values()}) == 3
        for method, line in lines.items():
            runs = [one for one in entries if one.game == panel.get_title() and one.method == method]
            measured = np.mean([one.run.curve()[one.measure] for one in runs], axis=0)
            np.testing.assert_array_equal(line.get_xdata(), [0, 1, 2, 4, 8, 16, 20])
            np.testing.assert_allclose(line.get_ydata(), np.maximum(measured, FLOOR), rtol=1e-15)
        assert len(panel.collections) == 1  # only CMD has seeds, so only CMD has a band
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["GMD", "GMD convex=x^2", "CMD"]


@pytest.mark.parametrize("kind", ["png", "pdf", "svg"])
def test_figures_are_files_of_the_kind_that_is_asked_for(kind, entries, tmp_path):
    path = tmp_path / f"figure.{kind}"
    check_figure(path)
    save_figure(draw(chart_of(entries[:2])), path)
    begins = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}
    assert path.read_bytes().startswith(begins[kind])


STRANGE_NAMES = [
    "$x_{$",
    r"$\frac{$",
    "100 %s",
    "_hidden",
    "a\nb\x00\x1b",
    "half \ud800",
    "x" * 5000,
    "<&>",
    "{0}",
    "\\",
]


@pytest.mark.parametrize("kind", ["png", "pdf", "svg"])
def test_names_are_shown_as_they_are_whatever_is_in_them(kind, tmp_path):
    """A dollar sign is no formula, an underscore hides nothing, and no file breaks."""
    lines = tuple(Line(name, np.array([[0.0, 1.0]]), np.array([[1.0, 0.5]])) for name in STRANGE_NAMES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = draw(Chart("iterations", tuple(Panel(name, name, lines) for name in STRANGE_NAMES)))
        save_figure(figure, tmp_path / f"figure.{kind}")
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [shown(name) for name in STRANGE_NAMES]
    assert [shown(name).strip() for name in STRANGE_NAMES[:4]] == STRANGE_NAMES[:4]
    assert max(len(shown(name)) for name in STRANGE_NAMES) <= LONGEST
    if kind == "svg":
        ElementTree.parse(tmp_path / "figure.svg")


def test_fonts_in_a_pdf_are_true_type(entries, tmp_path):
    with mpl.rc_context({"pdf.compression": 0}):
        save_figure(draw(chart_of(entries[:2])), tmp_path / "figure.pdf")
    written = (tmp_path / "figure.pdf").read_bytes()
    assert b"/TrueType" in written or b"/CIDFontType2" in written
    assert b"/Type3" not in written


def test_a_figure_gives_the_same_bytes_whatever_was_written_before(entries, tmp_path):
    figure = draw(chart_of(entries[:2]))
    kinds = ["png", "pdf", "svg"]
    for round_ in ("first", "second"):
        for kind in kinds:
            save_figure(figure, tmp_path / f"{round_}.{kind}")
    for kind in kinds:
        assert (tmp_path / f"first.{kind}").read_bytes() == (tmp_path / f"second.{kind}").read_bytes()


def test_figures_that_cannot_be_written(tmp_path):
    with pytest.raises(gb.StoreError, match=r"ends in \.png, \.pdf, \.svg, unlike 'figure\.doc'"):
        check_figure(tmp_path / "figure.doc")
    with pytest.raises(gb.StoreError, match="There is no folder"):
        check_figure(tmp_path / "none" / "figure.png")
