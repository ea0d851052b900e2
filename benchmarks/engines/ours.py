"""GameBench's own algorithms."""

from __future__ import annotations

import numpy as np

import gamebench as gb

TIE = 1e-12
"""Regrets below this share of the largest payoff are 0 up to rounding."""
ITERATIONS = 1000
"""Number of iterations that algorithms are configured for."""


class OurSolver:
    """Any of our algorithms, without measuring and reporting."""

    def __init__(self, game: gb.Game, algorithm: gb.Algorithm) -> None:
        self.game, self.algorithm = game, algorithm.configured(game, ITERATIONS)
        self.state = self.algorithm.start(game, 0)

    def run(self, iterations: int) -> None:
        """Do ``iterations`` more iterations."""
        self.algorithm.advance(self.game, self.state, iterations)

    def is_tied(self) -> bool:
        """Return whether a best regret is 0 at a reachable point: engines without a rule for ties may then differ."""
        regrets = getattr(self.state, "regrets", None)
        if regrets is None:
            return False
        firsts, tie = self.game.sequence_form.first_sequences[:-1], TIE * self.game.max_abs_payoff
        is_best_small = np.abs(np.maximum.reduceat(regrets, firsts)) < tie
        _, reach = gb.action_values(self.game, gb.Policy(self.game, self.state.policy))
        return bool((is_best_small & (reach > 0.0)).any())

    def nash_conv(self) -> float:
        """Return NashConv of the policy that the algorithm reports."""
        policy = gb.Policy(self.game, self.algorithm.policy(self.game, self.state))
        return gb.evaluate(self.game, policy, "NashConv")
