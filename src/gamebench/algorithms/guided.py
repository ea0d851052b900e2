"""The loop around learners: the main one and explorers take turns, and each is measured at its checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gamebench.algorithms.algorithm import uniform_start
from gamebench.algorithms.exploration import choose_turn
from gamebench.algorithms.interrupts import advance_in_turns
from gamebench.algorithms.learner import GuidedState
from gamebench.algorithms.restarts import advance_learner, check, first_restart, new_learner
from gamebench.games.game import Game

if TYPE_CHECKING:
    from gamebench.algorithms.cfr import CFR


def begin_guided(algorithm: CFR, game: Game, seed: int) -> GuidedState:
    """Return the state before the first iteration: the main learner is at the uniform policy."""
    uniform, nothing = uniform_start(game), np.zeros(game.num_sequences)
    main, explorer = (new_learner(algorithm, game, uniform, nothing) for _ in range(2))
    main.first_restart = first_restart(algorithm, game)
    main.variant = algorithm.unhurried if main.on_probation else 0
    return GuidedState(
        seed=seed,
        policy=uniform,
        main=main,
        explorer=explorer,
        found=uniform.copy(),
        lone=np.full(len(uniform), np.nan),
    )


def advance_guided(algorithm: CFR, game: Game, state: GuidedState, iterations: int) -> None:
    """Run ``iterations`` iterations, of the main learner and of explorers together; ``state`` is modified in place.

    An iteration with a check is finished when the next turn has been chosen. If the objective raises an error before
    that, the iteration does not count yet, and what failed is repeated when the run goes on.
    """

    def turn(last: int) -> None:
        take_turn(algorithm, game, state, last)
        state.policy[:] = state.main.policy

    advance_in_turns(state, iterations, turn)


def take_turn(algorithm: CFR, game: Game, state: GuidedState, last: int) -> None:
    """Let a learner go on to its next check, but not beyond iteration ``last``, and choose who is next."""
    if not state.is_undecided:
        learner = state.explorer if state.is_exploring else state.main
        steps = min(last - state.iteration, learner.next_check - learner.age)  # 0 if a check has failed
        advance_learner(algorithm, game, learner, steps)
        state.counts += steps
        if learner.age < learner.next_check:
            return
        if steps:
            state.counts[0] -= 1
        check(algorithm, game, state, learner)
        state.is_undecided = True
    choose_turn(algorithm, game, state)
    state.is_undecided = False
    state.counts[0] += 1
