"""A learner: one run of regret matching that can be restarted from any joint policy.

The policies along a run of regret matching circle around a solution, and their averages approach it. A *restart* goes
on from an average, so that the next circles are smaller; near a solution each restart then divides the distance by the
same factor, and convergence is linear. Which policy to go on from is decided by measuring candidates:

    current        the policy that would be played next
    averages       of the policies played since the last restart, weighted by k^0, k^2, ...
    extrapolated   proportional to max(0, R + 2 (R - R')), where R' are the regrets right after the last restart

The extrapolated policy is where the learner would be after three times as long if its regrets kept changing at the same
rate. While circles are small, regrets can drift like that for thousands of iterations. A learner that began without
regrets has no use for it: there it equals the current policy, apart from predictions. Until a learner may restart,
measuring only decides what is reported, and the current policy and the average with the steepest weights are enough.

A restart keeps the step size of every decision point, which is the reciprocal of its regret norm:

    R(I, .) <- |R+(I, .)|_1 c(. | I),   where c is the policy from which the learner goes on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gamebench import kernels
from gamebench.algorithms.algorithm import State
from gamebench.core.arrays import FloatArray
from gamebench.games.game import Game
from gamebench.policies.policy import sums_at_points

EXTRAPOLATION = 2.0
"""How far ahead the extrapolated candidate looks, in periods since the last restart."""
PROBATION = 100
"""A learner whose first restart comes at this age or later is on probation."""
PACE = 3
"""A learner is slow if it is more than this many times as old as when its loss last fell to a fifth."""
MOTIONLESS = 1e-14
"""A policy whose probabilities all change by less between two checks has stopped moving."""


@dataclass(kw_only=True)
class Learner:
    """State of one run of regret matching; its arrays are modified in place."""

    policy: FloatArray
    """``(S,)`` the current joint policy."""
    regrets: FloatArray
    """``(S,)`` counterfactual regrets."""
    origin: FloatArray
    """``(S,)`` the regrets right after the last restart."""
    powers: FloatArray
    """``(W,)`` for each average: iteration k since the last restart has the weight k to this power."""
    sums: FloatArray
    """``(W, S)`` weighted sums of the realisation plans since the last restart."""
    latest: FloatArray
    """``(S,)`` the regrets of the latest iteration; empty unless predictions adapt."""
    changes: FloatArray
    """``(3, D)`` what predictions adapt to; empty unless they do."""
    seen: FloatArray
    """``(S,)`` the policy at the last check."""
    best_policy: FloatArray
    """``(S,)`` the best of the candidates so far."""
    clock: npt.NDArray[np.int64]
    """``(2,)`` iterations since the last restart; kernels increment both entries."""
    age: int = 0
    """Number of iterations since the learner began."""
    next_check: int
    """The age at which candidates are measured next."""
    evaluated: int = 0
    """Number of joint policies that it has evaluated."""
    loss: float = math.inf
    """Loss of the best candidate so far."""
    best_age: int = 0
    """The age at which that candidate was found."""
    level: float = math.inf
    """Loss at the last restart."""
    previous: float = math.inf
    """Least loss at the last check."""
    last_period: int = 0
    """Number of iterations between the last restart and the one before it."""
    milestone: float = math.inf
    """The loss at the last milestone; the next one comes when the loss has fallen to a fifth of it."""
    milestone_age: int = 0
    """The age at the last milestone."""
    checks: int = 0
    """Number of checks, in each of which candidates are measured."""
    history: FloatArray
    """``(64,)`` least loss after each of its first checks."""
    variant: int = 0
    """Which of the algorithm's variants it follows."""
    first_restart: int = 0
    """The age at which it may restart for the first time."""
    restarts: bool
    """Whether it restarts at all."""
    is_fixed: bool = False
    """Whether its policy has stopped moving."""
    contrary: int = 0
    """Whose payoffs it negates: bit i stands for player i."""
    altruism: int = 0
    """If not 0, all players want a weighted sum of all payoffs, and this is the seed of the weights."""

    @property
    def period(self) -> int:
        """Number of iterations since the last restart."""
        return int(self.clock[0])

    @property
    def is_slow(self) -> bool:
        """Whether two thirds of its iterations have passed since its loss last fell to a fifth."""
        return self.age > PACE * self.milestone_age

    @property
    def on_probation(self) -> bool:
        """Whether its first restart comes so late that a twin tries it first."""
        return self.first_restart >= PROBATION

    @property
    def may_restart(self) -> bool:
        """Whether it is old enough for its first restart."""
        return self.age >= self.first_restart

    def candidates(self, game: Game) -> FloatArray:
        """Return the joint policies ``(C, S)`` to be measured: only the current one if it has stopped moving."""
        moved = np.abs(self.policy - self.seen).max(initial=0.0)
        if self.period > 0 and moved < MOTIONLESS:
            return self.policy[None].copy()
        sums = self.sums if self.may_restart else self.sums[-1:]
        if self.may_restart and self.origin.any():
            ahead = self.regrets + EXTRAPOLATION * (self.regrets - self.origin)
            sums = np.concatenate([sums, ahead[None]])
        candidates = np.empty((len(sums) + 1, len(self.policy)))
        candidates[0] = self.policy
        kernels.normalise_all(game.sequence_form, sums, candidates[1:])
        return candidates

    def finish_check(self, candidates: FloatArray) -> None:
        """Remember the policy of this check; a single candidate means that the learner has stopped moving."""
        self.is_fixed = len(candidates) == 1
        self.seen[:] = self.policy

    def note(self, policies: FloatArray, losses: FloatArray) -> None:
        """Remember the best of the candidates, and when the loss last fell to a fifth."""
        best = int(losses.argmin())
        if losses[best] < self.loss:
            self.loss, self.best_age = float(losses[best]), self.age
            self.best_policy[:] = policies[best]
        self.history[self.checks :] = self.loss
        self.checks += 1
        if self.loss < self.milestone / 5.0:
            self.milestone, self.milestone_age = self.loss, self.age

    def go_on_from(self, game: Game, policy: FloatArray) -> None:
        """Restart from a joint policy with the same regret norms."""
        self.regrets[:] = self.norms(game) * policy
        self.policy[:] = policy
        self.origin[:] = self.regrets
        self.sums[:] = 0.0
        self.last_period = self.period
        self.clock[:] = 0

    def loss_after(self, checks: int) -> float:
        """Return its least loss after some number of checks: at first, all learners are checked at the same ages."""
        return float(self.history[min(checks, len(self.history)) - 1])

    def norms(self, game: Game) -> FloatArray:
        """Return the sum of the positive regrets at the decision point of each sequence ``(S,)``."""
        return sums_at_points(game, np.maximum(self.regrets, 0.0))


class GuidedState(State):
    """The main learner, an explorer, and the best policy measured."""

    main: Learner
    explorer: Learner
    found: FloatArray
    """``(S,)`` the policy that is reported."""
    found_loss: float = math.inf
    """Its loss, by which learners are guided."""
    found_value: float = math.inf
    """Its loss by the objective, if that selects among equilibria."""
    is_exploring: bool = False
    """Whether it is the explorer's turn."""
    is_undecided: bool = False
    """Whether the next turn has yet to be chosen: the objective raised an error meanwhile."""
    explores: str = ""
    """What kind of explorer there is: a scout, a twin that has restarted, a wanderer, or none."""
    scouts: int = 0
    """Number of scouts so far."""
    parted: int = 0
    """The age at which the twin and the main learner parted."""
    allowed: float = 0.0
    """Number of joint policies that explorers may evaluate."""
    used: int = 0
    """Number of joint policies that explorers have evaluated."""
    accounted: int = 0
    """Number of joint policies evaluated when turns were last chosen."""
    lone: FloatArray
    """``(S,)`` the maximin policy of a player who faces a team alone, NaN elsewhere and until it is known."""
    is_lone_known: bool = False
    """Whether that player has been looked for."""
    are_threats_known: bool = False
    """Whether the players' security levels have been computed and counted."""
