"""``gamebench report``: write results to an HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.output import about_scale, tell_damaged
from gamebench.core.errors import StoreError

if TYPE_CHECKING:
    from gamebench.experiments.store import Store


@command(
    "gamebench report my-results",
    "gamebench report my-results --output page.html --title Mine",
    "gamebench report my-results other-results",
)
def report_command(
    folders: options.Folders = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE.html",
            help="File to write (default: DIR/report.html, or ./report.html for several folders).",
        ),
    ] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Title at the top of the page.")] = None,
    plugin: options.Plugins = None,
) -> None:
    """Write results to an HTML page, one file that works offline."""
    from gamebench.experiments.store import Store
    from gamebench.report.page import build_page
    from gamebench.system.files import explained, write_atomically

    stores = [Store(folder) for folder in folders or [options.OUT]]
    if output is None and len(stores) > 1:
        output = Path("report.html")
    path = stores[0].folder / "report.html" if output is None else output
    if path.suffix.lower() not in (".html", ".htm"):
        raise StoreError(f"The name of the output file must end in .html; got {str(path)!r}.")
    if not path.parent.is_dir():
        raise StoreError(f"There is no folder {str(path.parent)!r} for the page.")
    claims, notes = _decided(stores)
    page = build_page(*stores, title=title, output=output, claims=claims, notes=notes)
    with explained(path):
        write_atomically(path, page.encode())
    print(f"{path} ({len(page.encode()) / 1e6:.1f} MB)")


def _decided(stores: Sequence[Store]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the claims, tested on the one folder that holds the paper's experiments, and a note about them."""
    from gamebench.evidence.claims import decide_all
    from gamebench.evidence.reproduction import scale_of
    from gamebench.evidence.runs import StoreEvidence

    scales = {store: scale for store in stores if (scale := scale_of(store.folder)) is not None}
    if not scales:
        return [], []
    if len(scales) > 1:
        return [], [
            "Claims are not shown, because several folders have the paper's experiments: write a page for each."
        ]
    [(store, scale)] = scales.items()
    evidence = StoreEvidence(store, scale)
    claims = [decision.as_dict() for decision in decide_all(evidence)]
    tell_damaged(evidence)
    where = f"In {store.folder.name}, claims" if len(stores) > 1 else "Claims"
    return claims, [f"{where} are tested on {about_scale(scale)}"]
