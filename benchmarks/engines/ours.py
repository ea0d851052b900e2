"""GameBench's own algorithms."""

from __future__ import annotations

import numpy as np

import gamebench as gb

TIE = 1e-12
"""Regrets below this, relative to the largest payoff, are 0 but for rounding."""
ITERATIONS = 1000
"""For how many iterations an algorithm is told to set itself up."""


class OurSolver:
    """Any of our algorithms, without the measuring and reporting around it."""

    def __init__(self, game: gb.Game, algorithm: gb.Algorithm) -> None:
        self.game, self.algorithm = game, algorithm.configured(game, ITERATIONS)
        self.state = self.algorithm.start(game, 0)

    def run(self, iterations: int) -> None:
        """Do so many more iterations."""
        self.algorithm.advance(self.game, self.state, iterations)

    def is_tied(self) -> bool:
        """Whether rounding decides what is played next: some best regret is nearly 0, and not because all are 0."""
        regrets = getattr(self.state, "regrets", None)
        if regrets is None:
            return False
        firsts, tie = self.game.tree.first_sequences[:-1], TIE * self.game.max_abs_payoff
        is_best_small = np.abs(np.maximum.reduceat(regrets, firsts)) < tie
        is_rounded = np.logical_or.reduceat((regrets != 0.0) & (np.abs(regrets) < tie), firsts)
        return bool((is_best_small & is_rounded).any())

    def nash_conv(self) -> float:
        """NashConv of the policy that the algorithm reports."""
        policy = gb.Policy(self.game, self.algorithm.policy(self.game, self.state))
        return gb.evaluate(self.game, policy, "NashConv")
