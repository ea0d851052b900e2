"""Passes that Python runs: to the last bit what the compiled ones compute, and used only where that is wanted."""

import json
import subprocess
import sys

import numpy as np
import pytest

import gamebench as gb
from gamebench import kernels
from gamebench.kernels import interpreting, passes
from gamebench.measures import measure
from tests.patience import HANG

PYTHON = interpreting.interpreted_passes()
GAMES = ["Kuhn-A", "TinyHanabi-A", "Kuhn-2", "Kuhn", "Goofspiel", "TradeComm", "kuhn_poker(players=4)"]


@pytest.mark.parametrize("name", GAMES)
def test_numbers_are_the_same_to_the_last_bit(name):
    game = gb.load_game(name)
    tree, endings, size = tuple(game.tree), tuple(game.endings), game.num_sequences + game.num_players
    policies = np.stack([gb.random_policy(game, seed).probabilities for seed in range(2)])
    wanted = np.arange(game.num_players) % 2 == 0
    compiled, python = (
        (
            module.own_deviations(tree, endings, policies, wanted),
            module.expected_values(tree, policies),
            module.sums_over_players(module.expected_values(tree, policies)),
            *_response(module, game, np.array(policies[0]), size),
        )
        for module in (passes, PYTHON)
    )
    for one, other in zip(compiled, python, strict=True):
        assert np.array_equal(one, other)


def _response(module, game, policy, size):
    """A best response of the last player, pass by pass, and all passes at once."""
    x, g, player = np.zeros(size), np.zeros(size), game.num_players - 1
    at_once = policy.copy()
    module.realise(game.tree, policy, x)
    module.differentiate_player(game.tree, game.endings, player, x, g)
    value = module.back_up_best(game.tree, player, g)
    module.best_actions(game.tree, player, g, policy)
    assert module.respond(tuple(game.tree), tuple(game.endings), player, at_once) == value
    assert np.array_equal(at_once, policy)
    return x, g, value, policy


def test_python_runs_a_kernel_only_within_the_block_and_only_if_it_is_not_loaded(monkeypatch):
    monkeypatch.delitem(vars(kernels), "realise", raising=False)
    with kernels.interpreted():
        assert kernels.realise is PYTHON.realise
        with kernels.interpreted(is_wanted=False):
            assert kernels.realise is passes.realise
        assert kernels.realise is passes.realise  # whose machine code is now at hand


def test_a_process_that_measures_once_needs_no_compiler():
    """All measures of a single-agent game, and those of Kuhn poker that need no linear program."""
    script = """if True:
        import json, sys
        import gamebench as gb
        from gamebench.measures.measure import evaluate_once
        def measured(name):
            game = gb.load_game(name)
            names = [each for each, measure in gb.MEASURES.items() if measure.applies(game)]
            kept = [each for each in names if name == "Kuhn-A" or each not in ("Fairness(Nash)", "Fairness(Jain)")]
            return {each: evaluate_once(game, gb.uniform_policy(game), each)[each] for each in kept}
        print(json.dumps([{name: measured(name) for name in ("Kuhn-A", "Kuhn")}, "numba" in sys.modules]))
    """
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=HANG, check=True)
    found, has_compiler = json.loads(process.stdout)
    assert not has_compiler
    for name, values in found.items():
        game = gb.load_game(name)
        assert values == gb.evaluate(game, gb.uniform_policy(game), list(values))


def test_large_games_and_measures_of_users_are_compiled(monkeypatch, own_names):
    gb.register_measure(lambda game, policy: 0.0, name="nothing")
    asked = []

    def interpreted(is_wanted):
        asked.append(is_wanted)
        return interpreting.interpreted(is_wanted=False)

    monkeypatch.setattr(kernels, "interpreted", interpreted)
    monkeypatch.setattr(measure, "SMALL", 100)
    small, large = gb.load_game("Kuhn-2"), gb.load_game("Kuhn")
    for game, name in ((small, "NashConv"), (large, "NashConv"), (small, "nothing")):
        measure.evaluate_once(game, gb.uniform_policy(game), name)
    assert asked == [True, False, False]
