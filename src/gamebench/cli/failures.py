"""What the command line says when it cannot do what was asked, and its exit codes."""

from __future__ import annotations

import sys
from typing import Any

import typer

from gamebench.errors import DiskError, ExecutorError, GameBenchError, readable, sentence, where

UsageError: type[Any] = typer.BadParameter.__bases__[0]
"""What Typer raises when a command line is wrong; it exports only the most common kind."""


def explain_usage(error: Any, arguments: list[str]) -> int:
    """How the command is used, and in one line what is wrong; the parser quotes whatever was typed as it was."""
    if not arguments:
        error.show()  # which is the help
        return 2
    if error.ctx is not None:
        print(error.ctx.get_usage(), file=sys.stderr)
        print(f"Try '{error.ctx.command_path} --help' for help.\n", file=sys.stderr)
    print(f"Error: {readable(' '.join(error.format_message().split()))}", file=sys.stderr)
    return 2


def explain(error: Exception) -> int:
    """Say what went wrong in a sentence; returns the exit code."""
    if isinstance(error, GameBenchError):
        print(f"Error: {error}", file=sys.stderr)
        return 1 if isinstance(error, DiskError | ExecutorError) else 2
    if isinstance(error, BrokenPipeError):  # whoever was reading has enough
        sys.stdout = None
        return 1
    if isinstance(error, OSError):  # a full disk behind stdout, for instance
        print(f"Error: the output cannot be written: {error.strerror}.", file=sys.stderr)
        sys.stdout = None  # so that Python does not try once more on its way out
        return 1
    if where(error):  # the user's own code raised it
        print(f"Error: {sentence(error)}", file=sys.stderr)
        return 1
    print(f"Error: {sentence(error)} This is a fault in GameBench; --debug shows where.", file=sys.stderr)
    return 1


def interrupted(is_kept: bool) -> int:
    """Say after Ctrl-C whether anything is lost; returns the exit code."""
    kept = " What was done is kept: the same command goes on from there." if is_kept else ""
    print(f"Interrupted.{kept}", file=sys.stderr)
    return 130
