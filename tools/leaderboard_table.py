"""The leaderboard as a table for the documentation."""

from __future__ import annotations

import math

from gamebench.report.leaderboard import Leaderboard
from gamebench.report.standings import Standing, level
from tools.claims_page import plain

NEVER = "-"


def as_markdown(board: Leaderboard) -> str:
    """Return a Markdown table, best first: ranks, games won, and for each epsilon the share of games and the time.

    A cell such as ``80 % (256)`` says that 80 % of the games were solved, and that the median time is 256 iterations.
    """
    head = ["method", "games", "mean rank", "games won"]
    head += [f"rank after {_number(budget)}" for budget in board.budgets]
    head += [f"solved to {goal} ({board.axis.unit})" for goal in map(level, board.epsilons)]
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *(_cells(row, len(board.games)) for row in board.standings)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _cells(row: Standing, games: int) -> list[str]:
    cells = [plain(row.method), str(games) if row.games == games else f"{row.games} of {games}"]
    cells += [_rank(row.rank), str(row.won), *map(_rank, row.rank_after.values())]
    return cells + [f"{100 * goal.share:.3g} % ({_number(goal.time)})" for goal in row.reached.values()]


def _rank(rank: float | None) -> str:
    return NEVER if rank is None else f"{rank:.2f}"


def _number(value: float) -> str:
    """Return whole and large numbers with separated thousands, others with three digits."""
    if math.isinf(value):
        return NEVER
    return f"{value:,.0f}" if value >= 100 or float(value).is_integer() else f"{value:.3g}"
