"""The command ``gamebench``."""

from __future__ import annotations

import io
import os
import sys
import traceback
import warnings
from typing import Annotated, Any

import typer

from gamebench import __version__
from gamebench.cli.application import RESUMABLE, app, epilogue, load_commands
from gamebench.cli.output import explain, explain_usage, interrupted
from gamebench.core.errors import DEBUG

COMPLETION = "_GAMEBENCH_COMPLETE"
"""Environment variable by which a shell asks Typer for completions."""
UsageError: type[Any] = typer.BadParameter.__bases__[0]
"""Typer's base class of command-line errors; Typer exports only its subclasses."""
load_commands()


@app.callback(
    invoke_without_command=True,
    epilog=epilogue("gamebench run Leduc", "gamebench sweep overview --figure overview.png", "gamebench run --help"),
)
def common(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors; accepted anywhere.")] = False,
) -> None:
    """Solve finite games, measure policies exactly, and keep the results."""
    if version:
        print(__version__)
        raise typer.Exit


def main() -> None:
    """Run the command line; exit codes: 0 done, 1 something failed, 2 wrong usage, 130 interrupted."""
    warnings.formatwarning = lambda message, *_: f"Warning: {message}\n"
    _open_streams()
    if os.environ.get(COMPLETION):  # messages would end up on the user's command line
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115  (until the process ends)
    debug = "--debug" in sys.argv
    if debug:
        os.environ[DEBUG] = "1"  # for runs and checks, which go on after an error
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    try:
        try:
            code = app(arguments, prog_name="gamebench", standalone_mode=False)
        finally:
            sys.stdout.flush()  # a full disk is reported here, not when Python exits
        sys.exit(code)
    except UsageError as error:
        sys.exit(explain_usage(error, arguments))
    except KeyboardInterrupt:
        sys.exit(interrupted(any(name in arguments for name in RESUMABLE)))
    except Exception as error:
        if debug:
            traceback.print_exc()
        sys.exit(explain(error))


def _open_streams() -> None:
    """Make stdout and stderr accept any text, even if they are closed or limited to ASCII."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115  (replaces the closed stream)
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    main()
