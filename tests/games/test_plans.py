"""Joint plans drawn from a coordinator's policy, and policies decomposed into plans."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamebench as gb
from gamebench import kernels
from gamebench.games.loading.openspiel import values_by_open_spiel
from gamebench.games.teams.coordination import sampled_plan
from tests.games.coordinated_games import MCC_VALUES, coordinated, hands, policy_of_kinds, team_games
from tests.oracles.coordinated_teams import random_team_game
from tests.oracles.naive_coordinators import weights_of

SEEDS = st.integers(0, 2**32 - 1)
PAIR = [[0, 1], [2]]


class Given:
    """A generator that returns given numbers."""

    def __init__(self, numbers):
        self.numbers = np.array(numbers)

    def random(self, size):
        return np.broadcast_to(self.numbers, size)


def together(game, team, policy):
    """The weight of independent policies of a team's members at each terminal."""
    return np.prod([weights_of(game, member, policy) for member in team], axis=0)


def is_pure(game, players, policy):
    own = [policy[point.sequences] for point in game.decision_points if point.player in players]
    return all(sorted(row) == [0.0] * (len(row) - 1) + [1.0] for row in own)


@given(team_games(), SEEDS)
@settings(max_examples=25)
def test_plans_are_pure_and_the_others_uniform(game, seed):
    between = coordinated(game)
    policy = policy_of_kinds(between, seed)
    uniform = gb.uniform_policy(game).probabilities
    for index, team in enumerate(game.teams):
        plan = policy.sample_plan(index, seed)
        assert plan.game is game
        assert is_pure(game, team, plan.probabilities)
        for point in game.decision_points:
            if point.player not in team:
                assert (plan.probabilities[point.sequences] == uniform[point.sequences]).all()
        assert np.array_equal(plan.probabilities, policy.sample_plan(index, seed).probabilities)
        again = policy.sample_plan(index, np.random.default_rng(seed))
        assert np.array_equal(plan.probabilities, again.probabilities)
        # The plan leads nowhere where the coordinator never is.
        played = together(game, team, plan.probabilities)
        assert not played[weights_of(between, index, policy.probabilities) == 0].any()


@given(team_games(max_nodes=40), SEEDS)
@settings(max_examples=30)
def test_members_play_their_first_action_where_the_plan_never_leads(game, seed):
    between = coordinated(game)
    pure = policy_of_kinds(between, seed, ("pure",))
    x = np.array(pure.probabilities)
    for index, team in enumerate(game.teams):
        plan = pure.sample_plan(index).probabilities  # there is nothing to draw
        own = between.sequence_form.sequences_of(index)
        prescribed = set(between.coordination.prescriptions[own][x[own] > 0.5].tolist())
        for point in game.decision_points:
            if point.player in team:
                played = point.first_sequence + int(np.argmax(plan[point.sequences]))
                assert played in prescribed or played == point.first_sequence
        assert (together(game, team, plan) == weights_of(between, index, pure.probabilities)).all()


def test_plans_have_the_expected_weights_exactly():
    """Every combination of draws at the seven beliefs, with its probability."""
    game = hands([2, 2], PAIR)
    between = gb.with_coordination(game)
    policy = policy_of_kinds(between, 5, ("zeros", "dense")).probabilities
    rows = [policy[point.sequences] for point in between.decision_points if point.player == 0]
    drawn = [[(np.sum(row[:action]) + p / 2, p) for action, p in enumerate(row) if p > 0] for row in rows]
    total, mean = 0.0, 0.0
    for choice in product(*drawn):
        weight = math.prod(p for _, p in choice)
        plan = sampled_plan(between, policy, 0, Given([number for number, _ in choice]))
        total, mean = total + weight, mean + weight * together(game, (0, 1), plan)
    assert total == pytest.approx(1, abs=1e-12)
    assert mean == pytest.approx(weights_of(between, 0, policy), abs=1e-12)


def test_many_plans_have_the_expected_weights_on_average():
    game = random_team_game(13, [[0, 1], [2, 3]], max_nodes=200, max_depth=7)
    between, generator = gb.with_coordination(game), np.random.default_rng(0)
    policy, batches, count = gb.random_policy(between, 1).probabilities, 20, 100
    for index, team in enumerate(game.teams):
        expected = weights_of(between, index, policy)
        plans = (sampled_plan(between, policy, index, generator) for _ in range(batches * count))
        drawn = np.array([together(game, team, plan) for plan in plans])
        means = drawn.reshape(batches, count, -1).mean(axis=1)
        deviation = np.sqrt(expected * (1 - expected) / count)
        assert (np.abs(means.mean(axis=0) - expected) <= 4 * deviation / np.sqrt(batches) + 1e-12).all()
        assert 0.5 < (((means - expected) / np.maximum(deviation, 1e-9))[:, expected > 0.01] ** 2).mean() < 2


def test_actions_of_probability_zero_are_never_drawn():
    """Not even by the smallest and the largest number that can be drawn."""
    game = gb.load_game("MCCKuhn-A", coordinated=True)
    for action, number in product((0, 1), (0.0, 1 - 2**-53)):
        policy = np.zeros(game.num_sequences)
        for point in game.decision_points:
            policy[point.first_sequence + action % len(point.actions)] = 1
        plan = sampled_plan(game, policy, 0, Given(number))
        full = game.coordination.full_game
        assert (together(full, (0, 1), plan) == weights_of(game, 0, policy)).all()


@given(team_games(max_nodes=40), SEEDS)
@settings(max_examples=25)
def test_a_mixture_plays_as_its_coordinators(game, seed):
    between, exact = coordinated(game), 1e-12 * game.max_abs_payoff
    policy = policy_of_kinds(between, seed, ("zeros", "pure", "dense"))
    mixture = policy.to_mixture()
    assert mixture.game is game
    assert mixture.weights.sum() == pytest.approx(1, abs=1e-12)
    assert (mixture.weights > 0).all()
    several = [player for team in game.teams if len(team) > 1 for player in team]
    reached, expected = 0.0, 1.0
    for own, weight in zip(mixture.policies, mixture.weights, strict=True):
        assert is_pure(game, several, own.probabilities)
        x = np.empty(game.num_sequences + game.num_players)
        kernels.realise(game.sequence_form, np.array(own.probabilities), x)
        reached = reached + weight * x[game.sequence_form.last_sequences].prod(axis=0)
    for index, team in enumerate(game.teams):
        expected = expected * weights_of(between, index, policy.probabilities)
        if len(team) == 1:
            rows = {tuple(own.probabilities[game.sequence_form.sequences_of(team[0])]) for own in mixture.policies}
            assert len(rows) == 1
    assert reached == pytest.approx(expected, abs=1e-12)
    measured = gb.evaluate(game, mixture, "CCEGap"), gb.evaluate(between, policy, "NashConv")
    assert measured[0] == pytest.approx(measured[1], abs=4 * exact)


def test_mixtures_of_the_catalogue_s_games():
    for name in MCC_VALUES:
        game, full = gb.load_game(name, coordinated=True), gb.load_game(name)
        for policy in (gb.random_policy(game, 1), gb.solve(game, "PCFR+", 50, measures=[]).policy):
            mixture = policy.to_mixture()
            assert len({own.probabilities.tobytes() for own in mixture.policies}) == len(mixture.policies)
            gap = gb.evaluate(game, policy, "NashConv")
            assert gb.evaluate(full, mixture, "CCEGap") == pytest.approx(gap, abs=1e-12), name
            values = mixture.weights @ [gb.expected_values(full, own) for own in mixture.policies]
            leaders = [team[0] for team in full.teams]
            assert values[leaders] == pytest.approx(gb.expected_values(game, policy), abs=1e-12), name


@pytest.mark.parametrize(("name", "value"), MCC_VALUES.items())
def test_solutions_of_linear_programs_mix_few_plans_and_go_to_open_spiel(name, value):
    game = gb.load_game(name, coordinated=True)
    solution = gb.solve_exactly(game)
    assert gb.expected_values(game, solution.policy)[0] == pytest.approx(value, abs=1e-12)
    mixture = solution.policy.to_mixture()
    assert len({own.probabilities.tobytes() for own in mixture.policies}) == len(mixture.policies) <= 20
    assert gb.evaluate(mixture.game, mixture, "CCEGap") == pytest.approx(0, abs=1e-12)
    plain = gb.load_game("kuhn_poker(players=3)" if "Kuhn" in name else mixture.game.source.text)
    values = 0.0
    for own, weight in zip(mixture.policies, mixture.weights, strict=True):
        exported = own.to_open_spiel()
        back = gb.Policy.from_open_spiel(mixture.game, exported)
        assert np.array_equal(back.probabilities, own.probabilities)
        values = values + weight * values_by_open_spiel(plain, exported)
    means = [values[list(team)].mean() for team in mixture.game.teams]
    assert means == pytest.approx(solution.payoffs, abs=1e-12)


def test_open_spiel_policies_of_the_members_are_lifted():
    game, full = gb.load_game("MCCKuhn-B", coordinated=True), gb.load_game("MCCKuhn-B")
    members = gb.random_policy(full, 4)
    for lifted in (
        gb.Policy.from_open_spiel(game, members.to_open_spiel()),
        gb.lift(game, members.to_open_spiel()),
        gb.lift(game, members),
        gb.lift(game, gb.Policy(gb.load_game("Kuhn"), members.probabilities)),
    ):
        assert lifted.game is game
        assert np.array_equal(lifted.probabilities, gb.lift(game, members).probabilities)
