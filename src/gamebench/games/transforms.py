"""Games derived from other games: teams, coordinators, a focal player against fixed opponents, and scaled payoffs."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gamebench.core.arrays import FloatArray, IntArray
from gamebench.core.errors import FocalError, GameError, GameTooLargeError, TeamsError, brief
from gamebench.core.settings import as_whole_number, checked, real, whole
from gamebench.games.game import Focus, Game, Labels
from gamebench.games.names import as_game
from gamebench.games.sequence_form import SequenceForm, realisation
from gamebench.games.teams.beliefs import TooManyBeliefsError
from gamebench.games.teams.coordination import coordinate

MAX_BELIEFS = 1_000_000
"""Default budget of coordinators: a few seconds of work and a few hundred megabytes."""
MOST_BELIEFS = 2**27
"""Largest budget; beyond it, 32 bits might not be enough to number the sequences."""


def with_teams(game: Game | str, teams: Sequence[Sequence[int]]) -> Game:
    """Return the same game in which every member of a team receives the mean of the team's payoffs.

    Args:
        game: a game without teams and without a focal player.
        teams: a partition of the players, such as ``[[0, 1], [2]]``.

    Examples:
        >>> import gamebench as gb
        >>> game = gb.with_teams(gb.load_game("kuhn_poker(players=3)"), [[0, 1], [2]])
        >>> game.category
        <Category.MIXED: 'mixed'>
        >>> gb.improvements(game, gb.uniform_policy(game)).round(4).tolist()  # one entry per team
        [0.2396, 0.8229]

    References:
        B. von Stengel and D. Koller, "Team-Maxmin Equilibria", Games and Economic Behavior 21, 1997.
    """
    game = as_game(game)
    partition = _partition(game, teams)
    payoffs = np.empty_like(game.sequence_form.payoffs)
    for team in partition:
        payoffs[list(team)] = game.sequence_form.payoffs[list(team)].mean(axis=0)
    return replace(
        game,
        name=f"{game.name} [teams {'/'.join(','.join(map(str, team)) for team in partition)}]",
        sequence_form=game.sequence_form._replace(payoffs=payoffs),
        teams=partition,
        max_abs_payoff=float(np.abs(payoffs).max()),
        declared_category=None,
    )


def _partition(game: Game, teams: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Return the teams as sorted tuples; raise unless every player belongs to exactly one of them."""
    wanted = f"assign each of the players 0 to {game.num_players - 1} to exactly one team"
    if game.focus is not None or game.has_teams or game.coordination is not None:
        raise TeamsError(f"{game.name!r} already has teams or a focal player; load the game without them.")
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


def with_coordination(game: Game | str, max_beliefs: int = MAX_BELIEFS) -> Game:
    """Return the game between the coordinators of a game's teams, one player for each team.

    Members who can agree on a plan before the game, but not talk during it, have more to gain than independent policies
    can show. A coordinator knows what is common knowledge in its team, and prescribes actions to the members'
    information sets; every algorithm and every measure works on the game between coordinators. With two teams, its
    equilibria are team-maxmin equilibria with coordination (TMECor).

    Args:
        game: a game with teams.
        max_beliefs: the budget; a game with more beliefs is refused. A decision point of a coordinator is a belief, or
            the end of its team's play.

    Examples:
        >>> import gamebench as gb
        >>> game = gb.with_coordination(gb.load_game("MCCKuhn-A"))
        >>> game
        Game('MCCKuhn-A [coordinated]', zero-sum, 2 players, 978 decision points)
        >>> policy = gb.solve(game, "CRD", 2000).policy
        >>> (gb.expected_values(game, policy) * 48).round(6).tolist()  # the first team's value is -1/48
        [-1.0, 2.0]

    References:
        B. H. Zhang, G. Farina and T. Sandholm, "Team Belief DAG: Generalizing the Sequence Form to Team Games for Fast
        Computation of Correlated Team Max-Min Equilibria via Regret Minimization", ICML 2023.
    """
    game = as_game(game)
    max_beliefs = checked("max_beliefs", max_beliefs, whole(1, MOST_BELIEFS), GameError)
    if game.coordination is not None:
        raise TeamsError(f"The teams of {game.name!r} already coordinate.")
    if game.focus is not None:
        raise TeamsError(
            f"{game.name!r} has a focal player, so nobody is left to coordinate with; load it without one."
        )
    if all(len(team) == 1 for team in game.teams):
        raise TeamsError(f"{game.name!r} has no team of several players who could coordinate; load it with teams=.")
    try:
        coordinated = coordinate(game, max_beliefs)
    except TooManyBeliefsError as error:
        found = f"{error.found:,} beliefs were found after expanding {error.expanded:,} of them"
        too_many = f"need more than max_beliefs={max_beliefs:,} beliefs"
        too_large = f"need beliefs that are too large for the memory that max_beliefs={max_beliefs:,} allows"
        advice = "choose a smaller game or smaller teams, or leave the teams uncoordinated"
        raise GameTooLargeError(
            f"The coordinators of {game.name!r} {too_many if error.found > max_beliefs else too_large} ({found}); "
            f"raise max_beliefs= (--max-beliefs), {advice}."
        ) from error
    if coordinated.num_players > 2:
        what = f"{coordinated.name!r} is a game between {coordinated.num_players} coordinators"
        warnings.warn(
            f"{what}; with more than two, an equilibrium guarantees no team its value.", UserWarning, stacklevel=2
        )
    return coordinated


def with_focal(game: Game | str, player: int, others: Any = None) -> Game:
    """Return the single-agent game of one player, in which all other players follow a fixed policy.

    The opponents' realisation weights are multiplied into chance: c'(z) = c(z) prod_{j != i} x(s_j(z)). Terminals with
    the same last sequence of the focal player look alike to it, so they are merged into one with their mean payoff.

    Args:
        game: a game without a focal player.
        player: the focal player.
        others: the policy of the other players for the full ``game``, as :func:`evaluate` takes it; uniform if not
            given. What the focal player plays in it does not matter.

    Examples:
        >>> import gamebench as gb
        >>> full = gb.load_game("kuhn_poker")
        >>> game = gb.with_focal(full, 0)
        >>> game
        Game('kuhn_poker [focal 0]', single-agent, 1 player, 6 decision points)
        >>> round(gb.optimal_value(game), 4), round(gb.best_response(full, gb.uniform_policy(full), 0).value, 4)
        (0.5, 0.5)
    """
    game = as_game(game)
    player = checked(f"The focal player of {game.name!r}", player, whole(0, game.num_players - 1), FocalError)
    fixed = fixed_opponents(game, others, player)
    if game.coordination is not None:
        raise FocalError(
            f"The players of {game.name!r} are coordinators; load it uncoordinated to choose a focal player."
        )
    if game.focus is not None:
        raise FocalError(f"{game.name!r} already has a focal player; load the game without it.")
    form = game.sequence_form
    x = realisation(form, fixed)
    chance = form.chance.copy()
    for opponent in range(form.num_players):
        if opponent != player:
            chance *= x[form.last_sequences[opponent]]
    own = form.sequences_of(player)
    begin, end = form.player_blocks[player], form.player_blocks[player + 1]
    count = form.num_sequences_of(player)

    def renumbered(sequences: IntArray) -> IntArray:
        return np.where(sequences >= form.num_sequences, count, sequences - own.start).astype(np.int32)

    merged, group = np.unique(renumbered(form.last_sequences[player]), return_inverse=True)
    weight: FloatArray = np.bincount(group, chance).astype(np.float64)
    total = np.bincount(group, chance * form.payoffs[player])
    mean = np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)
    labels = game.labels
    return Game(
        name=f"{game.name} [focal {player}]",
        sequence_form=SequenceForm(
            player_blocks=np.array([0, end - begin]),
            first_sequences=form.first_sequences[begin : end + 1] - own.start,
            parent_sequences=renumbered(form.parent_sequences[begin:end]),
            chance=weight,
            payoffs=mean[None],
            last_sequences=merged[None],
        ),
        labels=Labels(labels.information_states[begin:end], labels.actions[own], labels.action_ids[own]),
        source=game.source,
        num_histories=game.num_histories,
        num_terminals=game.num_terminals,
        max_abs_payoff=float(np.abs(form.payoffs[player]).max()),
        focus=Focus(game, player, fixed),
        payoff_scale=game.payoff_scale,
        player_names=game.player_names[player : player + 1],
    )


def with_payoff_scale(game: Game | str, factor: float) -> Game:
    """Return the same game in other units: every payoff is multiplied by ``factor``.

    Best responses and equilibria stay the same. Values, gaps and NashConv are multiplied by the factor. Algorithms that
    depend on a step size behave differently (see the page on the scale of payoffs).

    Args:
        game: any game, including one with teams or a focal player.
        factor: a finite number above 0; with 1 the game itself is returned.

    Examples:
        >>> import gamebench as gb
        >>> kuhn = gb.load_game("Kuhn")
        >>> game = gb.with_payoff_scale(kuhn, 10)
        >>> game
        Game('Kuhn [payoffs x 10]', zero-sum, 3 players, 48 decision points)
        >>> [gb.evaluate(each, gb.uniform_policy(each), "NashConv") for each in (kuhn, game)]
        [2.0625, 20.625]
    """
    game = as_game(game)
    factor = checked("The scale of the payoffs", factor, real(0), GameError)
    if factor == 1.0:
        return game
    with np.errstate(over="ignore", under="ignore"):
        payoffs = game.sequence_form.payoffs * factor
    sizes = np.abs(payoffs[game.sequence_form.payoffs != 0.0])
    if not ((sizes >= np.finfo(np.float64).tiny) & (sizes < np.inf)).all():
        raise GameError(f"Payoffs of {game.name!r} times {factor:g} are too large or too small for floating point.")
    focus = game.focus and replace(game.focus, full_game=with_payoff_scale(game.focus.full_game, factor))
    origin = game.coordination
    coordination = origin and replace(origin, full_game=with_payoff_scale(origin.full_game, factor))
    return replace(
        game,
        name=f"{game.name} [payoffs x {str(factor).removesuffix('.0')}]",
        sequence_form=game.sequence_form._replace(payoffs=payoffs),
        max_abs_payoff=game.max_abs_payoff * factor,
        focus=focus,
        coordination=coordination,
        payoff_scale=game.payoff_scale * factor,
    )


def fixed_opponents(game: Game, others: Any, player: int) -> FloatArray:
    """Return the probabilities of the policy of all players but ``player``; uniform ones if it is ``None``."""
    if others is None:
        counts = np.diff(game.sequence_form.first_sequences)
        return np.repeat(1.0 / counts, counts)
    # The only import from a later layer: opponents can be anything that counts as a policy.
    from gamebench.policies import as_policy

    return as_policy(game, others, [player]).probabilities
