"""Search spaces: the ranges that hyper-parameters declare, and those that users write."""

import math

import numpy as np
import pytest

import gamebench as gb
from gamebench.core.settings import Search, real, setting, whole
from gamebench.experiments.search_space import num_points, rounded, search_space
from gamebench.experiments.yaml_data import assignment, assignments

SEARCHED = [
    (kind, parameter)
    for kind in (*gb.algorithms.ALGORITHMS.values(), *gb.controllers.CONTROLLERS.values())
    for parameter in kind.settings()
    if parameter.metadata["search"]
]


def test_search_ranges_lie_within_the_constraint_and_contain_the_default():
    for kind, parameter in SEARCHED:
        check, search, default = (*(parameter.metadata[name] for name in ("check", "search")), parameter.default)
        if isinstance(search, Search):
            assert type(check(search.low)) is type(check(search.high)), kind
            assert default is None or search.low <= default <= search.high, kind
        else:
            assert [check(value) for value in search] == list(search), kind
            assert default is None or default in search, kind


def test_every_algorithm_can_be_tuned():
    spaces = {name: search_space(algorithm, None, ()) for name, algorithm in gb.algorithms.ALGORITHMS.items()}
    assert list(spaces["MMD-KL"]) == ["regularisation", "step_size", "magnet_rate"]
    assert list(spaces["CMD"]) == ["history", "magnet_rate", "interval", "radius"]
    assert spaces["CMD"]["interval"] == Search(1, 100, log=True)
    assert spaces["CFR+"] == {"alternating": (False, True)}
    assert all(spaces.values())


def test_what_varies_can_be_written_in_many_ways():
    for vary, expected in [
        ("step_size", Search(1e-3, 100.0, log=True)),
        (["step_size=0.5..2"], Search(0.5, 2.0, log=True)),  # with the hyper-parameter's own scale
        ([" step_size = 1e-3..1e2 "], Search(1e-3, 100.0, log=True)),
        (["step_size=[1, 2, 1]"], (1, 2)),
        ({"step_size": None}, Search(1e-3, 100.0, log=True)),
        ({"step_size": (1, 2)}, Search(1.0, 2.0, log=True)),
        ({"step_size": np.array([1, 2])[:2].tolist()}, (1, 2)),
        ({"step_size": Search(1, 200)}, Search(1.0, 200.0)),
        ({"step_size": "1..2"}, Search(1.0, 2.0, log=True)),
        ("epsilon=1e-10..1e-2", Search(1e-10, 1e-2, log=True)),  # it has no scale of its own
        ("epsilon=1e-3..1e-2", Search(1e-3, 1e-2)),
        ("convex=[x ln x, x^2]", ("x ln x", "x^2")),
        ("projection=[clip, exact]", ("clip", "exact")),
    ]:
        [found] = search_space(gb.algorithms.MD, vary, ()).values()
        assert found == expected, vary
        assert isinstance(found, tuple) or found.is_whole == expected.is_whole, vary


def test_what_varies_comes_in_the_order_of_the_declarations():
    space = search_space(gb.algorithms.CMD, ["radius", "history=1..3", "weight_floor=1e-8..0.1"], ["interval"])
    assert list(space) == ["history", "radius", "weight_floor"]
    assert space["history"].is_whole
    assert list(search_space(gb.algorithms.CMD, None, ["history", "convex"])) == ["magnet_rate", "interval", "radius"]


def test_whole_and_finite_spaces_are_counted():
    assert num_points({"a": Search(1, 5), "b": ("x", "y")}) == 10
    assert num_points({"a": Search(1, 5), "b": Search(0.0, 1.0)}) == math.inf


def test_numbers_are_rounded_within_their_range():
    assert rounded(0.123456, Search(0.0, 1.0)) == 0.123
    assert rounded(123456.0, Search(0.0, 1e6)) == 123000.0
    assert rounded(0.99999, Search(0.0, 0.9999)) == 0.9999
    assert rounded(0.12341, Search(0.1234, 1.0)) == 0.1234


def test_an_assignment_is_read_back():
    for value in [0.1, 1e-12, 3, True, None, "x ln x", "none", "2", "true", "", "a: b", "é☃😀", "[", [1, 2.5]]:
        assert assignments([assignment("name", value)]) == {"name": value}, value


def test_a_range_that_makes_no_sense_cannot_be_declared():
    for search, complaint in [
        (lambda: Search(2, 1), "A search range must end above its beginning; got 2 to 1."),
        (lambda: Search(1, 1), "A search range must end above its beginning; got 1 to 1."),
        (lambda: Search(0, 1, log=True), "A search range on a log scale must begin above 0, not at 0."),
        (lambda: Search(0, math.inf), "Both ends of a search range must be finite numbers; got inf."),
        (lambda: Search("0", 1), "Both ends of a search range must be finite numbers; got '0'."),
        (lambda: Search(True, 5), "Both ends of a search range must be finite numbers; got True."),
        (
            lambda: setting(real(0, 1), "a number", default=0.5, search=Search(0, 1)),
            "A value to search must be a number above 0 and at most 1, not 0.",
        ),
        (
            lambda: setting(whole(1), "a number", default=1, search=Search(1.5, 3)),
            "A value to search must be a whole number of at least 1, not 1.5.",
        ),
    ]:
        with pytest.raises(gb.errors.SettingError) as error:
            search()
        assert str(error.value) == complaint, search


def test_docstrings_state_the_search_range():
    assert (
        "step_size : a number from 1e-100 to 1e+100; searched from 0.001 to 100 on a log scale; default"
        in gb.algorithms.MD.__doc__
    )
    assert "projection : one of exact, clip; default" in gb.algorithms.MD.__doc__
