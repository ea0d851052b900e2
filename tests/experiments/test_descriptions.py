"""The content of ``spec.json``."""

import pytest

import gamebench as gb
from gamebench.experiments.descriptions import description_of, is_description
from gamebench.experiments.plan import Planner
from gamebench.experiments.spec import RunSpec


@pytest.fixture(scope="module")
def description():
    return description_of(Planner().plan(RunSpec(game="Kuhn", algorithm="CFR", iterations=8)))


def test_a_description_says_everything(description):
    assert is_description(description)
    assert description["spec"].keys() == RunSpec.model_fields.keys()
    for wrong in ({"payoff_scales": 1}, {"payoff_scale": 0}, {"iterations": None}):
        assert not is_description({**description, "spec": description["spec"] | wrong}), wrong
    assert not is_description({**description, "methods": []})
    for key in description:
        assert not is_description({name: value for name, value in description.items() if name != key}), key


def test_a_run_with_scaled_payoffs_says_so():
    plan = Planner().plan(RunSpec(game="Kuhn", payoff_scale=10, algorithm="CFR", iterations=8))
    about = description_of(plan)
    assert is_description(about)
    assert (about["game"], about["spec"]["game"], about["spec"]["payoff_scale"]) == ("Kuhn [payoffs x 10]", "Kuhn", 10)
    assert about["fingerprint"] == gb.load_game("Kuhn", payoff_scale=10).fingerprint


def test_a_run_of_coordinated_teams_says_so():
    game = {"game": "kuhn_poker(players=3)", "teams": [[0, 1], [2]], "coordinated": True}
    about = description_of(Planner().plan(RunSpec.parse({**game, "algorithm": "CFR", "iterations": 8})))
    assert is_description(about)
    assert (about["game"], about["category"]) == ("kuhn_poker(players=3) [teams 0,1/2] [coordinated]", "zero-sum")
    assert (about["spec"]["coordinated"], about["spec"]["max_beliefs"]) == (True, None)
    assert not is_description({**about, "spec": {**about["spec"], "coordinated": "yes"}})
