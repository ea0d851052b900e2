"""Experiments on the command line: the numbers behind each panel, the figures, the tables, and mistakes."""

import random
import shutil
from functools import cache

import numpy as np
import pandas
import pytest

import gamebench as gb
from gamebench.core.choices import AXES
from gamebench.evidence.exhibits import Curves, Weights
from gamebench.evidence.experiments import EXPERIMENTS
from gamebench.evidence.methods import GAMES, Scale, recorded
from gamebench.evidence.reproduction import read_provenance, scale_of
from gamebench.report.charts import FLOOR, FLOOR_LABEL
from gamebench.report.figures import compose, looks_of
from tests.cli.commands import assert_one_sentence, gamebench, plain_rows, snapshot
from tests.evidence.conftest import ITERATIONS, NAMES, SEEDS, reproduce

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("paper")]
EXHIBITS = {exhibit.name: exhibit for name in NAMES for exhibit in EXPERIMENTS[name].exhibits}
CURVES = [exhibit for exhibit in EXHIBITS.values() if isinstance(exhibit, Curves)]
WEIGHTS = [exhibit for exhibit in EXHIBITS.values() if isinstance(exhibit, Weights)]
DRAWN = [EXHIBITS[name] for name in ("summary", "seconds", "cce-methods", "welfare", "teams", "alpha-mixed")]
"""Figures of each kind: of all games or of some, of several measures, of weights."""
POINTS = [0, 1, 2, 3, 4, 6, 8, 11, 12]


def by_name(exhibit):
    return exhibit.name


@pytest.fixture(scope="module")
def charts(paper):
    """The charts of figures by name, each made once."""
    return cache(lambda name: EXHIBITS[name].chart(paper.evidence))


def numbers(paper, name):
    return pandas.read_csv(paper.folder / "numbers" / f"{name}.csv", keep_default_na=False)


def points_of(method):
    """Where its curves are measured: at every iteration of the second half, if the method is dense."""
    return sorted({*POINTS, *range(ITERATIONS // 2, ITERATIONS + 1)}) if method.tail_points else POINTS


def own_curve(game, method, seed):
    """The same run by an independent path, without the store and the experiments."""
    measures = list(method.measured or recorded(game))
    return gb.solve(
        game,
        method.algorithm,
        ITERATIONS,
        seed=seed,
        measures=measures,
        checkpoints=points_of(method),
        **method.settings,
    ).curve


def test_the_names_of_the_experiments():
    """Every figure and table of the paper's experiments, and ours."""
    assert list(EXPERIMENTS) == [
        *("games", "convex", "hyperparameters", "summary", "joint-actions", "history-radius", "heuristics"),
        *("controllers", "alpha", "bregman", "magnet", "cce", "welfare", "welfare-dense", "runtime", "memory"),
        *("step-size", "field", "alternating", "teams"),
    ]
    assert Scale() == Scale(iterations=100_000, seeds=3)
    assert Scale(ITERATIONS).points == POINTS
    assert set(Scale().points) >= {0, 100_000, *(2**power for power in range(17))}


@pytest.mark.parametrize("exhibit", CURVES, ids=by_name)
def test_the_numbers_behind_curves(exhibit, paper):
    """Panels, methods, seeds and points match the data, and values match those of a separate run."""
    table = numbers(paper, exhibit.name)
    x = AXES[exhibit.x].label
    assert list(table) == ["panel", "measure", "method", "about", "seed", x, "value"]
    wanted = {(game, measure or recorded(game)[0]) for game in exhibit.games for measure in exhibit.measures}
    assert set(table[["panel", "measure"]].itertuples(index=False, name=None)) == wanted
    for _, panel in table.groupby(["panel", "measure"]):
        assert list(dict.fromkeys(panel["method"])) == [method.label for method in exhibit.methods]
        for method in exhibit.methods:
            rows = panel[panel["method"] == method.label]
            is_random = method.algorithm == "CMD"
            assert sorted(set(rows["seed"])) == list(range(SEEDS * method.repeats if is_random else 1))
            assert len(rows) == len(points_of(method)) * rows["seed"].nunique()
    random.seed(exhibit.name)
    for game, measure in random.sample(sorted(wanted), min(2, len(wanted))):
        method = random.choice(exhibit.methods)
        seed = SEEDS - 1 if method.algorithm == "CMD" else 0
        rows = table.query("panel == @game and measure == @measure and method == @method.label and seed == @seed")
        curve = own_curve(game, method, seed)
        np.testing.assert_allclose(rows["value"], curve[measure], rtol=1e-15)
        if exhibit.x != "seconds":
            np.testing.assert_array_equal(rows[x], curve[exhibit.x])
        else:
            assert (np.diff(rows[x]) > 0).all()


@pytest.mark.parametrize("exhibit", WEIGHTS, ids=by_name)
def test_the_numbers_behind_weights(exhibit, paper):
    """Index 0 is the magnet, and index 1 the latest policy."""
    table = numbers(paper, exhibit.name)
    for game in exhibit.games:
        for method in exhibit.methods:
            rows = table[table["panel"] == f"{game}, {method.label}"]
            curve = own_curve(game, method, 1)
            labels = ["alpha[0] (magnet)", *(f"alpha[{index}]" for index in range(1, len(_alphas(curve))))]
            assert list(dict.fromkeys(rows["method"])) == labels
            for label, name in zip(labels, _alphas(curve), strict=True):
                line = rows[(rows["method"] == label) & (rows["seed"] == 1)]
                np.testing.assert_allclose(line["value"], curve[name], rtol=1e-15)
    assert paper.evidence.curves("Kuhn", exhibit.methods[0])[0].weights[0] == "alpha_magnet"


def _alphas(curve):
    return ["alpha_magnet", *sorted(name for name in curve if name.startswith("alpha_") and name != "alpha_magnet")]


@pytest.mark.parametrize("exhibit", DRAWN, ids=by_name)
def test_figures_draw_those_numbers(exhibit, paper, charts):
    chart = charts(exhibit.name)
    table = numbers(paper, exhibit.name)
    figure = compose(chart)
    axes = [ax for ax in figure.axes if ax.axison]
    titles = [ax.get_title() for ax in axes]
    assert titles == [panel.title for panel in chart.panels]
    for ax, panel in zip(axes, chart.panels, strict=True):
        rows = table[(table["panel"] == panel.title) & (table["measure"] == panel.y_label)]
        lines = {line.get_label(): line for line in ax.get_lines() if line.get_label() != FLOOR_LABEL}
        assert (len(lines) < len(ax.get_lines())) == bool(panel.floor)
        assert list(lines) == list(dict.fromkeys(rows["method"]))
        assert ax.get_ylabel().startswith(panel.y_label)
        bands = 0
        for label, line in lines.items():
            drawn = np.array([run for _, run in rows[rows["method"] == label].groupby("seed")["value"]])
            is_cut = ax.get_yscale() == "log" and (drawn > -FLOOR).all()
            mean = np.maximum(drawn.mean(axis=0), FLOOR) if is_cut else drawn.mean(axis=0)
            np.testing.assert_allclose(line.get_ydata(), mean, rtol=1e-12)
            bands += len(drawn) > 1
        assert len(ax.collections) == bands  # none for deterministic methods
        looks = {(line.get_color(), line.get_marker(), line.get_linestyle()) for line in lines.values()}
        assert len(looks) == len(lines)
    assert axes[-1].get_xlabel() == chart.x_label
    [legend] = figure.legends
    floors = [FLOOR_LABEL] if any(panel.floor for panel in chart.panels) else []
    assert [text.get_text() for text in legend.get_texts()] == [*chart.labels, *floors]
    assert f"mean and range of {SEEDS} " in figure.get_supxlabel()  # some have further seeds
    width, _ = figure.get_size_inches()
    assert width <= 7.8  # a page
    for kind, begins in (("png", b"\x89PNG"), ("pdf", b"%PDF")):
        assert (paper.folder / "figures" / f"{exhibit.name}.{kind}").read_bytes().startswith(begins)


def test_a_method_looks_the_same_in_every_figure(charts):
    looks = {}
    for exhibit in CURVES:
        chart = charts(exhibit.name)
        for label, look in looks_of(chart).items():
            looks.setdefault(chart.styles_of.get(label, label), set()).add(look)
    six = ("CMD", "GMD", "MMD-KL", "MMD-EU", "CFR", "CFR+")
    assert all(len(looks[name]) == 1 for name in six)
    assert len({looks[name].pop().colour for name in six}) == 6


def test_the_table_of_games(paper):
    table = numbers(paper, "games").set_index("game")
    assert list(table.index) == list(GAMES)
    assert (table["decision points"] == table["paper's"]).all()
    assert table.loc["Leduc", "decision points"] == 936


def test_the_table_of_convex_functions(paper):
    """The derivatives in the paper lack factors, which show as ratios."""
    table = numbers(paper, "convex").set_index("example")
    ratios = table["the paper's derivative / the true one"].to_dict()
    assert ratios == {"x ln x": "1.0", "x^2": "2.0", "-x^0.1": "0.1", "e^(2x)": "2.0", "-ln x": ""}
    lines = numbers(paper, "convex-functions")
    x, psi = (lines[lines["panel"] == "-x^0.1"][name] for name in ("x", "value"))
    np.testing.assert_allclose(psi, -(x**0.1), rtol=1e-12)
    assert set(lines["panel"]) == {"x ln x", "x^2", "-x^0.1", "e^x", "-ln x"}


def test_the_table_of_hyperparameters(paper):
    table = numbers(paper, "hyperparameters").set_index("game")
    assert table["M"].to_dict() | {} == dict(zip(GAMES, [1, 1, 1, 3, 1, 1, 5, 3, 3, 5, 1, 1, 1, 1, 1], strict=True))
    small = {"Kuhn", "Goofspiel", "TradeComm", "MCCKuhn-A", "MCCKuhn-B", "MCCGoofspiel"}
    assert set(table.index[table["mu"] == 0.01]) == small
    assert set(table.index[table["mu"] == 0.05]) == set(GAMES) - small


def test_the_tables_of_costs(paper):
    """Only ``make bench`` compares times."""
    for name, column, papers in (("runtime", "seconds", 6.8897), ("memory", "MB", 59.063)):
        table = numbers(paper, name)
        assert len(table) == 150
        assert (table[column] > 0).all()
        leduc = table[table["game"] == "Leduc"].set_index("method")
        assert leduc.loc["DRS", "paper's"] == papers
        if name == "memory":
            assert leduc.loc["DRS", column] > leduc.loc["GMD", column] > leduc.loc["CFR", column]
        else:
            assert leduc.loc["CFR", "seconds with an update"] == leduc.loc["CFR", "seconds"]


def test_files_are_listed_and_where_they_come_from_is_written_down(paper):
    rows = plain_rows(paper.stdout)
    assert {row["experiment"] for row in rows} == set(NAMES)
    assert all((paper.folder / row["file"]).is_file() for row in rows)
    known = read_provenance(paper.folder)
    assert list(known) == NAMES
    assert {one["iterations"] for one in known.values()} == {ITERATIONS}
    summary = known["summary"]
    assert (summary["iterations"], summary["seeds"], summary["runs"]) == (ITERATIONS, SEEDS, 105)
    assert 0 < summary["seconds in algorithms"] < 2 * summary["seconds elapsed"]
    assert summary["versions"]["gamebench"] == gb.__version__


def test_again_nothing_is_run_and_the_files_are_the_same(paper):
    before = {path: path.read_bytes() for path in paper.folder.glob("*/alternating.*")}
    assert len(before) == 3
    known, runs = read_provenance(paper.folder), snapshot(paper.folder / "runs")
    process = reproduce("alternating", "--out", paper.folder)
    assert process.returncode == 0
    assert "Finished already" in process.stderr
    assert snapshot(paper.folder / "runs") == runs
    assert {path: path.read_bytes() for path in before} == before
    assert read_provenance(paper.folder) == known


def test_provenance_is_written_again_if_it_is_lost_or_the_scale_is_another(one_experiment, tmp_path):
    """A command may be killed at any time, and a folder may have several scales: the last one counts."""
    folder = tmp_path / "f"

    def done(iterations):
        scale = ("--iterations", iterations, "--seeds", 1)
        process = gamebench("reproduce", "Alternating", *scale, "--out", folder)
        assert process.returncode == 0, process.stderr
        return process.stderr

    shutil.copytree(one_experiment, folder)
    (folder / "provenance.json").unlink()
    assert "Finished already" in done(2)
    assert scale_of(folder) == Scale(2, 1)
    assert "were made at another scale (Scale(iterations=2, seeds=1)); replacing them" in done(4)
    assert scale_of(folder) == Scale(4, 1)
    table = pandas.read_csv(folder / "numbers" / "alternating.csv")
    assert table["iterations"].max() == 4
    for damaged in ('{"x": {"runs": 3}}', '{"teams": {"runs": 3, "iterations": "a", "seeds": 1}}', "[]", "{"):
        (folder / "provenance.json").write_text(damaged)
        assert scale_of(folder) is None
    assert_one_sentence(gamebench("claims", folder), 2)


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["sumary"], 2, "summary"),
        (["sumary", "all"], 2, "summary"),
        (["summary", "--iterations", "0"], 2, "Invalid value for '--iterations' / '-n': "),
        (["summary", "--seeds", "-1"], 2, "Invalid value for '--seeds': "),
        (["summary", "--workers", "0"], 2, "workers"),
    ],
)
def test_mistakes_cost_a_sentence_and_nothing_is_made(args, code, words, tmp_path):
    process = gamebench("reproduce", *args, "--out", tmp_path / "new")
    assert_one_sentence(process, code)
    assert words in process.stderr
    assert not (tmp_path / "new").exists()
