"""Plans and identities: spelling makes no difference, and anything that changes the numbers does."""

import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamebench as gb
from gamebench.algorithms.crd.guided import GUIDED_VERSION
from gamebench.experiments.components import versions
from gamebench.experiments.plan import Planner, count_runs, game_of
from gamebench.experiments.spec import RunSpec, SweepSpec
from gamebench.experiments.sweeps import plan_runs

GOLDEN = Path(__file__).with_name("golden_numbers.json")
BASE = {"game": "Kuhn", "algorithm": "CMD", "iterations": 100, "seed": 3}


def identity(**change):
    return Planner().plan(RunSpec.parse({**BASE, **change})).id


def test_the_same_run_in_other_words():
    for change in [
        {"game": "kuhn"},
        {"hyperparameters": {"history": 5}},  # Kuhn's default
        {"hyperparameters": {"radius": 0.01, "controller": "drs", "convex": "x ln(x)"}},
        {"measures": ["NashConv"]},
        {"measures": ["nashconv", "NashConv"]},
        {"max_histories": 1000},
        {"payoff_scale": 1},
        {"coordinated": False, "max_beliefs": None},
        {"checkpoints": [1, 2, 4, 8, 16, 32, 64]},
        {"checkpoints": [64, 8, 16, 32, 1, 2, 4, 100, 0, 4]},
    ]:
        assert identity(**change) == identity(), change


def test_anything_that_matters_makes_another_run():
    for change in [
        {"game": "Leduc"},
        {"game": "kuhn_poker(players=3)"},  # the same arrays, but another name in the results
        {"teams": [[0, 1], [2]]},
        {"focal": 1},
        {"payoff_scale": 10},
        {"algorithm": "GMD"},
        {"iterations": 101},
        {"seed": 4},
        {"measures": ["CCEGap"]},
        {"measures": []},
        {"checkpoints": 10},
        *(
            {"hyperparameters": change}
            for change in (
                {"history": 3},
                {"convex": "x^2"},
                {"projection": "clip"},
                {"epsilon": 1e-9},
                {"magnet": "none"},
                {"magnet_rate": 0.1},
                {"controller": "RS"},
                {"objective": "CCEGap"},
                {"interval": 5},
                {"candidates": 4},
                {"radius": 0.02},
                {"weight_floor": 1e-5},
            )
        ),
    ]:
        assert identity(**change) != identity(), change


def test_hyper_parameters_matter_to_the_controllers_that_use_them():
    plain = {"controller": "GLD"}
    wide = {**plain, "radius_range": [0.01, 0.06]}
    assert identity(hyperparameters=wide) != identity(hyperparameters=plain)
    with pytest.raises(
        gb.errors.SettingError, match=r"radius=0\.3 has no effect with the controller GLD; it is for DRS, RS"
    ):
        identity(hyperparameters={**plain, "radius": 0.3})


@pytest.mark.parametrize("part", [gb.algorithms.CMD, gb.controllers.CONTROLLERS["DRS"]])
def test_a_newer_version_makes_other_runs_of_what_it_is_part_of_and_of_nothing_else(part, monkeypatch):
    before, other = identity(), identity(algorithm="MMD-KL")
    monkeypatch.setattr(part, "version", part.version + 1)
    assert identity() != before
    assert identity(algorithm="MMD-KL") == other


def test_measures_count_where_they_are_measured_and_where_they_are_the_objective():
    newer, game = replace(gb.measures.MEASURES["CCEGap"], version=2), gb.load_game("Kuhn")
    assert versions(gb.algorithms.CMD(objective=newer).configured(game, 10), []) == {"measure CCEGap": 2}
    assert versions(gb.algorithms.GMD().configured(game, 10), [newer, gb.measures.MEASURES["NashConv"]]) == {
        "measure CCEGap": 2
    }


def test_the_same_scale_in_other_words():
    assert identity(payoff_scale=10) == identity(payoff_scale=10.0)
    assert len({identity(payoff_scale=scale) for scale in (1, 10, 0.1)}) == 3


def test_coordinated_teams_are_another_run_whatever_the_budget():
    teams = {"game": "MCCKuhn-A", "algorithm": "CFR", "hyperparameters": {}}
    apart, together = identity(**teams), identity(**teams, coordinated=True)
    assert apart != together
    assert identity(**teams, coordinated=True, max_beliefs=2000) == together
    assert identity(**teams | {"game": "MCCKuhn-B"}, coordinated=True) != together


def test_a_complete_spec_leads_back_to_the_game(own_names):
    @gb.register_game(name="coins")
    def make(stake=1):
        return gb.Game.from_payoffs(stake * np.arange(24).reshape(2, 2, 2, 3))

    derivations = [
        {},
        {"teams": [[0], [1], [2]]},
        {"focal": 1},
        {"payoff_scale": 10},
        {"focal": 0, "payoff_scale": 0.5},
        {"teams": [[0, 1], [2]], "coordinated": True},
        {"teams": [[0, 2, 1]], "coordinated": True, "payoff_scale": 2, "max_beliefs": 10_000},
    ]
    for game, derived in product(["kuhn", "kuhn_poker(players=3)", "Coins( stake = 2 )"], derivations):
        plan = Planner().plan(RunSpec.parse({"game": game, "algorithm": "CFR", **derived}))
        again = game_of(RunSpec.parse(json.loads(plan.spec.model_dump_json())))
        assert (again.name, again.fingerprint) == (plan.game.name, plan.game.fingerprint)


def test_the_arrays_of_the_game_matter(tmp_path):
    path = tmp_path / "game.nfg"
    found = []
    for payoff in (1, 2):
        path.write_text(f'NFG 1 R "" {{ "A" "B" }} {{ 2 2 }}\n\n{payoff} 0 0 0 0 0 1 1\n')
        found.append(identity(game=str(path), algorithm="CFR"))
    assert found[0] != found[1]
    other = tmp_path / "elsewhere"
    other.mkdir()
    path.rename(other / path.name)
    assert identity(game=str(other / path.name), algorithm="CFR") == found[1]  # the folder does not


def test_zero_is_zero():
    settings = [{"regularisation": zero} for zero in (0.0, -0.0, 0)]
    assert len({identity(algorithm="MMD-KL", hyperparameters=chosen) for chosen in settings}) == 1


def test_too_many_points_are_refused():
    with pytest.raises(gb.errors.SettingError, match=r"1,000,000,000,000 points, more than the 10,000,000 allowed"):
        identity(iterations=10**12, checkpoints=1)


def test_without_randomness_one_seed_is_as_good_as_another():
    assert identity(algorithm="CFR", seed=1) == identity(algorithm="CFR", seed=2)
    assert gb.algorithms.CMD().uses_seed
    assert gb.algorithms.CRD().uses_seed


@settings(max_examples=30)
@given(
    st.sampled_from(["Kuhn", "Kuhn-A", "TinyHanabi-B"]),
    st.sampled_from(sorted(gb.algorithms.ALGORITHMS)),
    st.integers(0, 300),
    st.integers(0, 2**40),
    st.none() | st.integers(1, 50) | st.lists(st.integers(0, 300), max_size=5),
)
def test_a_complete_spec_is_its_own_completion(game, algorithm, iterations, seed, checkpoints):
    planner = Planner()
    data = {"game": game, "algorithm": algorithm, "iterations": iterations, "seed": seed, "checkpoints": checkpoints}
    plan = planner.plan(RunSpec.parse(data))
    again = planner.plan(RunSpec.parse(json.loads(plan.spec.model_dump_json())))
    assert (again.id, again.spec) == (plan.id, plan.spec)
    assert len(plan.id) == 32
    assert set(plan.id) <= set("0123456789abcdef")


DATA = st.fixed_dictionaries(
    {
        "game": st.sampled_from(["Kuhn", "Kuhn-A", "kuhn"]),
        "algorithm": st.sampled_from(["CMD", "CFR", "GMD"]),
        "iterations": st.integers(0, 3),
        "seed": st.integers(0, 2),
        "checkpoints": st.none() | st.integers(1, 3) | st.lists(st.integers(0, 3), max_size=2),
    }
)


@settings(max_examples=40)
@given(DATA, DATA)
def test_one_identity_exactly_if_nothing_that_matters_differs(one, other):
    """What matters, computed in another way: game, algorithm, length, points, and the seed of CMD."""

    def essence(data):
        last, points = data["iterations"], data["checkpoints"]
        if points is None:
            points = [1, 2, 4]
        elif isinstance(points, int):
            points = range(0, last + 1, points)
        measured = {0, last, *(point for point in points if point <= last)}
        seed = data["seed"] if data["algorithm"] == "CMD" else None
        return data["game"].casefold(), data["algorithm"], last, seed, measured

    planner = Planner()
    same = planner.plan(RunSpec.parse(one)).id == planner.plan(RunSpec.parse(other)).id
    assert same == (essence(one) == essence(other))


def test_wrong_specs_are_refused_before_anything_runs():
    for change, error, message in [
        ({"game": "Khun"}, gb.errors.UnknownNameError, "did you mean 'Kuhn'"),
        (
            {"hyperparameters": {"history": 0}},
            gb.errors.SettingError,
            "history must be a whole number from 1 to 1000, not 0",
        ),
        ({"teams": [[0, 1]]}, gb.errors.TeamsError, "leave out player 2"),
        ({"payoff_scale": 1e308}, gb.errors.GameError, "too large or too small for floating point"),
    ]:
        with pytest.raises(error, match=message):
            identity(**change)


def golden_numbers():
    """The main measure of every algorithm after 50 iterations, on games of every kind."""
    found = {}
    for game in ("Kuhn-A", "TinyHanabi-A", "Kuhn", "Leduc", "Bargaining", "MCCKuhn-A"):
        for algorithm in gb.algorithms.ALGORITHMS:
            found[f"{algorithm} on {game}"] = dict(gb.solve(game, algorithm, 50).curve.last)
        found[f"CFR+ with restarts on {game}"] = dict(gb.solve(game, "CFR+", 150, restart=20, explore=True).curve.last)
    for controller in gb.controllers.CONTROLLERS:
        found[f"CMD with {controller}"] = dict(gb.solve("Kuhn", "CMD", 50, controller=controller).curve.last)
    for convex in ("x^2", "x^3", "-x^0.1", "e^x", "-ln x"):
        found[f"GMD with {convex}"] = dict(gb.solve("Kuhn", "GMD", 50, convex=convex).curve.last)
    measures = {
        name: measure for name, measure in gb.measures.MEASURES.items() if measure.applies(gb.load_game("Kuhn"))
    }
    found["every measure"] = dict(gb.solve("Kuhn", "MMD-KL", 50, measures=list(measures)).curve.last)
    for numbers in found.values():
        del numbers["seconds"]
    return found


def golden_versions():
    registries = (gb.algorithms.ALGORITHMS, gb.controllers.CONTROLLERS, gb.measures.MEASURES)
    versions = {name: part.version for registry in registries for name, part in registry.items()}
    return {**versions, "restarts and exploration": GUIDED_VERSION}


def test_other_numbers_need_another_version():
    """If this fails: raise the version of what changed, then ``python -m tests.experiments.test_plan``."""
    recorded = json.loads(GOLDEN.read_text())
    assert recorded["versions"].items() <= golden_versions().items()  # new parts need not be recorded
    found = golden_numbers()
    for name, numbers in recorded["numbers"].items():
        measured = {key: found[name][key] for key in numbers}
        assert measured == pytest.approx(numbers, rel=1e-9, abs=1e-12), name


def test_runs_are_counted_as_they_are_planned():
    """Without loading games; deterministic algorithms and repeated names count once."""
    grid = {"algorithm": "CMD", "set": {"controller": ["DRS", "SuccessRule"], "history": [1, 2]}}
    sweep = {"games": ["Kuhn-2", "kuhn-2", "Kuhn-A"], "algorithms": ["CFR", "cfr", grid], "seeds": 3, "iterations": 4}
    specs = list(SweepSpec.parse(sweep).runs())
    assert count_runs(specs) == len(plan_runs(specs)) < len(specs)
    assert count_runs(RunSpec(game="is not there", algorithm="CFR", seed=seed) for seed in range(9)) == 1


if __name__ == "__main__":
    golden = {"versions": golden_versions(), "numbers": golden_numbers()}
    GOLDEN.write_text(json.dumps(golden, indent=1) + "\n")
