"""Quantal response: how far a joint policy is from a logit equilibrium.

A player of rationality lambda does not always choose the best action, but better ones more often. In an agent logit
quantal response equilibrium every decision point I has the probabilities

    sigma(a|I)  ~  e^(lambda Q(I,a))

where Q(I,a) is the acting player's expected payoff if it plays a at I, given that I is reached and everyone follows the
policy otherwise. With lambda = 0 everybody plays uniformly; as lambda grows, logit equilibria approach Nash equilibria.
1 / lambda is the temperature. In normal form this is the logit equilibrium of McKelvey and Palfrey (1995).

    LogitGap(rationality=lambda)    max_I 1/2 sum_a |pi(a|I) - sigma(a|I)|    lower is better; from 0 to 1

It is 0 exactly at the logit equilibria: the largest share of choices, over all decision points, that would have to be
others. Where the others never arrive, all Q are 0 and sigma is uniform; that does not happen in an equilibrium, whose
probabilities are all positive.

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
    """Return what players of bounded rationality do if everyone is expected to follow a policy.

    At each decision point, actions are chosen with probabilities in proportion to e^(rationality Q), where Q are the
    :func:`action_values` of ``policy``. A policy that is its own logit response is a logit equilibrium.

    Args:
        game: the game.
        policy: the joint policy that players expect.
        rationality: lambda, at least 0; its inverse is the temperature. Payoffs in other units need another one.

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
    if not len(q):  # nobody has a choice
        return expected
    firsts, counts = game.sequence_form.first_sequences[:-1], np.diff(game.sequence_form.first_sequences)
    with np.errstate(over="ignore"):  # a difference beyond all floats is a probability of 0
        worse = np.minimum(q - np.repeat(np.maximum.reduceat(q, firsts), counts), 0.0)
        weights = np.exp(worse * rationality) if rationality > 0.0 else np.ones(len(q))
    return Policy(game, weights / np.repeat(np.add.reduceat(weights, firsts), counts))


def logit_gap(game: Game | str, policy: AnyPolicy, rationality: float = 1.0) -> float:
    """Return how far a policy is from a logit quantal response equilibrium, from 0 to 1.

    It is the largest total variation distance, over all decision points, between the policy and its
    :func:`logit_response`: 0 exactly at an (agent) logit equilibrium. The same as the measure
    ``"LogitGap(rationality=...)"``, which ``evaluate``, runs and sweeps take.

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
    if not game.num_sequences:  # nobody has a choice
        return np.zeros(len(policies))
    responses = [logit_response(game, Policy(game, policy), rationality).probabilities for policy in policies]
    distances = np.add.reduceat(np.abs(policies - responses), game.sequence_form.first_sequences[:-1], axis=1)
    return np.asarray(distances.max(axis=1) / 2)


@cache  # always the same object: sweeps look it up by its name
def _of_rationality(rationality: float) -> Measure:
    value = repr(rationality).removesuffix(".0")
    return Measure(
        name=NAME if rationality == 1.0 else f"{NAME}(rationality={value})",
        direction=Direction.LOWER,
        unit="probability, largest of all decision points",
        applies_to=f"every game; with another rationality as {NAME}(rationality=2)",
        applies=everywhere,
        compute=partial(_gaps, rationality),
        definition="The largest total variation distance, over all decision points, between the policy and its logit "
        "response: 0 exactly at a logit quantal response equilibrium.",
    )


def logit_measure(rationality: float = 1.0) -> Measure:
    """Return the measure ``LogitGap(rationality=...)``; with a rationality of 1 it is called ``LogitGap``."""
    return _of_rationality(_checked(rationality))


MEASURES.add_family(NAME, logit_measure)
