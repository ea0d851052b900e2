"""Write the figures of a long run into the documentation."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from gamebench import __version__
from tools.attack.attack import Tally

DOCS = Path(__file__).parent.parent.parent / "docs"
FIGURES, PAGE = DOCS / "_static" / "attacks.json", DOCS / "reliability.md"
BEGIN, END = "<!-- figures -->\n", "<!-- end of figures -->"
NOTHING = "No long run has been recorded yet.\n"


def record(tallies: list[Tally], count: int | None) -> None:
    """Replace the figures of these attacks, and update the page."""
    figures = json.loads(FIGURES.read_text())
    for tally in tallies:
        name, seed = tally.attack.name, tally.attack.seed
        figures[name] = {
            "command": f"python -m tools.attack {name} --count {count or tally.total} --seed {seed}",
            "attacked": dict(sorted(tally.attacked.items())),
            "held": {target: tally.held[target] for target in sorted(tally.attacked)},
            "minutes": round(tally.seconds / 60, 1),
            "date": datetime.now(UTC).date().isoformat(),
            "version": __version__,
        }
    FIGURES.write_text(json.dumps(dict(sorted(figures.items())), indent=1) + "\n")
    PAGE.write_text(with_figures(PAGE.read_text()))


def with_figures(page: str) -> str:
    """Return the page with the current figures."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{as_table()}\n{END}{after}"


def as_table() -> str:
    """Return a table with a row for each target, and the commands that made the numbers."""
    figures = json.loads(FIGURES.read_text())
    if not figures:
        return NOTHING
    lines = ["| attack | on what | attacks | held |", "|-|-|-:|-:|"]
    for name, entry in figures.items():
        for target, count in entry["attacked"].items():
            lines.append(f"| {name} | {target} | {count} | {entry['held'][target]} |")
        total, held = sum(entry["attacked"].values()), sum(entry["held"].values())
        lines.append(f"| **{name}** | all | **{total}** | **{held}** |")
    lines.append("")
    lines += [
        f"- `{entry['command']}`: {entry['minutes']} minutes, {entry['date']}, version {entry['version']}"
        for entry in figures.values()
    ]
    return "\n".join(lines) + "\n"
