"""Policies as tables: one row per decision point for display, one per action in pandas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from gamebench.core.arrays import FloatArray
from gamebench.core.errors import printable
from gamebench.core.notebooks import cell_text, html_table
from gamebench.games.formats.gambit import distinct_names
from gamebench.games.game import DecisionPoint, Game
from gamebench.games.teams.coordination import realised
from gamebench.policies.keys import name_of
from gamebench.policies.policy import Policy, sums_at_points
from gamebench.policies.values import action_values, expected_values

if TYPE_CHECKING:
    import pandas

    from gamebench.policies.mixture import Mixture

Line: TypeAlias = tuple[int | str, str, str, float]
"""Player, information state or name of the information set, actions with probabilities, and reach."""
COLUMNS = ("player", "information state", "policy", "reach")
MOST_LINES = 20
"""Maximum number of decision points, or of policies of a mixture, shown by a notebook or ``print``."""
LONGEST_STATE = 60
"""Maximum length of an information state in a line of text."""
TINY = float(np.finfo(np.float64).tiny)
"""Smallest positive probability."""


def reach_probabilities(policy: Policy) -> FloatArray:
    """Return the probability ``(D,)`` that each decision point is reached if everyone follows the policy.

    This is the product of the counterfactual reach and the player's own contribution.
    """
    if not policy.game.num_decision_points:
        return np.empty(0)
    _, counterfactual = action_values(policy.game, policy)
    reach: FloatArray = counterfactual * _own_reach(policy)
    return reach


def _own_reach(policy: Policy) -> FloatArray:
    """Return the acting player's own contribution ``(D,)`` to the reach of each decision point."""
    game = policy.game
    x = realised(game.sequence_form, policy.probabilities)
    return sums_at_points(game, x[: game.num_sequences])[game.sequence_form.first_sequences[:-1]]


def frame_of(policy: Policy) -> pandas.DataFrame:
    """Return a data frame with a row for each action of each decision point."""
    import pandas

    game = policy.game
    owners = game.sequence_form.decision_points_of_sequences()
    return pandas.DataFrame(
        {
            "player": game.sequence_form.players_of_decision_points().astype(np.int64)[owners],
            "information_state": [game.labels.information_states[point] for point in owners.tolist()],
            "action": list(game.labels.actions),
            "probability": policy.probabilities,
            "reach": reach_probabilities(policy)[owners],
        }
    )


def lines_of(policy: Policy) -> Iterator[Line]:
    """Yield a line for each decision point."""
    game, reach = policy.game, reach_probabilities(policy).tolist()
    for point in game.decision_points:
        player = game.player_name(point.player) if game.player_names else point.player
        yield player, name_of(game, point), _row_text(policy[point]), reach[point.index]


ByPlayer: TypeAlias = dict[str, dict[str, dict[str, float]]]
"""Player names to information sets to actions to probabilities: the form of a policy in JSON."""


def by_player(policy: Policy) -> ByPlayer:
    """Return the whole policy by player; :func:`gamebench.combine` reads it."""
    return _by_player(policy, policy.game.decision_points, 0.0)


def played_by_player(policy: Policy) -> ByPlayer:
    """Return each player's part of a policy where its own play leads, without actions of probability 0."""
    own_reach = _own_reach(policy)
    return _by_player(policy, (point for point in policy.game.decision_points if own_reach[point.index]), TINY)


def _by_player(policy: Policy, points: Iterable[DecisionPoint], least: float) -> ByPlayer:
    """Return the rows at these points by player, keeping actions whose probability is at least ``least``."""
    game = policy.game
    names = _player_names(game)
    table: ByPlayer = {name: {} for name in names}
    for point in points:
        row = {action: chance for action, chance in policy[point].items() if chance >= least}
        table[names[point.player]][name_of(game, point)] = row
    return table


def _player_names(game: Game) -> list[str]:
    return distinct_names(map(game.player_name, range(game.num_players)))


def shows_plans(game: Game) -> bool:
    """Return whether the game is small enough to show a whole policy in one line of a table."""
    return game.num_decision_points <= MOST_LINES


def mixture_columns(game: Game) -> list[str]:
    """Return the columns of a mixture's table: each joint policy's weight, plans and payoffs."""
    players = _player_names(game)
    return ["policy", "weight", *(players if shows_plans(game) else ()), *(f"payoff of {each}" for each in players)]


def mixture_lines(mixture: Mixture) -> Iterator[list[str | float]]:
    """Yield a line for each joint policy of a mixture, the likeliest first; the first cell is its index."""
    for index in np.argsort(-mixture.weights, kind="stable").tolist():
        policy = mixture.policies[index]
        plans = _plans(policy) if shows_plans(mixture.game) else ()
        yield [index, float(mixture.weights[index]), *plans, *expected_values(mixture.game, policy).tolist()]


def _plans(policy: Policy) -> Iterator[str]:
    """Yield each player's plan as text; if there is only one information set, its name is left out."""
    sizes = np.diff(policy.game.sequence_form.player_blocks).tolist()
    for size, sets in zip(sizes, played_by_player(policy).values(), strict=True):
        moves = [next(iter(row)) if len(row) == 1 else _row_text(row) for row in sets.values()]
        names = in_one_line_each(list(sets))
        yield "; ".join(moves if size == 1 else (f"{name}: {move}" for name, move in zip(names, moves, strict=True)))


def _row_text(row: Mapping[str, float]) -> str:
    return ", ".join(f"{action} {chance:.4g}" for action, chance in row.items())


def first_lines(policy: Policy, number: int) -> list[Line]:
    """Return the first lines, with information states shortened as far as they stay distinct."""
    lines = list(islice(lines_of(policy), number))
    states = in_one_line_each([state for _, state, _, _ in lines])
    return [(player, state, played, reach) for (player, _, played, reach), state in zip(lines, states, strict=True)]


def in_one_line_each(information_states: Sequence[str]) -> list[str]:
    r"""Return each information state on one line; long ones lose their middle, as long as all stay distinct.

    >>> in_one_line_each(["", "a\nb", "x" * 100])[:2]
    ['(empty)', 'a / b']
    >>> cut = in_one_line_each([f"{'x' * 50}{card}{'y' * 50}" for card in "AB"])
    >>> [len(text) for text in cut], cut[0] == cut[1]
    ([101, 101], False)
    """
    texts = [
        printable(" / ".join(line.strip() for line in state.splitlines() if line.strip())) or "(empty)"
        for state in information_states
    ]
    longest = LONGEST_STATE
    while True:
        half = (longest - 3) // 2
        short = [text if len(text) <= longest else f"{text[:half]}...{text[-half:]}" for text in texts]
        if len({*short}) == len({*texts}):
            return short
        longest += 10


def text_of(shown: Policy | Mixture) -> str:
    """Return a plain-text table of the first decision points, or of the likeliest joint policies."""
    columns = COLUMNS if isinstance(shown, Policy) else mixture_columns(shown.game)
    rows = first_lines(shown, MOST_LINES) if isinstance(shown, Policy) else islice(mixture_lines(shown), MOST_LINES)
    table = [[printable(cell_text(cell)) for cell in row] for row in (columns, *rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table)
    return "\n".join(filter(None, (repr(shown), *lines, _rest(shown))))


def html_of(shown: Policy | Mixture) -> str:
    """Return the same table as HTML for notebooks, with full information states."""
    columns = COLUMNS if isinstance(shown, Policy) else mixture_columns(shown.game)
    rows = lines_of(shown) if isinstance(shown, Policy) else mixture_lines(shown)
    return html_table(repr(shown), columns, islice(rows, MOST_LINES), _rest(shown))


def _rest(shown: Policy | Mixture) -> str:
    """Return a line that counts the omitted rows and names where to find them; empty if there are none."""
    more = len(shown) - MOST_LINES
    if more <= 0:
        return ""
    if isinstance(shown, Policy):
        return f"... and {more:,} more decision points; policy.to_pandas() lists all."
    return f"... and {more:,} more with smaller weights; mixture.policies and mixture.weights list all."
