"""OpenSpiel's game objects and game strings are loaded as the intended game."""

import copy
import pickle

import numpy as np
import pyspiel
import pytest
from open_spiel.python.games.kuhn_poker import KuhnPokerGame

import gamebench as gb
from gamebench.games.loading import openspiel
from gamebench.games.loading.openspiel import string_of, values_by_open_spiel, with_right_types

KUHN = {"name": "kuhn_poker"}
ROWS, COLUMNS = [[3, 0], [5, 1]], [[3, 5], [0, 1]]


class TallerStakes(KuhnPokerGame):
    """A game with the name of a registered one, but other payoffs."""

    def new_initial_state(self):
        return _Doubled(self)


class _Doubled(type(KuhnPokerGame().new_initial_state())):
    def returns(self):
        return [2 * payoff for payoff in super().returns()]


OBJECTS = {
    "efg": lambda: pyspiel.load_efg_game(pyspiel.get_sample_efg_data()),
    "matrix": lambda: pyspiel.create_matrix_game(ROWS, COLUMNS),
    "tensor": lambda: pyspiel.create_tensor_game([list(range(12)), list(range(12, 0, -1)), [1] * 12], [2, 3, 2]),
    "turn-based matrix": lambda: pyspiel.convert_to_turn_based(pyspiel.create_matrix_game(ROWS, COLUMNS)),
    "turn-based": lambda: pyspiel.load_game_as_turn_based("goofspiel(num_cards=3,imp_info=True)"),
    "python": KuhnPokerGame,
    "unregistered python": TallerStakes,
    "rounded by str": lambda: pyspiel.load_game("add_noise", {"epsilon": 1 / 3, "seed": 1, "game": KUHN}),
}


def test_a_game_object_is_loaded_itself():
    """Its payoffs are those of OpenSpiel's own walk, and policies convert in both directions."""
    for kind, make in OBJECTS.items():
        original = make()
        game = gb.load_game(original)
        policy = gb.random_policy(game, 1)
        table = policy.to_open_spiel()
        values = gb.expected_values(game, policy)
        assert np.allclose(values, values_by_open_spiel(game, table), atol=1e-12), kind
        assert np.allclose(values, naive_values(original, policy), atol=1e-12), kind
        assert np.array_equal(gb.Policy.from_open_spiel(game, table).probabilities, policy.probabilities), kind


def naive_values(original, policy):
    """Expected payoffs by recursion over the given object."""
    table = policy.to_open_spiel()
    if original.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        original = pyspiel.convert_to_turn_based(original)

    def value(state):
        if state.is_terminal():
            return np.array(state.returns())
        chances = state.chance_outcomes() if state.is_chance_node() else table.action_probabilities(state).items()
        return sum(chance * value(state.child(action)) for action, chance in chances)

    return value(original.new_initial_state())


def test_a_game_object_with_another_game_s_name():
    ours = pyspiel.create_matrix_game("matrix_rps", "not it", ["up", "up"], ["left", "right"], ROWS, COLUMNS)
    assert str(ours) == str(pyspiel.load_game("matrix_rps"))
    game = gb.load_game(ours)
    assert game.sequence_form.payoffs.T.tolist() == [[3, 3], [0, 5], [5, 0], [1, 1]]
    assert [point.actions for point in game.decision_points] == [("up (0)", "up (1)"), ("left", "right")]
    inside = gb.load_game(pyspiel.convert_to_turn_based(ours))
    assert inside.sequence_form.payoffs.T.tolist() == game.sequence_form.payoffs.T.tolist()
    assert gb.load_game(TallerStakes()).max_abs_payoff == 2 * gb.load_game("python_kuhn_poker").max_abs_payoff


def test_a_game_object_whose_file_has_changed_since(tmp_path, empty_cache):
    path = tmp_path / "game.efg"
    path.write_text(pyspiel.get_sample_efg_data())
    original = pyspiel.load_game(f"efg_game(filename={path})")
    before = gb.load_game(original).fingerprint
    path.write_text(pyspiel.get_sample_efg_data().replace("10.000000", "11.000000"))
    assert gb.load_game(original).fingerprint == before
    assert gb.load_game(f"efg_game(filename={path})").fingerprint != before


def test_an_object_that_its_string_makes_again_is_known_by_it(empty_cache):
    blotto = "turn_based_simultaneous_game(game=blotto(coins=2,fields=3,players=2))"
    for count, text in enumerate(("kuhn_poker(players=3)", blotto, "matrix_rps()"), start=1):
        assert string_of(pyspiel.load_game(text)) == text
        game = gb.load_game(pyspiel.load_game(text))
        assert (game.name, game.source.kind, game.fingerprint) == (text, "open_spiel", gb.load_game(text).fingerprint)
        assert len(list(empty_cache.iterdir())) == count


def test_objects_without_a_string_are_never_cached(empty_cache):
    for make in OBJECTS.values():
        if string_of(make()) is None:
            gb.load_game(make())
    assert not empty_cache.exists()


def test_a_copy_is_without_the_object():
    game, matrix = gb.load_game(OBJECTS["efg"]()), gb.load_game(OBJECTS["matrix"]())
    for copied in (copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))):
        again = copied(game)
        assert again.fingerprint == game.fingerprint
        with pytest.raises(gb.errors.GameError, match="load the game from the object again"):
            gb.uniform_policy(again).to_open_spiel()
        assert gb.uniform_policy(copied(matrix)).to_open_spiel().game.num_players() == 2  # payoffs are all it takes


def test_a_game_object_may_be_too_large():
    with pytest.raises(gb.errors.GameTooLargeError, match="budget of 6"):
        gb.load_game(OBJECTS["matrix"](), max_histories=6)
    with pytest.raises(gb.errors.GameTooLargeError, match="budget of 3"):
        gb.load_game(OBJECTS["efg"](), max_histories=3)


def test_sweeps_refuse_an_object_in_a_sentence(tmp_path):
    with pytest.raises(gb.errors.SpecError, match="does not give this game"):
        gb.sweep({"games": gb.load_game(OBJECTS["efg"]()), "algorithms": "CMD", "iterations": 10}, tmp_path)


def test_whole_numbers_of_the_other_type():
    right = {
        "bargaining(discount=1,max_turns=2.0,prob_end=-0)": "bargaining(discount=1.0,max_turns=2,prob_end=-0.0)",
        "misere(game=bargaining(prob_end=0,max_turns=3.))": "misere(game=bargaining(prob_end=0.0,max_turns=3))",
    }
    for text, expected in right.items():
        assert with_right_types(text) == expected
    kuhn = [f"kuhn_poker{rest}" for rest in ("", "()", "(players=2.5)", "(players=3", "(players)")]
    others = ["no_such_game(players=2.0)", "goofspiel(imp_info=1)", "tiny_hanabi(payoff=1;0)"]
    others += ["battleship(board_width=2,ship_sizes=[1;2],ship_values=[1;2])"]
    for text in (*kuhn, *others, "turn_based_simultaneous_game(game=goofspiel(num_cards=3))"):
        assert with_right_types(text) == text


def test_one_game_has_one_name():
    whole = gb.load_game("bargaining(discount=1,max_num_instances=2,max_turns=2.0)")
    exact = gb.load_game("bargaining(discount=1.0,max_num_instances=2,max_turns=2)")
    assert (whole.name, whole.fingerprint) == (exact.name, exact.fingerprint)
    assert whole.source.text == exact.source.text
    assert np.isfinite(gb.evaluate(whole, gb.uniform_policy(whole), "NashConv"))
    with pytest.raises(gb.errors.GameError, match=r"Wrong type for parameter players.*2\.5"):
        gb.load_game("kuhn_poker(players=2.5)")


def test_nothing_else_is_taken_for_a_game_object():
    assert not openspiel.is_game(object())
    assert not openspiel.is_game(pyspiel.Game)
