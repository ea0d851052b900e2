"""Naive reference computations on turn-based OpenSpiel games.

Everything here enumerates: states by plain recursion, terminal histories one by one, pure plans by brute force. The
code is meant to be checked by reading it, never to be fast.

A *decision point* is a pair (player, information state string). A *policy* gives every decision point of every player
a row {action id: probability}; an action that a row leaves out has probability 0. A *plan* gives some decision points
one action each.
"""

import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import pyspiel

DecisionPoint: TypeAlias = tuple[int, str]
Policy: TypeAlias = dict[DecisionPoint, dict[int, float]]
Plan: TypeAlias = dict[DecisionPoint, int]

MAX_PLANS = 20_000


class TooManyPlansError(ValueError):
    """Brute force would have to try more pure plans than allowed."""


class History(NamedTuple):
    """One complete play: the product of its chance probabilities, the players' moves in order, and the returns."""

    chance: float
    moves: list[tuple[DecisionPoint, int]]
    returns: list[float]


def decision_points(game: pyspiel.Game) -> dict[DecisionPoint, list[int]]:
    """Every decision point of the game with its legal actions, in the order of a depth-first walk."""
    points: dict[DecisionPoint, list[int]] = {}

    def visit(state: pyspiel.State) -> None:
        if state.is_terminal():
            return
        if not state.is_chance_node():
            point = _decision_point(state)
            if points.setdefault(point, state.legal_actions()) != state.legal_actions():
                raise ValueError(f"histories of {point} differ in their legal actions")
        for action in state.legal_actions():
            visit(state.child(action))

    visit(game.new_initial_state())
    return points


def expected_returns(game: pyspiel.Game, policy: Policy) -> list[float]:
    """Each player's expected return when everybody follows the policy."""
    return _expected_returns_from(game.new_initial_state(), policy)


def counterfactual(game: pyspiel.Game, policy: Policy) -> dict[DecisionPoint, tuple[float, dict[int, float]]]:
    """Counterfactual reach and action values of every decision point.

    The reach of a history h is the probability that chance and all players but the one to move play their part of h.
    The reach of a decision point is the sum over its histories. The value of action a is the mean, weighted by reach,
    of the mover's expected return after playing a at h when everybody follows the policy from there on; it is 0.0 for
    every action of a decision point that has reach 0.
    """
    reach = dict.fromkeys(decision_points(game), 0.0)
    weighted = {point: dict.fromkeys(actions, 0.0) for point, actions in decision_points(game).items()}

    def visit(state: pyspiel.State, chance: float, own: list[float]) -> None:
        """Walk on from a history; own[p] is the probability that player p plays its part of it."""
        if state.is_terminal():
            return
        if state.is_chance_node():
            for action, probability in state.chance_outcomes():
                visit(state.child(action), chance * probability, own)
            return
        point = _decision_point(state)
        mover = point[0]
        others = chance * math.prod(own[player] for player in range(game.num_players()) if player != mover)
        reach[point] += others
        for action in state.legal_actions():
            child = state.child(action)
            weighted[point][action] += others * _expected_returns_from(child, policy)[mover]
            own_after = [p * policy[point].get(action, 0.0) if i == mover else p for i, p in enumerate(own)]
            visit(child, chance, own_after)

    visit(game.new_initial_state(), 1.0, [1.0] * game.num_players())
    return {
        point: (reach[point], {a: w / reach[point] if reach[point] > 0 else 0.0 for a, w in weighted[point].items()})
        for point in reach
    }


def best_response_value(game: pyspiel.Game, policy: Policy, player: int, max_plans: int = MAX_PLANS) -> float:
    """The most the player can expect over all of its pure plans, everybody else following the policy."""
    plays = histories(game)
    plans = pure_plans(plays, decision_points(game), player, max_plans)
    return max(mean_returns(plays, with_pure_plan(policy, plan))[player] for plan in plans)


def team_best_value(game: pyspiel.Game, policy: Policy, team: tuple[int, ...], max_plans: int = MAX_PLANS) -> float:
    """The highest mean of the members' expected returns over all joint pure plans of the team.

    Each member's action depends on its own information state only; everybody else follows the policy.
    """
    plays = histories(game)
    points = decision_points(game)
    members_plans = [pure_plans(plays, points, member, max_plans) for member in team]
    if math.prod(len(plans) for plans in members_plans) > max_plans:
        raise TooManyPlansError(f"team {team} has more than {max_plans} joint pure plans")
    best = -math.inf
    for plans in itertools.product(*members_plans):
        deviation = policy
        for plan in plans:
            deviation = with_pure_plan(deviation, plan)
        returns = mean_returns(plays, deviation)
        best = max(best, sum(returns[member] for member in team) / len(team))
    return best


def cce_gap(game: pyspiel.Game, mixture: list[tuple[float, Policy]], max_plans: int = MAX_PLANS) -> float:
    """How far a mixture of joint policies is from a coarse correlated equilibrium, summed over the players.

    Player i's share is the maximum over its pure plans of sum_t w_t V_i(plan, policy_t of the others), minus
    sum_t w_t V_i(policy_t): the gain from committing to one plan before policy_t is drawn with probability w_t. A
    share can be negative and is not clipped, because correlation may pay a player more than any fixed plan would.
    """
    plays = histories(game)
    points = decision_points(game)
    gap = 0.0
    for player in range(game.num_players()):
        obeying = sum(weight * mean_returns(plays, policy)[player] for weight, policy in mixture)
        deviating = max(
            sum(weight * mean_returns(plays, with_pure_plan(policy, plan))[player] for weight, policy in mixture)
            for plan in pure_plans(plays, points, player, max_plans)
        )
        gap += deviating - obeying
    return gap


def with_pure_plan(policy: Policy, plan: Plan) -> Policy:
    """The policy with the rows of the plan's decision points replaced by the plan's actions."""
    return {**policy, **{point: {action: 1.0} for point, action in plan.items()}}


def histories(game: pyspiel.Game) -> list[History]:
    """Every terminal history of the game."""
    plays: list[History] = []

    def visit(state: pyspiel.State, chance: float, moves: list[tuple[DecisionPoint, int]]) -> None:
        if state.is_terminal():
            plays.append(History(chance, moves, state.returns()))
        elif state.is_chance_node():
            for action, probability in state.chance_outcomes():
                visit(state.child(action), chance * probability, moves)
        else:
            for action in state.legal_actions():
                visit(state.child(action), chance, [*moves, (_decision_point(state), action)])

    visit(game.new_initial_state(), 1.0, [])
    return plays


def mean_returns(plays: list[History], policy: Policy) -> list[float]:
    """Each player's return averaged over the terminal histories, weighted by their probability under the policy."""
    totals = [0.0] * len(plays[0].returns)
    for play in plays:
        probability = play.chance * math.prod(policy[point].get(action, 0.0) for point, action in play.moves)
        for player, value in enumerate(play.returns):
            totals[player] += probability * value
    return totals


def pure_plans(
    plays: list[History], points: dict[DecisionPoint, list[int]], player: int, max_plans: int = MAX_PLANS
) -> list[Plan]:
    """All reduced pure plans of the player: one action at each of its decision points that the plan can reach.

    Decision points that the plan's own earlier actions rule out get no action, since no choice there can matter. A
    player who never moves has the empty plan only.
    """
    plans = list(itertools.islice(_completions(plays, points, player, {}), max_plans + 1))
    if len(plans) > max_plans:
        raise TooManyPlansError(f"player {player} has more than {max_plans} pure plans")
    return plans


def _completions(
    plays: list[History], points: dict[DecisionPoint, list[int]], player: int, plan: Plan
) -> Iterator[Plan]:
    """All reduced pure plans that agree with a partial plan."""
    point = _first_open_point(plays, player, plan)
    if point is None:
        yield plan
        return
    for action in points[point]:
        yield from _completions(plays, points, player, {**plan, point: action})


def _first_open_point(plays: list[History], player: int, plan: Plan) -> DecisionPoint | None:
    """A decision point of the player that its partial plan can reach but gives no action, or None."""
    for play in plays:
        for point, action in play.moves:
            if point[0] != player:
                continue
            if point not in plan:
                return point
            if plan[point] != action:
                break
    return None


def _expected_returns_from(state: pyspiel.State, policy: Policy) -> list[float]:
    """Each player's expected return from a state on when everybody follows the policy."""
    if state.is_terminal():
        return list(state.returns())
    if state.is_chance_node():
        outcomes = state.chance_outcomes()
    else:
        row = policy[_decision_point(state)]
        outcomes = [(action, row.get(action, 0.0)) for action in state.legal_actions()]
    totals = [0.0] * state.num_players()
    for action, probability in outcomes:
        for player, value in enumerate(_expected_returns_from(state.child(action), policy)):
            totals[player] += probability * value
    return totals


def _decision_point(state: pyspiel.State) -> DecisionPoint:
    """The decision point a player is at in a state that is neither terminal nor a chance node."""
    if state.is_simultaneous_node():
        raise ValueError("only turn-based games are supported")
    player = state.current_player()
    return player, state.information_state_string(player)
