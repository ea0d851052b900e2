"""The table of docs/coordination.md: what all methods reach in the mixed games, by the shipped numbers."""

from __future__ import annotations

import re
from pathlib import Path

from gamebench.paper.evidence import Evidence
from gamebench.paper.exhibits import Ends
from gamebench.paper.experiment_list import EXPERIMENTS, MIXED

PAGE = Path(__file__).parent.parent / "docs" / "coordination.md"
BEGIN, END = "<!-- ends -->", "<!-- /ends -->"


def as_markdown(evidence: Evidence) -> str:
    """Return the page with the table of the evidence."""
    table = f"{BEGIN}\n{ends_table(evidence)}\n{END}"
    return re.sub(f"{BEGIN}.*{END}", lambda _: table, PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)


def ends_table(evidence: Evidence) -> str:
    """Return a row for each method: the paper's measure / the exact one / between coordinators, for each game."""
    [exhibit] = [each for each in EXPERIMENTS["teams"].exhibits if isinstance(each, Ends)]
    rows = exhibit.rows(evidence).set_index(["method", "game", "measure"])["median"]

    def shown(method: str, game: str, measure: str) -> str:
        value = float(rows.get((method, game, measure), float("nan")))
        return "-" if value != value else "0" if abs(value) < 5e-13 else f"{value:.0e}"

    lines = [
        "The table has medians over the seeds at the end of the runs: the paper's measure / the exact one / between",
        "coordinators. Values below 5e-13 are shown as 0. Runs of independent members have 100 000 iterations, those",
        "of coordinators 20 000.",
        "",
        f"| method | {' | '.join(MIXED)} |",
        f"|---|{'---|' * len(MIXED)}",
    ]
    for method in exhibit.methods:
        cells = [
            " / ".join(
                (
                    shown(method.label, game, "NashConv(approximate)"),
                    shown(method.label, game, "NashConv"),
                    shown(method.label, f"{game} [coordinated]", "NashConv"),
                )
            )
            for game in MIXED
        ]
        lines.append(f"| {method.label} | {' | '.join(cells)} |")
    return "\n".join(lines)
