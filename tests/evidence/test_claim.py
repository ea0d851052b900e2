"""What tests share: formulas printed from their arguments, tests made of tests, and methods that stand for several."""

from gamebench.evidence.claims import criteria
from gamebench.evidence.claims.claim import Finding, all_of, any_of, in_game
from gamebench.evidence.methods import Method, PerGame, Tuned
from tests.evidence import naive
from tests.evidence.made_up import GAME, NOTHING, A, B, C, both, f, of, says

PAIR = Method("M=1, mu=0.5", "CMD", {})
AHEAD = criteria.is_ahead(A, (C,)), criteria.is_ahead(B, (C,))


def test_a_formula_is_printed_from_the_arguments():
    for test, formula in (
        (criteria.becomes_small(A), "f(K) <= max(0.001 f(0), 1e-7) with A"),
        (criteria.becomes_small(A, share=1e-9), "f(K) <= max(1e-9 f(0), 1e-7) with A"),
        (criteria.ends_large(PAIR, 0.5), "f(K) >= 0.5 f(0) with (M=1, mu=0.5)"),
        (criteria.is_ahead(A, (B, C, PAIR)), "A is ahead of B, C, (M=1, mu=0.5)"),
        (criteria.is_on_par(A, (B,)), "f(K) with A <= 2 max(1e-7, least f(K) with B)"),
        (
            criteria.reaches_end_sooner(A, B, axis="policies_evaluated"),
            "A needs fewer joint policies evaluated than B to reach f(K) + 1e-7 of B",
        ),
        (
            criteria.each_wins_somewhere(("Kuhn", "Leduc")),
            "Each of the two is ahead of the other in one of Kuhn, Leduc",
        ),
        (any_of(*AHEAD), "A is ahead of C, or B is ahead of C"),
        (all_of(*AHEAD), "A is ahead of C, and B is ahead of C"),
        (in_game(GAME, *AHEAD), "A is ahead of C in Kuhn, B is ahead of C elsewhere"),
    ):
        assert test.formula == formula


def test_all_and_any_of():
    def told(value):
        return says(lambda evidence, case: Finding(case, value, f"it is {value}"))

    for a in (True, False, None):
        for b in (True, False, None):
            for build, join in ((all_of, naive.every), (any_of, naive.some)):
                finding = build(told(a), told(b)).decide(NOTHING, GAME, f)
                measured = f"it is {a}" if a is b else f"it is {a}; it is {b}"
                assert finding == Finding(GAME, join([a, b]), measured)


def test_one_game_with_a_test_of_its_own():
    test = in_game("Kuhn", criteria.becomes_small(A), elsewhere=criteria.becomes_small(B))
    evidence = of({"A": both(1, 0), "B": both(1, 1)})
    assert test.decide(evidence, "Kuhn", f) == Finding("Kuhn", True, "1 becomes 0")
    assert test.decide(evidence, "Leduc", f) == Finding("Leduc", False, "1 becomes 1")


def test_methods_that_differ_from_game_to_game_and_tuned_ones():
    evidence = of({"A": both(1, 0), "B": both(1, 1), "C": both(1, 0.2)})
    by_game = PerGame("matched", {"Kuhn": B, "Leduc": C})
    shown = [criteria.is_ahead(A, (by_game,)).decide(evidence, game, f).measured for game in ("Kuhn", "Leduc")]
    assert shown == ["A ends at 0, B at 1", "A ends at 0, C at 0.2"]
    tuned = criteria.is_not_behind(B, (Tuned("tuned", (A, C)),))
    assert tuned.decide(evidence, "Kuhn", f) == Finding("Kuhn", False, "B ends at 1, A at 0")  # the best of its members
