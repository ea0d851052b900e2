"""A Nash equilibrium of a two-player game in normal form, by complementary pivoting.

With payoff matrices A and B of positive numbers, (m, n), the best responses are the two polytopes

    P = { x >= 0, B'x <= 1 },    Q = { y >= 0, Ay <= 1 }.

The inequalities of each have m + n labels: action i of the first player (x_i >= 0, and row i of Ay <= 1), action j of
the second one (y_j >= 0, and row j of B'x <= 1). A pair of vertices is an equilibrium, once x and y are divided by
their sums, if every label is tight in one of them: an action is unused, or a best response. Then:

1. Start with x = 0 and y = 0, where every label is tight, and drop a label.
2. Go along the edge to the next vertex, which has another label that is tight now.
3. If it is the one that was dropped, this is an equilibrium. Else it is tight twice: drop it in the other polytope.

Ties are broken lexicographically, so that degenerate games do not cycle. The path from another label may end in another
equilibrium. It can be exponentially long.

References:
    C. E. Lemke and J. T. Howson, "Equilibrium Points of Bimatrix Games", SIAM Journal on Applied Mathematics 12, 1964;
    B. von Stengel, "Computing Equilibria for Two-Person Games", Handbook of Game Theory 3, 2002.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from gamebench.analysis.exact.scaling import PayoffScaling
from gamebench.analysis.responses.constraints import local_sequences
from gamebench.core.arrays import FloatArray
from gamebench.games.sequence_form import SequenceForm

MAX_PIVOTS = 10_000
"""Longest path that is followed."""
TINY = 1e-11
"""Largest coefficient, and difference of two, that counts as 0; payoffs lie between 1 and 3."""


def paths(form: SequenceForm) -> Iterator[FloatArray]:
    """Yield the policy ``(S,)`` at the end of the path of each label, unless numbers get too small on the way.

    Rounding can lead a path astray, so a policy must be checked.
    """
    first, second = normal_form(form)
    for label in range(sum(first.shape)):
        found = follow(first, second, label)
        if found is not None:
            yield np.concatenate(found)


def normal_form(form: SequenceForm) -> tuple[FloatArray, FloatArray]:
    """Return the expected payoffs of both players, scaled to 1 to 3, for each pair of their actions."""
    sizes = np.diff(form.first_sequences) + 1
    table = np.zeros((2, *sizes))
    places = local_sequences(form, 0), local_sequences(form, 1)
    for own, payoffs in zip(table, PayoffScaling.of(form.payoffs).scaled(form.payoffs), strict=True):
        np.add.at(own, places, form.chance * (payoffs + 2.0))
    # Whoever never comes to decide, in the last row and column, may have planned anything.
    table = table[:, :-1] + table[:, -1:]
    table = table[:, :, :-1] + table[:, :, -1:]
    return table[0], table[1]


def follow(first: FloatArray, second: FloatArray, dropped: int) -> tuple[FloatArray, FloatArray] | None:
    """Return the mixtures at the end of a label's path; ``None`` if it is too long, or too small to compute with."""
    rows, columns = first.shape
    # One column per label, and the right-hand side; a variable that is not in the basis is 0, so its label is tight.
    starts = (
        np.hstack([second.T, np.eye(columns), np.ones((columns, 1))]),
        np.hstack([np.eye(rows), first, np.ones((rows, 1))]),
    )
    tableaux = [start.copy() for start in starts]
    bases = [np.arange(rows, rows + columns), np.arange(rows)]
    slacks = [basis.copy() for basis in bases]
    label, where = dropped, 0 if dropped < rows else 1
    for _ in range(MAX_PIVOTS):
        row = _leaving_row(tableaux[where], label, slacks[where])
        if row is None:
            return None
        _pivot(tableaux[where], row, label)
        label, bases[where][row] = int(bases[where][row]), label
        if label == dropped:
            break
        where = 1 - where
    else:
        return None
    mixtures = []
    for start, basis, own in zip(starts, bases, (slice(0, rows), slice(rows, rows + columns)), strict=True):
        vertex = np.zeros(rows + columns)
        try:
            vertex[basis] = np.linalg.solve(start[:, basis], start[:, -1])  # without the rounding of many pivots
        except np.linalg.LinAlgError:
            return None
        weights = np.maximum(vertex[own], 0.0)
        if not weights.sum() > 0.0:
            return None
        mixtures.append(weights / weights.sum())
    return mixtures[0], mixtures[1]


def _leaving_row(tableau: FloatArray, entering: int, slacks: npt.NDArray[np.int64]) -> int | None:
    """Return the row whose variable is the first to become 0; of several, the lexicographically smallest."""
    column = tableau[:, entering]
    rows = np.flatnonzero(column > TINY)
    for other in (-1, *slacks.tolist()):
        if len(rows) <= 1:
            break
        ratios = tableau[rows, other] / column[rows]
        rows = rows[ratios <= ratios.min() + TINY]
    return int(rows[0]) if len(rows) else None


def _pivot(tableau: FloatArray, row: int, entering: int) -> None:
    """Let a variable enter the basis in a row; the tableau is modified in place."""
    tableau[row] /= tableau[row, entering]
    factors = tableau[:, entering].copy()
    factors[row] = 0.0
    tableau -= np.outer(factors, tableau[row])
