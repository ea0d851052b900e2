"""The ledger as a page of the documentation."""

from __future__ import annotations

from collections.abc import Sequence

from gamebench.choices import Verdict
from gamebench.paper.claims.claim import Decision

_HEAD = """# The paper's claims

What the paper says of its experiments, the test that decides it, and what we measured: {iterations:,} iterations,
{seeds} seeds of CMD. This page is written by code from the results that come with the package; no number in it was
typed in. `gamebench claims` prints the same, and `gamebench claims my-folder` decides it on your own runs.

| verdict | claims |
|---|---|
{counts}

How to read it. *f* is the measure along a run, *K* its last iteration. Values within 1e-7 are equal: what is left is
rounding, and the least probability of actions (1e-10). One run is **ahead** of another if it ends below half of where
that ends, or, if neither does, comes to twice the higher of the two ends in half the iterations (unless that is above a
tenth of where they began). One method is ahead of another if every seed is ahead of every seed. Curves have two points
to each doubling of the iterations, so that less cannot be told apart. A curve that falls and rises again over its last
points, those from K/4 on, **swings**, and where it ends is known no better than that. A claim about *all* games fails
with one that contradicts it; *almost all* is four in five, *most* more than half. Where seeds disagree, or the answer
would be another one within the swing of a curve, there is no answer, and a claim that hangs on such a game is
undecided. In the mixed games claims are asked twice: by the paper's approximate NashConv, and by the exact one.
Thresholds are our reading of words such as small, high or early; each test states them.
"""


def as_markdown(decisions: Sequence[Decision], iterations: int, seeds: int) -> str:
    """The whole page."""
    counts = "\n".join(f"| {kind} | {sum(one.verdict == kind for one in decisions)} |" for kind in Verdict)
    parts = [_HEAD.format(iterations=iterations, seeds=seeds, counts=counts)]
    parts.extend(_entry(decision) for decision in decisions)
    return "\n".join(parts)


def _entry(decision: Decision) -> str:
    claim, about = decision.claim, decision.as_dict()
    return (
        f"## {claim.name}: {decision.verdict}\n\n"
        f"{_plain(claim.statement)} ({claim.where})\n\n"
        f"- Test: {_plain(about['test'])}\n"
        f"- Measured: {_plain(decision.measured)}\n"
        + (f"- Remark: {_plain(claim.remark)}\n" if claim.remark else "")
        + f"- Runs: `gamebench reproduce {claim.needs}`\n"
    )


def _plain(text: str) -> str:
    """The text without anything that Markdown would take for its own."""
    return "".join(f"\\{one}" if one in "\\`*_{}[]<>|$^" else one for one in text)
