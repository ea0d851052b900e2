"""The hyper-parameters that a page shows: those of each method, and those that vary."""

from gamebench.report.page.configurations import settings_of_methods, variations
from gamebench.report.page.numbers import Numbering
from gamebench.report.tracks import Results
from tests.report.made_up_runs import made_up


def run_with(game, method, **settings):
    algorithm = method.split(" ")[0]
    return made_up(game, method, [1, 0.5], spec={"algorithm": algorithm, "seed": 0, "hyperparameters": settings})


def varied(*runs):
    results = Results(runs)
    return variations(results, Numbering(results.games, results.methods)), results


def test_what_varies_is_named_and_differs_on_one_game():
    runs = [
        run_with("Kuhn", f"CMD radius={radius} history=3", radius=radius, history=3, candidates=round(10 * radius))
        for radius in (0.1, 0.5, 10.0)
    ]
    [variation], results = varied(*runs)
    assert variation["algorithm"] == "CMD"
    [axis] = variation["axes"]  # the history does not differ, and nobody asked for the candidates
    assert axis["name"] == "radius"
    assert [(value["text"], value["number"]) for value in axis["values"]] == [
        ("0.1", 0.1),
        ("0.5", 0.5),
        ("10.0", 10.0),
    ]
    assert [point["at"] for point in variation["points"]] == [[0], [1], [2]]
    assert [results.methods[point["method"]] for point in variation["points"]] == results.methods


def test_a_method_that_leaves_a_hyper_parameter_open_stands_at_its_default():
    [variation], _ = varied(
        run_with("Kuhn", "CMD", radius=0.5),
        run_with("Kuhn", "CMD radius=0.1", radius=0.1),
        run_with("Kuhn", "CMD alternating=True", radius=0.5, alternating=True),
    )
    assert [axis["name"] for axis in variation["axes"]] == ["radius", "alternating"]
    assert [value["text"] for value in variation["axes"][1]["values"]] == ["True", "default"]
    assert [point["at"] for point in variation["points"]] == [[1, 1], [0, 1], [1, 0]]


def test_defaults_of_games_and_pairs_of_methods_are_no_variation():
    assert varied(*(run_with(game, "CMD", radius=k) for k, game in enumerate(("Kuhn", "Leduc", "Goofspiel"))))[0] == []
    assert varied(run_with("Kuhn", "CMD", radius=1.0), run_with("Kuhn", "CMD radius=2.0", radius=2.0))[0] == []


def test_settings_say_what_was_asked_for_and_what_depends_on_the_game():
    results = Results(
        [
            run_with("Kuhn", "CMD convex='x ln x'", convex="x ln x", radius=0.1),
            run_with("Leduc", "CMD convex='x ln x'", convex="x ln x", radius=0.2),
        ]
    )
    assert settings_of_methods(results) == {
        "CMD convex='x ln x'": [
            {"name": "convex", "text": "x ln x", "asked": True},
            {"name": "radius", "text": "0.1 (Kuhn); 0.2 (Leduc)", "asked": False},
        ]
    }
