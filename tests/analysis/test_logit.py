"""Quantal response: the gap to a logit equilibrium, and magnetic mirror descent at a given temperature."""

import numpy as np
import pyspiel
import pytest
from hypothesis import given, settings
from scipy.optimize import brentq
from scipy.special import expit

import gamebench as gb
from gamebench.experiments.components import named
from tests.helpers import as_naive_policy, refuses
from tests.oracles import naive, random_games
from tests.test_coordination_oracles import game_of

PENNIES = [[[9, 0], [0, 1]], [[0, 1], [1, 0]]]
"""Asymmetric matching pennies: the first player's extra payoff moves both players of bounded rationality."""

GAMBITS_KUHN = {
    "0": 0.28428985819616776,
    "1": 0.3969918298283322,
    "2": 0.5361280768535464,
    "0pb": 0.11920292202211769,
    "1pb": 0.6382262312336447,
    "2pb": 0.9975273768433652,
    "0p": 0.31719621494149874,
    "1p": 0.3461477943976851,
    "2p": 0.67107954357181,
    "0b": 0.11920292202211774,
    "1b": 0.6839850835007394,
    "2b": 0.9975273768433652,
}
"""How often Gambit bets at rationality 2: ``pygambit.qre.logit_solve_lambda(pygambit.read_efg("kuhn.efg"), lam=2.0)``
of version 17.0.0b2, where ``gamebench convert kuhn_poker kuhn.efg`` wrote the file."""


def logit_equilibrium_of_pennies(rationality):
    """The unique equilibrium, by root finding: each player's odds are a function of the other's choice."""

    def first(second):
        return expit(rationality * (9 * second - (1 - second)))

    def second(first):
        return expit(rationality * ((1 - first) - first))

    p = brentq(lambda p: first(second(p)) - p, 0, 1, xtol=1e-15)
    return [p, 1 - p, second(p), 1 - second(p)]


def naive_gap(game, policy, rationality):
    """The definition on OpenSpiel's states: action values are means over the histories of an information set."""
    tables = as_naive_policy(policy)
    gaps = [0.0]
    for point, (_, values) in naive.counterfactual(game, tables).items():
        best = max(values.values())
        weights = {action: np.exp(rationality * (value - best)) for action, value in values.items()}
        total = sum(weights.values())
        gaps.append(sum(abs(tables[point].get(a, 0.0) - weights[a] / total) for a in weights) / 2)
    return max(gaps)


@given(random_games.efg_games())
@settings(max_examples=25)
def test_the_definition_on_random_games(text):
    game, original = game_of(text), pyspiel.load_efg_game(text)
    for seed, rationality in ((1, 0.0), (2, 0.3), (3, 5.0)):
        policy = gb.random_policy(game, seed)
        expected = naive_gap(original, policy, rationality)
        assert gb.logit_gap(game, policy, rationality) == pytest.approx(expected, abs=1e-9)


def test_a_normal_form_game_by_root_finding():
    for rationality in [0.25, 1.0, 4.0]:
        game = gb.Game.from_payoffs(PENNIES)
        exact = gb.Policy(game, logit_equilibrium_of_pennies(rationality))
        assert gb.logit_gap(game, exact, rationality) < 1e-12, rationality
        found = gb.solve(game, "MMD-KL", 4000, temperature=1 / rationality, step_size=0.05).policy
        assert found.probabilities == pytest.approx(exact.probabilities, abs=1e-12), rationality


def test_kuhn_poker_as_gambit_has_it():
    game = gb.load_game("kuhn_poker")
    bets = [GAMBITS_KUHN[point.information_state] for point in game.decision_points]
    gambits = gb.Policy(game, [p for bet in bets for p in (1 - bet, bet)])
    assert gb.logit_gap(game, gambits, 2) < 1e-12
    ours = gb.solve(game, "MMD-KL", 1000, temperature=0.5).policy
    assert ours.probabilities == pytest.approx(gambits.probabilities, abs=1e-12)


def test_range():
    game = gb.load_game("kuhn_poker")
    uniform = gb.uniform_policy(game)
    assert gb.logit_gap(game, uniform, 0) == 0
    assert gb.logit_response(game, gb.random_policy(game), 0).probabilities.tolist() == [0.5] * 24
    pennies = gb.Game.from_payoffs(PENNIES)
    worst = gb.Policy(pennies, [0, 1, 1, 0])
    assert gb.logit_gap(pennies, worst, 1e300) == 1
    flat = gb.Game.from_payoffs(np.zeros((2, 3, 2)))
    assert gb.logit_gap(flat, gb.uniform_policy(flat), 1e300) == 0
    huge = gb.Game.from_payoffs(np.array(PENNIES) * 1e307)
    assert gb.logit_gap(huge, gb.uniform_policy(huge), 1) == pytest.approx(0.5)


def test_nobody_has_a_choice():
    game = game_of('EFG 2 R "" { "A" "B" }\nt "" 1 "" { 1 2 }\n')
    assert gb.logit_gap(game, gb.uniform_policy(game)) == 0


def test_rationality_and_payoffs_trade_off():
    """Doubling the payoffs is equivalent to doubling the rationality."""
    game = gb.load_game("Kuhn")
    policy = gb.random_policy(game)
    scaled = gb.with_payoff_scale(game, 2)
    twice = gb.logit_gap(scaled, gb.Policy(scaled, policy.probabilities), 1)
    assert gb.logit_gap(game, policy, 2) == pytest.approx(twice, abs=1e-12)


def test_a_family_of_measures_by_name():
    game = gb.load_game("kuhn_poker")
    policy = gb.random_policy(game)
    told = gb.evaluate(game, policy, ["logitgap(rationality=2.0)", "LogitGap"])
    assert told == {"LogitGap(rationality=2)": gb.logit_gap(game, policy, 2), "LogitGap": gb.logit_gap(game, policy)}
    assert gb.measures.MEASURES["LogitGap(rationality=1)"] is gb.measures.MEASURES["LogitGap"]
    member = gb.measures.MEASURES["LogitGap( rationality = 0.1 )"]
    assert member.name == "LogitGap(rationality=0.1)"
    assert named({"measures": [member]}) == {"measures": ["LogitGap(rationality=0.1)"]}
    assert list(gb.measures.MEASURES).count("LogitGap") == 1
    curve = gb.solve(game, "MMD-KL", 4, measures=["LogitGap(rationality=3)"], temperature=1).curve
    assert len(curve["LogitGap(rationality=3)"]) == 4


def test_wrong_names():
    for wrong in ["LogitGap(2)", "LogitGap(lambda=2)", "LogitGap(temperature=2)", "LogitGap(", "LogitGap()x"]:
        assert wrong not in gb.measures.MEASURES, wrong
        with pytest.raises(gb.errors.MeasureError, match=r"must be written LogitGap\(rationality=\.\.\.\)\."):
            gb.evaluate("kuhn_poker", gb.uniform_policy("kuhn_poker"), wrong)


def test_wrong_rationality():
    for wrong in [-1, float("nan"), float("inf"), "2", None, True]:
        game = gb.load_game("kuhn_poker")
        for function in (gb.logit_gap, gb.logit_response):
            with pytest.raises(gb.errors.MeasureError, match="rationality must be a finite number of at least 0, not"):
                function(game, gb.uniform_policy(game), wrong)
        assert "LogitGap(rationality=-1)" not in gb.measures.MEASURES, wrong


def test_a_temperature_replaces_what_it_sets():
    for beside in ({"regularisation": 0.5}, {"magnet_rate": 0.0}):
        refuses(
            gb.errors.SettingError, "has no effect with a temperature", gb.algorithms.MMDKL, temperature=1, **beside
        )
    refuses(
        gb.errors.SettingError,
        "temperature must be a finite number above 0, or 'none', not 0",
        gb.algorithms.MMDKL,
        temperature=0,
    )
    assert "temperature" not in repr(gb.algorithms.MMDKL())
    same = gb.solve("kuhn_poker", gb.algorithms.MMDKL(regularisation=0.5, magnet_rate=0), 50).policy.probabilities
    assert (gb.solve("kuhn_poker", gb.algorithms.MMDKL(temperature=0.5), 50).policy.probabilities == same).all()


def test_without_choices_the_response_is_the_only_policy(tmp_path):
    path = tmp_path / "lottery.efg"
    path.write_text('EFG 2 R "" { "A" }\nc "" 1 "" { "x" 1/2 "y" 1/2 } 0\nt "" 1 "" { 1 }\nt "" 2 "" { 2 }\n')
    game = gb.load_game(path)
    assert gb.logit_response(game, "uniform") == gb.uniform_policy(game)
