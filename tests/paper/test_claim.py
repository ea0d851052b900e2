"""What tests share: formulas printed from their fields, tests made of tests, and methods that stand for several."""

import pytest

from gamebench.paper.claims import criteria
from gamebench.paper.claims.claim import All, AnyOf, Finding, InGame
from gamebench.paper.methods import GAMES, Method, PerGame, Tuned
from tests.paper.made_up import GAME, NOTHING, A, B, C, Says, both, f, of

PAIR = Method("M=1, mu=0.5", "CMD", {})


@pytest.mark.parametrize(
    ("test", "formula"),
    [
        (criteria.BecomesSmall(A), "f(K) <= max(0.001 f(0), 1e-7) with A"),
        (criteria.BecomesSmall(A, share=1e-9), "f(K) <= max(1e-9 f(0), 1e-7) with A"),
        (criteria.EndsLarge(PAIR, 0.5), "f(K) >= 0.5 f(0) with (M=1, mu=0.5)"),
        (criteria.IsAhead(A, (B,)), "A is ahead of B"),
        (criteria.IsAhead(A, (B, C, PAIR)), "A is ahead of B, C and (M=1, mu=0.5)"),
        (criteria.IsNotBehind(A, (B, C)), "A is not behind B or C"),
        (criteria.EndsLower(A, (B,)), "A ends below B"),
        (criteria.EndsLower(A, (B, C), share=0.5), "A ends below 0.5 times B and C"),
        (criteria.IsOnPar(A, (B,)), "f(K) with A <= 2 max(1e-7, least f(K) with B)"),
        (criteria.ReachesEndSooner(A, B), "A needs fewer iterations than B to reach f(K) + 1e-7 of B"),
        (
            criteria.ReachesEndSooner(A, B, axis="policies_evaluated"),
            "A needs fewer joint policies evaluated than B to reach f(K) + 1e-7 of B",
        ),
        (criteria.EachWinsSomewhere(GAMES), "Each of the two is ahead of the other in some game"),
        (criteria.EachWinsSomewhere(("Kuhn", "Leduc")), "Each of the two is ahead of the other in Kuhn or Leduc"),
        (criteria.CostsLittle("memory", "MB", "<=", 59.063, ("A", "B")), "MB <= 59.063 with each of A and B"),
        (AnyOf((criteria.IsAhead(A, (C,)), criteria.IsAhead(B, (C,)))), "A is ahead of C, or B is ahead of C"),
        (All((criteria.IsAhead(A, (C,)), criteria.IsAhead(B, (C,)))), "A is ahead of C, and B is ahead of C"),
        (
            InGame(GAME, criteria.EndsLarge(A, 0.5), elsewhere=criteria.EndsLarge(A)),
            "f(K) >= 0.5 f(0) with A in Kuhn, f(K) >= 0.1 f(0) with A elsewhere",
        ),
    ],
)
def test_a_formula_is_printed_from_the_fields(test, formula):
    assert test.formula == formula


# --- tests of tests --------------------------------------------------------------------------------------------------
TRI = (True, False, None)


def says(value):
    return Says(lambda evidence, case: Finding(str(case), value, f"it is {value}"))


@pytest.mark.parametrize("a", TRI)
def test_all_and_any_of(a):
    """As in Kleene's three-valued logic: None if what is not known could still turn the answer."""
    for b in TRI:
        worlds = [(x, y) for x in (True, False) for y in (True, False) if a in (x, None) and b in (y, None)]
        for build, join in ((All, all), (AnyOf, any)):
            could = {join(one) for one in worlds}
            finding = build((says(a), says(b))).decide(NOTHING, GAME, f)
            assert finding.answer is (could.pop() if len(could) == 1 else None)
            assert finding.measured == (f"it is {a}" if a is b else f"it is {a}; it is {b}")


def test_one_game_with_a_test_of_its_own():
    test = InGame("Kuhn", criteria.BecomesSmall(A), elsewhere=criteria.BecomesSmall(B))
    evidence = of({"A": both(1, 0), "B": both(1, 1)})
    assert test.decide(evidence, "Kuhn", f) == Finding("Kuhn", True, "1 becomes 0")
    assert test.decide(evidence, "Leduc", f) == Finding("Leduc", False, "1 becomes 1")


def test_methods_that_differ_from_game_to_game_and_tuned_ones():
    evidence = of({"A": both(1, 0), "B": both(1, 1), "C": both(1, 0.2)})
    by_game = PerGame("matched", {"Kuhn": B, "Leduc": C})
    shown = [criteria.IsAhead(A, (by_game,)).decide(evidence, game, f).measured for game in ("Kuhn", "Leduc")]
    assert shown == ["A ends at 0, B at 1", "A ends at 0, C at 0.2"]
    tuned = criteria.IsNotBehind(B, (Tuned("tuned", (A, C)),))
    assert tuned.formula == "B is not behind tuned"
    assert tuned.decide(evidence, "Kuhn", f) == Finding("Kuhn", False, "B ends at 1, A at 0")  # the best of its members
