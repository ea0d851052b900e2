"""The command line: run the benchmarks, publish their results, compare two runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tools import pages

from benchmarks import comparison, record
from benchmarks.figure import scaling_svg
from benchmarks.groups import GROUPS, chosen, findings
from benchmarks.result import Finding, Point
from benchmarks.tables import as_number, as_time, remarks, rows
from gamebench.core.errors import GameBenchError
from gamebench.system.files import write_atomically

WIDTH = 150
"""Width of the table, in characters."""


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
    publishing.add_argument("file", type=Path, nargs="?", help="results (default: the latest complete run)")
    publishing.set_defaults(act=publish)
    checking = commands.add_parser("compare", help="list what became more than 20 %% slower between two saved runs")
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
    """Run the groups, print and save the findings; return 1 if a promise was missed."""
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
    """Write the numbers, the figure and the page from a complete run."""
    source = options.file or record.latest(options.out)
    published = record.read(source)
    if missing := [name for name in GROUPS if name not in published.groups]:
        raise record.RecordError(f"These results lack {', '.join(missing)}; `make bench` makes complete ones.")
    write_atomically(pages.PUBLISHED, record.as_json(published).encode())
    write_atomically(pages.PUBLISHED.with_name("scaling.svg"), scaling_svg(published))
    pages.write("benchmarks")
    print(f"From {source}: {pages.DOCS / 'benchmarks.md'}")
    return 0


def compare(options: argparse.Namespace) -> int:
    """Print what changed; return 1 if something became slower."""
    changes = comparison.compare(record.read(options.old), record.read(options.new))
    print(comparison.report(changes))
    return 1 if changes.slower else 0


def show(finished: record.Record) -> None:
    """Print the table and the remarks below it."""
    from rich.console import Console
    from rich.table import Table

    headings, *body = rows(finished)
    table = Table(*headings)
    for row in body:
        table.add_row(*row)
    console = Console(width=WIDTH)
    console.print(table, markup=False)
    for remark in remarks(finished):
        console.print(remark, markup=False, highlight=False)


def _in_short(finding: Finding) -> str:
    if isinstance(finding, Point):
        return f"{finding.series}, {finding.game}, {finding.histories:,} histories: {as_time(finding.seconds)}"
    name = f"{finding.what}, {finding.game}" if finding.game else finding.what
    missed = "" if finding.holds else " MISSED"
    return f"{name}, {finding.engine}: {as_number(finding.ratio)}{missed}"


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
