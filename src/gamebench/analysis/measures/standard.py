"""The built-in measures, and the measures for each category of games.

V_i is the expected payoff of player i, V* the largest common payoff, and d_i(pi) the most that team i can gain by
deviating alone (without teams, every player is a team):

    OptGap                   V* - V                              lower is better; players with common payoffs
    NashConv                 sum_i d_i(pi)                       lower; exact, in every game
    NashConv(approximate)    sum_i of a lower bound of d_i(pi)   lower; games with teams
    Exploitability           NashConv / 2                        lower; two players, zero-sum
    CCEGap                   sum_i d_i(mixture)                  lower; also for mixtures of joint policies
    CCEGap(average)          CCEGap of the average play          lower
    SocialWelfare            sum_i V_i                           higher
    Fairness(smallest)       min_i V_i                           higher
    Fairness(Nash)           prod_i max(0, V_i - s_i)            higher; s_i is what player i can secure alone
    Fairness(Jain)           Jain's index of max(0, V_i - s_i)   higher
    LogitGap(rationality=2)  distance from its logit response    lower; default rationality 1

Fairness is in :mod:`gamebench.analysis.measures.fairness`, quantal response in
:mod:`gamebench.analysis.measures.logit`. Each ``compute`` takes policies ``(B, S)`` and returns numbers ``(B,)``; each
``of_play`` takes a mixture.

References:
    NashConv: M. Lanctot et al., A Unified Game-Theoretic Approach to Multiagent Reinforcement Learning, NIPS 2017.
    NashConv(approximate): P. Li et al., Configurable Mirror Descent: Towards a Unification of Decision Making, ICML
    2024. Coarse correlated equilibria: H. Moulin and J.-P. Vial, Strategically Zero-Sum Games, 1978.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter

import numpy as np

from gamebench import kernels
from gamebench.analysis.measures.fairness import JAIN, NASH, SMALLEST
from gamebench.analysis.measures.logit import logit_measure
from gamebench.analysis.measures.measure import (
    Direction,
    Measure,
    Solution,
    everywhere,
    measure_of_payoffs,
    register_measure,
)
from gamebench.analysis.responses import AveragePlay, batch_improvements, best_response
from gamebench.analysis.responses.team import MAX_STEPS
from gamebench.core.arrays import FloatArray
from gamebench.core.errors import ResponseLimitError
from gamebench.games.game import Category, Game, remembered
from gamebench.games.names import as_game
from gamebench.policies import uniform_policy


@remembered
def common_payoffs(game: Game) -> bool:
    """Return whether all players always receive the same payoff; trivially so for a single player."""
    return game.shares_payoffs(range(game.num_players))


@remembered
def _optimum(_: Game) -> list[float]:
    """Return a list that holds V* once it is known."""
    return []


def optimal_value(game: Game | str, max_steps: int = MAX_STEPS) -> float:
    """Return V*, the largest payoff that the players of a game with common payoffs can reach.

    The value is exact and computed once per game, so a higher limit ``max_steps`` is needed only for the first call.

    Examples:
        >>> import gamebench as gb
        >>> round(gb.optimal_value(gb.load_game("TinyHanabi-A")), 9)
        10.0
    """
    game = as_game(game)
    known = _optimum(game)
    if not known:
        # Some pure strategy profile is optimal, so coordination gains nothing.
        origin = game.coordination
        whole = origin.full_game if origin is not None and game.num_players > 1 else game
        try:
            found = best_response(whole, uniform_policy(whole), range(whole.num_players), max_steps=max_steps)
            known.append(found.value)
        except ResponseLimitError as error:
            missed = f"The optimum of {game.name!r}, which OptGap needs, was not found within {max_steps:,} steps"
            advice = "raise the limit with optimal_value(max_steps=...), or use SocialWelfare, which needs no optimum"
            raise ResponseLimitError(f"{missed}; {advice}.") from error
    return known[0]


def _opt_gap(game: Game, values: FloatArray) -> FloatArray:
    return np.subtract(optimal_value(game), values[:, 0])


OPT_GAP = measure_of_payoffs(
    _opt_gap,
    name="OptGap",
    direction=Direction.LOWER,
    unit="payoff of one player",
    applies_to="games with one player, or whose players all receive the same payoff",
    applies=common_payoffs,
    zero_at=Solution.OPTIMUM,
    definition="How far the common payoff is below the largest that the players can reach together: V* - V.",
)


def _nash_conv(game: Game, policies: FloatArray, approximate: bool = False) -> FloatArray:
    """Return sum_i d_i(pi): the members of a team deviate jointly, though they cannot communicate during play.

    If ``approximate``, a team deviates by 100 steps of MMD-KL, as in the paper; the result can be far below NashConv.
    """
    total: FloatArray = kernels.sums_over_players(batch_improvements(game, policies, approximate=approximate))
    return total


def _exploitability(game: Game, policies: FloatArray) -> FloatArray:
    return _nash_conv(game, policies) / 2


def _has_two_opponents(game: Game) -> bool:
    return game.num_players == 2 and game.is_zero_sum


NASH_CONV = Measure(
    name="NashConv",
    direction=Direction.LOWER,
    unit="payoff, summed over teams",
    applies_to="every game",
    applies=everywhere,
    compute=_nash_conv,
    zero_at=Solution.EQUILIBRIUM,
    definition="The sum over players i of the gain from deviating alone to a best response, max V_i(pi', pi_-i) - "
    "V_i(pi). In games with teams, the sum is over teams, whose members deviate together.",
)
APPROXIMATE_NASH_CONV = replace(
    NASH_CONV,
    name="NashConv(approximate)",
    applies_to="games with opposing teams, at least one of which has several members",
    applies=attrgetter("has_teams"),
    compute=partial(_nash_conv, approximate=True),
    zero_at=None,
    definition="The paper's lower bound on NashConv: a team deviates by 100 steps of MMD-KL, not by a best response.",
)
EXPLOITABILITY = replace(
    NASH_CONV,
    name="Exploitability",
    unit="payoff, mean over players",
    applies_to="two-player zero-sum games",
    applies=_has_two_opponents,
    compute=_exploitability,
    definition="Half of NashConv: how much less than the value of the game a player gets against a best response, "
    "averaged over the players.",
)


def _cce_gap_of_play(play: AveragePlay) -> float:
    """Return sum_i max_pi' sum_t w_t V_i(pi', pi^t_-i) - sum_t w_t V_i(pi^t), where pi^t has weight w_t."""
    return float(play.improvements().sum())


# A mixture is a coarse correlated equilibrium if no term of the sum is positive. Correlation can make terms negative,
# and the sum is not clipped at zero. For the average play of a run, it is the sum of the players' average regrets.
CCE_GAP = replace(
    NASH_CONV,
    name="CCEGap",
    of_play=_cce_gap_of_play,
    definition="The sum over players of the gain from ignoring a mixture's recommendations from the start. No player "
    "gains in a coarse correlated equilibrium. For a single joint policy, this is NashConv.",
)
AVERAGE_CCE_GAP = replace(
    CCE_GAP,
    name="CCEGap(average)",
    of_average=True,
    definition="CCEGap of a run's average play so far: the sum of the players' average regrets.",
)


def _social_welfare(game: Game, values: FloatArray) -> FloatArray:
    if game.coordination is not None:  # each coordinator counts once per member
        return np.asarray(values @ game.team_sizes)
    welfare: FloatArray = kernels.sums_over_players(values)
    return welfare


SOCIAL_WELFARE = measure_of_payoffs(
    _social_welfare,
    name="SocialWelfare",
    direction=Direction.HIGHER,
    unit="payoff, summed over players",
    definition="The sum of the players' expected payoffs.",
)

for _measure in (
    *(OPT_GAP, NASH_CONV, APPROXIMATE_NASH_CONV, EXPLOITABILITY, CCE_GAP, AVERAGE_CCE_GAP, SOCIAL_WELFARE),
    *(SMALLEST, NASH, JAIN, logit_measure()),
):
    register_measure(_measure)


@dataclass(frozen=True)
class CategoryMeasures:
    """The names of the measures for a category of games."""

    main: str
    """The exact measure that is reported by default."""
    papers: str
    """The measure that the paper plots; in games with teams, CMD minimises it by default."""
    recorded: tuple[str, ...]
    """The measures recorded in the paper's runs, the main one first."""


MEASURES_BY_CATEGORY = {
    Category.SINGLE_AGENT: CategoryMeasures("OptGap", "OptGap", ("OptGap",)),
    Category.COOPERATIVE: CategoryMeasures("OptGap", "OptGap", ("OptGap", "NashConv", "SocialWelfare")),
    Category.ZERO_SUM: CategoryMeasures("NashConv", "NashConv", ("NashConv",)),
    Category.GENERAL_SUM: CategoryMeasures("NashConv", "NashConv", ("NashConv", "SocialWelfare")),
    Category.MIXED: CategoryMeasures("NashConv", "NashConv(approximate)", ("NashConv", "NashConv(approximate)")),
}


def main_measure(game: Game | str) -> str:
    """Return the name of the measure that is reported for a game by default.

    It is OptGap for single-agent and cooperative games, and NashConv otherwise.

    Examples:
        >>> import gamebench as gb
        >>> gb.main_measure("Kuhn-A"), gb.main_measure("Kuhn")
        ('OptGap', 'NashConv')
    """
    return MEASURES_BY_CATEGORY[as_game(game).category].main


def default_objective(game: Game) -> str:
    """Return the name of the measure that CMD minimises by default, as in the paper."""
    # The approximation exists only for games with teams, whatever their declared category.
    return MEASURES_BY_CATEGORY[Category.MIXED].papers if game.has_teams else main_measure(game)
