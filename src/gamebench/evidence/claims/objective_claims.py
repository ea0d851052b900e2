"""Claims about other objectives (RQ5), CCEGap and social welfare, and about what iterations cost (RQ6)."""

from __future__ import annotations

from functools import partial
from statistics import median

from gamebench.evidence.claims import criteria, remarks
from gamebench.evidence.claims.claim import Claim, Quantifier, all_of
from gamebench.evidence.experiments import (
    CCE_BASELINES,
    CCE_CMD,
    CCE_GAMES,
    CCE_MMD_KL,
    FOR_NASH,
    FOR_WELFARE,
    GMD,
    SIX,
    SWINGING_WELFARE,
    WELFARE_CMD,
    WELFARE_GAMES,
    controllers,
    divergences,
    histories,
    magnets,
)
from gamebench.evidence.methods import GAMES
from gamebench.evidence.tables import PUBLISHED

DRS, RS, DGLDS, GLDS, GLD = CONTROLLERS = controllers(CCE_CMD)
ENTROPY, SQUARE, ROOT, EXPONENTIAL, LOGARITHM = divergences(CCE_CMD)
WITHOUT_MAGNET = magnets(CCE_CMD)[1]
HISTORIES = histories(CCE_CMD)
DEFAULT = HISTORIES[2]
UPDATE = "seconds with an update"
UPDATE_NOTE = "An update is an iteration in which CMD moves its weights."
NOTABLY = 1.25
"""Ratio of times from which one counts as longer; smaller ratios can be due to the machine."""
MOST_MEGABYTES = max(cost.megabytes for cost in PUBLISHED.values())

_cce = partial(Claim, where="appendix F.8.1", cases=CCE_GAMES, needs="cce", measure="CCEGap")
_welfare = partial(Claim, where="RQ5 and appendix F.8.2", needs="welfare", measure="NashConv")
_runtime = partial(Claim, where="RQ6 and appendix F.9.1", needs="runtime")


def _papers_ratio(method: str, rival: str) -> str:
    ratios = [PUBLISHED[game, method].seconds / PUBLISHED[game, rival].seconds for game in GAMES]
    return f"median in the paper's table: {median(ratios):.2g} times"


ROWS: dict[str, Claim] = {
    "cce-cmd-sooner-than-mmd-kl": _cce(
        "With CCEGap as objective, CMD reaches the final value of MMD-KL in fewer iterations.",
        criteria.reaches_end_sooner(CCE_CMD, CCE_MMD_KL),
        where="RQ5 and appendix F.8.1",
        remark=f"{remarks.CCE} {remarks.STEP}",
    ),
    "cce-cmd-not-behind": _cce(
        "With CCEGap as objective, CMD does at least as well as the other methods.",
        criteria.is_not_behind(CCE_CMD, CCE_BASELINES),
        where="RQ5",
    ),
    "cce-no-history-and-radius-for-all": _cce(
        "Also under CCEGap, different games may need different M and mu.",
        criteria.is_behind_somewhere(HISTORIES, CCE_GAMES),
        cases=HISTORIES,
    ),
    "cce-default-is-best": _cce(
        "(M, mu) = (3, 0.01) is the best pair under CCEGap.",
        criteria.is_not_behind(DEFAULT, HISTORIES),
        remark=remarks.CCE,
    ),
    "cce-drs-best-controller": _cce(
        "DRS is the best of the five controllers under CCEGap.",
        criteria.is_not_behind(DRS, CONTROLLERS[1:]),
        remark=f"{remarks.CCE} {remarks.CLIMB}",
    ),
    "cce-gld-not-behind-dglds": _cce(
        "GLD is on par with or better than DGLDS under CCEGap.", criteria.is_not_behind(GLD, (DGLDS,))
    ),
    "cce-gld-like-drs": _cce(
        "Under CCEGap, DRS and GLD choose similar weights, which differ from DGLDS's.",
        criteria.weights_are_nearer(DRS, GLD, DGLDS),
    ),
    "cce-entropy-good": _cce(
        "x ln x is a good choice under CCEGap.", criteria.is_on_par(ENTROPY, (SQUARE, ROOT, EXPONENTIAL))
    ),
    **{
        f"cce-{name}-better-in-goofspiel": _cce(
            f"In Goofspiel, {method.label} is better than x ln x under CCEGap.",
            criteria.is_ahead(method, (ENTROPY,)),
            cases=("Goofspiel",),
        )
        for name, method in (("square", SQUARE), ("exponential", EXPONENTIAL))
    },
    "cce-magnet-kuhn": _cce(
        "Under CCEGap, CMD is faster in Kuhn than MMD-KL and CMD without magnet.",
        criteria.is_ahead(CCE_CMD, (WITHOUT_MAGNET, CCE_MMD_KL)),
        cases=("Kuhn",),
    ),
    "cce-magnet-goofspiel": _cce(
        "Under CCEGap, CMD is faster in Goofspiel than MMD-KL, but not than CMD without magnet.",
        all_of(criteria.is_ahead(CCE_CMD, (CCE_MMD_KL,)), criteria.is_ahead(WITHOUT_MAGNET, (CCE_CMD,))),
        cases=("Goofspiel",),
    ),
    "welfare-competitive": _welfare(
        "With welfare as objective, CMD or GMD ends at a social welfare at least competitive with the baselines'.",
        criteria.ends_as_high((WELFARE_CMD, GMD), SIX[2:]),
        WELFARE_GAMES,
        measure="SocialWelfare",
        remark=remarks.WELFARE,
    ),
    "welfare-still-equilibrium": _welfare(
        "In Bargaining and TradeComm, CMD converges to a Nash equilibrium even with welfare as objective.",
        criteria.becomes_small(FOR_WELFARE),
        ("Bargaining", "TradeComm"),
    ),
    "welfare-higher-in-battleship": _welfare(
        "In Battleship, CMD with welfare as objective reaches a higher (average) welfare.",
        criteria.is_higher_on_average(SWINGING_WELFARE, (*SIX[1:], FOR_NASH)),
        ("Battleship",),
        needs="welfare-dense",
        measure="SocialWelfare",
        remark=remarks.DENSE,
    ),
    "welfare-no-equilibrium-in-battleship": _welfare(
        "In Battleship, CMD with welfare as objective does not end at a Nash equilibrium.",
        criteria.ends_large(FOR_WELFARE),
        ("Battleship",),
        remark="CMD reaches the equilibrium early and leaves it again: the controller follows welfare, not NashConv.",
    ),
    "nash-objective-faster": _welfare(
        "In Bargaining and TradeComm, CMD converges to a Nash equilibrium faster with NashConv as objective.",
        criteria.is_ahead(FOR_NASH, (FOR_WELFARE,)),
        ("Bargaining", "TradeComm"),
        remark=remarks.WELFARE,
    ),
    "iterations-are-short": _runtime(
        "In most games, no algorithm takes long to run.",
        criteria.costs_little("runtime", UPDATE, 1.0),
        quantifier=Quantifier.MOST,
        note=UPDATE_NOTE,
        remark=remarks.TIME,
    ),
    "gmd-costs-more-than-mmd-kl": _runtime(
        f"GMD costs more than MMD-KL, as it finds its dual variable numerically ({_papers_ratio('GMD', 'MMD-KL')}).",
        criteria.costs_more("runtime", "seconds", "GMD", "MMD-KL", NOTABLY),
        remark=remarks.TIME,
    ),
    "candidates-cost-most": _runtime(
        f"The main cost of CMD is evaluating candidates (against GMD, {_papers_ratio('DRS', 'GMD')}).",
        criteria.costs_more("runtime", UPDATE, "DRS", "GMD", 2.0),
        note=UPDATE_NOTE,
    ),
    "two-sided-costs-more": _runtime(
        f"Two-sided controllers cost more than one-sided ones ({_papers_ratio('DRS', 'DGLDS')}).",
        criteria.costs_more("runtime", UPDATE, "DRS", "DGLDS", NOTABLY),
        note=UPDATE_NOTE,
    ),
    "little-memory": Claim(
        f"No algorithm needs much memory (at most {MOST_MEGABYTES:.0f} MB in the paper's table).",
        criteria.costs_little("memory", "MB", MOST_MEGABYTES),
        where="RQ6 and appendix F.9.2",
        needs="memory",
    ),
}
