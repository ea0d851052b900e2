"""Exact solutions: which program solves which game, and the certificate of each solution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gamebench.errors import (
    GameBenchError,
    GameError,
    GameTooLargeError,
    ResponseLimitError,
    SettingError,
    brief,
    one_line,
)
from gamebench.games.game import Game
from gamebench.games.tree import FloatArray
from gamebench.policy import Mixture, Policy, expected_values, uniform_policy
from gamebench.responses.response import best_response
from gamebench.transforms import lift

if TYPE_CHECKING:
    from gamebench.exact.correlation import CorrelatedPlan

CONCEPTS = "CCE", "EFCE"
OBJECTIVES = "SocialWelfare", "Fairness(smallest)"
VERSION = 1
"""Raised whenever solutions change beyond rounding, so that the list of solved games is computed again."""
LARGEST_FLAW = 1e-9
"""Incentive to deviate from an equilibrium, relative to the largest payoff, beyond which it is refused."""
CLOSE = "gb.solve(game, 'CRD') comes close to an equilibrium, and NashConv says how close"
GOOD_GAP = 1e-10
"""Gap, relative to the largest payoff, that is not worth another attempt."""


@dataclass(frozen=True)
class ExactSolution:
    """Solution with a certificate: bounds that are the values of best responses of our own, not a solver's word.

    Examples:
        >>> import gamebench as gb
        >>> solution = gb.solve_exactly(gb.load_game("kuhn_poker"))
        >>> solution.concept, round(solution.value * 18, 9), solution.gap < 1e-12
        ('minimax', -1.0, True)
        >>> solution.policy
        Policy('kuhn_poker', 12 decision points)
    """

    concept: str
    """``"minimax"`` (two-player zero-sum games), ``"optimum"`` (common payoffs), ``"CCE"`` or ``"EFCE"``."""
    objective: str | None
    """What the best CCE or EFCE maximises."""
    value: float
    """The first player's payoff, the common payoff, or the objective."""
    lower: float
    """What the solution found guarantees, or reaches."""
    upper: float
    """What no solution exceeds."""
    payoffs: FloatArray
    """``(N,)`` each player's expected payoff."""
    policy: Policy | Mixture
    """A joint policy; for CCE and EFCE, a mixture of joint plans."""
    incentive: float
    """The most that a player gains by deviating: 0 up to rounding."""

    @property
    def gap(self) -> float:
        """How far the value can be from the truth."""
        return self.upper - self.lower


def solve_exactly(game: Game, *, concept: str | None = None, objective: str | None = None) -> ExactSolution:
    """Return an exact solution of a game, and bounds that prove it.

    - A single agent's or a cooperative game: the optimum, and a joint plan that reaches it.
    - A two-player zero-sum game, also between coordinators of teams: its value and an equilibrium.
    - Another game of two players, who are not coordinators: the best coarse correlated equilibrium
      (``concept="CCE"``, the default) or the best extensive-form correlated equilibrium (``"EFCE"``).

    Args:
        game: the game. Games with teams need ``coordinated=True``.
        concept: ``"CCE"`` or ``"EFCE"``, for any game of two players.
        objective: what the best of these maximises, ``"SocialWelfare"`` (the sum of payoffs, the default) or
            ``"Fairness(smallest)"`` (the payoff of the poorest player).

    Raises:
        GameTooLargeError: if the linear program would be too large.
        ResponseLimitError: if the search for an optimum exceeds its limit.
        GameError: if no program solves games of this kind.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve_exactly(gb.load_game("MCCGoofspiel", coordinated=True)).value
        0.25
        >>> chicken = gb.Game.from_payoffs([[[6, 6], [2, 7]], [[7, 2], [0, 0]]])
        >>> best = gb.solve_exactly(chicken, concept="EFCE")
        >>> round(best.value, 9), best.payoffs.round(9).tolist(), best.incentive < 1e-9
        (10.5, [5.25, 5.25], True)

    References:
        B. von Stengel and F. Forges, "Extensive-Form Correlated Equilibrium: Definition and Computational Complexity",
        Mathematics of Operations Research 33, 2008; B. H. Zhang, G. Farina, A. Celli and T. Sandholm, "Optimal
        Correlated Equilibria in General-Sum Extensive-Form Games", EC 2022.
    """
    chosen = concept_for(game, concept, objective)
    if chosen == "optimum":
        return _optimum(game)
    if chosen == "minimax":
        return _minimax(game)
    return _best_correlated(game, chosen, objective or OBJECTIVES[0])


def concept_for(game: Game, concept: str | None = None, objective: str | None = None) -> str:
    """Return what :func:`solve_exactly` would find: ``"minimax"``, ``"optimum"``, ``"CCE"`` or ``"EFCE"``.

    Raises:
        GameError: if no program solves games of this kind.
    """
    if not isinstance(game, Game):
        raise GameError(f"A Game, as returned by load_game(), can be solved, not {brief(game)}.")
    _check_choices(game, concept, objective)
    is_open = concept is None and objective is None
    if is_open and game.shares_payoffs(range(game.num_players)):
        return "optimum"
    if any(len(team) > 1 for team in game.teams):
        raise GameError(
            f"The teams of {game.name!r} must coordinate to be solved exactly: load it with coordinated=True "
            f"(--coordinated)."
        )
    if game.num_players != 2:
        raise GameError(
            f"No linear program solves {game.name!r}, a {game.category} game of {game.num_players} players; {CLOSE}."
        )
    if is_open and game.is_zero_sum:
        return "minimax"
    if game.coordination is not None:
        raise GameError(
            f"Correlated equilibria are computed of games between players, but {game.name!r} is one between "
            f"coordinators; {'leave out concept and objective' if game.is_zero_sum else CLOSE}."
        )
    return concept or CONCEPTS[0]


def _check_choices(game: Game, concept: str | None, objective: str | None) -> None:
    """Raise unless the choices exist, and are of use for the game."""
    for what, value, known in (("concept", concept, CONCEPTS), ("objective", objective, OBJECTIVES)):
        if value is not None and value not in known:
            raise SettingError(f"{what} must be one of {', '.join(known)}, not {brief(value)}.")
        if value is not None and game.num_players != 2:
            raise SettingError(f"{what}= is for games of two players; {game.name!r} has {game.num_players}.")


def _optimum(game: Game) -> ExactSolution:
    """Return the best joint plan: the lower bound is its value, the upper one that of the exact search."""
    # Several coordinators get as much as their members could: a pure plan of everyone is the best.
    origin = game.coordination
    whole = origin.full_game if origin is not None and game.num_players > 1 else game
    try:
        best = best_response(whole, uniform_policy(whole), range(whole.num_players))
    except ResponseLimitError as error:
        raise ResponseLimitError(
            f"The search for the optimum of {game.name!r} exceeds its limit; gb.solve(game, 'CRD') has none."
        ) from error
    policy = best.policy if whole is game else lift(game, best.policy)
    payoffs = expected_values(game, policy)
    value = float(payoffs[0])
    return ExactSolution("optimum", None, value, value, max(best.value, value), payoffs, policy, 0.0)


def _minimax(game: Game) -> ExactSolution:
    """Return an equilibrium of a two-player zero-sum game."""
    from gamebench.exact.zero_sum import minimax_policy, num_coefficients  # which import SciPy's solvers

    def attempt(method: str) -> ExactSolution:
        policy = Policy(game, minimax_policy(game, method))
        payoffs, sizes = expected_values(game, policy), game.team_sizes
        responses = [best_response(game, policy, player).value for player in (0, 1)]
        # The payoffs, weighted by the sizes of coordinators' teams, sum to a constant.
        total = float(sizes @ game.tree.payoffs[:, 0])
        value, lower = float(payoffs[0]), float((total - sizes[1] * responses[1]) / sizes[0])
        bounds = min(lower, value), max(responses[0], value)  # which rounding may exchange
        incentive = max(float(best - payoff) for best, payoff in zip(responses, payoffs, strict=True))
        return ExactSolution("minimax", None, value, *bounds, payoffs, policy, max(incentive, 0.0))

    _check_size(game, num_coefficients(game))
    return _first_good(game, attempt)


def _best_correlated(game: Game, concept: str, objective: str) -> ExactSolution:
    """Return the best coarse or extensive-form correlated equilibrium of a two-player game."""
    from gamebench.exact.correlation import CorrelationProgram, num_payoffs  # which import SciPy's solvers
    from gamebench.exact.programs import UnsolvedProgramError

    _check_size(game, num_payoffs(game, concept == "EFCE"))
    program = CorrelationProgram(game, concept == "EFCE", objective == "SocialWelfare")
    _check_size(game, program.num_coefficients)

    def attempt(method: str) -> ExactSolution:
        plan: CorrelatedPlan = program.solve(method)
        value, incentive = plan.objective, max(plan.incentive, 0.0)
        if max(incentive, value - plan.upper) > LARGEST_FLAW * game.max_abs_payoff:
            gain = f"a player would gain {incentive:.2g} by deviating from its answer"
            raise UnsolvedProgramError(f"{gain}, as happens if payoffs differ too much in size")
        bounds = value, max(plan.upper, value)  # which rounding may exchange
        return ExactSolution(concept, objective, value, *bounds, plan.payoffs, program.mixture(plan), incentive)

    return _first_good(game, attempt)


def _check_size(game: Game, coefficients: int) -> None:
    from gamebench.exact.programs import MAX_ENTRIES

    if coefficients > MAX_ENTRIES:
        raise GameTooLargeError(
            f"The linear program of {game.name!r} has {coefficients:,} coefficients, beyond the limit of "
            f"{MAX_ENTRIES:,}; gb.solve(game, 'CRD') needs none."
        )


def _first_good(game: Game, attempt: Callable[[str], ExactSolution]) -> ExactSolution:
    """Return the first solution with a small gap and incentive, or else the one with the smallest."""
    from gamebench.exact.programs import METHODS, UnsolvedProgramError

    solutions: list[ExactSolution] = []
    problem: UnsolvedProgramError | None = None
    for method in METHODS:
        try:
            solutions.append(attempt(method))
        except UnsolvedProgramError as error:
            problem = error
            continue
        if _flaw(solutions[-1]) <= GOOD_GAP * max(game.max_abs_payoff, np.finfo(np.float64).tiny):
            break
    if not solutions:
        assert problem is not None
        raise GameBenchError(f"HiGHS did not solve the linear program of {game.name!r}: {one_line(problem)}.")
    return min(solutions, key=_flaw)


def _flaw(solution: ExactSolution) -> float:
    return max(solution.gap, solution.incentive)
