"""Security levels against exact arithmetic on all pure plans, known values and edge cases."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import gamebench as gb
from gamebench.analysis.responses import lone_players_level, maximin, security, team
from gamebench.games.game import Source
from gamebench.games.loading.flatten import flatten
from gamebench.games.loading.openspiel import original_game
from tests.helpers import refuses
from tests.oracles import exact_matrix, naive, random_games


def check(game, player, expected, tolerance=1e-12):
    """The level is as expected, its policy secures it against all others, and both bounds enclose it."""
    level = gb.security_level(game, player)
    unit = np.abs(game.sequence_form.payoffs[player]).max()
    assert level.value == pytest.approx(expected, abs=tolerance * unit)
    assert 0 <= level.gap <= 1e-9 * unit
    assert level.value - 1e-12 * unit <= expected <= level.value + level.gap + 1e-12 * unit
    assert gb.expected_values(game, level.policy)[player] == pytest.approx(level.value, abs=1e-12 * unit)
    return level


def test_coordinators_secure_the_value_of_their_team():
    for name, value in [("MCCKuhn-A", -1 / 48), ("MCCKuhn-B", 7 / 528), ("MCCGoofspiel", 1 / 4)]:
        game = gb.load_game(name, coordinated=True)
        check(game, 0, value)
        check(game, 1, -2 * value)  # the lone player is paid by both members


def test_joint_responses_of_several_coordinators_are_refused(tmp_path):
    with pytest.warns(UserWarning, match="3 coordinators"):
        game = gb.load_game("kuhn_poker(players=4)", teams=[[0, 1], [2], [3]], coordinated=True)
    with pytest.raises(
        gb.errors.ResponseLimitError,
        match=r"joint responses of several coordinators are not supported; as a measure",
    ):
        gb.security_level(game, 0)
    same = replace(
        game, sequence_form=game.sequence_form._replace(payoffs=np.repeat(game.sequence_form.payoffs[:1], 3, axis=0))
    )
    for method in ("search", "milp"):
        with pytest.raises(gb.errors.ResponseLimitError, match=r"joint responses of coordinators are not supported\.$"):
            gb.best_response(same, gb.uniform_policy(same), [0, 2], method=method)


@given(random_games.efg_games(min_players=1, max_players=4, max_depth=4, max_nodes=30))
@settings(max_examples=25)
def test_random_games(text):
    source = Source("efg", text)
    original = original_game(source)
    game = flatten(original, "random", source, 10_000)
    for player in range(game.num_players):
        try:
            expected = exact_matrix.security_level(original, player, max_plans=64)
        except naive.TooManyPlansError:
            assume(False)
        check(game, player, expected)


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(1, 4), min_size=1, max_size=4))
@settings(max_examples=20)
def test_random_normal_form_games(seed, counts):
    payoffs = np.random.default_rng(seed).integers(-9, 10, size=(*counts, len(counts))).astype(float)
    game = gb.Game.from_payoffs(payoffs)
    for player, count in enumerate(counts):
        rows = np.moveaxis(payoffs[..., player], player, 0).reshape(count, -1)
        check(game, player, float(exact_matrix.matrix_game_value(rows.tolist())))


def test_the_oracle_on_games_of_the_textbooks():
    assert exact_matrix.matrix_game_value([[1, -1], [-1, 1]]) == 0
    assert exact_matrix.matrix_game_value([[2, -1], [-1, 1]]) * 5 == 1
    assert exact_matrix.matrix_game_value([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]) == 0
    assert exact_matrix.matrix_game_value([[3, 1, 4], [2, 0, 7]]) == 1


def test_known_levels():
    for name, levels in {
        "kuhn_poker": [-1 / 18, 1 / 18],
        "Leduc": [-0.085606424078, 0.085606424078],  # the value of the game
        "LiarsDice-4": [1 / 16, -1 / 16],
        "Kuhn": [-5 / 132, -7 / 264, 1 / 24],
        "Goofspiel": [-1 / 2] * 3,
        "MCCKuhn-A": [-113 / 320, -89 / 240, 1 / 24],
        "MCCGoofspiel": [-1 / 8, -1 / 8, -1 / 2],
        "Bargaining": [0, 0],  # a player who refuses every offer gets nothing
        "Kuhn-A": [1 / 2],
    }.items():
        game = gb.load_game(name)
        for player, expected in enumerate(levels):
            check(game, player, expected, 1e-10)


def test_nobody_gets_less_in_equilibrium():
    """In Kuhn poker and the prisoner's dilemma: a best response gets at least the security level."""
    dilemma = gb.Game.from_payoffs([[[3, 3], [0, 5]], [[5, 0], [1, 1]]])
    assert [gb.security_level(dilemma, player).value for player in (0, 1)] == [1, 1]
    kuhn = gb.load_game("Kuhn")
    for seed in range(5):
        policy = gb.random_policy(kuhn, seed)
        for player in range(3):
            assert gb.best_response(kuhn, policy, player).value >= gb.security_level(kuhn, player).value


def test_a_level_is_remembered():
    game = gb.load_game("kuhn_poker")
    assert gb.security_level(game, 0) is gb.security_level(game, 0)
    assert gb.security_level(gb.load_game("kuhn_poker"), 0) is not gb.security_level(game, 0)


def test_a_constant_moves_levels_and_a_factor_multiplies_them():
    payoffs = np.random.default_rng(3).normal(size=(3, 2, 2, 3))
    plain = gb.Game.from_payoffs(payoffs)
    moved = gb.Game.from_payoffs(payoffs + np.array([10, 0, -1]))
    tiny, huge = (gb.with_payoff_scale(plain, factor) for factor in (1e-200, 1e200))
    for player, shift in enumerate([10, 0, -1]):
        level = gb.security_level(plain, player).value
        assert gb.security_level(moved, player).value == pytest.approx(level + shift, abs=1e-12)
        assert gb.security_level(tiny, player).value == pytest.approx(level * 1e-200, rel=1e-12)
        assert gb.security_level(huge, player).value == pytest.approx(level * 1e200, rel=1e-12)


def test_payoffs_that_are_all_zero():
    level = check(gb.Game.from_payoffs(np.zeros((2, 3, 2, 3))), 1, 0.0)
    assert (level.value, level.gap) == (0, 0)


SPECTATORS = """EFG 2 R "the second and the third of three players only watch" { "A" "B" "C" }
c "" 1 "" { "left" 1/4 "right" 3/4 } 0
p "" 1 1 "" { "stay" "go" } 0
t "" 1 "" { 4 8 0 }
t "" 2 "" { 0 4 0 }
t "" 3 "" { 1 -2 0 }
"""


def test_players_who_never_decide(tmp_path):
    (tmp_path / "watch.efg").write_text(SPECTATORS)
    game = gb.load_game(str(tmp_path / "watch.efg"))
    assert [game.sequence_form.num_sequences_of(player) for player in range(3)] == [2, 0, 0]
    for player, expected in enumerate([1.75, -0.5, 0.0]):  # the first player decides against the others
        check(game, player, expected, 1e-12)


TEAM_GAMES = {"MCCKuhn-A": (2, -1 / 48), "MCCKuhn-B": (1, 7 / 528), "MCCGoofspiel": (2, 1 / 4)}


def test_a_lone_player_against_a_team(monkeypatch):
    for name in TEAM_GAMES:
        game = gb.load_game(name)
        (found, level), (player, value) = lone_players_level(game), TEAM_GAMES[name]
        assert found == player, name
        [members] = [team for team in game.teams if len(team) > 1]
        assert gb.expected_values(game, level.policy)[members[0]] == pytest.approx(value, abs=1e-12), name
        assert 0 <= level.gap < 1e-12, name
        assert level.responses < 20, name
        policy, own = np.array(gb.random_policy(game).probabilities), game.sequence_form.sequences_of(player)
        policy[own] = level.policy.probabilities[own]
        assert gb.best_response(game, gb.Policy(game, policy), members).value == pytest.approx(value, abs=1e-12), name
        with monkeypatch.context() as patch:
            patch.setattr(security, "MAX_RESPONSES", 2)
            few = lone_players_level(game)[1]
            patch.setattr(security, "MAX_RESPONSES", 1)
            assert lone_players_level(game)[1].gap == np.inf, name
        assert few.responses == 2, name
        level = -2 * value  # the lone player is paid by both members
        assert few.value <= level + 1e-12, name
        assert few.value + few.gap >= level - 1e-12, name


def against_team(payoffs):
    """The first two players form a team; the third is alone."""
    return gb.with_teams(gb.Game.from_payoffs(payoffs), [[0, 1], [2]])


def test_which_games_have_a_lone_player():
    rng = np.random.default_rng(1)
    payoffs = rng.normal(size=(2, 2, 2, 3))
    assert lone_players_level(against_team(payoffs)) is None  # not opposed
    payoffs[..., 2] = payoffs[..., :2].sum(axis=-1)
    assert lone_players_level(against_team(payoffs)) is None  # the same interest
    payoffs[..., 2] = 5 - 3 * payoffs[..., :2].sum(axis=-1)
    game = against_team(payoffs)
    player, level = lone_players_level(game)
    assert (player, level.value) == (2, pytest.approx(gb.security_level(game, 2).value, abs=1e-12))
    assert gb.expected_values(game, level.policy)[0] == pytest.approx((5 - level.value) / 6, abs=1e-12)
    assert lone_players_level(gb.with_teams(gb.Game.from_payoffs(payoffs), [[0], [1], [2]])) is None
    assert lone_players_level(gb.with_teams(gb.Game.from_payoffs(payoffs), [[0, 1, 2]])) is None
    assert lone_players_level(gb.load_game("kuhn_poker")) is None  # both players are alone
    four = gb.Game.from_payoffs(rng.normal(size=(2, 2, 2, 2, 4)))
    assert lone_players_level(gb.with_teams(four, [[0, 1], [2, 3]])) is None
    payoffs[..., :2], payoffs[..., 2] = 1, 4
    assert lone_players_level(against_team(payoffs))[1].value == 4
    payoffs[0, 0, 0, 2] = 5
    assert lone_players_level(against_team(payoffs)) is None
    payoffs[..., 2], payoffs[0, 0, 0, :2] = 4, 5
    assert lone_players_level(against_team(payoffs)) is None


def test_limits_are_errors(monkeypatch):
    monkeypatch.setenv("GAMEBENCH_CACHE", "off")  # a cached level needs no search
    monkeypatch.setattr("gamebench.analysis.responses.team.MAX_BELIEFS", 1)
    game = gb.load_game("Kuhn")
    message = (
        r"^The security level of player 2 in 'Kuhn' was not found, because a joint response of players \[0, 1\] takes "
        r"more than 200 steps; raise the limit with security_level\(max_steps=\.\.\.\); as a measure of fairness, "
        r"Fairness\(smallest\) needs no security levels\.$"
    )
    refuses(gb.errors.ResponseLimitError, message, gb.security_level, game, 2, max_steps=200)
    assert gb.security_level(game, 2).value == pytest.approx(1 / 24)  # the default limit is higher
    game = gb.load_game("Kuhn")
    monkeypatch.setattr(maximin, "MAX_ITERATIONS", 0)
    with pytest.raises(
        gb.errors.ResponseLimitError, match="because HiGHS did not solve its linear program within 0 iter"
    ):
        gb.security_level(game, 2)
    monkeypatch.setattr(maximin, "OUT_OF_ITERATIONS", 4)
    with pytest.raises(gb.errors.ResponseLimitError, match="program for numerical reasons; as a measure"):
        gb.security_level(gb.load_game("Kuhn"), 2)
    monkeypatch.setattr(maximin, "MAX_ITERATIONS", 50_000)
    with pytest.raises(
        gb.errors.ResponseLimitError, match="within 0 iterations"
    ):  # it is not tried again with the same limit
        gb.security_level(game, 2)
    game = gb.load_game("Kuhn")
    monkeypatch.setattr(security, "MAX_RESPONSES", 3)
    complaint = r"^The security level of player 2 in 'Kuhn' is at least \S+ and at most \S+ above that; 3 responses"
    refuses(gb.errors.ResponseLimitError, complaint, gb.security_level, game, 2)
    monkeypatch.setattr(team, "MAX_SLOTS", 10)
    monkeypatch.setattr(security, "MAX_SLOTS", 10)
    message = r"players \[1, 2\] would need a tree of more than 10 \(decision point, action\) pairs; as a measure"
    refuses(gb.errors.ResponseLimitError, message, gb.security_level, gb.load_game("Kuhn"), 0)


def test_players_that_do_not_exist():
    for player in [-1, 3, 0.5, True, "0", None]:
        with pytest.raises(
            gb.errors.GameBenchError, match=r"^The player of 'Kuhn' must be a whole number from 0 to 2, not"
        ):
            gb.security_level(gb.load_game("Kuhn"), player)
    with pytest.raises(gb.errors.GameBenchError, match="max_steps must be a whole number"):
        gb.security_level(gb.load_game("Kuhn"), 0, max_steps=0)


@pytest.fixture
def computed(empty_cache, monkeypatch):
    """The players whose levels were computed since the cache was emptied."""
    players, secure = [], security._secure
    monkeypatch.setattr(security, "_secure", lambda *arguments: players.append(arguments[1]) or secure(*arguments))
    return players


def test_levels_are_kept_in_the_cache_of_games(computed):
    first = [gb.security_level(gb.load_game("Kuhn-2"), player) for player in range(2)]
    again = [gb.security_level(gb.load_game("Kuhn-2"), player) for player in range(2)]
    assert computed == [0, 1]
    for one, other in zip(first, again, strict=True):
        assert (one.value, one.gap, one.responses) == (other.value, other.gap, other.responses)
        assert np.array_equal(one.policy.probabilities, other.policy.probabilities)


def test_a_damaged_level_is_found_again(computed):
    before = gb.security_level(gb.load_game("Kuhn-2"), 0).value
    file = security._file_of_level(gb.load_game("Kuhn-2"), 0)
    file.write_bytes(file.read_bytes()[:-20])
    assert gb.security_level(gb.load_game("Kuhn-2"), 0).value == before
    assert computed == [0, 0]
    assert gb.security_level(gb.load_game("Kuhn-2"), 0).value == before
    assert computed == [0, 0]


def test_levels_of_payoff_tables_and_without_a_cache_are_not_kept(computed, empty_cache, monkeypatch):
    payoffs = [[[1, -1], [-1, 1]], [[-1, 1], [1, -1]]]
    for _ in range(2):
        gb.security_level(gb.Game.from_payoffs(payoffs), 0)
    monkeypatch.setenv("GAMEBENCH_CACHE", "off")
    for _ in range(2):
        gb.security_level(gb.load_game("Kuhn-2"), 0)
    assert computed == [0, 0, 0, 0]
    assert not empty_cache.exists()
