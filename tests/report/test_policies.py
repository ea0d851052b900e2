"""The gains of the explorer are those of best responses at every decision point."""

import numpy as np
import pyspiel
import pytest

import gamebench as gb
from gamebench.report.page.policies import explore
from tests.helpers import as_naive_policy, near_deterministic_policy


def policies_of(game):
    return [gb.random_policy(game, seed=1), near_deterministic_policy(game, seed=2), gb.uniform_policy(game)]


def test_the_gains_of_the_first_decisions_are_the_whole_gain():
    for name in ("Kuhn", "Leduc", "Kuhn-A", "MCCKuhn-A", "Battleship"):
        check_first_gains(gb.load_game(name))


def test_the_gains_of_coordinators_are_those_of_their_teams():
    game = gb.load_game("MCCGoofspiel", coordinated=True)
    check_first_gains(game)
    members = gb.random_policy(game.coordination.full_game, seed=1)
    gains = gb.improvements(game, gb.lift(game, members))
    assert gains == pytest.approx(gb.improvements(members.game, members), abs=1e-12)


def check_first_gains(game):
    is_root = np.zeros(game.num_decision_points, dtype=bool)
    is_root[game.sequence_form.children_of_parents()[game.sequence_form.parent_sequences >= game.num_sequences]] = True
    owners = game.sequence_form.players_of_decision_points()
    for policy in policies_of(game):
        gains, values = explore(game, policy)[1], gb.expected_values(game, policy)
        assert (gains >= 0).all()
        for player in range(game.num_players):
            whole = gb.best_response(game, policy, player).value - values[player]
            assert gains[is_root & (owners == player)].sum() == pytest.approx(whole, abs=1e-12)


@pytest.mark.parametrize("name", ["kuhn_poker(players=3)", "tiny_hanabi"])
def test_a_naive_walk_finds_the_same_gains_and_reaches(name):
    game, original = gb.load_game(name), pyspiel.load_game(name)
    for policy in policies_of(game):
        (reaches, gains), table = explore(game, policy), as_naive_policy(policy)
        for player in range(game.num_players):
            found = {}
            naive_values(original, table, player, [(original.new_initial_state(), 1.0)], found)
            points = [point for point in game.decision_points if point.player == player]
            assert {point.information_state for point in points} == found.keys()
            for point in points:
                best, follows, reach = found[point.information_state]
                assert gains[point.index] == pytest.approx(best - follows, abs=1e-12)
                assert reaches[point.index] == pytest.approx(reach, abs=1e-12)


def naive_values(game, table, player, weighted, found):
    """What the player gets after weighted states: by its best response, and by its policy.

    Each information state on the way is written down: (value of the best response, of the policy, reach).
    """
    best = follows = 0.0
    groups, waiting = {}, list(weighted)
    while waiting:
        state, weight = waiting.pop()
        if state.is_terminal():
            best += weight * state.returns()[player]
            follows += weight * state.returns()[player]
        elif state.is_chance_node():
            waiting += [(state.child(action), weight * chance) for action, chance in state.chance_outcomes()]
        elif state.current_player() == player:
            groups.setdefault(state.information_state_string(player), []).append((state, weight))
        else:
            mover = state.current_player()
            row = table[mover, state.information_state_string(mover)]
            waiting += [(state.child(action), weight * chance) for action, chance in row.items()]
    for text, members in groups.items():
        after = {
            action: naive_values(game, table, player, [(state.child(action), w) for state, w in members], found)
            for action in members[0][0].legal_actions()
        }
        value = max(top for top, _ in after.values())
        own = sum(table[player, text][action] * mean for action, (_, mean) in after.items())
        found[text] = (value, own, sum(weight for _, weight in members))
        best, follows = best + value, follows + own
    return best, follows


def test_a_game_in_which_some_player_never_moves(tmp_path):
    game = gb.Game.from_payoffs(np.array([[[1.0, 2.0]], [[3.0, 0.0]]]), "lopsided")
    reaches, gains = explore(game, gb.uniform_policy(game))
    assert gains.sum() == 1.0
    assert reaches.tolist() == [1.0] * game.num_decision_points
