"""Claims about variants of CMD: controllers (RQ3), divergences (RQ4), histories, rules, magnets and step sizes."""

from __future__ import annotations

from functools import partial
from itertools import combinations

from gamebench.evidence.claims import criteria, remarks
from gamebench.evidence.claims.claim import Claim, Quantifier, all_of, any_of, in_game
from gamebench.evidence.claims.method_claims import ALONE, MATCHED, MATCHED_NOTE, SEVERAL_BACK
from gamebench.evidence.experiments import (
    CMD,
    GMD,
    HEURISTICS,
    MMD_EU,
    MMD_KL,
    REGULARISATIONS,
    STEP_SIZES,
    controllers,
    divergences,
    histories,
    magnets,
    tuned,
)
from gamebench.evidence.methods import GAMES

DRS, RS, DGLDS, GLDS, GLD = CONTROLLERS = controllers(CMD)
ENTROPY, SQUARE, ROOT, EXPONENTIAL, LOGARITHM = divergences(CMD)
WITHOUT_MAGNET, INITIAL_MAGNET = magnets(CMD)[1:]
HISTORIES = histories(CMD)
ONE_BACK = tuple(method for method in HISTORIES if method.settings["history"] == 1)
MORE_BACK = tuple(method for method in HISTORIES if method.settings["history"] > 1)
HALF = 0.5
"""A measure that ends above this fraction of its initial value counts as not decreased."""
GRID = " and ".join(
    f"{name} in {{{', '.join(f'{value:g}' for value in values)}}}"
    for name, values in (("xi", REGULARISATIONS), ("eta", STEP_SIZES))
)

_controllers = partial(Claim, where="appendix F.5", needs="controllers", remark=remarks.CLIMB)
_weights = partial(Claim, where="appendix F.5", needs="alpha")
_bregman = partial(Claim, where="appendix F.6", needs="bregman")
_history = partial(Claim, where="appendix F.2", needs="history-radius")
_magnet = partial(Claim, where="appendix F.7", needs="magnet")

ROWS: dict[str, Claim] = {
    "drs-best-controller": _controllers(
        "DRS outperforms the other controllers, in speed or final value, across almost all games.",
        criteria.is_ahead(DRS, CONTROLLERS[1:]),
        where="RQ3 and appendix F.5",
        quantifier=Quantifier.ALMOST_ALL,
    ),
    "drs-never-behind": _controllers(
        "DRS works consistently: no other controller is ahead of it (except GLD in MCCKuhn-A).",
        criteria.is_not_behind(DRS, CONTROLLERS[1:]),
        tuple(game for game in GAMES if game != "MCCKuhn-A"),
        where="RQ3 and appendix F.5",
    ),
    "drs-ends-lower": _controllers(
        "In Leduc and MCCKuhn-B, DRS ends significantly lower than all other controllers.",
        criteria.ends_lower(DRS, CONTROLLERS[1:], share=0.5),
        ("Leduc", "MCCKuhn-B"),
    ),
    "gld-lower-in-mcckuhn-a": _controllers(
        "In MCCKuhn-A, GLD ends lower than DRS.", criteria.ends_lower(GLD, (DRS,)), ("MCCKuhn-A",), remark=remarks.GLD
    ),
    "gld-stuck": _controllers(
        "GLD cannot decrease NashConv in Battleship, and ends at a high value in Leduc and MCCKuhn-B.",
        in_game("Battleship", criteria.ends_large(GLD, HALF), elsewhere=criteria.ends_large(GLD)),
        ("Battleship", "Leduc", "MCCKuhn-B"),
        remark=remarks.GLD,
    ),
    "two-sided-better": _controllers(
        "In most games, two-sided controllers (DRS, RS) do better than the others (DGLDS, GLDS, GLD).",
        any_of(*(criteria.is_ahead(method, (DGLDS, GLDS, GLD)) for method in (DRS, RS))),
        quantifier=Quantifier.MOST,
    ),
    **{
        f"{method.label.lower()}-{name}": claim
        for method in (RS, GLDS)
        for name, claim in {
            "hardly-moves": _weights(
                f"In all games but Leduc, the weights of {method.label} hardly change.",
                criteria.weights_stay(method),
                tuple(game for game in GAMES if game != "Leduc"),
            ),
            "vanishes-on-leduc": _weights(
                f"On Leduc, the weights of {method.label} decrease to 0, so the regularisation vanishes.",
                criteria.weights_vanish(method),
                ("Leduc",),
                remark=remarks.CLIMB,
            ),
            "stuck-on-leduc": _controllers(
                f"{method.label} cannot decrease NashConv on Leduc.", criteria.ends_large(method, HALF), ("Leduc",)
            ),
        }.items()
    },
    "drs-like-dglds": _weights(
        "In all games, DRS and DGLDS choose similar weights, which differ from GLD's.",
        criteria.weights_are_nearer(DRS, DGLDS, GLD),
        exact_twin=False,
        remark="The published script does not save the weights, so the paper's figures cannot come from it.",
    ),
    "entropy-not-always-best": _bregman(
        "x ln x is not the best convex function across all games.",
        criteria.is_behind(ENTROPY, (SQUARE, ROOT, EXPONENTIAL)),
        where="RQ4",
        quantifier=Quantifier.SOME,
        remark=remarks.ROOT,
    ),
    "entropy-good-everywhere": _bregman(
        "x ln x is a good choice across all games.",
        criteria.is_on_par(ENTROPY, (SQUARE, ROOT, EXPONENTIAL)),
        remark=remarks.ROOT,
    ),
    "square-better-in-six": _bregman(
        "x^2 is better than x ln x in Kuhn-A, TinyHanabi-B, TinyHanabi-C, Goofspiel, TradeComm and MCCGoofspiel.",
        criteria.is_ahead(SQUARE, (ENTROPY,)),
        ("Kuhn-A", "TinyHanabi-B", "TinyHanabi-C", "Goofspiel", "TradeComm", "MCCGoofspiel"),
        remark="The authors' code loads TinyHanabi-A under the names of B and C.",
    ),
    "exponential-better-in-mccgoofspiel": _bregman(
        "In MCCGoofspiel, e^x is better than x ln x.", criteria.is_ahead(EXPONENTIAL, (ENTROPY,)), ("MCCGoofspiel",)
    ),
    "entropy-beats-mmd-kl": _bregman(
        "Even with x ln x, CMD outperforms MMD-KL in MCCKuhn-A and MCCKuhn-B.",
        criteria.is_ahead(ENTROPY, (MMD_KL,)),
        ("MCCKuhn-A", "MCCKuhn-B"),
    ),
    "heuristics-differ": Claim(
        "Each rule for the weights beats the others in some games and loses to them in others.",
        criteria.each_wins_somewhere(GAMES),
        tuple(combinations(HEURISTICS[1:], 2)),
        where="appendix F.4",
        needs="heuristics",
    ),
    "no-history-and-radius-for-all": _history(
        "Different games may need different M and mu.", criteria.is_behind_somewhere(HISTORIES, GAMES), HISTORIES
    ),
    "one-back-not-always-best": _history(
        "M = 1 is not always the best choice.",
        any_of(*(criteria.is_ahead(method, ONE_BACK) for method in MORE_BACK)),
        quantifier=Quantifier.SOME,
    ),
    "one-back-stuck-on-leduc": _history(
        "On Leduc, CMD with M = 1 cannot decrease NashConv.",
        all_of(*(criteria.ends_large(method, HALF) for method in ONE_BACK)),
        ("Leduc",),
        remark="NashConv decreases, but by less than a factor of ten: see one-back-ineffective-on-leduc.",
    ),
    "one-back-ineffective-on-leduc": _history(
        "CMD with M = 1 is ineffective in solving Leduc.",
        all_of(*(criteria.ends_large(method) for method in ONE_BACK)),
        ("Leduc",),
    ),
    "defaults-are-best": _history(
        "In each game, the paper's M and mu are the best of the six pairs.",
        criteria.is_not_behind(CMD, HISTORIES),
        where="appendix F.2 and table 7",
    ),
    "magnet-slower-alone": _magnet(
        "In single-agent and cooperative games, the magnet can make CMD slower.",
        criteria.is_ahead(WITHOUT_MAGNET, (CMD,)),
        ALONE,
        quantifier=Quantifier.SOME,
    ),
    "diverges-without-magnet": _magnet(
        "Without the magnet, CMD diverges on Battleship.", criteria.diverges(WITHOUT_MAGNET), ("Battleship",)
    ),
    "high-without-magnet": _magnet(
        "Without the magnet, CMD ends at a high NashConv in Leduc, MCCKuhn-A and MCCKuhn-B.",
        criteria.ends_large(WITHOUT_MAGNET),
        ("Leduc", "MCCKuhn-A", "MCCKuhn-B"),
    ),
    "lower-without-magnet": _magnet(
        "In MCCGoofspiel, CMD ends lower without the magnet.",
        criteria.ends_lower(WITHOUT_MAGNET, (CMD,)),
        ("MCCGoofspiel",),
    ),
    "initial-magnet-is-as-good": _magnet(
        "It makes no difference whether the magnet is the initial policy, as in the text, or moves, as in the "
        "experiments. (Our question.)",
        criteria.is_on_par(INITIAL_MAGNET, (CMD,)),
        where="appendices D.2 and F.7",
        remark=remarks.MAGNET,
    ),
    "gmd-differs-from-mmd": Claim(
        "With M = 1, GMD should not be confused with MMD, as its update rule is numerical. (We ask whether its curves "
        "differ from those of MMD-KL with xi = 0.5, eta = 2.)",
        criteria.curves_differ(GMD, MATCHED),
        tuple(game for game in GAMES if game not in SEVERAL_BACK),
        where="appendices D.2 and F.7",
        needs="step-size",
        is_exact=True,
        note=MATCHED_NOTE,
    ),
    **{
        f"cmd-beats-tuned-{method.label.lower()}": Claim(
            f"CMD is at least as good as {method.label} with the best step size of a grid. (Our question.)",
            criteria.is_not_behind(CMD, (tuned(method),)),
            where="RQ2",
            needs="step-size",
            note=f"Tuned means any {method.label} with {GRID}.",
        )
        for method in (MMD_KL, MMD_EU)
    },
}
