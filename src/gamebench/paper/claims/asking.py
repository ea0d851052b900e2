"""Claims asked once or twice: in mixed games by the paper's measure, which approximates, and by the exact one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gamebench.games.catalog import CATALOG
from gamebench.games.game import Category
from gamebench.paper.claims.claim import Claim, Quantifier, Test
from gamebench.paper.claims.judging import papers_measure
from gamebench.paper.claims.testing import MeasureOf
from gamebench.paper.methods import GAMES, games_of, main_measure_of

EVERY, ALMOST_ALL, MOST, SOME = Quantifier.EVERY, Quantifier.ALMOST_ALL, Quantifier.MOST, Quantifier.SOME
ALONE = games_of(Category.SINGLE_AGENT, Category.COOPERATIVE)
AGAINST = games_of(Category.ZERO_SUM, Category.GENERAL_SUM, Category.MIXED)


def by_both_measures(
    name: str,
    statement: str,
    where: str,
    formula: str,
    make: Callable[[MeasureOf], Test],
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
