"""Entry point of the command ``gamebench``: nothing is imported yet that Ctrl-C could interrupt."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the process was started without: what is printed goes nowhere
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115  (pathlib takes time; open to the end)
    try:
        from gamebench.cli.main import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()
