"""Regret minimisers and dilated optimistic methods from the literature on turn-based OpenSpiel games, naively.

Everything is computed from the list of terminal histories, with one dictionary entry for each action of each decision
point, in plain floats. The code is meant to be checked by reading it, never to be fast.

Notation: pi(a|I) is the policy, x(I,a) the product of the player's own probabilities up to and including (I,a) (its
realisation plan), and g(I,a) the gradient: the sum of c(z) u(z) times the other players' probabilities over the
terminal histories z whose last move of the player is (I,a). Values are backed up from the last decision points to the
first, q(I,a) = g(I,a) + sum of v(I') over the decision points I' that the player can come to next. t = 1, 2, ... counts
iterations, and [.]+ is max(., 0).
"""

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import pyspiel

from tests.oracles import naive
from tests.oracles.naive import DecisionPoint

Row: TypeAlias = dict[int, float]
Rows: TypeAlias = dict[DecisionPoint, Row]

ROUNDING = 1e-13
"""Regrets below this fraction of the sum of the absolute values of their terms count as zero."""

DEFAULTS: dict[str, dict[str, Any]] = {
    "CFR": {"gamma": 0},
    "CFR+": {"gamma": 1},
    "LCFR": {"gamma": 1},
    "DCFR": {"alpha": 1.5, "beta": 0, "gamma": 2},
    "DCFR+": {"alpha": 1.5, "gamma": 4, "offset": 1.5},
    "PCFR+": {"scale": 1, "gamma": 2},
    "SAPCFR+": {"scale": 1 / 3, "gamma": 2},
    "APCFR+": {"limit": 5, "gamma": 2},
    "PDCFR+": {"alpha": 2.3, "gamma": 5},
    "RTCFR+": {"regularisation": 1e-3, "perturbation": 1e-10, "interval": 100},
    "DOMWU": {"step_size": None},
    "DOGDA": {"step_size": None},
}
"""Every solver with its published parameters; the step size has no default."""

OPTIMISTIC = ("DOMWU", "DOGDA")
LAST_ITERATE = ("RTCFR+", *OPTIMISTIC)
"""Solvers that report their current policy, not an average."""


class NaiveSolver:
    """One of the solvers in `DEFAULTS` on a turn-based game with any number of players.

    With `alternating` updates the players move in turn, each against the policies that the earlier ones have just
    updated; otherwise all of them respond to the policy from before the iteration. `powers` are those that `averages`
    will be asked for.

    `margin` is the distance of all decisions so far from ties: the smallest ratio of the regrets that decided the
    policy at some decision point to the sum of the absolute values of their terms. Rounding errors of one iteration
    change the policy by up to about 1e-16 / margin. It is 0 after an exact tie, and at most 1.
    """

    def __init__(
        self,
        game: pyspiel.Game,
        name: str,
        alternating: bool | None = None,
        powers: tuple[float, ...] = (0, 1, 2),
        **parameters: Any,
    ) -> None:
        unknown = parameters.keys() - DEFAULTS[name].keys()
        if unknown:
            raise TypeError(f"{name} has no {', '.join(sorted(unknown))}")
        self.name = name
        self.parameters = {**DEFAULTS[name], **parameters}
        if self.parameters.get("step_size", 1) is None:
            raise TypeError(f"{name} needs a step_size")
        self.alternating = name not in OPTIMISTIC if alternating is None else alternating

        self._read(game)
        self.t = 0
        self.margin = 1.0
        self.policy = {point: dict.fromkeys(actions, 1 / len(actions)) for point, actions in self.points.items()}
        weights = {*powers, self.parameters["gamma"]} if name not in LAST_ITERATE else set(powers)
        self.sums = {power: self._zeros() for power in weights}

        self.regrets = self._zeros()
        self.terms = self._zeros()  # the sums of the absolute values of the regrets' terms
        self.last_regrets = self._zeros()  # r of the previous iteration
        self.changes_of_r = dict.fromkeys(self.points, 0.0)
        self.changes_of_regrets = dict.fromkeys(self.points, 0.0)

        self.sigma = _copy(self.policy)  # the policy that RTCFR+ perturbs
        self.perturbation = self.parameters.get("perturbation", 0.0)
        self.reference = {player: self._plan(self.policy, player) for player in self.players}

        self.anchor = _copy(self.policy)  # called bar in the optimistic methods

    def current(self) -> Rows:
        """The joint policy that is played next."""
        return _copy(self.policy)

    def average(self) -> Rows:
        """The joint policy that the solver reports."""
        return self.current() if self.name in LAST_ITERATE else self.averages(self.parameters["gamma"])

    def averages(self, power: float) -> Rows:
        """The average policy over t = 1, 2, ..., weighted by x(I) t^power; uniform where x was always 0."""
        return {point: _normalised(row) for point, row in self.sums[power].items()}

    def iterate(self) -> None:
        """Do one iteration."""
        self.t += 1
        for player in self.players:
            plan = self._plan(self.policy, player)
            for power, sums in self.sums.items():
                for point, row in plan.items():
                    for action, x in row.items():
                        sums[point][action] += self.t**power * x

        before = _copy(self.policy)
        for player in self.players:
            seen = self.policy if self.alternating else before
            if self.name in OPTIMISTIC:
                self._update_optimistically(player, seen)
            elif self.name == "RTCFR+":
                self._update_regularised(player, seen)
            else:
                self._update_regrets(player, seen)

        if self.name == "RTCFR+" and self.t % self.parameters["interval"] == 0:
            self.perturbation /= 2
            for player in self.players:
                self._perturb(player)
                self.reference[player] = self._plan(self.policy, player)

    # --- Regret minimisers ----------------------------------------------------------------------------------------

    def _update_regrets(self, player: int, seen: Rows) -> None:
        """R <- R d + w r with r = q - v, then pi ~ [z]+ with z = R, or z = R d' + s r if r predicts the next r."""
        values, absolute = self._values(player, seen, *self._gradient(player, seen))
        for point in self._own(player):
            r, size = _regrets(seen[point], values[point], absolute[point])
            regrets, terms = self.regrets[point], self.terms[point]
            change = 0.0
            for action in r:
                old = regrets[action]
                discount = self._discount(old)
                weight = self.t if self.name == "LCFR" else 1
                regrets[action] = discount * old + weight * r[action]
                terms[action] = discount * terms[action] + weight * size[action]
                if self.name.endswith("+") and regrets[action] < 0:
                    self._cut(point, action)
                change += (regrets[action] - old) ** 2

            difference = sum((r[action] - self.last_regrets[point][action]) ** 2 for action in r)
            self.last_regrets[point] = r
            self.changes_of_r[point] += difference
            self.changes_of_regrets[point] += change

            scale = self._scale_of_prediction(point)
            kept = self._factor(self.t, self.parameters["alpha"], 1) if self.name == "PDCFR+" else 1
            z = {action: kept * regrets[action] + scale * r[action] for action in r}
            self.policy[point] = self._matched(z, {action: kept * terms[action] + scale * size[action] for action in r})

    def _discount(self, old: float) -> float:
        """The factor of the old regret, that of the first t - 1 iterations."""
        match self.name:
            case "DCFR":
                return self._factor(self.t - 1, self.parameters["alpha" if old > 0 else "beta"], 1)
            case "DCFR+":
                return self._factor(self.t - 1, self.parameters["alpha"], self.parameters["offset"])
            case "PDCFR+":
                return self._factor(self.t - 1, self.parameters["alpha"], 1)
        return 1.0

    @staticmethod
    def _factor(t: int, exponent: float | str, offset: float) -> float:
        """t^exponent / (t^exponent + offset); 1 if the exponent is "none". There are no regrets yet at t = 0."""
        if exponent == "none":
            return 1.0
        return t**exponent / (t**exponent + offset) if t > 0 else 0.0

    def _scale_of_prediction(self, point: DecisionPoint) -> float:
        """s: 0 without prediction, a given number, or 1 / (1 + al) with al from all changes of r and of R so far."""
        if self.name != "APCFR+":
            return 1.0 if self.name == "PDCFR+" else self.parameters.get("scale", 0.0)
        if self.changes_of_regrets[point] == 0:  # then no z is positive, whatever s is
            return 1 / (1 + self.parameters["limit"])
        ratio = math.sqrt(self.changes_of_r[point] / self.changes_of_regrets[point])
        return 1 / (1 + min(ratio, self.parameters["limit"]))

    def _cut(self, point: DecisionPoint, action: int) -> None:
        """Replace negative regrets by zero. One that is negative beyond rounding errors becomes exactly zero."""
        if -self.regrets[point][action] > ROUNDING * self.terms[point][action]:
            self.terms[point][action] = 0.0
        self.regrets[point][action] = 0.0

    def _matched(self, z: Row, terms: Row) -> Row:
        """[z]+ / sum [z]+, or uniform if there is nothing positive; `terms` are the absolute terms of z."""
        positive = {action: size if size > ROUNDING * terms[action] else 0.0 for action, size in z.items()}
        if len(z) > 1 and max(terms.values()) > 0:
            # If nothing is positive, this is decided by the regret closest to zero that is not exactly zero.
            nearest = min((abs(z[action]) / terms[action] for action in z if terms[action] > 0), default=1.0)
            self.margin = min(self.margin, sum(positive.values()) / max(terms.values()) or nearest)
        return _normalised(positive)

    # --- RTCFR+ ---------------------------------------------------------------------------------------------------

    def _update_regularised(self, player: int, seen: Rows) -> None:
        """CFR+ on sigma, with the gradient at hat and a pull of hat's plan towards the reference plan."""
        gradient, absolute = self._gradient(player, seen)
        mu, plan, reference = self.parameters["regularisation"], self._plan(seen, player), self.reference[player]
        for point in self._own(player):
            for action in self.points[point]:
                x, r = plan[point][action], reference[point][action]
                gradient[point][action] -= mu * (x - r)
                absolute[point][action] += mu * (x + r)
        q, size_of_q = self._values(player, self.sigma, gradient, absolute)
        for point in self._own(player):
            r, size = _regrets(self.sigma[point], q[point], size_of_q[point])
            for action in r:
                self.regrets[point][action] += r[action]
                self.terms[point][action] += size[action]
                if self.regrets[point][action] < 0:
                    self._cut(point, action)
            self.sigma[point] = self._matched(self.regrets[point], self.terms[point])
        self._perturb(player)

    def _perturb(self, player: int) -> None:
        """Set the player's policy, hat = (1 - g |A|) sigma + g."""
        g = self.perturbation
        for point in self._own(player):
            row = self.sigma[point]
            self.policy[point] = {action: (1 - g * len(row)) * p + g for action, p in row.items()}

    # --- Dilated optimistic methods ---------------------------------------------------------------------------------

    def _update_optimistically(self, player: int, seen: Rows) -> None:
        """bar <- prox(bar; g(u)), then u <- prox(bar; g(u)) with the same gradient."""
        gradient, _ = self._gradient(player, seen)
        self.anchor.update(self._prox(player, gradient))
        self.policy.update(self._prox(player, gradient))

    def _prox(self, player: int, gradient: Rows) -> Rows:
        """The player's step from bar: at each decision point the p that maximises <q, p> - D(p, bar) / eta.

        The maximum is the value that is backed up. D is the Kullback-Leibler divergence for DOMWU, and half the squared
        Euclidean distance for DOGDA.
        """
        eta = self.parameters["step_size"]
        step, divergence = (_entropic, _kl) if self.name == "DOMWU" else (_euclidean, _half_squared_distance)
        new: Rows = {}

        def maximise(point: DecisionPoint, q: Row) -> float:
            old = self.anchor[point]
            new[point] = step(old, {action: eta * value for action, value in q.items()})
            return sum(p * q[action] for action, p in new[point].items()) - divergence(new[point], old) / eta

        self._back_up(player, gradient, maximise)
        return new

    # --- The game ---------------------------------------------------------------------------------------------------

    def _read(self, game: pyspiel.Game) -> None:
        self.players = range(game.num_players())
        self.points = naive.decision_points(game)
        self.plays = naive.histories(game)
        self.first, self.next = self._successors()

    def _own(self, player: int) -> list[DecisionPoint]:
        return [point for point in self.points if point[0] == player]

    def _zeros(self) -> Rows:
        return {point: dict.fromkeys(actions, 0.0) for point, actions in self.points.items()}

    def _successors(
        self,
    ) -> tuple[dict[int, list[DecisionPoint]], dict[tuple[DecisionPoint, int], list[DecisionPoint]]]:
        """The decision points at which each player can move first, and those to which it can come next after (I,a)."""
        first: dict[int, list[DecisionPoint]] = {player: [] for player in self.players}
        following = {(point, action): [] for point, actions in self.points.items() for action in actions}
        previous: dict[DecisionPoint, tuple[DecisionPoint, int] | None] = {}
        for play in self.plays:
            last: dict[int, tuple[DecisionPoint, int]] = {}
            for point, action in play.moves:
                player = point[0]
                if point not in previous:
                    previous[point] = last.get(player)
                    (following[last[player]] if player in last else first[player]).append(point)
                if previous[point] != last.get(player):
                    raise ValueError(f"player {player} does not recall its own moves at {point}")
                last[player] = point, action
        return first, following

    def _plan(self, policy: Rows, player: int) -> Rows:
        """x(I,a): the product of the player's own probabilities up to and including (I,a)."""
        plan: Rows = {}

        def visit(point: DecisionPoint, reach: float) -> None:
            plan[point] = {action: reach * p for action, p in policy[point].items()}
            for action, x in plan[point].items():
                for following in self.next[point, action]:
                    visit(following, x)

        for point in self.first[player]:
            visit(point, 1.0)
        return plan

    def _gradient(self, player: int, policy: Rows) -> tuple[Rows, Rows]:
        """g(I,a) of the player, and the same with the absolute values of the payoffs."""
        gradient, absolute = self._zeros(), self._zeros()
        for play in self.plays:
            own = [move for move in play.moves if move[0][0] == player]
            if own:
                point, action = own[-1]
                others = math.prod(policy[other][move] for other, move in play.moves if other[0] != player)
                gradient[point][action] += play.chance * others * play.returns[player]
                absolute[point][action] += play.chance * others * abs(play.returns[player])
        return gradient, absolute

    def _back_up(self, player: int, gradient: Rows, value: Callable[[DecisionPoint, Row], float]) -> Rows:
        """q(I,a) = g(I,a) + sum of v(I') over the decision points that come next, where v(I) = value(I, q(I,.))."""
        q: Rows = {}

        def visit(point: DecisionPoint) -> float:
            q[point] = {
                action: gradient[point][action] + sum(visit(following) for following in self.next[point, action])
                for action in self.points[point]
            }
            return value(point, q[point])

        for point in self.first[player]:
            visit(point)
        return q

    def _values(self, player: int, policy: Rows, gradient: Rows, absolute: Rows) -> tuple[Rows, Rows]:
        """q with v(I) = <pi, q>, from the gradient and from its absolute terms."""

        def expected(point: DecisionPoint, row: Row) -> float:
            return sum(policy[point][action] * value for action, value in row.items())

        return self._back_up(player, gradient, expected), self._back_up(player, absolute, expected)


def _regrets(policy: Row, q: Row, size_of_q: Row) -> tuple[Row, Row]:
    """r = q - <pi, q>, and the sum of its absolute terms; r of an action played with certainty is exactly 0."""
    v = sum(policy[action] * value for action, value in q.items())
    size_of_v = sum(policy[action] * size for action, size in size_of_q.items())
    terms = {action: size + size_of_v if policy[action] < 1 else 0.0 for action, size in size_of_q.items()}
    return {action: value - v for action, value in q.items()}, terms


def _entropic(old: Row, gain: Row) -> Row:
    """p ~ old exp(gain), which maximises <gain, p> - KL(p, old)."""
    top = max(gain.values())
    return _normalised({action: p * math.exp(gain[action] - top) for action, p in old.items()})


def _kl(new: Row, old: Row) -> float:
    return sum(p * math.log(p / old[action]) for action, p in new.items() if p > 0)


def _euclidean(old: Row, gain: Row) -> Row:
    """The point of the simplex nearest to y = old + gain, which maximises <gain, p> - |p - old|^2 / 2.

    It is [y - lambda]+ for the lambda that makes the sum 1. If the k largest y stay positive, lambda is (their sum
    - 1) / k. Too few or too many of them give a smaller lambda, so the largest is the right one.
    """
    y = {action: p + gain[action] for action, p in old.items()}
    largest = sorted(y.values(), reverse=True)
    threshold = max((sum(largest[:k]) - 1) / k for k in range(1, len(largest) + 1))
    return {action: max(value - threshold, 0.0) for action, value in y.items()}


def _half_squared_distance(new: Row, old: Row) -> float:
    return sum((p - old[action]) ** 2 for action, p in new.items()) / 2


def _normalised(row: Row) -> Row:
    """The row divided by its sum; uniform if that is 0."""
    total = sum(row.values())
    return {action: size / total if total > 0 else 1 / len(row) for action, size in row.items()}


def _copy(rows: Rows) -> Rows:
    return {point: dict(row) for point, row in rows.items()}
