"""Claims about other measures: CCEGap and social welfare as what the controller minimises."""

from __future__ import annotations

from collections.abc import Iterator

from gamebench.paper.claims import testing as t
from gamebench.paper.claims.claim import Claim, Quantifier
from gamebench.paper.experiments import (
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

DRS, RS, DGLDS, GLDS, GLD = controllers(CCE_CMD)
ENTROPY, SQUARE, ROOT, EXPONENTIAL, LOGARITHM = divergences(CCE_CMD)
WITHOUT_MAGNET = magnets(CCE_CMD)[1]
HISTORIES = histories(CCE_CMD)
DEFAULT = HISTORIES[2]
BASELINES = SIX[2:]


def claims() -> Iterator[Claim]:
    """All of them."""
    yield from _coarse_correlated()
    yield from _welfare()


def _gap(_: str) -> str:
    return "CCEGap"


def _nash_conv(_: str) -> str:
    return "NashConv"


def _coarse_correlated() -> Iterator[Claim]:
    where, needs = "appendix F.8.1", "cce"
    yield Claim(
        "cce-cmd-sooner-than-mmd-kl",
        "With CCEGap as its objective CMD comes to where MMD-KL ends in fewer iterations.",
        "RQ5 and appendix F.8.1",
        "First k with f_CMD(k) <= f_MMD-KL(K) + 1e-7 is smaller than MMD-KL's own, f being CCEGap of the policy.",
        t.reaches_end_sooner(CCE_CMD, CCE_MMD_KL, _gap),
        CCE_GAMES,
        needs=needs,
    )
    yield Claim(
        "cce-cmd-not-behind",
        "With CCEGap as its objective CMD does at least as well as the other methods.",
        "RQ5",
        "None of GMD, MMD-KL, MMD-EU, CFR and CFR+ is ahead of CMD.",
        t.is_not_behind(CCE_CMD, CCE_BASELINES, _gap),
        CCE_GAMES,
        needs=needs,
    )
    yield Claim(
        "cce-no-history-and-radius-for-all",
        "Different games may need different M and mu under CCEGap as well.",
        where,
        "For each of the six pairs (M, mu): in Kuhn or Goofspiel another is ahead of it.",
        t.is_behind_somewhere(HISTORIES, CCE_GAMES, _gap),
        HISTORIES,
        needs=needs,
    )
    yield Claim(
        "cce-default-is-best",
        "(M, mu) = (3, 0.01) is the best pair under CCEGap.",
        where,
        "None of the six pairs is ahead of (3, 0.01).",
        t.is_not_behind(DEFAULT, HISTORIES, _gap),
        CCE_GAMES,
        needs=needs,
    )
    yield Claim(
        "cce-drs-best-controller",
        "DRS is the best of the five controllers under CCEGap.",
        where,
        "None of RS, DGLDS, GLDS and GLD is ahead of DRS.",
        t.is_not_behind(DRS, (RS, DGLDS, GLDS, GLD), _gap),
        CCE_GAMES,
        needs=needs,
    )
    yield Claim(
        "cce-gld-not-behind-dglds",
        "GLD is on par with or better than DGLDS under CCEGap.",
        where,
        "DGLDS is not ahead of GLD.",
        t.is_not_behind(GLD, (DGLDS,), _gap),
        CCE_GAMES,
        needs=needs,
    )
    yield Claim(
        "cce-gld-like-drs",
        "Under CCEGap DRS and GLD choose similar weights, which differ from DGLDS's.",
        where,
        "d(DRS, GLD) < min(d(DRS, DGLDS), d(GLD, DGLDS)) for each seed, d being the root mean square of the difference "
        "of weights over the points, two to each doubling, at which none of the three has solved the game to 1e-7.",
        t.weights_are_nearer(DRS, GLD, DGLDS, _gap),
        CCE_GAMES,
        needs=needs,
    )
    yield Claim(
        "cce-entropy-good",
        "x ln x is a good choice under CCEGap.",
        where,
        "f(K) with x ln x is at most twice the least of those with x^2, -x^0.1, e^x, or 1e-7.",
        t.is_on_par(ENTROPY, (SQUARE, ROOT, EXPONENTIAL), _gap),
        CCE_GAMES,
        needs=needs,
    )
    for method in (SQUARE, EXPONENTIAL):
        yield Claim(
            f"cce-{'square' if method is SQUARE else 'exponential'}-better-in-goofspiel",
            f"In Goofspiel {method.label} is better than x ln x under CCEGap.",
            where,
            f"{method.label} is ahead of x ln x.",
            t.is_ahead(method, (ENTROPY,), _gap),
            ("Goofspiel",),
            needs=needs,
        )
    yield Claim(
        "cce-magnet-kuhn",
        "In Kuhn CMD is faster than CMD without magnet and MMD-KL under CCEGap.",
        where,
        "CMD is ahead of CMD without magnet and of MMD-KL.",
        t.is_ahead(CCE_CMD, (WITHOUT_MAGNET, CCE_MMD_KL), _gap),
        ("Kuhn",),
        needs=needs,
    )
    yield Claim(
        "cce-magnet-goofspiel",
        "In Goofspiel CMD is faster than MMD-KL, but not than CMD without magnet, under CCEGap.",
        where,
        "CMD without magnet is ahead of CMD, which is ahead of MMD-KL.",
        t.together(t.is_ahead(CCE_CMD, (CCE_MMD_KL,), _gap), t.is_ahead(WITHOUT_MAGNET, (CCE_CMD,), _gap)),
        ("Goofspiel",),
        needs=needs,
    )


def _welfare() -> Iterator[Claim]:
    where, needs = "RQ5 and appendix F.8.2", "welfare"
    yield Claim(
        "welfare-competitive",
        "With welfare as objective CMD or GMD end at a social welfare competitive with the baselines' or better.",
        where,
        "W_CMD(K) >= W - 0.01 |W| or W_GMD(K) >= W - 0.01 |W|, W the best of MMD-KL, MMD-EU, CFR and CFR+ at the end.",
        t.welfare_is_competitive((WELFARE_CMD, GMD), BASELINES),
        WELFARE_GAMES,
        needs=needs,
    )
    yield Claim(
        "welfare-still-equilibrium",
        "In Bargaining and TradeComm CMD converges to a Nash equilibrium although its objective is welfare.",
        where,
        "f(K) <= 1e-3 f(0), f being NashConv.",
        t.becomes_small(FOR_WELFARE, _nash_conv),
        ("Bargaining", "TradeComm"),
        needs=needs,
    )
    yield Claim(
        "welfare-higher-in-battleship",
        "In Battleship CMD with welfare as objective gets a higher (average) welfare.",
        where,
        "W, the mean over seeds of the mean over the points from K/2 on, is above that of GMD, MMD-KL, MMD-EU, CFR, "
        "CFR+ and CMD for NashConv, with the whole of its 99 % confidence interval over seeds (Student's t).",
        t.welfare_is_higher(SWINGING_WELFARE, (*SIX[1:], FOR_NASH)),
        ("Battleship",),
        needs="welfare-dense",
    )
    yield Claim(
        "welfare-no-equilibrium-in-battleship",
        "In Battleship CMD with welfare as objective does not end at a Nash equilibrium.",
        where,
        "f(K) >= 0.1 f(0), f being NashConv.",
        t.ends_large(FOR_WELFARE, _nash_conv),
        ("Battleship",),
        needs=needs,
    )
    yield Claim(
        "nash-objective-faster",
        "In Bargaining and TradeComm CMD converges faster to a Nash equilibrium when NashConv is its objective.",
        where,
        "CMD for NashConv is ahead of CMD for welfare.",
        t.is_ahead(FOR_NASH, (FOR_WELFARE,), _nash_conv),
        ("Bargaining", "TradeComm"),
        Quantifier.EVERY,
        needs,
    )
