"""A record as a page of the documentation."""

from __future__ import annotations

from pathlib import Path

from benchmarks import published, tables
from benchmarks.figure import scaling_svg
from benchmarks.groups import GROUPS
from benchmarks.record import ROOT, Record, RecordError, as_json
from gamebench.files import explained, write_atomically

DOCS = ROOT / "docs"
PICTURES = Path("_static") / "bench"
"""Folder, in the documentation, of the figure and the numbers."""
_HEAD = """# Benchmarks

Speed against OpenSpiel's Python and C++ and against LiteEFG, measured in one run on one machine, each engine on one
thread. What computes is timed by the processor, so that it depends little on what else runs; starts of programs, sweeps
and stores by the clock. The engines take turns, and what is repeated is given by its median. Before they are timed they
must find the same numbers ([below](#checked-before-timing-and-remarks)). `python -m benchmarks publish` writes this
page from a saved run (`docs/_static/bench/results.json`); no number in it was typed in, except those that
[LiteEFG's authors](#liteefgs-own-times) report.

```sh
make bench                                       # all of it, 20 to 60 minutes; saved in benchmarks/results
. .venv/bin/activate
python -m benchmarks --only solving              # some of it: --help lists the groups
python -m benchmarks publish                     # this page, from the latest complete run
python -m benchmarks compare OLD.json NEW.json   # what became slower by more than 20 %
```

LiteEFG is compared with where it is installed: `pip install ".[bench]"`. Since machines differ, `compare` divides our
times by how much slower or faster the other engines were in the same two runs; it ends with exit code 1 if something of
ours became slower.
"""
_RATIOS = """Ratio of their time to ours, with their time in brackets. CFR and CFR+ update alternately, as in OpenSpiel;
LiteEFG's CFR updates all players at once, which has rows of its own. Loading is compared with what the others do before
their first iteration. A cell is empty where an engine has nothing of the kind, or would need minutes.
"""
_DIFFERENT = f"""{tables.DIFFERENT} Not the same algorithm: OpenSpiel's Python descends over the sequence form with
dilated entropy, ours and LiteEFG's at each decision point.
"""
_LITE_EFG = f"""An iteration of CFR with simultaneous updates takes LiteEFG longer here than its authors report. Its
[README]({published.SOURCE}) gives the time of {published.ITERATIONS:,} iterations on another machine
({published.MACHINE}), in round numbers, and does not say for which version, with how many threads, whether the
average policy was kept, or whether suits count in its Leduc, whose time stands beside both kinds. "Here" is this run:
LiteEFG's `baselines.CFR` on the game that it reads from OpenSpiel, on one thread, with the average policy. The first
ratio is of the same work on the same machine. The second divides their time on their machine by ours on [this
one](#where-the-numbers-come-from), so it compares machines as well as programs.
"""
_SOLVERS = """What an iteration costs as a multiple of CFR+, with its time in brackets. Own PCFR+ is
written with `gb.RegretMinimiser`, as users would do it, and compared with the built-in one. Here the best of many short
turns counts instead of the median: the differences are small, and whatever else the processor does only adds time.
"""
_COSTS = """What is compared with our own CFR, with a bare walk of the tree, with a mixed-integer program or with a
limit; and what was promised. MISSED says that it was not kept in this run.
"""
_LARGE = """What [large games](large-games.md) take, by the clock on the wall: loading with several worker processes and
from the cache; an iteration of CFR with threads, also beside another program that needs a core, and with the game
divided among processes of a Ray cluster on this machine; memory.
"""
_SCALING = """![Microseconds per iteration against histories](_static/bench/scaling.svg)

Lines are power laws, fitted by least squares of the logarithms. A slope of 1 is time in proportion to the size of the
game.
"""


def as_markdown(record: Record) -> str:
    """Return the page, which depends on nothing but the record."""
    ratios, (costs, large) = tables.ratios(record), tables.costs(record)
    is_different = any(tables.DIFFERENT in cell for row in ratios.rows for cell in row)
    parts = [
        _HEAD,
        _section(ratios, _RATIOS, _DIFFERENT if is_different else ""),
        _section(tables.lite_efg_published(record), _LITE_EFG),
        _section(tables.solvers(record), _SOLVERS),
        _section(tables.scaling(record), _SCALING),
        _section(large, _LARGE),
        _section(costs, _COSTS),
        _section(tables.checks(record), ""),
        _provenance(record),
    ]
    return "\n".join(part for part in parts if part)


def publish(record: Record, docs: Path = DOCS) -> list[Path]:
    """Write the page, the figure and the numbers of a complete run, and return their paths."""
    missing = [name for name in GROUPS if name not in record.groups]
    if missing:
        raise RecordError(f"These results lack {', '.join(missing)}; `make bench` makes complete ones.")
    folder = docs / PICTURES
    files = {docs / "benchmarks.md": as_markdown(record).encode(), folder / "results.json": as_json(record).encode()}
    if record.points:
        files[folder / "scaling.svg"] = scaling_svg(record)
    with explained(docs):
        folder.mkdir(parents=True, exist_ok=True)
        for path, content in files.items():
            write_atomically(path, content)
    return list(files)


def _section(table: tables.Text, before: str, after: str = "") -> str:
    if not table.rows:
        return ""
    lines = [table.headings, ("---",) * len(table.headings), *table.rows]
    rows = "\n".join(f"| {' | '.join(map(_plain, row))} |" for row in lines)
    parts = f"## {table.title}", before.strip(), rows, after.strip()
    return "\n\n".join(part for part in parts if part) + "\n"


def _provenance(record: Record) -> str:
    names = {
        "gamebench": "GameBench",
        "open_spiel": "OpenSpiel",
        "LiteEFG": "LiteEFG",
        "numpy": "NumPy",
        "numba": "Numba",
        "scipy": "SciPy",
        "python": "Python",
    }
    lines = [f"{name} {record.versions[package]}" for package, name in names.items() if package in record.versions]
    about, load = record.machine, record.load
    stolen = ", ".join(f"{group} {share:.0%}" for group, share in record.stolen.items())
    return "\n".join(
        [
            "## Where the numbers come from\n",
            f"- {record.date}, {record.minutes:.1f} minutes; groups: {', '.join(record.groups)}",
            f"- {', '.join(lines)}",
            f"- commit {record.commit or 'unknown: this was no checkout'}",
            f"- {about['processor']}, {about['cores']} cores, {about['system']}, {about['architecture']}",
            f"- load of the machine {load[0]:.2f} before and {load[1]:.2f} at the end: 0 before and 1 at the end is a "
            "machine that does nothing else",
            *([f"- of the time wanted, the processor spent on other virtual machines: {stolen}"] if stolen else []),
            "",
        ]
    )


def _plain(text: str) -> str:
    """Return the text with Markdown's special characters escaped."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>|$^" else char for char in text) if text != "---" else text
