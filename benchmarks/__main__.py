"""Run every benchmark, print the table and keep it in ``benchmarks/results``."""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import experimenting, loading, measuring, responding, solving
from benchmarks.timing import LIMIT, MEMORY, Result
from gamebench import __version__
from gamebench.games.openspiel import open_spiel_version

RESULTS = Path(__file__).parent / "results"
IMPORT_LIMIT = 0.3


def as_time(value: float) -> str:
    """Seconds with a unit that suits them."""
    for limit, factor, unit in ((1e-3, 1e6, "us"), (1.0, 1e3, "ms")):
        if value < limit:
            return f"{value * factor:.3g} {unit}"
    return f"{value:.3g} s"


def main() -> int:
    """Return 1 if a promised ratio was not reached."""
    found: list[Result] = []
    for module in (measuring, responding, loading, solving, experimenting):
        for result in module.results():
            print(f"{result.what} {result.game}: {result.ratio:.3g}", file=sys.stderr)
            found.append(result)
    importing = loading.import_seconds()
    table = Table("what", "game", "ours", "other", "theirs", "ratio", "promised", "")
    for result in found:
        is_limit, form = result.other in (LIMIT, MEMORY), as_time
        if result.other == MEMORY:
            form = "{:.3g} MiB".format
        kind = ("x faster", "at least") if result.speedup else ("of it" if is_limit else "x its cost", "at most")
        ratio, promised = f"{result.ratio:.3g} {kind[0]}", f"{kind[1]} {result.target:g}"
        values = form(result.ours), result.other, form(result.theirs)
        table.add_row(result.what, result.game, *values, ratio, promised, "" if result.holds else "MISSED")
    Console(width=140).print(table)
    for result in found:
        if result.note:
            print(f"{result.what} {result.game}: {result.note}")
    print(f"import gamebench: {as_time(importing)} (promised: under {as_time(IMPORT_LIMIT)})")
    RESULTS.mkdir(exist_ok=True)
    record = {
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "gamebench": __version__,
        "open_spiel": open_spiel_version(),
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "import seconds": importing,
        "results": [{**asdict(result), "ratio": result.ratio, "holds": result.holds} for result in found],
    }
    path = RESULTS / f"{record['date'].replace(':', '')}.json"
    path.write_text(json.dumps(record, indent=2) + "\n")
    print(f"Saved {path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path}")
    return 0 if all(result.holds for result in found) and importing < IMPORT_LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
