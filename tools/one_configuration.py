"""Make the tables of docs/crd.md: CRD in its default configuration against the best baseline of each game.

    python -m tools.one_configuration games       the paper's fifteen games and three large ones
    python -m tools.one_configuration variance    how much the interval between checks matters
    python -m tools.one_configuration select      welfare and fairness among equilibria

The best baseline is the best of eight at the end, known only with hindsight.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np

from gamebench.analysis.measures import MEASURES
from gamebench.games.catalogue import PAPER_GAMES
from gamebench.games.loading.load import load_game
from gamebench.runs.solve import solve
from tools.fresh_games import BASELINES, MOMENTS, losses_at

SEEDS = range(5)
LARGE = ("LiarsDice-5", "LiarsDice-6", "Goofspiel-5")
INTERVALS = range(16, 25)
TARGET = 1e-10


def games(names: list[str]) -> Iterator[str]:
    """Yield a row for each game: median, least and greatest of CRD, and the best baseline at the end."""
    yield "| game | CRD at 100 | at 1000 | at 10,000 | least to greatest of 5 seeds | best baseline at 10,000 |"
    yield "| --- | --: | --: | --: | --: | --: |"
    for name in names or [*PAPER_GAMES, *LARGE]:
        game = load_game(name)
        runs = np.array([losses_at(game, "CRD", MOMENTS, seed) for seed in SEEDS])
        ends = {baseline: losses_at(game, baseline, MOMENTS[-1:], 0)[0] for baseline in BASELINES}
        best = min(ends, key=lambda baseline: ends[baseline])
        cells = [f"{value:.1e}" for value in np.median(runs, axis=0)]
        spread = f"{runs[:, -1].min():.1e} to {runs[:, -1].max():.1e}"
        yield f"| {name} | {' | '.join(cells)} | {spread} | {ends[best]:.1e} ({best}) |"


def variance(names: list[str]) -> Iterator[str]:
    """Yield a row for each game: joint policies until NashConv is below 1e-10, for different intervals."""
    yield "| game | quartiles of the joint policies to 1e-10 | ratio | solved |"
    yield "| --- | --: | --: | --: |"
    for name in names or ["Kuhn", "Leduc", "LiarsDice-4", "LiarsDice-5", "Goofspiel-4", "Goofspiel-5"]:
        needed = []
        for interval in INTERVALS:
            curve = solve(name, "CRD", 10_000, restart=interval, checkpoints=20).curve
            solved = np.flatnonzero(curve["NashConv"] < TARGET)
            needed.append(float(curve["policies_evaluated"][solved[0]]) if len(solved) else np.inf)
        low, middle, high = np.quantile(needed, [0.25, 0.5, 0.75], method="nearest")
        solved_runs = f"{np.isfinite(needed).sum()} of {len(needed)}"
        yield f"| {name} | {low:.0f}, {middle:.0f}, {high:.0f} | {high / low:.2f} | {solved_runs} |"


def select(names: list[str]) -> Iterator[str]:
    """Yield a row for each general-sum game of the paper and objective: the best value found, and its NashConv."""
    yield "| game | objective | median of 5 seeds | least to greatest | largest NashConv |"
    yield "| --- | --- | --: | --: | --: |"
    for name in names or ["Bargaining", "TradeComm", "Battleship"]:
        for objective in ("SocialWelfare", "Fairness(smallest)"):
            ends = [solve(name, "CRD", 10_000, seed=seed, objective=objective).curve.last for seed in SEEDS]
            values, gaps = ([end[column] for end in ends] for column in (MEASURES[objective].name, "NashConv"))
            spread = f"{min(values):.4g} to {max(values):.4g}"
            yield f"| {name} | {objective} | {np.median(values):.4g} | {spread} | {max(gaps):.0e} |"


TABLES = {"games": games, "variance": variance, "select": select}


def main(arguments: list[str]) -> None:
    """Print the requested table for all games, or for those named."""
    if not arguments or arguments[0] not in TABLES:
        sys.exit(__doc__)
    for line in TABLES[arguments[0]](arguments[1:]):
        print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
