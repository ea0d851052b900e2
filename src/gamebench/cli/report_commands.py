"""``gamebench reproduce``, ``claims``, ``report`` and ``leaderboard``: the paper's results, and any others."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gamebench.choices import TimeAxis
from gamebench.cli.output import Cell, counted, note, print_json, print_standings, print_table, tick
from gamebench.errors import SettingError, StoreError, first_few
from gamebench.experiments.store import Store
from gamebench.files import explained, write_atomically
from gamebench.paper import reproduction
from gamebench.paper.claims import CLAIMS, Decision, Verdict, decide_all
from gamebench.paper.evidence import Evidence, StoreEvidence
from gamebench.paper.experiment_list import RECORDED, Experiment
from gamebench.paper.methods import QUICK, Scale
from gamebench.paper.shipped import ShippedEvidence, field_leaderboard
from gamebench.report.leaderboard import MEDIAN_RULE, TIE_RULE, Leaderboard, leaderboard
from gamebench.report.page import build_page
from gamebench.report.page.payload import Folder
from gamebench.settings import checked, one_of, whole

if TYPE_CHECKING:
    from gamebench.experiments.executors import Executor


def do_reproduce(
    names: list[str], iterations: int | None, seeds: int | None, quick: bool, executor: Executor, out: Path
) -> int:
    """Reproduce experiments one after the other, and return the exit code."""
    experiments, scale = reproduction.chosen_experiments(names), chosen_scale(iterations, seeds, quick)
    evidence = StoreEvidence(Store(out, create=True), scale)
    rows: list[list[Cell]] = []
    code = 0
    for experiment in experiments:
        note(f"{experiment.name}: {experiment.title} ({experiment.where})")
        files, failed = _reproduce(experiment, evidence, executor)
        code = max(code, failed)
        rows.extend([experiment.name, str(file.relative_to(evidence.store.folder))] for file in files)
    tell_damaged(evidence)
    print_table(f"In {out}", ["experiment", "file"], rows)
    return max(code, int(bool(evidence.damaged)))


def chosen_scale(iterations: int | None, seeds: int | None, quick: bool) -> Scale:
    """Return the paper's scale, or the one that the options ask for."""
    if quick and (iterations is not None or seeds is not None):
        raise SettingError("--quick sets the iterations and seeds; give either --quick or --iterations and --seeds.")
    scale = QUICK if quick else Scale()
    return Scale(
        scale.iterations if iterations is None else checked("--iterations", iterations, whole(1)),
        scale.seeds if seeds is None else checked("--seeds", seeds, whole(1)),
    )


def _reproduce(experiment: Experiment, evidence: StoreEvidence, executor: Executor) -> tuple[list[Path], int]:
    """Run what is missing and draw the figures, without failed runs; return the files and the exit code."""
    from gamebench.cli.run_commands import told_failures, watched  # not needed for reports, and heavy
    from gamebench.experiments.perform import Options

    began, folder, scale = time.monotonic(), evidence.store.folder, evidence.scale
    plans = reproduction.plans_of(experiment, evidence)
    before = sum(evidence.store.run(plan.id).is_finished for plan in plans)
    noted = reproduction.noted_scale(folder, experiment)
    if noted not in (None, scale):
        note(f"Figures and numbers of {experiment.name} at another scale ({noted}) are replaced.")
    is_news = before < len(plans) or noted != scale  # looking at old results again is none
    failed, facts = 0, dict[str, Any]()
    if plans:
        facts = {"runs": len(plans), "done before": before}
        if is_news:  # noted now, so that what is there can be shown if this is killed
            reproduction.note_provenance(folder, experiment, scale, **facts)
        outcome = watched(plans, folder, executor, Options())
        failed = told_failures(outcome)
        facts["seconds in algorithms"] = round(sum(record["seconds"] for record in outcome.records.values()), 3)
    files = [file for exhibit in experiment.exhibits for file in reproduction.write_exhibit(exhibit, evidence, tick)]
    tick("")
    if is_news:
        elapsed = round(time.monotonic() - began, 3)
        reproduction.note_provenance(folder, experiment, scale, **facts, **{"seconds elapsed": elapsed})
    return files, failed


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
        holding, failing, undecided = (sum(decision.verdict == kind for decision in decided) for kind in Verdict)
        counts = f"{holding} hold, {failing} fail, {undecided} are undecided"
        note(f"{counts}. gamebench claims --name CLAIM shows the test and every case.")
        if evidence.scale != Scale():
            note(f"Decided on {_about(evidence.scale)} At the paper's scale, 100000 and 3, verdicts may differ.")


def make_report(folders: Sequence[Path], output: Path | None, title: str | None) -> None:
    """Write folders as one page, with the claims if one of them has the paper's experiments."""
    stores = [Store(folder) for folder in folders]
    if output is None and len(stores) > 1:
        output = Path("report.html")
    path = stores[0].folder / "report.html" if output is None else output
    if path.suffix.lower() not in (".html", ".htm"):
        raise StoreError(f"The page is written to a file whose name ends in .html, not to {str(path)!r}.")
    if not path.parent.is_dir():
        raise StoreError(f"There is no folder {str(path.parent)!r} for the page.")
    decisions, notes = _decided(stores)
    claims = [decision.as_dict() for decision in decisions]
    page = build_page(*stores, title=title, output=output, claims=claims, notes=notes)
    with explained(path):
        write_atomically(path, page.encode())
    print(f"{path} ({len(page.encode()) / 1e6:.1f} MB)")


def _decided(stores: Sequence[Store]) -> tuple[list[Decision], list[str]]:
    """Return the claims, decided on the only folder that has the paper's experiments, and a sentence about them."""
    scales = {store: scale for store in stores if (scale := reproduction.scale_of(store.folder)) is not None}
    if not scales:
        return [], []
    if len(scales) > 1:
        return [], ["Claims are not shown, because several folders have the paper's experiments: see each one's page."]
    [(store, scale)] = scales.items()
    evidence = StoreEvidence(store, scale)
    decisions = decide_all(evidence)
    tell_damaged(evidence)
    where = f"In {store.folder.name}, claims" if len(stores) > 1 else "Claims"
    return decisions, [f"{where} are decided on {_about(scale)}"]


def show_leaderboard(folders: Sequence[Path], by: TimeAxis, iterate: str | None, as_json: bool) -> None:
    """Print the leaderboard of these folders, and what does not count in it; without any, that of today's solvers."""
    if not folders:
        chosen = "" if iterate is None else checked("--iterate", iterate, one_of("iterate", *RECORDED))
        print_leaderboard(field_leaderboard(by.column, chosen), as_json)
        return
    if iterate is not None:
        raise SettingError("In a folder every iterate that was recorded has a row of its own; leave out --iterate.")
    read = Folder.read(*map(Store, folders))
    for sentence in (*read.notes, *read.results.about_other_measures("do not count")):
        note(sentence)
    board = leaderboard(read.results.main_contests, by.column)
    if not board.standings:
        lacking = "whose main measure is better the lower it is" if read.results.runs else "to rank"
        where = first_few([repr(str(folder)) for folder in folders])
        raise StoreError(f"In {where} there are no finished runs {lacking}.")
    print_leaderboard(board, as_json)


def print_leaderboard(board: Leaderboard, as_json: bool) -> None:
    """Print the standings: on a terminal in two tables of 80 columns, else in one."""
    if as_json:
        print_json(board.as_dict())
        return
    of_method, *others = board.columns
    of_times = [column for column in others if column.group.split(" ")[0] in ("share", "median")]
    of_ranks = [column for column in others if column not in of_times]
    if sys.stdout.isatty():
        early = f" and after some {board.axis.unit}" if board.budgets else ""
        title = f"Mean ranks over {counted(len(board.games), 'game')}, at the end{early}"
        print_standings(title, [of_method, *of_ranks], board.standings, digits=4)
        print()
        title = f"Share of games solved, and median {board.axis.unit} until then"
        print_standings(title, [of_method, *of_times], board.standings, digits=4)
    else:
        print_standings("", board.columns, board.standings)
    note(f"{TIE_RULE} So ranks and games won differ from those of score tables.")
    if any(math.isinf(goal.time) for row in board.standings for goal in row.reached.values()):
        note(MEDIAN_RULE)
    if any(row.games < len(board.games) for row in board.standings):
        note(f"Not every method was run on all {len(board.games)} games; ranks and shares are over its own games.")
    for game, reason in board.left_out.items():
        note(f"{game} does not count, because {reason}.")


def tell_damaged(evidence: StoreEvidence) -> None:
    """Print a sentence about each run or table that cannot be read."""
    for sentence in evidence.damaged.values():
        note(f"Left out: {sentence}")


def _evidence(folder: Path | None) -> Evidence:
    if folder is None:
        return ShippedEvidence()
    store = Store(folder)
    scale = reproduction.scale_of(store.folder)
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
