"""What players and teams could gain: best responses and improvements, against one policy or the average of many."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

import numpy as np

from gamebench import kernels
from gamebench.errors import GameBenchError, PolicyError, PolicyMismatchError, ResponseLimitError
from gamebench.games.game import Game, as_whole_number
from gamebench.games.tree import FloatArray
from gamebench.policy import Mixture, Policy, as_batch, checked_policy
from gamebench.responses.approximate import approximate_team_response
from gamebench.responses.program import solve_team_program
from gamebench.responses.team import MAX_STEPS, Plan, is_member, relaxation_of, search_limit, team_deviation_values

Method: TypeAlias = Literal["search", "milp", "approximate"]


@dataclass(frozen=True)
class BestResponse:
    """A best response: the members' common ``value`` when all play ``policy``, in which only they have changed."""

    value: float
    policy: Policy


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
        x = np.empty(len(self._gradient))
        kernels.realise(tree, probabilities, x)
        self.total_weight += weight
        self._values += weight * kernels.expected_values(tree, probabilities[None])[0]
        for team in self.game.teams:
            if len(team) == 1:
                kernels.differentiate(tree, team[0], x, weight, self._gradient)
            elif team in self._team_weights:
                payoffs, slots = tree.payoffs[team[0]], relaxation_of(self.game, team).terminal_slots
                base = self._team_weights[team]
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
                relaxation, plan = relaxation_of(self.game, team), _any_plan(self.game)
                base = self._team_weights[team]
                best[index], completed = kernels.search_team(self.game.tree, relaxation, base, MAX_STEPS, plan)
                if not completed:
                    raise search_limit(self.game, team, MAX_STEPS)
        return best / self.total_weight - self.values[[team[0] for team in self.game.teams]]

    def _check_started(self) -> None:
        if not self.total_weight > 0:
            raise GameBenchError("Nothing has been played yet: add a policy with a positive weight first.")


def average_play(game: Game, mixture: Mixture) -> AveragePlay:
    """The play of a mixture of joint policies."""
    play = AveragePlay(game)
    for policy, weight in zip(mixture.policies, mixture.weights.tolist(), strict=True):
        play.add(policy, weight)
    return play


def _any_plan(game: Game) -> Plan:
    return np.zeros(game.num_decision_points, dtype=np.int64)


def batch_improvements(game: Game, policies: FloatArray, approximate: bool = False) -> FloatArray:
    """``(B, T)`` what each team could gain by deviating from each of ``policies`` ``(B, S)`` alone.

    Single players always deviate exactly; ``approximate`` is how teams of more than one do.
    """
    alone = np.array([(player,) in game.teams for player in range(game.num_players)])
    values, best = kernels.own_deviations(game.tree, policies, alone)
    gains = np.empty((len(policies), len(game.teams)))
    for index, team in enumerate(game.teams):
        if len(team) == 1:
            response = best[:, team[0]]
        elif approximate:
            improved = approximate_team_response(game, team, policies)
            response = kernels.expected_values(game.tree, improved)[:, team[0]]
        else:
            response = team_deviation_values(game, team, policies, _any_plan(game))
        gains[:, index] = response - values[:, team[0]]
    return gains


def improvements(game: Game, policy: Policy | Mixture | AveragePlay) -> FloatArray:
    """``(T,)`` what each team (without teams: each player) could gain by deviating alone, exactly."""
    if isinstance(policy, AveragePlay | Mixture):
        policy.check_plays(game)
        return (average_play(game, policy) if isinstance(policy, Mixture) else policy).improvements()
    gains: FloatArray = batch_improvements(game, as_batch(game, checked_policy(game, policy).probabilities[None]))[0]
    return gains


def best_response(
    game: Game,
    policy: Policy,
    who: int | Iterable[int],
    *,
    method: Method = "search",
    start: Policy | None = None,
    max_steps: int = MAX_STEPS,
) -> BestResponse:
    """The best response of a player, or of several players with common payoffs, to what the others play.

    Args:
        game: the game.
        policy: what everyone plays now.
        who: a player's number, or several, such as ``game.teams[0]``.
        method: for several players, ``"search"`` (exact, fast), ``"milp"`` (exact, HiGHS) or ``"approximate"`` (the
            paper's 100 steps of MMD-KL). A single player's response is always exact.
        start: a policy, such as the last answer, from whose likeliest actions the search starts. It changes how long
            the search takes, not what it finds.
        max_steps: the limit of the search; two thousand million take some ten seconds.
    """
    checked_policy(game, policy)
    max_steps = _checked_steps(max_steps)
    if method not in get_args(Method):
        raise GameBenchError(f"The method {method!r} is unknown; use one of {', '.join(get_args(Method))}.")
    team = _coalition(game, who)
    probabilities = np.array(policy.probabilities)
    if len(team) == 1:
        x = np.empty(game.num_sequences + game.num_players)
        q = np.zeros_like(x)
        kernels.realise(game.tree, probabilities, x)
        kernels.differentiate(game.tree, team[0], x, 1.0, q)
        value = float(kernels.back_up_best(game.tree, team[0], q))
        kernels.best_actions(game.tree, team[0], q, probabilities)
        return BestResponse(value, Policy(game, probabilities))
    if method == "approximate":
        improved = approximate_team_response(game, team, probabilities[None])
        return BestResponse(float(kernels.expected_values(game.tree, improved)[0, team[0]]), Policy(game, improved[0]))
    if method == "milp":
        value, plan = solve_team_program(game, team, probabilities)
    else:
        if start is not None:
            checked_policy(game, start)
        plan = _any_plan(game) if start is None else _likeliest_plan(start)
        value = float(team_deviation_values(game, team, probabilities[None], plan, max_steps)[0])
    return BestResponse(value, _play(policy, team, plan))


def _coalition(game: Game, who: int | Iterable[int]) -> tuple[int, ...]:
    """Sorted players, after a check that they exist and want the same."""
    try:
        players = who if isinstance(who, Iterable) else [who]
        team = tuple(sorted({as_whole_number(player) for player in players}))
    except TypeError as error:
        raise GameBenchError(
            f"Who responds is a player's number or several, such as 0 or [0, 1], not {who!r}."
        ) from error
    if not team or not all(0 <= player < game.num_players for player in team):
        raise GameBenchError(f"{game.name!r} has the players 0 to {game.num_players - 1}; {list(team)} cannot respond.")
    if not game.shares_payoffs(team):
        raise GameBenchError(
            f"Players {list(team)} of {game.name!r} have different payoffs and so no best response in common; load the "
            f"game with teams=."
        )
    return team


def _checked_steps(max_steps: int) -> int:
    try:
        steps = as_whole_number(max_steps)
    except TypeError:
        steps = 0
    if not 1 <= steps < 2**62:
        raise GameBenchError(f"max_steps= must be a positive whole number, not {max_steps!r}.")
    return steps


def _likeliest_plan(policy: Policy) -> Plan:
    firsts = policy.game.tree.first_sequences
    return np.array(
        [np.argmax(policy.probabilities[begin:end]) for begin, end in pairwise(firsts)],
        dtype=np.int64,
    )


def _play(policy: Policy, team: tuple[int, ...], plan: Plan) -> Policy:
    """``policy`` with the rows of the team's members replaced by a pure plan."""
    tree, probabilities = policy.game.tree, np.array(policy.probabilities)
    for member in team:
        own = tree.sequences_of(member)
        points = np.arange(tree.player_blocks[member], tree.player_blocks[member + 1])
        probabilities[own] = 0.0
        probabilities[tree.first_sequences[points] + plan[points]] = 1.0
    return Policy(policy.game, probabilities)
