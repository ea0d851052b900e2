"""What ``spec.json`` must say, and what one of an earlier version may leave out."""

import pytest

import gamebench as gb
from gamebench.experiments.descriptions import ADDED_LATER, description_of, is_description
from gamebench.experiments.plan import Planner
from gamebench.experiments.spec import RunSpec


@pytest.fixture(scope="module")
def description():
    return description_of(Planner().plan(RunSpec(game="Kuhn", algorithm="CFR", iterations=8)))


def without(description, key):
    spec = {name: value for name, value in description["spec"].items() if name != key}
    return {**description, "spec": spec}


def test_a_description_says_everything(description):
    assert is_description(description)
    assert description["spec"].keys() == RunSpec.model_fields.keys()
    assert not is_description({**description, "spec": {**description["spec"], "payoff_scales": 1}})


@pytest.mark.parametrize("key", RunSpec.model_fields)
def test_only_keys_that_were_added_later_may_be_missing(description, key):
    assert is_description(without(description, key)) == (key in ADDED_LATER)


@pytest.mark.parametrize("key", ADDED_LATER)
def test_keys_that_were_added_later_have_defaults(description, key):
    assert RunSpec.parse(without(description, key)["spec"]) == RunSpec.parse(description["spec"])


def test_a_wrong_scale_is_no_description(description):
    assert not is_description({**description, "spec": {**description["spec"], "payoff_scale": 0}})


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
