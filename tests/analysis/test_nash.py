"""The best Nash equilibria of small games against an enumeration of all equilibria in exact fractions."""

import contextlib

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import gamebench as gb
from gamebench.analysis.exact import nash
from gamebench.analysis.exact.solution import concept_for
from tests.helpers import refuses
from tests.oracles import random_games
from tests.oracles.equilibria import TooLargeError, best_equilibrium
from tests.test_coordination_oracles import CHICKEN, game_of

NAMES = {"SocialWelfare": "SocialWelfare", "Fairness(smallest)": "smallest"}
"""Objectives, with the oracle's names for them."""


def check(game, objective):
    found = gb.solve_exactly(game, concept="Nash", objective=objective)
    value = float(best_equilibrium(game, NAMES[objective]).value)
    unit = game.max_abs_payoff or 1.0
    assert (found.concept, found.objective) == ("Nash", objective)
    assert found.value == found.lower == pytest.approx(value, abs=1e-9 * unit)
    assert found.upper == pytest.approx(value, abs=1e-5 * unit)  # the tolerance of HiGHS in its search
    assert gb.evaluate(game, found.policy, "NashConv") <= 1e-10 * unit
    assert found.incentive <= 1e-10 * unit
    assert found.payoffs == pytest.approx(gb.expected_values(game, found.policy), abs=1e-12 * unit)


def test_random_normal_form_games():
    for objective in NAMES:
        for seed in range(4):
            check(gb.Game.from_payoffs(random_games.random_payoffs(seed, 3, 3 + seed % 2)), objective)


def test_games_with_several_equilibria():
    for objective in NAMES:
        for family in ["stag_hunt", "battle_of_the_sexes", "chicken", "random_coordination"]:
            check(gb.Game.from_payoffs(getattr(random_games, family)(1)), objective)


@given(random_games.efg_games(max_players=2, max_nodes=30), st.sampled_from(sorted(NAMES)))
@settings(max_examples=10)
def test_random_extensive_games(text, objective):
    game = game_of(text)
    assume(not game.is_zero_sum)
    with contextlib.suppress(TooLargeError):
        check(game, objective)


def test_zero_sum_games_have_a_value():
    kuhn = gb.load_game("kuhn_poker")
    for concept in ("Nash", "nash", "NASH"):
        assert concept_for(kuhn, concept) == concept_for(kuhn, concept, "fairness(SMALLEST)") == "minimax"
    assert gb.solve_exactly(kuhn, concept="Nash").value == pytest.approx(-1 / 18, abs=1e-12)
    policy, _ = nash.best_equilibrium(kuhn, True, nash.ATTEMPTS[0])  # also works without minimax
    assert gb.evaluate(kuhn, gb.Policy(kuhn, policy), "NashConv") < 1e-12


def test_other_concepts_in_any_case():
    game = gb.Game.from_payoffs(CHICKEN)
    assert gb.solve_exactly(game, concept="efce").concept == "EFCE"
    assert gb.solve_exactly(game, concept="cce", objective="socialwelfare").objective == "SocialWelfare"


def test_units_do_not_matter():
    for scale in [1e-9, 1e9]:
        game = gb.Game.from_payoffs(np.array(CHICKEN) * scale)
        found = gb.solve_exactly(game, concept="Nash", objective="Fairness(smallest)")
        assert found.value == pytest.approx(14 / 3 * scale, rel=1e-12), scale


PRISONERS = np.array([[[3, 3], [0, 4]], [[4, 0], [1, 1]]], dtype=float)


def test_offsets_do_not_matter():
    """No prisoner cooperates, whatever the offset, and the best equilibrium of chicken stays the best."""
    for offsets in [(1e6, 1e6), (1e9, 1e9), (-1e9, 0), (0.25, 1e12)]:
        for objective in NAMES:
            found = gb.solve_exactly(gb.Game.from_payoffs(PRISONERS + offsets), concept="Nash", objective=objective)
            assert found.policy.probabilities.tolist() == [0, 1, 0, 1], offsets
            assert (found.payoffs.tolist(), found.incentive) == ((np.array(offsets) + 1).tolist(), 0), offsets
            found = gb.solve_exactly(
                gb.Game.from_payoffs(np.array(CHICKEN) + offsets), concept="Nash", objective=objective
            )
            best = gb.solve_exactly(gb.Game.from_payoffs(CHICKEN), concept="Nash", objective=objective)
            if offsets[0] == offsets[1] or objective == "SocialWelfare":
                assert found.payoffs.sum() == pytest.approx(best.payoffs.sum() + sum(offsets), rel=1e-14), offsets
            else:  # the poorest is always the same: it swerves in the mixed equilibrium, not in its best one
                assert found.value == min(offsets) + 7, offsets
            assert found.incentive < 1e-9, offsets
            assert found.upper >= found.value, offsets


def test_each_player_has_units_of_its_own():
    """An incentive of 1 is large for a player with payoffs from 0 to 4, even if the other's are billions."""
    game = gb.Game.from_payoffs(PRISONERS * [1, 1e10])
    found = gb.solve_exactly(game, concept="Nash")
    assert found.policy.probabilities.tolist() == [0, 1, 0, 1]
    assert found.payoffs.tolist() == [1, 1e10]


def test_an_answer_that_is_wrong_for_one_player_is_refused(monkeypatch):
    game = gb.Game.from_payoffs(PRISONERS * [1, 1e10])
    monkeypatch.setattr(nash, "best_equilibrium", lambda *_: (np.array([1.0, 0, 0, 1]), 9.0))
    with pytest.raises(gb.errors.GameBenchError, match="in its solution, a player could gain 1 by deviating"):
        gb.solve_exactly(game, concept="Nash")


def test_games_without_choices():
    game = game_of("""EFG 2 R "chance" { "A" "B" }
c "" 1 "" { "a" 1/4 "b" 3/4 } 0
t "" 1 "" { 4 1 }
t "" 2 "" { 0 2 }
""")
    for objective, value in (("SocialWelfare", 2.75), ("Fairness(smallest)", 1)):
        found = gb.solve_exactly(game, concept="Nash", objective=objective)
        assert (found.value, found.gap, found.incentive) == (value, 0, 0)
        assert found.payoffs.tolist() == [1, 1.75]
        assert len(found.policy.probabilities) == 0


def test_limits(monkeypatch):
    game = gb.Game.from_payoffs(random_games.random_payoffs(0, 6, 6))
    monkeypatch.setattr(nash, "MAX_SEQUENCES", 11)
    with pytest.raises(gb.errors.GameTooLargeError, match=r"at most 11 sequences .*, but 'payoffs' has 12; gb\.solve"):
        gb.solve_exactly(game, concept="Nash")
    monkeypatch.setattr(nash, "MAX_SEQUENCES", 12)
    monkeypatch.setattr(nash, "MAX_NODES", 0)
    with pytest.raises(
        gb.errors.GameTooLargeError, match="did not find a Nash equilibrium of 'payoffs': the search tree exceeded"
    ):
        gb.solve_exactly(game, concept="Nash")


def test_a_program_that_fails_is_tried_without_presolving(monkeypatch):
    """HiGHS fails with a solve error on this game."""
    game = game_of(random_games.random_efg(172, max_nodes=50))
    found = gb.solve_exactly(game, concept="Nash", objective="Fairness(smallest)")
    assert gb.evaluate(game, found.policy, "NashConv") < 1e-9
    assert found.gap < 1e-5 * game.max_abs_payoff
    solve = nash.milp

    def fails(options, **program):
        answer = solve(options=options, **program)
        answer.x, answer.message = None, "numerical\ntrouble"
        return answer

    monkeypatch.setattr(nash, "milp", fails)
    with pytest.raises(
        gb.errors.GameBenchError, match="did not find a Nash equilibrium of 'payoffs': numerical trouble"
    ):
        gb.solve_exactly(gb.Game.from_payoffs(CHICKEN), concept="Nash")


STUBBORN = """EFG 2 R "x" { "A" "B" }
p "" 1 1 "" { "a0" "a1" } 0
p "" 2 1 "" { "b0" "b1" } 0
p "" 1 2 "" { "c0" "c1" } 0
t "" 1 "" { 0 0 }
t "" 2 "" { 1 1 }
p "" 1 2 "" { "c0" "c1" } 0
t "" 3 "" { 1 0 }
t "" 4 "" { 1 1 }
p "" 2 2 "" { "b0" "b1" } 0
p "" 1 3 "" { "c0" "c1" } 0
t "" 5 "" { 1 1 }
t "" 6 "" { 1 1 }
p "" 1 3 "" { "c0" "c1" } 0
t "" 7 "" { 0 -1 }
t "" 8 "" { 0 0 }
"""


def test_a_program_that_fails_is_tried_in_other_units(monkeypatch):
    """If the unit is the largest payoff, HiGHS finds an optimum of 1.000001 and rejects it."""
    check(game_of(STUBBORN), "Fairness(smallest)")
    monkeypatch.setattr(nash, "ATTEMPTS", nash.ATTEMPTS[2:])
    check(game_of(STUBBORN), "Fairness(smallest)")


def test_failures_are_not_called_size(monkeypatch):
    def fails(*_):
        raise nash.UnsolvedProgramError("Solve error")

    monkeypatch.setattr(nash, "best_equilibrium", fails)
    with pytest.raises(gb.errors.GameBenchError, match=r"'payoffs': Solve error; gb\.solve") as caught:
        gb.solve_exactly(gb.Game.from_payoffs(CHICKEN), concept="Nash")
    assert not isinstance(caught.value, gb.errors.GameTooLargeError)


def test_a_search_that_was_cut_short_says_so(monkeypatch):
    """The result is an equilibrium, and the gap bounds how much better another may be."""
    game = gb.Game.from_payoffs(CHICKEN)
    search = nash.EquilibriumProgram.search
    monkeypatch.setattr(nash.EquilibriumProgram, "search", lambda program, _: (*search(program)[:2], 2.0))
    found = gb.solve_exactly(game, concept="Nash")
    assert (found.upper, found.incentive < 1e-12) == (14, True)
    assert found.gap == pytest.approx(14 - found.value)


def test_coordinators_and_more_players():
    auction = gb.load_game("first_sealed_auction(players=3,max_value=2)", teams=[[0, 1], [2]], coordinated=True)
    complaint = "Nash equilibria of general-sum games are computed for games between players"
    refuses(gb.errors.GameError, complaint, gb.solve_exactly, auction, concept="Nash")
    with pytest.raises(gb.errors.SettingError, match="concept= is for two-player games; 'Kuhn' has 3 players"):
        gb.solve_exactly(gb.load_game("Kuhn"), concept="Nash")


def test_nothing_is_printed(capfd):
    gb.solve_exactly(gb.load_game("TinyHanabi-A"), concept="Nash")
    assert capfd.readouterr().out == ""
