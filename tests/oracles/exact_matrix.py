"""Values of matrix games in exact arithmetic, also for the matrix of one player's pure plans against the others'.

Every number is a fraction, so nothing is rounded. The simplex method is the textbook one, with a full tableau and
Bland's rule against cycling.
"""

import itertools
from fractions import Fraction
from typing import TypeAlias

import pyspiel

from tests.oracles import naive

Matrix: TypeAlias = list[list[Fraction]]


def matrix_game_value(payoffs: list[list[float]]) -> Fraction:
    """The value of a zero-sum game for the row player, who maximises; nothing is rounded.

    With all payoffs shifted to be at least 1, the value is 1 / max{sum of y : A y <= 1, y >= 0}.
    """
    rows = [tuple(map(Fraction, row)) for row in dict.fromkeys(map(tuple, payoffs))]
    columns = list(dict.fromkeys(zip(*rows, strict=True)))
    shift = 1 - min(min(column) for column in columns)
    tableau = [[entry + shift for entry in row] for row in zip(*columns, strict=True)]
    for index, row in enumerate(tableau):
        row.extend(Fraction(int(other == index)) for other in range(len(tableau)))
        row.append(Fraction(1))
    costs = [Fraction(-1)] * len(columns) + [Fraction(0)] * (len(tableau) + 1)
    basis = [len(columns) + index for index in range(len(tableau))]
    while (entering := next((index for index, cost in enumerate(costs[:-1]) if cost < 0), None)) is not None:
        ratios = [(row[-1] / row[entering], basis[i], i) for i, row in enumerate(tableau) if row[entering] > 0]
        _, _, leaving = min(ratios)
        basis[leaving] = entering
        pivot = [entry / tableau[leaving][entering] for entry in tableau[leaving]]
        tableau = [
            pivot
            if index == leaving
            else [entry - row[entering] * other for entry, other in zip(row, pivot, strict=True)]
            for index, row in enumerate(tableau)
        ]
        costs = [cost - costs[entering] * other for cost, other in zip(costs, pivot, strict=True)]
    return 1 / costs[-1] - shift


def security_level(game: pyspiel.Game, player: int, max_plans: int) -> float:
    """The most that a player can secure, from the payoffs of all pure plans against all joint plans of the others."""
    plays, points = naive.histories(game), naive.decision_points(game)
    nowhere: naive.Policy = {point: {} for point in points}
    own = naive.pure_plans(plays, points, player, max_plans)
    others = [
        naive.pure_plans(plays, points, other, max_plans) for other in range(game.num_players()) if other != player
    ]
    joint = list(itertools.islice(itertools.product(*others), max_plans + 1))
    if len(joint) > max_plans:
        raise naive.TooManyPlansError(f"the others have more than {max_plans} joint pure plans")
    payoffs = []
    for plan in own:
        row = []
        for plans in joint:
            policy = naive.with_pure_plan(nowhere, plan)
            for other in plans:
                policy = naive.with_pure_plan(policy, other)
            row.append(naive.mean_returns(plays, policy)[player])
        payoffs.append(row)
    return float(matrix_game_value(payoffs))
