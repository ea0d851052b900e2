"""Claims about the six methods (RQ1, RQ2), also with time counted in joint policies and with other step sizes."""

from __future__ import annotations

from functools import partial

from gamebench.evidence.claims import criteria, remarks
from gamebench.evidence.claims.claim import Claim, Quantifier
from gamebench.evidence.experiments import CFR, CFR_PLUS, CMD, GMD, MMD_KL, SIX, matched
from gamebench.evidence.methods import GAMES, games_of
from gamebench.games.catalogue import PAPER_GAMES
from gamebench.games.game import Category

ALONE = games_of(Category.SINGLE_AGENT, Category.COOPERATIVE)
AGAINST = games_of(Category.ZERO_SUM, Category.GENERAL_SUM, Category.MIXED)
SEVERAL_BACK = tuple(game for game in GAMES if PAPER_GAMES[game].history > 1)
MATCHED = matched(MMD_KL)
MATCHED_NOTE = "Matched means MMD-KL with GMD's weights."

_first = partial(Claim, where="RQ2, first takeaway")
_second = partial(Claim, where="RQ2, second takeaway")
_third = partial(Claim, where="RQ2, third takeaway")
_joint = partial(Claim, where="appendix F.3", needs="joint-actions")

ROWS: dict[str, Claim] = {
    "cmd-finds-optimum": Claim(
        "In single-agent and cooperative games, CMD finds an approximately optimal joint policy.",
        criteria.becomes_small(CMD),
        ALONE,
        where="RQ1",
    ),
    "cmd-finds-equilibrium": Claim(
        "In all other games, CMD finds an approximate Nash equilibrium.",
        criteria.becomes_small(CMD),
        AGAINST,
        where="RQ1",
        remark="In Leduc, every seed of CMD reaches 1e-3 f(0), but leaves it again from time to time.",
    ),
    "cmd-sooner-than-mmd-kl": _first(
        "CMD reaches the final value of MMD-KL in fewer iterations.",
        criteria.reaches_end_sooner(CMD, MMD_KL),
        remark=remarks.STEP,
    ),
    "gmd-sooner-than-mmd-kl": _first(
        "In most games, GMD also reaches the final value of MMD-KL in fewer iterations.",
        criteria.reaches_end_sooner(GMD, MMD_KL),
        quantifier=Quantifier.MOST,
        remark=remarks.STEP,
    ),
    "history-makes-gmd-sooner": _first(
        "GMD is faster than MMD-KL because of its history. (Our question: the paper's MMD-KL takes much smaller steps; "
        "here it has GMD's weights, xi = 1/(M+1) and eta = (M+1)/M.)",
        criteria.is_ahead(GMD, (MATCHED,)),
        SEVERAL_BACK,
        quantifier=Quantifier.MOST,
        needs="step-size",
        note=MATCHED_NOTE,
    ),
    "cmd-sooner-than-gmd": _second(
        "The meta-controller accelerates learning: CMD reaches the final value of GMD in fewer iterations.",
        criteria.reaches_end_sooner(CMD, GMD),
    ),
    "cmd-wins-mixed-kuhn": _second(
        "CMD outperforms the baselines in MCCKuhn-A and MCCKuhn-B.",
        criteria.ends_lower(CMD, SIX[1:]),
        ("MCCKuhn-A", "MCCKuhn-B"),
        remark=remarks.TEAMS,
    ),
    "cmd-on-par-elsewhere": _second(
        "In terms of NashConv, CMD is on par with the baselines in all other games.",
        criteria.is_on_par(CMD, SIX[1:]),
        tuple(game for game in AGAINST if not game.startswith("MCCKuhn")),
        remark=f"{remarks.TEAMS} {remarks.LEDUC}",
    ),
    "gmd-stuck-on-leduc": _second(
        "On Leduc, GMD cannot effectively decrease NashConv.", criteria.ends_large(GMD), ("Leduc",)
    ),
    **{
        f"cfr-inferior-to-{name}": _third(
            f"CFR is typically inferior to {method.label} in all games.",
            criteria.is_behind(CFR, (method,)),
            quantifier=Quantifier.ALMOST_ALL,
            remark=remarks.TEAMS,
        )
        for name, method in (("cfr-plus", CFR_PLUS), ("cmd", CMD))
    },
    "cfr-plus-early-then-caught": _third(
        "In most games, CFR+ outperforms CMD over short horizons, but CMD catches up over longer ones.",
        criteria.leads_early(CFR_PLUS, CMD),
        quantifier=Quantifier.MOST,
        note="What counts as short is our reading.",
        remark=f"{remarks.SHORT} {remarks.TEAMS} {remarks.LEDUC}",
    ),
    "joint-policies-change-nothing": _joint(
        "Counted in evaluated joint policies instead of iterations, the conclusions hold: CMD reaches the final value "
        "of MMD-KL with fewer.",
        criteria.reaches_end_sooner(CMD, MMD_KL, axis="policies_evaluated"),
        note="CMD's candidates count.",
    ),
    "joint-policies-cfr-plus": _joint(
        "Counted in evaluated joint policies, CFR+ also outperforms CMD over short horizons, but CMD catches up.",
        criteria.leads_early(CFR_PLUS, CMD, axis="policies_evaluated"),
        quantifier=Quantifier.MOST,
        remark=remarks.SHORT,
    ),
    "mmd-kl-solves-cooperative": Claim(
        "MMD-KL effectively solves cooperative games, so it can find a team's best response.",
        criteria.becomes_small(MMD_KL),
        games_of(Category.COOPERATIVE),
        where="appendix E.3",
    ),
}
