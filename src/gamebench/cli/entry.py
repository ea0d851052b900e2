"""Entry point of ``gamebench``: it handles Ctrl-C while the command line is being imported."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    try:
        from gamebench.cli.main import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()
