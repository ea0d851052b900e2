"""Sequence-form matrices for linear programs, and policies from their solutions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, vstack

from gamebench.core.arrays import FloatArray
from gamebench.games.sequence_form import SequenceForm

NEVER = 1e-14
"""Largest weight at which a decision point counts as never reached, because HiGHS leaves rounding errors."""


def local_sequences(form: SequenceForm, player: int) -> npt.NDArray[np.int64]:
    """Return the player's last sequence at each terminal ``(Z,)``, as an index into the player's own sequences.

    The empty sequence has the last index.
    """
    own, last = form.sequences_of(player), form.last_sequences[player]
    local: npt.NDArray[np.int64] = np.where(last >= form.num_sequences, own.stop, last) - own.start
    return local


def flow_matrix(form: SequenceForm, player: int) -> Any:
    """Return a matrix with a row per sequence and a column per decision point: 1 for its sequences, -1 for its parents.

    The last row belongs to the empty sequence. Realisation plans x satisfy x @ matrix = 0.
    """
    own, begin, end = form.sequences_of(player), form.player_blocks[player], form.player_blocks[player + 1]
    count, children = own.stop - own.start, form.children_of_parents()
    is_own = (children >= begin) & (children < end)
    parents = form.parent_sequences[is_own]
    rows = np.concatenate([np.arange(count), np.where(parents < form.num_sequences, parents - own.start, count)])
    columns = np.concatenate([form.decision_points_of_sequences()[own], children[is_own]]) - begin
    signs = np.concatenate([np.ones(count), -np.ones(len(parents))])
    return csr_array((signs, (rows, columns)), shape=(count + 1, end - begin))


def realisation_rows(flow: Any) -> Any:
    """Return the constraints of a realisation plan x: ``flow.T @ x`` = 0, and x(empty) = 1 in the last row."""
    is_last = np.arange(flow.shape[0]) == flow.shape[0] - 1
    return vstack([flow.T, csr_array(is_last[None].astype(np.float64))], format="csr")


def behaviour(form: SequenceForm, player: int, weights: FloatArray) -> FloatArray:
    """Return the behaviour policy of a realisation plan ``(own sequences,)``; uniform at points it never reaches."""
    firsts = form.first_sequences[form.player_blocks[player] : form.player_blocks[player + 1] + 1]
    counts = np.diff(firsts)
    totals = np.repeat(np.add.reduceat(weights, firsts[:-1] - firsts[0]) if len(counts) else counts, counts)
    probabilities: FloatArray = np.repeat(1.0 / counts, counts)
    np.divide(weights, totals, out=probabilities, where=totals > NEVER)
    return probabilities
