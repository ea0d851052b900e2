"""Quantal response: the distance of a joint policy from a logit equilibrium.

A player of rationality lambda chooses better actions more often, but not always the best one. In an agent logit quantal
response equilibrium, the probabilities at every decision point I are

    sigma(a|I)  ~  e^(lambda Q(I,a))

where Q(I,a) is the acting player's expected payoff if it plays a at I, given that I is reached and everyone follows the
policy otherwise. With lambda = 0 everyone plays uniformly; as lambda grows, logit equilibria approach Nash equilibria.
1 / lambda is the temperature. In normal form this is the logit equilibrium of McKelvey and Palfrey (1995).

    LogitGap(rationality=lambda)    max_I 1/2 sum_a |pi(a|I) - sigma(a|I)|    lower is better; from 0 to 1

It is the largest probability mass, over all decision points, that would have to move to turn pi into sigma, so it is 0
exactly at the logit equilibria. Where chance and the other players arrive with probability 0, Q is 0 and sigma
uniform. Logit equilibria have no such decision points, because all their probabilities are positive.

References:
    R. D. McKelvey and T. R. Palfrey, Quantal Response Equilibria for Normal Form Games, Games and Economic Behavior 10,
    1995; Quantal Response Equilibria for Extensive Form Games, Experimental Economics 1, 1998.
"""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from gamebench.analysis.measures.measure import MEASURES, Direction, Measure, evaluate, everywhere
from gamebench.core.arrays import FloatArray
from gamebench.core.errors import MeasureError
from gamebench.core.settings import checked, real
from gamebench.games.game import Game
from gamebench.games.names import as_game
from gamebench.policies import AnyPolicy, Policy, action_values, as_policy

NAME = "LogitGap"


def logit_response(game: Game | str, policy: AnyPolicy, rationality: float = 1.0) -> Policy:
    """Return the policy of players of bounded rationality who expect everyone to follow ``policy``.

    At each decision point, actions are chosen with probabilities in proportion to e^(rationality Q), where Q are the
    :func:`action_values` of ``policy``. A policy that is its own logit response is a logit equilibrium.

    Args:
        game: the game.
        policy: the joint policy that players expect.
        rationality: lambda, at least 0; its inverse is the temperature. It depends on the unit of payoffs.

    Examples:
        >>> import gamebench as gb
        >>> pennies = gb.Game.from_payoffs([[[9, 0], [0, 1]], [[0, 1], [1, 0]]])  # asymmetric matching pennies
        >>> gb.logit_response(pennies, gb.uniform_policy(pennies)).probabilities.round(3).tolist()
        [0.982, 0.018, 0.5, 0.5]

    References:
        R. D. McKelvey and T. R. Palfrey, "Quantal Response Equilibria for Extensive Form Games", Experimental Economics
        1, 1998.
    """
    game, rationality = as_game(game), _checked(rationality)
    expected = as_policy(game, policy)
    q, _ = action_values(game, expected)
    if not len(q):  # no decision points
        return expected
    firsts, counts = game.sequence_form.first_sequences[:-1], np.diff(game.sequence_form.first_sequences)
    with np.errstate(over="ignore"):  # an infinite difference gives probability 0
        worse = np.minimum(q - np.repeat(np.maximum.reduceat(q, firsts), counts), 0.0)
        weights = np.exp(worse * rationality) if rationality > 0.0 else np.ones(len(q))
    return Policy(game, weights / np.repeat(np.add.reduceat(weights, firsts), counts))


def logit_gap(game: Game | str, policy: AnyPolicy, rationality: float = 1.0) -> float:
    """Return how far a policy is from a logit quantal response equilibrium, from 0 to 1.

    It is the largest total variation distance, over all decision points, between the policy and its
    :func:`logit_response`, and 0 exactly at an (agent) logit equilibrium. It is the same as the measure
    ``"LogitGap(rationality=...)"`` of ``evaluate``, runs and sweeps.

    Args:
        game: the game.
        policy: the joint policy.
        rationality: lambda, at least 0; its inverse is the temperature.

    Examples:
        >>> import gamebench as gb
        >>> result = gb.solve("kuhn_poker", "MMD-KL", 1000, temperature=0.5)
        >>> gb.logit_gap(result.game, result.policy, rationality=2) < 1e-9
        True

    References:
        R. D. McKelvey and T. R. Palfrey, "Quantal Response Equilibria for Extensive Form Games", Experimental Economics
        1, 1998.
    """
    return evaluate(game, policy, logit_measure(rationality))


def _checked(rationality: float) -> float:
    return checked("rationality", rationality, real(0, or_equal=True), MeasureError)


def _gaps(rationality: float, game: Game, policies: FloatArray) -> FloatArray:
    if not game.num_sequences:  # no decision points
        return np.zeros(len(policies))
    responses = [logit_response(game, Policy(game, policy), rationality).probabilities for policy in policies]
    distances = np.add.reduceat(np.abs(policies - responses), game.sequence_form.first_sequences[:-1], axis=1)
    return np.asarray(distances.max(axis=1) / 2)


@cache  # sweeps look up the measure by name and need the same object each time
def _of_rationality(rationality: float) -> Measure:
    value = repr(rationality).removesuffix(".0")
    return Measure(
        name=NAME if rationality == 1.0 else f"{NAME}(rationality={value})",
        direction=Direction.LOWER,
        unit="probability, maximum over decision points",
        applies_to=f"every game; for another rationality, write for instance {NAME}(rationality=2)",
        applies=everywhere,
        compute=partial(_gaps, rationality),
        definition="The largest total variation distance, over all decision points, between the policy and its logit "
        "response: 0 exactly at a logit quantal response equilibrium.",
    )


def logit_measure(rationality: float = 1.0) -> Measure:
    """Return the measure ``LogitGap(rationality=...)``; a rationality of 1 gives ``LogitGap``."""
    return _of_rationality(_checked(rationality))


MEASURES.add_family(NAME, logit_measure)
