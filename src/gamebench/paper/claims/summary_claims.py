"""Claims about the six methods: RQ1, RQ2, and the same against joint policies evaluated."""

from __future__ import annotations

from collections.abc import Iterator

from gamebench.games.catalog import CATALOG
from gamebench.games.game import Category
from gamebench.paper.claims import testing as t
from gamebench.paper.claims.asking import AGAINST, ALMOST_ALL, ALONE, MOST, by_both_measures
from gamebench.paper.claims.claim import Claim
from gamebench.paper.experiments import CFR, CFR_PLUS, CMD, GMD, MMD_KL, SIX, matched
from gamebench.paper.methods import GAMES, games_of

MATCHED = matched(MMD_KL)
SEVERAL_BACK = tuple(game for game in GAMES if CATALOG[game].history > 1)


def claims() -> Iterator[Claim]:
    """All of them."""
    yield from by_both_measures(
        "cmd-finds-optimum",
        "In single-agent and cooperative games CMD finds an approximately optimal joint policy.",
        "RQ1",
        "f_CMD(K) <= 1e-3 f(0), f being OptGap and f(0) that of the uniform policy.",
        lambda f: t.becomes_small(CMD, f),
        ALONE,
    )
    yield from by_both_measures(
        "cmd-finds-equilibrium",
        "In all other games CMD finds an approximate Nash equilibrium.",
        "RQ1",
        "f_CMD(K) <= 1e-3 f(0), f being NashConv.",
        lambda f: t.becomes_small(CMD, f),
        AGAINST,
    )
    yield from by_both_measures(
        "cmd-sooner-than-mmd-kl",
        "CMD comes to where MMD-KL ends in fewer iterations.",
        "RQ2, first takeaway",
        "First k with f_CMD(k) <= f_MMD-KL(K) + 1e-7 is smaller than MMD-KL's own.",
        lambda f: t.reaches_end_sooner(CMD, MMD_KL, f),
    )
    yield from by_both_measures(
        "gmd-sooner-than-mmd-kl",
        "In most games GMD, too, comes to where MMD-KL ends in fewer iterations.",
        "RQ2, first takeaway",
        "First k with f_GMD(k) <= f_MMD-KL(K) + 1e-7 is smaller than MMD-KL's own.",
        lambda f: t.reaches_end_sooner(GMD, MMD_KL, f),
        quantifier=MOST,
    )
    yield from by_both_measures(
        "history-makes-gmd-sooner",
        "It is its history that makes GMD sooner than MMD-KL. (Ours to ask: the paper compares GMD with an MMD-KL of a "
        "much smaller step; here MMD-KL has GMD's weights, xi = 1/(M+1) and eta = (M+1)/M.)",
        "RQ2, first takeaway",
        "GMD is ahead of MMD-KL with GMD's weights.",
        lambda f: t.for_each(lambda game: t.is_ahead(GMD, (MATCHED.methods[game],), f)),
        SEVERAL_BACK,
        MOST,
        "step-size",
    )
    yield from by_both_measures(
        "cmd-sooner-than-gmd",
        "The meta-controller accelerates learning: CMD comes to where GMD ends in fewer iterations.",
        "RQ2, second takeaway",
        "First k with f_CMD(k) <= f_GMD(K) + 1e-7 is smaller than GMD's own.",
        lambda f: t.reaches_end_sooner(CMD, GMD, f),
    )
    yield from by_both_measures(
        "cmd-wins-mixed-kuhn",
        "CMD outperforms the baselines in MCCKuhn-A and MCCKuhn-B.",
        "RQ2, second takeaway",
        "All seeds of CMD end below GMD, MMD-KL, MMD-EU, CFR and CFR+.",
        lambda f: t.ends_lower(CMD, SIX[1:], f),
        ("MCCKuhn-A", "MCCKuhn-B"),
    )
    yield from by_both_measures(
        "cmd-on-par-elsewhere",
        "In terms of NashConv, CMD is on par with the baselines in all other games.",
        "RQ2, second takeaway",
        "f_CMD(K) <= 2 max(1e-7, least f(K) of the baselines).",
        lambda f: t.is_on_par(CMD, SIX[1:], f),
        tuple(game for game in AGAINST if not game.startswith("MCCKuhn")),
    )
    yield from by_both_measures(
        "gmd-stuck-on-leduc",
        "On Leduc GMD cannot effectively decrease NashConv.",
        "RQ2, second takeaway",
        "f_GMD(K) >= 0.1 f(0), a decrease by less than a factor of ten.",
        lambda f: t.ends_large(GMD, f),
        ("Leduc",),
    )
    yield from by_both_measures(
        "cfr-inferior-to-cfr-plus",
        "CFR is typically inferior to CFR+ in all games.",
        "RQ2, third takeaway",
        "CFR+ is ahead of CFR.",
        lambda f: t.is_behind(CFR, (CFR_PLUS,), f),
        quantifier=ALMOST_ALL,
    )
    yield from by_both_measures(
        "cfr-inferior-to-cmd",
        "CFR is typically inferior to CMD in all games.",
        "RQ2, third takeaway",
        "CMD is ahead of CFR.",
        lambda f: t.is_behind(CFR, (CMD,), f),
        quantifier=ALMOST_ALL,
    )
    yield from by_both_measures(
        "cfr-plus-early-then-caught",
        "In most games CFR+ outperforms CMD over short horizons, but is caught by CMD over longer ones.",
        "RQ2, third takeaway",
        "f_CFR+(16) < f_CMD(16) and f_CMD(K) <= 2 max(f_CFR+(K), 1e-7). (That 16 iterations are short is our reading.)",
        lambda f: t.leads_early_and_is_caught(CFR_PLUS, CMD, f),
        quantifier=MOST,
    )
    yield from by_both_measures(
        "joint-policies-change-nothing",
        "Against joint policies evaluated instead of iterations the conclusions still hold: CMD comes to where MMD-KL "
        "ends with fewer.",
        "appendix F.3",
        "As cmd-sooner-than-mmd-kl, with the joint policies evaluated in the place of k; CMD's candidates count.",
        lambda f: t.reaches_end_sooner(CMD, MMD_KL, f, x="policies_evaluated"),
        needs="joint-actions",
    )
    yield from by_both_measures(
        "joint-policies-cfr-plus",
        "Against joint policies evaluated it still holds that CFR+ outperforms CMD over short horizons, but is caught.",
        "appendix F.3",
        "As cfr-plus-early-then-caught, with the joint policies evaluated in the place of k.",
        lambda f: t.leads_early_and_is_caught(CFR_PLUS, CMD, f, x="policies_evaluated"),
        quantifier=MOST,
        needs="joint-actions",
    )
    yield from by_both_measures(
        "mmd-kl-solves-cooperative",
        "MMD-KL effectively solves cooperative games, which is why a team's best response can be found with it.",
        "appendix E.3",
        "f_MMD-KL(K) <= 1e-3 f(0), f being OptGap.",
        lambda f: t.becomes_small(MMD_KL, f),
        games_of(Category.COOPERATIVE),
    )
