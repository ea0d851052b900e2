"""The tables of docs/future-work.md: ``python -m tools.future_work [NAME...]`` prints them as Markdown.

Every table compares at equal numbers of joint policies evaluated: iterations, candidates and policies measured by a
controller all count. Measures are exact, for teams as well. What did not pay is defined here and not in the package:
three controllers that learn from their history, and three ways to learn psi while running.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scipy.interpolate import CubicHermiteSpline

import gamebench as gb
from gamebench import kernels
from gamebench.convex import as_convex
from gamebench.kernels.arguments import TABLE, Psi

BUDGETS = (100, 1_000, 10_000)
SEEDS = range(5)
ZERO = 1e-12
"""Anything below is shown as 0."""
TINY = 1e-17
LOWEST = math.log(gb.CMDSuccessRule().epsilon)
"""The smallest ln x at which psi' is needed."""


class OnPlay(gb.Controller):
    """Base class of controllers without candidates: weights are judged by how much the loss fell since the last update.

    The gain of an interval is ln(loss before / loss after). Each update measures the current policy and nothing else.
    """

    unused: ClassVar[tuple[str, ...]] = ("candidates", "radius", "radius_range")
    judges_play: ClassVar[bool] = True
    weight_ceiling: ClassVar[float] = 1e9

    def memory(self, size: int) -> Any:
        """Return the last loss, NaN for none, and then what :meth:`learn` remembers."""
        return np.concatenate(([np.nan], self.first(np.full(size, np.nan))))

    def first(self, nothing: Any) -> Any:
        """Return the memory of :meth:`learn` before it learns anything."""
        raise NotImplementedError

    def update(self, weights: Any, losses: Any, current_loss: Any, generator: Any, memory: Any = None) -> Any:
        """Return the new weights ``(n,)``."""
        before, memory[0] = memory[0], max(current_loss(), TINY)
        if math.isnan(before):
            return weights
        return self.clip(self.learn(weights, math.log(before / memory[0]), generator, memory[1:]))

    def learn(self, weights: Any, gain: float, generator: Any, memory: Any) -> Any:
        """Return the weights of the next interval, given the gain of the last one; ``memory`` is modified in place."""
        raise NotImplementedError


class ES(OnPlay):
    """(1+1) evolution strategy: log-normal children of the weights, whose length follows the 1/5th success rule.

    Parent and child are played in turn. A child whose gain is at least that of its parent becomes the parent.
    """

    name: ClassVar[str] = "ES"

    def first(self, nothing: Any) -> Any:
        """Return the parent, the length of steps, the parent's gain, and whether a child is being played."""
        return np.concatenate((nothing, [0.5, np.nan, 0.0]))

    def learn(self, weights: Any, gain: float, generator: Any, memory: Any) -> Any:
        """Return the parent, or a child of it."""
        parent, (length, usual, is_child) = memory[:-3], memory[-3:]
        if is_child:
            if gain >= usual:
                parent[:], usual = weights, gain
                length = min(1.0, length * math.exp(0.4))
            else:
                length = max(0.1, length * math.exp(-0.1))
            memory[-3:] = length, usual, 0.0
            return parent.copy()
        parent[:] = weights
        memory[-3:] = length, gain if math.isnan(usual) else 0.5 * (usual + gain), 1.0
        return parent * np.exp(length * generator.standard_normal(len(parent)))


class SPSA(OnPlay):
    """Simultaneous perturbation: a step towards the better of two opposite perturbations, which are played in turn."""

    name: ClassVar[str] = "SPSA"

    def first(self, nothing: Any) -> Any:
        """Return the centre, the perturbation, the gain of the first half, and which half is being played."""
        return np.concatenate((nothing, nothing, [np.nan, 0.0]))

    def learn(self, weights: Any, gain: float, generator: Any, memory: Any) -> Any:
        """Return the centre, times or divided by e^(0.3 perturbation)."""
        centre, perturbation = np.split(memory[:-2], 2)
        half = int(memory[-1])
        if half == 1:
            memory[-2:] = gain, 2.0
            return centre * np.exp(-0.3 * perturbation)
        centre[:] = self.clip(centre * np.exp(0.3 * np.sign(memory[-2] - gain) * perturbation)) if half else weights
        perturbation[:] = generator.choice([-1.0, 1.0], len(centre))
        memory[-1] = 1.0
        return centre * np.exp(0.3 * perturbation)


class BO(OnPlay):
    """Bayesian optimisation: a Gaussian process of gains over log-weights, from the last 40 intervals; older ones blur.

    The next weights are the upper confidence bound's best of 70 points near the best and the last sample.
    """

    name: ClassVar[str] = "BO"

    def first(self, nothing: Any) -> Any:
        """Return 40 samples of log-weights and gain, the newest first; NaN for none."""
        return np.full(40 * (len(nothing) + 1), np.nan)

    def learn(self, weights: Any, gain: float, generator: Any, memory: Any) -> Any:
        """Return the most promising weights."""
        table = memory.reshape(40, -1)
        table[1:] = table[:-1].copy()
        table[0] = [*np.log(weights), gain]
        known = table[~np.isnan(table[:, -1])]
        x, gains = known[:, :-1], known[:, -1]
        away = gains - np.median(gains)
        y = np.clip(away / (np.median(np.abs(away)) + 1e-12), -3.0, 3.0)
        solve = np.linalg.inv(_near(x, x) + np.diag(0.5 + 0.05 * np.arange(len(x))))
        best = x[int(np.argmax(_near(x, x) @ solve @ y))]
        centres = np.repeat([best, x[0]], [50, 20], axis=0)
        points = np.log(self.clip(np.exp(centres + 0.5 * generator.standard_normal(centres.shape))))
        near = _near(points, x)
        variance = np.maximum(0.0, 1.0 - ((near @ solve) * near).sum(axis=1))
        return np.exp(points[int(np.argmax(near @ solve @ y + np.sqrt(variance)))])


def _near(one: Any, other: Any) -> Any:
    """Return the kernel of the Gaussian process, of length 1 in log-weights."""
    return np.exp(-0.5 * ((one[:, None] - other[None]) ** 2).sum(axis=-1))


# --- Runs -------------------------------------------------------------------------------------------------------------
def at_budgets(game: gb.Game, algorithm: gb.Algorithm, seed: int = 0) -> list[float]:
    """Return the main measure of the policy reported within each number of joint policies evaluated."""
    configured = algorithm.configured(game, BUDGETS[-1])
    state = configured.begin(game, seed)
    if not isinstance(configured, gb.CMD):
        return [_measured(game, _proceed(configured, game, state, budget)) for budget in BUDGETS]
    found = []
    for budget in BUDGETS:
        reported = configured.policy(game, state).copy()
        while state.evaluated <= budget:
            reported = configured.policy(game, state).copy()
            configured.proceed(game, state, 1)
        found.append(_measured(game, reported))
    return found


def _proceed(algorithm: gb.Algorithm, game: gb.Game, state: gb.State, budget: int) -> Any:
    algorithm.proceed(game, state, budget - state.evaluated)
    return algorithm.policy(game, state)


def _measured(game: gb.Game, probabilities: Any) -> float:
    return abs(gb.evaluate(game, gb.Policy(game, probabilities), gb.main_measure(game)))


def runs(game: gb.Game, algorithm: gb.Algorithm) -> Any:
    """Return :func:`at_budgets` ``(runs, budgets)``, for each seed if it makes a difference."""
    return np.array([at_budgets(game, algorithm, seed) for seed in (SEEDS if algorithm.uses_seed else [0])])


def cell(found: Any) -> str:
    """Return the medians at the budgets, and the range at the last one if it is wider than a factor of 2."""
    low, high = found[:, -1].min(), found[:, -1].max()
    spread = f" ({digit(low)} to {digit(high)})" if high > 2 * max(low, ZERO) else ""
    return " / ".join(map(digit, np.median(found, axis=0))) + spread


def digit(value: float) -> str:
    """Return a number with one digit."""
    return "0" if value < ZERO else f"{value:.0e}".replace("e-0", "e-").replace("e+00", "")


def table(head: str, columns: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]]) -> None:
    """Print a Markdown table, row by row."""
    print(f"| {' | '.join([head, *columns])} |\n|{'---|' * (len(columns) + 1)}")
    for name, cells in rows:
        print(f"| {' | '.join([name, *cells])} |", flush=True)


def compare(methods: Mapping[str, gb.Algorithm], games: Iterable[str]) -> None:
    """Print a row for each game and a column for each method."""
    loaded = ((name, gb.load_game(name)) for name in games)
    table("game", list(methods), ((name, [cell(runs(game, one)) for one in methods.values()]) for name, game in loaded))


# --- Tables -----------------------------------------------------------------------------------------------------------
FIELD: dict[str, gb.Algorithm] = {
    **{"GMD": gb.GMD(), "CMD": gb.CMD(), "CMD in turn": gb.CMD(alternating=True, epsilon=1e-16)},
    "CMD(SR)": gb.CMDSuccessRule(),
    **{"PDCFR+": gb.PDCFRPlus(), "DCFR": gb.DCFR(), "CFR+": gb.CFRPlus()},
}
HARD = ("Kuhn", "Leduc", "Battleship", "MCCKuhn-A", "MCCKuhn-B")


def field() -> None:
    """Print CMD(SR) beside the paper's CMD, GMD and the regret family on the fifteen games."""
    compare(FIELD, gb.CATALOG)


def zero_sum() -> None:
    """Print the same for zero-sum games of papers on solvers, on which no setting was chosen."""
    compare(FIELD, ["Kuhn-2", "Goofspiel-4", "LiarsDice-4", "Battleship-3"])


def controllers() -> None:
    """Print controllers with one measurement for an update, in the paper's configuration and in that of CMD(SR)."""
    own = {controller.name: controller for controller in (ES, SPSA, BO)}
    papers = {f"CMD, {name}": gb.CMD(controller=made) for name, made in own.items()}
    ours = {f"CMD(SR), {name}": gb.CMDSuccessRule(controller=made) for name, made in own.items()}
    ours = {"CMD(SR), DRS": gb.CMDSuccessRule(controller="DRS", radius=0.05), **ours}
    compare({"CMD": gb.CMD(), **papers, **ours, "CMD(SR)": gb.CMDSuccessRule()}, gb.CATALOG)


def variations() -> None:
    """Print CMD(SR) with each of its settings changed."""
    plain = gb.CMDSuccessRule()
    changed: dict[str, Callable[[gb.Game], gb.Algorithm]] = {"as it is": lambda game: plain}
    for interval in (8, 9, 11, 12, 20):
        changed[f"`interval={interval}`"] = lambda game, n=interval: replace(plain, interval=n)
    for rate in (0.001, 0.0025, 0.01, 0.05):
        changed[f"`magnet_rate={rate}`"] = lambda game, r=rate: replace(plain, magnet_rate=r)
    for factor in (0.1, 0.3, 3.0):
        changed[f"`first_weight` times {factor:g}"] = lambda game, x=factor: replace(
            plain, first_weight=x * game.max_abs_payoff
        )
    for rise in (1.5, 3.0):
        changed[f"`rise={rise}`"] = lambda game, r=rise: replace(plain, controller=gb.SuccessRule(rise=r))
    fixed = gb.SuccessRule(fall=1e-9, rise=1e-9)
    changed["`fall=rise=1e-9`: only the magnet's weight falls"] = lambda game: replace(plain, controller=fixed)
    changed["`history=2`"] = lambda game: replace(plain, history=2)
    changed["`history=3`"] = lambda game: replace(plain, history=3)
    changed["`epsilon=1e-10`"] = lambda game: replace(plain, epsilon=1e-10)
    changed["`alternating=False`"] = lambda game: replace(plain, alternating=False)
    changed['`iterate="current"`'] = lambda game: replace(plain, iterate="current")
    changed["the paper's settings, in turn"] = _papers_with_best
    games = [gb.load_game(name) for name in HARD]
    rows = ((name, [cell(runs(game, make(game))) for game in games]) for name, make in changed.items())
    table("CMD(SR)", HARD, rows)


def _papers_with_best(game: gb.Game) -> gb.Algorithm:
    """Return CMD with the paper's settings for the game, which reports the best policy that it has measured, too."""
    papers = gb.CMD().configured(game, 1)
    first = 1.0 / papers.num_weights
    settings = {"history": papers.history, "radius": papers.radius, "magnet_rate": 0.05, "first_weight": first}
    return gb.CMDSuccessRule(controller="DRS", **settings)


def psi() -> None:
    """Print CMD(SR) with fixed convex functions, with a bandit that chooses one, and with learnt ones."""
    made: dict[str, Callable[[], Chooser]] = {
        **{"`x ln x`": lambda: Chooser(["x ln x"]), "`x^2`": lambda: Chooser(["x^2"])},
        **{"bandit": lambda: Chooser(["x ln x", "x^1.5", "x^2"]), "learnt exponent": Exponent},
        **{"learnt spline": Spline, "spline, no child kept": lambda: Spline(keeps=False)},
    }
    loaded = ((name, gb.load_game(name)) for name in gb.CATALOG)

    def found(game: gb.Game, make: Callable[[], Chooser]) -> Any:
        seeds = SEEDS if isinstance(make(), Learnt) else [0]
        return np.array([with_learnt_psi(game, make(), seed) for seed in seeds])

    table("game", list(made), ((name, [cell(found(game, make)) for make in made.values()]) for name, game in loaded))


class Chooser:
    """A bandit that chooses psi for each interval: the best gain, averaged over time, plus a bonus for trying."""

    def __init__(self, names: Sequence[Any]) -> None:
        self.names, self.gains, self.counts = names, dict.fromkeys(names, math.inf), dict.fromkeys(names, 0)

    def next(self, name: Any, gain: float, generator: Any) -> Any:
        """Return the psi of the next interval, given the gain with the last one."""
        self.gains[name] = gain if not self.counts[name] else 0.8 * self.gains[name] + 0.2 * gain
        self.counts[name] += 1
        time = math.log(1 + sum(self.counts.values()))
        return max(self.names, key=lambda one: self.gains[one] + 0.5 * math.sqrt(time / max(self.counts[one], 1)))


class Learnt(Chooser):
    """Base class of a psi whose parameters a (1+1) evolution strategy moves; with all of them 0 it is x ln x.

    Parent and child are played in turn, five intervals each. A child whose gain is at least that of its parent becomes
    the parent; ``keeps=False`` is the control, which returns to x ln x after every child.
    """

    size: ClassVar[int]
    """Number of parameters."""

    def __init__(self, keeps: bool = True) -> None:
        self.parent = self.child = np.zeros(self.size)
        self.keeps, self.length, self.usual, self.gain, self.played = keeps, 0.2, math.nan, 0.0, 0
        super().__init__([self.made(self.parent)])

    def derivative(self, parameters: Any) -> Any:
        """Return psi' as a function of ln x whose second argument is the order of the derivative, 0 or 1."""
        raise NotImplementedError

    def made(self, parameters: Any) -> gb.ConvexFunction:
        """Return psi as a table for kernels, whose cubics between the points are those of a spline."""
        function, logs = self.derivative(parameters), np.linspace(LOWEST, 0.0, 4097)
        table = np.array([function(logs), function(logs, 1) * (logs[1] - logs[0])])
        table.flags.writeable = False
        rises = bool((np.diff(np.log(table[1]) - logs) > 1e-9).any())
        return gb.ConvexFunction("learnt", lambda x: function(np.log(x)), Psi(TABLE, LOWEST, rises, table))

    def next(self, name: Any, gain: float, generator: Any) -> Any:
        """Return the psi played before, that of the parent, or that of a child."""
        self.gain, self.played = self.gain + gain, self.played + 1
        if self.played % 5:
            return name
        gain, self.gain = self.gain, 0.0
        if self.played % 10:
            self.usual = gain if math.isnan(self.usual) else 0.5 * (self.usual + gain)
            self.child = self.parent + self.length * generator.standard_normal(self.size)
            return self.made(self.child)
        if self.keeps and gain >= self.usual:
            self.parent, self.usual, self.length = self.child, gain, min(0.4, 1.5 * self.length)
        elif self.keeps:
            self.length = max(0.02, 0.9 * self.length)
        return self.made(self.parent)


class Exponent(Learnt):
    """psi''(x) = x^(q - 2), q from 0.3 to 3; q = 1 is x ln x, and q = 2 is x^2."""

    size: ClassVar[int] = 1

    def derivative(self, parameters: Any) -> Any:
        """Return psi' of q = 1 + the parameter, or of q = 1 nearby, where x^(q - 1) / (q - 1) would lose digits."""
        power = float(np.clip(parameters[0], -0.7, 2.0))
        if abs(power) < 0.02:
            return lambda logs, order=0: np.ones_like(logs) if order else logs
        return lambda logs, order=0: np.exp(power * logs) / (1.0 if order else power)


class Spline(Learnt):
    """psi' as a monotone cubic spline in ln x, with knots at epsilon, its square root, the root of that, ..., and 1.

    The parameters are the logarithms of its increments, divided by those of ln x. Their mean does not count, because it
    would only multiply the weights.
    """

    size: ClassVar[int] = 6
    knots: ClassVar[Any] = LOWEST * np.array([1.0, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 0.0])

    def derivative(self, parameters: Any) -> Any:
        """Return the spline; at a knot its slope is the harmonic mean of those around, which keeps it monotone."""
        steepness = np.exp(np.clip(parameters - parameters.mean(), -9.0, 9.0))
        values = np.append(0.0, np.cumsum(steepness * np.diff(self.knots)))
        inner = 2.0 / (1.0 / steepness[1:] + 1.0 / steepness[:-1])
        return CubicHermiteSpline(self.knots, values - values[-1], [steepness[0], *inner, steepness[-1]])


def with_learnt_psi(game: gb.Game, chooser: Chooser, seed: int) -> list[float]:
    """Return the best measure within each budget of CMD(SR) whose psi is chosen again after each interval.

    Each psi has weights of its own, moved by the success rule while it is played. A learnt psi has one vector of
    weights, because it is never the same.
    """
    plain, rule, generator = gb.CMDSuccessRule(), gb.SuccessRule(), np.random.default_rng(seed)
    name, measure = chooser.names[0], gb.MEASURES[gb.main_measure(game)]
    algorithm = replace(plain, convex=name).configured(game, BUDGETS[-1])
    state, least, last = algorithm.start(game, seed), [math.inf] * len(BUDGETS), math.inf
    known: dict[Any, tuple[Any, Any]] = {}
    while state.evaluated < BUDGETS[-1]:
        weights, memory = known.setdefault(
            "any" if isinstance(chooser, Learnt) else name, (algorithm.alphas(1, 1)[0], rule.memory(2))
        )
        algorithm.step(game, state, np.tile(weights, (algorithm.interval, 1)))
        loss = float(measure.losses(game, state.policy.reshape(1, -1).copy())[0])
        state.counts[1] += 1
        least = [min(a, loss) if state.evaluated <= b else a for a, b in zip(least, BUDGETS, strict=True)]
        memory[1] = last
        weights[:] = rule.update(weights, None, lambda loss=loss: loss, generator, memory)  # type: ignore[arg-type,misc]
        gain = 0.0 if math.isinf(last) else math.log(max(last, TINY) / max(loss, TINY))
        last, chosen = loss, chooser.next(name, gain, generator)
        if chosen != name:
            changed = replace(plain, convex=chosen).configured(game, BUDGETS[-1])
            _change_psi(game, state, algorithm, changed)
            name, algorithm = chosen, changed
    return [abs(value) for value in least]


def _change_psi(game: gb.Game, state: Any, old: Any, new: Any) -> None:
    """Recompute the duals in ``state``: the magnet's policy is found by a mirror step, the other one is known."""
    magnet, dual = np.empty_like(state.policy), np.empty_like(state.policy)
    arrays = state.policy, state.duals[:, 1].copy(), state.duals[:, 0].copy(), magnet, dual
    kernels.project_all(game.tree.first_sequences, old.psi, old.epsilon, False, 1.0, *arrays)
    for column, policy in enumerate((magnet, state.policy)):
        state.duals[:, column] = as_convex(new.convex).derivative(np.maximum(policy, new.epsilon))


# --- Games that nothing was developed on ------------------------------------------------------------------------------
def fresh_games() -> Iterable[gb.Game]:
    """Yield twenty-four random games of six kinds, four of each."""
    from tests.oracles.random_games import random_efg

    for seed in range(9000, 9004):
        generator = np.random.default_rng(seed)
        payoffs = generator.normal(size=(8, 8))
        yield gb.Game.from_payoffs(np.stack((payoffs, -payoffs), axis=-1), name=f"zero-sum 8 x 8, {seed}")
        yield gb.Game.from_payoffs(generator.normal(size=(5, 5, 2)), name=f"general-sum 5 x 5, {seed}")
        common = np.repeat(generator.normal(size=(4, 4, 4, 1)), 3, axis=-1)
        yield gb.Game.from_payoffs(common, name=f"cooperative 4 x 4 x 4, {seed}")
        payoffs = generator.normal(size=(3, 3, 3))
        shared = np.stack((payoffs / 2, payoffs / 2, -payoffs), axis=-1)
        three = gb.Game.from_payoffs(shared, name=f"two against one 3 x 3 x 3, {seed}")
        yield gb.with_teams(three, [[0, 1], [2]])
        for players in (2, 3):
            text = random_efg(seed, players=players, max_depth=8, max_nodes=400, stop_rate=0.05)
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / f"random tree of {players}, {seed}.efg"
                path.write_text(text)
                yield gb.load_game(str(path))


def fresh() -> None:
    """Print how often CMD(SR) is better, as good and worse than others on the fresh games, at each budget."""
    found = {}
    for game in fresh_games():
        found[game.name] = {name: np.median(runs(game, one), axis=0) for name, one in FIELD.items()}
    best = {
        game: np.min([value for name, value in one.items() if name != "CMD(SR)"], axis=0) for game, one in found.items()
    }
    rows = []
    for name in [*FIELD, "the best of these"]:
        if name == "CMD(SR)":
            continue
        cells = []
        for i in range(len(BUDGETS)):
            pairs = [
                (one["CMD(SR)"][i], best[game][i] if name not in one else one[name][i]) for game, one in found.items()
            ]
            better, worse = (sum(is_less(*pair[::step]) for pair in pairs) for step in (1, -1))
            cells.append(f"{better} / {len(pairs) - better - worse} / {worse}")
        rows.append((name, cells))
    table("CMD(SR) against", [f"after {budget:,}" for budget in BUDGETS], rows)
    print()
    names = list(FIELD)
    table("game", names, ((game, [" / ".join(map(digit, one[name])) for name in names]) for game, one in found.items()))


def is_less(one: float, other: float) -> bool:
    """Return whether a value is less than half of another one, unless both are below 1e-9."""
    return one < 0.5 * other and other >= 1e-9


TABLES = {
    **{"field": field, "zero-sum": zero_sum, "fresh": fresh},
    **{"controllers": controllers, "variations": variations, "psi": psi},
}


if __name__ == "__main__":
    for wanted in sys.argv[1:] or TABLES:
        print(f"\n## {wanted}\n")
        TABLES[wanted]()
