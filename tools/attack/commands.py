"""The command line in a forked process, so that nothing is imported twice, not even by the workers of a sweep."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from tools.attack.limits import end_with

WORKER = "gamebench.experiments.worker"


def import_everything() -> None:
    """Import in advance what commands and workers import, and compile the kernels of small games."""
    import matplotlib.figure  # noqa: F401
    import pandas  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    import typer._adapters  # noqa: F401

    import gamebench as gb
    import gamebench.cli.main
    import gamebench.cli.watcher
    import gamebench.evidence.claims
    import gamebench.experiments.worker
    import gamebench.report.page
    import gamebench.report.table
    import gamebench.testing

    for name in gb.algorithms.ALGORITHMS:
        gb.solve("Kuhn-A", name, 12)
        gb.solve("Kuhn", name, 12)


def gamebench(*arguments: object) -> None:
    """Run the command in this process, and end it."""
    from gamebench.cli.entry import main

    sys.argv = ["gamebench", *map(str, arguments)]
    main()
    sys.exit(0)


def with_forked_workers(
    command: Callable[[], None], in_worker: Callable[[], None] = lambda: None, keep: tuple[int, ...] = ()
) -> None:
    """Run a command whose workers are forks of this process.

    Each worker calls ``in_worker`` first. It has only the open files of a worker, and those in ``keep``.
    """

    class Forking(subprocess.Popen):  # type: ignore[type-arg]  # of whatever the command reads
        """A process whose child becomes a worker without starting a program."""

        def __init__(self, arguments: Any, **options: Any) -> None:
            if WORKER in arguments:
                # Called in the child, once its streams are in place and before a program would start.
                options["preexec_fn"] = lambda: _become_worker(arguments, options["env"], in_worker, keep)
            super().__init__(arguments, **options)

    original, subprocess.Popen = subprocess.Popen, Forking  # type: ignore[misc]
    try:
        command()
    finally:
        subprocess.Popen = original  # type: ignore[misc]


def _become_worker(
    arguments: list[str], variables: dict[str, str], in_worker: Callable[[], None], keep: tuple[int, ...]
) -> None:
    from gamebench.experiments import worker

    for path in list(Path("/proc/self/fd").iterdir()):
        if int(path.name) > 2 and int(path.name) not in (int(arguments[-1]), *keep):
            with suppress(OSError):  # the one that the list was read from
                os.close(int(path.name))
    os.environ.update(variables)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout, sys.stderr = (open(number, "w", closefd=False) for number in (1, 2))  # noqa: SIM115
    sys.argv = arguments[arguments.index(WORKER) :]
    in_worker()
    end_with(worker.main)
