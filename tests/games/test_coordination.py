"""Games between coordinators: responses, values and labels, compared with the games of the members."""

import pickle
from contextlib import suppress
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import gamebench as gb
from gamebench.games.teams.coordination import MOST_SHOWN
from tests.games.coordinated_games import (
    MCC_VALUES,
    PAIRS,
    TRIOS,
    coordinated,
    policy_of_kinds,
    team_games,
)
from tests.oracles.coordinated_teams import (
    best_joint_plan,
    column_generation,
    coordinated_value,
    joint_plans,
    random_team_game,
)
from tests.oracles.naive_coordinators import parents_of, weights_of

SEEDS = st.integers(0, 2**32 - 1)
MAX_PLANS = 1000
KINDS = [("uniform", "dense", "zeros", "near pure", "pure"), ("pure",), ("zeros",), ("dense",)]


def bounds(game, policy):
    """The least that the first of two coordinators gets with its policy, and the most against the other's policy."""
    own, others = game.team_sizes
    total = float((game.team_sizes @ game.sequence_form.payoffs)[0])  # the same at every terminal
    upper = gb.best_response(game, policy, 0).value
    return (total - others * gb.best_response(game, policy, 1).value) / own, upper


# Responses and values of lifted policies


@given(team_games(), SEEDS, st.sampled_from(KINDS))
@settings(max_examples=30)
def test_a_coordinator_responds_as_its_team(game, seed, kinds):
    policy, between = policy_of_kinds(game, seed, kinds), coordinated(game)
    lifted, exact = gb.lift(between, policy), 1e-12 * game.max_abs_payoff
    for index, team in enumerate(game.teams):
        response = gb.best_response(between, lifted, index)
        for method in ("search", "graph"):
            of_team = gb.best_response(game, policy, team, method=method)
            assert response.value == pytest.approx(of_team.value, abs=exact)
            assert gb.expected_values(game, of_team.policy)[team[0]] == pytest.approx(response.value, abs=exact)
        assert gb.expected_values(between, response.policy)[index] == pytest.approx(response.value, abs=exact)
        try:
            best, _ = best_joint_plan(game, team, policy.probabilities, MAX_PLANS)
        except ValueError:  # there are too many plans to try them all
            continue
        assert response.value == pytest.approx(best, abs=exact)


@given(team_games(), SEEDS, st.sampled_from(KINDS))
@settings(max_examples=25)
def test_a_coordinator_responds_to_correlated_opponents(game, seed, kinds):
    """All joint plans are tried against correlated opponents that no independent policies can imitate."""
    between = coordinated(game)
    policy, exact = policy_of_kinds(between, seed, kinds), 1e-12 * game.max_abs_payoff
    for index, team in enumerate(game.teams):
        rest = between.sequence_form.chance * between.sequence_form.payoffs[index]
        for other in range(between.num_players):
            if other != index:
                rest = rest * weights_of(between, other, policy.probabilities)
        try:
            best = max(float(rest @ weights) for weights in joint_plans(game, team, MAX_PLANS))
        except ValueError:
            assume(False)
        assert gb.best_response(between, policy, index).value == pytest.approx(best, abs=exact)


@given(team_games(), SEEDS, st.sampled_from(KINDS))
@settings(max_examples=25)
def test_lifted_policies_play_the_same(game, seed, kinds):
    policy, between = policy_of_kinds(game, seed, kinds), coordinated(game)
    assert between.coordination.full_game is game
    assert between.num_players == len(game.teams) == len(between.teams)
    assert np.array_equal(between.sequence_form.chance, game.sequence_form.chance)
    assert (between.num_histories, between.num_terminals) == (game.num_histories, game.num_terminals)
    assert between.max_abs_payoff == np.abs(between.sequence_form.payoffs).max()
    lifted, exact = gb.lift(between, policy), 1e-12 * game.max_abs_payoff
    leaders = [team[0] for team in game.teams]
    assert gb.expected_values(between, lifted) == pytest.approx(gb.expected_values(game, policy)[leaders], abs=exact)
    assert gb.improvements(between, lifted) == pytest.approx(gb.improvements(game, policy), abs=exact)
    measured = [gb.evaluate(each, own, "NashConv") for each, own in ((between, lifted), (game, policy))]
    assert measured[0] == pytest.approx(measured[1], abs=4 * exact)
    for index, team in enumerate(game.teams):  # not only on average, but at every terminal
        together = np.prod([weights_of(game, member, policy.probabilities) for member in team], axis=0)
        assert weights_of(between, index, lifted.probabilities) == pytest.approx(together, abs=1e-12)


def test_lifted_policies_of_the_catalogue_s_games():
    for name in MCC_VALUES:
        game, between = gb.load_game(name), gb.load_game(name, coordinated=True)
        for policy in (policy_of_kinds(game, seed) for seed in range(5)):
            theirs = gb.improvements(game, policy)
            assert gb.improvements(between, gb.lift(between, policy)) == pytest.approx(theirs, abs=1e-12), name


@given(team_games([[[0, 1], [2]], [[0], [1, 2]], [[0, 1], [2], [3]], [[0], [2], [1, 3]]]))
@settings(max_examples=30)
def test_lone_players_keep_their_decision_points(game):
    """They have the same information states and actions, in the same tree; only the numbers differ."""
    between = coordinated(game)
    prescriptions, parents = between.coordination.prescriptions, parents_of(between)
    for index, team in enumerate(game.teams):
        if len(team) > 1:
            continue
        own = between.sequence_form.sequences_of(index)
        theirs = game.sequence_form.sequences_of(team[0])
        assert sorted(prescriptions[own]) == list(range(theirs.start, theirs.stop))
        original = dict(enumerate(prescriptions)) | {between.num_sequences + index: game.num_sequences + team[0]}
        by_state = {point.information_state: point for point in game.decision_points if point.player == team[0]}
        for point in [point for point in between.decision_points if point.player == index]:
            same = by_state.pop(point.information_state)
            assert point.actions == same.actions
            assert prescriptions[point.sequences].tolist() == list(range(game.num_sequences))[same.sequences]
            assert [original[parent] for parent in parents[point.index]] == [
                game.sequence_form.parent_sequences[same.index]
            ]
        assert not by_state
        last = [original[sequence] for sequence in between.sequence_form.last_sequences[index].tolist()]
        assert last == game.sequence_form.last_sequences[team[0]].tolist()
        assert (between.sequence_form.payoffs[index] == game.sequence_form.payoffs[team[0]]).all()


# Solving


VALUES = [
    *((name, None, value, 1e-12) for name, value in MCC_VALUES.items()),
    ("kuhn_poker(players=3)", [[1, 2], [0]], 5 / 264, 1e-12),
    ("kuhn_poker(players=4)", [[0, 1], [2, 3]], -7 / 380, 1e-9),
]


def test_values_of_known_games():
    for name, teams, value, exact in VALUES:
        game = gb.load_game(name, teams=teams, coordinated=True)
        assert game.category == "zero-sum"
        policy = gb.solve(game, "CRD", 2000, measures=[]).policy
        assert bounds(game, policy) == pytest.approx((value, value), abs=exact)
        if game.coordination.full_game.num_players == 3:
            assert column_generation(game.coordination.full_game).value == pytest.approx(value, abs=1e-10)


def test_values_of_random_games():
    for teams, seed in product([*PAIRS, *TRIOS], range(4)):
        game = random_team_game(seed, teams, constant=seed % 3)
        between, exact = gb.with_coordination(game), 1e-9 * game.max_abs_payoff
        expected = column_generation(game).value
        with suppress(ValueError):  # there are too many plans
            assert coordinated_value(game, MAX_PLANS).value == pytest.approx(expected, abs=exact)
        assert gb.security_level(between, 0).value == pytest.approx(expected, abs=exact)
        assert gb.solve_exactly(between).value == pytest.approx(expected, abs=exact)
        if seed < 2:
            policy = gb.solve(between, "CRD", 3000, measures=[]).policy
            assert bounds(between, policy) == pytest.approx((expected, expected), abs=exact)


REACHED = {
    **dict.fromkeys(["CRD", "PCFR+", "APCFR+", "PDCFR+", "RTCFR+"], 1e-6),
    "SAPCFR+": 3e-6,
    **dict.fromkeys(["CFR+", "DCFR", "DCFR+"], 1e-4),
    "LCFR": 1e-3,
    "CFR": 3e-3,
}
"""NashConv that each member of the regret family is below after 4000 iterations."""


def test_the_regret_family_solves_games_between_coordinators():
    for name, algorithm in product(MCC_VALUES, REACHED):
        game = gb.load_game(name, coordinated=True)
        result = gb.solve(game, algorithm, 4000, checkpoints=[4000])
        assert result.curve.last["NashConv"] < REACHED[algorithm], algorithm
        lower, upper = bounds(game, result.policy)
        assert lower - 1e-12 <= MCC_VALUES[name] <= upper + 1e-12


# Labels


@given(team_games(max_nodes=60))
@settings(max_examples=25)
def test_labels_are_unique_and_name_the_member(game):
    between, prescriptions = coordinated(game), coordinated(game).coordination.prescriptions
    keys = [(point.player, point.information_state) for point in between.decision_points]
    assert len(set(keys)) == len(keys)
    place = game.sequence_form.decision_points_of_sequences()
    for point in between.decision_points:
        team, prescribed = game.teams[point.player], prescriptions[point.sequences]
        if (prescribed < 0).all():
            assert point.information_state.startswith("end: ")
            assert point.actions == ("end",)
            continue
        [full_point] = {game.decision_points[place[sequence]] for sequence in prescribed}
        assert full_point.player in team
        assert point.actions == full_point.actions
        assert [between.labels.action_ids[s] for s in range(*point.sequences.indices(between.num_sequences))] == [
            game.labels.action_ids[s] for s in prescribed
        ]
        if len(team) == 1:
            assert point.information_state == full_point.information_state
        else:
            name = f"player {full_point.player} at {full_point.information_state} (belief "
            assert point.information_state.startswith(name)


def test_labels_tell_where_the_team_may_be():
    game = gb.load_game("MCCKuhn-A", coordinated=True)
    names = game.labels.information_states
    cards = "player 0 at 0 or player 0 at 1 or player 0 at 2 or player 0 at 3"
    assert names[0] == f"player 0 at 0 (belief 1: {cards})"
    assert "player 1 at 0ppbb (belief 7)" in names
    assert "end: Pass of player 0 at 0 and Pass of player 1 at 1p" in names
    shown = [name.count(" or ") + 1 for name in names if ": player" in name]
    assert max(shown) == MOST_SHOWN + 1
    assert all(name.endswith(" more)") for name in names if name.count(" or ") == MOST_SHOWN)
    assert names.index("0bb") == 977 == len(names) - 1
    # Labels on several lines become one.
    game = gb.load_game("MCCGoofspiel", coordinated=True)
    of_team, of_lone = game.decision_points[0].information_state, game.decision_points[-1].information_state
    assert "\n" not in of_team
    assert of_team.startswith("player 0 at Current player: 0 P0 hand: 1 2 3 ")
    assert of_lone == game.coordination.full_game.decision_points[-1].information_state


def test_labels_are_equal_if_the_choices_are():
    plain, game = gb.load_game("MCCKuhn-B"), gb.load_game("MCCKuhn-B", coordinated=True)
    assert game.labels == gb.with_coordination(gb.with_payoff_scale(plain, 3)).labels
    assert game.labels != gb.load_game("MCCKuhn-A", coordinated=True).labels
    assert game.labels != plain.labels
    assert game.labels.information_states == tuple(game.labels.information_states)


# Files and processes


def test_pickles():
    game = gb.load_game("MCCKuhn-A", coordinated=True)
    again = pickle.loads(pickle.dumps(game))
    assert again.fingerprint == game.fingerprint
    assert again.labels == game.labels
    assert again.coordination.full_game.fingerprint == game.coordination.full_game.fingerprint
    assert np.array_equal(again.coordination.prescriptions, game.coordination.prescriptions)
    assert not any(array.flags.writeable for array in again.sequence_form.arrays().values())
    policy = gb.random_policy(game, 1)
    assert gb.expected_values(again, policy) == pytest.approx(gb.expected_values(game, policy), abs=0)
    plans = [own.sample_plan(0, 5).probabilities for own in (policy, pickle.loads(pickle.dumps(policy)))]
    assert np.array_equal(*plans)


def test_policy_files(tmp_path):
    game = gb.load_game("MCCKuhn-B", coordinated=True)
    policy = gb.random_policy(game, 1)
    policy.save(tmp_path / "policy.npz")
    again = gb.with_coordination(gb.load_game("kuhn_poker(players=3)", teams=[[0, 2], [1]]))
    assert again.fingerprint == game.fingerprint
    assert np.array_equal(gb.Policy.load(tmp_path / "policy.npz", again).probabilities, policy.probabilities)
    for other in ("MCCKuhn-A", "MCCGoofspiel"):
        with pytest.raises(gb.errors.PolicyMismatchError, match=r"'MCCKuhn-B \[coordinated\]'"):
            gb.Policy.load(tmp_path / "policy.npz", gb.load_game(other, coordinated=True))
    with pytest.raises(gb.errors.PolicyMismatchError, match="not for 'MCCKuhn-B' "):
        gb.Policy.load(tmp_path / "policy.npz", gb.load_game("MCCKuhn-B"))
    scaled = gb.with_payoff_scale(game, 2)
    with pytest.raises(gb.errors.PolicyMismatchError, match="their decision points and actions are the same"):
        gb.evaluate(scaled, policy, "NashConv")


def test_states_are_saved_and_continued(tmp_path):
    game = gb.load_game("MCCKuhn-B", coordinated=True)
    whole = gb.solve(game, "PCFR+", 20)
    gb.solve(game, "PCFR+", 7).save_state(tmp_path / "state.npz")
    again = gb.solve(gb.load_game("MCCKuhn-B", coordinated=True), "PCFR+", 20, state=tmp_path / "state.npz")
    assert np.array_equal(whole.policy.probabilities, again.policy.probabilities)
