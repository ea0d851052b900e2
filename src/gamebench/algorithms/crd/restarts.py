"""Restarts: while a learner runs, the measure decides when it restarts, and from which policy.

Every ``restart`` iterations (the first time after five) the learner's candidates are measured; each counts as a joint
policy evaluated. Until a learner may restart, checks are at least a sixteenth of its age apart. Let m be the least of
the candidates' losses and L the loss at the last restart.

1. *Restart* from the best candidate if m < 0.2 L, or if m < 0.8 L and m is greater than at the check before; L := m.
   The main learner does so only after S / 20 iterations, with S the number of sequences: before it knows roughly which
   actions matter, restarts do more harm than good, and the larger the game, the longer that takes. If that is 100
   iterations or more, the learner is on probation: with ``explore`` a twin restarts, and the main learner goes on
   without a restart.
2. *Stall* if the period since the last restart is at least 100 iterations and five times the one before: go on from the
   learner's best policy.

The best policy ever measured is reported.

An objective that is not a distance from a solution, such as SocialWelfare, *selects* among equilibria: NashConv guides
the learners, and of all candidates whose NashConv is at most ``tolerance`` times the largest payoff, the best one by
the objective is reported.

References:
    Restarts when enough progress is measured: D. Applegate, O. Hinder, H. Lu and M. Lubin, Faster First-Order
    Primal-Dual Methods for Linear Programming using Restarts and Sharpness, Mathematical Programming 201, 2023.
"""

from __future__ import annotations

import math
from copy import deepcopy
from typing import TYPE_CHECKING

import numpy as np

from gamebench.algorithms.crd.learner import GuidedState, Learner
from gamebench.core.arrays import FloatArray
from gamebench.games.game import Game, remembered
from gamebench.games.sequence_form import Endings
from gamebench.games.terminals import endings_of
from gamebench.kernels.threads import with_threads

if TYPE_CHECKING:
    from gamebench.algorithms.crd.guided import Guided

FIRST_CHECK = 5
"""Iterations before a learner's first check."""
SUFFICIENT, NECESSARY = 0.2, 0.8
"""A learner restarts below the first fraction of the loss at its last restart; below the second, if the loss rises."""
STALL_FACTOR, SHORTEST = 5, 100
"""A learner stalls when its period has both this many times the length of the last one and this many iterations."""
OF_AGE, LONG_ENOUGH, BETWEEN = 8, 100, 4
"""A twin gets an eighth of its age, but at least 100 iterations; the next twin comes after four times as many."""
NOBODY, SCOUT, TWIN, WANDERER = "", "scout", "twin", "wanderer"
"""Kinds of explorers."""
UNDESERVED = 100.0
"""How much better than an equilibrium a policy's objective may look, as a multiple of its NashConv."""
POWERS = (0.0, 2.0)
"""Exponents of the averages among the candidates."""


def new_learner(algorithm: Guided, game: Game, policy: FloatArray, regrets: FloatArray, variant: int = 0) -> Learner:
    """Return a learner that starts from a joint policy with these regrets."""
    powers, size = np.array(sorted({*POWERS, algorithm.gamma})), game.num_sequences
    return Learner(
        policy=policy.copy(),
        regrets=regrets.copy(),
        origin=regrets.copy(),
        powers=powers,
        sums=np.zeros((len(powers), size)),
        latest=np.zeros(size if algorithm.adapts else 0),
        changes=np.zeros((3, game.num_decision_points if algorithm.adapts else 0)),
        seen=policy.copy(),
        best_policy=policy.copy(),
        clock=np.zeros(2, dtype=np.int64),
        history=np.full(64, math.inf),
        variant=variant,
        restarts=algorithm.restart != "none",
        next_check=min(FIRST_CHECK, algorithm.interval),
    )


def advance_learner(algorithm: Guided, game: Game, learner: Learner, steps: int) -> None:
    """Run some iterations of a learner, which is modified in place."""
    t = np.arange(learner.age + 1.0, learner.age + steps + 1.0)
    endings = endings_of_wishes(game, learner.contrary, learner.altruism)
    arrays = (learner.latest, learner.changes, learner.regrets, learner.sums[0], learner.policy)
    averages = (learner.powers[1:], learner.sums[1:], learner.clock)  # the first weighs all iterations the same
    algorithm.variants[learner.variant].run_steps(game, endings, t, 1.0, True, *arrays, *averages)
    learner.age += steps
    learner.evaluated += steps


def altruistic_weights(game: Game, altruism: int) -> FloatArray:
    """Return the weights ``(N,)``, about equal, of the players' payoffs in the sum that altruists maximise."""
    drawn: FloatArray = np.random.default_rng(altruism).dirichlet(np.full(game.num_players, 10.0 * game.num_players))
    return drawn


@remembered
def _latest_wishes(_: Game) -> dict[tuple[int, int], Endings]:
    """Return the cache of endings with other payoffs; it keeps only the latest, because they are large."""
    return {}


def endings_of_wishes(game: Game, contrary: int, altruism: int) -> Endings:
    """Return the endings of a game with the payoffs of contrary or altruistic players: see :class:`Learner`."""
    if not contrary and not altruism:
        return game.paying_endings
    known = _latest_wishes(game)
    if (contrary, altruism) not in known:
        signs = np.where(contrary >> np.arange(game.num_players) & 1, -1.0, 1.0)
        payoffs = game.sequence_form.payoffs * signs[:, None]
        if altruism:
            wanted = altruistic_weights(game, altruism) @ game.sequence_form.payoffs
            payoffs = np.repeat(wanted[None], game.num_players, axis=0)
        known.clear()
        known[contrary, altruism] = endings_of(game.sequence_form._replace(payoffs=payoffs), only_paying=True)
    return with_threads(known[contrary, altruism], game.sequence_form)


def check(algorithm: Guided, game: Game, state: GuidedState, learner: Learner) -> None:
    """Measure the learner's candidates, and let it restart from the best of them if that pays."""
    candidates = learner.candidates(game)
    losses = measure(algorithm, game, state, with_lone_part(state, candidates))
    learner.finish_check(candidates)
    learner.evaluated += len(candidates)
    learner.note(candidates, losses)
    learner.next_check = learner.age + algorithm.interval
    if not learner.may_restart:
        # Until then a check only decides what is reported, so it may be a sixteenth of the learner's age away.
        learner.next_check = max(learner.next_check, min(learner.age * 17 // 16, learner.first_restart))
    best = int(losses.argmin())
    least, level = float(losses[best]), learner.level
    has_turned = least > learner.previous
    learner.previous = least
    if not learner.restarts or learner.is_fixed or not learner.may_restart:
        return
    if least < SUFFICIENT * level or (least < NECESSARY * level and has_turned):
        if algorithm.explore and learner is state.main and learner.on_probation:
            if state.explores == SCOUT:  # the scout comes first
                return
            learner = part(state)
        go_on_from(algorithm, game, learner, candidates[best])
        learner.level, learner.previous = least, math.inf
    elif stalls(learner):
        go_on_from(algorithm, game, learner, learner.best_policy)
        learner.previous = math.inf


def go_on_from(algorithm: Guided, game: Game, learner: Learner, policy: FloatArray) -> None:
    """Restart a learner from a joint policy; the unhurried variant takes the usual step from then on."""
    if learner.variant == algorithm.unhurried:
        learner.variant = 0
    learner.go_on_from(game, policy)


def part(state: GuidedState) -> Learner:
    """Return a twin of the main learner, which is to restart as an explorer, while the main learner goes on."""
    twin = deepcopy(state.main)
    twin.first_restart, twin.evaluated = 0, 0
    state.main.first_restart = twin.age + BETWEEN * iterations_of_twin(twin.age)
    state.explorer, state.explores, state.parted = twin, TWIN, twin.age
    return twin


def iterations_of_twin(age: int) -> int:
    """Return how many iterations a twin that restarts at some age has to show that it is better."""
    return max(LONG_ENOUGH, age // OF_AGE)


def stalls(learner: Learner) -> bool:
    """Return whether a learner has gone on for too long without a restart."""
    return learner.last_period > 0 and learner.period >= max(SHORTEST, STALL_FACTOR * learner.last_period)


def with_lone_part(state: GuidedState, policies: FloatArray) -> FloatArray:
    """Return joint policies ``(B, S)`` in which a player who faces a team alone plays maximin, once that is known."""
    is_known = ~np.isnan(state.lone)
    if not is_known.any():
        return policies
    crossed = policies.copy()
    crossed[:, is_known] = state.lone[is_known]
    return crossed


def measure(algorithm: Guided, game: Game, state: GuidedState, policies: FloatArray) -> FloatArray:
    """Return the losses ``(B,)`` that guide learners, and remember the policy that is to be reported."""
    objective, guide = algorithm.aim, algorithm.guide
    losses = guide.losses(game, policies)
    if guide is objective:
        state.counts[1] += len(policies)
        best = int(losses.argmin())
        if losses[best] < state.found_loss:
            state.found_loss, state.found[:] = float(losses[best]), policies[best]
        return losses
    is_solution = losses <= algorithm.largest_gap(game)
    values = np.full(len(policies), math.inf)
    if is_solution.any():
        values[is_solution] = objective.losses(game, policies[is_solution])
    state.counts[1] += len(policies) + int(is_solution.sum())
    for index in range(len(policies)):
        _report_if_better(state, policies[index], float(losses[index]), float(values[index]))
    return losses


def _report_if_better(state: GuidedState, policy: FloatArray, loss: float, value: float) -> None:
    """Report a policy that is a better equilibrium, the same with a smaller gap, or nearest to one if none is known.

    A policy that is not quite an equilibrium may look better than it is, by some multiple of its NashConv.
    """
    is_better = value < state.found_value - UNDESERVED * max(loss, 0.0)
    is_purer = value <= state.found_value + UNDESERVED * state.found_loss and loss < 0.5 * state.found_loss
    is_nearer = math.isinf(state.found_value) and loss < state.found_loss
    if is_better or is_purer or is_nearer:
        state.found_loss, state.found_value, state.found[:] = loss, value, policy
