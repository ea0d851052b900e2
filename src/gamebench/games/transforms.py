"""Focal players and teams: games made of games, on the arrays alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gamebench.checks import as_whole_number, checked, whole
from gamebench.errors import FocalError, TeamsError, brief
from gamebench.games.game import Focus, Game, Labels, each_alone
from gamebench.games.tree import FloatArray, IntArray, Tree


def with_teams(game: Game, teams: Sequence[Sequence[int]]) -> Game:
    """The same tree in which every member of a team receives the mean of the team's payoffs."""
    partition = _partition(game, teams)
    payoffs = np.empty_like(game.tree.payoffs)
    for team in partition:
        payoffs[list(team)] = game.tree.payoffs[list(team)].mean(axis=0)
    return replace(
        game,
        name=f"{game.name} [teams {'/'.join(','.join(map(str, team)) for team in partition)}]",
        tree=game.tree._replace(payoffs=payoffs),
        teams=partition,
        max_abs_payoff=float(np.abs(payoffs).max()),
        declared_category=None,
    )


def _partition(game: Game, teams: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """The teams as tuples, after a check that every player is in exactly one."""
    wanted = f"give each of the players 0 to {game.num_players - 1} to exactly one team"
    if game.focus is not None or game.has_teams:
        raise TeamsError(f"{game.name!r} has been given its teams or its focal player already; load the plain game.")
    try:
        partition = tuple(tuple(sorted(as_whole_number(player) for player in team)) for team in teams)
    except TypeError as error:
        raise TeamsError(f"Teams are lists of player numbers, such as [[0, 1], [2]], not {brief(teams)}.") from error
    members = sorted(player for team in partition for player in team)
    if unknown := [player for player in members if not 0 <= player < game.num_players]:
        raise TeamsError(f"The teams name player {brief(unknown[0])}, which {game.name!r} does not have; {wanted}.")
    if twice := [player for player in members if members.count(player) > 1]:
        raise TeamsError(f"The teams name player {twice[0]} more than once; {wanted}.")
    if missing := [player for player in range(game.num_players) if player not in members]:
        raise TeamsError(f"The teams leave out player {missing[0]}; {wanted}.")
    if () in partition:
        raise TeamsError(f"A team has no members; {wanted}.")
    return partition


def single_out(game: Game, player: int, others: FloatArray) -> Game:
    """The single-agent game of one player while all others play ``others`` ``(S,)`` for ever.

    Their realisation weights are multiplied into chance: c'(z) = c(z) prod_{j != i} x(s_j(z)). The player cannot tell
    apart terminals that end its play with the same sequence, so they become one, with their mean payoff.
    """
    player = checked(f"The focal player of {game.name!r}", player, whole(0, game.num_players - 1), FocalError)
    if game.focus is not None:
        raise FocalError(f"{game.name!r} has a focal player already; load the plain game.")
    tree = game.tree
    x = _realised(tree, others)
    chance = tree.chance.copy()
    for other in range(tree.num_players):
        if other != player:
            chance *= x[tree.last_sequences[other]]
    own = tree.sequences_of(player)
    begin, end = tree.player_blocks[player], tree.player_blocks[player + 1]
    count = tree.num_sequences_of(player)

    def renumbered(sequences: IntArray) -> IntArray:
        return np.where(sequences >= tree.num_sequences, count, sequences - own.start).astype(np.int32)

    merged, group = np.unique(renumbered(tree.last_sequences[player]), return_inverse=True)
    weight: FloatArray = np.bincount(group, chance).astype(np.float64)
    total = np.bincount(group, chance * tree.payoffs[player])
    mean = np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)
    labels = game.labels
    return Game(
        name=f"{game.name} [focal {player}]",
        tree=Tree(
            player_blocks=np.array([0, end - begin]),
            first_sequences=tree.first_sequences[begin : end + 1] - own.start,
            parent_sequences=renumbered(tree.parent_sequences[begin:end]),
            chance=weight,
            payoffs=mean[None],
            last_sequences=merged[None],
        ),
        labels=Labels(labels.information_states[begin:end], labels.actions[own], labels.action_ids[own]),
        source=game.source,
        teams=each_alone(1),
        num_histories=game.num_histories,
        num_terminals=game.num_terminals,
        max_abs_payoff=float(np.abs(tree.payoffs[player]).max()),
        focus=Focus(game, player, others),
    )


def _realised(tree: Tree, policy: FloatArray) -> FloatArray:
    """The realisation plans of all players; done once, in less time than loading the kernel for it takes."""
    x = np.ones(tree.num_sequences + tree.num_players)
    firsts = tree.first_sequences.tolist()
    for point, parent in enumerate(tree.parent_sequences.tolist()):
        own = slice(firsts[point], firsts[point + 1])
        x[own] = x[parent] * policy[own]
    return x
