"""Exploration: other learners look for solutions that the main one does not find.

One explorer runs at a time, and gets a share of the joint policies that are evaluated.

- *Scouts* go first, when the main learner is slow: two thirds of its iterations have passed since its loss last fell to
  a fifth. They start from the uniform policy, as the main learner does. But they predict (they expect the latest
  regrets to repeat), they may restart at any age, and they differ in patience: they begin with the regret norms of one
  iteration times 0, 10 and 3. The more patient a learner, the smaller its first steps; like mirror descent, it then
  finds good solutions of cooperative games. After the main learner's first 100 joint policies, scouts get a third. A
  scout is dismissed at the age of 100 iterations, and from 25 on as soon as its loss is more than twice the main
  learner's at the same age. While the main learner is on probation, the first scout does not wait until the main
  learner is slow. That scout discounts old regrets, does not restart before the main learner would, and is dismissed as
  soon as it is behind at all.
- *A twin* of the main learner restarts in its place, in games so large that a restart may come too early. The twin gets
  half of all joint policies for an eighth of its age at the restart, but for at least 100 iterations. If it has not
  changed places with the main learner by then, the next twin comes after four times as many iterations.
- *Wanderers* start from random joint policies with more or less patience or, with probability 1/2, from mixtures of the
  best policy with a random one, with about the main learner's regret norms. They get a tenth after the main learner's
  first 300 joint policies, unless it is on probation. After its first 1000 they get a third while it is slow, and nine
  tenths while it is stuck: five times as old as when its loss last fell to a fifth. They get everything once its policy
  has stopped moving.

If the objective selects among equilibria, some wanderers that start from random policies maximise other payoffs:

- A quarter negate the payoffs of some players. Where all actions in use are equally good, they remain so with the
  opposite sign: equilibria that repel ordinary learners, such as the mixed one of chicken, attract some of these.
- Half are altruists for 100 iterations: all players maximise the same weighted sum of all payoffs. Half of these start
  from the uniform policy, from which they often reach the greatest sum. In two-player games altruists then add threats:
  after a deviation, the other player holds the deviator down to its security level, as in folk theorems. From there
  they go on as ordinary learners with small steps.

Explorers that approach a known equilibrium are dismissed.

An explorer whose loss is below 0.8 of the main learner's changes places with it. It is dismissed when it stalls, when
it stops moving, or when it is twice as old as the main learner was when it found its best policy. Then each team's part
of the explorer's best policy is tried in place of that part of the main learner's best policy.

If a single player faces a team, that player's maximin policy does not depend on what the members of the team play. It
is computed separately, by linear programs and exact team responses (:mod:`gamebench.analysis.responses.security`), each
of which counts as a joint policy evaluated. From then on it replaces that player's part of every policy measured.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from gamebench import kernels
from gamebench.algorithms.algorithm import all_players, uniform_start
from gamebench.algorithms.crd.learner import GuidedState, Learner
from gamebench.algorithms.crd.restarts import (
    NOBODY,
    SCOUT,
    TWIN,
    WANDERER,
    advance_learner,
    go_on_from,
    iterations_of_twin,
    measure,
    new_learner,
    stalls,
    with_lone_part,
)
from gamebench.algorithms.iterates import normalised
from gamebench.analysis.responses import lone_players_level, security_level
from gamebench.core.arrays import FloatArray
from gamebench.core.errors import ResponseLimitError
from gamebench.games.game import Game

if TYPE_CHECKING:
    from gamebench.algorithms.crd.guided import Guided

SCOUT_PATIENCE = (0.0, 10.0, 3.0)
"""Factors of the scouts' first regrets."""
TRIAL, LONGEST, BEHIND = 25, 100, 2.0
"""A scout is dismissed from the first age on if its loss is ``BEHIND`` times the main learner's, and at the second in
any case."""
BEFORE_SCOUTS, BEFORE_WANDERERS, BEFORE_MORE = 100, 300, 1000
"""Number of joint policies that the main learner evaluates before scouts take part, before wanderers do, and before
wanderers get a larger share because it is slow."""
USUAL, SLOW, OF_TWINS, STUCK = 0.1, 1 / 3, 1 / 2, 0.9
"""Explorers' shares: of wanderers, of scouts and wanderers while the main learner is slow, of twins, and of wanderers
while the main learner is stuck."""
MUCH = 5
"""A main learner is stuck if it is this many times as old as when its loss last fell to a fifth."""
TAKEOVER = 0.8
"""An explorer below this fraction of the main learner's loss changes places with it."""
GRACE = 300
"""Iterations before an explorer can be too old."""
PATIENCE_OF_WANDERERS = 3.0
"""Factor of the first regrets of wanderers, on average."""
PATIENCE_OF_ALTRUISTS = 30.0
"""Factor of the first regrets of altruists who become ordinary learners."""
FAMILIAR = 0.05
"""If an objective selects, an explorer with all probabilities this close to a known equilibrium is dismissed."""
CONTRARY, ALTRUIST = 1 / 4, 1 / 2
"""Probabilities that a wanderer in search of other equilibria negates some players' payoffs, and that it is an
altruist."""
LEARNT, KINDS_OF_ALTRUISTS = 100, 30
"""Iterations of an altruist, and number of possible weightings of the players."""
SOLVED = 1e-3
"""If an objective selects, a learner is done when its loss is at most this fraction of the tolerance."""


def choose_turn(algorithm: Guided, game: Game, state: GuidedState) -> None:
    """Decide, after a check, which learner is next; ``state`` is modified in place.

    If the objective raises an error, nothing is lost or done twice when this function is called again.
    """
    if not algorithm.explore:
        return
    spent = state.evaluated - state.accounted
    state.accounted = state.evaluated
    if state.is_exploring:
        state.used += spent
        _assess(algorithm, game, state)
        state.is_exploring = False
        state.accounted = state.evaluated
    else:
        share = _share(algorithm, state)
        state.allowed += spent * share / (1.0 - share)
    is_exploring = state.used < state.allowed or is_done(algorithm, game, state.main)
    if is_exploring:
        _find_lone_part(algorithm, game, state)
        _recruit(algorithm, game, state)
    state.is_exploring = is_exploring
    state.accounted = state.evaluated


def is_done(algorithm: Guided, game: Game, learner: Learner) -> bool:
    """Return whether a learner has nothing left to find: it has stopped moving or reached one of several equilibria."""
    return learner.is_fixed or (algorithm.selects and learner.loss <= SOLVED * algorithm.largest_gap(game))


def _share(algorithm: Guided, state: GuidedState) -> float:
    """Return the explorers' share while the main learner is running."""
    main = state.main
    if state.explores == TWIN:
        return OF_TWINS
    if state.explores == SCOUT or _wants_scout(algorithm, state):
        return SLOW if main.evaluated > BEFORE_SCOUTS else 0.0
    if main.evaluated <= BEFORE_WANDERERS:
        return 0.0
    if not main.is_slow or main.evaluated <= BEFORE_MORE:
        return 0.0 if main.on_probation else USUAL
    return STUCK if main.age > MUCH * main.milestone_age else SLOW


def _wants_scout(algorithm: Guided, state: GuidedState) -> bool:
    """Return whether a scout is left and wanted: the main learner is slow, or on probation without a rival so far."""
    needs_rival = state.scouts == 0 and state.main.on_probation and algorithm.far_sighted != state.main.variant
    return state.scouts < len(SCOUT_PATIENCE) and (state.main.is_slow or needs_rival)


def _assess(algorithm: Guided, game: Game, state: GuidedState) -> None:
    """Let the explorer change places with the main learner, go on, or be dismissed."""
    main, explorer = state.main, state.explorer
    if explorer.altruism:
        if explorer.age >= LEARNT or explorer.is_fixed:
            policy = _with_threats(algorithm, game, state, explorer.policy)
            regrets = PATIENCE_OF_ALTRUISTS * _first_norms(algorithm, game, state, policy) * policy
            state.explorer = new_learner(algorithm, game, policy, regrets)
        return
    if explorer.loss < TAKEOVER * main.loss:
        state.main, state.explorer = explorer, main
        main.first_restart = 0  # as an explorer it need not wait
        state.explores = WANDERER if state.scouts == len(SCOUT_PATIENCE) else NOBODY
        state.allowed = min(state.allowed, state.used)
        return
    if state.explores == SCOUT:
        limit = (1.0 if explorer.on_probation else BEHIND) * main.loss_after(explorer.checks)
        is_behind = explorer.age >= TRIAL and explorer.loss > limit
        is_over = is_behind or explorer.age >= LONGEST
    elif state.explores == TWIN:
        is_over = explorer.age - state.parted >= iterations_of_twin(state.parted)
    else:
        is_over = stalls(explorer) or explorer.age > 2 * main.best_age + GRACE or _is_familiar(algorithm, game, state)
    if is_over or is_done(algorithm, game, explorer):
        _cross(algorithm, game, state)
        state.explores = NOBODY


def _is_familiar(algorithm: Guided, game: Game, state: GuidedState) -> bool:
    """Return whether the explorer approaches a known equilibrium."""
    explorer = state.explorer
    if not algorithm.selects or explorer.age < TRIAL or explorer.loss <= algorithm.largest_gap(game):
        return False  # within the tolerance it is polishing an equilibrium of its own
    known = (state.found, state.main.best_policy)
    return any(np.abs(explorer.policy - policy).max(initial=0.0) < FAMILIAR for policy in known)


def _cross(algorithm: Guided, game: Game, state: GuidedState) -> None:
    """Measure the main learner's best policy with each team's part replaced by that of the explorer's best policy."""
    if len(game.teams) < 2:
        return
    main = state.main
    crossed = np.repeat(main.best_policy[None], len(game.teams), axis=0)
    for row, team in zip(crossed, game.teams, strict=True):
        for player in team:
            own = game.sequence_form.sequences_of(player)
            row[own] = state.explorer.best_policy[own]
    losses = measure(algorithm, game, state, with_lone_part(state, crossed))
    best = int(losses.argmin())
    if losses[best] < TAKEOVER * main.loss and not algorithm.selects and not main.on_probation:
        main.note(crossed, losses)
        go_on_from(algorithm, game, main, crossed[best])
        main.level = main.loss


def _find_lone_part(algorithm: Guided, game: Game, state: GuidedState) -> None:
    """Find, once, the maximin policy of a player who faces a team alone."""
    if state.is_lone_known or state.main.evaluated <= BEFORE_WANDERERS:
        return
    found = None
    if algorithm.guide.name == "NashConv":
        with suppress(ResponseLimitError):  # the game is too large for it
            found = lone_players_level(game)
    if found is not None:
        player, level = found
        main, own = state.main, game.sequence_form.sequences_of(player)
        part = level.policy.probabilities[own]
        best = main.best_policy[None].copy()
        best[:, own] = part
        main.loss = main.level = float(measure(algorithm, game, state, best)[0])
        main.history[:] = main.previous = np.inf
        state.counts[1] += level.responses
        state.lone[own] = part
    state.is_lone_known = True


def _recruit(algorithm: Guided, game: Game, state: GuidedState) -> None:
    """Create an explorer if there is none."""
    main = state.main
    is_left = state.scouts < len(SCOUT_PATIENCE) and is_done(algorithm, game, main)
    if state.explores == NOBODY and (is_left or _wants_scout(algorithm, state)):
        state.explorer, state.explores = _scout(algorithm, game, state, SCOUT_PATIENCE[state.scouts]), SCOUT
        state.scouts += 1
    elif state.explores == NOBODY:
        state.explorer, state.explores = _wanderer(algorithm, game, state), WANDERER


def _scout(algorithm: Guided, game: Game, state: GuidedState, patience: float) -> Learner:
    """Return a scout, which starts from the uniform policy."""
    uniform = uniform_start(game)
    regrets = patience * _first_norms(algorithm, game, state, uniform) * uniform if patience else np.zeros_like(uniform)
    scout = new_learner(algorithm, game, uniform, regrets, algorithm.predictive)
    if state.main.on_probation and not patience:
        scout.variant, scout.first_restart = algorithm.far_sighted, algorithm.first_restart(game)
    return scout


def _with_threats(algorithm: Guided, game: Game, state: GuidedState, policy: FloatArray) -> FloatArray:
    """Return a joint policy of two players in which each holds the other down to its security level after a deviation.

    At a decision point that the other player's own policy never reaches, that player has deviated.
    """
    if game.num_players != 2:
        return policy
    try:
        levels = [security_level(game, player) for player in range(2)]
    except ResponseLimitError:  # the game is too large for it
        return policy
    if not state.are_threats_known:
        state.are_threats_known = True
        state.counts[1] += sum(level.responses for level in levels)
    size = game.num_sequences + game.num_players
    x, q, mass, reach = np.empty(size), np.empty(size), np.empty(size), np.empty(game.num_decision_points)
    kernels.action_values(game.sequence_form, game.endings, all_players(game), policy, x, q, mass, reach)
    is_deviation = np.repeat(reach <= 0.0, np.diff(game.sequence_form.first_sequences))
    threats = policy.copy()
    for player in range(2):
        own = game.sequence_form.sequences_of(player)
        held_down = levels[1 - player].policy.probabilities[own]
        threats[own] = np.where(is_deviation[own], held_down, policy[own])
    measure(algorithm, game, state, threats[None])
    return threats


def _first_norms(algorithm: Guided, game: Game, state: GuidedState, policy: FloatArray) -> FloatArray:
    """Return the regret norms ``(S,)`` after one iteration from a joint policy, or their mean where they are zero."""
    first = new_learner(algorithm, game, policy, np.zeros_like(policy))
    advance_learner(algorithm, game, first, 1)
    state.counts[1] += 1
    norms = first.norms(game)
    return np.where(norms > 0.0, norms, norms.mean() if len(norms) else 0.0)


def _wanderer(algorithm: Guided, game: Game, state: GuidedState) -> Learner:
    """Return an explorer that starts from a random joint policy, or from a mixture of the best with one."""
    generator, main = state.generator, state.main
    is_searching = algorithm.selects
    random = random_policy(game, 10.0 ** generator.uniform(-1.5 if is_searching else -0.7, 0.7), generator)
    is_mutant = generator.random() < (0.25 if is_searching else 0.5)
    weight, factor = 10.0 ** generator.uniform(-2.0, 0.0), 10.0 ** generator.uniform(-0.5, 0.5)
    variant = int(generator.integers(len(algorithm.variants)))
    if is_mutant:
        best = state.found if is_searching else main.best_policy
        policy = (1.0 - weight) * best + weight * random
        return new_learner(algorithm, game, policy, factor * main.norms(game) * policy, variant)
    draw = generator.random() if is_searching else 1.0
    altruism = int(generator.integers(1, KINDS_OF_ALTRUISTS + 1)) if draw < ALTRUIST else 0
    if altruism and draw < ALTRUIST / 2:
        random, variant = uniform_start(game), 0
    patience = PATIENCE_OF_WANDERERS * factor * _first_norms(algorithm, game, state, random)
    wanderer = new_learner(algorithm, game, random, patience * random, variant)
    wanderer.altruism = altruism
    if ALTRUIST <= draw < ALTRUIST + CONTRARY:
        wanderer.contrary = int(generator.integers(1, 2 ** min(game.num_players, 30)))
    return wanderer


def random_policy(game: Game, concentration: float, generator: np.random.Generator) -> FloatArray:
    """Return a joint policy ``(S,)`` drawn from a Dirichlet distribution at every decision point."""
    return normalised(game, generator.standard_gamma(concentration, game.num_sequences))
