"""The paper's claims, with their verdicts, as a page of the documentation."""

from __future__ import annotations

from collections.abc import Sequence

from gamebench.paper.claims.claim import ALMOST, Decision, Verdict, in_words
from gamebench.paper.claims.definitions import FACTOR, LARGE, SOONER, TAIL
from gamebench.report.tracks import TIE

_HEAD = """# The paper's claims

This page lists what the paper says about its experiments, and after that what other papers and we say about [today's
field](field.md); for each claim, the test that decides it, and what we measured over {iterations:,} iterations with
{seeds} seeds of CMD (fewer iterations on large games of the field). It is written by code from the results that come
with the package; no number was typed in. `gamebench claims` prints the same, and `gamebench claims my-folder` decides
the claims on your own runs.

| verdict | claims |
|---|---|
{counts}

How to read the tests. *f* is the measure along a run, *K* its last iteration, and *alpha* the weights; a test is about
every seed. Values within {tie} are equal: such differences are rounding, or come from the least probability that every
action has (1e-10). One run is **ahead** of another, which is then **behind**, if it ends below 1/{factor} of where the
other ends, or, if neither ends that much lower, if the other takes at least {sooner} times as many iterations to reach
{factor} times the higher of the two ends (unless this level is above {large} f(0)). Curves have two points per doubling
of the iterations, so smaller differences cannot be told apart. One method is ahead of another if every seed is ahead of
every seed of the other. A curve **swings** if it both rises and falls over its last points, those from {tail} K on; its
end is then known only to within that swing.

A claim about *all* games fails if one game contradicts it; *almost all* is at least {almost:.0%} of them, *most* more
than half. Where seeds disagree, or the answer changes within the swing of a curve, there is no answer, and a claim that
depends on such a game is undecided. Claims about mixed games are tested twice: by the paper's approximate NashConv, and
by the exact one. Thresholds are our reading of words such as small, high or early; each test states them.
"""


def as_markdown(decisions: Sequence[Decision], iterations: int, seeds: int) -> str:
    """Return the whole page."""
    counts = "\n".join(f"| {kind} | {sum(decision.verdict == kind for decision in decisions)} |" for kind in Verdict)
    thresholds = {"tie": TIE, "factor": FACTOR, "sooner": SOONER, "large": LARGE, "tail": TAIL}
    words = {name: in_words(value) for name, value in thresholds.items()}
    head = _HEAD.format(iterations=iterations, seeds=seeds, counts=counts, almost=ALMOST, **words)
    return "\n".join([head, *map(_entry, decisions)])


def _entry(decision: Decision) -> str:
    claim = decision.claim
    return (
        f"## {claim.name}: {decision.verdict}\n\n"
        f"{plain(claim.statement)} ({claim.where})\n\n"
        f"- Test: {plain(decision.as_dict()['test'])}\n"
        f"- Measured: {plain(decision.measured)}\n"
        + (f"- Remark: {plain(claim.remark)}\n" if claim.remark else "")
        + f"- Runs: `gamebench reproduce {claim.needs}`\n"
    )


def plain(text: str) -> str:
    """Escape everything that has a meaning in Markdown."""
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]<>|$^" else letter for letter in text)
