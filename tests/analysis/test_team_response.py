"""Exact team responses on real games: the search, the mixed-integer program, limits."""

from dataclasses import replace

import numpy as np
import pytest

import gamebench as gb
from gamebench.analysis.responses import batch_improvements, program, team
from tests.helpers import near_deterministic_policy, refuses, three_policies

TEAM_GAMES = ["MCCKuhn-A", "MCCKuhn-B", "MCCGoofspiel", "TinyHanabi-A", "TinyHanabi-B", "TinyHanabi-C", "TradeComm"]


def members(game):
    return max(game.teams, key=len) if game.has_teams else tuple(range(game.num_players))


def test_the_search_finds_what_the_program_finds():
    for name in TEAM_GAMES:
        game = gb.load_game(name)
        who = members(game)
        policies = [*three_policies(game).values(), *(gb.random_policy(game, seed) for seed in (100, 101))]
        for policy in policies:
            searched = gb.best_response(game, policy, who)
            programmed = gb.best_response(game, policy, who, method="milp")
            # HiGHS stops at a gap of 1e-6 of its scaled objective; the search is exact.
            assert programmed.value - 1e-12 <= searched.value <= programmed.value + 1e-9, name
            for response in (searched, programmed):
                assert gb.expected_values(game, response.policy)[who[0]] == pytest.approx(response.value, abs=1e-12)
            for member in who:
                assert searched.value >= gb.best_response(game, policy, member).value - 1e-12, name


def test_a_warm_start_changes_nothing():
    for name in ["MCCKuhn-A", "MCCGoofspiel"]:
        game = gb.load_game(name)
        for seed in range(8):
            policy, start = gb.random_policy(game, seed), gb.random_policy(game, 1000 + seed)
            cold = gb.best_response(game, policy, game.teams[0])
            warm = gb.best_response(game, policy, game.teams[0], start=start)
            again = gb.best_response(game, policy, game.teams[0], start=cold.policy)
            assert warm.value == pytest.approx(cold.value, abs=1e-12), name
            assert again.value == pytest.approx(cold.value, abs=1e-12), name


def test_teams_of_three():
    game = gb.load_game("kuhn_poker(players=4)", teams=[[0, 1, 3], [2]])
    policy = gb.random_policy(game, 1)
    response = gb.best_response(game, policy, (0, 1, 3))
    assert gb.expected_values(game, response.policy)[0] == pytest.approx(response.value, abs=1e-12)
    for pair in ((0, 1), (0, 3), (1, 3)):  # a third member can only help
        assert gb.best_response(game, policy, pair).value <= response.value + 1e-12
    for member in (0, 1, 3):  # no member gains by changing alone
        assert gb.best_response(game, response.policy, member).value == pytest.approx(response.value, abs=1e-12)


def test_the_approximation_is_a_lower_bound_and_can_be_far_off():
    game = gb.load_game("MCCGoofspiel")
    policy = near_deterministic_policy(game, 2)
    exact = gb.evaluate(game, policy, "NashConv")
    approximate = gb.evaluate(game, policy, "NashConv(approximate)")
    assert approximate < exact - 0.1


def test_limits_are_errors(monkeypatch):
    game = gb.load_game("MCCKuhn-A")
    policy = gb.random_policy(game, 3)
    limit = r"within 200 steps; raise the limit with best_response"
    refuses(gb.errors.ResponseLimitError, limit, gb.best_response, game, policy, (0, 1), method="search", max_steps=200)
    found = gb.best_response(game, policy, (0, 1), max_steps=200)  # found by the graph
    assert found.value == pytest.approx(gb.best_response(game, policy, (0, 1)).value, abs=1e-12)
    monkeypatch.setattr(team, "MAX_BELIEFS", 100)
    fresh = gb.load_game("MCCKuhn-A")
    refuses(gb.errors.ResponseLimitError, limit, gb.best_response, fresh, policy, (0, 1), max_steps=200)
    with pytest.raises(gb.errors.ResponseLimitError, match=r"more than 100 beliefs.*use method='search'"):
        gb.best_response(fresh, policy, (0, 1), method="graph")
    monkeypatch.setattr(program, "MAX_VARIABLES", 10)
    refuses(
        gb.errors.ResponseLimitError, "beyond the limit of 10", gb.best_response, game, policy, (0, 1), method="milp"
    )
    monkeypatch.setattr(program, "MAX_VARIABLES", 20_000)
    monkeypatch.setattr(program, "MAX_SECONDS", 1e-4)
    refuses(
        gb.errors.ResponseLimitError, r"within 0\.0001 seconds", gb.best_response, game, policy, (0, 1), method="milp"
    )
    monkeypatch.setattr(team, "MAX_SLOTS", 10)
    fresh = gb.load_game("MCCKuhn-A")
    refuses(gb.errors.ResponseLimitError, "more than 10 .decision point, action", gb.improvements, fresh, policy)


def test_those_who_cannot_respond():
    for who, complaint in [
        (3, "players 0 to 2"),
        (-1, "players 0 to 2"),
        ([], r"players 0 to 2, such as 0 or \[0, 1\], not \[\]\.$"),
        ("all", "players 0 to 2.*, not 'all'"),
        ("1", "not '1'"),
        (True, "not .True."),
        ([0.9], "not .0.9."),
        ([0, 2], "different payoffs"),
    ]:
        game = gb.load_game("MCCKuhn-A")
        refuses(gb.errors.GameBenchError, complaint, gb.best_response, game, gb.uniform_policy(game), who)


def test_an_unknown_method():
    game = gb.load_game("MCCKuhn-A")
    with pytest.raises(gb.errors.GameBenchError, match="exact, search, graph, milp, approximate"):
        gb.best_response(game, gb.uniform_policy(game), (0, 1), method="guess")


def test_limits_that_are_none():
    for max_steps in [0, -5, 10**20, None, "a", 1.5, True]:
        game = gb.load_game("MCCKuhn-A")
        with pytest.raises(
            gb.errors.GameBenchError, match=r"max_steps must be a whole number (of at least 1|below 2\^63), not"
        ):
            gb.best_response(game, gb.uniform_policy(game), (0, 1), max_steps=max_steps)


def test_an_unfinished_search_ends_the_batch():
    """The limit is spent once: after an unfinished search, the rest of the batch is not searched, even if easy."""
    from gamebench import kernels

    game = gb.load_game("MCCKuhn-A")
    relaxation, is_member = team.relaxation_of(game, (0, 1)), team.is_member(game, (0, 1))

    def values(policies, max_steps):
        plan = np.zeros(game.num_decision_points, dtype=np.int64)
        rows = np.stack([policy.probabilities for policy in policies])
        return kernels.team_deviations(
            game.sequence_form, relaxation, is_member, game.sequence_form.payoffs[0], rows, max_steps, plan
        )

    def is_finished(policy, bounds):
        return not np.isnan(values([policy], bounds * relaxation.num_slots)[0])

    policies = [gb.random_policy(game, seed) for seed in range(20)]
    bounds = next(n for n in range(1, 10_000) if any(is_finished(policy, n) for policy in policies))
    easy = next(policy for policy in policies if is_finished(policy, bounds))
    hard = next(policy for policy in policies if not is_finished(policy, bounds))
    steps = bounds * relaxation.num_slots
    assert np.isfinite(values([easy, easy], steps)).all()
    assert np.isnan(values([hard, easy], steps)).tolist() == [True, True]
    assert np.isnan(values([easy, hard, easy], steps)).tolist() == [False, True, True]


def test_values_of_a_mixture_do_not_need_the_response(monkeypatch):
    monkeypatch.setattr(team, "MAX_SLOTS", 10)
    monkeypatch.setattr(team, "MAX_BELIEFS", 10)
    game = gb.load_game("MCCKuhn-A")
    mixture = gb.Mixture([gb.uniform_policy(game)])
    assert gb.evaluate(game, mixture, "SocialWelfare") == pytest.approx(0, abs=1e-12)
    refuses(
        gb.errors.ResponseLimitError,
        "more than 10 .decision point, action",
        gb.evaluate,
        game,
        mixture,
        "CCEGap",
    )


def test_search_and_graph_find_the_same_responses(monkeypatch):
    """Also against mixtures, and whichever of the two the rule chooses."""
    for name in ("MCCKuhn-A", "MCCKuhn-B", "MCCGoofspiel"):
        game = gb.load_game(name)
        pair = members(game)
        policies = [gb.random_policy(game, seed) for seed in range(4)] + [near_deterministic_policy(game, 5)]
        mixture = gb.Mixture(policies, np.arange(1, 6))
        by_search = gb.improvements(game, mixture)
        batch = np.stack([policy.probabilities for policy in policies])
        of_batch = [gb.improvements(game, policy) for policy in policies]
        assert batch_improvements(game, batch) == pytest.approx(np.stack(of_batch), abs=1e-12)
        again = gb.load_game(name)
        with monkeypatch.context() as patched:
            patched.setattr(team, "SEARCH_UP_TO", 0)
            assert team.searches(game, pair)
            assert not team.searches(again, pair)
            assert gb.improvements(again, mixture) == pytest.approx(by_search, abs=1e-12)
            assert batch_improvements(again, batch) == pytest.approx(np.stack(of_batch), abs=1e-12)
            for policy in policies:
                searched, found = (gb.best_response(again, policy, pair, method=by) for by in ("search", "graph"))
                assert found.value == pytest.approx(searched.value, abs=1e-12)
                assert gb.expected_values(again, found.policy)[pair[0]] == pytest.approx(found.value, abs=1e-12)


def test_coordinators_have_no_joint_response():
    game = gb.load_game("kuhn_poker(players=3)", teams=[[0, 1], [2]], coordinated=True)
    alike = replace(game, sequence_form=game.sequence_form._replace(payoffs=np.zeros_like(game.sequence_form.payoffs)))
    for method in ("exact", "search", "graph", "milp"):
        with pytest.raises(gb.errors.ResponseLimitError, match="joint responses of coordinators are not supported"):
            gb.best_response(alike, gb.uniform_policy(alike), (0, 1), method=method)


def test_a_team_of_five_lines_up_in_five_ways():
    payoffs = np.random.default_rng(0).normal(size=(3, 2, 2, 2, 2))
    game = gb.Game.from_payoffs(np.repeat(payoffs[..., None], 5, axis=-1))
    assert gb.optimal_value(game) == pytest.approx(payoffs.max(), abs=1e-12)
