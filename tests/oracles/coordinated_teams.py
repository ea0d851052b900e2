"""Two teams that coordinate before the game: the value of a zero-sum game between them, as a matrix game of plans.

Before the game a team agrees on a joint pure plan, picked at random with probabilities that the other team knows.
During the game its members cannot communicate. So the game is a matrix game whose rows and columns are the joint plans
of the teams. `coordinated_value` writes down the whole matrix. `column_generation` adds plans until neither team has a
better one, and takes the package's word for which plan responds best; it is right if those responses are.

Every member of a team receives the team's mean payoff. With teams of different size the means do not cancel, but the
totals (size times mean) of both teams sum to a constant, and the matrix contains the first team's totals.

A plan is *reduced*: it says nothing about decision points that its own earlier actions rule out. All that matters of a
joint plan is its *weight* at each terminal: 1 if every member plays its part of the path to the terminal, otherwise 0.

References:
    B. von Stengel and D. Koller, "Team-Maxmin Equilibria", Games and Economic Behavior 21, 1997. A. Celli and N. Gatti,
    "Computational Results for Extensive-Form Adversarial Team Games", AAAI 2018 (correlated plans).
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import linprog

import gamebench as gb
from gamebench import kernels
from gamebench.analysis.responses.team import MAX_STEPS, any_plan, relaxation_of
from gamebench.core.arrays import FloatArray
from gamebench.games.game import Source
from gamebench.games.loading.flatten import flatten
from gamebench.games.loading.openspiel import original_game
from tests.oracles.random_games import random_efg

Plan: TypeAlias = frozenset[int]
"""The sequences that a pure plan of one player plays."""

MAX_PLANS = 5_000
MAX_ROUNDS = 10_000
TIGHT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
"""The smallest tolerances of HiGHS. They are absolute, so programs state payoffs in units of the largest one."""
ATTEMPTS = list(itertools.product(("highs-ipm", "highs-ds"), (1.0, 100.0)))
"""Methods of HiGHS, each with the largest payoff in its program; a few programs need another than the first."""


class Coordination(NamedTuple):
    """The value of a game between two teams, and how they attain it."""

    value: float
    """The first team's mean payoff."""
    mixtures: tuple[FloatArray, FloatArray]
    """For each team, the probability of each of its plans."""
    plans: tuple[FloatArray, FloatArray]
    """For each team, a row for each plan: its weight at each terminal."""


def pure_plans(game: gb.Game, player: int, max_plans: int = MAX_PLANS) -> list[Plan]:
    """All reduced pure plans of a player: an action at each decision point that the plan's own actions can reach.

    Decision points are numbered parents first, so one pass over them meets a point after all that leads to it.
    """
    form = game.sequence_form
    if form.parent_starts is not None:
        raise ValueError("decision points with several parents have no tree to walk")
    before_all = form.num_sequences + player
    plans: list[Plan] = [frozenset([before_all])]
    for point in range(form.player_blocks[player], form.player_blocks[player + 1]):
        actions = range(form.first_sequences[point], form.first_sequences[point + 1])
        parent = form.parent_sequences[point]
        reaching = [plan for plan in plans if parent in plan]
        plans = [plan for plan in plans if parent not in plan]
        plans += [plan | {action} for plan in reaching for action in actions]
        if len(plans) > max_plans:
            raise ValueError(f"player {player} has more than {max_plans} pure plans")
    return [plan - {before_all} for plan in plans]


def plan_weights(game: gb.Game, player: int, plan: Plan) -> FloatArray:
    """The weight of a player's plan at each terminal: 1 if the plan plays the player's last sequence there, else 0."""
    lasts = game.sequence_form.last_sequences[player].tolist()
    return np.array([float(last == game.num_sequences + player or last in plan) for last in lasts])


def joint_plans(game: gb.Game, team: Sequence[int], max_plans: int = MAX_PLANS) -> Iterator[FloatArray]:
    """All reduced joint pure plans of a team, each as its weights; several plans may have the same weights."""
    own = [[plan_weights(game, member, plan) for plan in pure_plans(game, member, max_plans)] for member in team]
    if math.prod(map(len, own)) > max_plans:
        raise ValueError(f"team {list(team)} has more than {max_plans} joint plans")
    for parts in itertools.product(*own):
        yield np.prod(parts, axis=0)


def coordinated_value(game: gb.Game, max_plans: int = MAX_PLANS) -> Coordination:
    """The value of a game between two teams, from the matrix of all their joint plans."""
    worth = _worth(game)
    first, second = (np.unique(list(joint_plans(game, team, max_plans)), axis=0) for team in game.teams)
    value, *mixtures = matrix_game(first * worth @ second.T)
    return Coordination(value / len(game.teams[0]), (mixtures[0], mixtures[1]), (first, second))


def best_joint_plan(
    game: gb.Game, team: Sequence[int], policy: FloatArray, max_plans: int = MAX_PLANS
) -> tuple[float, FloatArray]:
    """The team's best joint plan against a policy of the others: its value for a member, and its weights.

    The policy has a probability for each sequence; those of the team do not matter.
    """
    form = game.sequence_form
    rest = form.chance * form.payoffs[team[0]]
    for player in range(game.num_players):
        if player not in team:
            rest = rest * [_probability(game, player, last, policy) for last in form.last_sequences[player]]
    return max(((float(rest @ weights), weights) for weights in joint_plans(game, team, max_plans)), key=lambda x: x[0])


def column_generation(game: gb.Game, tolerance: float = 1e-10) -> Coordination:
    """The value of a game between two teams, by adding best responses to both pools of plans until none improves.

    The value lies between what the second team's best response leaves the first team and what the first team's best
    response gets; in the end these differ by less than `tolerance`.
    """
    worth, size = _worth(game), len(game.teams[0])
    first, second = ([_response(game, team, sign * worth)[1]] for team, sign in zip(game.teams, (1, -1), strict=True))
    for _ in range(MAX_ROUNDS):
        pools = np.array(first), np.array(second)
        _, x, y = matrix_game(pools[0] * worth @ pools[1].T)
        upper, of_first = _response(game, game.teams[0], worth * (y @ pools[1]))
        lower, of_second = _response(game, game.teams[1], -worth * (x @ pools[0]))
        lower = -lower
        if upper - lower < tolerance * size:
            return Coordination((upper + lower) / 2 / size, (x, y), pools)
        is_new = [not (pool == plan).all(axis=1).any() for pool, plan in zip(pools, (of_first, of_second), strict=True)]
        if not any(is_new):
            raise ArithmeticError(f"bounds still differ by {upper - lower} when no response is new")
        if is_new[0]:
            first.append(of_first)
        if is_new[1]:
            second.append(of_second)
    raise ArithmeticError(f"bounds still differ after {MAX_ROUNDS} rounds")


def matrix_game(payoffs: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """The value of a matrix game, for the player who chooses the row and maximises, and both players' mixtures.

    maximise v such that (x A)_j >= v for every column j, where x is a mixture of rows; the dual variables are a mixture
    of columns. What both mixtures guarantee is computed afterwards, and must be the same.
    """
    rows, columns = payoffs.shape
    unit = float(np.abs(payoffs).max()) or 1.0
    best = math.inf, 0.0, np.zeros(rows), np.zeros(columns)
    for method, largest in ATTEMPTS:
        answer = linprog(
            c=[*np.zeros(rows), -1.0],
            A_ub=np.column_stack([-payoffs.T * (largest / unit), np.ones(columns)]),
            b_ub=np.zeros(columns),
            A_eq=[[*np.ones(rows), 0.0]],
            b_eq=[1.0],
            bounds=[(0.0, None)] * rows + [(None, None)],
            method=method,
            options=TIGHT,
        )
        if answer.status == 0:
            x, y = np.maximum(answer.x[:-1], 0.0), np.maximum(-answer.ineqlin.marginals, 0.0)
            x, y = x / x.sum(), y / y.sum()
            lower, upper = float((x @ payoffs).min()), float((payoffs @ y).max())
            best = min(best, ((upper - lower) / unit, (lower + upper) / 2, x, y), key=lambda found: found[0])
        if best[0] < 1e-13:
            break
    if best[0] > 1e-11:
        raise ArithmeticError(f"what both mixtures of a matrix game guarantee differs by {best[0]}")
    return best[1:]


def random_team_game(
    seed: int,
    teams: Sequence[Sequence[int]],
    constant: float = 0.0,
    max_nodes: int = 100,
    max_depth: int = 6,
    chance_rate: float = 0.1,
    join_rate: float = 0.95,
) -> gb.Game:
    """A random game between teams in which the payoffs of all players sum to a constant.

    Information sets are large: otherwise most games have a value in pure plans.
    """
    players = sum(map(len, teams))
    text = random_efg(seed, players, max_depth, max_nodes, chance_rate, join_rate, stop_rate=0.0)
    source = Source("efg", text)
    game = flatten(original_game(source), f"random game {seed}", source, 10_000)
    payoffs = game.sequence_form.payoffs.copy()
    payoffs[-1] = constant - payoffs[:-1].sum(axis=0)
    largest = float(np.abs(payoffs).max())
    return gb.with_teams(
        replace(game, sequence_form=game.sequence_form._replace(payoffs=payoffs), max_abs_payoff=largest), teams
    )


def _worth(game: gb.Game) -> FloatArray:
    """The first team's total payoff at each terminal, times its chance; raise unless the other team pays all of it."""
    if len(game.teams) != 2:
        raise ValueError(f"{game.name} has {len(game.teams)} teams, not two")
    first, second = (len(team) * game.sequence_form.payoffs[team[0]] for team in game.teams)
    if not game.shares_payoffs(game.teams[0]) or not game.shares_payoffs(game.teams[1]):
        raise ValueError(f"members of a team of {game.name} have different payoffs")
    if np.ptp(first + second) > 1e-12 * max(np.abs(first).max(), np.abs(second).max()):
        raise ValueError(f"the totals of both teams of {game.name} do not sum to a constant")
    worth: FloatArray = game.sequence_form.chance * first
    return worth


def _probability(game: gb.Game, player: int, sequence: int, policy: FloatArray) -> float:
    """The probability that a policy plays a player's sequence, including all of the player's earlier actions."""
    form, product = game.sequence_form, 1.0
    while sequence != game.num_sequences + player:
        product *= policy[sequence]
        point = np.searchsorted(form.first_sequences, sequence, side="right") - 1
        sequence = form.parent_sequences[point]
    return product


def _response(game: gb.Game, team: tuple[int, ...], worth: FloatArray) -> tuple[float, FloatArray]:
    """The value and the weights of the package's best joint plan of a team, given what each terminal pays it."""
    form = game.sequence_form
    if len(team) == 1:
        action_values = np.bincount(
            form.last_sequences[team[0]], worth, minlength=game.num_sequences + game.num_players
        )
        policy = np.zeros(game.num_sequences)
        value = kernels.back_up_best(form, team[0], action_values)
        kernels.best_actions(form, team[0], action_values, policy)
        played = frozenset(np.flatnonzero(policy).tolist())
    else:
        relaxation, plan = relaxation_of(game, team), any_plan(game)
        base = np.bincount(relaxation.terminal_slots, worth, minlength=relaxation.num_slots)
        value, is_complete = kernels.search_team(form, relaxation, base, MAX_STEPS, plan)
        if not is_complete:
            raise ArithmeticError(f"the search for the response of team {list(team)} was not completed")
        played = frozenset((form.first_sequences[:-1] + plan).tolist())
    weights = np.prod([_realised(game, member, played) for member in team], axis=0)
    return float(value), weights


def _realised(game: gb.Game, player: int, played: Plan) -> FloatArray:
    """The weights of a plan that also specifies actions at decision points that it never reaches."""
    form = game.sequence_form
    reached = {game.num_sequences + player}
    for point in range(form.player_blocks[player], form.player_blocks[player + 1]):
        if form.parent_sequences[point] in reached:
            reached |= played & set(range(form.first_sequences[point], form.first_sequences[point + 1]))
    return plan_weights(game, player, frozenset(reached))
