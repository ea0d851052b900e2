"""An iteration of established solvers relative to CFR+, and of a user's PCFR+ relative to the built-in one.

CRD also measures candidates, so its time is per joint policy evaluated, over whole runs of 10,000 of them (1000 in
large games).

All solvers of a game take turns, and the minimum of many turns counts, because the differences are small and other work
of the processor only adds time. OpenSpiel's LCFR and DCFR in Python, and LiteEFG's PCFR+ with a linear average like
ours, take part where they exist.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import gamebench as gb
from benchmarks.agreement import compare_solvers
from benchmarks.engines import lite_efg
from benchmarks.engines.open_spiel import PYTHON, RegretSolver
from benchmarks.engines.ours import OurSolver
from benchmarks.result import BEST, Engine, Result
from benchmarks.solving import CHECKED, LARGE, Opponent
from benchmarks.timing import best_in_turns

GAMES = ("Leduc", "liars_dice")
TARGET, OWN_TARGET, CRD_TARGET = 1.4, 1.5, 1.3
"""Promised maximum cost of a variant of CFR, of a user's PCFR+, and of CRD per joint policy evaluated."""
CRD = "CRD, per joint policy"
WITHOUT_PROMISE = ("CFR", "DOMWU", "DOGDA")


class OwnPCFRPlus(gb.RegretMinimiser):
    """PCFR+ as a user would write it."""

    name = "own PCFR+"

    def accumulate(self, t, latest, regrets):
        """Add the latest regrets and cut at 0."""
        for a in range(len(regrets)):
            regrets[a] = max(regrets[a] + latest[a], 0.0)

    def recommend(self, t, latest, regrets, policy):
        """Predict that the latest regrets recur."""
        for a in range(len(policy)):
            policy[a] = regrets[a] + latest[a]

    def average(self, t):
        """Weight iteration t with t."""
        return t


class WholeRun(OurSolver):
    """An algorithm whose cost per joint policy varies along a run, so that whole runs are compared."""

    def run(self, iterations: int) -> None:
        """Evaluate this many joint policies from the start; a check or two may be added."""
        state = self.algorithm.begin(self.game, 0)
        while state.evaluated < iterations:
            self.algorithm.advance(self.game, state, max(1, (iterations - state.evaluated) * 3 // 4))


PLUS, PREDICTIVE, OWN = gb.algorithms.CFRPlus(), gb.algorithms.PCFRPlus(gamma=1.0), OwnPCFRPlus()
FAMILY = [algorithm() for algorithm in gb.algorithms.ALGORITHMS.values() if issubclass(algorithm, gb.algorithms.CFR)]
ALGORITHMS = (
    *(one for one in FAMILY if one.name not in (PREDICTIVE.name, "CRD")),
    *(PREDICTIVE, gb.algorithms.RTCFRPlus(), gb.algorithms.DOMWU(), gb.algorithms.DOGDA(), OWN),
)


def counterparts(game: gb.Game) -> dict[str, Opponent]:
    """Return the solvers of other engines by the name of our algorithm."""
    found = {}
    if game.num_histories < LARGE:
        for name in ("LCFR", "DCFR"):
            called = f"discounted_cfr.{PYTHON[name].__name__}"
            found[name] = Opponent(Engine.PYTHON, called, RegretSolver(game, PYTHON[name]))
    if game.num_players == 2 and lite_efg.is_installed():
        found[PREDICTIVE.name] = Opponent(Engine.LITE_EFG, "baselines.PCFR", lite_efg.LiteSolver(game, "PCFR"))
    return found


def against_ourselves(game: gb.Game, ours: dict[str, float]) -> Iterator[Result]:
    """Compare the seconds of our solvers, by name, with those of CFR+, and a user's PCFR+ with the built-in one."""
    plus, predictive = ((Engine.OURSELVES, f"{one.name}{BEST}", ours[one.name]) for one in (PLUS, PREDICTIVE))
    for called, mine in ours.items():
        if called not in (PLUS.name, OWN.name):
            target = None if called in WITHOUT_PROMISE else TARGET
            yield Result(f"{called}{BEST}", game.name, mine, *plus, target, False)
    (check,) = compare_solvers(OurSolver(game, PREDICTIVE), [OurSolver(game, OWN)], CHECKED)
    about = {"note": str(check), "within_limits": check.same}
    yield Result(f"{OWN.name}{BEST}", game.name, ours[OWN.name], *predictive, OWN_TARGET, False, **about)


def whole_runs(game: gb.Game) -> Result:
    """Compare the seconds of CRD per joint policy with those of CFR+, both over whole runs."""
    solvers = [WholeRun(game, PLUS), WholeRun(game, gb.algorithms.CRD())]
    plus, crd = best_in_turns([solver.run for solver in solvers], 1000 if game.num_histories >= LARGE else 10_000)
    return Result(f"{CRD}{BEST}", game.name, crd, Engine.OURSELVES, f"{PLUS.name}{BEST}", plus, CRD_TARGET, False)


def results(games: Sequence[str] = GAMES) -> Iterator[Result]:
    """Yield the results against ourselves and against other engines, whose numbers are compared first."""
    for name in games:
        game = gb.load_game(name)
        solvers, others = {algorithm.name: OurSolver(game, algorithm) for algorithm in ALGORITHMS}, counterparts(game)
        checks = [compare_solvers(solvers[called], [other.solver], CHECKED)[0] for called, other in others.items()]
        everyone = [*solvers.values(), *(other.solver for other in others.values())]
        taken = best_in_turns([solver.run for solver in everyone], [10] * len(solvers) + [1] * len(others))
        ours, theirs = dict(zip(solvers, taken, strict=False)), taken[len(solvers) :]
        yield from against_ourselves(game, ours)
        yield whole_runs(game)
        for (called, other), check, seconds in zip(others.items(), checks, theirs, strict=True):
            about = {"note": str(check), "within_limits": check.same}
            yield Result(f"{called}{BEST}", game.name, ours[called], other.engine, other.name, seconds, **about)
