"""The experiment ``field`` on made-up runs: its games, its leaderboards, its figures."""

import pytest

import gamebench as gb
from gamebench.evidence.exhibits import Curves
from gamebench.evidence.experiments import EXPERIMENTS, FIELD_METHODS, IN_COLOUR, LEADERBOARDS, RECORDED, of_field
from gamebench.evidence.methods import FIELD, GAMES, LONGEST, Scale
from gamebench.games.catalogue import FIELD_GAMES
from gamebench.report.charts import FLOOR_LABEL
from gamebench.report.figures import OTHERS, compose
from tests.evidence.made_up import race

FIRST, SECOND = of_field("PDCFR+"), of_field("CFR+")
FIGURES = {exhibit.name: exhibit for exhibit in EXPERIMENTS["field"].exhibits if isinstance(exhibit, Curves)}


def test_algorithms_run_on_the_fifteen_games_and_eight_more():
    assert [method.algorithm for method in FIELD_METHODS] == [method.label for method in FIELD_METHODS]
    assert {method.algorithm for method in FIELD_METHODS} <= {*gb.algorithms.ALGORITHMS}
    assert FIELD[: len(GAMES)] == GAMES
    assert {*FIELD} <= {*GAMES, *FIELD_GAMES}
    assert len({*FIELD}) == 23


def test_large_games_have_fewer_iterations():
    scale = Scale()
    for game, longest in LONGEST.items():
        [spec] = scale.runs(game, FIRST)
        assert spec.iterations == longest == spec.checkpoints[-1]
        assert spec.iterates == RECORDED
    assert {scale.iterations_on(game) for game in FIELD if game not in LONGEST} == {100_000}
    assert Scale(iterations=64).iterations_on("Leduc-3") == 64


@pytest.mark.parametrize("iterate", LEADERBOARDS)
def test_the_first_of_a_race_leads_the_leaderboard(iterate):
    board = LEADERBOARDS[iterate].board(race(FIRST, SECOND), "policies_evaluated")
    assert list(board.games) == list(FIELD)
    *tied, third = board.standings[:3]  # at the end both have solved all games
    assert {(row.method, row.games, row.won) for row in tied} == {("PDCFR+", 23, 23), ("CFR+", 23, 23)}
    times = {row.method: row.reached[1e-9].time for row in tied}
    assert times["PDCFR+"] < times["CFR+"]
    assert third.won == 0


def test_a_leaderboard_as_a_table():
    table = LEADERBOARDS[""].rows(race(FIRST))
    assert len(table) == 3 * len(FIELD_METHODS)
    assert set(table["by"]) == {"iterations", "joint policies", "seconds"}
    assert table.groupby("by")["method"].first().tolist() == ["PDCFR+"] * 3


@pytest.mark.parametrize("name", ["field", "field-current"])
def test_some_methods_are_in_colour_and_all_others_grey(name):
    chart = FIGURES[name].chart(race(FIRST, SECOND))
    assert [panel.title for panel in chart.panels][-1] == FIGURES[name].games[-1]
    assert {*chart.labels} - chart.muted == {*IN_COLOUR}
    figure = compose(chart)
    [legend] = figure.legends
    floors = [panel for panel in chart.panels if panel.floor]
    labels = [*IN_COLOUR, OTHERS, *([FLOOR_LABEL] if floors else [])]
    assert [text.get_text() for text in legend.get_texts()] == labels
    for axes, panel in zip(figure.axes, chart.panels, strict=False):
        assert len(axes.get_lines()) - bool(panel.floor) == len(panel.tracks) == len(FIELD_METHODS)
