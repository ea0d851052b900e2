"""The application of the command line, how commands are added to it, and how its help groups them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from gamebench.cli.output import interrupted
from gamebench.errors import contained

SECTIONS = {
    "Run algorithms": ("run", "sweep", "tune", "reproduce"),
    "Games and policies": ("list", "show", "evaluate", "head-to-head", "solve-exactly", "draw", "convert"),
    "Results": ("status", "report", "figure", "table", "leaderboard", "claims", "export"),
    "This installation": ("check", "doctor", "completion"),
}
"""The commands in the order of the help; those of no section come last."""
OTHERS = "More commands"


def summary_of(text: str) -> str:
    """Return the first sentence of a description, which stands for a command in lists."""
    return re.split(r"(?<=[.])\s", " ".join(text.split()), maxsplit=1)[0]


class SectionedGroup(TyperGroup):
    """The commands, whose help lists them in sections and never cuts a summary."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a list of commands for each section."""
        shown = {name: command for name, command in self.commands.items() if not command.hidden}
        listed = {name for names in SECTIONS.values() for name in names}
        sections = {**SECTIONS, OTHERS: tuple(name for name in shown if name not in listed)}
        width = max(map(len, shown))
        for title, names in sections.items():
            rows = [(name.ljust(width), summary_of(shown[name].help or "")) for name in names if name in shown]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


app = typer.Typer(
    name="gamebench",
    cls=SectionedGroup,
    no_args_is_help=True,
    add_completion=False,  # gamebench completion does more
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
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
                is_kept = name in RESUMABLE and Path(options.get("out") or ".").exists()  # not while games are loaded
                raise typer.Exit(interrupted(is_kept)) from error

        return app.command(name, epilog=epilogue(*examples))(interruptible)

    return decorate


RESUMABLE = ("run", "sweep", "tune", "reproduce")
