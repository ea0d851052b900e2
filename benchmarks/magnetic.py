"""An iteration of magnetic mirror descent against LiteEFG's, the same algorithm, and OpenSpiel's, a relative of it.

LiteEFG's magnet stands still, so ours does too here. OpenSpiel's Python descends over the sequence form with dilated
entropy instead of at each decision point. The two are the same algorithm only where each player decides once: there
they are checked, in a matrix game, and everywhere the cost of an iteration is compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import gamebench as gb
from benchmarks.checking import Check, check_solvers
from benchmarks.engines import lite_efg
from benchmarks.engines.open_spiel import DilatedMMD
from benchmarks.engines.ours import OurSolver
from benchmarks.result import Engine, Result
from benchmarks.solving import CHECKED, GAMES, LARGE, Opponent, compare

REGULARISATION, STEP_SIZE = 1.0, 0.1
PAYOFFS = [[2.0, -1.0, 0.5], [-1.0, 1.0, 0.25]]
"""What the first player wins in the matrix game, whose equilibrium is mixed and not uniform."""


def ours(game: gb.Game) -> OurSolver:
    """MMD-KL with a magnet that stands still."""
    settings = {"regularisation": REGULARISATION, "step_size": STEP_SIZE, "magnet_rate": 0.0}
    return OurSolver(game, gb.MMDKL(**settings))


def check_relative() -> Check:
    """OpenSpiel's and ours in a matrix game, where they are the same algorithm."""
    game = gb.Game.from_payoffs([[[one, -one] for one in row] for row in PAYOFFS])
    return check_solvers(ours(game), [DilatedMMD(game, REGULARISATION, STEP_SIZE)], CHECKED)[0]


def results(games: Sequence[str] = GAMES) -> Iterator[Result]:
    """All games for LiteEFG; for OpenSpiel those with two players that are not large."""
    relative = check_relative()
    for name in games:
        game, others = gb.load_game(name), []
        if game.num_players == 2 and game.num_histories < LARGE:
            solver = DilatedMMD(game, REGULARISATION, STEP_SIZE)
            others.append(Opponent(Engine.PYTHON, "mmd_dilated.MMDDilatedEnt", solver, same=False))
        if lite_efg.is_installed():
            solver = lite_efg.LiteSolver(game, "MMD", eta=STEP_SIZE, tau=REGULARISATION)
            others.append(Opponent(Engine.LITE_EFG, "baselines.MMD", solver))
        for result in compare("MMD-KL iteration", ours(game), others) if others else ():
            if result.engine is Engine.PYTHON:
                about = {"note": f"{result.note}; in a matrix game {relative}", "within_limits": relative.same}
                result = replace(result, **about)
            yield result
