"""The ledger as a page of the documentation."""

from __future__ import annotations

from collections.abc import Sequence

from gamebench.paper.claims.claim import Decision, Verdict

_HEAD = """# The paper's claims

Every empirical statement of the paper, the test that decides it, and what we measured: {iterations:,} iterations,
{seeds} seeds of CMD. This page is written by code from the results that come with the package; nothing in it was typed
in. `gamebench claims` prints the same, and `gamebench claims my-folder` decides it on your own runs.

| verdict | claims |
|---|---|
{counts}

How to read it. *f* is the measure along a run, *K* its last iteration. Values below 1e-7 are equal: what is left is
rounding, and the least probability of actions (1e-10). *a* is **ahead** of *b* if all of its seeds end below half of
where b's end, or, if neither does, come to twice the higher of the two ends sooner. A claim about *every* game fails
with one that contradicts it; one about *most* needs more than half. Where seeds disagree there is no answer, and a
claim that hangs on such a game is undecided. In the mixed games claims are asked twice: by the paper's approximate
NashConv, and by the exact one.
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
        f"- Runs: `gamebench reproduce {claim.needs}`\n"
    )


def _plain(text: str) -> str:
    """The text without anything that Markdown would take for its own."""
    return "".join(f"\\{one}" if one in "\\`*_{}[]<>|$^" else one for one in text)
