"""Focal players, teams, coordinators and scaled payoffs; random games are compared with the naive walk elsewhere."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamebench as gb
from gamebench.games.catalogue import in_catalog
from gamebench.games.loading.openspiel import nash_conv_by_open_spiel, values_by_open_spiel
from tests.helpers import refuses
from tests.test_against_naive import games_and_policies


def test_members_receive_the_mean_of_the_team_s_payoffs():
    plain = gb.load_game("Kuhn")
    game = gb.load_game("Kuhn", teams=[[0, 1], [2]])
    policy = gb.random_policy(plain, 1)
    own = gb.expected_values(plain, policy)
    assert gb.expected_values(game, gb.Policy(game, policy.probabilities)) == pytest.approx(
        [(own[0] + own[1]) / 2, (own[0] + own[1]) / 2, own[2]], abs=1e-12
    )
    assert game.teams == ((0, 1), (2,))
    assert game.category == "mixed"
    assert np.array_equal(game.sequence_form.payoffs[0], game.sequence_form.payoffs[1])


def test_teams_of_one_change_nothing():
    plain, game = gb.load_game("Kuhn"), gb.load_game("Kuhn", teams=[[0], [1], [2]])
    assert game.category == plain.category == "zero-sum"
    assert game.fingerprint == plain.fingerprint


def test_all_in_one_team_is_cooperative():
    game = gb.load_game("kuhn_poker(players=2)", teams=[[0, 1]])
    assert game.category == "cooperative"
    gap = gb.evaluate(game, gb.uniform_policy(game), "OptGap")
    assert gb.improvements(game, gb.uniform_policy(game)) == pytest.approx([gap], abs=1e-12)


def test_focal_is_masking_in_the_full_game():
    full = gb.load_game("kuhn_poker(players=3)")
    others = gb.random_policy(full, 5)
    game = gb.load_game("kuhn_poker(players=3)", focal=1, others=others)
    own, policy, joint = full.sequence_form.sequences_of(1), gb.random_policy(game, 6), np.array(others.probabilities)
    joint[own] = policy.probabilities
    joint = gb.Policy(full, joint)
    assert gb.expected_values(game, policy)[0] == pytest.approx(gb.expected_values(full, joint)[1], abs=1e-12)
    (q, _), (q_full, _) = gb.action_values(game, policy), gb.action_values(full, joint)
    assert q == pytest.approx(q_full[own], abs=1e-12)
    assert gb.optimal_value(game) == pytest.approx(gb.best_response(full, joint, 1).value, abs=1e-12)


def test_focal_with_teams_keeps_the_team_s_payoff():
    team = gb.load_game("Kuhn", teams=[[0, 1], [2]])
    game = gb.load_game("Kuhn", teams=[[0, 1], [2]], focal=0)
    assert game.category == "single-agent"
    assert gb.expected_values(game, gb.uniform_policy(game))[0] == pytest.approx(
        gb.expected_values(team, gb.uniform_policy(team))[0], abs=1e-12
    )
    plain = gb.load_game("Kuhn")  # what the others play may be said on the game without teams
    others = gb.random_policy(plain, 2)
    assert gb.load_game("Kuhn", teams=[[0, 1], [2]], focal=0, others=others).num_players == 1


def test_others_may_be_open_spiel_s_policy():
    full = gb.load_game("kuhn_poker(players=2)")
    others = gb.random_policy(full, 4)
    ours = gb.load_game("kuhn_poker(players=2)", focal=0, others=others)
    theirs = gb.load_game("kuhn_poker(players=2)", focal=0, others=others.to_open_spiel())
    assert ours.fingerprint == theirs.fingerprint != gb.load_game("Kuhn-A").fingerprint


# The scale of payoffs


def scaled_with(game, policy, factor):
    """Return the scaled game, and the same policy there."""
    scaled = gb.with_payoff_scale(game, factor)
    return scaled, gb.Policy(scaled, policy.probabilities)


FACTORS = st.floats(1e-6, 1e6) | st.sampled_from([0.1, 3.0, 10.0, 2.0**-20, 2.0**20])


@given(games_and_policies(), FACTORS)
@settings(max_examples=50)
def test_values_gaps_and_best_responses_are_multiplied(case, factor):
    """If actions tie, responses are not unique; scaling by a power of two is exact, so ties resolve the same way."""
    _, game, _, [policy] = case
    scaled, same = scaled_with(game, policy, factor)
    exact = {"rel": 1e-12, "abs": 1e-12 * factor * game.max_abs_payoff}
    assert np.array_equal(scaled.sequence_form.payoffs, factor * game.sequence_form.payoffs)
    assert scaled.max_abs_payoff == np.abs(scaled.sequence_form.payoffs).max()
    assert scaled.category == game.category
    assert gb.expected_values(scaled, same) == pytest.approx(factor * gb.expected_values(game, policy), **exact)
    for measure in ("NashConv", "CCEGap", "SocialWelfare"):
        assert gb.evaluate(scaled, same, measure) == pytest.approx(factor * gb.evaluate(game, policy, measure), **exact)
    for player in range(game.num_players):
        response, theirs = gb.best_response(game, policy, player), gb.best_response(scaled, same, player)
        _, ours = scaled_with(game, response.policy, factor)
        assert theirs.value == pytest.approx(factor * response.value, **exact)
        assert gb.expected_values(scaled, ours)[player] == pytest.approx(theirs.value, **exact)
        if np.frexp(factor)[0] == 0.5:
            assert np.array_equal(theirs.policy.probabilities, response.policy.probabilities)


def test_the_name_shows_the_factor_and_nothing_else_changes():
    plain = gb.load_game("TradeComm")
    game = gb.with_payoff_scale(plain, 10)
    assert game.name == "TradeComm [payoffs x 10]"
    assert gb.with_payoff_scale(plain, 0.1).name == "TradeComm [payoffs x 0.1]"
    assert gb.with_payoff_scale(game, 1 / 3).name == "TradeComm [payoffs x 10] [payoffs x 0.3333333333333333]"
    assert game.category == game.declared_category == plain.category == "general-sum"
    assert (game.labels, game.source, game.teams) == (plain.labels, plain.source, plain.teams)
    assert game.fingerprint != plain.fingerprint
    assert pickle.loads(pickle.dumps(game)).fingerprint == game.fingerprint


def test_times_one_is_the_same_game():
    game = gb.load_game("Kuhn")
    assert gb.with_payoff_scale(game, 1) is game
    assert gb.load_game("Kuhn", payoff_scale=1.0).name == "Kuhn"


def test_bad_factors_are_refused():
    for factor in [0, -2, float("nan"), float("inf"), 10**400, "10", None, True, [10]]:
        with pytest.raises(gb.errors.GameError, match="The scale of the payoffs must be a finite number above 0, not "):
            gb.load_game("Kuhn", payoff_scale=factor)


def test_payoffs_beyond_floating_point_are_refused():
    for factor in [1e308, 1e-308]:
        complaint = r"Payoffs of 'Kuhn' times 1e[+-]308 are too large or too small for float"
        refuses(gb.errors.GameError, complaint, gb.load_game, "Kuhn", payoff_scale=factor)


def test_games_go_by_name():
    kuhn = gb.load_game("kuhn_poker(players=3)")
    for change in (
        lambda game: gb.with_payoff_scale(game, 10),
        lambda game: gb.with_teams(game, [[0, 1], [2]]),
        lambda game: gb.with_focal(game, 1),
    ):
        assert change("kuhn_poker(players=3)").fingerprint == change(kuhn).fingerprint
        for wrong in (3, None, gb.uniform_policy(kuhn), b"kuhn"):
            kind = type(wrong).__name__
            refuses(gb.errors.GameError, f"^A game is given by its name, .* not by {kind}", change, wrong)


def test_the_paper_s_hyper_parameters_are_for_its_own_payoffs():
    plain, game = gb.load_game("Kuhn"), gb.load_game("Kuhn", payoff_scale=10)
    assert in_catalog(plain) is not None
    assert in_catalog(game) is None
    assert [gb.algorithms.CMD().configured(each, 1).history for each in (plain, game)] == [5, 3]


def test_scaled_teams_are_teams_of_the_scaled_game():
    plain, teams = gb.load_game("kuhn_poker(players=3)"), [[0, 1], [2]]
    game, other = (
        gb.with_payoff_scale(gb.with_teams(plain, teams), 10),
        gb.with_teams(gb.with_payoff_scale(plain, 10), teams),
    )
    assert game.name == "kuhn_poker(players=3) [teams 0,1/2] [payoffs x 10]"
    assert game.teams == other.teams == ((0, 1), (2,))
    assert game.category == "mixed"
    assert game.sequence_form.payoffs == pytest.approx(other.sequence_form.payoffs, rel=1e-15)
    assert gb.improvements(game, gb.uniform_policy(game)) == pytest.approx(
        gb.improvements(other, gb.uniform_policy(other)), abs=1e-12
    )


def test_a_scaled_focal_game_is_one_player_s_part_of_the_scaled_game():
    full = gb.load_game("kuhn_poker")
    others = gb.random_policy(full, 5)
    game = gb.load_game("kuhn_poker", focal=1, others=others, payoff_scale=10)
    assert game.name == "kuhn_poker [focal 1] [payoffs x 10]"
    scaled, same_others = scaled_with(full, others, 10)
    assert game.focus.full_game.fingerprint == scaled.fingerprint
    assert game.payoff_scale == game.focus.full_game.payoff_scale == 10
    other = gb.with_focal(scaled, 1, same_others)
    assert (game.max_abs_payoff, game.payoff_scale) == (other.max_abs_payoff, other.payoff_scale) == (20, 10)
    for ours, theirs in zip(game.sequence_form, other.sequence_form, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-15)
    joint = np.array(others.probabilities)
    policy = gb.random_policy(game, 6)
    joint[full.sequence_form.sequences_of(1)] = policy.probabilities
    assert gb.expected_values(game, policy)[0] == pytest.approx(
        gb.expected_values(scaled, gb.Policy(scaled, joint))[1], abs=1e-12
    )


def test_policies_of_scaled_games_go_to_files_and_to_open_spiel_and_back(tmp_path):
    for name in ("Kuhn", "Kuhn-A", "MCCKuhn-A", "matrix_pd"):
        plain, game = gb.load_game(name), gb.load_game(name, payoff_scale=10)
        policy = gb.random_policy(game, 3)
        policy.save(tmp_path / "policy.npz")
        assert gb.Policy.load(tmp_path / "policy.npz", game) == policy
        with pytest.raises(gb.errors.PolicyMismatchError):
            gb.Policy.load(tmp_path / "policy.npz", plain)
        assert gb.Policy.from_open_spiel(game, policy.to_open_spiel()) == policy
        same = gb.Policy(plain, policy.probabilities).to_open_spiel()
        assert policy.to_open_spiel().to_dict() == same.to_dict()


def test_open_spiel_computes_the_same_times_the_factor():
    for factor in [10, 0.1]:
        payoffs = gb.Game.from_payoffs([[[3, 3], [0, 5]], [[5, 0], [1, 1]]])
        for game in (gb.load_game("kuhn_poker", payoff_scale=factor), gb.with_payoff_scale(payoffs, factor)):
            policy = gb.random_policy(game, 1)
            exported, exact = policy.to_open_spiel(), 1e-12 * factor
            assert gb.expected_values(game, policy) == pytest.approx(values_by_open_spiel(game, exported), abs=exact)
            assert gb.evaluate(game, policy, "NashConv") == pytest.approx(
                nash_conv_by_open_spiel(game, exported), abs=exact
            ), factor


# What algorithms make of it


def trajectory(game, algorithm, iterations, state=None):
    """Return the policy that the algorithm reports after each iteration."""
    algorithm = algorithm.configured(game, iterations)
    state = algorithm.start(game, 0) if state is None else copy.deepcopy(state)
    policies = []
    for _ in range(iterations):
        algorithm.advance(game, state, 1)
        policies.append(np.array(algorithm.policy(game, state)))
    return np.array(policies)


GAMES = ["Kuhn", "Leduc", "Bargaining", "MCCKuhn-A", "Kuhn-A"]


REGRET_MATCHING = [
    algorithm() for algorithm in gb.algorithms.ALGORITHMS.values() if issubclass(algorithm, gb.algorithms.CFR)
]


def test_regret_matching_does_not_see_the_scale():
    """A power of two changes no digit. Another factor changes the last ones, and a long run may enlarge that."""
    for algorithm in [*REGRET_MATCHING, gb.algorithms.CFRPlus(alternating=False)]:
        for name in GAMES:
            game = gb.load_game(name)
            plain = trajectory(game, algorithm, 30)
            for factor in (2.0**-30, 2.0**30):
                assert np.array_equal(trajectory(gb.with_payoff_scale(game, factor), algorithm, 30), plain), algorithm
            close = trajectory(gb.with_payoff_scale(game, 10), algorithm, 10)
            assert np.abs(close - plain[:10]).max() < 1e-12, algorithm


def counterparts(factor):
    """Yield algorithms, each with the one that does the same where payoffs are multiplied by ``factor``."""
    for convex in ("x ln x", "x^2", "-ln x"):
        yield gb.algorithms.MD(step_size=0.5, convex=convex), gb.algorithms.MD(step_size=0.5 / factor, convex=convex)
        for weights in ((0.5, 2.0), (1.0, 1.0)):
            scaled = [weight * factor for weight in weights]
            yield (
                gb.algorithms.GMD(history=1, weights=weights, convex=convex),
                gb.algorithms.GMD(history=1, weights=scaled, convex=convex),
            )
    for magnetic in (gb.algorithms.MMDKL, gb.algorithms.MMDEU):
        yield (
            magnetic(step_size=0.1, regularisation=0.7),
            magnetic(step_size=0.1 / factor, regularisation=0.7 * factor),
        )
    for dilated in (gb.algorithms.DOMWU, gb.algorithms.DOGDA):
        yield dilated(step_size=0.8), dilated(step_size=0.8 / factor)
    # With the default perturbation, regrets of 1e-10 enlarge differences of rounding.
    perturbed = {"perturbation": 1e-3, "interval": 10}
    yield (
        gb.algorithms.RTCFRPlus(regularisation=0.1, **perturbed),
        gb.algorithms.RTCFRPlus(regularisation=0.1 * factor, **perturbed),
    )


def test_other_settings_make_up_for_the_scale():
    """Leduc is left out: there MD with x^2 enlarges differences of rounding to 1e-9 within twenty iterations."""
    for factor in [0.3, 8.0]:
        for name in ("Kuhn", "Bargaining", "MCCKuhn-A"):
            game = gb.load_game(name)
            scaled = gb.with_payoff_scale(game, factor)
            for algorithm, counterpart in counterparts(factor):
                plain, same = trajectory(game, algorithm, 40), trajectory(scaled, counterpart, 40)
                assert np.abs(same - plain).max() < 1e-12, algorithm
                if factor == 8.0:
                    assert np.array_equal(same, plain), algorithm
                changed = trajectory(scaled, algorithm, 40)
                assert np.abs(changed - plain).max() > 1e-3, algorithm


def test_with_a_history_weights_make_up_for_the_scale_from_iteration_m_on():
    """Before, the weights of GMD are not the given ones but equal."""
    game, weights = gb.load_game("Kuhn"), np.array([0.5, 2.0, 1.0, 0.3])
    scaled = gb.with_payoff_scale(game, 10)
    plain, counterpart = gb.algorithms.GMD(weights=weights), gb.algorithms.GMD(weights=10 * weights)
    assert np.abs(trajectory(game, plain, 1) - trajectory(scaled, counterpart, 1)).max() > 0.1
    plain = plain.configured(game, 40)
    state = plain.start(game, 0)
    plain.advance(game, state, plain.history - 1)
    error = np.abs(trajectory(game, plain, 40, state) - trajectory(scaled, counterpart, 40, state)).max()
    assert error < 1e-12


# Coordinators


def test_games_without_teams_have_no_coordinators():
    refuses(gb.errors.GameError, "A game is given by its name", gb.with_coordination, 3)
    for name in ("Kuhn", "Leduc", "matrix_pd"):
        refuses(gb.errors.TeamsError, "no team of several players", gb.with_coordination, gb.load_game(name))
    alone = gb.load_game("Kuhn", teams=[[0], [1], [2]])
    refuses(gb.errors.TeamsError, r"no team of several .* load it with teams=", gb.with_coordination, alone)
    for focal in (gb.load_game("Kuhn-A"), gb.load_game("Kuhn", teams=[[0, 1], [2]], focal=0)):
        refuses(gb.errors.TeamsError, "has a focal player, so nobody is left", gb.with_coordination, focal)


def test_nothing_is_coordinated_twice():
    game = gb.load_game("MCCKuhn-B", coordinated=True)
    assert game.name == "MCCKuhn-B [coordinated]"
    refuses(
        gb.errors.TeamsError, r"The teams of 'MCCKuhn-B \[coordinated\]' already coordinate", gb.with_coordination, game
    )
    refuses(gb.errors.TeamsError, "already has teams or a focal player", gb.with_teams, game, [[0, 1]])
    refuses(
        gb.errors.FocalError, "are coordinators; load it uncoordinated to choose a focal player", gb.with_focal, game, 0
    )
    refuses(gb.errors.FocalError, "whole number from 0 to 1, not 2", gb.with_focal, game, 2)


def test_invalid_budgets_are_refused():
    for budget in [0, -1, 2**27 + 1, 1.5, "10", None, True]:
        game = gb.load_game("MCCKuhn-B")
        refuses(gb.errors.GameError, "max_beliefs must be a whole number from 1 to", gb.with_coordination, game, budget)


def test_the_budget_counts_the_beliefs_of_all_coordinators():
    """The 830 beliefs of the pair and the 16 of the lone player share one budget."""
    game = gb.load_game("MCCKuhn-A")
    assert gb.with_coordination(game, max_beliefs=846).num_decision_points == 978
    for budget, found in ((10, r"1\d"), (829, "830"), (830, "846"), (845, "846")):
        refuses(
            gb.errors.GameTooLargeError,
            rf"'MCCKuhn-A' need more than max_beliefs={budget} .*\({found} beliefs were found after expanding \d+ of",
            gb.with_coordination,
            game,
            max_beliefs=budget,
        )


def test_with_more_than_two_coordinators_values_are_no_guarantees():
    game = gb.load_game("kuhn_poker(players=4)", teams=[[0, 1], [2], [3]])
    with pytest.warns(
        UserWarning, match="is a game between 3 coordinators; with more than two, an equilibrium guarantees"
    ):
        found = gb.with_coordination(game)
    assert (found.num_players, found.category) == (3, "zero-sum")
    assert gb.with_coordination(gb.load_game("kuhn_poker", teams=[[0, 1]])).category == "single-agent"


def test_what_is_lifted_is_a_policy_of_the_members():
    game, full = gb.load_game("MCCKuhn-B", coordinated=True), gb.load_game("MCCKuhn-B")
    policy = gb.random_policy(full, 1)
    for other in (full, "MCCKuhn-B"):
        refuses(
            gb.errors.PolicyError,
            r"^lift\(\) needs a game between coordinators, and .* is not one; load it with coordinated=True",
            gb.lift,
            other,
            policy,
        )
    for wrong in (gb.random_policy(game), gb.uniform_policy(gb.load_game("Leduc"))):
        refuses(gb.errors.PolicyMismatchError, "not for 'MCCKuhn-B' ", gb.lift, game, wrong)
    refuses(
        gb.errors.PolicyMismatchError, "not for 'MCCKuhn-B' ", gb.lift, game, gb.uniform_policy(gb.load_game("Kuhn-A"))
    )
    refuses(gb.errors.PolicyError, "No such file", gb.lift, game, "nowhere")
    scaled = gb.with_payoff_scale(full, 3)
    lifted = gb.lift(game, gb.Policy(scaled, policy.probabilities))  # the choices are the same
    assert np.array_equal(lifted.probabilities, gb.lift(game, policy).probabilities)


def test_coordinators_of_a_scaled_game_are_scaled_coordinators():
    plain = gb.load_game("MCCKuhn-B")
    game, other = (
        gb.with_payoff_scale(gb.with_coordination(plain), 10),
        gb.with_coordination(gb.with_payoff_scale(plain, 10)),
    )
    assert game.name == "MCCKuhn-B [coordinated] [payoffs x 10]"
    assert other.name == "MCCKuhn-B [payoffs x 10] [coordinated]"
    assert game.fingerprint == other.fingerprint
    assert game.coordination.full_game.fingerprint == gb.with_payoff_scale(plain, 10).fingerprint
    assert (game.payoff_scale, game.max_abs_payoff) == (other.payoff_scale, other.max_abs_payoff) == (10, 40)
    assert game.labels == other.labels
    loaded = gb.load_game("MCCKuhn-B", coordinated=True, payoff_scale=10)
    assert (loaded.name, loaded.fingerprint) == (other.name, other.fingerprint)
    policy = gb.random_policy(plain, 2)
    values = [gb.improvements(each, gb.lift(each, policy)) for each in (game, other)]
    assert values[0] == pytest.approx(10 * gb.improvements(plain, policy), abs=1e-11)
    assert np.array_equal(*values)
    assert gb.with_payoff_scale(other, 1) is other
