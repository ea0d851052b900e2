"""Cost of mirror descent: relative to our CFR on Leduc, and against limits on small games."""

from __future__ import annotations

from collections.abc import Iterator

import gamebench as gb
from benchmarks.engines.ours import OurSolver
from benchmarks.result import Engine, Result
from benchmarks.timing import in_turns

CONVEX = ("x^2", "-x^0.1", "e^x", "-ln x", "x^3", "x^1.5")
LIMITS = {"MCCKuhn-A": 900e-6, "Kuhn-A": 20e-6}
"""Time limits for an iteration of CMD, in seconds."""


def against_cfr() -> Iterator[Result]:
    """Compare GMD and CMD, including the updates of its weights, with CFR on Leduc."""
    game = gb.load_game("Leduc")
    algorithms = [gb.algorithms.GMD(history=3, convex=convex) for convex in ("x ln x", *CONVEX)]
    runs = [OurSolver(game, algorithm).run for algorithm in (gb.algorithms.CFR(), *algorithms, gb.algorithms.CMD())]
    cfr, entropy, *others, cmd = in_turns(runs, 10)
    of_cfr, of_entropy = (Engine.OURSELVES, "CFR iteration", cfr), (Engine.OURSELVES, "GMD iteration, x ln x", entropy)
    yield Result("GMD iteration, x ln x", "Leduc", entropy, *of_cfr, 3.75, False)
    for convex, mine in zip(CONVEX, others, strict=True):
        yield Result(f"GMD iteration, {convex}", "Leduc", mine, *of_entropy, 5, False)
    yield Result("CMD iteration", "Leduc", cmd, *of_cfr, 7, False)


def against_limits() -> Iterator[Result]:
    """Compare CMD on small games, including the updates of its weights, with limits."""
    for name, limit in LIMITS.items():
        game = gb.load_game(name)
        cmd, kl = in_turns(
            [OurSolver(game, algorithm).run for algorithm in (gb.algorithms.CMD(), gb.algorithms.MMDKL())], 10
        )
        note = f"MMD-KL: {kl * 1e6:.3g} us per iteration"
        yield Result("CMD iteration", name, cmd, Engine.LIMIT, "promised", limit, 1, False, note=note)


def results() -> Iterator[Result]:
    """Yield both comparisons."""
    yield from against_cfr()
    yield from against_limits()
