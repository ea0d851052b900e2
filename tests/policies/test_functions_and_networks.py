"""Agents: functions of points, OpenSpiel states and tensors, called one by one and in batches."""

import sys
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pyspiel
import pytest

import gamebench as gb
from gamebench.games.loading.openspiel import decision_states
from gamebench.policies.functions_and_networks import ASKED_TWICE
from tests.helpers import refuses

LEDUC = gb.load_game("leduc_poker")
WEIGHTS = np.random.default_rng(0).normal(size=(30, 3)).astype(np.float32)


def network(tensors, legal):
    """A linear layer and a softmax over the legal actions, for one tensor or a batch."""
    odds = np.exp(tensors @ WEIGHTS) * legal
    return odds / odds.sum(axis=-1, keepdims=True)


def by_state(state):
    legal = np.array(state.legal_actions_mask())
    return network(np.array(state.information_state_tensor(), dtype=np.float32), legal)


def test_tensors_are_those_of_the_states():
    expected = gb.Policy.from_function(LEDUC, by_state, of="state").probabilities
    together = gb.Policy.from_function(LEDUC, network, of="tensor", mask=True)
    assert together.probabilities == pytest.approx(expected, abs=1e-6)
    alone = gb.Policy.from_function("leduc_poker", network, of="tensor", batch=False, mask=True)
    assert alone.probabilities == pytest.approx(expected, abs=1e-6)
    states = gb.agent(lambda states: [by_state(state) for state in states], of="state", batch=True)
    assert gb.evaluate(LEDUC, states, "NashConv") == pytest.approx(gb.evaluate(LEDUC, together, "NashConv"), abs=1e-5)


def test_a_network_for_each_player():
    """Each network is called only for its own player's points."""
    asked = []

    def first(tensors, legal):
        asked.append(len(tensors))
        return network(tensors, legal)

    joint = gb.combine({0: gb.agent(first, of="tensor", mask=True), 1: by_state_agent()}, LEDUC)
    assert asked == [LEDUC.num_decision_points // 2]
    assert joint.probabilities == pytest.approx(
        gb.Policy.from_function(LEDUC, by_state, of="state").probabilities, abs=1e-6
    )


def by_state_agent():
    return gb.agent(by_state, of="state")


def test_tensors_of_simultaneous_games_are_those_of_the_game_as_loaded():
    name = "goofspiel(num_cards=3,imp_info=True,players=2)"
    shapes = []

    def uniform(tensors, legal):
        shapes.append(tensors.shape)
        return legal / legal.sum(axis=1, keepdims=True)

    policy = gb.Policy.from_function(name, uniform, of="tensor", mask=True)
    assert policy.probabilities.tolist() == gb.uniform_policy(name).probabilities.tolist()
    assert shapes == [(policy.game.num_decision_points, pyspiel.load_game(name).information_state_tensor_size())]


class Tensor:
    """What PyTorch returns."""

    def __init__(self, values):
        self.values, self.shape = values, values.shape

    def detach(self):
        return self

    cpu = detach

    def numpy(self):
        return np.asarray(self.values)


def test_a_pytorch_network_needs_no_declaration(monkeypatch):
    """Uses a stand-in; the documentation page on agents tests PyTorch itself where it is installed."""

    class Module:
        def parameters(self):
            yield SimpleNamespace(dtype="single", device="processor")

        def __call__(self, tensors):
            assert (tensors.dtype, tensors.device) == ("single", "processor")
            return Tensor(np.full((len(tensors.values), 2), 0.5, dtype=np.float32))

    def as_tensor(values, dtype=None, device=None):
        return SimpleNamespace(values=values, dtype=dtype, device=device)

    torch = SimpleNamespace(nn=SimpleNamespace(Module=Module), as_tensor=as_tensor, no_grad=nullcontext)
    monkeypatch.setitem(sys.modules, "torch", torch)
    assert gb.evaluate("kuhn_poker", Module(), "NashConv") == gb.evaluate("kuhn_poker", "uniform", "NashConv")


def test_a_function_that_changes_states_does_not_disturb_the_walk():
    def careless(state):
        state.apply_action(state.legal_actions()[0])
        return "Bet"

    policy = gb.Policy.from_function("kuhn_poker", careless, of="state")
    assert set(policy.probabilities.tolist()) == {0.0, 1.0}
    together = gb.Policy.from_function("kuhn_poker", lambda states: list(map(careless, states)), of="state", batch=True)
    assert together == policy
    assert len(list(decision_states(policy.game))) == 12


def test_invalid_functions():
    for function, options, complaint in [
        (lambda x: x, {"of": "tensor"}, "Expected probabilities of Pass, Bet at the information state '0'"),
        (
            lambda x: x[:3, :2],
            {"of": "tensor"},
            "must return one answer for each of the 12 decision points of 'kuhn_poker', not 3",
        ),
        (lambda x: None, {"of": "tensor"}, "gives no probabilities for the 12 decision points of 'kuhn_poker'"),
        (lambda x: {"0": "Bet"}, {"batch": True}, "it must return a list or an array in the order of the points"),
        (lambda x: np.ones((12, 2)), {"of": "tensor"}, "If these are logits, apply a softmax over the legal actions"),
        (lambda x: x.nonsense, {"of": "state"}, "gives no probabilities at the information state '0' of player 0"),
        (
            lambda x: "Bet",
            {"of": "nonsense"},
            "of= must be one of 'point', 'state', 'tensor', not 'nonsense'",
        ),
        (lambda x: "Bet", {"mask": True}, "mask= is only for functions of tensors"),
        (3, {}, "An agent must be a function of decision points, states or tensors, not 3"),
        (lambda x: "Bet", {"batch": 4}, "batch must be True or False, not 4."),
        (lambda x: x, {"of": "tensor", "mask": 1}, "mask must be True or False, not 1."),
    ]:
        with pytest.raises(gb.errors.PolicyError) as caught:
            gb.Policy.from_function("kuhn_poker", function, **options)
        assert complaint in str(caught.value), function


def test_illegal_probabilities_of_a_network_name_the_mask():
    with pytest.raises(
        gb.errors.PolicyError,
        match=r"The illegal action 0 has probability 0\.3.*; the legal .*mask=True passes",
    ):
        gb.Policy.from_function(LEDUC, lambda tensors: np.full((len(tensors), 3), 1 / 3), of="tensor")


@pytest.mark.parametrize("mask", [True, False])
def test_nan_of_a_network_is_not_taken_for_logits(mask):
    def diverged(tensors, *legal):
        return np.full((len(tensors), 3), np.nan)

    with pytest.raises(gb.errors.PolicyError, match=r"^The probabilities contain NaN at .*: \[nan, nan, nan\]\.$"):
        gb.Policy.from_function(LEDUC, diverged, of="tensor", mask=mask)


def test_all_action_ids_are_for_functions_of_states_and_tensors():
    complaint = r"Expected probabilities of Call, Raise at the information state .*\[0, 1, 0\]"
    refuses(gb.errors.PolicyError, complaint, gb.Policy.from_function, LEDUC, lambda point: [0, 1, 0])


def test_games_without_tensors():
    game = gb.load_game("catch(rows=3,columns=2)")
    complaint = r"OpenSpiel has no information-state tensors for 'catch.*; use a function of"
    refuses(gb.errors.PolicyError, complaint, gb.Policy.from_function, game, lambda tensors: tensors, of="tensor")


def test_the_decorator_keeps_the_function():
    @gb.agent(of="state")
    def bettor(state):
        return 1

    assert (bettor(None), bettor.name, bettor.of, bettor.batch) == (1, "bettor", "state", False)


def test_an_agent_of_an_agent_keeps_what_is_not_given():
    states = gb.agent(lambda states: [1] * len(states), of="state", batch=True)
    assert gb.agent(states) == states
    assert gb.agent(states, batch=False) == gb.policies.Agent(states.function, "state")
    always = gb.Policy.from_function("kuhn_poker", states)
    assert always.probabilities.tolist() == [0.0, 1.0] * 12
    with pytest.raises(gb.errors.PolicyError, match="of= must be one of 'point', 'state', 'tensor', not 'bogus'"):
        gb.policies.Agent(states.function, of="bogus")


def test_actions_of_a_batch():
    for answers in (np.ones(12, dtype=int), np.array(["Bet"] * 12), ["Bet"] * 12):
        policy = gb.Policy.from_function("kuhn_poker", lambda points, answers=answers: answers, batch=True)
        assert policy.probabilities.tolist() == [0.0, 1.0] * 12


@pytest.mark.parametrize(("of", "where"), [("point", "'0pb' of player 0"), ("state", "'1p' of player 1")])
@pytest.mark.parametrize("name", [str, np.str_, np.array])
def test_functions_that_play_at_random_are_refused(of, where, name):
    actions = iter(["Bet", "Bet", "Bet", "Pass"])  # the same at the first point, different at the second
    with pytest.raises(gb.errors.PolicyError) as caught:
        gb.evaluate("kuhn_poker", gb.agent(lambda _: name(next(actions)), of=of), "NashConv")
    assert f"<lambda> plays at random: asked twice at the information state {where} in 'kuhn_poker'" in str(
        caught.value
    )
    assert "; return probabilities, or sample it with gb.estimate_policy(game, f, samples=...)" in str(caught.value)
    assert "Bet'" in str(caught.value)
    assert "Pass'" in str(caught.value)


def test_one_action_by_two_names_is_no_random_play():
    answers = iter(["Bet", 1] * 12)
    policy = gb.Policy.from_function("kuhn_poker", lambda _: next(answers))
    assert policy.probabilities.tolist() == [0.0, 1.0] * 12


@pytest.mark.parametrize("of", ["point", "state"])
def test_only_the_first_actions_are_asked_for_twice(of):
    calls = []

    def first(given):
        calls.append(str(given))
        if of == "point":
            return given.actions[0]
        given.apply_action(action := given.legal_actions()[0])  # the next call gets a fresh state
        return action

    gb.Policy.from_function(LEDUC, first, of=of)
    assert len(calls) == LEDUC.num_decision_points + ASKED_TWICE
    assert calls[: 2 * ASKED_TWICE : 2] == calls[1 : 2 * ASKED_TWICE : 2]
    assert len(set(calls)) == LEDUC.num_decision_points


def test_probabilities_are_asked_for_once():
    calls = []

    def uniform(point):
        calls.append(point)
        return dict.fromkeys(point.actions, 1 / len(point.actions))

    gb.Policy.from_function("kuhn_poker", uniform)
    assert len(calls) == 12
