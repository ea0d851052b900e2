"""Best responses of a player or a team: their values and their policies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from gamebench import kernels
from gamebench.analysis.responses.team import (
    MAX_STEPS,
    any_plan,
    approximate_team_response,
    check_members,
    graph_deviation_values,
    likeliest_plan,
    search_deviation_values,
    team_deviation_values,
)
from gamebench.core.errors import GameBenchError, brief
from gamebench.core.settings import checked, several, whole
from gamebench.games.game import Game
from gamebench.games.names import as_game, no_player, players_called
from gamebench.policies import AnyPolicy, Policy, as_policy
from gamebench.policies.agent_answers import without_array

ResponseMethod: TypeAlias = Literal["exact", "search", "graph", "milp", "approximate"]


@dataclass(frozen=True)
class BestResponse:
    """Best response of a player or a team.

    ``policy`` is the joint policy in which only the responding players have changed, and ``value`` their common
    expected payoff when everyone follows it.

    Examples:
        >>> import gamebench as gb
        >>> game = gb.load_game("kuhn_poker")
        >>> response = gb.best_response(game, gb.uniform_policy(game), 0)
        >>> round(response.value, 4), gb.expected_values(game, response.policy).round(4).tolist()
        (0.5, [0.5, -0.5])
    """

    value: float
    policy: Policy


def best_response(
    game: Game | str,
    policy: AnyPolicy,
    who: int | str | Iterable[int | str],
    *,
    method: ResponseMethod = "exact",
    start: AnyPolicy = None,
    max_steps: int = MAX_STEPS,
) -> BestResponse:
    """Return the best response of a player, or of several players with common payoffs, to a joint policy.

    Args:
        game: the game, or its name.
        policy: the joint policy to which the players respond, in any form that :func:`evaluate` takes. It may omit
            the responding players: ``{0: agent}`` is enough for the response of player 1.
        who: a player (number or name), or several, such as ``game.teams[0]``.
        method: how several players respond. ``"exact"`` chooses between ``"search"`` (branch and bound) and ``"graph"``
            (one pass over the beliefs of their coordinator); ``"milp"`` is exact as well, by HiGHS; ``"approximate"``
            is the paper's 100 steps of MMD-KL. A single player's response is always exact.
        start: a policy whose most likely actions are the first plan of the search, such as the previous response. It
            affects the duration of the search, and which of several equally good responses is found.
        max_steps: maximum number of search steps, beyond which :class:`ResponseLimitError` is raised; the default takes
            about five seconds.

    Examples:
        >>> import gamebench as gb
        >>> game = gb.load_game("kuhn_poker")
        >>> response = gb.best_response(game, gb.uniform_policy(game), 0)
        >>> round(response.value, 4)
        0.5
        >>> response.policy["2pb"]  # with the king, call
        {'Pass': 0.0, 'Bet': 1.0}
        >>> team = gb.load_game("MCCKuhn-A")
        >>> round(gb.best_response(team, gb.uniform_policy(team), team.teams[0]).value, 4)
        0.3333

    References:
        A. Celli and N. Gatti, "Computational Results for Extensive-Form Adversarial Team Games", AAAI 2018.
    """
    game = as_game(game)
    max_steps = checked("max_steps", max_steps, whole(1), GameBenchError)
    if not isinstance(method, str) or method not in get_args(ResponseMethod):
        known = ", ".join(get_args(ResponseMethod))
        raise GameBenchError(f"The method {brief(method)} is unknown; use one of {known}.")
    team = _coalition(game, who)
    policy = as_policy(game, policy, free=() if method == "approximate" else team)
    form, probabilities = game.sequence_form, np.array(policy.probabilities)
    if len(team) == 1:
        value = float(kernels.respond(tuple(form), tuple(game.paying_endings), team[0], probabilities))
    elif method == "approximate":
        improved = approximate_team_response(game, team, probabilities[None])
        value, probabilities = float(kernels.expected_values(tuple(form), improved)[0, team[0]]), improved[0]
    else:
        if method == "milp":
            from gamebench.analysis.responses.program import solve_team_program  # imports SciPy's solvers

            value, plan = solve_team_program(game, team, probabilities)
        else:
            plan = any_plan(game) if start is None else likeliest_plan(form, as_policy(game, start).probabilities)
            batch = probabilities[None]
            if method == "graph":
                value = float(graph_deviation_values(game, team, batch, plan)[0])
            else:
                respond = search_deviation_values if method == "search" else team_deviation_values
                value = float(respond(game, team, batch, plan, max_steps)[0])
        for member in team:
            points = np.arange(form.player_blocks[member], form.player_blocks[member + 1])
            probabilities[form.sequences_of(member)] = 0.0
            probabilities[form.first_sequences[points] + plan[points]] = 1.0
    return BestResponse(value, Policy(game, probabilities))


def _coalition(game: Game, who: int | str | Iterable[int | str]) -> tuple[int, ...]:
    """Return the players, sorted; raise unless they exist and have the same payoffs."""
    words = f"one or several of the players 0 to {game.num_players - 1}, such as 0 or [0, 1]"
    members = several(whole(0, game.num_players - 1), words)
    players, who = [], without_array(who)
    for each in who if isinstance(who, Iterable) and not isinstance(who, str) else [who]:
        found = players_called(game, each) if isinstance(each, str) else [each]  # numbers are checked below
        if len(found) != 1:
            raise GameBenchError(no_player(game, each))
        players += found
    team = tuple(sorted(set(checked(f"Who responds in {game.name!r}", players, members, GameBenchError))))
    if len(team) > 1:
        check_members(game)
    if not game.shares_payoffs(team):
        raise GameBenchError(
            f"Players {list(team)} of {game.name!r} have different payoffs, so they have no joint best response; load "
            f"the game with teams=."
        )
    return team
