"""Naive reference implementations of mirror-descent learning on turn-based OpenSpiel games.

Everything is computed from the list of terminal histories and one decision point at a time. The code is meant to be
checked by reading it, never to be fast. The two MMD learners work in plain floats. The mirror steps of `solve_exact`,
`solve_clip` and `gmd` work with 60 decimal digits (returns, chance probabilities and parameters enter as floats), in
a separate mpmath context, so that the global precision neither matters nor changes.

The convex functions psi are named as in `PSI_NAMES`; the parameter is n for the powers and k for the exponential, and
is ignored for the others.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import mpmath
import pyspiel

from tests.oracles import naive
from tests.oracles.naive import DecisionPoint, History

MP = mpmath.MPContext()
MP.dps = 60

PSI_NAMES = ("x ln x", "x^n", "-x^n", "e^(kx)", "-ln x")

Number: TypeAlias = Any  # float or MP.mpf
Policy: TypeAlias = dict[DecisionPoint, dict[int, Number]]
ActionValues: TypeAlias = dict[DecisionPoint, dict[int, Number]]
Weights: TypeAlias = Sequence[float] | Callable[[int], Sequence[float]] | None


# --- Part 1: the learning problem -------------------------------------------------------------------------------------


class LearningGame:
    """The decision points that learn, and every terminal history with the returns they learn from.

    With a focal player only that player chooses: the moves of all others become part of the history's chance
    probability, uniform over their legal actions. With teams every member's return is the mean of its team's returns;
    a player without a team keeps its own.
    """

    def __init__(
        self, game: pyspiel.Game, focal: int | None = None, teams: Sequence[Sequence[int]] | None = None
    ) -> None:
        everyone = naive.decision_points(game)
        self.points = {point: actions for point, actions in everyone.items() if focal in (None, point[0])}
        self.plays: list[History] = []
        for play in naive.histories(game):
            chance = play.chance
            for point, _ in play.moves:
                if point not in self.points:
                    chance /= len(everyone[point])
            moves = [(point, action) for point, action in play.moves if point in self.points]
            returns = list(play.returns)
            for team in teams or ():
                for member in team:
                    returns[member] = sum(play.returns[mate] for mate in team) / len(team)
            self.plays.append(History(chance, moves, returns))


def uniform_policy(game: LearningGame, one: Number = 1.0) -> Policy:
    """Every action of a decision point equally likely; `one` determines the type of the numbers."""
    return {point: dict.fromkeys(actions, one / len(actions)) for point, actions in game.points.items()}


def action_values(game: LearningGame, policy: Policy) -> ActionValues:
    """Q(I, a) = sum_h c(h) E[return of I's player | h, a, then policy] / sum_h c(h), and 0 if the divisor is 0.

    h runs over the histories in I, and c(h) is the product of chance's and the OTHER players' probabilities up to h.
    A terminal history that passes through h and a adds c(h) * (probability of everything after a) * return to the
    dividend. It adds the same without the return to the divisor: what can follow a has total probability 1.
    """
    dividend = {point: dict.fromkeys(actions, 0.0) for point, actions in game.points.items()}
    divisor = {point: dict.fromkeys(actions, 0.0) for point, actions in game.points.items()}
    for play in game.plays:
        steps = [(point[0], policy[point][action]) for point, action in play.moves]
        for i, (point, action) in enumerate(play.moves):
            player = point[0]
            others_before = [probability for mover, probability in steps[:i] if mover != player]
            everyone_after = [probability for _, probability in steps[i + 1 :]]
            weight = play.chance * math.prod(others_before) * math.prod(everyone_after)
            dividend[point][action] += weight * play.returns[player]
            divisor[point][action] += weight
    return {
        point: {a: dividend[point][a] / divisor[point][a] if divisor[point][a] > 0 else 0.0 for a in actions}
        for point, actions in game.points.items()
    }


# --- Part 2: magnetic mirror descent in closed form -------------------------------------------------------------------


def mmd_kl(game: LearningGame, xi: float = 1.0, eta: float = 0.1, rate: float = 0.05) -> Iterator[Policy]:
    """The policy after each iteration of MMD with the KL divergence, from pi_1 = rho_1 = uniform.

    pi_{k+1}(a) ~ [pi_k(a) rho_k(a)^(eta xi) e^(eta Q(a))]^(1 / (1 + eta xi)), then
    rho_{k+1}(a) ~ rho_k(a)^(1 - rate) pi_{k+1}(a)^rate, both in logarithms.
    """
    policy = uniform_policy(game)
    log_policy = {point: {a: math.log(p) for a, p in row.items()} for point, row in policy.items()}
    log_magnet = dict(log_policy)
    while True:
        values = action_values(game, policy)
        for point, actions in game.points.items():
            pi, rho, q = log_policy[point], log_magnet[point], values[point]
            pi = _log_normalised({a: (pi[a] + eta * xi * rho[a] + eta * q[a]) / (1 + eta * xi) for a in actions})
            rho = _log_normalised({a: (1 - rate) * rho[a] + rate * pi[a] for a in actions})
            log_policy[point], log_magnet[point] = pi, rho
        policy = {point: {a: math.exp(p) for a, p in row.items()} for point, row in log_policy.items()}
        yield policy


def mmd_eu(game: LearningGame, xi: float = 1.0, eta: float = 0.1, rate: float = 0.05) -> Iterator[Policy]:
    """The policy after each iteration of MMD with the Euclidean distance, from pi_1 = rho_1 = uniform.

    v(a) = (xi rho_k(a) + pi_k(a) / eta + Q(a) - mean_b Q(b)) / (xi + 1 / eta),
    pi_{k+1}(a) ~ max(0, v(a)) + 1e-10, then rho_{k+1} = (1 - rate) rho_k + rate pi_{k+1}.
    """
    policy = uniform_policy(game)
    magnet = uniform_policy(game)
    while True:
        values = action_values(game, policy)
        following: Policy = {}
        for point, actions in game.points.items():
            pi, rho, q = policy[point], magnet[point], values[point]
            mean = sum(q.values()) / len(actions)
            v = {a: (xi * rho[a] + pi[a] / eta + q[a] - mean) / (xi + 1 / eta) for a in actions}
            positive = {a: max(0.0, v[a]) + 1e-10 for a in actions}
            following[point] = {a: positive[a] / sum(positive.values()) for a in actions}
            magnet[point] = {a: (1 - rate) * rho[a] + rate * following[point][a] for a in actions}
        policy = following
        yield policy


def _log_normalised(logs: dict[int, float]) -> dict[int, float]:
    """The logarithms shifted so that their exponentials sum to 1."""
    top = max(logs.values())
    log_sum = top + math.log(sum(math.exp(x - top) for x in logs.values()))
    return {a: x - log_sum for a, x in logs.items()}


# --- Part 3: one mirror step at one decision point, in high precision -------------------------------------------------


def psi_prime(psi: str, parameter: float | None, x: Number) -> Number:
    """The derivative of psi at x > 0."""
    x = MP.mpf(x)
    c = MP.mpf(parameter or 0)
    match psi:
        case "x ln x":
            return MP.log(x) + 1
        case "x^n":
            return c * x ** (c - 1)
        case "-x^n":
            return -c * x ** (c - 1)
        case "e^(kx)":
            return c * MP.exp(c * x)
        case "-ln x":
            return -1 / x
    raise ValueError(f"unknown psi {psi!r}")


def psi_prime_inverse(psi: str, parameter: float | None, y: Number, negative: bool = False) -> Number:
    """The x with psi'(x) = y: 0 if y is below the range of psi' on (0, inf), +inf if y is above it.

    With `negative` the two functions whose derivative goes on to the left of 0 are inverted there too: x^2 for every
    y, and e^(kx) for every y > 0 (-inf for other y).
    """
    y = MP.mpf(y)
    c = MP.mpf(parameter or 0)
    match psi:
        case "x ln x":
            return MP.exp(y - 1)
        case "x^n":
            if negative and c == 2:
                return y / 2
            return (y / c) ** (1 / (c - 1)) if y > 0 else MP.mpf(0)
        case "-x^n":
            return (-y / c) ** (1 / (c - 1)) if y < 0 else MP.inf
        case "e^(kx)":
            if negative:
                return MP.log(y / c) / c if y > 0 else -MP.inf
            return MP.log(y / c) / c if y > c else MP.mpf(0)
        case "-ln x":
            return -1 / y if y < 0 else MP.inf
    raise ValueError(f"unknown psi {psi!r}")


def solve_exact(
    psi: str, parameter: float | None, linear: Sequence[Number], scale: Number, eps: float
) -> tuple[list[Number], Number]:
    """pi and lambda with pi(a) = max(eps, psi'^-1((A(a) - lambda) / B)) and sum_a pi(a) = 1; A = linear, B = scale.

    This pi maximises sum_a A(a) pi(a) - B psi(pi(a)) over the distributions that are at least eps everywhere.
    """
    if len(linear) * eps > 1:
        raise ValueError(f"{len(linear)} actions cannot all have probability {eps}")
    floor = MP.mpf(eps)
    return _solve(psi, parameter, linear, scale, lambda y: max(floor, psi_prime_inverse(psi, parameter, y)))


def solve_clip(
    psi: str, parameter: float | None, linear: Sequence[Number], scale: Number, eps: float
) -> tuple[list[Number], Number]:
    """pi and lambda with sum_a x(a) = 1 for x(a) = psi'^-1((A(a) - lambda) / B), and pi(a) ~ max(eps, x(a)).

    A = linear, B = scale. x may be negative for x^2 and e^(kx) and is never negative otherwise.
    """
    xs, lam = _solve(psi, parameter, linear, scale, lambda y: psi_prime_inverse(psi, parameter, y, negative=True))
    clipped = [max(MP.mpf(eps), x) for x in xs]
    total = sum(clipped)
    return [x / total for x in clipped], lam


def _solve(
    psi: str, parameter: float | None, linear: Sequence[Number], scale: Number, inverse: Callable[[Number], Number]
) -> tuple[list[Number], Number]:
    """The x(a) = inverse((A(a) - lambda) / B), and the lambda that makes their sum 1.

    In t = (lambda - max A) / B, x(a) is inverse((A(a) - max A) / B - t). At t = -psi'(1 / number of actions) no x(a)
    exceeds its fair share, so the sum is at most 1. At t = -psi'(1) the best action has x = 1, so the sum is at least 1
    unless some x are negative; then the search goes further to the left. Equal A(a) are evaluated once.

    An error in t becomes one in x(a) divided by psi''(x(a)). Only for x^n with n > 2 is this divisor tiny, about
    x(a)^(n - 2), and then a probability of 1e-10 costs 10 (n - 2) digits, which are added.
    """
    more_digits = max(0, math.ceil(10 * (parameter - 2))) if psi == "x^n" else 0
    with MP.workdps(MP.dps + more_digits):
        top = max(MP.mpf(a) for a in linear)
        scale = MP.mpf(scale)
        below = [(MP.mpf(a) - top) / scale for a in linear]
        groups = Counter(below)

        def excess(t: Number) -> Number:
            return sum(count * inverse(d - t) for d, count in groups.items()) - 1

        t = high = -psi_prime(psi, parameter, MP.mpf(1) / len(linear))
        if len(groups) > 1:
            low = -psi_prime(psi, parameter, 1)
            width = high - low
            while excess(low) < 0:
                low -= width
                width *= 2
            t = _root_of_decreasing(excess, low, high)
        x_of = {d: inverse(d - t) for d in groups}
        return [x_of[d] for d in below], top + scale * t


def _root_of_decreasing(f: Callable[[Number], Number], low: Number, high: Number) -> Number:
    """The root of a decreasing function with f(low) >= 0 >= f(high), up to rounding.

    A bracket of the root is kept and cut by bisection in every eighth step and by false position in the others
    (Illinois variant: the value at an end that stays a second time is halved, so that the next cut moves that end).
    """
    f_low, f_high = f(low), f(high)
    if f_low <= 0:
        return low
    if f_high >= 0:
        return high
    moved = ""
    for step in itertools.count():
        tiny = 8 * MP.eps * max(abs(low), abs(high))
        if high - low <= 3 * tiny:
            return (low + high) / 2
        middle = (low + high) / 2
        if step % 8 and MP.isfinite(f_high):
            middle = low + (high - low) * f_low / (f_low - f_high)
            middle = min(max(middle, low + tiny), high - tiny)
        f_middle = f(middle)
        if f_middle == 0:
            return middle
        if f_middle > 0:
            low, f_low, f_high = middle, f_middle, f_high / 2 if moved == "low" else f_high
            moved = "low"
        else:
            high, f_high, f_low = middle, f_middle, f_low / 2 if moved == "high" else f_low
            moved = "high"
    raise AssertionError("unreachable")


# --- Part 4: generalised mirror descent -------------------------------------------------------------------------------


def gmd(
    game: LearningGame,
    psi: str,
    parameter: float | None,
    history: int = 1,
    magnet: str = "moving",
    weights: Weights = None,
    eps: float = 1e-10,
    projection: str = "exact",
    rate: float = 0.05,
) -> Iterator[Policy]:
    """The policy (in MP.mpf) after each step k = 1, 2, ... of GMD over the last M = `history` policies.

    pi_{k+1} is the mirror step over (rho_k, pi_k, ..., pi_{k-M+1}) with weights (alpha_mag, alpha_0, ..., alpha_{M-1}).
    The magnet rho is "moving" (rho_{k+1} is the mirror step with Q = 0 over (rho_k, pi_{k+1}) with weights
    (1 - rate, rate)), "initial" (always uniform) or "none" (no such term, no alpha_mag). `weights` is the vector, a
    function from k to it, or None for uniform weights, which sum to 1. While there are fewer than M policies the
    weights are uniform over the existing terms, whatever `weights` is.
    """
    if magnet not in ("moving", "initial", "none"):
        raise ValueError(f"unknown magnet {magnet!r}")
    solve = {"exact": solve_exact, "clip": solve_clip}[projection]
    no_values = {point: dict.fromkeys(actions, 0.0) for point, actions in game.points.items()}

    def mirror_step(values: ActionValues, policies: list[Policy], alphas: Sequence[Number]) -> Policy:
        """Solve with A(a) = Q(a) + sum_t alpha_t psi'(policy_t(a)) and B = sum_t alpha_t at every decision point."""
        following: Policy = {}
        for point, actions in game.points.items():
            linear = [
                values[point][a]
                + sum(w * psi_prime(psi, parameter, p[point][a]) for w, p in zip(alphas, policies, strict=True))
                for a in actions
            ]
            pi, _ = solve(psi, parameter, linear, sum(alphas), eps)
            following[point] = dict(zip(actions, pi, strict=True))
        return following

    rho = uniform_policy(game, MP.mpf(1))
    recent = [uniform_policy(game, MP.mpf(1))]  # the latest first
    for k in itertools.count(1):
        terms = recent if magnet == "none" else [rho, *recent]
        alphas: Sequence[Number] = [MP.mpf(1) / len(terms)] * len(terms)
        if weights is not None and len(recent) == history:
            alphas = [MP.mpf(w) for w in (weights(k) if callable(weights) else weights)]
        policy = mirror_step(action_values(game, recent[0]), terms, alphas)
        recent = [policy, *recent][:history]
        if magnet == "moving":
            rho = mirror_step(no_values, [rho, policy], [1 - MP.mpf(rate), MP.mpf(rate)])
        yield policy
