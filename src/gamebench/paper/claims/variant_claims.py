"""Claims about variants of CMD: Bregman divergences (RQ4), histories, radii, rules for the weights, magnets, steps."""

from __future__ import annotations

from collections.abc import Iterator

from gamebench.paper.claims import testing as t
from gamebench.paper.claims.asking import ALONE, SOME, by_both_measures
from gamebench.paper.claims.claim import Claim
from gamebench.paper.claims.summary_claims import MATCHED, SEVERAL_BACK
from gamebench.paper.experiments import (
    CMD,
    GMD,
    HEURISTICS,
    MMD_EU,
    MMD_KL,
    divergences,
    histories,
    magnets,
    tuned,
)
from gamebench.paper.methods import GAMES, main_measure_of

ENTROPY, SQUARE, ROOT, EXPONENTIAL, LOGARITHM = divergences(CMD)
WITHOUT_MAGNET, INITIAL_MAGNET = magnets(CMD)[1:]
HISTORIES = histories(CMD)
ONE_BACK = tuple(method for method in HISTORIES if method.settings["history"] == 1)
MORE_BACK = tuple(method for method in HISTORIES if method.settings["history"] > 1)


def claims() -> Iterator[Claim]:
    """All of them."""
    yield from by_both_measures(
        "entropy-not-always-best",
        "x ln x is not the best convex function across all games.",
        "RQ4",
        "One of x^2, -x^0.1, e^x is ahead of x ln x.",
        lambda f: t.some_other_is_ahead(ENTROPY, (SQUARE, ROOT, EXPONENTIAL), f),
        quantifier=SOME,
        needs="bregman",
    )
    yield from by_both_measures(
        "entropy-good-everywhere",
        "x ln x is a good choice across all games.",
        "appendix F.6",
        "f(K) with x ln x is at most twice the least of those with x^2, -x^0.1, e^x, or 1e-7.",
        lambda f: t.is_on_par(ENTROPY, (SQUARE, ROOT, EXPONENTIAL), f),
        needs="bregman",
    )
    yield from by_both_measures(
        "square-better-in-six",
        "x^2 is better than x ln x in Kuhn-A, TinyHanabi-B, TinyHanabi-C, Goofspiel, TradeComm and MCCGoofspiel.",
        "appendix F.6",
        "x^2 is ahead of x ln x.",
        lambda f: t.is_ahead(SQUARE, (ENTROPY,), f),
        ("Kuhn-A", "TinyHanabi-B", "TinyHanabi-C", "Goofspiel", "TradeComm", "MCCGoofspiel"),
        needs="bregman",
    )
    yield from by_both_measures(
        "exponential-better-in-mccgoofspiel",
        "In MCCGoofspiel e^x is better than x ln x.",
        "appendix F.6",
        "e^x is ahead of x ln x.",
        lambda f: t.is_ahead(EXPONENTIAL, (ENTROPY,), f),
        ("MCCGoofspiel",),
        needs="bregman",
    )
    yield from by_both_measures(
        "entropy-beats-mmd-kl",
        "Even with x ln x CMD outperforms MMD-KL in MCCKuhn-A and MCCKuhn-B.",
        "appendix F.6",
        "CMD with x ln x is ahead of MMD-KL.",
        lambda f: t.is_ahead(ENTROPY, (MMD_KL,), f),
        ("MCCKuhn-A", "MCCKuhn-B"),
        needs="bregman",
    )
    pairs = tuple((a, b) for place, a in enumerate(HEURISTICS[1:]) for b in HEURISTICS[2 + place :])
    yield from by_both_measures(
        "heuristics-differ",
        "Of the rules for the weights each beats the others in some games and is beaten in others.",
        "appendix F.4",
        "For each pair of GMD, GMD(LD), GMD(ISR): each is ahead of the other in some game.",
        lambda f: t.each_wins_somewhere(GAMES, f),
        pairs,
        needs="heuristics",
        games=GAMES,
    )
    yield from by_both_measures(
        "no-history-and-radius-for-all",
        "Different games may need different M and mu.",
        "appendix F.2",
        "For each of the six pairs (M, mu): in some game another is ahead of it.",
        lambda f: t.is_behind_somewhere(HISTORIES, GAMES, f),
        HISTORIES,
        needs="history-radius",
        games=GAMES,
    )
    yield from by_both_measures(
        "one-back-not-always-best",
        "M = 1 is not always the best choice.",
        "appendix F.2",
        "A pair (M, mu) with M = 3 or 5 is ahead of both with M = 1.",
        lambda f: t.any_of(*(t.is_ahead(more, ONE_BACK, f) for more in MORE_BACK)),
        quantifier=SOME,
        needs="history-radius",
    )
    yield from by_both_measures(
        "one-back-stuck-on-leduc",
        "On Leduc CMD with M = 1 cannot decrease NashConv.",
        "appendix F.2",
        "f(K) >= f(0)/2 with M = 1 and both radii.",
        lambda f: t.together(*(t.hardly_decreases(method, f) for method in ONE_BACK)),
        ("Leduc",),
        needs="history-radius",
    )
    yield from by_both_measures(
        "one-back-ineffective-on-leduc",
        "CMD with M = 1 is ineffective in solving Leduc.",
        "appendix F.2",
        "f(K) >= 0.1 f(0) with M = 1 and both radii.",
        lambda f: t.together(*(t.ends_large(method, f) for method in ONE_BACK)),
        ("Leduc",),
        needs="history-radius",
    )
    yield from by_both_measures(
        "defaults-are-best",
        "The M and mu that the paper uses in each game are the best of the six pairs.",
        "appendix F.2 and table 7",
        "None of the six pairs is ahead of the paper's.",
        lambda f: t.is_not_behind(CMD, HISTORIES, f),
        needs="history-radius",
    )
    yield from by_both_measures(
        "magnet-slower-alone",
        "In single-agent and cooperative games the magnet can make CMD slower.",
        "appendix F.7",
        "CMD without magnet is ahead of CMD.",
        lambda f: t.is_ahead(WITHOUT_MAGNET, (CMD,), f),
        ALONE,
        SOME,
        "magnet",
    )
    yield from by_both_measures(
        "diverges-without-magnet",
        "Without the magnet Battleship diverges.",
        "appendix F.7",
        "f(K) > 10 min_k f(k) and f(K) > 1e-3 f(0).",
        lambda f: t.diverges(WITHOUT_MAGNET, f),
        ("Battleship",),
        needs="magnet",
    )
    yield from by_both_measures(
        "high-without-magnet",
        "Without the magnet CMD ends at a high NashConv in Leduc, MCCKuhn-A and MCCKuhn-B.",
        "appendix F.7",
        "f(K) >= 0.1 f(0).",
        lambda f: t.ends_large(WITHOUT_MAGNET, f),
        ("Leduc", "MCCKuhn-A", "MCCKuhn-B"),
        needs="magnet",
    )
    yield from by_both_measures(
        "lower-without-magnet",
        "In MCCGoofspiel CMD ends lower without the magnet.",
        "appendix F.7",
        "All seeds of CMD without magnet end below all of CMD.",
        lambda f: t.ends_lower(WITHOUT_MAGNET, (CMD,), f),
        ("MCCGoofspiel",),
        needs="magnet",
    )
    yield from by_both_measures(
        "initial-magnet-is-as-good",
        "It makes no difference that the magnet is the initial policy in the text, and moves in the published "
        "experiments. (Ours to ask.)",
        "appendices D.2 and F.7",
        "CMD with the initial magnet is on par with CMD: f(K) <= 2 max(f_CMD(K), 1e-7).",
        lambda f: t.is_on_par(INITIAL_MAGNET, (CMD,), f),
        needs="magnet",
    )
    yield Claim(
        "gmd-differs-from-mmd",
        "With M = 1 GMD should not be confused with MMD, as its update rule is numerical. (Ours: it is MMD-KL with "
        "xi = 0.5, eta = 2; asked here is whether the curves differ.)",
        "appendices D.2 and F.7",
        "max_k |f_GMD(k) - f_MMD-KL(k)| > 1e-7, f being exact in the mixed games, too.",
        t.for_each(lambda game: t.negated(t.same_curve(GMD, MATCHED.methods[game], main_measure_of))),
        tuple(game for game in GAMES if game not in SEVERAL_BACK),
        needs="step-size",
    )
    for method in (MMD_KL, MMD_EU):
        yield from by_both_measures(
            f"cmd-beats-tuned-{method.label.lower()}",
            f"CMD is at least as good as {method.label} when that has the best step size of a grid. (Ours to ask.)",
            "RQ2",
            f"No {method.label} with xi in {{0.1, 0.5, 1}} and eta in {{0.1, 0.5, 2, 10}} is ahead of CMD.",
            lambda f, method=method: t.is_not_behind(CMD, tuned(method).methods, f),  # type: ignore[misc]  # mypy cannot infer a lambda with a default
            needs="step-size",
        )
