"""A policy as a table for people: one row per decision point, or in pandas one per action."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from gamebench import kernels
from gamebench.errors import printable
from gamebench.games.notebook_views import cell_text, html_table
from gamebench.games.tree import FloatArray
from gamebench.policy.joint_policy import Policy, sums_at_points
from gamebench.policy.values import action_values

if TYPE_CHECKING:
    import pandas

Line: TypeAlias = tuple[int, str, str, float]
"""Player, information state, actions with their probabilities, and reach."""
COLUMNS = ("player", "information state", "policy", "reach")
MOST_LINES = 20
"""Number of decision points that a notebook or ``print`` shows."""
LONGEST_STATE = 60
"""Largest number of characters of an information state in a line of text."""


def reach_probabilities(policy: Policy) -> FloatArray:
    """Return the probability ``(D,)`` that each decision point is reached if everyone follows the policy.

    It is the product of the counterfactual reach and the player's own contribution.
    """
    game = policy.game
    if not game.num_decision_points:
        return np.empty(0)
    _, counterfactual = action_values(game, policy)
    x = np.empty(game.num_sequences + game.num_players)
    kernels.realise(game.tree, np.array(policy.probabilities), x)
    own = sums_at_points(game, x[: game.num_sequences])[game.tree.first_sequences[:-1]]
    reach: FloatArray = counterfactual * own
    return reach


def frame_of(policy: Policy) -> pandas.DataFrame:
    """Return a data frame with a row for each action of each decision point."""
    import pandas

    game = policy.game
    owners = game.tree.decision_points_of_sequences()
    return pandas.DataFrame(
        {
            "player": game.tree.players_of_decision_points().astype(np.int64)[owners],
            "information_state": [game.labels.information_states[point] for point in owners.tolist()],
            "action": list(game.labels.actions),
            "probability": policy.probabilities,
            "reach": reach_probabilities(policy)[owners],
        }
    )


def lines_of(policy: Policy) -> Iterator[Line]:
    """Yield a line for each decision point."""
    reach = reach_probabilities(policy).tolist()
    for point in policy.game.decision_points:
        row = policy.probabilities[point.sequences].tolist()
        played = ", ".join(f"{action} {chance:.4g}" for action, chance in zip(point.actions, row, strict=True))
        yield point.player, point.information_state, played, reach[point.index]


def _rest(policy: Policy) -> str:
    more = policy.game.num_decision_points - MOST_LINES
    return f"... and {more:,} more decision points; policy.to_pandas() has all." if more > 0 else ""


def in_one_line(information_state: str) -> str:
    """Return an information state in one line, without its middle if it is long."""
    text = printable(" / ".join(line.strip() for line in information_state.splitlines() if line.strip()))
    half = (LONGEST_STATE - 3) // 2
    return text if len(text) <= LONGEST_STATE else f"{text[:half]}...{text[-half:]}"


def text_of(policy: Policy) -> str:
    """Return the first decision points as a table of plain text."""
    table = [list(COLUMNS)]
    for player, state, played, reach in islice(lines_of(policy), MOST_LINES):
        table.append([str(player), in_one_line(state), printable(played), cell_text(reach)])
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    rows = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table)
    return "\n".join(filter(None, (repr(policy), *rows, _rest(policy))))


def html_of(policy: Policy) -> str:
    """Return the first decision points as a table for a notebook."""
    return html_table(repr(policy), COLUMNS, islice(lines_of(policy), MOST_LINES), _rest(policy))
