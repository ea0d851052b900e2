"""Games without information states: what their players know, compared with an oracle that replays histories."""

from itertools import product

import numpy as np
import pyspiel
import pytest
from open_spiel.python.games.iterated_prisoners_dilemma import IteratedPrisonersDilemmaGame
from open_spiel.python.policy import UniformRandomPolicy

import gamebench as gb
from gamebench.games.loading import openspiel
from gamebench.games.loading.observations import ObservationView, PerfectInformationView
from tests.helpers import refuses

SIMULTANEOUS = pyspiel.GameType.Dynamics.SIMULTANEOUS
PERFECT = pyspiel.GameType.Information.PERFECT_INFORMATION

WITHOUT_INFORMATION_STATES = [
    "catch(rows=4,columns=3)",
    "deep_sea(size=3)",
    "pig(winscore=3,diceoutcomes=2,horizon=5)",
    "breakthrough(rows=3,columns=2)",
    "oware(num_houses_per_player=2,num_seeds_per_house=1)",
    "hanabi(players=2,colors=1,ranks=2,hand_size=1,max_information_tokens=1,max_life_tokens=1)",
    "coin_game(rows=1,columns=4,episode_length=2,num_coins_per_color=1,num_extra_coin_colors=0)",
    "phantom_go(board_size=2,max_game_length=4)",
    "markov_soccer(horizon=2)",
    "coop_box_pushing(horizon=1)",
    "pathfinding(horizon=2,players=2,grid=Aa\nbB)",
    "repeated_game(stage_game=matrix_pd(),num_repetitions=2)",
    "turn_based_simultaneous_game(game=markov_soccer(horizon=2))",
    "laser_tag(horizon=1,grid=S.S,fully_obs=False)",
]


def turn_based(text):
    game = pyspiel.load_game(text)
    return pyspiel.convert_to_turn_based(game) if game.get_type().dynamics == SIMULTANEOUS else game


def knowledge(original, history):
    """What the player to move after ``history`` knows, found by replaying it without any code under test."""
    state, own = original.new_initial_state(), {}
    for action in history:
        player = state.current_player()
        if player >= 0:
            own.setdefault(player, []).append((state.observation_string(player), action))
        state.apply_action(action)
    player = state.current_player()
    inner = state
    while hasattr(inner, "simultaneous_game_state"):
        inner = inner.simultaneous_game_state()
    if inner.get_game().get_type().information == PERFECT:
        return (player, *inner.history())  # moves of an unfinished round are not in the simultaneous game's history
    return (player, *own.get(player, []), state.observation_string(player))


class Brute:
    """Best responses by belief: all histories that look alike are followed together."""

    def __init__(self, text, game, policy):
        self.original, self.game, self.policy = turn_based(text), game, policy
        self.points = {}
        owners = game.sequence_form.players_of_decision_points().tolist()
        view = openspiel.with_information_states(self.original, text)
        stack = [view.new_initial_state()]
        labels = {key: i for i, key in enumerate(zip(owners, game.labels.information_states, strict=True))}
        while stack:  # from what the oracle calls a decision point to ours
            state = stack.pop()
            if not state.is_terminal():
                if not state.is_chance_node():
                    ours = labels[state.current_player(), state.information_state_string()]
                    theirs = knowledge(self.original, state.original.history())
                    assert self.points.setdefault(theirs, ours) == ours
                stack += [state.child(action) for action in state.legal_actions()]
        assert len(set(self.points.values())) == len(self.points) == game.num_decision_points

    def chances(self, state):
        if state.is_chance_node():
            return state.chance_outcomes()
        point = self.game.decision_points[self.points[knowledge(self.original, state.history())]]
        ids = self.game.labels.action_ids[point.sequences]
        return list(zip(ids, self.policy.probabilities[point.sequences], strict=True))

    def values(self, state=None):
        state = self.original.new_initial_state() if state is None else state
        if state.is_terminal():
            return np.array(state.returns())
        return sum(chance * self.values(state.child(action)) for action, chance in self.chances(state))

    def best(self, player, belief=None):
        """The most that a player can get from a list of (state, probability)."""
        pending = [(self.original.new_initial_state(), 1.0)] if belief is None else belief
        total, alike = 0.0, {}
        while pending:
            state, weight = pending.pop()
            if state.is_terminal():
                total += weight * state.returns()[player]
            elif state.current_player() == player:
                alike.setdefault(knowledge(self.original, state.history()), []).append((state, weight))
            else:
                pending += [(state.child(action), weight * chance) for action, chance in self.chances(state)]
        for together in alike.values():
            actions = together[0][0].legal_actions()
            total += max(self.best(player, [(s.child(action), w) for s, w in together]) for action in actions)
        return total


def test_values_and_best_responses_against_replayed_histories():
    for text in WITHOUT_INFORMATION_STATES:
        assert not pyspiel.load_game(text).get_type().provides_information_state_string
        game = gb.load_game(text)
        policy = gb.random_policy(game, 1)
        brute = Brute(text, game, policy)
        values = brute.values()
        assert np.allclose(gb.expected_values(game, policy), values, atol=1e-12), text
        gains = sum(brute.best(player) - values[player] for player in range(game.num_players))
        assert gb.evaluate(game, policy, "NashConv") == pytest.approx(gains, abs=1e-10), text


def pairs(view):
    """(player, ours, OpenSpiel's) information states at all histories of a game that has both."""
    found, stack = set(), [view.new_initial_state()]
    while stack:
        state = stack.pop()
        if state.is_terminal():
            continue
        if not state.is_chance_node():
            theirs = state.original.information_state_string()
            found.add((state.current_player(), state.information_state_string(), theirs))
        stack += [state.child(action) for action in state.legal_actions()]
    return found


WITH_INFORMATION_STATES = [
    (ObservationView, "kuhn_poker"),
    (ObservationView, "kuhn_poker(players=3)"),
    (ObservationView, "leduc_poker"),
    (ObservationView, "goofspiel(num_cards=3,imp_info=True)"),
    (ObservationView, "tiny_hanabi"),
    (ObservationView, "trade_comm(num_items=2)"),
    (ObservationView, "first_sealed_auction(max_value=3)"),
    (ObservationView, "bargaining(max_turns=2,max_num_instances=2)"),
    (PerfectInformationView, "hex(num_cols=2,num_rows=2)"),
    (PerfectInformationView, "nim(pile_sizes=1;2;3)"),
    (PerfectInformationView, "oshi_zumo(coins=2,size=1,horizon=3)"),
    (PerfectInformationView, "blotto(coins=3,fields=2)"),
]


def test_where_open_spiel_has_information_states_they_are_the_same():
    for view, text in WITH_INFORMATION_STATES:
        found = pairs(view(turn_based(text)))
        assert len(found) > 1
        assert len({(player, ours) for player, ours, _ in found}) == len(found), text
        assert len({(player, theirs) for player, _, theirs in found}) == len(found), text


def test_what_the_labels_say():
    catch, sea = gb.load_game("catch(rows=3,columns=2)"), gb.load_game("deep_sea(size=2)")
    assert catch.labels.information_states[:3] == (
        "Initialized ball to 0",
        "Initialized ball to 0, LEFT",
        "Initialized ball to 0, STAY",
    )
    assert sea.labels.information_states[:2] == ("x.....", "x.....\n> LEFT\n..x...")


def test_what_others_do_at_once_is_not_known():
    game = gb.load_game("repeated_game(stage_game=matrix_pd(),num_repetitions=2)")
    of_second = [point.information_state for point in game.decision_points if point.player == 1]
    assert of_second == ["", *(f"{a}, {b}" for a in ("Cooperate", "Defect") for b in ("Cooperate", "Defect"))]


def test_games_that_cannot_be_played_are_refused_in_a_sentence():
    begin = r"^OpenSpiel failed while 'repeated_game\(.*\)' was played: .*\.$"
    refuses(gb.errors.GameError, begin, gb.load_game, "repeated_game(stage_game=matrix_pd(),num_repetitions=-1)")
    no_cards = "turn_based_simultaneous_game(game=goofspiel(num_cards=0))"
    refuses(gb.errors.GameError, "has a chance event without outcomes", gb.load_game, no_cards)


class Awkward:
    """A state whose moves share a name, or have names that contain the separator."""

    def __init__(self, names, history=()):
        self.names, self.past = names, history

    def num_players(self):
        return 1

    def new_initial_state(self):
        return self

    def current_player(self):
        return 0 if len(self.past) < 2 else -4

    def is_terminal(self):
        return len(self.past) == 2

    def legal_actions(self):
        return list(range(len(self.names)))

    def action_to_string(self, action):
        return self.names[action]

    def observation_string(self, player):
        return "always the same"

    def child(self, action):
        return Awkward(self.names, (*self.past, action))


def test_different_pasts_never_look_alike():
    for view, names in product((PerfectInformationView, ObservationView), (["go", "go"], ["a", "b, a", "a, b"])):
        root = view(Awkward(names)).new_initial_state()
        labels = [root.information_state_string()]
        labels += [root.child(action).information_state_string() for action in range(len(names))]
        assert len(set(labels)) == len(labels)


def test_policies_to_open_spiel_and_back():
    """OpenSpiel's table depends on the current observation, so only policies that need no more can be converted."""
    catch = gb.load_game("catch(rows=4,columns=3)")
    uniform = gb.uniform_policy(catch)
    assert np.allclose(
        openspiel.values_by_open_spiel(catch, uniform.to_open_spiel()), gb.expected_values(catch, uniform)
    )
    with pytest.raises(
        gb.errors.PolicyError, match=r"catch.*depends on the current observation.*where this policy differs\.$"
    ):
        gb.random_policy(catch, 1).to_open_spiel()
    back = gb.Policy.from_open_spiel(catch, UniformRandomPolicy(pyspiel.load_game("catch(rows=4,columns=3)")))
    assert np.allclose(back.probabilities, uniform.probabilities)
    for text in ("markov_soccer(horizon=2)", "coop_box_pushing(horizon=1)", "catch(rows=3,columns=3)"):
        game = gb.load_game(text)
        policy = gb.random_policy(game, 1)
        table = policy.to_open_spiel()
        assert np.array_equal(gb.Policy.from_open_spiel(game, table).probabilities, policy.probabilities)
        assert np.allclose(openspiel.values_by_open_spiel(game, table), gb.expected_values(game, policy), atol=1e-12)


def test_a_game_that_says_nothing_at_all(monkeypatch):
    monkeypatch.setattr(openspiel, "_type_before_conversion", pyspiel.Game.get_type)
    silent = IteratedPrisonersDilemmaGame({"max_game_length": 1, "termination_probability": 0.5})
    with pytest.raises(
        gb.errors.NoInformationStatesError, match="neither information state strings nor observation strings"
    ):
        gb.load_game(pyspiel.convert_to_turn_based(silent))
