"""Gains from deviating from a joint policy, a batch of them, or the average of many."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import numpy as np
import numpy.typing as npt

from gamebench import kernels
from gamebench.analysis.responses.team import (
    any_plan,
    approximate_team_response,
    best_joint_deviation,
    is_member,
    team_deviation_values,
    weight_slots,
)
from gamebench.core.arrays import FloatArray
from gamebench.core.errors import GameBenchError, PolicyError, PolicyMismatchError, ResponseLimitError
from gamebench.core.settings import checked, real
from gamebench.games.game import Game, remembered
from gamebench.games.names import as_game
from gamebench.policies import AnyPolicy, Mixture, as_policy


def improvements(game: Game | str, policy: AnyPolicy) -> FloatArray:
    """Return the exact gain ``(T,)`` of each team's best unilateral deviation.

    Without teams, every player is a team of its own. The gains sum to NashConv for a policy and to the CCE gap for a
    mixture.

    Examples:
        >>> import gamebench as gb
        >>> game = gb.load_game("kuhn_poker")
        >>> gb.improvements(game, gb.uniform_policy(game)).round(4).tolist()
        [0.375, 0.5417]
    """
    game = as_game(game)
    if isinstance(policy, AveragePlay | Mixture):
        policy.check_plays(game)
        return (play_of(game, policy) if isinstance(policy, Mixture) else policy).improvements()
    gains: FloatArray = batch_improvements(game, as_policy(game, policy).as_batch())[0]
    return gains


def batch_improvements(game: Game, policies: FloatArray, approximate: bool = False) -> FloatArray:
    """Return the gains ``(B, T)`` of each team's best deviation from each of ``policies`` ``(B, S)``.

    Single players always deviate exactly; if ``approximate``, teams of several players deviate as in the paper.
    """
    alone, leaders = _alone_and_leaders(game)
    gains: FloatArray = kernels.own_deviations(tuple(game.sequence_form), tuple(game.paying_endings), policies, alone)
    if leaders is None:
        return gains
    for team in game.teams:
        if len(team) == 1:
            continue
        if approximate:
            improved = approximate_team_response(game, team, policies)
            response = kernels.expected_values(tuple(game.sequence_form), improved)[:, team[0]]
        else:
            response = team_deviation_values(game, team, policies, any_plan(game))
        gains[:, team[0]] += response
    return np.take(gains, leaders, axis=1)


@remembered
def _alone_and_leaders(game: Game) -> tuple[npt.NDArray[np.bool_], list[int] | None]:
    """Return which players play alone ``(N,)``, and the first member of each team, or ``None`` if all play alone."""
    leaders = [team[0] for team in game.teams]
    alone = np.array([(player,) in game.teams for player in range(game.num_players)])
    return alone, None if leaders == list(range(game.num_players)) else leaders


class AveragePlay:
    """Weighted average of a sequence of joint policies, reduced to what gains from deviating depend on.

    Gradients are linear in a mixture of joint policies, so weighted sums replace the policies themselves:
    g_i = sum_t w_t g_i(pi^t) and V_i = sum_t w_t V_i(pi^t).

    Examples:
        >>> import gamebench as gb
        >>> game = gb.load_game("kuhn_poker")
        >>> play = gb.analysis.AveragePlay(game)
        >>> for seed in range(3):
        ...     play.add(gb.random_policy(game, seed))
        >>> play.values.round(4).tolist()
        [-0.019, 0.019]
        >>> play.improvements().round(4).tolist()  # their sum is the CCE gap
        [0.2744, 0.3809]

    References:
        H. Moulin and J.-P. Vial, "Strategically Zero-Sum Games: The Class of Games Whose Completely Mixed Equilibria
        Cannot Be Improved Upon", International Journal of Game Theory 7, 1978 (coarse correlated equilibria).
    """

    def __init__(self, game: Game | str) -> None:
        self.game = game = as_game(game)
        self.total_weight = 0.0
        self._values = np.zeros(game.num_players)
        self._gradient = np.zeros(game.num_sequences + game.num_players)
        self._team_weights: dict[tuple[int, ...], FloatArray] = {}
        for team in game.teams:
            if len(team) > 1:
                with suppress(ResponseLimitError):  # improvements() raises it again; values need no responses
                    self._team_weights[team] = np.zeros(weight_slots(game, team)[1])

    def check_plays(self, game: Game) -> None:
        """Raise unless the policies' game has the same fingerprint as ``game``."""
        if self.game is not game and self.game.fingerprint != game.fingerprint:
            raise PolicyMismatchError(f"This average play is of the game {self.game.name!r}, not of {game.name!r}.")

    def add(self, policy: AnyPolicy, weight: float = 1.0) -> None:
        """Add a joint policy to the average."""
        # Always a float, because another type would make Numba compile the kernels again.
        weight = checked("The weight of a policy", weight, real(0, or_equal=True), PolicyError)
        form, probabilities = self.game.sequence_form, np.array(as_policy(self.game, policy).probabilities)
        x, gradient = np.empty((2, len(self._gradient)))
        kernels.realise(form, probabilities, x)
        kernels.differentiate_all(self.game.paying_endings, x, gradient)
        self.total_weight += weight
        self._gradient += weight * gradient
        for player in range(self.game.num_players):
            self._values[player] += weight * kernels.value_from_gradient(form, player, x, gradient)
        for team, base in self._team_weights.items():
            payoffs, slots = form.payoffs[team[0]], weight_slots(self.game, team)[0]
            kernels.team_weights(form, is_member(self.game, team), payoffs, slots, x, weight, base)

    @property
    def values(self) -> FloatArray:
        """Average expected payoff of each player ``(N,)``."""
        self._check_started()
        return self._values / self.total_weight

    def improvements(self) -> FloatArray:
        """Return the gain ``(T,)`` of each team's best fixed deviation from the average play."""
        self._check_started()
        best = np.empty(len(self.game.teams))
        for index, team in enumerate(self.game.teams):
            if len(team) == 1:
                best[index] = kernels.back_up_best(self.game.sequence_form, team[0], self._gradient.copy())
            else:
                weight_slots(self.game, team)  # raises if no method can find the response
                best[index] = best_joint_deviation(self.game, team, self._team_weights[team])
        return best / self.total_weight - self.values[[team[0] for team in self.game.teams]]

    def arrays(self) -> dict[str, FloatArray]:
        """Return the sums so far as named arrays for :meth:`restore`."""
        teams = {f"team {team}": base for team, base in self._team_weights.items()}
        return {"total": np.array([self.total_weight]), "values": self._values, "gradient": self._gradient, **teams}

    def restore(self, arrays: Mapping[str, FloatArray]) -> None:
        """Continue from the sums that :meth:`arrays` returned."""
        for name, own in self.arrays().items():
            if arrays[name].shape != own.shape or arrays[name].dtype != own.dtype:
                raise ValueError(f"{name} has the wrong shape or type")
            own[...] = arrays[name]
        self.total_weight = float(arrays["total"][0])

    def _check_started(self) -> None:
        if not self.total_weight > 0:
            raise GameBenchError("The average play is empty; add a policy with a positive weight first.")


def play_of(game: Game, mixture: Mixture) -> AveragePlay:
    """Return the average play of a mixture of joint policies."""
    play = AveragePlay(game)
    for policy, weight in zip(mixture.policies, mixture.weights.tolist(), strict=True):
        play.add(policy, weight)
    return play
