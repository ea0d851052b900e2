"""Claims about what iterations cost."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from gamebench.paper.claims import testing as t
from gamebench.paper.claims.asking import MOST
from gamebench.paper.claims.claim import Claim
from gamebench.paper.methods import GAMES
from gamebench.paper.published import COLUMNS, MEGABYTES, SECONDS

UPDATE = "seconds with an update"
NOTABLY = 1.25
"""Times longer; what is less is easily the machine's doing."""


def _papers_ratio(one: str, other: str) -> str:
    """How many times longer the one takes, by the paper's table."""
    ratios = [row[COLUMNS.index(one)] / row[COLUMNS.index(other)] for row in SECONDS.values()]
    return f"{median(ratios):.2g} times, the median of the paper's table"


def claims() -> Iterator[Claim]:
    """All of them."""
    where = "RQ6 and appendix F.9.1"
    yield Claim(
        "iterations-are-short",
        "In most games running all the algorithms takes no long time.",
        where,
        "An iteration takes less than a second with each of the ten methods, also where CMD moves its weights.",
        t.in_table("runtime", UPDATE, COLUMNS, lambda *seconds: max(seconds) < 1.0),
        GAMES,
        MOST,
        "runtime",
    )
    yield Claim(
        "gmd-costs-more-than-mmd-kl",
        f"GMD costs more than MMD-KL, as its dual variable is found numerically ({_papers_ratio('GMD', 'MMD-KL')}).",
        where,
        f"An iteration of GMD takes at least {NOTABLY} times as long as one of MMD-KL.",
        t.in_table("runtime", "seconds", ("GMD", "MMD-KL"), lambda gmd, mmd: gmd >= NOTABLY * mmd),
        GAMES,
        needs="runtime",
    )
    yield Claim(
        "candidates-cost-most",
        f"The major cost of CMD comes from evaluating candidates ({_papers_ratio('DRS', 'GMD')}, against GMD).",
        where,
        "An iteration of CMD (DRS) in which the weights are moved takes at least twice as long as one of GMD.",
        t.in_table("runtime", UPDATE, ("DRS", "GMD"), lambda drs, gmd: drs >= 2 * gmd),
        GAMES,
        needs="runtime",
    )
    yield Claim(
        "two-sided-costs-more",
        f"Controllers that look both ways cost more than those that do not ({_papers_ratio('DRS', 'DGLDS')}).",
        where,
        f"An iteration in which the weights are moved takes at least {NOTABLY} times as long with DRS as with DGLDS.",
        t.in_table("runtime", UPDATE, ("DRS", "DGLDS"), lambda drs, dglds: drs >= NOTABLY * dglds),
        GAMES,
        needs="runtime",
    )
    most = max(max(row) for row in MEGABYTES.values())
    yield Claim(
        "little-memory",
        f"No algorithm needs much memory (at most {most:.0f} MB by the paper's table).",
        "RQ6 and appendix F.9.2",
        "Each of the ten methods holds at most as much.",
        t.in_table("memory", "MB", COLUMNS, lambda *megabytes: max(megabytes) <= most),
        GAMES,
        needs="memory",
    )
