"""An iteration of CFR and of CFR+ against OpenSpiel's Python, OpenSpiel's C++ and LiteEFG.

OpenSpiel and our defaults use alternating updates. LiteEFG's CFR updates all players simultaneously, in rows of its
own; its CFR+ alternates between two players.

OpenSpiel skips branches that no player reaches, so on liar's dice its iterations become cheaper over time. All engines
do :data:`CHECKED` iterations before they are timed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import gamebench as gb
from benchmarks.agreement import compare_solvers
from benchmarks.engines import Solver, lite_efg
from benchmarks.engines.open_spiel import CPP, PYTHON, RegretSolver
from benchmarks.engines.ours import OurSolver
from benchmarks.result import Engine, Result
from benchmarks.timing import in_turns

CHECKED = 10
"""Number of iterations after which all engines must have the same NashConv."""
TARGETS = {"Leduc": 100, "liars_dice": 100, "Kuhn": 80}
"""Promised speed-up of CFR over the C++ code."""
LITE_TARGET = 8
GAMES = (
    "kuhn_poker",
    "Kuhn",
    "Leduc",
    "leduc_poker(suit_isomorphism=True)",
    "liars_dice(dice_sides=4)",
    "liars_dice",
)
LARGE = 100_000
"""Number of histories above which OpenSpiel's Python, which would need minutes, is left out."""


@dataclass(frozen=True)
class Opponent:
    """Another engine's solver, the number of iterations per measurement, and the promised speed-up."""

    engine: Engine
    name: str
    solver: Solver
    step: int = 1
    target: float | None = None
    same: bool = True
    """Whether it runs the same algorithm."""


def compare(what: str, ours: OurSolver, others: Sequence[Opponent]) -> Iterator[Result]:
    """Check that all solvers have the same NashConv after some iterations, then time them in turns."""
    solvers = [ours, *(other.solver for other in others)]
    checks = compare_solvers(ours, solvers[1:], CHECKED)
    mine, *theirs = in_turns([solver.run for solver in solvers], [10, *(other.step for other in others)])
    for other, check, taken in zip(others, checks, theirs, strict=True):
        about = {"same": other.same, "note": str(check), "within_limits": check.same}
        if not other.same:
            note = f"another algorithm; {check.what}: {check.ours:.3g} and {check.theirs:.3g}"
            about |= {"note": note, "within_limits": True}
        yield Result(what, ours.game.name, mine, other.engine, other.name, taken, other.target, **about)


def against_open_spiel(name: str, algorithm: gb.algorithms.CFR) -> Iterator[Result]:
    """Compare CFR or CFR+ with alternating updates."""
    game, kind = gb.load_game(name), algorithm.name
    target = TARGETS.get(name) if kind == "CFR" else None
    others = [Opponent(Engine.CPP, f"pyspiel.{CPP[kind].__name__}", RegretSolver(game, CPP[kind]), 10, target)]
    if game.num_histories < LARGE:
        others.append(Opponent(Engine.PYTHON, f"cfr.{PYTHON[kind].__name__}", RegretSolver(game, PYTHON[kind])))
    if kind == "CFR+" and game.num_players == 2 and lite_efg.is_installed():
        others.append(Opponent(Engine.LITE_EFG, "baselines.CFRplus", lite_efg.LiteSolver(game, "CFRplus")))
    yield from compare(f"{kind} iteration", OurSolver(game, algorithm), others)


def against_lite_efg(name: str) -> Iterator[Result]:
    """Compare CFR with simultaneous updates, the only kind that LiteEFG's baseline has."""
    game = gb.load_game(name)
    other = Opponent(Engine.LITE_EFG, "baselines.CFR", lite_efg.LiteSolver(game, "CFR"), target=LITE_TARGET)
    yield from compare("CFR iteration, simultaneous", OurSolver(game, gb.algorithms.CFR(alternating=False)), [other])


def results(games: Sequence[str] = GAMES) -> Iterator[Result]:
    """Yield the results of both algorithms on all games."""
    for algorithm in (gb.algorithms.CFR(), gb.algorithms.CFRPlus()):
        for name in games:
            yield from against_open_spiel(name, algorithm)
    if lite_efg.is_installed():
        for name in games:
            yield from against_lite_efg(name)
