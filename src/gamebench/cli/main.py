"""The command ``gamebench``."""

from __future__ import annotations

import json
import sys
import warnings
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gamebench import __version__
from gamebench.cli.output import Cell, print_table
from gamebench.errors import GameBenchError, TeamsError

app = typer.Typer(
    name="gamebench",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


class Listing(StrEnum):
    """What can be listed."""

    GAMES = "games"
    MEASURES = "measures"


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


def _examples(*commands: str) -> str:
    """An epilogue that keeps its line breaks (which is what the backspace character asks for)."""
    return "\n".join(("\b", "Examples:", *(f"  {command}" for command in commands)))


def _parse_teams(text: str) -> list[list[int]]:
    try:
        return [[int(player) for player in team.split(",")] for team in text.split("/")]
    except ValueError as error:
        raise TeamsError(f"Teams are written as player numbers, such as 0,1/2, not {text!r}.") from error


@app.command("list", epilog=_examples("gamebench list", "gamebench list measures --json"))
def list_command(
    what: Annotated[Listing, typer.Argument(help="What to list.")] = Listing.GAMES, as_json: AsJson = False
) -> None:
    """List the fifteen games, with what the uniform policy scores in each, or the measures."""
    from gamebench.cli import listings

    title, columns, rows = listings.games() if what is Listing.GAMES else listings.measures()
    if as_json:
        print(json.dumps([dict(zip(columns, row, strict=True)) for row in rows], indent=2))
    else:
        print_table(title, columns, rows)


@app.command(
    "evaluate",
    epilog=_examples(
        "gamebench evaluate Leduc",
        'gamebench evaluate "kuhn_poker(players=3)" --teams 0,1/2 --measure NashConv',
        "gamebench evaluate Kuhn my-policy.npz --measure NashConv --measure SocialWelfare",
    ),
)
def evaluate_command(
    game: Annotated[str, typer.Argument(help="One of the fifteen games, an OpenSpiel game string, or a game file.")],
    policy: Annotated[str, typer.Argument(help="A saved policy, or 'uniform'.")] = "uniform",
    measure: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A measure; may be given several times.")
    ] = None,
    teams: Annotated[str | None, typer.Option(metavar="0,1/2", help="Teams of players.")] = None,
    focal: Annotated[
        int | None, typer.Option(metavar="PLAYER", help="The one player who chooses; the others play uniformly.")
    ] = None,
    max_histories: Annotated[int | None, typer.Option(metavar="N", help="Refuse a game larger than this.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure a policy in a game; without --measure, by every measure that applies."""
    import gamebench as gb

    limit = {} if max_histories is None else {"max_histories": max_histories}
    loaded = gb.load_game(game, teams=None if teams is None else _parse_teams(teams), focal=focal, **limit)
    chosen = gb.uniform_policy(loaded) if policy == "uniform" else gb.Policy.load(Path(policy), loaded)
    names = measure or [name for name, known in gb.MEASURES.items() if known.applies(loaded)]
    values: dict[str, float] = {}
    failures = []
    for name in dict.fromkeys(names):
        try:
            values |= gb.evaluate(loaded, chosen, [name])
        except gb.ResponseLimitError as error:  # the other measures can be had all the same
            failures.append(error)
    if as_json:
        print(json.dumps({"game": loaded.name, "fingerprint": loaded.fingerprint, "measures": values}, indent=2))
    else:
        rows: list[list[Cell]] = [[name, value, str(gb.MEASURES[name].direction)] for name, value in values.items()]
        print_table(loaded.name, ["measure", "value", "direction"], rows)
    for failure in failures:
        print(f"Error: {failure}", file=sys.stderr)
    if failures:
        raise typer.Exit(1)


@app.callback(invoke_without_command=True)
def common(version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False) -> None:
    """Load any game, and measure any policy in it, exactly."""
    if version:
        print(__version__)
        raise typer.Exit


def main() -> None:
    """Run the command line; a user's mistake costs one sentence and exit code 2."""
    warnings.formatwarning = lambda message, *_: f"Warning: {message}\n"
    try:
        try:
            app()
        finally:
            sys.stdout.flush()  # a full disk shows here, and not only when Python has already left
    except GameBenchError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:  # a full disk behind stdout, for instance
        print(f"Error: the output cannot be written: {error.strerror}.", file=sys.stderr)
        sys.stdout = None  # so that Python does not try once more on its way out
        sys.exit(1)


if __name__ == "__main__":
    main()
