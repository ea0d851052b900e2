"""Claims about today's solvers: published orderings, CMD among regret methods, iterates and alternating updates.

They are decided on runs with default hyper-parameters, by exact measures.
"""

from __future__ import annotations

from functools import partial

from gamebench.paper.claims import criteria
from gamebench.paper.claims.claim import All, Claim, Quantifier
from gamebench.paper.experiment_list import ALTERNATING, REGRET_METHODS, of_field
from gamebench.paper.methods import FIELD, GAMES

CFR, CFR_PLUS, LCFR, DCFR, DCFR_PLUS, PCFR_PLUS, SAPCFR_PLUS, APCFR_PLUS, PDCFR_PLUS = REGRET_METHODS
CMD, RTCFR_PLUS, DOMWU, DOGDA = map(of_field, ("CMD", "RTCFR+", "DOMWU", "DOGDA"))
POKER = ("Kuhn-2", "Leduc")
NO_POKER = ("LiarsDice-4", "LiarsDice-5", "LiarsDice-6", "Goofspiel-4", "Goofspiel-5", "Battleship-3")
TWO_PLAYERS = (*POKER, *NO_POKER)
SOON_OPTIMAL = (
    *("Kuhn-A", "Kuhn-B", "Goofspiel-S", "TinyHanabi-B", "TinyHanabi-C"),
    *("Goofspiel", "Bargaining", "TradeComm", "Battleship", "MCCGoofspiel"),
)
PAPERS = "Brown and Sandholm 2019", "Farina, Kroer and Sandholm 2021", "Xu et al. 2024", "Meng et al. 2026"

_field = partial(Claim, needs="field", is_exact=True)
_discounted, _predictive, _both, _asymmetric = (partial(_field, where=paper) for paper in PAPERS)

ROWS: dict[str, Claim] = {
    "field-cfr-plus-ahead-of-cfr": _field(
        "CFR+ is ahead of CFR in two-player zero-sum games.",
        criteria.IsAhead(CFR_PLUS, (CFR,)),
        TWO_PLAYERS,
        where="Tammelin 2014",
    ),
    "field-lcfr-ahead-of-cfr": _discounted(
        "LCFR is ahead of CFR in two-player zero-sum games.", criteria.IsAhead(LCFR, (CFR,)), TWO_PLAYERS
    ),
    "field-dcfr-ahead-on-leduc": _discounted(
        "On Leduc DCFR is ahead of CFR+.", criteria.IsAhead(DCFR, (CFR_PLUS,)), ("Leduc",)
    ),
    "field-dcfr-plus-ahead": _field(
        "DCFR+ is ahead of CFR+ in two-player zero-sum games.",
        criteria.IsAhead(DCFR_PLUS, (CFR_PLUS,)),
        TWO_PLAYERS,
        where="Xu et al. 2022",
    ),
    "field-pcfr-plus-ahead": _predictive(
        "In games other than poker PCFR+ is ahead of CFR+.", criteria.IsAhead(PCFR_PLUS, (CFR_PLUS,)), NO_POKER
    ),
    "field-pcfr-plus-behind-on-poker": _predictive(
        "On Leduc PCFR+ is behind CFR+ and DCFR.",
        All((criteria.IsBehind(PCFR_PLUS, (CFR_PLUS,)), criteria.IsBehind(PCFR_PLUS, (DCFR,)))),
        ("Leduc",),
    ),
    "field-pdcfr-plus-ahead": _both(
        "In games other than poker PDCFR+ is ahead of PCFR+.", criteria.IsAhead(PDCFR_PLUS, (PCFR_PLUS,)), NO_POKER
    ),
    "field-pdcfr-plus-behind-on-poker": _both(
        "On Leduc PDCFR+ is behind DCFR.", criteria.IsBehind(PDCFR_PLUS, (DCFR,)), ("Leduc",)
    ),
    "field-apcfr-plus-ahead": _asymmetric(
        "In most games APCFR+ is ahead of PCFR+.",
        criteria.IsAhead(APCFR_PLUS, (PCFR_PLUS,)),
        TWO_PLAYERS,
        quantifier=Quantifier.MOST,
    ),
    "field-sapcfr-plus-ahead": _asymmetric(
        "In most games SAPCFR+ is ahead of PCFR+.",
        criteria.IsAhead(SAPCFR_PLUS, (PCFR_PLUS,)),
        TWO_PLAYERS,
        quantifier=Quantifier.MOST,
    ),
    **{
        f"field-{name}-last-iterate": _field(
            f"The current policy of {method.label} converges in two-player zero-sum games.",
            criteria.BecomesSmall(method),
            TWO_PLAYERS,
            where=where,
        )
        for name, method, where in (
            ("rtcfr-plus", RTCFR_PLUS, "Meng et al. 2025"),
            ("domwu", DOMWU, "Lee, Kroer and Luo 2021"),
            ("dogda", DOGDA, "Lee, Kroer and Luo 2021"),
        )
    },
    "field-cmd-on-par-with-regret-methods": _field(
        "CMD, which has settings of its own for each of the fifteen games, is on par with the best regret method "
        "without such settings.",
        criteria.IsOnPar(CMD, REGRET_METHODS),
        GAMES,
        where="ours",
    ),
    "field-cmd-on-par-elsewhere": _field(
        "In games that the paper does not have, CMD is on par with the best regret method.",
        criteria.IsOnPar(CMD, REGRET_METHODS),
        tuple(game for game in FIELD if game not in GAMES),
        where="ours",
    ),
    "field-pdcfr-plus-on-par-with-cmd": _field(
        "PDCFR+, with the same settings in all games, is on par with CMD.",
        criteria.IsOnPar(PDCFR_PLUS, (CMD,)),
        FIELD,
        where="ours",
    ),
    **{
        f"field-{name}-soon-optimal": _field(
            f"The current policy of {method.label}, whose updates alternate, is optimal within 100 iterations on ten "
            "of the fifteen games.",
            criteria.SolvesWithin(method),
            SOON_OPTIMAL,
            where="ours",
            iterate="current",
        )
        for name, method in (("cfr", CFR), ("cfr-plus", CFR_PLUS))
    },
    **{
        f"simultaneous-{name}-stuck": Claim(
            f"On MCCGoofspiel {stuck.label.replace(',', ' with')} updates does not leave the symmetric start; with "
            "alternating ones it finds an equilibrium.",
            All((criteria.EndsLarge(stuck), criteria.BecomesSmall(moves))),
            ("MCCGoofspiel",),
            where="ours",
            needs="alternating",
            is_exact=True,
        )
        for name, moves, stuck in zip(("cfr-plus", "mmd-kl", "cmd"), ALTERNATING[::2], ALTERNATING[1::2], strict=True)
    },
}
