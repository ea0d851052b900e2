"""Policies from all kinds of sources, checked against OpenSpiel and an independently written table."""

import dataclasses
import json
from fractions import Fraction

import numpy as np
import pandas
import pyspiel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from open_spiel.python import policy as open_spiel_policy
from open_spiel.python import rl_environment
from open_spiel.python.algorithms.cfr import CFRSolver
from open_spiel.python.algorithms.expected_game_score import policy_value
from open_spiel.python.algorithms.exploitability import nash_conv
from open_spiel.python.algorithms.tabular_qlearner import QLearner
from open_spiel.python.bots.policy import PolicyBot
from open_spiel.python.bots.uniform_random import UniformRandomBot
from open_spiel.python.rl_agent_policy import JointRLAgentPolicy

import gamebench as gb
from gamebench.games.loading.openspiel import original_game
from gamebench.policies import as_policy
from tests.helpers import as_naive_policy, as_state_policy, refuses
from tests.oracles.random_games import random_efg

KUHN = gb.load_game("kuhn_poker")
RANDOM = gb.random_policy(KUHN, 1)


def same(source, policy=RANDOM, **options):
    read = as_policy(policy.game, source, **options)
    assert read.probabilities == pytest.approx(policy.probabilities, abs=1e-15)


def by_name(policy):
    return {point.information_state: dict(policy[point]) for point in policy.game.decision_points}


def sources_of(policy):
    """One policy in all forms that do not need OpenSpiel."""
    table, game = by_name(policy), policy.game
    ids = as_naive_policy(policy)
    return [
        policy,
        policy.probabilities,
        policy.probabilities.tolist(),
        table,
        ids,
        {point: list(policy[point].items()) for point in game.decision_points},
        {state: [list(pair) for pair in pairs] for state, pairs in as_state_policy(policy).items()},
        lambda point: table[point.information_state],
        lambda point: pandas.Series(dict(reversed(table[point.information_state].items()))),
        [*map(Fraction, policy.probabilities.tolist())],
        lambda point: policy.probabilities[point.sequences].tolist(),
        lambda point: list(ids[point.player, point.information_state].items()),
        gb.agent(lambda points: [table[point.information_state] for point in points], batch=True),
        dict.fromkeys(range(game.num_players), policy),
        [table] * game.num_players,
    ]


def test_one_policy_in_many_forms():
    for source in sources_of(RANDOM):
        same(source)
    result = gb.solve(KUHN, "CFR+", 10)
    same(result, result.policy)
    same(gb.best_response(KUHN, RANDOM, 0), gb.best_response(KUHN, RANDOM, 0).policy)
    same("uniform", gb.uniform_policy(KUHN))


@settings(max_examples=10)
@given(st.integers(0, 10_000), st.integers(1, 3), st.booleans())
def test_random_games_in_many_forms(tmp_path_factory, seed, players, shared):
    path = tmp_path_factory.mktemp("games") / "game.efg"
    path.write_text(random_efg(seed, players=players, max_nodes=30, shared_names=shared))
    game = gb.load_game(path)
    policy = gb.random_policy(game, seed)
    for source in sources_of(policy):
        same(source, policy)
    table = policy.to_open_spiel()
    same(table, policy)
    same(pyspiel.TabularPolicy(as_state_policy(policy)), policy)
    same(gb.agent(lambda state: table.action_probabilities(state), of="state"), policy)
    same(json.loads(json.dumps({key: [list(pair) for pair in row] for key, row in table.to_dict().items()})), policy)


def seats(game, policy):
    """Each player's OpenSpiel policy as a bot."""
    table = policy.to_open_spiel()
    return [PolicyBot(player, np.random.RandomState(0), table) for player in range(game.num_players)]


def test_bots_of_every_kind_against_open_spiel():
    game, policy = gb.load_game("Kuhn"), gb.random_policy(gb.load_game("Kuhn"), 2)
    same(seats(game, policy), policy)
    same(dict(enumerate(seats(game, policy))), policy)
    original = original_game(game.source)
    for bots in (
        [UniformRandomBot(player, np.random.RandomState(0)) for player in range(3)],
        [pyspiel.make_uniform_random_bot(player, 1) for player in range(3)],
        [pyspiel.make_stateful_random_bot(original, player, 1) for player in range(3)],
        [pyspiel.make_policy_bot(original, player, 1, pyspiel.UniformRandomPolicy(original)) for player in range(3)],
    ):
        same(bots, gb.uniform_policy(game))
    mixed = [seats(game, policy)[0], pyspiel.make_uniform_random_bot(1, 1), policy]
    tables = [policy.to_open_spiel(), open_spiel_policy.UniformRandomPolicy(original), policy.to_open_spiel()]
    expected = policy_value(original.new_initial_state(), tables)
    assert gb.expected_values("Kuhn", mixed) == pytest.approx(expected, abs=1e-12)


def test_open_spiel_s_policies_have_open_spiel_s_nash_conv():
    for table in (RANDOM.to_open_spiel(), open_spiel_policy.UniformRandomPolicy(original_game(KUHN.source))):
        assert gb.evaluate("kuhn_poker", table, "NashConv") == pytest.approx(
            nash_conv(original_game(KUHN.source), table), abs=1e-12
        )


def test_bots_of_simultaneous_games():
    for name in ["matrix_shapleys_game", "goofspiel(players=2,num_cards=3,imp_info=True)"]:
        game = gb.load_game(name)
        bots = [UniformRandomBot(player, np.random.RandomState(0)) for player in range(2)]
        same(bots, gb.uniform_policy(game))
        simultaneous = open_spiel_policy.UniformRandomPolicy(pyspiel.load_game(name))
        same(
            [PolicyBot(player, np.random.RandomState(0), simultaneous) for player in range(2)], gb.uniform_policy(game)
        )


def test_tables_of_open_spiel_where_its_names_are_others():
    """Exported policies of normal-form games, focal games and games without information states can be read."""
    for name in ["matrix_shapleys_game", "Kuhn-B", "MCCKuhn-B", "catch(rows=3,columns=2)"]:
        game = gb.load_game(name)
        policy = gb.uniform_policy(game) if name.startswith("catch") else gb.random_policy(game, 3)
        same({key: [list(pair) for pair in row] for key, row in policy.to_open_spiel().to_dict().items()}, policy)


def test_one_player_s_policy():
    only = open_spiel_policy.TabularPolicy(original_game(KUHN.source), players=[0])
    alone = {point.information_state: "Bet" for point in KUHN.decision_points if point.player == 0}
    for part in (only, alone, {0: alone}, {0: RANDOM}):
        for use in (gb.evaluate, gb.expected_values, gb.improvements, gb.action_values):
            complaint = r"^There is no policy for player 1 of 'kuhn_poker'; add it with gb\.combine.*\.$"
            refuses(gb.errors.PolicyError, complaint, use, KUHN, part)
        response = gb.best_response(KUHN, part, 1)
        whole = gb.combine({0: part, 1: "uniform"}, KUHN)
        assert response.value == gb.best_response(KUHN, whole, 1).value
        assert response.policy.probabilities.tolist() == gb.best_response(KUHN, whole, 1).policy.probabilities.tolist()
        refuses(gb.errors.PolicyError, "no policy for player 1", gb.best_response, KUHN, part, 0)


def test_combine():
    own = KUHN.sequence_form.sequences_of(0)
    uniform = gb.uniform_policy(KUHN)
    joint = gb.combine({0: RANDOM, 1: uniform})
    assert joint.probabilities[own].tolist() == RANDOM.probabilities[own].tolist()
    assert joint.probabilities[own.stop :].tolist() == uniform.probabilities[own.stop :].tolist()
    same(gb.combine({0: RANDOM}, others="uniform"), joint)
    same(gb.combine({1: "uniform"}, "kuhn_poker", others=RANDOM), joint)
    three = gb.combine({(0, 1): "uniform", 2: lambda point: "Bet"}, "Kuhn")
    assert [three[state]["Bet"] for state in ("0", "0p", "0pp")] == [0.5, 0.5, 1.0]


def test_combine_refuses():
    for parts, options, complaint in [
        ({0: "uniform", 1: "uniform"}, {}, "pass game= to combine()"),
        ({0: RANDOM}, {}, "There is no policy for player 1"),
        ({0: RANDOM, 2: RANDOM}, {}, "has the players 0 to 1, not 2"),
        ({0: RANDOM, (0, 1): RANDOM}, {}, "Player 0 has two policies"),
        ({"0": RANDOM}, {}, "has the players 0 to 1, not '0'"),
        (RANDOM, {}, "combine() takes a dictionary from players to policies"),
        ([RANDOM], {}, "combine() takes a dictionary from players to policies"),
    ]:
        with pytest.raises(gb.errors.PolicyError) as caught:
            gb.combine(parts, **options)
        assert complaint in str(caught.value), parts


class Silent(pyspiel.Bot):
    def step(self, state):
        return state.legal_actions()[0]


def changed(state, row):
    return {**by_name(RANDOM), state: row}


ENDLESS = []
ENDLESS += [ENDLESS, RANDOM]
DILEMMA = gb.Game.from_payoffs([[[3, 3], [0, 4]], [[4, 0], [1, 1]]])


def test_invalid_policies_are_explained_in_one_sentence():
    for source, complaint in [
        (changed("0pb", {"Bet": 0.5}), "at the information state '0pb' of 'kuhn_poker' do not sum to 1: [0.0, 0.5]"),
        (changed("0pb", {"Bet": np.nan}), "The probability of 'Bet' is NaN at the information state '0pb' of player 0"),
        (changed("0pb", [np.nan, 1.0]), "The probabilities contain NaN at the information state '0pb' of player 0"),
        (changed("0pb", {"Bet": 2, "Pass": -1}), "at the information state '0pb' of 'kuhn_poker' are negative"),
        (changed("0pb", {"Raise": 1}), "The illegal action 'Raise' has probability 1 at the information state '0pb'"),
        (changed("0pb", [[7, 0.5], [1, 0.5]]), "The illegal action 7 has probability 0.5 at the information state"),
        (changed("0pb", {"Bet": "all"}), "The probability of 'Bet' must be a number, not 'all', at the information"),
        (changed("0pb", [1]), "Expected probabilities of Pass, Bet at the information state '0pb' of player 0"),
        (changed("0pb", [[1]]), "Expected (action, probability) pairs at the information state '0pb'"),
        (changed("0pb", None), "Expected probabilities of Pass, Bet at the information state '0pb'"),
        (changed("0pb", {"Bet": 10**400}), "The probability of 'Bet' must be a number, not 1000"),
        (changed("0pb", {"Bet": 0.5, 1: 0.5, 0: 0.5}), "The action 1 has two probabilities at the information state"),
        (changed("0pb", [("Bet", 0.5), ("Bet", 0.5)]), "The action 'Bet' has two probabilities at the information"),
        (changed("0pb", {"Bet": 1, 7: 2e-9}), "The illegal action 7 has probability 2e-09 at the information state"),
        (
            changed("0pb", {"Bet": 1, 7: np.nan}),
            "The probability of 7 is NaN at the information state '0pb'",
        ),
        (changed((0, "0pb"), "Bet"), "The table has two entries at the information state '0pb' of player 0"),
        (changed("7", "Bet"), "no information state of 'kuhn_poker' called '7'"),
        ({key: row for key, row in by_name(RANDOM).items() if key not in ("0pb", "1b")}, "'0pb' of player 0 in"),
        (lambda point: 1 / 0, "gives no probabilities at the information state '0' of player 0"),
        (lambda state: state.legal_actions()[0], '; if f takes an OpenSpiel state, wrap it as gb.agent(f, of="state")'),
        (lambda: None, "gives no probabilities at the information state '0' of player 0"),
        ([RANDOM], "one for each of the 2 players of 'kuhn_poker', not 1"),
        (pyspiel.make_uniform_random_bot(0, 1), "A bot plays for one player, and 'kuhn_poker' has 2"),
        ([Silent(), Silent()], "sample it with gb.estimate_policy(game, bot, samples=...)"),
        (KUHN, "or the path of a file for 'kuhn_poker', got Game('kuhn_poker'"),
        (None, "or the path of a file for 'kuhn_poker', got None"),
        (CFRSolver(original_game(KUHN.source)), "CFRSolver is a solver, not a policy; pass its average_policy()."),
        (pyspiel.CFRSolver(original_game(KUHN.source)), "CFRSolver is a solver, not a policy; pass its"),
        (gb.Mixture([RANDOM]), "not a single joint policy"),
        (gb.solve_exactly(DILEMMA), "not a single joint policy"),
        (ENDLESS, "nested more than 20 deep; does one contain itself?"),
    ]:
        with pytest.raises(gb.errors.GameBenchError) as caught:
            gb.expected_values(KUHN, source)
        assert complaint in str(caught.value), source
        assert str(caught.value).endswith((".", "?")), source


def test_players_who_share_an_information_state():
    labels = dataclasses.replace(KUHN.labels, information_states=("same",) * 12)
    game = dataclasses.replace(KUHN, labels=labels, source=KUHN.source)
    policy = gb.Policy(game, RANDOM.probabilities)
    same({point: dict(policy[point]) for point in game.decision_points}, policy)
    refuses(gb.errors.PolicyError, r"Several players .* use a pair \(player", gb.expected_values, game, {"same": "Bet"})


def test_tensors_that_need_gradients_are_arrays():
    class Tensor:
        def __array__(self, *_, **__):
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")

        def detach(self):
            return RANDOM.probabilities.astype(np.float32)

    assert as_policy(KUHN, Tensor()).probabilities == pytest.approx(RANDOM.probabilities, abs=1e-6)


def test_an_exact_solution_that_is_a_mixture_is_measured():
    solution = gb.solve_exactly(DILEMMA)
    assert isinstance(solution.policy, gb.Mixture)
    assert gb.evaluate(DILEMMA, solution) == gb.evaluate(DILEMMA, solution.policy)


def test_actions_and_almost_nothing():
    """An action in an array, and the tiny weights that a masked softmax leaves on illegal actions."""
    for answer in [1, np.array(1), np.array("Bet"), {"Bet": 1, 7: 5e-31}, {np.int64(1): np.array(1)}]:
        assert gb.Policy.from_dict(KUHN, {"0": answer}, default=RANDOM)["0"] == {"Pass": 0.0, "Bet": 1.0}, answer


def test_defaults_of_tables_in_every_kind_of_keys():
    focal = gb.load_game("kuhn_poker", focal=0)
    own = gb.random_policy(focal, 1)
    for default in ("uniform", own):  # keys of the full game, including the other player's
        expected = gb.Policy.from_dict(focal, {"0": "Bet"}, default=default)
        assert gb.Policy.from_dict(focal, {"0": "Bet", "1p": "Bet"}, default=default) == expected
    matrix = gb.Game.from_payoffs(np.zeros((2, 3, 2)))
    [theirs, other] = gb.uniform_policy(matrix).to_open_spiel().to_dict()
    [ours, last] = matrix.decision_points
    policy = gb.Policy.from_dict(matrix, {theirs: 1}, default="uniform")
    assert policy == gb.Policy.from_dict(matrix, {ours: 1}, default="uniform")
    assert (policy[ours].values(), policy[last]) == (pytest.approx([0, 1]), gb.uniform_policy(matrix)[last])
    coordinated = gb.load_game("MCCKuhn-B", coordinated=True)
    full = coordinated.coordination.full_game
    state = full.decision_points[0].information_state
    members = gb.Policy.from_dict(full, {state: 0}, default="uniform")
    assert gb.Policy.from_dict(coordinated, {state: 0}, default="uniform") == gb.lift(coordinated, members)
    with pytest.raises(gb.errors.UnknownNameError) as caught:
        gb.Policy.from_dict(matrix, {ours.information_state + "x": 1}, default="uniform")
    assert repr(ours.information_state)[1:-1] in str(caught.value)
    with pytest.raises(
        gb.errors.PolicyError, match=r"^Some keys of the table are OpenSpiel's, such as .*, and others are"
    ):
        gb.Policy.from_dict(matrix, {ours: 1, other: 1})


def test_from_dict_with_a_default():
    policy = gb.Policy.from_dict("kuhn_poker", {"0pb": "Bet"}, default=RANDOM)
    assert policy["0pb"] == {"Pass": 0.0, "Bet": 1.0}
    assert policy["1"] == RANDOM["1"]
    refuses(gb.errors.PolicyError, r"Expected a dictionary .*, got 3\.", gb.Policy.from_dict, "kuhn_poker", 3)


def test_coordinators_and_focal_players():
    game = gb.load_game("MCCKuhn-B", coordinated=True)
    members = gb.random_policy(game.coordination.full_game, 1)
    table = members.to_open_spiel()
    same(gb.agent(lambda state: table.action_probabilities(state), of="state"), gb.lift(game, members))
    same({0: table, 1: table}, gb.lift(game, members))
    full = gb.load_game("kuhn_poker")
    game = gb.with_focal(full, 1, {0: RANDOM})  # the focal player's policy may be omitted
    assert game.fingerprint == gb.with_focal(full, 1, RANDOM).fingerprint
    own = gb.Policy(game, RANDOM.probabilities[full.sequence_form.sequences_of(1)])
    same(RANDOM.to_open_spiel(), own)
    same([seats(full, RANDOM)[1]], own)


def test_all_measures_that_apply():
    values = gb.evaluate("kuhn_poker", RANDOM)
    assert values == {
        name: gb.evaluate(KUHN, RANDOM, name) for name, each in gb.measures.MEASURES.items() if each.applies(KUHN)
    }
    mixture = gb.Mixture([RANDOM, gb.uniform_policy(KUHN)])
    assert set(gb.evaluate(KUHN, mixture)) == {
        name for name in values if gb.measures.MEASURES[name].of_play is not None
    }


NAMED = """EFG 2 R "named" { "Ann" "Bob" }
p "" 1 1 "start" { "L" "R" } 0
p "" 2 1 "reply" { "l" "r" } 0
t "" 1 "" { 1 0 }
p "" 1 2 "again" { "x" "y" } 0
t "" 2 "" { 0 1 }
t "" 3 "" { 2 2 }
p "" 2 2 "again" { "x" "y" } 0
t "" 4 "" { 3 0 }
t "" 5 "" { 0 3 }
"""


@pytest.fixture
def named(tmp_path):
    (tmp_path / "named.efg").write_text(NAMED)
    return gb.load_game(tmp_path / "named.efg")


def test_names_of_information_sets_and_players_are_keys(named):
    policy = gb.random_policy(named, seed=1)
    table = {"start": policy["0-0-1-start"], "reply": policy["1-1-1-reply"]}
    pairs = {("Ann", "again"): policy["0-0-2-again"], (1, "again"): policy["1-1-2-again"]}
    assert gb.Policy.from_dict(named, {**table, **pairs}) == policy
    assert policy["start"] == policy[0, "start"] == policy["Ann", "start"] == policy["Ann", "0-0-1-start"]
    assert "start" in policy
    assert ("Bob", "start") not in policy
    assert "again" not in policy
    for parts in ({"Ann": policy, "Bob": {**table, **pairs}}, {("Ann", "Bob"): policy}, {0: policy, "Bob": policy}):
        assert gb.combine(parts, named) == policy
        assert gb.expected_values(named, parts).tolist() == gb.expected_values(named, policy).tolist()
    response = gb.best_response(named, {"Ann": policy}, "Bob")
    assert response == gb.best_response(named, policy, 1)
    assert gb.combine({"player 1": "uniform"}, "kuhn_poker", others=RANDOM)["1b"] == {"Pass": 0.5, "Bet": 0.5}


def test_names_on_the_way_to_a_focal_game(named):
    game = gb.with_focal(named, 1)
    table = {"start": "L", ("Ann", "again"): "x", "reply": "r", ("Bob", "again"): "y"}
    assert gb.Policy.from_dict(game, table)["reply"] == {"l": 0.0, "r": 1.0}


def test_players_of_a_normal_form_name_its_information_sets():
    game = gb.Game.from_payoffs([[[3, 3], [0, 4]], [[4, 0], [1, 1]]], actions=["CD", "CD"], players=["Ann", "Bob"])
    policy = gb.Policy.from_dict(game, {"Ann": "C", "Bob": {"D": 1}})
    assert gb.expected_values(game, policy).tolist() == [0, 4]
    assert gb.expected_values(game, {"Ann": "C", "Bob": "D"}).tolist() == [0, 4]
    assert gb.combine({"Ann": "uniform", "Bob": policy}, game)["Bob"] == {"C": 0.0, "D": 1.0}


def test_ambiguous_names(named):
    for source, complaint in [
        ({"again": "x"}, "sets of 'named.efg' are called 'again'; use one of '0-0-2-again', '1-1-2"),
        ({"strat": "L"}, "no information state of 'named.efg' called 'strat'; did you mean 'start'"),
        ({"Ann": "uniform", "Rob": "uniform"}, "'named.efg' has the players 0 (Ann), 1 (Bob), not 'Rob'."),
        ({"Ann": "uniform", 0: "uniform"}, "Player 0 has two policies"),
        ({"Ann": "uniform"}, "There is no policy for Bob of 'named.efg'"),
    ]:
        with pytest.raises(gb.errors.GameBenchError) as caught:
            gb.expected_values(named, source)
        assert complaint in str(caught.value)


def test_players_with_the_same_name(named):
    twins = dataclasses.replace(named, player_names=("Ann", "Ann"))
    for refused in (lambda: gb.combine({"Ann": "uniform"}, twins), lambda: gb.best_response(twins, "uniform", "Ann")):
        refuses(gb.errors.GameBenchError, r"Players 0 and 1 of .* are all called 'Ann'; use", refused)
    with pytest.raises(gb.errors.GameBenchError, match=r"has the players 0 \(Ann\), 1 \(Bob\), not 'Eve'"):
        gb.best_response(named, "uniform", "Eve")


def test_reinforcement_learners_of_open_spiel():
    kuhn = pyspiel.load_game("kuhn_poker")
    environment = rl_environment.Environment(kuhn, seed=0)
    learners = {player: QLearner(player_id=player, num_actions=2) for player in range(2)}
    for _ in range(300):
        step = environment.reset()
        while not step.last():
            action = learners[step.observations["current_player"]].step(step).action
            step = environment.step([action])
        for learner in learners.values():
            learner.step(step)
    greedy = JointRLAgentPolicy(kuhn, learners, use_observation=False)
    assert gb.evaluate("kuhn_poker", greedy, "NashConv") == pytest.approx(nash_conv(kuhn, greedy), abs=1e-12)
