"""The average of many joint policies, as deviations see it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gamebench import kernels
from gamebench.errors import GameBenchError, PolicyError, PolicyMismatchError, ResponseLimitError
from gamebench.games.game import Game
from gamebench.games.tree import FloatArray
from gamebench.policy import Mixture, Policy, checked_policy
from gamebench.responses.team import MAX_STEPS, any_plan, is_member, relaxation_of, search_limit


class AveragePlay:
    """All that deviations need to know of a sequence of joint policies, without keeping the policies.

    Gradients are linear in a mixture of joint policies, so their weighted sum is enough, however long the run:
    g_i = sum_t w_t g_i(pi^t) and V_i = sum_t w_t V_i(pi^t).
    """

    def __init__(self, game: Game) -> None:
        """Nothing played yet."""
        self.game = game
        self.total_weight = 0.0
        self._values = np.zeros(game.num_players)
        self._gradient = np.zeros(game.num_sequences + game.num_players)
        self._team_weights: dict[tuple[int, ...], FloatArray] = {}
        self._limits: list[ResponseLimitError] = []
        for team in game.teams:
            if len(team) > 1:
                try:
                    self._team_weights[team] = np.zeros(relaxation_of(game, team).num_slots)
                except ResponseLimitError as error:  # values can be had all the same
                    self._limits.append(error)

    def check_plays(self, game: Game) -> None:
        """Raise unless this is the play of ``game``, by fingerprint."""
        if self.game is not game and self.game.fingerprint != game.fingerprint:
            raise PolicyMismatchError(f"This is the play of {self.game.name!r}, not of {game.name!r}.")

    def add(self, policy: Policy, weight: float = 1.0) -> None:
        """Count one more joint policy."""
        weight = float(weight)  # another type would compile the kernels anew
        if not 0.0 <= weight < np.inf:
            raise PolicyError(f"The weight of a policy must be finite and at least 0, not {weight}.")
        tree, probabilities = self.game.tree, np.array(checked_policy(self.game, policy).probabilities)
        x, gradient = np.empty((2, len(self._gradient)))
        kernels.realise(tree, probabilities, x)
        kernels.differentiate_all(self.game.endings, x, gradient)
        self.total_weight += weight
        self._gradient += weight * gradient
        for player in range(self.game.num_players):
            self._values[player] += weight * kernels.value_from_gradient(tree, player, x, gradient)
        for team, base in self._team_weights.items():
            payoffs, slots = tree.payoffs[team[0]], relaxation_of(self.game, team).terminal_slots
            kernels.team_weights(tree, is_member(self.game, team), payoffs, slots, x, weight, base)

    @property
    def values(self) -> FloatArray:
        """``(N,)`` each player's value, on average over the play."""
        self._check_started()
        return self._values / self.total_weight

    def improvements(self) -> FloatArray:
        """``(T,)`` what each team could gain with one deviation against the whole play."""
        self._check_started()
        for limit in self._limits:
            raise limit
        best = np.empty(len(self.game.teams))
        for index, team in enumerate(self.game.teams):
            if len(team) == 1:
                best[index] = kernels.back_up_best(self.game.tree, team[0], self._gradient.copy())
            else:
                relaxation, plan = relaxation_of(self.game, team), any_plan(self.game)
                base = self._team_weights[team]
                best[index], completed = kernels.search_team(self.game.tree, relaxation, base, MAX_STEPS, plan)
                if not completed:
                    raise search_limit(self.game, team, MAX_STEPS)
        return best / self.total_weight - self.values[[team[0] for team in self.game.teams]]

    def arrays(self) -> dict[str, FloatArray]:
        """All that was counted, by name; what :meth:`restore` takes."""
        teams = {f"team {team}": base for team, base in self._team_weights.items()}
        return {"total": np.array([self.total_weight]), "values": self._values, "gradient": self._gradient, **teams}

    def restore(self, arrays: Mapping[str, FloatArray]) -> None:
        """Go on from what :meth:`arrays` gave."""
        for name, own in self.arrays().items():
            if arrays[name].shape != own.shape or arrays[name].dtype != own.dtype:
                raise ValueError(f"{name} of another shape or type")
            own[...] = arrays[name]
        self.total_weight = float(arrays["total"][0])

    def _check_started(self) -> None:
        if not self.total_weight > 0:
            raise GameBenchError("Nothing has been played yet: add a policy with a positive weight first.")


def play_of(game: Game, mixture: Mixture) -> AveragePlay:
    """The play of a mixture of joint policies."""
    play = AveragePlay(game)
    for policy, weight in zip(mixture.policies, mixture.weights.tolist(), strict=True):
        play.add(policy, weight)
    return play
