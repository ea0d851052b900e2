"""The best correlated equilibria of tiny games of two players, by linear programs over all pairs of pure plans.

A mediator draws a pair of reduced pure plans from a distribution that both players know. The distribution is an
equilibrium if no player gains by any of these deviations:

- coarse correlated equilibrium: before it learns anything, a player commits to a plan of its own;
- extensive-form correlated equilibrium: the mediator recommends an action at a decision point when the player gets
  there. Having followed everything so far, and recommended action a at decision point I, the player stops listening
  and plays some plan of its own from I on;
- correlated equilibrium (of the reduced normal form): the player learns its whole plan first, and plays another one.

What deters a later kind of deviation also deters the earlier ones. So every correlated equilibrium is an extensive-form
correlated equilibrium, and every one of those is a coarse correlated equilibrium. A reduced plan recommends nothing at
decision points that the player can reach only by not following it. An extensive-form equilibrium needs no more, since a
player who has deviated no longer listens.

Every deviation turns the plan that was drawn into another plan, for some drawn plans, and leaves the others. A player's
gain is the expected difference of payoffs, which is linear in the distribution.

References:
    B. von Stengel and F. Forges, "Extensive-Form Correlated Equilibrium: Definition and Computational Complexity",
    Mathematics of Operations Research 33, 2008. H. Moulin and J.-P. Vial, "Strategically Zero-Sum Games", International
    Journal of Game Theory 7, 1978 (coarse correlated equilibria).
"""

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, vstack

import gamebench as gb
from gamebench.core.arrays import FloatArray
from tests.oracles.coordinated_teams import TIGHT, Plan, plan_weights, pure_plans

Objective: TypeAlias = Literal["welfare", "poorest"]
Deviation: TypeAlias = dict[int, int]
"""The number of the plan that is played instead of each drawn plan; drawn plans without an entry are followed."""
Deviations: TypeAlias = Callable[[gb.Game, int, list[Plan]], Iterator[Deviation]]

MAX_PAIRS = 5_000
SLACK = 1e-10
"""Largest gain of a deviation, in units of the largest payoff, that counts as a rounding error."""


class Best(NamedTuple):
    """The best value of an objective that an equilibrium attains, and both players' expected payoffs there."""

    value: float
    payoffs: tuple[float, float]


def best_cce(game: gb.Game, objective: Objective) -> Best:
    """The best coarse correlated equilibrium (of the normal form)."""
    return _best(game, objective, _commitments)


def best_efce(game: gb.Game, objective: Objective) -> Best:
    """The best extensive-form correlated equilibrium."""
    return _best(game, objective, _triggers)


def best_ce(game: gb.Game, objective: Objective) -> Best:
    """The best correlated equilibrium of the reduced normal form."""
    return _best(game, objective, _replacements)


def _commitments(_game: gb.Game, _player: int, plans: list[Plan]) -> Iterator[Deviation]:
    """Whatever plan is drawn, play the same one."""
    for instead in range(len(plans)):
        yield dict.fromkeys(range(len(plans)), instead)


def _replacements(_game: gb.Game, _player: int, plans: list[Plan]) -> Iterator[Deviation]:
    """When one particular plan is drawn, play another one."""
    for drawn in range(len(plans)):
        for instead in range(len(plans)):
            yield {drawn: instead}


def _triggers(game: gb.Game, player: int, plans: list[Plan]) -> Iterator[Deviation]:
    """If the drawn plan takes a certain action at a certain decision point, play another plan from there on.

    Elsewhere, at decision points that do not follow this one, the drawn plan is still played.
    """
    form, number = game.sequence_form, {plan: index for index, plan in enumerate(plans)}
    for point in range(form.player_blocks[player], form.player_blocks[player + 1]):
        actions = set(range(form.first_sequences[point], form.first_sequences[point + 1]))
        from_here_on = _at_or_after(game, player, point)
        ways_on = {plan & from_here_on for plan in plans if plan & actions}
        for action in actions:
            told = [plan for plan in plans if action in plan]
            for way in ways_on:
                yield {number[plan]: number[plan - from_here_on | way] for plan in told}


def _at_or_after(game: gb.Game, player: int, start: int) -> Plan:
    """The sequences of a player at a decision point and at all that follow it; parents have the smaller numbers."""
    form = game.sequence_form
    found: set[int] = set()
    for point in range(start, form.player_blocks[player + 1]):
        if point == start or form.parent_sequences[point] in found:
            found |= set(range(form.first_sequences[point], form.first_sequences[point + 1]))
    return frozenset(found)


def _best(game: gb.Game, objective: Objective, deviations: Deviations) -> Best:
    """Maximise the objective over the distributions of pairs of plans from which no deviation is profitable.

    The variables are the probability of each pair, row by row, and t, which is at most the payoff of each player, or at
    most the sum of both; t is maximised.
    """
    if game.num_players != 2 or len(game.teams) != 2:
        raise ValueError("correlated equilibria are computed for two players who are not a team")
    plans = [pure_plans(game, player) for player in (0, 1)]
    pairs = len(plans[0]) * len(plans[1])
    if pairs > MAX_PAIRS:
        raise ValueError(f"{game.name} has more than {MAX_PAIRS} pairs of plans")
    payoffs = _payoffs(game, plans)
    unit = float(np.abs(payoffs).max()) or 1.0
    scaled = payoffs / unit
    gains = vstack([_gains(scaled[player], player, deviations(game, player, plans[player])) for player in (0, 1)])
    goals = scaled.sum(axis=0).reshape(1, pairs) if objective == "welfare" else scaled.reshape(2, pairs)
    answer = linprog(
        c=[*np.zeros(pairs), -1.0],
        A_ub=vstack(
            [
                csr_array((gains.data, gains.indices, gains.indptr), shape=(gains.shape[0], pairs + 1)),
                csr_array(np.column_stack([-goals, np.ones(len(goals))])),
            ]
        ),
        b_ub=np.zeros(gains.shape[0] + len(goals)),
        A_eq=[[*np.ones(pairs), 0.0]],
        b_eq=[1.0],
        bounds=[(0.0, None)] * pairs + [(None, None)],
        method="highs",
        options=TIGHT,
    )
    if answer.status != 0:
        raise ArithmeticError(answer.message)
    shares = np.maximum(answer.x[:-1], 0.0)
    shares /= shares.sum()
    if (gains @ shares).max(initial=0.0) > SLACK:
        raise ArithmeticError(f"the linear program left a gain of {(gains @ shares).max()}")
    first, second = (float(own.ravel() @ shares) for own in payoffs)
    return Best(first + second if objective == "welfare" else min(first, second), (first, second))


def _payoffs(game: gb.Game, plans: list[list[Plan]]) -> FloatArray:
    """The payoffs of both players (first axis) for each plan of the first and each plan of the second player."""
    form = game.sequence_form
    rows, columns = (np.array([plan_weights(game, player, plan) for plan in plans[player]]) for player in (0, 1))
    return np.array([rows * (form.chance * form.payoffs[player]) @ columns.T for player in (0, 1)])


def _gains(payoffs: FloatArray, player: int, deviations: Iterator[Deviation]) -> csr_array:
    """What each deviation (a row) of a player gains if a pair of plans (a column) is drawn."""
    rows = [csr_array((0, payoffs.size))]  # nothing else for a player who never moves
    for deviation in deviations:
        gain = np.zeros_like(payoffs)
        drawn, instead = list(deviation.keys()), list(deviation.values())
        if player == 0:
            gain[drawn] = payoffs[instead] - payoffs[drawn]
        else:
            gain[:, drawn] = payoffs[:, instead] - payoffs[:, drawn]
        rows.append(csr_array(gain.reshape(1, -1)))
    return vstack(rows, format="csr")
