"""Counterfactual regret minimisation (Zinkevich, Johanson, Bowling and Piccione, 2007).

Each iteration, for each player in turn:

1. q(I,a), the counterfactual value of each action at each decision point;
2. regret(I,a) += q(I,a) - v(I);
3. count the current policy, weighted by the player's own reach, towards the average;
4. the next policy is proportional to the positive regrets, uniform if there are none.

The *average* policy converges to a Nash equilibrium in two-player zero-sum games; it is the one reported.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gamebench import kernels
from gamebench.algorithms.algorithm import Algorithm, State, uniform_start
from gamebench.games.game import Game
from gamebench.games.tree import FloatArray
from gamebench.settings import setting, yes_or_no


class RegretState(State):
    """Regrets and play so far."""

    regrets: FloatArray
    """``(S,)`` counterfactual regrets, summed over iterations."""
    total_play: FloatArray
    """``(S,)`` realisation weights of the policies so far, summed."""


class CFR(Algorithm):
    """Counterfactual regret minimisation."""

    name: ClassVar[str] = "CFR"
    uses_seed: ClassVar[bool] = False
    reports: ClassVar[str] = "the average policy"
    version: ClassVar[int] = 2  # since regrets within rounding of zero count as zero
    plus: ClassVar[bool] = False
    """Whether regrets are cut at 0 and later iterations count more."""

    alternating: bool = setting(
        yes_or_no, "whether each player already sees what those before it did in the same iteration", default=True
    )

    def start(self, game: Game, seed: int) -> RegretState:
        """No regrets, and nothing played."""
        regrets, total_play = np.zeros((2, game.num_sequences))
        return RegretState(seed=seed, policy=uniform_start(game), regrets=regrets, total_play=total_play)

    def advance(self, game: Game, state: State, iterations: int) -> None:
        """Do so many iterations; ``state`` is modified in place."""
        assert isinstance(state, RegretState)
        arrays = (state.regrets, state.total_play, state.policy, state.counts)
        kernels.cfr_steps(game.tree, game.endings, iterations, self.alternating, self.plus, *arrays)

    def policy(self, game: Game, state: State) -> FloatArray:
        """``(S,)`` the average policy, uniform where a player never came."""
        assert isinstance(state, RegretState)
        if not game.num_sequences:
            return state.policy
        firsts = game.tree.first_sequences
        counts = np.diff(firsts)
        totals = np.repeat(np.add.reduceat(state.total_play, firsts[:-1]), counts)
        never = totals <= 0.0
        return np.where(never, 1.0 / np.repeat(counts, counts), state.total_play / np.where(never, 1.0, totals))
