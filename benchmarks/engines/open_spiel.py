"""OpenSpiel's solvers in Python and in C++; both have the same methods."""

from __future__ import annotations

from typing import Any

import pyspiel
from open_spiel.python import policy as open_spiel_policy
from open_spiel.python.algorithms import cfr, discounted_cfr, mmd_dilated

import gamebench as gb
from gamebench.games.loading.openspiel import original_game

PYTHON = {
    "CFR": cfr.CFRSolver,
    "CFR+": cfr.CFRPlusSolver,
    "LCFR": discounted_cfr.LCFRSolver,
    "DCFR": discounted_cfr.DCFRSolver,
}
CPP = {"CFR": pyspiel.CFRSolver, "CFR+": pyspiel.CFRPlusSolver}


class RegretSolver:
    """CFR or one of its variants, by the class of its solver."""

    def __init__(self, game: gb.Game, solver: type) -> None:
        self.game, self.solver = game, solver(original_game(game.source))

    def run(self, iterations: int) -> None:
        """Do ``iterations`` more iterations."""
        for _ in range(iterations):
            self.solver.evaluate_and_update_policy()

    def nash_conv(self) -> float:
        """Return NashConv of the average policy."""
        return gb.evaluate(self.game, gb.Policy.from_open_spiel(self.game, self.solver.average_policy()), "NashConv")


class DilatedMMD:
    """Magnetic mirror descent over the sequence form with dilated entropy; two players, zero-sum."""

    def __init__(self, game: gb.Game, regularisation: float, step_size: float) -> None:
        self.game = game
        self.solver = mmd_dilated.MMDDilatedEnt(original_game(game.source), regularisation, step_size)

    def run(self, iterations: int) -> None:
        """Do ``iterations`` more iterations."""
        for _ in range(iterations):
            self.solver.update_sequences()

    def nash_conv(self) -> float:
        """Return NashConv of the current policy."""
        return gb.evaluate(self.game, gb.Policy.from_open_spiel(self.game, self.solver.get_policies()), "NashConv")


def as_table(policy: gb.Policy) -> dict[str, list[tuple[int, float]]]:
    """Return the policy as {information state: [(action, probability)]}, for the C++ code."""
    ids = policy.game.labels.action_ids
    return {
        point.information_state: list(
            zip(ids[point.sequences], policy.probabilities[point.sequences].tolist(), strict=True)
        )
        for point in policy.game.decision_points
    }


def as_python_policy(policy: gb.Policy, original: Any) -> open_spiel_policy.TabularPolicy:
    """Return the policy for the Python code."""
    table = open_spiel_policy.TabularPolicy(original)
    for state, row in as_table(policy).items():
        row_of_state = table.policy_for_key(state)
        row_of_state[:] = 0.0
        for action, probability in row:
            row_of_state[action] = probability
    return table
