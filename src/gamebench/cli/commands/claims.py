"""``gamebench claims``: which claims of the paper hold."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.completion import names_in
from gamebench.cli.output import Cell, about_scale, note, print_json, print_table, tell_damaged
from gamebench.core.choices import Verdict
from gamebench.core.errors import SettingError, StoreError

if TYPE_CHECKING:
    from gamebench.evidence.claims import Decision
    from gamebench.evidence.runs import Evidence


@command(
    "gamebench claims",
    "gamebench claims --verdict fails",
    "gamebench claims --name drs-best-controller",
    "gamebench claims my-results --json",
)
def claims_command(
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="DIR", help="Folder that gamebench reproduce wrote (default: the results that come with GameBench)."
        ),
    ] = None,
    verdict: Annotated[Verdict | None, typer.Option(help="Show only claims with this verdict.")] = None,
    name: Annotated[
        str | None,
        typer.Option(
            metavar="CLAIM",
            help="Show this claim only, with all its cases.",
            autocompletion=names_in("gamebench.evidence.claims", "CLAIMS"),
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Show which claims of the paper hold. Each is decided by a test, and shown with the measured numbers."""
    from gamebench.evidence.claims import CLAIMS, decide_all
    from gamebench.evidence.methods import Scale
    from gamebench.evidence.runs import StoreEvidence

    if name is not None and verdict is not None:
        raise SettingError("--name shows one claim and --verdict a group of them; use only one of the options.")
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
        holding, failing, undecided = (sum(decision.verdict == kind for decision in decided) for kind in Verdict)
        counts = f"{holding} hold, {failing} fail, {undecided} are undecided"
        note(f"{counts}. gamebench claims --name CLAIM shows the test and every case.")
        if evidence.scale != Scale():
            note(f"Tested on {about_scale(evidence.scale)} At the paper's scale, verdicts may differ.")


def _evidence(folder: Path | None) -> Evidence:
    from gamebench.evidence.reproduction import scale_of
    from gamebench.evidence.runs import StoreEvidence
    from gamebench.evidence.shipped import ShippedEvidence
    from gamebench.experiments.store import Store

    if folder is None:
        return ShippedEvidence()
    store = Store(folder)
    scale = scale_of(store.folder)
    if scale is None:
        raise StoreError(f"{str(folder)!r} has none of the paper's experiments; gamebench reproduce runs them.")
    return StoreEvidence(store, scale)


def _print_ledger(decisions: Sequence[Decision]) -> None:
    """Print all columns for programs; on a terminal, those that fit a line or two."""
    columns = ["claim", "verdict", "true in", "statement", "where", "measured"]
    shown = 4 if sys.stdout.isatty() else 6
    claims = [(decision, decision.claim) for decision in decisions]
    rows = [[c.name, str(d.verdict), d.share, c.statement, c.where, d.measured][:shown] for d, c in claims]
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
