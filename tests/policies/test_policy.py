"""Policies: reading, checking, saving, loading, and conversion to and from OpenSpiel."""

import copy
import dataclasses
import pickle

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as open_spiel_policy

import gamebench as gb
from gamebench.games.loading.openspiel import original_game
from gamebench.policies import as_batch
from gamebench.system.files import save_arrays
from tests.helpers import near_deterministic_policy, refuses


def test_uniform_and_random():
    game = gb.load_game("Leduc")
    uniform = gb.uniform_policy(game)
    for point in game.decision_points:
        assert uniform.probabilities[point.sequences] == pytest.approx(1 / len(point.actions), abs=1e-15)
    one, again, other = gb.random_policy(game, 1), gb.random_policy(game, 1), gb.random_policy(game, 2)
    assert np.array_equal(one.probabilities, again.probabilities)
    assert not np.array_equal(one.probabilities, other.probabilities)


def test_pairs_that_are_not_there():
    for key, sentence in [
        (
            (1, "0"),
            "There is no information state of player 1 of 'kuhn_poker' called '0'; did you mean '0p' or '0b'? It "
            "belongs to player 0.",
        ),
        (
            (0, "zz"),
            "There is no information state of player 0 of 'kuhn_poker' called 'zz'; available: 0, 0pb, 1, 1pb, 2, 2pb.",
        ),
        ((np.int64(5), "0"), "'kuhn_poker' has the players 0 to 1, not 5."),
        ((0.5, "0"), "'kuhn_poker' has the players 0 to 1, not 0.5."),
        (
            (0, "0", "b"),
            "A key of a policy must be an information state, a pair (player, information state) or a decision point",
        ),
    ]:
        with pytest.raises(gb.errors.GameBenchError) as caught:
            gb.uniform_policy("kuhn_poker")[key]
        assert str(caught.value).startswith(sentence), key
        assert key not in gb.uniform_policy("kuhn_poker"), key


def test_probabilities_cannot_be_written_to():
    policy = gb.uniform_policy(gb.load_game("Kuhn"))
    with pytest.raises(ValueError, match="read-only"):
        policy.probabilities[0] = 1


def test_numbers_that_are_not_a_policy():
    for spoil, complaint in [
        (lambda p: p[:-1], "has 96 probabilities"),
        (lambda p: np.stack([p, p]), "has 96 probabilities"),
        (lambda p: np.where(np.arange(len(p)) == 3, np.nan, p), r"information state '.*' of 'Kuhn' contain NaN"),
        (lambda p: np.where(np.arange(len(p)) == 3, np.inf, p), "do not sum to 1"),
        (lambda p: np.where(np.arange(len(p)) == 5, -0.5, p), "are negative"),
        (lambda p: p * 1.001, "do not sum to 1"),
        (lambda p: ["a"] * len(p), "array of numbers"),
    ]:
        game = gb.load_game("Kuhn")
        refuses(
            gb.errors.PolicyError, complaint, gb.Policy, game, spoil(np.array(gb.uniform_policy(game).probabilities))
        )


def test_a_policy_of_another_game_names_both(tmp_path):
    kuhn, mixed = gb.load_game("Kuhn"), gb.load_game("MCCKuhn-A")
    gb.uniform_policy(kuhn).save(tmp_path / "policy.npz")
    with pytest.raises(gb.errors.PolicyMismatchError, match=rf"'Kuhn' \({kuhn.fingerprint}\).*'MCCKuhn-A'"):
        gb.Policy.load(tmp_path / "policy.npz", mixed)
    for use in (
        lambda: gb.evaluate(mixed, gb.uniform_policy(kuhn), "NashConv"),
        lambda: gb.improvements(mixed, gb.uniform_policy(kuhn)),
        lambda: gb.best_response(mixed, gb.uniform_policy(kuhn), 0),
        lambda: gb.expected_values(mixed, gb.uniform_policy(kuhn)),
        lambda: gb.action_values(mixed, gb.uniform_policy(kuhn)),
        lambda: gb.load_game("Kuhn", focal=0, others=gb.uniform_policy(gb.load_game("Leduc"))),
        lambda: gb.Mixture([gb.uniform_policy(kuhn), gb.uniform_policy(mixed)]),
    ):
        refuses(gb.errors.PolicyMismatchError, "'Kuhn'", use)


def test_a_policy_for_the_same_choices_is_told_how_to_move():
    plain, mixed = gb.load_game("Kuhn"), gb.load_game("MCCKuhn-A")
    with pytest.raises(gb.errors.PolicyMismatchError, match=r"Policy\(game, policy\.probabilities\) converts it"):
        gb.evaluate(mixed, gb.uniform_policy(plain), "NashConv")
    moved = gb.Policy(mixed, gb.uniform_policy(plain).probabilities)
    assert gb.evaluate(mixed, moved, "NashConv") == pytest.approx(1.0625, abs=1e-12)


def test_policy_files_that_cannot_be_opened(tmp_path):
    game = gb.load_game("Kuhn")
    refuses(gb.errors.PolicyError, "No such file", gb.Policy.load, tmp_path / "missing.npz", game)
    refuses(gb.errors.PolicyError, "No such file", gb.uniform_policy(game).save, tmp_path / "missing" / "policy.npz")


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    game = gb.load_game("Kuhn")
    path = tmp_path / "policy.npz"
    gb.random_policy(game, 1).save(path)
    before = path.read_bytes()

    def full_disk(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gamebench.system.files.os.fsync", full_disk)
    refuses(gb.errors.PolicyError, "No space left", gb.random_policy(game, 2).save, path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_to_open_spiel_and_back():
    for name in [
        *gb.catalogue.PAPER_GAMES,
        "matrix_shapleys_game",
        "oshi_zumo(coins=3,size=1,horizon=3)",
        "python_kuhn_poker",
    ]:
        game = gb.load_game(name)
        policy = near_deterministic_policy(game, 3)
        table = policy.to_open_spiel()
        assert isinstance(table, open_spiel_policy.TabularPolicy), name
        assert np.array_equal(gb.Policy.from_open_spiel(game, table).probabilities, policy.probabilities), name


def test_to_open_spiel_and_back_for_payoffs():
    for shape in [(2, 3), (3, 2, 2), (4, 1)]:
        game = gb.Game.from_payoffs(np.random.default_rng(0).normal(size=(*shape, len(shape))))
        policy = gb.random_policy(game, 3)
        table = policy.to_open_spiel()
        assert np.array_equal(gb.Policy.from_open_spiel(game, table).probabilities, policy.probabilities), shape
        returns = pyspiel.expected_returns(
            table.game.new_initial_state(), pyspiel.TabularPolicy(_as_dict(table)), -1, True
        )
        assert gb.expected_values(game, policy) == pytest.approx(returns, abs=1e-10), shape


def _as_dict(table):
    return {
        key: [(action, p) for action, p in enumerate(table.action_probability_array[row]) if p > 0]
        for key, row in table.state_lookup.items()
    }


def test_a_focal_policy_in_open_spiel_has_the_fixed_rows_of_the_others():
    others = gb.random_policy(gb.load_game("kuhn_poker(players=2)"), 9)
    game = gb.load_game("kuhn_poker(players=2)", focal=0, others=others)
    policy = gb.random_policy(game, 8)
    table = policy.to_open_spiel()
    full = gb.load_game("kuhn_poker(players=2)")
    for point in full.decision_points:
        row = table.policy_for_key(point.information_state)
        expected = policy[point.information_state] if point.player == 0 else others[point]
        assert row.tolist() == list(expected.values())
    # OpenSpiel does not know focal players, and gives this player the same value.
    value = pyspiel.expected_returns(table.game.new_initial_state(), pyspiel.TabularPolicy(_as_dict(table)), -1, True)
    assert gb.expected_values(game, policy)[0] == pytest.approx(value[0], abs=1e-10)


def test_a_team_policy_in_open_spiel_plays_the_original_game():
    game = gb.load_game("MCCKuhn-A")
    table = gb.random_policy(game, 8).to_open_spiel()
    assert str(table.game) == str(original_game(gb.load_game("Kuhn").source))


def test_any_object_with_action_probabilities_will_do():
    game = gb.load_game("Kuhn")

    class Callers:
        def action_probabilities(self, state, player_id=None):
            actions = state.legal_actions()
            return {actions[-1]: 1.0}

    policy = gb.Policy.from_open_spiel(game, Callers())
    assert policy["0"] == {"Pass": 0.0, "Bet": 1.0}
    assert gb.Policy.from_open_spiel(gb.load_game("Kuhn-B"), Callers()).probabilities.sum() == 6


def test_a_policy_of_the_simultaneous_game_will_do():
    for name in ["matrix_shapleys_game", "goofspiel(players=3,num_cards=3,imp_info=True)"]:
        simultaneous = pyspiel.load_game(name)
        table = open_spiel_policy.TabularPolicy(simultaneous)
        rng = np.random.default_rng(0)
        for row, mask in zip(table.action_probability_array, table.legal_actions_mask, strict=True):
            row[:] = rng.random(len(row)) * mask
            row /= row.sum()
        game = gb.load_game(name)
        policy = gb.Policy.from_open_spiel(game, table)
        first = simultaneous.new_initial_state()
        while first.is_chance_node():
            first = first.child(first.legal_actions()[0])
        for player in range(game.num_players):
            expected = table.action_probabilities(first, player)
            point = game.decision_points[game.sequence_form.player_blocks[player]]
            assert policy.probabilities[point.sequences] == pytest.approx(list(expected.values()), abs=1e-15), name


def test_invalid_open_spiel_policies():
    game = gb.load_game("Kuhn")
    refuses(gb.errors.PolicyError, "action_probabilities", gb.Policy.from_open_spiel, game, "uniform")
    with pytest.raises(gb.errors.PolicyError, match="gives no probabilities at the information state"):
        gb.Policy.from_open_spiel(game, open_spiel_policy.TabularPolicy(pyspiel.load_game("leduc_poker")))

    class Illegal:
        def action_probabilities(self, state, player_id=None):
            return {77: 1.0}

    refuses(gb.errors.PolicyError, "illegal action 77", gb.Policy.from_open_spiel, game, Illegal())


def test_mixtures_with_wrong_weights():
    for weights, complaint in [
        ([1], "needs one weight per policy"),
        ([1, -1], "at least 0"),
        ([0, 0], "not all 0"),
        ([1, np.nan], "finite"),
        (["a", 1], "numbers"),
    ]:
        game = gb.load_game("Kuhn")
        refuses(
            gb.errors.PolicyError, complaint, gb.Mixture, [gb.uniform_policy(game), gb.random_policy(game, 1)], weights
        )
        refuses(gb.errors.PolicyError, "one or more policies", gb.Mixture, [])


def test_mixtures_with_huge_weights():
    game = gb.load_game("Kuhn")
    assert gb.Mixture([gb.uniform_policy(game)] * 2, [1e308, 1e308]).weights.tolist() == [0.5, 0.5]


def test_pickles_stay_frozen():
    """NumPy drops the read-only flag; kernels would compile again, and frozen games could be changed."""
    full = gb.load_game("Kuhn")
    game = gb.load_game("Kuhn", focal=0, others=gb.random_policy(full, 1))
    for thing in (game, full, gb.uniform_policy(full), gb.Mixture([gb.uniform_policy(full)], [2])):
        again = pickle.loads(pickle.dumps(thing))
        assert type(again) is type(thing)
        if isinstance(again, gb.Game):
            assert again.fingerprint == thing.fingerprint
            assert not any(array.flags.writeable for array in again.sequence_form.arrays().values())
        if isinstance(again, gb.Policy):
            assert not again.probabilities.flags.writeable
    assert not pickle.loads(pickle.dumps(game)).focus.others.flags.writeable


def test_things_that_are_not_a_policy_or_a_game():
    game = gb.load_game("Kuhn")
    policy = gb.uniform_policy(game)
    for use in (
        lambda: gb.expected_values(game, policy.probabilities[:-1]),
        lambda: gb.improvements(game, None),
        lambda: gb.best_response(game, object(), 0),
        lambda: gb.best_response(game, gb.Mixture([policy]), 0),
        lambda: gb.uniform_policy(3),
        lambda: gb.Policy("Kuhn", [0.5, 0.5]),
        lambda: gb.random_policy(game, -1),
        lambda: gb.random_policy(game, "x"),
        lambda: policy[0],
        lambda: gb.Mixture(policy),
        lambda: gb.Policy.load("policy.npz", "Kuhn"),
        lambda: gb.Policy.from_open_spiel(policy.to_open_spiel(), game),
    ):
        with pytest.raises((gb.errors.PolicyError, gb.errors.GameError), match=r"\.$"):
            use()


def test_a_team_game_made_from_payoffs_goes_to_open_spiel_without_its_teams():
    payoffs = np.random.default_rng(0).normal(size=(2, 2, 2, 3))
    game = gb.with_teams(gb.Game.from_payoffs(payoffs), [[0, 1], [2]])
    table = gb.Policy(game, [1, 0, 0, 1, 1, 0]).to_open_spiel()
    state = table.game.new_initial_state()
    for action in (0, 1, 0):
        state.apply_action(action)
    assert state.returns() == payoffs[0, 1, 0].tolist()


def test_players_who_share_an_information_state_cannot_go_to_open_spiel():
    game = gb.load_game("kuhn_poker(players=2)")
    labels = dataclasses.replace(game.labels, information_states=("same",) * 12)
    with pytest.raises(gb.errors.PolicyError, match="TabularPolicy cannot tell apart"):
        gb.uniform_policy(dataclasses.replace(game, labels=labels)).to_open_spiel()


def test_plans_are_those_of_coordinators(monkeypatch):
    game, full = gb.load_game("MCCKuhn-B", coordinated=True), gb.load_game("MCCKuhn-B")
    policy = gb.random_policy(game, 1)
    for use in (lambda: gb.uniform_policy(full).sample_plan(0), gb.uniform_policy(full).to_mixture):
        refuses(gb.errors.PolicyError, r"^'MCCKuhn-B' is not a game between coordinators; load it with coor.*\.$", use)
    for team in (2, -1, 0.5, "0", True):
        refuses(gb.errors.PolicyError, r"^The team must be a whole number from 0 to 1, not ", policy.sample_plan, team)
    for seed in (-1, "x", 0.5):
        refuses(gb.errors.PolicyError, r"^seed must be a whole number", policy.sample_plan, 0, seed)
    complaint = r"^A coordinator of 'MCCKuhn-B \[coord.*\(team, generator\) return\.$"
    refuses(gb.errors.PolicyError, complaint, policy.to_open_spiel)
    plans = len(policy.to_mixture().policies)
    monkeypatch.setattr("gamebench.games.teams.coordination.MOST_PLANS", plans)
    assert len(policy.to_mixture().policies) == plans
    monkeypatch.setattr("gamebench.games.teams.coordination.MOST_PLANS", plans - 1)
    complaint = rf"^This policy of 'MCCKuhn-B .* mixes more than {plans - 1} joint plans; sample them with .*\.$"
    refuses(gb.errors.PolicyError, complaint, policy.to_mixture)


def test_single_precision_will_do():
    game = gb.load_game("Goofspiel")

    class Network:
        def action_probabilities(self, state, player_id=None):
            actions = state.legal_actions()
            return {action: np.float32(1 / len(actions)) for action in actions}

    uniform = gb.uniform_policy(game).probabilities
    assert gb.Policy(game, uniform.astype(np.float32)).probabilities == pytest.approx(uniform, abs=1e-7)
    policy = gb.Policy.from_open_spiel(game, Network())
    assert policy.probabilities == pytest.approx(gb.uniform_policy(game).probabilities, abs=1e-7)


def test_only_real_numbers_are_probabilities():
    for values in [
        np.full(12, 0.5 + 0.5j),
        [0.5 + 0j] * 12,
        ["0.5"] * 12,
        np.full(12, "0.5"),
        np.full(12, b"0.5"),
        np.full(12, 0.5, dtype=object),
        np.zeros(12, dtype="timedelta64[s]"),
        [0.5, None] * 6,
        {"a": 0.5},
    ]:
        game = gb.load_game("kuhn_poker")
        with pytest.raises(
            gb.errors.PolicyError, match=r"^A policy is an array of numbers, one probability per sequence"
        ):
            gb.Policy(game, values)
        with pytest.raises(gb.errors.PolicyError, match=r"^The weights of a mixture must be numbers"):
            gb.Mixture([gb.uniform_policy(game)] * 12, values)
        with pytest.raises(gb.errors.PolicyError, match=r"^A batch of policies is an array of numbers"):
            gb.measures.MEASURES["NashConv"].of_batch(game, values)


def test_the_shape_is_checked_before_anything_is_copied():
    game, huge = gb.load_game("Kuhn-A"), np.broadcast_to(0.5, (10**6, 10**6))
    for refused in (lambda: gb.Policy(game, huge), lambda: gb.Policy(game, np.broadcast_to(0.5, 10**15))):
        refuses(gb.errors.PolicyError, "one per sequence; got an array of shape", refused)
    refuses(gb.errors.PolicyError, "needs one weight per policy", gb.Mixture, [gb.uniform_policy(game)], huge)
    refuses(gb.errors.PolicyError, "has the shape", as_batch, game, huge)


def test_probabilities_of_other_real_types():
    game = gb.load_game("kuhn_poker")
    first = gb.uniform_policy(game).probabilities * 0
    first[::2] = 1
    for dtype in (bool, np.int8, np.uint64, np.float16, np.float32, np.longdouble, ">f8"):
        assert (gb.Policy(game, first.astype(dtype)).probabilities == first).all()


def test_a_complex_policy_in_a_file(tmp_path):
    game, path = gb.load_game("kuhn_poker"), tmp_path / "policy.npz"
    metadata = {"format": "gamebench policy 1", "game": game.name, "fingerprint": game.fingerprint}
    save_arrays(path, metadata, {"probabilities": gb.uniform_policy(game).probabilities + 0.5j})
    refuses(gb.errors.PolicyError, "not of type complex128", gb.Policy.load, path, game)


def test_a_policy_says_that_it_cannot_be_changed_and_how_another_is_made():
    """An assignment to a copy would be lost silently."""
    game = gb.load_game("Kuhn")
    policy = gb.uniform_policy(game)
    before = policy.probabilities.tolist()
    here = policy["2pb"]
    for change in (
        lambda: here.__setitem__("Bet", 1.0),
        lambda: here.__delitem__("Bet"),
        lambda: here.update(Bet=1.0),
        lambda: here.pop("Bet"),
        here.popitem,
        here.clear,
        lambda: here.setdefault("Raise", 0.0),
        lambda: here.__ior__({"Bet": 1.0}),
        lambda: policy.__setitem__("2pb", {"Bet": 1.0}),
        lambda: policy.__delitem__("2pb"),
    ):
        refuses(
            gb.errors.PolicyError,
            r"^A policy cannot be changed; copy its probabilities, .*gb\.Policy\(game, p\)\.$",
            change,
        )
    assert here == {"Pass": 0.5, "Bet": 0.5} == pickle.loads(pickle.dumps(here)) == copy.deepcopy(here)
    assert policy.probabilities.tolist() == before
    [point] = [point for point in game.decision_points if point.information_state == "2pb"]
    p = np.array(policy.probabilities)
    p[point.sequences] = [0.0, 1.0]
    assert gb.Policy(game, p)["2pb"] == {"Pass": 0.0, "Bet": 1.0}
