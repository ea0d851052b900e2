"""The choice of program, degenerate games, and games that cannot be solved."""

import numpy as np
import pytest

import gamebench as gb
from gamebench.analysis.exact import programs, solution, zero_sum
from gamebench.analysis.exact.programs import UnsolvedProgramError
from gamebench.analysis.exact.solution import concept_for
from gamebench.evidence.methods import FIELD
from tests.helpers import refuses
from tests.test_coordination_oracles import CHICKEN, game_of

LONELY = """EFG 2 R "one player acts" { "A" "B" }
c "" 1 "" { "never" 0 "often" 2/3 "seldom" 1/3 } 0
t "" 1 "" { 100 -100 }
p "" 1 1 "often" { "l" "r" } 0
t "" 2 "" { 3 -3 }
t "" 3 "" { 0 0 }
p "" 1 2 "seldom" { "only" } 0
t "" 4 "" { -3 3 }
"""


def test_every_catalogued_game_has_a_solution_or_a_sentence():
    kinds = {"single-agent": "optimum", "cooperative": "optimum", "zero-sum": "minimax", "general-sum": "CCE"}
    for name in {*FIELD} - {"Leduc-3"}:
        game = gb.load_game(name)
        if game.has_teams:
            refuses(gb.errors.GameError, "only if its teams coordinate: load it with coord", concept_for, game)
        elif game.num_players > 2:
            refuses(
                gb.errors.GameError,
                r"No linear program solves .* 3 players; gb\.solve\(game, 'CRD'\)",
                concept_for,
                game,
            )
        else:
            assert concept_for(game) == ("optimum" if name == "TradeComm" else kinds[str(game.category)])


def test_optima():
    for name in ["Kuhn-A", "Kuhn-B", "Goofspiel-S", "TinyHanabi-A", "TinyHanabi-B", "TinyHanabi-C", "TradeComm"]:
        game = gb.load_game(name)
        found = gb.solve_exactly(game)
        assert found.value == found.lower == pytest.approx(gb.optimal_value(game), abs=1e-12), name
        assert found.upper == pytest.approx(found.lower, abs=1e-12), name
        assert (found.payoffs == found.value).all(), name
        assert gb.evaluate(game, found.policy, "OptGap") == pytest.approx(0, abs=1e-12), name


def test_optima_of_coordinators():
    payoffs = np.random.default_rng(0).random((2, 3, 2, 1)).repeat(3, axis=-1)
    members = gb.with_teams(gb.Game.from_payoffs(payoffs), [[0, 1], [2]])
    found = gb.solve_exactly(gb.with_coordination(members))
    assert found.concept == "optimum"
    assert found.value == payoffs.max()
    assert found.policy.game.num_players == 2
    alone = gb.solve_exactly(gb.load_game("TinyHanabi-A", teams=[[0, 1]], coordinated=True))
    assert (alone.value, len(alone.payoffs)) == (10, 1)


def test_an_objective_is_never_ignored():
    game = gb.load_game("TradeComm")
    assert gb.solve_exactly(game).value == pytest.approx(1, abs=1e-12)
    assert gb.solve_exactly(game, objective="SocialWelfare").value == pytest.approx(2, abs=1e-12)
    assert gb.solve_exactly(gb.load_game("kuhn_poker"), objective="Fairness(smallest)").concept == "CCE"


def test_constant_payoffs():
    for shape in [(1, 1), (1, 3), (3, 1), (2, 2)]:
        for first, second in [(0, 0), (1, -1), (2, 2), (1, 3), (-5, 2)]:
            game = gb.Game.from_payoffs(np.broadcast_to(np.array([first, second], dtype=float), (*shape, 2)))
            plain = gb.solve_exactly(game)
            assert (plain.value, plain.gap, plain.incentive) == (first, 0, 0), shape
            for concept in ("CCE", "EFCE"):
                for objective, value in (("SocialWelfare", first + second), ("Fairness(smallest)", min(first, second))):
                    found = gb.solve_exactly(game, concept=concept, objective=objective)
                    assert found.value == pytest.approx(value, abs=1e-12), shape
                    assert found.payoffs == pytest.approx([first, second], abs=1e-12), shape
                    assert found.gap < 1e-12, shape


def test_players_who_never_act_and_chance_that_never_happens():
    game = game_of(LONELY)
    assert gb.solve_exactly(game).payoffs == pytest.approx([1, -1], abs=1e-12)
    for concept in ("CCE", "EFCE"):
        found = gb.solve_exactly(game, concept=concept, objective="Fairness(smallest)")
        assert found.payoffs == pytest.approx([1, -1], abs=1e-12)
        assert found.gap < 1e-12
    mirrored = game_of(LONELY.replace('p "" 1', 'p "" 2'))
    assert gb.solve_exactly(mirrored).payoffs == pytest.approx([-1, 1], abs=1e-12)
    assert gb.solve_exactly(mirrored, concept="EFCE").payoffs == pytest.approx([-1, 1], abs=1e-12)


def test_unknown_choices():
    for choices, complaint in [
        ({"concept": "NE"}, r"concept must be one of CCE, EFCE, Nash, not 'NE'\."),
        ({"concept": 1}, r"concept must be one of CCE, EFCE, Nash, not 1\."),
        ({"objective": "Welfare"}, r"objective must be one of SocialWelfare, Fairness\(smallest\), not 'Welfare'\."),
    ]:
        refuses(gb.errors.SettingError, complaint, gb.solve_exactly, gb.load_game("kuhn_poker"), **choices)


def test_choices_are_for_two_players():
    for choice in [{"concept": "EFCE"}, {"objective": "SocialWelfare"}]:
        for name, players in [("Kuhn", 3), ("Kuhn-A", 1)]:
            with pytest.raises(gb.errors.SettingError, match=f"= is for two-player games; '{name}' has {players}"):
                gb.solve_exactly(gb.load_game(name), **choice)


def test_coordinators_have_no_mediator():
    """Their decision problems are graphs, not trees."""
    with pytest.raises(gb.errors.GameError, match="'MCCKuhn-B \\[coordinated\\]' is a game between coordinators"):
        gb.solve_exactly(gb.load_game("MCCKuhn-B", coordinated=True), concept="CCE")
    auction = gb.load_game("first_sealed_auction(players=3,max_value=2)", teams=[[0, 1], [2]], coordinated=True)
    refuses(gb.errors.GameError, "between coordinators", gb.solve_exactly, auction)


def test_programs_that_are_too_large(monkeypatch):
    monkeypatch.setattr(solution, "MAX_ENTRIES", 10)
    for choices in ({}, {"concept": "CCE"}, {"concept": "EFCE"}):
        with pytest.raises(
            gb.errors.GameTooLargeError, match=r"has \d+ coefficients, beyond the limit of 10; gb\.solve"
        ):
            gb.solve_exactly(gb.load_game("kuhn_poker"), **choices)


def test_searches_that_are_too_long(monkeypatch):
    def search(*_):
        raise gb.errors.ResponseLimitError("The exact response was not found.")

    monkeypatch.setattr(solution, "best_response", search)
    with pytest.raises(
        gb.errors.ResponseLimitError, match="The search for the optimum of 'TinyHanabi-A' exceeds its limit"
    ):
        gb.solve_exactly(gb.load_game("TinyHanabi-A"))


def test_a_solver_that_fails_is_replaced_by_the_next(monkeypatch):
    solve = zero_sum.minimax_policy

    def fails(broken):
        def attempt(game, method):
            if method in broken:
                raise UnsolvedProgramError("numerical\ntrouble")
            return solve(game, method)

        monkeypatch.setattr(zero_sum, "minimax_policy", attempt)

    game = gb.load_game("kuhn_poker")
    for method in programs.METHODS:
        fails([method])
        assert gb.solve_exactly(game).value == pytest.approx(-1 / 18, abs=1e-12)
    fails(programs.METHODS)
    with pytest.raises(
        gb.errors.GameBenchError, match="HiGHS did not solve the linear program of 'kuhn_poker': numerical"
    ):
        gb.solve_exactly(game)


def test_the_better_of_two_solutions_is_kept(monkeypatch):
    game = gb.Game.from_payoffs(CHICKEN)
    pennies = gb.load_game("matrix_mp")
    poor = {"highs-ipm": [0.6, 0.4, 0.5, 0.5], "highs-ds": [0.5, 0.5, 0.45, 0.55]}
    monkeypatch.setattr(zero_sum, "minimax_policy", lambda game, method: np.array(poor[method]))
    monkeypatch.setattr(solution, "LARGEST_FLAW", 1.0)
    found = gb.solve_exactly(pennies)
    assert found.policy.probabilities.tolist() == poor["highs-ds"]
    assert found.gap == pytest.approx(0.1, abs=1e-12)
    assert gb.solve_exactly(game).gap < 1e-12


def test_the_view_in_a_notebook_has_the_facts_and_the_policy():
    chicken = gb.Game.from_payoffs(
        [[[6, 6], [2, 7]], [[7, 2], [0, 0]]], actions=[["swerve", "dare"]] * 2, players=["Ann", "Ann"]
    )
    nash = gb.solve_exactly(chicken, concept="Nash")
    assert list(nash.facts)[-3:] == ["payoff of Ann (1)", "payoff of Ann (2)", "largest incentive to deviate"]
    html = nash._repr_html_()
    assert html.startswith(f'<table><caption style="text-align: left"><b>{nash.title}</b>')
    assert html.endswith(nash.policy._repr_html_())
    mixed = gb.solve_exactly(chicken, concept="EFCE")._repr_html_()
    assert "the best extensive-form correlated equilibrium" in mixed
    assert mixed.count(">swerve<") == 4
