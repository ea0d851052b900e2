"""``gamebench check``: the conformance suite on the command line."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from gamebench.cli.output import Cell, counted, print_json, print_table, tick
from gamebench.errors import GameBenchError, show_if_wanted
from gamebench.testing import ConformanceError, checks_of, checks_of_own


def do_check(names: Sequence[str], as_json: bool) -> int:
    """Check these names, or all that the user registered, and return the exit code."""
    checks = [check for name in names for check in checks_of(name)] if names else checks_of_own()
    if not checks:
        raise GameBenchError("There is nothing of your own to check: give a plug-in with --plugin, or a name.")
    answers: list[str] = []
    for number, check in enumerate(checks, start=1):
        tick(f"{number} of {len(checks)}: {check}")
        try:
            check()
        except ConformanceError as error:
            show_if_wanted(error)
            answers.append(str(error))
        else:
            answers.append("")
    tick("")
    if as_json:
        print_json(
            [
                {"kind": check.kind, "name": check.subject, "check": check.title, "wrong": wrong}
                for check, wrong in zip(checks, answers, strict=True)
            ]
        )
    else:
        rows: list[list[Cell]] = [
            [check.kind, check.subject, check.title, "wrong" if wrong else "ok"]
            for check, wrong in zip(checks, answers, strict=True)
        ]
        print_table("gamebench check", ["kind", "name", "check", ""], rows)
    failures = [wrong for wrong in answers if wrong]
    for wrong in dict.fromkeys(failures):  # one cause may make many checks fail
        print(f"Error: {wrong}", file=sys.stderr)
    print(f"{counted(len(checks), 'check')}, {len(failures)} failed.", file=sys.stderr)
    return 1 if failures else 0
