"""``gamebench export``: export a run to another tool's format."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.completion import complete_runs
from gamebench.core.choices import ExportFormat
from gamebench.core.errors import DiskError, file_errors_as


@command(
    "gamebench export 3f2a9c --to csv",
    "gamebench export my-results/runs/3f2a9c... --to open-spiel --output policy.json",
)
def export_command(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="Folder of the run, or the first characters of its ID.",
            autocompletion=complete_runs,
        ),
    ],
    to: Annotated[
        ExportFormat,
        typer.Option(help="What to write: the policy for OpenSpiel, the curve as CSV, or everything as JSON."),
    ],
    out: options.Runs = options.OUT,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="File to write (default: stdout).")
    ] = None,
    plugin: options.Plugins = None,
) -> None:
    """Export a finished run to OpenSpiel, CSV or JSON."""
    from gamebench.experiments.results import export, find_run
    from gamebench.system.files import write_atomically

    text = export(find_run(run, os.fspath(out)), to)
    if output is None:
        sys.stdout.write(text)
        return
    with file_errors_as(DiskError, f"The file {str(output)!r} cannot be written"):
        write_atomically(output, text.encode())
