"""Claims about today's solvers: published orderings, CMD among regret methods, iterates and alternating updates.

They are tested on runs with default hyper-parameters, by exact measures.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from gamebench.evidence.claims import criteria
from gamebench.evidence.claims.claim import Claim, Quantifier, all_of
from gamebench.evidence.experiments import ALTERNATING, CRD, FIELD_METHODS, REGRET_METHODS, of_field
from gamebench.evidence.methods import FIELD, GAMES, Method

CFR, CFR_PLUS, LCFR, DCFR, DCFR_PLUS, PCFR_PLUS, SAPCFR_PLUS, APCFR_PLUS, PDCFR_PLUS = REGRET_METHODS
CMD, CMD_SR, RTCFR_PLUS, DOMWU, DOGDA = map(of_field, ("CMD", "CMD(SR)", "RTCFR+", "DOMWU", "DOGDA"))
POKER = ("Kuhn-2", "Leduc")
NO_POKER = ("LiarsDice-4", "LiarsDice-5", "LiarsDice-6", "Goofspiel-4", "Goofspiel-5", "Battleship-3")
TWO_PLAYERS = (*POKER, *NO_POKER)
SOON_OPTIMAL = (
    *("Kuhn-A", "Kuhn-B", "Goofspiel-S", "TinyHanabi-B", "TinyHanabi-C"),
    *("Goofspiel", "Bargaining", "TradeComm", "Battleship", "MCCGoofspiel"),
)
BROWN, FARINA, XU, MENG = (
    *("Brown and Sandholm 2019", "Farina, Kroer and Sandholm 2021"),
    *("Xu et al. 2024", "Meng et al. 2026"),
)
SHORT = "The papers show hundreds to thousands of iterations."
_field = partial(Claim, needs="field", is_exact=True)


class Ordering(NamedTuple):
    """One method ahead of another, as a paper says."""

    name: str
    method: Method
    rival: Method
    games: tuple[str, ...]
    where: str
    quantifier: Quantifier = Quantifier.EVERY


ORDERINGS = (
    Ordering("cfr-plus", CFR_PLUS, CFR, TWO_PLAYERS, "Tammelin 2014"),
    Ordering("lcfr", LCFR, CFR, TWO_PLAYERS, BROWN),
    Ordering("dcfr-leduc", DCFR, CFR_PLUS, ("Leduc",), BROWN),
    Ordering("dcfr-plus", DCFR_PLUS, CFR_PLUS, TWO_PLAYERS, "Xu et al. 2022"),
    Ordering("pcfr-plus", PCFR_PLUS, CFR_PLUS, NO_POKER, FARINA),
    Ordering("pcfr-plus-leduc", CFR_PLUS, PCFR_PLUS, ("Leduc",), FARINA),
    Ordering("pcfr-plus-leduc-dcfr", DCFR, PCFR_PLUS, ("Leduc",), FARINA),
    Ordering("pdcfr-plus", PDCFR_PLUS, PCFR_PLUS, NO_POKER, XU),
    Ordering("pdcfr-plus-leduc", DCFR, PDCFR_PLUS, ("Leduc",), XU),
    Ordering("apcfr-plus", APCFR_PLUS, PCFR_PLUS, TWO_PLAYERS, MENG, Quantifier.MOST),
    Ordering("sapcfr-plus", SAPCFR_PLUS, PCFR_PLUS, TWO_PLAYERS, MENG, Quantifier.MOST),
)


def _orderings() -> Iterator[tuple[str, Claim]]:
    """Yield each ordering twice: after about a thousand iterations, as papers show it, and at the end of our runs."""
    in_words = {TWO_PLAYERS: "in two-player zero-sum games", NO_POKER: "in games other than poker"}
    for name, method, rival, games, where, quantifier in ORDERINGS:
        place = in_words.get(games, f"on {', '.join(games)}")
        place = place.replace("in ", "in most ", 1) if quantifier is Quantifier.MOST else place
        claim = partial(_field, cases=games, where=where, quantifier=quantifier)
        statement = f"{method.label} is ahead of {rival.label} {place}, {{}}."
        early, late = criteria.stays_lower(method, rival), criteria.is_ahead(method, (rival,))
        yield f"field-{name}", claim(statement.format("after about 1000 iterations"), early, note=SHORT)
        yield f"field-{name}-late", claim(statement.format("in the long run"), late)


ROWS: dict[str, Claim] = {
    **dict(_orderings()),
    **{
        f"field-{name}-last-iterate": _field(
            f"The current policy of {method.label} converges in two-player zero-sum games.",
            criteria.becomes_small(method),
            TWO_PLAYERS,
            where=where,
        )
        for name, method, where in (
            ("rtcfr-plus", RTCFR_PLUS, "Meng et al. 2025"),
            ("domwu", DOMWU, "Lee, Kroer and Luo 2021"),
            ("dogda", DOGDA, "Lee, Kroer and Luo 2021"),
        )
    },
    "field-cmd-on-par": _field(
        "CMD, with its own settings for each of the fifteen games, is on par with the best regret method, which has "
        "the same settings in all of them.",
        criteria.is_on_par(CMD, REGRET_METHODS),
        GAMES,
        where="ours",
    ),
    "field-cmd-on-par-elsewhere": _field(
        "In games that are not in the paper, CMD is on par with the best regret method.",
        criteria.is_on_par(CMD, REGRET_METHODS),
        tuple(game for game in FIELD if game not in GAMES),
        where="ours",
    ),
    "field-pdcfr-plus-on-par": _field(
        "PDCFR+, with the same settings in all games, is on par with CMD.",
        criteria.is_on_par(PDCFR_PLUS, (CMD,)),
        FIELD,
        where="ours",
    ),
    "field-crd-on-par": _field(
        "CRD, with the same settings in all games, is on par with the best other method of each game.",
        criteria.is_on_par(CRD, tuple(method for method in FIELD_METHODS if method != CRD)),
        FIELD,
        where="ours",
    ),
    "field-cmd-sr-on-par": _field(
        "CMD(SR), with the same settings in all games, is on par with CMD.",
        criteria.is_on_par(CMD_SR, (CMD,)),
        FIELD,
        where="ours",
    ),
    **{
        f"field-{name}-soon-optimal": _field(
            f"The current policy of {method.label} (alternating) is optimal within 100 iterations on ten of the "
            "fifteen games.",
            criteria.solves_within(method),
            SOON_OPTIMAL,
            where="ours",
            iterate="current",
        )
        for name, method in (("cfr", CFR), ("cfr-plus", CFR_PLUS))
    },
    **{
        f"simultaneous-{name}-stuck": Claim(
            f"On MCCGoofspiel, {stuck.label.replace(',', ' with')} updates stays at the symmetric start; with "
            "alternating updates it finds an equilibrium.",
            all_of(criteria.ends_large(stuck), criteria.becomes_small(moves)),
            ("MCCGoofspiel",),
            where="ours",
            needs="alternating",
            is_exact=True,
        )
        for name, moves, stuck in zip(("cfr-plus", "mmd-kl", "cmd"), ALTERNATING[::2], ALTERNATING[1::2], strict=True)
    },
}
