"""``gamebench leaderboard``: rank methods over all games."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.output import counted, note, print_json, print_standings
from gamebench.core.choices import TimeAxis
from gamebench.core.errors import SettingError, StoreError, first_few
from gamebench.core.settings import checked, one_of

if TYPE_CHECKING:
    from gamebench.report.leaderboard import Leaderboard


@command(
    "gamebench leaderboard",
    "gamebench leaderboard --iterate current",
    "gamebench leaderboard my-results other-results",
    "gamebench leaderboard my-results --by seconds --json",
)
def leaderboard_command(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(metavar="DIR...", help="Folders with results (default: the results that come with GameBench)."),
    ] = None,
    by: Annotated[TimeAxis, typer.Option(help="Unit in which time is measured.")] = TimeAxis.ITERATIONS,
    iterate: Annotated[
        str | None, options.iterate_option(help="Rank by this iterate (current, average, linear, quadratic, best).")
    ] = None,
    as_json: options.AsJson = False,
    plugin: options.Plugins = None,
) -> None:
    """Rank methods over all games. Shows mean ranks, games won and solved, and the time to solve them."""
    from gamebench.evidence.experiments import RECORDED
    from gamebench.evidence.shipped import field_leaderboard
    from gamebench.experiments.store import Store
    from gamebench.report.leaderboard import leaderboard
    from gamebench.report.page.payload import Folder

    if not folders:
        chosen = "" if iterate is None else checked("--iterate", iterate, one_of("iterate", *RECORDED))
        _print_leaderboard(field_leaderboard(by.column, chosen), as_json)
        return
    if iterate is not None:
        raise SettingError("Leave out --iterate: in your results, every iterate that was recorded has its own row.")
    read = Folder.read(*map(Store, folders))
    for sentence in (*read.notes, *read.results.about_other_measures("do not count")):
        note(sentence)
    board = leaderboard(read.results.main_contests, by.column)
    if not board.standings:
        lacking = "whose main measure is better when lower" if read.results.runs else "to rank"
        where = first_few([repr(str(folder)) for folder in folders])
        raise StoreError(f"In {where} there are no finished runs {lacking}.")
    _print_leaderboard(board, as_json)


def _print_leaderboard(board: Leaderboard, as_json: bool) -> None:
    """Print the standings: in two tables of 80 columns on a terminal, otherwise in one."""
    from gamebench.report.leaderboard import MEDIAN_RULE, TIE_RULE

    if as_json:
        print_json(board.as_dict())
        return
    of_method, *others = board.columns
    of_ranks = [column for column in others if column.kind == "rank" or not column.group]
    of_times = [column for column in others if column not in of_ranks]
    if sys.stdout.isatty():
        early = f" and after some {board.axis.unit}" if board.budgets else ""
        title = f"Mean ranks over {counted(len(board.games), 'game')}, at the end{early}"
        print_standings(title, [of_method, *of_ranks], board.standings, digits=4)
        print()
        title = f"Share of games solved, and median {board.axis.unit} until then"
        print_standings(title, [of_method, *of_times], board.standings, digits=4)
    else:
        print_standings("", board.columns, board.standings)
    note(f"{TIE_RULE} So ranks and games won differ from those of score tables.")
    if any(math.isinf(goal.time) for row in board.standings for goal in row.reached.values()):
        note(MEDIAN_RULE)
    if any(row.games < len(board.games) for row in board.standings):
        note(
            f"Some methods were not run on all {len(board.games)} games; their ranks and shares cover only their games."
        )
    for game, reason in board.left_out.items():
        note(f"{game} does not count, because {reason}.")
