"""Entry point of the command ``gamebench``: nothing is imported yet that Ctrl-C could interrupt."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    try:
        from gamebench.cli.main import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()
