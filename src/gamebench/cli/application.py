"""The Typer application: how commands are registered, and how the help groups them.

The command ``head-to-head`` is the function ``head_to_head_command`` in ``commands/head_to_head.py``. A new command is
one such module and its name in :data:`SECTIONS`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from gamebench.cli.output import interrupted
from gamebench.core.errors import contained

SECTIONS = {
    "Run algorithms": ("run", "sweep", "tune", "reproduce"),
    "Games and policies": ("list", "show", "evaluate", "head-to-head", "solve-exactly", "draw", "convert"),
    "Results": ("status", "report", "figure", "table", "leaderboard", "claims", "export"),
    "This installation": ("check", "doctor"),
}
"""The commands by section, in the order of the help."""
RESUMABLE = SECTIONS["Run algorithms"]
"""Commands that can be interrupted and continued."""
SUFFIX = "_command"
"""Suffix of the functions that implement commands."""
HINTS = {"solve": "run", "plot": "figure"}
"""Commands to suggest for names of library functions."""


class SectionedGroup(TyperGroup):
    """The group of all commands, whose help has sections and full summaries."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command to run; suggest one if the name is unknown."""
        if args[0] in HINTS:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {HINTS[args[0]]!r}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a list of commands for each section."""
        width = max(map(len, self.commands))
        for title, names in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(name.ljust(width), self.commands[name].get_short_help_str(limit=100)) for name in names]
                )


app = typer.Typer(
    name="gamebench",
    cls=SectionedGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def epilogue(*commands: str) -> str:
    """Return an epilogue with examples; the backspace character keeps its line breaks."""
    return "\n".join(("\b", "Examples:", *(f"  {command}" for command in commands)))


def command(*examples: str) -> Callable[[Callable[..., int | None]], Callable[..., int | None]]:
    """Register a function as a command with these examples in its help.

    The function returns the exit code; ``None`` is 0. Ctrl-C prints whether progress was saved.
    """

    def decorate(function: Callable[..., int | None]) -> Callable[..., int | None]:
        name = function.__name__.removesuffix(SUFFIX).replace("_", "-")

        @wraps(function)
        def interruptible(*args: Any, **options: Any) -> int | None:
            try:
                with contained(f"gamebench {name} could not go on"):  # users' code may call sys.exit()
                    return function(*args, **options)
            except KeyboardInterrupt as error:
                is_kept = name in RESUMABLE and Path(options.get("out") or ".").exists()  # not while games load
                raise typer.Exit(interrupted(is_kept)) from error

        return app.command(name, epilog=epilogue(*examples))(interruptible)

    return decorate


def load_commands() -> None:
    """Import the modules of all commands, which registers them."""
    for names in SECTIONS.values():
        for name in names:
            import_module(f"gamebench.cli.commands.{name.replace('-', '_')}")
