"""Nash equilibria of two-player games in normal form, by the Lemke-Howson algorithm.

For positive payoff matrices A and B of shape (m, n), best responses are described by the two polytopes

    P = { x >= 0, B'x <= 1 },    Q = { y >= 0, Ay <= 1 }.

Their inequalities have m + n labels: action i of the first player (x_i >= 0, and row i of Ay <= 1) and action j of the
second (y_j >= 0, and row j of B'x <= 1). A pair of vertices other than (0, 0), with x and y divided by their sums, is
an equilibrium if every label is tight in one of them: each action is unused or a best response. The algorithm is:

1. Start at x = 0 and y = 0, where every label is tight, and drop a label.
2. Follow the edge to the next vertex, where another label becomes tight.
3. If this is the dropped label, stop at an equilibrium. Otherwise it is tight twice: drop it in the other polytope.

Ties are broken lexicographically, so that degenerate games do not cycle. Paths can be exponentially long, and different
labels may lead to different equilibria.

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
"""Maximum number of pivots on a path."""
TINY = 1e-11
"""Largest coefficient, or difference of ratios, that counts as 0; payoffs lie between 1 and 3."""


def paths(form: SequenceForm) -> Iterator[FloatArray]:
    """Yield the policy ``(S,)`` at the end of each label's path, skipping paths that fail numerically.

    Rounding errors can lead to a wrong end, so callers must check the policy.
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
    # The last row and column are empty sequences: the player never decides there, so every action gets their payoff.
    table = table[:, :-1] + table[:, -1:]
    table = table[:, :, :-1] + table[:, :, -1:]
    return table[0], table[1]


def follow(first: FloatArray, second: FloatArray, dropped: int) -> tuple[FloatArray, FloatArray] | None:
    """Return the mixtures at the end of a label's path; ``None`` if it is too long or fails numerically."""
    rows, columns = first.shape
    # Columns: the labels, then the right-hand side. Variables outside the basis are 0, so their labels are tight.
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
            vertex[basis] = np.linalg.solve(start[:, basis], start[:, -1])  # avoids the rounding errors of many pivots
        except np.linalg.LinAlgError:
            return None
        weights = np.maximum(vertex[own], 0.0)
        if not weights.sum() > 0.0:
            return None
        mixtures.append(weights / weights.sum())
    return mixtures[0], mixtures[1]


def _leaving_row(tableau: FloatArray, entering: int, slacks: npt.NDArray[np.int64]) -> int | None:
    """Return the row whose variable first becomes 0; ties go to the lexicographically smallest."""
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
