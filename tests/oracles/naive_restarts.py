"""Regret minimisers that measure their policies and restart from the best one they find, written out naively.

The iterations are those of `naive_solvers.NaiveSolver`, with alternating updates; this file adds the checks, the
candidates and the restarts. CRD without exploration is one more solver, with a schedule of its own. NashConv is
computed by walks over the decision points of each player. The code is meant to be checked by reading it, never to be
fast.

Notation: R(I,a) are the regrets, R0 those right after the last restart, k = 1, 2, ... counts the iterations since then,
and t counts the iterations of the whole run.
"""

import math
from collections.abc import Callable, Iterable

import pyspiel

from tests.oracles.naive import DecisionPoint
from tests.oracles.naive_solvers import NaiveSolver, Row, Rows

FIRST_CHECK = 5
MUCH_BETTER, BETTER = 0.2, 0.8
STILL = 1e-14
EXTRAPOLATION = 2
LONGEST, TIMES_LAST_PERIOD = 100, 5
SHARE_OF_SEQUENCES = 20

SAME = 1e-12
"""Candidates that differ by less than this in every probability may replace each other."""


class NaiveCRD(NaiveSolver):
    """CRD's iterations: R <- [R d(t-1) + r]+, then pi ~ [R d(t) + s(t) r]+, where d(t) = t^2 / (t^2 + 1).

    These are the iterations of PDCFR+ with another exponent, except that s(t) = 10 / (20 + t).
    """

    def __init__(self, game: pyspiel.Game, gamma: float) -> None:
        super().__init__(game, "PDCFR+", alternating=True, powers=(), alpha=2, gamma=gamma)

    def _scale_of_prediction(self, point: DecisionPoint) -> float:
        return 0.5 * 20 / (20 + self.t)


class NaiveRestarts:
    """A solver that is checked about every `restart` iterations.

    `best` is the best policy measured so far, with the loss `least`. `restarts` and `stalls` list the iterations at
    which the solver continued from another policy. `evaluated` counts iterations and measured candidates.

    `closest` is the margin by which all decisions about losses have avoided ties so far: the smallest difference of two
    losses whose order decided something. It is 0 if it is unclear whether the policy stood still.
    """

    def __init__(
        self, solver: NaiveSolver, restart: int, gamma: float, loss: Callable[[Rows], float] | None = None
    ) -> None:
        self.solver, self.restart = solver, restart
        self.loss = self.nash_conv if loss is None else loss
        self.powers = sorted({0, 2, gamma})
        self.waits_until = sum(len(actions) for actions in solver.points.values()) // SHARE_OF_SEQUENCES

        self.best = solver.current()
        self.least = math.inf
        self.evaluated = 0
        self.restarts: list[int] = []
        self.stalls: list[int] = []
        self.closest = math.inf

        self.next_check = min(FIRST_CHECK, restart)
        self.last_seen = solver.current()  # the current policy that was measured at the last check
        self.last_period = 0
        self.loss_at_restart = math.inf
        self.last_loss = math.inf
        self._begin_period()

    def iterate(self) -> None:
        """Do one iteration, and the check if it is due."""
        self.k += 1
        for player in self.solver.players:
            for point, row in self.solver._plan(self.solver.policy, player).items():
                for action, x in row.items():
                    for power in self.powers:
                        self.sums[power][point][action] += self.k**power * x
        self.solver.iterate()
        self.evaluated += 1
        if self.solver.t == self.next_check:
            self._check()
            self.next_check = self._time_of_next_check()

    def nash_conv(self, policy: Rows) -> float:
        """The sum over the players of the gain of a best response."""
        total = 0.0
        for player in self.solver.players:
            gradient, _ = self.solver._gradient(player, policy)

            def expected(point: DecisionPoint, q: Row) -> float:
                return sum(policy[point][action] * value for action, value in q.items())

            def best(_: DecisionPoint, q: Row) -> float:
                return max(q.values())

            played, responded = (self.solver._back_up(player, gradient, value) for value in (expected, best))
            for point in self.solver.first[player]:
                total += best(point, responded[point]) - expected(point, played[point])
        return total

    # --- Checks -----------------------------------------------------------------------------------------------------

    def _time_of_next_check(self) -> int:
        t = self.solver.t
        if t >= self.waits_until:
            return t + self.restart
        return max(t + self.restart, min(t * 17 // 16, self.waits_until))

    def _check(self) -> None:
        change = _distance(self.solver.policy, self.last_seen)
        self.last_seen = self.solver.current()
        if 1e-16 < change < 1e-12:
            self.closest = 0.0
        if change < STILL:
            [self.last_loss] = self._measure([self.solver.current()])
            return

        candidates = [self.solver.current(), *(self._average(power) for power in self.powers)]
        if self.solver.t < self.waits_until:
            del candidates[1:-1]  # the average with the greatest power is left
        elif any(regret for row in self.first_regrets.values() for regret in row.values()):
            candidates.append(self._extrapolated())
        losses = self._measure(candidates)
        loss = min(losses)
        chosen = candidates[losses.index(loss)]
        for candidate, other in zip(candidates, losses, strict=True):
            if _distance(candidate, chosen) > SAME:
                self._decided_by(loss, other)

        if self.solver.t >= self.waits_until and self._is_time_to_restart(loss):
            self.restarts.append(self.solver.t)
            self._go_on_from(chosen)
            self.loss_at_restart = loss
        elif self.last_period > 0 and self.k >= max(LONGEST, TIMES_LAST_PERIOD * self.last_period):
            self.stalls.append(self.solver.t)
            self._go_on_from(self.best)
        else:
            self.last_loss = loss

    def _is_time_to_restart(self, loss: float) -> bool:
        self._decided_by(loss, MUCH_BETTER * self.loss_at_restart)
        self._decided_by(loss, BETTER * self.loss_at_restart)
        if loss < BETTER * self.loss_at_restart:
            self._decided_by(loss, self.last_loss)
        return loss < MUCH_BETTER * self.loss_at_restart or (
            loss < BETTER * self.loss_at_restart and loss > self.last_loss
        )

    def _measure(self, candidates: Iterable[Rows]) -> list[float]:
        """Return the losses of the candidates, and remember the best policy so far."""
        losses = []
        for candidate in candidates:
            loss = self.loss(candidate)
            self.evaluated += 1
            losses.append(loss)
            if _distance(candidate, self.best) > SAME:
                self._decided_by(loss, self.least)
            if loss < self.least:
                self.least, self.best = loss, candidate
        return losses

    def _go_on_from(self, policy: Rows) -> None:
        """Play the policy next, with regrets proportional to it and with the same sum at each decision point."""
        for point, row in policy.items():
            norm = sum(max(0.0, regret) for regret in self.solver.regrets[point].values())
            self.solver.regrets[point] = {action: norm * p for action, p in row.items()}
            self.solver.terms[point] = dict(self.solver.regrets[point])
        self.solver.policy = _copy(policy)
        self.last_period = self.k
        self.last_loss = math.inf
        self._begin_period()

    def _begin_period(self) -> None:
        self.k = 0
        self.first_regrets = _copy(self.solver.regrets)
        self.sums = {
            power: {point: dict.fromkeys(actions, 0.0) for point, actions in self.solver.points.items()}
            for power in self.powers
        }

    def _decided_by(self, one: float, other: float) -> None:
        """Note that the order of two losses mattered."""
        if math.isfinite(one) and math.isfinite(other):
            self.closest = min(self.closest, abs(one - other))

    # --- Candidates -------------------------------------------------------------------------------------------------

    def _average(self, power: float) -> Rows:
        """The average of what was played since the last restart, weighted by k^power."""
        return {point: _normalised(row) for point, row in self.sums[power].items()}

    def _extrapolated(self) -> Rows:
        """The policy that is proportional to [R + 2 (R - R0)]+."""
        policy: Rows = {}
        for point, row in self.solver.regrets.items():
            first = self.first_regrets[point]
            policy[point] = _normalised(
                {action: max(0.0, now + EXTRAPOLATION * (now - first[action])) for action, now in row.items()}
            )
        return policy


def _normalised(row: Row) -> Row:
    """The row divided by its sum; uniform if that is 0."""
    total = sum(row.values())
    return {action: size / total if total > 0 else 1 / len(row) for action, size in row.items()}


def _distance(one: Rows, other: Rows) -> float:
    """The largest difference of two probabilities."""
    return max(abs(p - other[point][action]) for point, row in one.items() for action, p in row.items())


def _copy(rows: Rows) -> Rows:
    return {point: dict(row) for point, row in rows.items()}
