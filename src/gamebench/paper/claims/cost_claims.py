"""Claims about what iterations cost."""

from __future__ import annotations

from collections.abc import Iterator

from gamebench.paper.claims import testing as t
from gamebench.paper.claims.claim import Claim, Quantifier
from gamebench.paper.methods import GAMES

UPDATE = "seconds with an update"


def claims() -> Iterator[Claim]:
    """All of them."""
    yield Claim(
        "iterations-are-short",
        "In most games an iteration takes no long time, even of CMD.",
        "RQ6 and appendix F.9.1",
        "An iteration of CMD (DRS) in which the weights are moved takes less than a second.",
        t.in_table("runtime", UPDATE, "DRS", lambda a, _: a < 1.0),
        GAMES,
        Quantifier.MOST,
        "runtime",
    )
    yield Claim(
        "gmd-costs-more-than-mmd-kl",
        "GMD costs more than MMD-KL, as its dual variable is found numerically. (The paper: 10 times.)",
        "appendix F.9.1",
        "seconds of GMD >= 2 seconds of MMD-KL.",
        t.in_table("runtime", "seconds", "GMD", lambda a, b: a >= 2 * b, "MMD-KL"),
        GAMES,
        needs="runtime",
    )
    yield Claim(
        "candidates-cost-most",
        "The major cost of CMD comes from evaluating candidates.",
        "appendix F.9.1",
        "An iteration of CMD (DRS) in which the weights are moved takes at least twice that of GMD.",
        t.in_table("runtime", UPDATE, "DRS", lambda a, b: a >= 2 * b, "GMD"),
        GAMES,
        needs="runtime",
    )
    yield Claim(
        "two-sided-costs-more",
        "Controllers that look both ways cost more than those that do not. (The paper's table: 1.7 times.)",
        "appendix F.9.1",
        "An iteration in which the weights are moved takes longer with DRS than with DGLDS.",
        t.in_table("runtime", UPDATE, "DRS", lambda a, b: a > b, "DGLDS"),
        GAMES,
        Quantifier.MOST,
        "runtime",
    )
    yield Claim(
        "little-memory",
        "No algorithm needs much memory. (The paper: at most 59 MB.)",
        "RQ6 and appendix F.9.2",
        "CMD (DRS) holds at most 60 MB.",
        t.in_table("memory", "MB", "DRS", lambda a, _: a <= 60.0),
        GAMES,
        needs="memory",
    )
