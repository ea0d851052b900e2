"""``gamebench claims`` and ``gamebench report``: results on the terminal and as a page."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from gamebench.cli.output import Cell, counted, note, print_json, print_table
from gamebench.errors import SettingError, StoreError
from gamebench.experiments.store import Store
from gamebench.files import explained, write_atomically
from gamebench.paper.claims import CLAIMS, Decision, Verdict, decide_all
from gamebench.paper.evidence import Evidence, StoreEvidence
from gamebench.paper.methods import Scale
from gamebench.paper.reproduction import scale_of
from gamebench.paper.shipped import ShippedEvidence
from gamebench.report.page import build_page


def show_claims(folder: Path | None, verdict: Verdict | None, name: str | None, as_json: bool) -> None:
    """Print the claims, decided on a folder of results or on those that come with the package."""
    if name is not None and verdict is not None:
        raise SettingError("--name shows one claim and --verdict a group of them; give one of the two options.")
    evidence = _evidence(folder)
    decided = decide_all(evidence) if name is None else [CLAIMS[name].decide(evidence)]
    shown = [decision for decision in decided if verdict in (None, decision.verdict)]
    if isinstance(evidence, StoreEvidence):
        tell_damaged(evidence)
    if as_json:
        print_json([decision.as_dict() for decision in shown])
    elif name is not None:
        _show_one(shown[0])
    else:
        _print_ledger(shown)
        counts = [f"{sum(decision.verdict == kind for decision in decided)} {kind}" for kind in Verdict]
        note(f"{', '.join(counts)}. gamebench claims --name CLAIM shows the test and every case.")
        if evidence.scale != Scale():
            note(f"Decided on {_about(evidence.scale)} At the paper's scale, 100000 and 3, verdicts may differ.")


def make_report(folder: Path, output: Path | None, title: str | None) -> None:
    """Write a folder as one page, with the claims if it has the paper's experiments."""
    store = Store(folder)
    path = store.folder / "report.html" if output is None else output
    if path.suffix.lower() not in (".html", ".htm"):
        raise StoreError(f"The page is written to a file whose name ends in .html, not to {str(path)!r}.")
    if not path.parent.is_dir():
        raise StoreError(f"There is no folder {str(path.parent)!r} for the page.")
    scale = scale_of(store.folder)
    decisions, notes = list[Decision](), list[str]()
    if scale is not None:
        evidence = StoreEvidence(store, scale)
        decisions, notes = decide_all(evidence), [f"Claims are decided on {_about(scale)}"]
        tell_damaged(evidence)
    page = build_page(
        store, title=title, output=output, claims=[decision.as_dict() for decision in decisions], notes=notes
    )
    with explained(path):
        write_atomically(path, page.encode())
    print(f"{path} ({len(page.encode()) / 1e6:.1f} MB)")


def tell_damaged(evidence: StoreEvidence) -> None:
    """Print a sentence about each run or table that cannot be read."""
    for sentence in evidence.damaged.values():
        note(f"Left out: {sentence}")


def _evidence(folder: Path | None) -> Evidence:
    if folder is None:
        return ShippedEvidence()
    store = Store(folder)
    scale = scale_of(store.folder)
    if scale is None:
        raise StoreError(f"{str(folder)!r} has none of the paper's experiments; gamebench reproduce makes them.")
    return StoreEvidence(store, scale)


def _about(scale: Scale) -> str:
    return f"runs of {scale.iterations} iterations, {counted(scale.seeds, 'seed')} of CMD."


def _print_ledger(decisions: Sequence[Decision]) -> None:
    """Print everything for programs, and for people what fits a line or two."""
    columns = ["claim", "verdict", "true in", "statement", "where", "measured"]
    shown = 4 if sys.stdout.isatty() else 6
    rows: list[list[Cell]] = []
    for decision in decisions:
        claim = decision.claim
        row = [claim.name, str(decision.verdict), decision.share, claim.statement, claim.where, decision.measured]
        rows.append([*row[:shown]])
    print_table("The paper's claims", columns[:shown], rows)


def _show_one(decision: Decision) -> None:
    about = decision.as_dict()
    for key in ("statement", "where", "test", "verdict", "remark", "needs"):
        if about[key]:
            print(f"{key}\t{about[key]}")
    rows: list[list[Cell]] = [
        [finding.case, {True: "true", False: "not true", None: "undecided"}[finding.answer], finding.measured]
        for finding in decision.findings
    ]
    print_table("Cases", ["case", "answer", "measured"], rows)
