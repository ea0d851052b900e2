"""Messages and exit codes for commands that fail."""

from __future__ import annotations

import sys
from typing import Any

import typer

from gamebench.errors import DiskError, ExecutorError, GameBenchError, readable, sentence, where

UsageError: type[Any] = typer.BadParameter.__bases__[0]
"""Typer's error for a wrong command line, of which it exports only the most common kind."""


def explain_usage(error: Any, arguments: list[str]) -> int:
    """Print the usage and one line about what is wrong, whatever was typed; return the exit code."""
    if not arguments:
        error.show()  # which is the help
        return 2
    if error.ctx is not None:
        print(error.ctx.get_usage(), file=sys.stderr)
        print(f"Try '{error.ctx.command_path} --help' for help.\n", file=sys.stderr)
    print(f"Error: {readable(' '.join(error.format_message().split()))}", file=sys.stderr)
    return 2


def explain(error: Exception) -> int:
    """Print what went wrong in one sentence; return the exit code."""
    if isinstance(error, GameBenchError):
        print(f"Error: {error}", file=sys.stderr)
        return 1 if isinstance(error, DiskError | ExecutorError) else 2
    if isinstance(error, BrokenPipeError):  # the reader has enough
        sys.stdout = None
        return 1
    if isinstance(error, OSError):  # a full disk behind stdout, for instance
        print(f"Error: the output cannot be written: {error.strerror}.", file=sys.stderr)
        sys.stdout = None  # so that Python does not try again when it exits
        return 1
    if where(error):  # the user's own code raised it
        print(f"Error: {sentence(error)}", file=sys.stderr)
        return 1
    print(f"Error: {sentence(error)} This is a fault in GameBench; --debug shows where.", file=sys.stderr)
    return 1


def interrupted(is_kept: bool) -> int:
    """Print after Ctrl-C whether anything is kept; return the exit code."""
    kept = " What was done is kept: the same command goes on from there." if is_kept else ""
    print(f"Interrupted.{kept}", file=sys.stderr)
    return 130
