"""Claims about meta-controllers and the weights that they choose: RQ3."""

from __future__ import annotations

from collections.abc import Iterator

from gamebench.paper.claims import testing as t
from gamebench.paper.claims.asking import ALMOST_ALL, MOST, by_both_measures
from gamebench.paper.claims.claim import Claim
from gamebench.paper.claims.judging import papers_measure
from gamebench.paper.experiments import CMD, controllers
from gamebench.paper.methods import GAMES

DRS, RS, DGLDS, GLDS, GLD = controllers(CMD)


def claims() -> Iterator[Claim]:
    """All of them."""
    needs, where = "controllers", "RQ3 and appendix F.5"
    yield from by_both_measures(
        "drs-best-controller",
        "DRS outperforms the other controllers, in speed or in where it ends, across almost all games.",
        where,
        "DRS is ahead of RS, DGLDS, GLDS and GLD.",
        lambda f: t.is_ahead(DRS, (RS, DGLDS, GLDS, GLD), f),
        quantifier=ALMOST_ALL,
        needs=needs,
    )
    yield from by_both_measures(
        "drs-never-behind",
        "DRS works consistently: no other controller is ahead of it (but GLD in MCCKuhn-A).",
        where,
        "None of RS, DGLDS, GLDS and GLD is ahead of DRS.",
        lambda f: t.is_not_behind(DRS, (RS, DGLDS, GLDS, GLD), f),
        tuple(game for game in GAMES if game != "MCCKuhn-A"),
        needs=needs,
    )
    yield from by_both_measures(
        "drs-ends-lower",
        "In Leduc and MCCKuhn-B DRS ends significantly lower than all other controllers.",
        "appendix F.5",
        "All seeds of DRS end below half of all of RS, DGLDS, GLDS and GLD.",
        lambda f: t.ends_lower(DRS, (RS, DGLDS, GLDS, GLD), f, factor=2.0),
        ("Leduc", "MCCKuhn-B"),
        needs=needs,
    )
    yield from by_both_measures(
        "gld-lower-in-mcckuhn-a",
        "In MCCKuhn-A GLD ends lower than DRS.",
        "appendix F.5",
        "All seeds of GLD end below all of DRS.",
        lambda f: t.ends_lower(GLD, (DRS,), f),
        ("MCCKuhn-A",),
        needs=needs,
    )
    yield from by_both_measures(
        "gld-stuck",
        "GLD cannot decrease NashConv in Battleship, and in Leduc and MCCKuhn-B it ends at a high value.",
        "appendix F.5",
        "f_GLD(K) >= f(0)/2 in Battleship, f_GLD(K) >= 0.1 f(0) in the others.",
        lambda f: t.for_each(lambda game: (t.hardly_decreases if game == "Battleship" else t.ends_large)(GLD, f)),
        ("Battleship", "Leduc", "MCCKuhn-B"),
        needs=needs,
    )
    yield from by_both_measures(
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
        yield from by_both_measures(
            f"{method.label.lower()}-stuck-on-leduc",
            f"{method.label} cannot decrease NashConv on Leduc.",
            "appendix F.5",
            f"f_{method.label}(K) >= f(0)/2.",
            lambda f, method=method: t.hardly_decreases(method, f),  # type: ignore[misc]  # mypy cannot infer a lambda with a default
            ("Leduc",),
            needs=needs,
        )
    yield Claim(
        "drs-like-dglds",
        "In all games DRS and DGLDS choose similar weights, which differ from GLD's.",
        "appendix F.5",
        "d(DRS, DGLDS) < min(d(DRS, GLD), d(DGLDS, GLD)) for each seed, d being the root mean square of the difference "
        "of weights over the points, two to each doubling, at which none of the three has solved the game to 1e-7.",
        t.weights_are_nearer(DRS, DGLDS, GLD, papers_measure),
        GAMES,
        needs="alpha",
    )
