"""Curves: columns that grow point by point, and their files."""

import numpy as np
import pandas
import pytest

import gamebench as gb
from gamebench.runs.curve import TIMES, Curve


def test_a_curve_made_of_columns_is_the_one_that_grew():
    grown, made = Curve(), Curve({"iteration": [0, 1], "NashConv": [2, 0.5]})
    for row in ({"iteration": 0, "NashConv": 2.0}, {"iteration": 1, "NashConv": 0.5}):
        grown.add(row)
    for curve in (grown, made):
        assert (curve.num_points, list(curve), curve.measures) == (2, ["iteration", "NashConv"], ["NashConv"])
        assert curve.last == {"iteration": 1, "NashConv": 0.5}
        assert [type(value) for value in curve.last.values()] == [int, float]  # JSON takes them as they are
        assert (curve["iteration"].dtype, curve["NashConv"].dtype) == (np.int64, np.float64)
    assert grown.to_parquet({}) == made.to_parquet({})


def test_a_curve_that_was_read_can_grow(tmp_path):
    """As when a run resumes from a checkpoint; arrays handed out earlier do not change."""
    path = tmp_path / "curve.parquet"
    Curve({"iteration": [0], "NashConv": [2.0]}, about={"game": "Kuhn"}).save(path)
    curve = Curve.load(path)
    before = curve["NashConv"]
    curve.add({"iteration": 1, "NashConv": 0.5})
    assert (before.tolist(), curve["NashConv"].tolist()) == ([2.0], [2.0, 0.5])
    assert curve.about == {"game": "Kuhn"}


def test_columns_of_different_lengths_are_no_curve():
    with pytest.raises(gb.errors.GameBenchError, match=r"^The columns of a curve have different lengths\.$"):
        Curve({"iteration": [0, 1], "NashConv": [1.0]})


def test_a_data_frame_makes_a_curve():
    columns = {"iteration": [0, 100], "NashConv": [1, 0.25]}
    expected = Curve(columns)
    for given in (
        pandas.DataFrame(columns),
        pandas.DataFrame({"iteration": [0.0, 100.0], "NashConv": [1, 0.25]}),
        expected,
    ):
        curve = Curve(given)
        assert curve.to_parquet({}) == expected.to_parquet({})
        assert curve["iteration"].dtype == np.int64
    assert expected.to_pandas().equals(Curve(expected.to_pandas()).to_pandas())


NO_CURVES = {
    "The columns of a curve must be a dict or a data frame, not list.": [1.0, 0.5],
    "The columns of a curve must be a dict or a data frame, not str.": "curve.parquet",
    "The column names of a curve must be strings, not 0.": pandas.DataFrame([[1.0]]),
    "The column 'game' of a curve must hold numbers, one for each point.": pandas.DataFrame({"game": ["Kuhn"]}),
    "The column 'NashConv' of a curve must hold numbers, one for each point.": {"NashConv": [[1.0], [0.5]]},
    "The column 'iteration' of a curve must hold whole numbers, one for each point.": {"iteration": [0, np.nan]},
}


@pytest.mark.parametrize("sentence", NO_CURVES)
def test_what_is_no_curve_is_refused(sentence):
    with pytest.raises(gb.errors.GameBenchError) as refusal:
        Curve(NO_CURVES[sentence])
    assert str(refusal.value) == sentence


def test_arguments_of_a_wrong_type_are_refused():
    with pytest.raises(gb.errors.GameBenchError, match=r"^about= of a curve takes a dict, not int\.$"):
        Curve({}, 5)
    for call in (Curve.load, Curve().save):
        with pytest.raises(gb.errors.GameBenchError, match=r"^path must be the path of a file, not 5\.$"):
            call(5)


def test_an_empty_curve():
    curve = Curve()
    assert (curve.num_points, curve.last, curve.measures, curve.weights, len(curve)) == (0, {}, [], [], 0)
    with pytest.raises(KeyError, match="no column 'NashConv'"):
        curve["NashConv"]


def test_a_curve_hands_out_copies(tmp_path):
    gb.solve("Kuhn", "CFR", 4).curve.save(tmp_path / "curve.parquet")
    curve = Curve.load(tmp_path / "curve.parquet")
    curve["NashConv"][:] = 0.0
    assert (curve["NashConv"] > 0).all()
    values = np.arange(8.0).reshape(4, 2)[:, 0]
    strided = Curve({"iteration": [0, 1, 2, 3], "f": values})
    values[:] = 7.0
    assert strided["f"].tolist() == [0, 2, 4, 6]
    assert strided.to_parquet({})


def test_brackets_in_the_names_of_measures_mean_nothing():
    """Only the names of iterates do: a user's measure may have brackets in its name."""
    measure = gb.own_measure(lambda game, policy: 1.0, "gain [euro]")
    curve = gb.solve("Kuhn", "CFR+", 2, measures=[measure, "NashConv"], iterates=["current"]).curve
    assert curve.measures == ["gain [euro]", "NashConv"]
    assert curve.iterates == ["current"]
    assert list(curve.of_iterate("current")) == [*TIMES, *curve.measures]
    with pytest.raises(gb.errors.MeasureError, match=r"cannot be called 'gain \[best\]'"):
        gb.solve("Kuhn", "CFR+", 2, measures=[gb.own_measure(lambda game, policy: 1.0, "gain [best]")])
