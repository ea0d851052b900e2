"""Counterfactual regret minimisation, CFR, and CFR+.

In each iteration, for each player in turn:

1. compute q(I,a), the counterfactual value of each action at each of the player's decision points;
2. regret(I,a) += q(I,a) - v(I), where v(I) is the value of the current policy; CFR+ then cuts regrets at 0;
3. add the current policy, weighted by the player's own reach, to the average; CFR+ counts iteration k k times;
4. make the next policy proportional to the positive regrets, or uniform if there are none.

In two-player zero-sum games the *average* policy converges to a Nash equilibrium; it is the policy reported.
The loop, with the weight of each iteration in the average, is ``cfr_steps`` in ``kernels/regret.py``.
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
    """Regrets and average policy."""

    regrets: FloatArray
    """``(S,)`` counterfactual regrets, summed over iterations."""
    total_play: FloatArray
    """``(S,)`` realisation weights of the past policies, summed over iterations."""


class CFR(Algorithm[RegretState]):
    """Counterfactual regret minimisation.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn", gb.CFR(), 100).curve.last["NashConv"] < 0.05
        True

    References:
        M. Zinkevich et al., Regret Minimization in Games with Incomplete Information, NIPS 2007.
    """

    name: ClassVar[str] = "CFR"
    uses_seed: ClassVar[bool] = False
    reports: ClassVar[str] = "the average policy"
    version: ClassVar[int] = 2  # since regrets within rounding of zero count as zero
    plus: ClassVar[bool] = False
    """Whether regrets are cut at 0 and iteration k counts k times in the average, as in CFR+."""

    alternating: bool = setting(
        yes_or_no,
        "whether players are updated in turn, each seeing the updates before it in the same iteration",
        default=True,
    )

    def start(self, game: Game, seed: int) -> RegretState:
        """Return a state without regrets, at the uniform policy."""
        regrets, total_play = np.zeros((2, game.num_sequences))
        return RegretState(seed=seed, policy=uniform_start(game), regrets=regrets, total_play=total_play)

    def advance(self, game: Game, state: RegretState, iterations: int) -> None:
        """Run ``iterations`` iterations; ``state`` is modified in place."""
        arrays = (state.regrets, state.total_play, state.policy, state.counts)
        kernels.cfr_steps(game.tree, game.endings, iterations, self.alternating, self.plus, *arrays)

    def policy(self, game: Game, state: RegretState) -> FloatArray:
        """Return the average policy ``(S,)``, which is uniform at decision points that were never reached."""
        if not game.num_sequences:
            return state.policy
        firsts = game.tree.first_sequences
        counts = np.diff(firsts)
        totals = np.repeat(np.add.reduceat(state.total_play, firsts[:-1]), counts)
        never = totals <= 0.0
        return np.where(never, 1.0 / np.repeat(counts, counts), state.total_play / np.where(never, 1.0, totals))


class CFRPlus(CFR):
    """CFR+: regrets are cut at 0, and the policy of iteration k counts k times in the average.

    An action that was bad for a long time is therefore played again as soon as it becomes good.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn", gb.CFRPlus(), 100).curve.last["NashConv"] < 0.01
        True

    References:
        O. Tammelin, Solving Large Imperfect Information Games Using CFR+, 2014, arXiv:1407.5042.
    """

    name: ClassVar[str] = "CFR+"
    plus: ClassVar[bool] = True
