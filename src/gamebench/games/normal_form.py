"""Normal-form games: from a payoff array, without walking anything."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gamebench.errors import GameError
from gamebench.games.game import Game, Labels, Source, each_alone
from gamebench.games.tree import Tree


def game_from_payoffs(
    payoffs: npt.ArrayLike, name: str = "payoffs", actions: Sequence[Sequence[str]] | None = None
) -> Game:
    """See :meth:`gamebench.Game.from_payoffs`."""
    try:
        table = np.asarray(payoffs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise GameError("The payoffs must be an array of numbers of shape (A_1, ..., A_N, N).") from error
    players = table.ndim - 1
    if players < 1 or table.shape[-1] != players or 0 in table.shape:
        raise GameError(
            f"The payoffs must have shape (A_1, ..., A_N, N), with one axis per player and a last one of length N; "
            f"got {table.shape}."
        )
    if not np.isfinite(table).all():
        raise GameError("The payoffs must be finite numbers; some are NaN or infinite.")
    counts = table.shape[:-1]
    names = _action_names(actions, counts)
    firsts = np.concatenate([[0], np.cumsum(counts)])
    sequences = int(firsts[-1])
    tree = Tree(
        player_blocks=np.arange(players + 1, dtype=np.int32),
        first_sequences=firsts.astype(np.int32),
        parent_sequences=np.arange(sequences, sequences + players, dtype=np.int32),
        chance=np.ones(table.size // players),
        payoffs=table.reshape(-1, players).T,
        last_sequences=np.indices(counts, dtype=np.int32).reshape(players, -1) + firsts[:-1, None].astype(np.int32),
    )
    nodes_per_depth = np.cumprod([1, *counts])
    return Game(
        name=name,
        tree=tree,
        labels=Labels(
            information_states=tuple(f"player {player}" for player in range(players)),
            actions=tuple(action for own in names for action in own),
            action_ids=tuple(action for count in counts for action in range(count)),
        ),
        source=Source("payoffs", payoffs=table),
        teams=each_alone(players),
        num_histories=int(nodes_per_depth.sum()),
        num_terminals=int(nodes_per_depth[-1]),
        max_abs_payoff=float(np.abs(table).max()),
    )


def _action_names(actions: Sequence[Sequence[str]] | None, counts: tuple[int, ...]) -> list[list[str]]:
    """The names that were given, after a check, or numbers."""
    if actions is None:
        return [[str(action) for action in range(count)] for count in counts]
    try:
        names = [list(own) for own in actions]
    except TypeError:
        names = []
    are_texts = all(isinstance(name, str) for own in names for name in own)
    if not are_texts or [len(own) for own in names] != list(counts) or any(len(set(own)) < len(own) for own in names):
        raise GameError(f"Every player needs as many different action names as it has actions, {counts}.")
    return names
