"""The application of the command line, and how commands are added to it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import typer

from gamebench.cli.output import interrupted
from gamebench.errors import contained

app = typer.Typer(
    name="gamebench", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
)


def epilogue(*commands: str) -> str:
    """Return an epilogue that keeps its line breaks, which the backspace character asks for."""
    return "\n".join(("\b", "Examples:", *(f"  {command}" for command in commands)))


def command(name: str, *examples: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a command with examples in its help that says after Ctrl-C what is kept."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def interruptible(*args: Any, **options: Any) -> None:
            try:
                with contained(f"gamebench {name} could not go on"):  # ours leaves by typer.Exit, not by sys.exit()
                    function(*args, **options)
            except KeyboardInterrupt as error:
                raise typer.Exit(interrupted(name in RESUMABLE)) from error

        return app.command(name, epilog=epilogue(*examples))(interruptible)

    return decorate


RESUMABLE = ("run", "sweep", "tune", "reproduce")
