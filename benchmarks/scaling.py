"""Seconds of an iteration against the number of histories, from 58 to 1.8 million."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import gamebench as gb
from benchmarks.agreement import compare_solvers
from benchmarks.engines.open_spiel import CPP, RegretSolver
from benchmarks.engines.ours import OurSolver
from benchmarks.result import Point
from benchmarks.timing import in_turns

GAMES = (
    "kuhn_poker(players=2)",
    "kuhn_poker(players=3)",
    "goofspiel(num_cards=4,imp_info=True,points_order=descending)",
    "liars_dice(dice_sides=3)",
    "kuhn_poker(players=4)",
    "liars_dice(dice_sides=4)",
    "leduc_poker(players=2)",
    "goofspiel(num_cards=5,imp_info=True,points_order=descending)",
    "liars_dice(dice_sides=5)",
    "kuhn_poker(players=5)",
    "liars_dice(dice_sides=6)",
    "leduc_poker(players=3)",
)
CHECKED = 2
"""Number of iterations after which both engines' CFR must have the same NashConv."""
STEP = 10
"""CMD updates its weights every tenth iteration, so a measurement takes a multiple of ten."""
CPP_SERIES = "CFR, OpenSpiel C++"


def results(games: Sequence[str] = GAMES) -> Iterator[Point]:
    """Yield a point for CFR, MMD-KL, CMD and OpenSpiel's CFR in C++ on every game."""
    for name in games:
        game = gb.load_game(name)
        solvers = {
            algorithm.name: OurSolver(game, algorithm)
            for algorithm in (gb.algorithms.CFR(), gb.algorithms.MMDKL(), gb.algorithms.CMD())
        }
        solvers[CPP_SERIES] = RegretSolver(game, CPP["CFR"])
        (check,) = compare_solvers(solvers["CFR"], [solvers[CPP_SERIES]], CHECKED)
        steps = [1 if series == CPP_SERIES else STEP for series in solvers]
        taken = in_turns([solver.run for solver in solvers.values()], steps)
        for series, seconds in zip(solvers, taken, strict=True):
            about = {"ours": False, "note": str(check), "holds": check.same} if series == CPP_SERIES else {}
            yield Point(series, name, game.num_histories, seconds, **about)
