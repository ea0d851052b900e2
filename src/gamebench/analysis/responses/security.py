"""Security levels: the payoff that a player can secure alone, whatever all others do.

The security level of player i, also called its maximin value, is

    s_i = max over pi_i of min over the joint plans of all other players of V_i,

where the others coordinate before the game and know pi_i. It is computed by column generation (a one-sided double
oracle): a linear program gives the player's best policy against the others' plans so far
(:mod:`gamebench.analysis.responses.maximin`), and their exact best response is added to these plans. Both bounds are
values of exact responses: the lower bound is the payoff of the player's policy against the others' best response, and
the upper bound is that of the player's best response against the others' optimal mixture of plans.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gamebench.analysis.responses.response import BestResponse, best_response
from gamebench.analysis.responses.team import MAX_SLOTS, MAX_STEPS, searches
from gamebench.core.arrays import FloatArray
from gamebench.core.errors import GameBenchError, ResponseLimitError
from gamebench.core.settings import checked, whole
from gamebench.games.game import ROUNDING, Game, remembered
from gamebench.games.loading import cache
from gamebench.games.names import as_game
from gamebench.policies import Policy, uniform_policy
from gamebench.system.files import load_arrays, remove, save_arrays

LEVEL_VERSION = 1
"""Part of the cache key of security levels; increase it when results change."""
MAX_RESPONSES = 1000
"""Maximum number of exact joint responses of the others."""
ENOUGH, LARGEST_GAP = 1e-12, 1e-9
"""The gap at which the search stops, and the largest accepted gap, relative to the largest payoff."""


@dataclass(frozen=True)
class SecurityLevel:
    """The payoff that a player can secure alone, with a policy that secures it.

    The player's part of ``policy`` secures ``value``. The others' parts are their joint best response to it, so
    ``value`` is the player's expected payoff if everyone follows the policy; against these parts alone, the player may
    have a better policy.

    Examples:
        >>> import gamebench as gb
        >>> chicken = gb.Game.from_payoffs([[[6, 6], [2, 7]], [[7, 2], [0, 0]]])
        >>> level = gb.security_level(chicken, 0)
        >>> level.value, level.policy.probabilities.tolist()
        (2.0, [1.0, 0.0, 0.0, 1.0])
        >>> level.gap < 1e-12
        True
    """

    value: float
    """Payoff guaranteed by the player's part of the policy."""
    policy: Policy
    gap: float
    """Upper bound on what any policy of the player could guarantee beyond ``value``."""
    responses: int
    """Number of exact joint responses that were computed."""


def security_level(game: Game | str, player: int, *, max_steps: int = MAX_STEPS) -> SecurityLevel:
    """Return the payoff that a player can secure alone: the maximum over its policies of the minimum over the others'.

    All other players coordinate against the player, including its own team mates. For a single agent the security level
    is the optimum, and in a two-player zero-sum game it is the value of the game. The result is exact up to ``gap``. It
    is remembered with the game and cached on disk; a failure is remembered until a higher limit is given.

    Args:
        game: the game, or its name.
        player: the player.
        max_steps: maximum number of steps in each search for a joint response of the others, beyond which
            :class:`ResponseLimitError` is raised; the default takes about five seconds.

    Examples:
        >>> import gamebench as gb
        >>> round(gb.security_level(gb.load_game("kuhn_poker"), 0).value, 6)  # the value of the game, -1/18
        -0.055556
        >>> [round(gb.security_level(gb.load_game("Kuhn"), player).value, 6) for player in range(3)]
        [-0.037879, -0.026515, 0.041667]

    References:
        J. von Neumann, "Zur Theorie der Gesellschaftsspiele", Mathematische Annalen 100, 1928. D. Koller, N. Megiddo
        and B. von Stengel, "Efficient Computation of Equilibria for Extensive Two-Person Games", Games and Economic
        Behavior 14, 1996.
    """
    game = as_game(game)
    player = checked(f"The player of {game.name!r}", player, whole(0, game.num_players - 1), GameBenchError)
    max_steps = checked("max_steps", max_steps, whole(1), GameBenchError)
    known, missed = _known_levels(game)
    if player not in known and (kept := _read_level(game, player)) is not None:
        known[player] = kept
    if player in known:
        return known[player]
    if missed.get(player, (0, ""))[0] >= max_steps:
        raise ResponseLimitError(missed[player][1])
    try:
        level = _secure(game, player, max_steps)
        if level.gap > LARGEST_GAP * np.abs(game.sequence_form.payoffs[player]).max():
            raise ResponseLimitError(
                f"The security level of player {player} in {game.name!r} is at least {level.value:.6g} and at most "
                f"{level.gap:.2g} above that; {level.responses:,} responses of the others did not narrow this down."
            )
    except ResponseLimitError as error:
        missed[player] = max_steps, str(error)
        raise
    known[player] = level
    _write_level(level, game, player)
    return level


def _file_of_level(game: Game, player: int) -> Path | None:
    """Return the cache file of a security level; ``None`` for single agents and payoff tables, which need no cache."""
    if game.num_players == 1 or game.source.kind == "payoffs":
        return None
    return cache.path_of(["security level", str(LEVEL_VERSION), game.fingerprint, str(player)], ".npz")


def _read_level(game: Game, player: int) -> SecurityLevel | None:
    """Return a security level from the cache, or ``None``."""
    path = _file_of_level(game, player)
    if path is None or not path.exists():
        return None
    try:
        about, arrays = load_arrays(path)
        policy = Policy(game, arrays["policy"])
        return SecurityLevel(float(about["value"]), policy, float(about["gap"]), int(about["responses"]))
    except Exception:  # the level can be computed again, whatever is wrong with the file
        remove(path)
        return None


def _write_level(level: SecurityLevel, game: Game, player: int) -> None:
    """Write a security level to the cache; loading the game has already warned if the cache cannot be written."""
    path = _file_of_level(game, player)
    if path is not None:
        about = {"value": level.value, "gap": level.gap, "responses": level.responses}
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            save_arrays(path, about, {"policy": np.array(level.policy.probabilities)})


@remembered
def _known_levels(_: Game) -> tuple[dict[int, SecurityLevel], dict[int, tuple[int, str]]]:
    """Return the known security levels by player, and the limits and messages of failed searches."""
    return {}, {}


def lone_players_level(game: Game) -> tuple[int, SecurityLevel] | None:
    """Return the player who faces a team alone, and its security level; ``None`` for other games.

    There must be two teams, exactly one of which is a single player, with opposed payoffs: u_lone = a - b u_team at
    every terminal, with b > 0. After :data:`MAX_RESPONSES` responses, the level is that of the best policy so far.

    Examples:
        >>> import gamebench as gb
        >>> from gamebench.analysis.responses import lone_players_level
        >>> player, level = lone_players_level(gb.load_game("MCCKuhn-A"))
        >>> player, round(level.value, 6), level.gap < 1e-12  # each member of the team gets -1/48
        (2, 0.041667, True)

    References:
        A. Celli and N. Gatti, "Computational Results for Extensive-Form Adversarial Team Games", AAAI 2018.
    """
    sizes = [len(team) for team in game.teams]
    if len(sizes) != 2 or sizes.count(1) != 1:
        return None
    [[player], team] = sorted(game.teams, key=len)
    if not _are_opposed(game.sequence_form.payoffs[player], game.sequence_form.payoffs[team[0]]):
        return None
    return player, _secure(game, player, MAX_STEPS)


def _are_opposed(lone: FloatArray, team: FloatArray) -> bool:
    """Return whether ``lone`` = a - b ``team`` at every terminal, with b > 0."""
    if np.ptp(team) == 0.0:
        return bool(np.ptp(lone) == 0.0)
    scale = float(np.ptp(lone) / np.ptp(team))
    rounding = 4 * ROUNDING * max(np.abs(lone).max(), scale * np.abs(team).max())
    return scale > 0.0 and bool(np.ptp(lone + scale * team) <= rounding)


def _secure(game: Game, player: int, max_steps: int) -> SecurityLevel:
    """Return the player's best policy found with at most :data:`MAX_RESPONSES` responses of the others."""
    if game.num_players == 1:
        best = best_response(game, uniform_policy(game), player)
        return SecurityLevel(best.value, best.policy, gap=0.0, responses=0)
    from gamebench.analysis.responses.maximin import MaximinProgram  # imports SciPy's solvers

    duel = _duel(game, player)
    program, enough = MaximinProgram(duel, player), ENOUGH * duel.max_abs_payoff
    probabilities = np.array(uniform_policy(game).probabilities)
    response = worst = _joint_response(duel, player, probabilities, None, max_steps)
    upper, responses = np.inf, 1
    while responses < MAX_RESPONSES and program.add(response.policy.probabilities):
        probabilities[game.sequence_form.sequences_of(player)], bound = program.solve()
        response = _joint_response(duel, player, probabilities, response.policy, max_steps)
        upper, responses = min(upper, bound), responses + 1
        worst = min(worst, response, key=lambda each: each.value)  # the others get what the player loses
        if upper + worst.value <= enough:
            break
    gap = max(upper + worst.value, 0.0)
    return SecurityLevel(0.0 - worst.value, Policy(game, worst.policy.probabilities), gap, responses)


def _duel(game: Game, player: int) -> Game:
    """Return the game in which all others form a team with the opposite of the player's payoff."""
    others = tuple(other for other in range(game.num_players) if other != player)
    payoffs = np.repeat(-game.sequence_form.payoffs[[player]], game.num_players, axis=0)
    payoffs[player] = game.sequence_form.payoffs[player]
    return replace(
        game,
        sequence_form=game.sequence_form._replace(payoffs=payoffs),
        teams=((player,), others),
        max_abs_payoff=float(np.abs(payoffs).max()),
        declared_category=None,
    )


def _joint_response(
    duel: Game, player: int, probabilities: FloatArray, start: Policy | None, max_steps: int
) -> BestResponse:
    """Return the exact joint response of all others to the player's part of ``probabilities`` ``(S,)``."""
    others = duel.teams[1]
    missed = f"The security level of player {player} in {duel.name!r} was not found, because"
    advice = "as a measure of fairness, Fairness(smallest) needs no security levels"
    if len(others) > 1 and duel.sequence_form.parent_starts is not None:
        raise ResponseLimitError(f"{missed} joint responses of several coordinators are not supported; {advice}.")
    try:
        if len(others) > 1:
            searches(duel, others)
    except ResponseLimitError as error:
        pairs = f"more than {MAX_SLOTS:,} (decision point, action) pairs"
        search = f"the search for a joint response of players {list(others)} would need a tree of {pairs}"
        raise ResponseLimitError(f"{missed} {search}; {advice}.") from error
    try:
        return best_response(duel, Policy(duel, probabilities), others, start=start, max_steps=max_steps)
    except ResponseLimitError as error:
        steps = f"a joint response of players {list(others)} takes more than {max_steps:,} steps"
        limit = "raise the limit with security_level(max_steps=...)"
        raise ResponseLimitError(f"{missed} {steps}; {limit}; {advice}.") from error
