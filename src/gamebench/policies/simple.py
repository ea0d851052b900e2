"""Uniform and random policies."""

from __future__ import annotations

import numpy as np

from gamebench.games.game import Game
from gamebench.games.names import as_game
from gamebench.policies.policy import Policy, generator_of, sums_at_points


def uniform_policy(game: Game | str) -> Policy:
    """Return the policy that plays every action of a decision point with equal probability.

    Examples:
        >>> import gamebench as gb
        >>> gb.uniform_policy(gb.load_game("kuhn_poker"))["0pb"]
        {'Pass': 0.5, 'Bet': 0.5}
    """
    game = as_game(game)
    counts = np.diff(game.sequence_form.first_sequences)
    return Policy(game, np.repeat(1.0 / counts, counts))


def random_policy(game: Game | str, seed: int | np.random.Generator = 0) -> Policy:
    """Return a policy drawn uniformly at random from the simplex of each decision point.

    Examples:
        >>> import gamebench as gb
        >>> {action: round(p, 4) for action, p in gb.random_policy(gb.load_game("kuhn_poker"), seed=1)["0pb"].items()}
        {'Pass': 0.9362, 'Bet': 0.0638}
    """
    game = as_game(game)
    rng = generator_of(seed)
    weights = rng.exponential(size=game.num_sequences)
    return Policy(game, weights / sums_at_points(game, weights))
