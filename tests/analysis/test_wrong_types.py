"""Arguments of a wrong type are refused in one sentence, not by Python's error from inside."""

from functools import partial

import numpy as np
import pytest

import gamebench as gb
from gamebench.core.errors import GameBenchError
from tests.helpers import refuses

KUHN = gb.load_game("kuhn_poker")
ANY = "^[^\n]+$"
UNIFORM = gb.uniform_policy(KUHN)


class Broken:
    """Looks like an array and cannot be converted, like some tensors."""

    def __array__(self, *_, **__):
        raise RuntimeError("not here")


def act(point):
    return "Bet"


@pytest.mark.parametrize("wrong", [None, 3, 1.5, object(), np.array(1.0), int, Broken(), {UNIFORM: 1.0}, UNIFORM, [3]])
def test_of_policies(wrong):
    refuses(GameBenchError, "needs a list of one or more policies", gb.Mixture, wrong)
    refuses(GameBenchError, "^A policy is an array of numbers|^A policy for", gb.Policy, KUHN, wrong)


@pytest.mark.parametrize("wrong", [None, 3, object(), np.array(1.0), Broken(), {None: UNIFORM}, gb.Policy])
def test_of_what_plays(wrong):
    game = gb.Game.from_payoffs([[[1, 0], [0, 1]], [[0, 1], [1, 0]]])
    for function, arguments in [
        (gb.evaluate, ("NashConv",)),
        (gb.best_response, (0,)),
        (gb.expected_values, ()),
        (gb.improvements, ()),
    ]:
        for each in (KUHN, game):
            refuses(GameBenchError, ANY, function, each, wrong, *arguments)
    refuses(GameBenchError, ANY, gb.head_to_head, KUHN, [wrong])
    refuses(GameBenchError, ANY, gb.combine, {0: wrong, 1: "uniform"}, KUHN)
    refuses(GameBenchError, ANY, gb.estimate_policy, KUHN, {0: act, 1: wrong}, samples=1)
    refuses(GameBenchError, ANY, gb.evaluate, KUHN, lambda point: wrong, "NashConv")


@pytest.mark.parametrize("wrong", [3, object(), np.array(1.5), [3], {}, KUHN, np.ones(2)])
def test_of_options(wrong):
    for function, options in [
        (gb.evaluate, {"policy": UNIFORM, "measure": wrong}),
        (gb.best_response, {"policy": UNIFORM, "who": [wrong]}),
        (gb.best_response, {"policy": UNIFORM, "who": 0, "method": wrong}),
        (gb.head_to_head, {"agents": wrong}),
        (gb.estimate_policy, {"act": act, "samples": 1, "of": wrong}),
        (gb.estimate_policy, {"act": act, "samples": 1, "only_reached": wrong}),
        (gb.Policy.from_function, {"function": act, "of": wrong}),
        (gb.Policy.load, {"path": wrong}),
    ]:
        refuses(GameBenchError, ANY, partial(function, game=KUHN, **options))
    refuses(GameBenchError, ANY, gb.combine, wrong, KUHN)
    refuses(GameBenchError, "path of a policy file", UNIFORM.save, wrong)
    for option in ("name", "direction", "zero_at"):
        refuses(GameBenchError, ANY, gb.own_measure, lambda game, policy: 0.0, **{option: wrong})


def test_a_policy_is_not_a_list_of_measures():
    refuses(GameBenchError, "^A measure must be a name or a function", gb.evaluate, KUHN, UNIFORM, UNIFORM)


def test_a_number_in_an_array_is_a_player():
    assert gb.best_response(KUHN, UNIFORM, np.array(1)).value == gb.best_response(KUHN, UNIFORM, 1).value
