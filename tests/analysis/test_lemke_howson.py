"""The Lemke-Howson algorithm against all extreme equilibria, enumerated in exact fractions."""

import numpy as np
import pytest

import gamebench as gb
from gamebench.analysis.exact import lemke_howson, solution
from tests.oracles import random_games
from tests.oracles.equilibria import equilibria
from tests.test_coordination_oracles import game_of

ENTRY = """EFG 2 R "entry" { "A" "B" }
c "" 1 "" { "high" 1/4 "low" 3/4 } 0
t "" 1 "" { 4 8 }
p "" 1 1 "" { "out" "in" } 0
t "" 2 "" { 0 2 }
p "" 2 1 "" { "share" "fight" } 0
t "" 3 "" { 1 1 }
t "" 4 "" { -1 -1 }
"""


def check(game):
    """Every path ends at a pair of vertices that is an equilibrium."""
    known = [equilibrium.policy.probabilities for equilibrium in equilibria(game)]
    found = list(lemke_howson.paths(game.sequence_form))
    assert len(found) == game.num_sequences  # a path for each label
    for policy in found:
        assert gb.evaluate(game, gb.Policy(game, policy), "NashConv") < 1e-12 * game.max_abs_payoff
        assert min(np.abs(policy - other).max() for other in known) < 1e-9
    return {tuple(policy.round(6)) for policy in found}


def test_random_games():
    for seed in range(6):
        check(gb.Game.from_payoffs(random_games.random_payoffs(seed, 2 + seed % 3, 5 - seed % 2)))


def test_degenerate_games():
    """With payoffs 0 and 1, many vertices have more tight labels than they need."""
    for seed in range(8):
        rows = np.random.default_rng(seed).integers(0, 2, (3, 4, 2))
        game = gb.Game.from_payoffs(rows)
        found = list(lemke_howson.paths(game.sequence_form))
        assert len(found) == 7, seed
        for policy in found:
            assert gb.evaluate(game, gb.Policy(game, policy), "NashConv") < 1e-12, seed


def test_few_actions():
    for shape in [(1, 1), (1, 3), (2, 1)]:
        check(gb.Game.from_payoffs(np.random.default_rng(0).random((*shape, 2))))


def test_several_equilibria_are_found():
    assert len(check(gb.Game.from_payoffs(np.eye(3)[..., None] * [1, 1]))) == 3


def test_chance_and_players_who_may_never_decide():
    game = game_of(ENTRY)
    first, second = lemke_howson.normal_form(game.sequence_form)
    units = np.ptp(game.sequence_form.payoffs, axis=1) / 2
    middles = game.sequence_form.payoffs.min(axis=1) + units
    assert (first - 2) * units[0] + middles[0] == pytest.approx(np.array([[1, 1], [1.75, 0.25]]))
    assert (second - 2) * units[1] + middles[1] == pytest.approx(np.array([[3.5, 3.5], [2.75, 1.25]]))
    check(game)


def test_long_paths_are_left(monkeypatch):
    monkeypatch.setattr(lemke_howson, "MAX_PIVOTS", 1)
    assert not list(lemke_howson.paths(gb.Game.from_payoffs(random_games.random_payoffs(0, 3, 3)).sequence_form))


@pytest.mark.parametrize("offset", [0, 1e9])
def test_large_normal_forms_have_any_equilibrium_unless_the_best_is_asked_for(offset, monkeypatch):
    game = gb.Game.from_payoffs(random_games.random_payoffs(0, 50, 50) + offset)
    found = gb.solve_exactly(game, concept="Nash")
    assert (found.concept, found.objective, found.gap) == ("Nash", None, 0)
    assert found.value == found.payoffs[0] == pytest.approx(gb.expected_values(game, found.policy)[0], rel=1e-12)
    assert found.incentive < 1e-12
    small = gb.Game.from_payoffs(np.eye(2)[..., None] * [1, 2] + offset)
    assert gb.solve_exactly(small, concept="Nash").value == 3 + 2 * offset
    monkeypatch.setattr(solution, "LARGEST_UNASKED", 3)
    assert gb.solve_exactly(small, concept="Nash").objective is None
    assert gb.solve_exactly(small, concept="Nash", objective="socialwelfare").value == 3 + 2 * offset


def test_paths_that_end_nowhere(monkeypatch):
    """Ends that are not equilibria are skipped; if none is left, the best equilibrium is searched for."""
    game = gb.Game.from_payoffs(np.array([[[3, 3], [0, 4]], [[4, 0], [1, 1]]]))
    monkeypatch.setattr(solution, "LARGEST_UNASKED", 3)
    cooperation, defection = np.array([1.0, 0, 1, 0]), np.array([0.0, 1, 0, 1])
    monkeypatch.setattr(lemke_howson, "paths", lambda _: iter([cooperation, defection]))
    assert gb.solve_exactly(game, concept="Nash").payoffs.tolist() == [1, 1]
    monkeypatch.setattr(lemke_howson, "paths", lambda _: iter([cooperation]))
    found = gb.solve_exactly(game, concept="Nash")
    assert (found.objective, found.payoffs.tolist()) == ("SocialWelfare", [1, 1])
