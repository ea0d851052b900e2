"""``gamebench figure``: draw learning curves for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.output import note
from gamebench.core.choices import Spread, TimeAxis


@command(
    "gamebench figure my-results --output figure.pdf",
    "gamebench figure my-results --games Kuhn,Leduc --methods CMD,CFR+ --x seconds --output figure.svg",
    'gamebench figure results-a results-b --methods "GMD history=3" --spread std --columns 2',
)
def figure_command(
    folders: options.Folders = None,
    games: options.ShownGames = None,
    methods: options.ShownMethods = None,
    x: Annotated[
        TimeAxis | None,
        typer.Option(
            "--x",
            help="Quantity on the x axis (default: iterations, or policies if methods need several per iteration).",
        ),
    ] = None,
    measure: options.ShownMeasures = None,
    spread: Annotated[
        Spread, typer.Option(help="What the bands show over seeds; ci is a 95 % confidence interval.")
    ] = Spread.RANGE,
    highlight: Annotated[int, typer.Option(metavar="N", help="Number of best methods to colour; others are grey.")] = 8,
    columns: Annotated[int | None, typer.Option(metavar="N", help="Number of panels side by side.")] = None,
    width: Annotated[float | None, typer.Option(metavar="INCHES", help="Width of the figure in inches.")] = None,
    title: Annotated[str, typer.Option(metavar="TEXT", help="Title of the figure.")] = "",
    log_x: Annotated[bool, typer.Option("--log-x/--linear-x", help="Logarithmic or linear x axis.")] = True,
    log_y: Annotated[bool, typer.Option("--log-y/--linear-y", help="Logarithmic or linear y axes.")] = True,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="A .pdf, .png or .svg file (default: DIR/figure.png)."),
    ] = None,
    plugin: options.Plugins = None,
) -> None:
    """Draw learning curves for a paper. Each game has a panel with the mean and spread over seeds."""
    from gamebench.report.figures import check_figure, draw, save_figure
    from gamebench.report.plot import chart_of_contests
    from gamebench.report.selection import select

    given = folders or [options.OUT]
    path = given[0] / "figure.png" if output is None else output
    if output is not None:
        check_figure(path)
    selection = select(given, *map(options.split_names, (games, methods, measure)))
    for sentence in selection.notes:
        note(sentence)
    chart = chart_of_contests(
        selection.contests,
        x=x,
        spread=spread,
        highlight=highlight,
        columns=columns,
        log_x=log_x,
        log_y=log_y,
        title=title,
        width=width,
    )
    save_figure(draw(chart), path)
    print(path)
