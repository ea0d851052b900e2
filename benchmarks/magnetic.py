"""An iteration of magnetic mirror descent against LiteEFG's (the same algorithm) and OpenSpiel's (a relative).

LiteEFG's magnet does not move, so neither does ours here. OpenSpiel's Python descends over the sequence form with
dilated entropy instead of at each decision point. The two coincide only if each player decides once, so numbers are
compared in a matrix game, and costs in all games.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import gamebench as gb
from benchmarks.agreement import Agreement, compare_solvers
from benchmarks.engines import lite_efg
from benchmarks.engines.open_spiel import DilatedMMD
from benchmarks.engines.ours import OurSolver
from benchmarks.result import Engine, Result
from benchmarks.solving import CHECKED, GAMES, LARGE, Opponent, compare

REGULARISATION, STEP_SIZE = 1.0, 0.1
PAYOFFS = [[2.0, -1.0, 0.5], [-1.0, 1.0, 0.25]]
"""Payoffs of the first player in the matrix game, whose equilibrium is mixed and not uniform."""


def ours(game: gb.Game) -> OurSolver:
    """Return MMD-KL with a fixed magnet."""
    settings = {"regularisation": REGULARISATION, "step_size": STEP_SIZE, "magnet_rate": 0.0}
    return OurSolver(game, gb.algorithms.MMDKL(**settings))


def check_relative() -> Agreement:
    """Compare OpenSpiel's and ours in a matrix game, where they are the same algorithm."""
    game = gb.Game.from_payoffs([[[payoff, -payoff] for payoff in row] for row in PAYOFFS])
    return compare_solvers(ours(game), [DilatedMMD(game, REGULARISATION, STEP_SIZE)], CHECKED)[0]


def results(games: Sequence[str] = GAMES) -> Iterator[Result]:
    """Yield the results: LiteEFG on all games, OpenSpiel on two-player games that are not large."""
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
