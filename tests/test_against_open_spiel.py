"""Expected returns, best-response values and NashConv against OpenSpiel's own C++ code, to 1e-10."""

import pyspiel
import pytest

import gamebench as gb
from gamebench.games.loading.openspiel import original_game
from tests.helpers import as_state_policy, three_policies

UNDERLYING = sorted({entry.open_spiel for entry in gb.catalogue.PAPER_GAMES.values()})
OTHERS = [
    "liars_dice(numdice=1,dice_sides=4)",
    "dark_hex(num_rows=2,num_cols=2)",  # phantom-like: moves are hidden and may be rejected
    "matrix_shapleys_game",
    "matching_pennies_3p",
    "oshi_zumo(coins=4,size=1,horizon=4)",  # simultaneous, several stages
    "blotto(players=3,coins=3,fields=2)",
    "lewis_signaling",
    "sheriff(item_penalty=2.0,item_value=1.5,max_bribe=2,max_items=2,num_rounds=2,sheriff_penalty=3.0)",
    "first_sealed_auction(max_value=4)",
    "python_kuhn_poker",
]
SLOW = {"liars_dice(dice_sides=5)": "random", "leduc_poker(players=3,suit_isomorphism=True)": "near-deterministic"}


def compare(game: gb.Game, policy: gb.Policy, original: pyspiel.Game, is_large: bool = False) -> None:
    """In large games OpenSpiel's NashConv is computed from its best responses, so that they are found only once."""
    table = as_state_policy(policy)
    open_spiel_policy = pyspiel.TabularPolicy(table)
    root = original.new_initial_state()
    returns = pyspiel.expected_returns(root, open_spiel_policy, -1, True)
    assert gb.expected_values(game, policy) == pytest.approx(returns, abs=1e-10)
    nash_conv = -sum(returns)
    for player in range(game.num_players):
        value = pyspiel.TabularBestResponse(original, player, table).value_from_state(root)
        assert gb.best_response(game, policy, player).value == pytest.approx(value, abs=1e-10)
        nash_conv += value
    if not is_large:
        assert pyspiel.nash_conv(original, open_spiel_policy) == pytest.approx(nash_conv, abs=1e-12)  # it is the same
    assert gb.evaluate(game, policy, "NashConv") == pytest.approx(nash_conv, abs=1e-10)


@pytest.mark.parametrize("name", UNDERLYING + OTHERS)
def test_agrees_with_open_spiel(name):
    game = gb.load_game(f"{name}()" if "(" not in name else name)
    for policy in three_policies(game).values():
        compare(game, policy, original_game(game.source))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), SLOW.items())
def test_agrees_with_open_spiel_on_large_games(name, kind):
    game = gb.load_game(name)
    compare(game, three_policies(game)[kind], original_game(game.source), is_large=True)


def test_agrees_with_open_spiel_on_game_files(tmp_path):
    path = tmp_path / "game.efg"
    for text in (pyspiel.get_kuhn_poker_efg_data(), pyspiel.get_sample_efg_data()):
        path.write_text(text)
        game = gb.load_game(path)
        for policy in three_policies(game).values():
            compare(game, policy, pyspiel.load_efg_game(text))


def test_exploitability_is_open_spiel_s():
    game = gb.load_game("Leduc")
    policy = gb.random_policy(game, 3)
    expected = pyspiel.exploitability(original_game(game.source), pyspiel.TabularPolicy(as_state_policy(policy)))
    assert gb.evaluate(game, policy, "Exploitability") == pytest.approx(expected, abs=1e-10)
    assert gb.evaluate(game, policy, "NashConv") == pytest.approx(2 * expected, abs=1e-10)


def test_cce_gap_of_a_mixture_is_open_spiel_s():
    for name in ["Kuhn", "Goofspiel", "Battleship"]:
        game = gb.load_game(name)
        policies = [gb.random_policy(game, seed) for seed in range(4)]
        weights = [0.1, 0.2, 0.3, 0.4]
        device = [
            (weight, pyspiel.TabularPolicy(as_state_policy(policy)))
            for weight, policy in zip(weights, policies, strict=True)
        ]
        expected = pyspiel.cce_dist(original_game(game.source), device).dist_value
        assert gb.evaluate(game, gb.Mixture(policies, weights), "CCEGap") == pytest.approx(expected, abs=1e-10), name
