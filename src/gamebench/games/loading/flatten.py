"""Convert a game tree to arrays."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from gamebench.games.game import Game, Labels, Source
from gamebench.games.loading.openspiel import being_played
from gamebench.games.loading.walk import Progress
from gamebench.games.loading.walk_processes import walk_tree
from gamebench.games.sequence_form import SequenceForm

if TYPE_CHECKING:
    import pyspiel


def flatten(
    original: pyspiel.Game,
    name: str,
    source: Source,
    max_histories: int | None,
    progress: Progress | None = None,
    workers: int | None = None,
    tell: Callable[[str], None] | None = None,
) -> Game:
    """Return a turn-based OpenSpiel game as arrays, by walking its whole tree.

    Args:
        original: the game, with information states.
        name: the name of the result.
        source: what ``original`` was made from.
        max_histories: the size budget; ``None`` for half of the free memory.
        progress: called from time to time.
        workers: the number of worker processes for a large tree (default: one per core); 1 means that this
            process does all the work.
        tell: called with a sentence about the time and memory of a long walk.
    """
    with being_played(name):
        walk = walk_tree(original, name, source, max_histories, progress, workers, tell)
    # The walk numbers the sequences of all players as it finds them; here each player's sequences form a block.
    players, owners = range(walk.num_players), np.array(walk.owners, dtype=np.intc)
    counts = np.diff(walk.firsts)
    order = np.argsort(owners, kind="stable")
    firsts = np.concatenate([[0], np.cumsum(counts[order])]).astype(np.intc)
    total = int(firsts[-1])
    moved = np.empty(len(order), dtype=np.intc)
    moved[order] = firsts[:-1]
    sequences = np.arange(total, dtype=np.intc) + np.repeat(moved - np.array(walk.firsts[:-1], np.intc), counts)
    # The walk numbers the empty sequence -1, which is the last entry of each table.
    tables = [np.append(sequences, np.intc(total + player)) for player in players]
    parents = np.array(walk.parents, dtype=np.intc)
    last = np.frombuffer(walk.last, dtype=np.intc).reshape(-1, len(players))
    payoffs = np.frombuffer(walk.payoffs).reshape(-1, len(players)).T
    form = SequenceForm(
        player_blocks=np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=len(players)))]),
        first_sequences=firsts,
        parent_sequences=np.where(parents < 0, total + owners, sequences[parents])[order],
        chance=np.frombuffer(walk.chance),
        payoffs=payoffs,
        last_sequences=np.stack([tables[player][last[:, player]] for player in players]),
    )
    inverse = np.argsort(sequences).tolist()
    action_ids = list(chain.from_iterable(walk.actions))
    labels = Labels(
        information_states=tuple(key for known in walk.points for key in known),
        actions=tuple(walk.action_names[sequence] for sequence in inverse),
        action_ids=tuple(action_ids[sequence] for sequence in inverse),
    )
    return Game(
        name=name,
        sequence_form=form,
        labels=labels,
        source=source,
        num_histories=walk.histories,
        num_terminals=len(walk.chance),
        max_abs_payoff=float(np.abs(payoffs).max()),
    )
