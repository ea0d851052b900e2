"""The ledger: every claim of the paper about its experiments, in its order, and a few that ours add.

Claims about how well methods do in mixed games are asked twice: by the paper's measure, which approximates a team's
deviation, and by the exact one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gamebench.games.catalog import CATALOG
from gamebench.games.game import Category
from gamebench.paper.claims import cost_claims, measure_claims
from gamebench.paper.claims import testing as t
from gamebench.paper.claims.claim import Claim, Decision, Quantifier, Test
from gamebench.paper.claims.judging import papers_measure
from gamebench.paper.evidence import Evidence
from gamebench.paper.experiments import (
    CFR,
    CFR_PLUS,
    CMD,
    GMD,
    HEURISTICS,
    MMD_EU,
    MMD_KL,
    SIX,
    controllers,
    divergences,
    histories,
    magnets,
    matched,
    tuned,
)
from gamebench.paper.methods import GAMES, games_of, main_measure_of

EVERY, MOST, SOME = Quantifier.EVERY, Quantifier.MOST, Quantifier.SOME
ALONE = games_of(Category.SINGLE_AGENT, Category.COOPERATIVE)
AGAINST = games_of(Category.ZERO_SUM, Category.GENERAL_SUM, Category.MIXED)
DRS, RS, DGLDS, GLDS, GLD = controllers(CMD)
ENTROPY, SQUARE, ROOT, EXPONENTIAL, LOGARITHM = divergences(CMD)
WITHOUT_MAGNET, INITIAL_MAGNET = magnets(CMD)[1:]
HISTORIES = histories(CMD)
ONE_BACK = tuple(method for method in HISTORIES if method.settings["history"] == 1)
MORE_BACK = tuple(method for method in HISTORIES if method.settings["history"] > 1)


def decide_all(evidence: Evidence) -> list[Decision]:
    """Every claim, decided on what there is."""
    return [claim.decide(evidence) for claim in CLAIMS]


def _claims(
    name: str,
    statement: str,
    where: str,
    formula: str,
    make: Callable[[t.MeasureOf], Test],
    cases: Sequence[Any] = GAMES,
    quantifier: Quantifier = EVERY,
    needs: str = "summary",
    games: Sequence[str] | None = None,
) -> Iterator[Claim]:
    """The claim by the paper's measures and, if any of its games is mixed, by the exact ones.

    ``games`` are those that it is about, if its cases are something else.
    """
    about = cases if games is None else games
    if not any(CATALOG[game].category is Category.MIXED for game in about):
        yield Claim(name, statement, where, formula, make(main_measure_of), cases, quantifier, needs)
        return
    by_papers = f"{formula} In the mixed games f is the paper's approximation."
    yield Claim(name, statement, where, by_papers, make(papers_measure), cases, quantifier, needs)
    exactly = f"{statement} (With exact team deviations.)"
    by_exact = f"{formula} In the mixed games f is exact."
    yield Claim(f"{name}-exact", exactly, where, by_exact, make(main_measure_of), cases, quantifier, needs)


def _summary() -> Iterator[Claim]:
    yield from _claims(
        "cmd-finds-optimum",
        "In single-agent and cooperative games CMD finds an approximately optimal joint policy.",
        "RQ1",
        "f_CMD(K) <= 1e-3 f(0), f being OptGap and f(0) that of the uniform policy.",
        lambda f: t.becomes_small(CMD, f),
        ALONE,
    )
    yield from _claims(
        "cmd-finds-equilibrium",
        "In all other games CMD finds an approximate Nash equilibrium.",
        "RQ1",
        "f_CMD(K) <= 1e-3 f(0), f being NashConv.",
        lambda f: t.becomes_small(CMD, f),
        AGAINST,
    )
    yield from _claims(
        "cmd-sooner-than-mmd-kl",
        "CMD comes to where MMD-KL ends in fewer iterations.",
        "RQ2, first takeaway",
        "First k with f_CMD(k) <= max(f_MMD-KL(K), 1e-7) is smaller than MMD-KL's own.",
        lambda f: t.reaches_end_sooner(CMD, MMD_KL, f),
    )
    yield from _claims(
        "gmd-sooner-than-mmd-kl",
        "In most games GMD, too, comes to where MMD-KL ends in fewer iterations.",
        "RQ2, first takeaway",
        "First k with f_GMD(k) <= max(f_MMD-KL(K), 1e-7) is smaller than MMD-KL's own.",
        lambda f: t.reaches_end_sooner(GMD, MMD_KL, f),
        quantifier=MOST,
    )
    yield from _claims(
        "gmd-sooner-at-the-same-step-size",
        "GMD is sooner than MMD-KL because of its history, and not because of its step size. (Ours to ask: the paper "
        "compares GMD with an MMD-KL of a much smaller step.)",
        "RQ2, first takeaway",
        "First k with f_GMD(k) <= max(f(K), 1e-7), f being that of MMD-KL with xi = 0.5, eta = 2, is smaller than its "
        "own.",
        lambda f: t.reaches_end_sooner(GMD, matched(MMD_KL), f),
        quantifier=MOST,
        needs="step-size",
    )
    yield from _claims(
        "cmd-wins-mixed-kuhn",
        "CMD outperforms the baselines in MCCKuhn-A and MCCKuhn-B.",
        "RQ2, second takeaway",
        "All seeds of CMD end below GMD, MMD-KL, MMD-EU, CFR and CFR+.",
        lambda f: t.ends_lower(CMD, SIX[1:], f),
        ("MCCKuhn-A", "MCCKuhn-B"),
    )
    yield from _claims(
        "cmd-on-par-elsewhere",
        "In terms of NashConv, CMD is on par with the baselines in all other games.",
        "RQ2, second takeaway",
        "f_CMD(K) <= 2 max(1e-7, least f(K) of the baselines).",
        lambda f: t.is_on_par(CMD, SIX[1:], f),
        tuple(game for game in AGAINST if not game.startswith("MCCKuhn")),
    )
    yield from _claims(
        "gmd-stuck-on-leduc",
        "On Leduc GMD cannot decrease NashConv.",
        "RQ2, second takeaway",
        "f_GMD(K) >= 0.1 f(0).",
        lambda f: t.stays_large(GMD, f),
        ("Leduc",),
    )
    yield from _claims(
        "cfr-inferior-to-cfr-plus",
        "CFR is inferior to CFR+ in all games.",
        "RQ2, third takeaway",
        "CFR+ is ahead of CFR.",
        lambda f: t.is_behind(CFR, (CFR_PLUS,), f),
    )
    yield from _claims(
        "cfr-inferior-to-cmd",
        "CFR is inferior to CMD in all games.",
        "RQ2, third takeaway",
        "CMD is ahead of CFR.",
        lambda f: t.is_behind(CFR, (CMD,), f),
    )
    yield from _claims(
        "cfr-plus-early-then-caught",
        "In most games CFR+ outperforms CMD over short horizons, but is caught by CMD over longer ones.",
        "RQ2, third takeaway",
        "f_CFR+(16) < f_CMD(16) and f_CMD(K) <= 2 max(f_CFR+(K), 1e-7).",
        lambda f: t.leads_early_and_is_caught(CFR_PLUS, CMD, f),
        quantifier=MOST,
    )
    yield from _claims(
        "joint-policies-change-nothing",
        "Against joint policies evaluated instead of iterations the conclusions still hold: CMD comes to where MMD-KL "
        "ends with fewer.",
        "appendix F.3",
        "As cmd-sooner-than-mmd-kl, with the joint policies evaluated in the place of k; CMD's candidates count.",
        lambda f: t.reaches_end_sooner(CMD, MMD_KL, f, x="policies_evaluated"),
        needs="joint-actions",
    )


def _controllers() -> Iterator[Claim]:
    needs, where = "controllers", "RQ3 and appendix F.5"
    yield from _claims(
        "drs-best-controller",
        "DRS outperforms the other controllers, in speed or in where it ends, across almost all games.",
        where,
        "DRS is ahead of RS, DGLDS, GLDS and GLD.",
        lambda f: t.is_ahead(DRS, (RS, DGLDS, GLDS, GLD), f),
        quantifier=MOST,
        needs=needs,
    )
    yield from _claims(
        "drs-never-behind",
        "DRS works consistently: no other controller is ahead of it (but GLD in MCCKuhn-A).",
        where,
        "None of RS, DGLDS, GLDS and GLD is ahead of DRS.",
        lambda f: t.is_not_behind(DRS, (RS, DGLDS, GLDS, GLD), f),
        tuple(game for game in GAMES if game != "MCCKuhn-A"),
        needs=needs,
    )
    yield from _claims(
        "drs-ends-lower",
        "In Leduc and MCCKuhn-B DRS ends significantly lower than all other controllers.",
        "appendix F.5",
        "All seeds of DRS end below all of RS, DGLDS, GLDS and GLD.",
        lambda f: t.ends_lower(DRS, (RS, DGLDS, GLDS, GLD), f),
        ("Leduc", "MCCKuhn-B"),
        needs=needs,
    )
    yield from _claims(
        "gld-lower-in-mcckuhn-a",
        "In MCCKuhn-A GLD ends lower than DRS.",
        "appendix F.5",
        "All seeds of GLD end below all of DRS.",
        lambda f: t.ends_lower(GLD, (DRS,), f),
        ("MCCKuhn-A",),
        needs=needs,
    )
    yield from _claims(
        "gld-stuck",
        "GLD cannot decrease NashConv in Battleship, and in Leduc and MCCKuhn-B it ends at a high value.",
        "appendix F.5",
        "f_GLD(K) >= 0.1 f(0).",
        lambda f: t.stays_large(GLD, f),
        ("Battleship", "Leduc", "MCCKuhn-B"),
        needs=needs,
    )
    yield from _claims(
        "two-sided-better",
        "In most games controllers that look both ways (DRS, RS) do better than the others (DGLDS, GLDS, GLD).",
        "appendix F.5",
        "DRS or RS is ahead of DGLDS, GLDS and GLD.",
        lambda f: t.any_of(*(t.is_ahead(method, (DGLDS, GLDS, GLD), f) for method in (DRS, RS))),
        quantifier=MOST,
        needs=needs,
    )
    others = tuple(game for game in GAMES if game != "Leduc")
    for method in (RS, GLDS):
        yield Claim(
            f"{method.label.lower()}-hardly-moves",
            f"In all games but Leduc the weights of {method.label} almost do not change.",
            "appendix F.5",
            "max_k |alpha(k) - alpha(M)| <= 0.05.",
            t.weights_stay(method),
            others,
            needs="alpha",
        )
        yield Claim(
            f"{method.label.lower()}-vanishes-on-leduc",
            f"On Leduc the weights of {method.label} decrease to 0, so that the regularisation vanishes.",
            "appendix F.5",
            "max alpha(K) < 0.05.",
            t.weights_vanish(method),
            ("Leduc",),
            needs="alpha",
        )
        yield from _claims(
            f"{method.label.lower()}-stuck-on-leduc",
            f"{method.label} cannot decrease NashConv on Leduc.",
            "appendix F.5",
            f"f_{method.label}(K) >= 0.1 f(0).",
            lambda f, method=method: t.stays_large(method, f),  # type: ignore[misc]
            ("Leduc",),
            needs=needs,
        )
    yield Claim(
        "drs-like-dglds",
        "In all games DRS and DGLDS choose similar weights, which differ from GLD's.",
        "appendix F.5",
        "d(DRS, DGLDS) < min(d(DRS, GLD), d(DGLDS, GLD)), d being the root mean square of the difference of weights.",
        t.weights_are_nearer(DRS, DGLDS, GLD),
        GAMES,
        needs="alpha",
    )


def _variants() -> Iterator[Claim]:
    yield from _claims(
        "entropy-not-always-best",
        "x ln x is not the best convex function across all games.",
        "RQ4",
        "One of x^2, -x^0.1, e^x is ahead of x ln x.",
        lambda f: t.some_other_is_ahead(ENTROPY, (SQUARE, ROOT, EXPONENTIAL), f),
        quantifier=SOME,
        needs="bregman",
    )
    yield from _claims(
        "entropy-good-everywhere",
        "x ln x is a good choice across all games.",
        "appendix F.6",
        "f(K) with x ln x is at most twice the least of those with x^2, -x^0.1, e^x, or 1e-7.",
        lambda f: t.is_on_par(ENTROPY, (SQUARE, ROOT, EXPONENTIAL), f),
        needs="bregman",
    )
    yield from _claims(
        "square-better-in-six",
        "x^2 is better than x ln x in Kuhn-A, TinyHanabi-B, TinyHanabi-C, Goofspiel, TradeComm and MCCGoofspiel.",
        "appendix F.6",
        "x^2 is ahead of x ln x.",
        lambda f: t.is_ahead(SQUARE, (ENTROPY,), f),
        ("Kuhn-A", "TinyHanabi-B", "TinyHanabi-C", "Goofspiel", "TradeComm", "MCCGoofspiel"),
        needs="bregman",
    )
    yield from _claims(
        "exponential-better-in-mccgoofspiel",
        "In MCCGoofspiel e^x is better than x ln x.",
        "appendix F.6",
        "e^x is ahead of x ln x.",
        lambda f: t.is_ahead(EXPONENTIAL, (ENTROPY,), f),
        ("MCCGoofspiel",),
        needs="bregman",
    )
    yield from _claims(
        "entropy-beats-mmd-kl",
        "Even with x ln x CMD outperforms MMD-KL in MCCKuhn-A and MCCKuhn-B.",
        "appendix F.6",
        "CMD with x ln x is ahead of MMD-KL.",
        lambda f: t.is_ahead(ENTROPY, (MMD_KL,), f),
        ("MCCKuhn-A", "MCCKuhn-B"),
        needs="bregman",
    )
    pairs = tuple((a, b) for place, a in enumerate(HEURISTICS[1:]) for b in HEURISTICS[2 + place :])
    yield from _claims(
        "heuristics-differ",
        "Of the rules for the weights each beats the others in some games and is beaten in others.",
        "appendix F.4",
        "For each pair of GMD, GMD(LD), GMD(ISR): each is ahead of the other in some game.",
        lambda f: t.each_wins_somewhere(GAMES, f),
        pairs,
        needs="heuristics",
        games=GAMES,
    )
    yield from _claims(
        "no-history-and-radius-for-all",
        "Different games may need different M and mu.",
        "appendix F.2",
        "For each of the six pairs (M, mu): in some game another is ahead of it.",
        lambda f: t.is_behind_somewhere(HISTORIES, GAMES, f),
        HISTORIES,
        needs="history-radius",
        games=GAMES,
    )
    yield from _claims(
        "one-back-not-always-best",
        "M = 1 is not always the best choice.",
        "appendix F.2",
        "A pair (M, mu) with M = 3 or 5 is ahead of both with M = 1.",
        lambda f: t.any_of(*(t.is_ahead(more, ONE_BACK, f) for more in MORE_BACK)),
        quantifier=SOME,
        needs="history-radius",
    )
    yield from _claims(
        "one-back-stuck-on-leduc",
        "On Leduc CMD with M = 1 cannot decrease NashConv.",
        "appendix F.2",
        "f(K) >= 0.1 f(0) with M = 1 and both radii.",
        lambda f: t.together(*(t.stays_large(method, f) for method in ONE_BACK)),
        ("Leduc",),
        needs="history-radius",
    )
    yield from _claims(
        "defaults-are-best",
        "The M and mu that the paper uses in each game are the best of the six pairs.",
        "appendix F.2 and table 7",
        "None of the six pairs is ahead of the paper's.",
        lambda f: t.is_not_behind(CMD, HISTORIES, f),
        needs="history-radius",
    )
    yield from _claims(
        "magnet-slower-alone",
        "In single-agent and cooperative games the magnet makes CMD slightly slower.",
        "appendix F.7",
        "CMD without magnet is ahead of CMD.",
        lambda f: t.is_ahead(WITHOUT_MAGNET, (CMD,), f),
        ALONE,
        needs="magnet",
    )
    yield from _claims(
        "diverges-without-magnet",
        "Without the magnet Battleship diverges.",
        "appendix F.7",
        "f(K) > 10 min_k f(k) and f(K) > 1e-3 f(0).",
        lambda f: t.diverges(WITHOUT_MAGNET, f),
        ("Battleship",),
        needs="magnet",
    )
    yield from _claims(
        "high-without-magnet",
        "Without the magnet CMD ends at a high NashConv in Leduc, MCCKuhn-A and MCCKuhn-B.",
        "appendix F.7",
        "f(K) >= 0.1 f(0).",
        lambda f: t.stays_large(WITHOUT_MAGNET, f),
        ("Leduc", "MCCKuhn-A", "MCCKuhn-B"),
        needs="magnet",
    )
    yield from _claims(
        "lower-without-magnet",
        "In MCCGoofspiel CMD ends lower without the magnet.",
        "appendix F.7",
        "All seeds of CMD without magnet end below all of CMD.",
        lambda f: t.ends_lower(WITHOUT_MAGNET, (CMD,), f),
        ("MCCGoofspiel",),
        needs="magnet",
    )
    yield from _claims(
        "magnet-is-the-initial-policy",
        "The magnet is the initial policy. (The published experiments move it; asked here is whether that matters.)",
        "appendices D.2 and F.7",
        "CMD with the initial magnet is on par with CMD: f(K) <= 2 max(f_CMD(K), 1e-7).",
        lambda f: t.is_on_par(INITIAL_MAGNET, (CMD,), f),
        needs="magnet",
    )
    one_back = tuple(game for game in GAMES if game not in _SEVERAL_BACK)
    yield Claim(
        "gmd-differs-from-mmd",
        "With M = 1 GMD should not be confused with MMD, as its update rule is numerical. (Ours: it is MMD-KL with "
        "xi = 0.5, eta = 2; asked here is whether the curves differ.)",
        "appendices D.2 and F.7",
        "max_k |f_GMD(k) - f_MMD-KL(k)| > 1e-9.",
        t.negated(t.same_curve(GMD, matched(MMD_KL), main_measure_of)),
        one_back,
        needs="step-size",
    )
    for method in (MMD_KL, MMD_EU):
        yield from _claims(
            f"cmd-beats-tuned-{method.label.lower()}",
            f"CMD is at least as good as {method.label} when that has the best step size of a grid. (Ours to ask.)",
            "RQ2",
            f"No {method.label} with xi in {{0.1, 0.5, 1}} and eta in {{0.1, 0.5, 2, 10}} is ahead of CMD.",
            lambda f, method=method: t.is_not_behind(CMD, tuned(method).methods, f),  # type: ignore[misc]
            needs="step-size",
        )


_SEVERAL_BACK = ("TinyHanabi-A", "Kuhn", "Leduc", "Goofspiel", "Bargaining")
"""Games in which the paper's GMD looks several policies back."""


CLAIMS: tuple[Claim, ...] = (
    *_summary(),
    *_controllers(),
    *_variants(),
    *measure_claims.claims(),
    *cost_claims.claims(),
)
