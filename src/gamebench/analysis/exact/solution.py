"""Exact solutions: choosing the program for a game, and certifying its solution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gamebench.analysis.exact.programs import MAX_ENTRIES, METHODS, UnsolvedProgramError
from gamebench.analysis.exact.scaling import PayoffScaling
from gamebench.analysis.exact.solved import as_fraction
from gamebench.analysis.responses.response import best_response
from gamebench.core.arrays import FloatArray
from gamebench.core.choices import CONCEPTS, OBJECTIVES
from gamebench.core.errors import (
    GameBenchError,
    GameError,
    GameTooLargeError,
    ResponseLimitError,
    SettingError,
    brief,
    one_line,
)
from gamebench.core.notebooks import html_facts
from gamebench.games.formats.gambit import distinct_names
from gamebench.games.game import Game
from gamebench.games.names import as_game
from gamebench.policies import Mixture, Policy, expected_values, uniform_policy
from gamebench.policies.lifting import lift

if TYPE_CHECKING:
    from gamebench.analysis.exact.correlation import CorrelatedPlan

VERSION = 1
"""Increased whenever solutions change beyond rounding, so that the list of solved games is computed again."""
LARGEST_FLAW = 1e-9
"""Largest accepted incentive to deviate, relative to half the range of the deviator's payoffs."""
LARGEST_UNASKED = 40
"""Number of actions up to which ``"Nash"`` without an objective finds the best equilibrium of a normal form. Above it,
the Lemke-Howson algorithm finds some equilibrium."""
TITLES = {
    "minimax": "an equilibrium of a two-player zero-sum game",
    "optimum": "the largest common payoff",
    "CCE": "the best coarse correlated equilibrium",
    "EFCE": "the best extensive-form correlated equilibrium",
    "Nash": "the best Nash equilibrium that was found",
}
CLOSE = "gb.solve(game, 'CRD') approximates an equilibrium, and NashConv measures how closely"
GOOD_GAP = 1e-10
"""Gap, relative to half the range of payoffs, at which no further method is tried."""


@dataclass(frozen=True)
class ExactSolution:
    """Solution with a certificate: its bounds are best-response values, except where ``upper`` says otherwise.

    Examples:
        >>> import gamebench as gb
        >>> solution = gb.solve_exactly(gb.load_game("kuhn_poker"))
        >>> solution.concept, round(solution.value * 18, 9), solution.gap < 1e-12
        ('minimax', -1.0, True)
        >>> solution.policy
        Policy('kuhn_poker', 12 decision points)
    """

    concept: str
    """``"minimax"`` (two-player zero-sum games), ``"optimum"`` (common payoffs), ``"CCE"``, ``"EFCE"``, ``"Nash"``."""
    objective: str | None
    """What the best CCE, EFCE or Nash equilibrium maximises.

    ``None`` for minimax, for an optimum, and for a Nash equilibrium found by the Lemke-Howson algorithm.
    """
    value: float
    """The objective, the common payoff or the first player's payoff, depending on the concept."""
    lower: float
    """Lower bound: what the solution guarantees or reaches."""
    upper: float
    """Upper bound on all solutions.

    For the best Nash equilibrium it is the solver's, the only number here that best responses do not verify. For an
    equilibrium by the Lemke-Howson algorithm it is ``value``: such an equilibrium need not be the best.
    """
    payoffs: FloatArray
    """``(N,)`` each player's expected payoff."""
    policy: Policy | Mixture
    """A joint policy; for CCE and EFCE, a mixture of joint plans."""
    incentive: float
    """The largest gain of a player from deviating: 0 up to rounding."""

    @property
    def gap(self) -> float:
        """Maximum error of the value: upper minus lower bound."""
        return self.upper - self.lower

    @property
    def title(self) -> str:
        """Title for display: the game and the kind of solution."""
        is_any = self.concept == "Nash" and self.objective is None
        return f"{self.policy.game.name}: {'a Nash equilibrium' if is_any else TITLES[self.concept]}"

    @property
    def facts(self) -> dict[str, str | float]:
        """The value, its bounds and the players' payoffs, for display."""
        fraction = as_fraction(self.value, self.gap)
        facts: dict[str, str | float] = {"solution": self.concept}
        facts |= {"objective": self.objective} if self.objective is not None else {}
        facts["value"] = self.value
        facts |= {"value as a fraction": str(fraction)} if fraction is not None and fraction.denominator > 1 else {}
        facts |= {"lower bound": self.lower, "upper bound": self.upper, "gap": self.gap}
        names = distinct_names(_payoff_of(self.policy.game, player) for player in range(len(self.payoffs)))
        facts |= dict(zip(names, self.payoffs.tolist(), strict=True))
        return {**facts, "largest incentive to deviate": self.incentive}

    def _repr_html_(self) -> str:
        return f"{html_facts(self.title, self.facts)}\n{self.policy._repr_html_()}"


def _payoff_of(game: Game, player: int) -> str:
    """Return the label of a player's payoff, or of the payoff of each member of a coordinator's team."""
    full = game if game.coordination is None else game.coordination.full_game
    team = (player,) if game.coordination is None else full.teams[player]
    if len(team) == 1:
        return f"payoff of {full.player_name(team[0])}"
    return f"payoff of each of {', '.join(map(full.player_name if full.player_names else str, team))}"


def solve_exactly(game: Game | str, *, concept: str | None = None, objective: str | None = None) -> ExactSolution:
    """Return an exact solution of a game with a certificate.

    - Single-agent and cooperative games: the optimum, and a joint plan that reaches it.
    - Two-player zero-sum games, including those between coordinators of teams: the value and an equilibrium.
    - Other two-player games, but not between coordinators: the best coarse correlated equilibrium (``concept="CCE"``,
      the default), the best extensive-form correlated equilibrium (``"EFCE"``) or, in small games, the best Nash
      equilibrium (``"Nash"``). If the search for the latter reaches its limit, the best equilibrium found is returned,
      and the gap bounds how much better another could be. In a normal form with more than 40 actions and no
      ``objective``, ``"Nash"`` gives some equilibrium, found by the Lemke-Howson algorithm.

    Args:
        game: the game, or its name. Games with teams need ``coordinated=True``.
        concept: ``"CCE"``, ``"EFCE"`` or ``"Nash"``, for two-player games; case does not matter. In zero-sum games,
            ``"Nash"`` gives the minimax solution.
        objective: what the best equilibrium maximises, ``"SocialWelfare"`` (the sum of payoffs, the default) or
            ``"Fairness(smallest)"`` (the smallest payoff).

    Raises:
        GameTooLargeError: the program is too large, or the search for a Nash equilibrium too long.
        ResponseLimitError: the search for an optimum exceeds its limit.
        GameError: no program solves games of this kind.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve_exactly(gb.load_game("MCCGoofspiel", coordinated=True)).value
        0.25
        >>> chicken = gb.Game.from_payoffs([[[6, 6], [2, 7]], [[7, 2], [0, 0]]])
        >>> best = gb.solve_exactly(chicken, concept="EFCE")
        >>> round(best.value, 9), best.payoffs.round(9).tolist(), best.incentive < 1e-9
        (10.5, [5.25, 5.25], True)
        >>> nash = gb.solve_exactly(chicken, concept="Nash", objective="Fairness(smallest)")
        >>> nash.payoffs.round(9).tolist(), nash.policy.probabilities.round(9).tolist(), nash.incentive < 1e-9
        ([4.666666667, 4.666666667], [0.666666667, 0.333333333, 0.666666667, 0.333333333], True)

    References:
        B. von Stengel and F. Forges, "Extensive-Form Correlated Equilibrium: Definition and Computational Complexity",
        Mathematics of Operations Research 33, 2008; B. H. Zhang, G. Farina, A. Celli and T. Sandholm, "Optimal
        Correlated Equilibria in General-Sum Extensive-Form Games", EC 2022; T. Sandholm, A. Gilpin and V. Conitzer,
        "Mixed-Integer Programming Methods for Finding Nash Equilibria", AAAI 2005; C. E. Lemke and J. T. Howson,
        "Equilibrium Points of Bimatrix Games", SIAM Journal on Applied Mathematics 12, 1964.
    """
    game = as_game(game)
    chosen = concept_for(game, concept, objective)
    if chosen == "optimum":
        return _optimum(game)
    if chosen == "minimax":
        return _minimax(game)
    wanted = _choice("objective", objective, OBJECTIVES) or OBJECTIVES[0]
    if chosen != "Nash":
        return _best_correlated(game, chosen, wanted)
    return (_any_nash(game) if objective is None else None) or _best_nash(game, wanted)


def concept_for(game: Game | str, concept: str | None = None, objective: str | None = None) -> str:
    """Return the ``concept`` of the :class:`ExactSolution` that :func:`solve_exactly` would find.

    Raises:
        GameError: no program solves games of this kind.
    """
    game = as_game(game)
    concept, objective = _choice("concept", concept, CONCEPTS), _choice("objective", objective, OBJECTIVES)
    for what, value in (("concept", concept), ("objective", objective)):
        if value is not None and game.num_players != 2:
            raise SettingError(f"{what}= is for two-player games; {game.name!r} has {game.num_players} players.")
    is_open = concept is None and objective is None
    if is_open and game.shares_payoffs(range(game.num_players)):
        return "optimum"
    if any(len(team) > 1 for team in game.teams):
        raise GameError(
            f"{game.name!r} can be solved exactly only if its teams coordinate: load it with coordinated=True "
            f"(--coordinated)."
        )
    if game.num_players != 2:
        raise GameError(
            f"No linear program solves {game.name!r}, a {game.category} game of {game.num_players} players; {CLOSE}."
        )
    if game.is_zero_sum and (is_open or concept == "Nash"):  # every equilibrium has the same payoffs
        return "minimax"
    if game.coordination is not None:
        kind = "Nash equilibria of general-sum games" if concept == "Nash" else "Correlated equilibria"
        raise GameError(
            f"{kind} are computed for games between players, and {game.name!r} is a game between "
            f"coordinators; {'leave out concept and objective' if game.is_zero_sum else CLOSE}."
        )
    return concept or CONCEPTS[0]


def _choice(what: str, value: str | None, known: tuple[str, ...]) -> str | None:
    if value is None:
        return None
    named = [name for name in known if isinstance(value, str) and name.casefold() == value.casefold()]
    if not named:
        raise SettingError(f"{what} must be one of {', '.join(known)}, not {brief(value)}.")
    return named[0]


def _optimum(game: Game) -> ExactSolution:
    """Return the best joint plan.

    The lower bound is its value; the upper bound is the value found by the exact search.
    """
    # Some pure strategy profile is optimal, so coordination gains nothing.
    origin = game.coordination
    whole = origin.full_game if origin is not None and game.num_players > 1 else game
    try:
        best = best_response(whole, uniform_policy(whole), range(whole.num_players))
    except ResponseLimitError as error:
        raise ResponseLimitError(
            f"The search for the optimum of {game.name!r} exceeds its limit; gb.solve(game, 'CRD') approximates it."
        ) from error
    policy = best.policy if whole is game else lift(game, best.policy)
    payoffs = expected_values(game, policy)
    value = float(payoffs[0])
    return ExactSolution("optimum", None, value, value, max(best.value, value), payoffs, policy, 0.0)


def _minimax(game: Game) -> ExactSolution:
    """Return an equilibrium of a two-player zero-sum game."""
    from gamebench.analysis.exact.zero_sum import minimax_policy, num_coefficients  # imports SciPy's solvers

    scaling = PayoffScaling.of(game.sequence_form.payoffs)
    centred, sizes, offset = scaling.centred(game), game.team_sizes, float(scaling.offsets[0])

    def attempt(method: str) -> ExactSolution:
        policy = minimax_policy(centred, method)
        payoffs, responses, incentive = _judged(centred, policy, scaling)
        # The payoffs, weighted by the sizes of coordinators' teams, sum to a constant.
        total = float(sizes @ centred.sequence_form.payoffs[:, 0])
        value, lower = float(payoffs[0]), float((total - sizes[1] * responses[1]) / sizes[0])
        bounds = min(lower, value) + offset, max(float(responses[0]), value) + offset  # rounding may swap the bounds
        played = payoffs + scaling.offsets
        return ExactSolution("minimax", None, value + offset, *bounds, played, Policy(game, policy), incentive)

    _check_size(game, num_coefficients(game))
    return _first_good(game, attempt, scaling.unit)


def _best_correlated(game: Game, concept: str, objective: str) -> ExactSolution:
    """Return the best coarse or extensive-form correlated equilibrium of a two-player game."""
    from gamebench.analysis.exact.correlation import CorrelationProgram, num_payoffs  # which import SciPy's solvers

    _check_size(game, num_payoffs(game, concept == "EFCE"))
    program = CorrelationProgram(game, concept == "EFCE", objective == "SocialWelfare")
    _check_size(game, program.num_coefficients)

    def attempt(method: str) -> ExactSolution:
        plan: CorrelatedPlan = program.solve(method)
        value, incentive = plan.objective, _accepted(plan.incentives, program.scaling)
        if plan.excess > LARGEST_FLAW * program.scaling.unit:
            raise UnsolvedProgramError("its solution pays more than any equilibrium can")
        bounds = value, max(plan.upper, value)  # rounding may swap the bounds
        return ExactSolution(concept, objective, value, *bounds, plan.payoffs, program.mixture(plan), incentive)

    return _first_good(game, attempt, program.scaling.unit)


def _any_nash(game: Game) -> ExactSolution | None:
    """Return an equilibrium of a large normal form; ``None`` for other games, or if no path leads to one."""
    from gamebench.analysis.exact.lemke_howson import paths
    from gamebench.analysis.exact.nash import MAX_SEQUENCES

    is_normal_form = np.diff(game.sequence_form.player_blocks).tolist() == [1, 1]
    if not is_normal_form or not LARGEST_UNASKED < game.num_sequences <= MAX_SEQUENCES:
        return None
    scaling = PayoffScaling.of(game.sequence_form.payoffs)
    centred = scaling.centred(game)
    for policy in paths(game.sequence_form):
        try:
            payoffs, _, incentive = _judged(centred, policy, scaling)
        except UnsolvedProgramError:  # try the next path
            continue
        payoffs = payoffs + scaling.offsets
        bounds = 2 * (float(payoffs[0]),)
        return ExactSolution("Nash", None, bounds[0], *bounds, payoffs, Policy(game, policy), incentive)
    return None


def _best_nash(game: Game, objective: str) -> ExactSolution:
    """Return the best Nash equilibrium of a small two-player game."""
    from gamebench.analysis.exact.nash import (
        ATTEMPTS,
        MAX_SEQUENCES,
        SearchLimitError,
        best_equilibrium,
    )

    if game.num_sequences > MAX_SEQUENCES:
        raise GameTooLargeError(
            f"Nash equilibria are searched for in games with at most {MAX_SEQUENCES:,} sequences (actions of all "
            f"decision points), but {game.name!r} has {game.num_sequences:,}; {CLOSE}."
        )
    is_welfare = objective == "SocialWelfare"
    scaling = PayoffScaling.of(game.sequence_form.payoffs)
    centred = scaling.centred(game)
    for attempt in ATTEMPTS:
        try:
            policy, upper = best_equilibrium(game, is_welfare, attempt)
            payoffs, _, incentive = _judged(centred, policy, scaling)
            break
        except SearchLimitError as error:
            raise GameTooLargeError(
                f"HiGHS did not find a Nash equilibrium of {game.name!r}: {error}; {CLOSE}."
            ) from error
        except UnsolvedProgramError as error:
            problem = one_line(error)
    else:
        raise GameBenchError(f"HiGHS did not find a Nash equilibrium of {game.name!r}: {problem}; {CLOSE}.")
    payoffs = payoffs + scaling.offsets
    value = float(payoffs.sum() if is_welfare else payoffs.min())
    bounds = value, max(upper, value)  # rounding may swap the bounds
    return ExactSolution("Nash", objective, value, *bounds, payoffs, Policy(game, policy), incentive)


def _judged(game: Game, policy: FloatArray, scaling: PayoffScaling) -> tuple[FloatArray, FloatArray, float]:
    """Return the payoffs of both players, those of their best responses, and the largest incentive to deviate."""
    played = Policy(game, policy)
    responses = np.array([best_response(game, played, player).value for player in (0, 1)])
    payoffs = expected_values(game, played)
    return payoffs, responses, _accepted(responses - payoffs, scaling)


def _accepted(incentives: FloatArray, scaling: PayoffScaling) -> float:
    """Return the largest of the incentives ``(2,)`` to deviate; raise if one exceeds rounding errors."""
    largest = float(incentives.max(initial=0.0))
    if (incentives > LARGEST_FLAW * scaling.units).any():
        gain = f"in its solution, a player could gain {largest:.2g} by deviating"
        raise UnsolvedProgramError(f"{gain}; this happens when payoffs differ too much in magnitude")
    return largest


def _check_size(game: Game, coefficients: int) -> None:
    if coefficients > MAX_ENTRIES:
        raise GameTooLargeError(
            f"The linear program of {game.name!r} has {coefficients:,} coefficients, beyond the limit of "
            f"{MAX_ENTRIES:,}; gb.solve(game, 'CRD') needs no such program."
        )


def _first_good(game: Game, attempt: Callable[[str], ExactSolution], unit: float) -> ExactSolution:
    """Return the first solution with a small gap and incentive; if there is none, the one with the smallest."""
    solutions: list[ExactSolution] = []
    problem: UnsolvedProgramError | None = None
    for method in METHODS:
        try:
            solutions.append(attempt(method))
        except UnsolvedProgramError as error:
            problem = error
            continue
        if _flaw(solutions[-1]) <= GOOD_GAP * unit:
            break
    if not solutions:
        assert problem is not None
        raise GameBenchError(f"HiGHS did not solve the linear program of {game.name!r}: {one_line(problem)}.")
    return min(solutions, key=_flaw)


def _flaw(solution: ExactSolution) -> float:
    return max(solution.gap, solution.incentive)
