"""The command line: run the benchmarks, publish their results, compare two runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import comparison, page, record
from benchmarks.groups import GROUPS, chosen, findings
from benchmarks.result import Finding, Point
from benchmarks.tables import all_tables, as_number, as_time
from gamebench.errors import GameBenchError

WIDTH = 150
"""Width of the tables, in characters."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    groups = "\n".join(f"  {name:15}{about}" for name, about in GROUPS.items())
    root = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure speed against OpenSpiel's Python and C++ and LiteEFG, print the ratios and save them.",
        epilog=f"groups:\n{groups}\n\nexit code: 1 if a promise was missed or something became slower, 2 for bad input",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    root.set_defaults(act=run)
    root.add_argument("--only", nargs="+", metavar="NAME", help="run only these groups")
    root.add_argument("--out", type=Path, default=record.RESULTS, metavar="FOLDER", help="where results are saved")
    commands = root.add_subparsers(title="other commands", metavar="")
    publishing = commands.add_parser("publish", help="write docs/benchmarks.md from saved results")
    publishing.add_argument(
        "file", type=Path, nargs="?", help="results; unless given, those of the latest complete run"
    )
    publishing.add_argument("--docs", type=Path, default=page.DOCS, metavar="FOLDER", help="where the page is written")
    publishing.set_defaults(act=publish)
    checking = commands.add_parser("compare", help="say what became slower by more than 20 %% between two saved runs")
    checking.add_argument("old", type=Path, metavar="OLD.json")
    checking.add_argument("new", type=Path, metavar="NEW.json")
    checking.set_defaults(act=compare)
    return root


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code."""
    options = parser().parse_args(arguments)
    try:
        return options.act(options)
    except GameBenchError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2


def run(options: argparse.Namespace) -> int:
    """Run the groups, print and save the tables; return 1 if a promise was missed."""
    names = chosen(options.only)
    recorder, done, collected = record.Recorder.start(), [], []
    try:
        for number, name in enumerate(names, start=1):
            _tell(f"[{number}/{len(names)}] {name}: {GROUPS[name]}")
            with recorder.watching(name):
                for finding in findings(name):
                    _tell(f"  {_in_short(finding)}")
                    collected.append(finding)
            done.append(name)
    finally:  # results from before a failure are kept
        finished = recorder.finish(done, collected)
        if collected:
            path = record.save(finished, options.out)
            show(finished)
            print(f"Saved {path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path}")
    return 0 if finished.holds else 1


def publish(options: argparse.Namespace) -> int:
    """Write the page from saved results."""
    source = options.file or record.latest(options.out)
    written = page.publish(record.read(source), options.docs)
    print(f"From {source}: {', '.join(map(str, written))}")
    return 0


def compare(options: argparse.Namespace) -> int:
    """Print what changed; return 1 if something became slower."""
    changes = comparison.compare(record.read(options.old), record.read(options.new))
    print(comparison.report(changes))
    return 1 if changes.slower else 0


def show(finished: record.Record) -> None:
    """Print the tables."""
    from rich.console import Console
    from rich.table import Table

    console = Console(width=WIDTH)
    for text in all_tables(finished):
        table = Table(*text.headings, title=text.title, title_justify="left")
        for row in text.rows:
            table.add_row(*row)
        console.print(table, markup=False)


def _in_short(finding: Finding) -> str:
    if isinstance(finding, Point):
        return f"{finding.series}, {finding.game}, {finding.histories:,} histories: {as_time(finding.seconds)}"
    name = f"{finding.what}, {finding.game}" if finding.game else finding.what
    missed = "" if finding.holds else " MISSED"
    return f"{name}, {finding.engine}: {as_number(finding.ratio)}{missed}"


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
