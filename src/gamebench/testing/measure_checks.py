"""Questions to every registered measure."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from gamebench.algorithms import CMD
from gamebench.games.game import Game
from gamebench.games.tree import FloatArray
from gamebench.measures import Measure, evaluate
from gamebench.policy import Mixture, Policy, random_policy
from gamebench.testing.conformance import known_policies, refused, require, sample_games

TOLERANCE = 1e-9
"""Largest difference from zero, or between equal values, relative to the largest payoff."""
ROUNDING = 1e-12


def a_number_for_each_policy(measure: Measure) -> None:
    """It returns one finite number per policy and does not modify the policies."""
    for game, policies in _where_it_applies(measure):
        given = policies.copy()
        values = measure.of_batch(game, given)
        require(values.shape == (len(policies),), f"of {len(policies)} policies it gives {values.shape} numbers.")
        require(np.array_equal(given, policies), "it changes the policies that it is given.")


def one_by_one(measure: Measure) -> None:
    """It gives the same numbers for single policies, for batches, and when it is asked again."""
    for game, policies in _where_it_applies(measure):
        together, again = measure.of_batch(game, policies.copy()), measure.of_batch(game, policies.copy())
        require(np.array_equal(together, again), f"asked twice on {game.name!r} it gives other numbers.")
        alone = np.array([evaluate(game, Policy(game, policy), measure) for policy in policies])
        error = np.abs(alone - together).max()
        require(error <= ROUNDING * (1 + np.abs(together).max()), f"one by one the numbers differ by {error:.3g}.")


def says_where_it_applies(measure: Measure) -> None:
    """It refuses games to which it does not apply, and invalid policies, with a clear error."""
    for game in sample_games():
        if not measure.applies(game):
            with refused(f"{game.name!r}, to which it does not apply,"):
                evaluate(game, random_policy(game), measure)
        else:
            with refused("A policy of another length"):
                measure.of_batch(game, np.ones((1, game.num_sequences + 1)))


def zero_at_solutions(measure: Measure) -> None:
    """It is zero at known solutions of the kind that it names, and positive elsewhere."""
    is_tested = False
    for known in known_policies():
        if not measure.applies(known.game):
            continue
        value, scale = evaluate(known.game, known.policy, measure), known.game.max_abs_payoff
        if measure.zero_at in known.solves:
            is_tested = True
            require(abs(value) <= TOLERANCE * scale, f"it must be zero at {known}, and is {value!r}.")
        else:
            require(value > TOLERANCE * scale, f"it must be positive at {known}, and is {value!r}.")
    require(is_tested, "it applies to none of the games with known solutions.")


def of_a_mixture_of_one(measure: Measure) -> None:
    """A mixture of a single policy has the value of that policy."""
    for game, policies in _where_it_applies(measure):
        policy = Policy(game, policies[0])
        pure, mixed = evaluate(game, policy, measure), evaluate(game, Mixture([policy]), measure)
        is_close = abs(pure - mixed) <= TOLERANCE * game.max_abs_payoff
        require(is_close, f"of a policy it is {pure!r}, as a mixture {mixed!r}.")


def is_an_objective(measure: Measure) -> None:
    """CMD can optimise it, unless it measures a whole run."""
    for game, _ in _where_it_applies(measure):
        if measure.of_average:
            with refused("A measure of a whole run as an objective"):
                CMD(objective=measure).configured(game, 1)
            continue
        algorithm = CMD(objective=measure).configured(game, 12)
        state = algorithm.start(game, 0)
        algorithm.advance(game, state, 12)
        Policy(game, algorithm.policy(game, state))


def _where_it_applies(measure: Measure) -> Iterator[tuple[Game, FloatArray]]:
    """Yield the sample games that the measure applies to, each with three random policies ``(3, S)``."""
    games = [game for game in sample_games() if measure.applies(game)]
    require(games, f"it applies to none of the sample games ({measure.applies_to}).")
    for game in games:
        yield game, np.array([random_policy(game, seed).probabilities for seed in range(3)])


def questions(measure: Measure) -> list[Callable[[Measure], None]]:
    """Return the questions to ``measure``."""
    always = [a_number_for_each_policy, one_by_one, says_where_it_applies, is_an_objective]
    mixtures = [] if measure.of_play is None else [of_a_mixture_of_one]
    zeros = [] if measure.zero_at is None else [zero_at_solutions]
    return [*always, *mixtures, *zeros]
