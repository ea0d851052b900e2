"""The catalogue: the paper's fifteen games (sizes, categories, payoffs, optimal values) and other games."""

import dataclasses

import numpy as np
import pytest

import gamebench as gb
from gamebench import kernels
from gamebench.games.catalogue import (
    COORDINATED_GAMES,
    FIELD_GAMES,
    LARGE_GAMES,
    NAMED_GAMES,
    game_with,
    in_catalog,
    named_game,
)

# Copied by hand from the paper's tables of games and hyper-parameters (M, mu), not from the catalogue.
PAPER = {
    "Kuhn-A": ("single-agent", 1, 6, 1, 0.05),
    "Kuhn-B": ("single-agent", 1, 6, 1, 0.05),
    "Goofspiel-S": ("single-agent", 1, 8, 1, 0.05),
    "TinyHanabi-A": ("cooperative", 2, 8, 3, 0.05),
    "TinyHanabi-B": ("cooperative", 2, 6, 1, 0.05),
    "TinyHanabi-C": ("cooperative", 2, 6, 1, 0.05),
    "Kuhn": ("zero-sum", 3, 48, 5, 0.01),
    "Leduc": ("zero-sum", 2, 936, 3, 0.05),
    "Goofspiel": ("zero-sum", 3, 30, 3, 0.01),
    "Bargaining": ("general-sum", 2, 178, 5, 0.05),
    "TradeComm": ("general-sum", 2, 22, 1, 0.01),
    "Battleship": ("general-sum", 2, 210, 1, 0.05),
    "MCCKuhn-A": ("mixed", 3, 48, 1, 0.01),
    "MCCKuhn-B": ("mixed", 3, 48, 1, 0.01),
    "MCCGoofspiel": ("mixed", 3, 30, 1, 0.01),
}


def test_players_decision_points_category_and_hyper_parameters():
    assert list(gb.catalogue.PAPER_GAMES) == list(PAPER)
    for name, paper in PAPER.items():
        game, row = gb.load_game(name), gb.catalogue.PAPER_GAMES[name]
        about = (game.category, game.num_players, game.num_decision_points, row.history, row.radius)
        assert (game.name, *about) == (name, *paper)
        assert len(game.decision_points) == game.num_decision_points
        assert sum(len(point.actions) for point in game.decision_points) == game.num_sequences
        assert game.num_terminals < game.num_histories


def test_a_row_is_found_by_the_game_not_by_its_name():
    for name, row in gb.catalogue.PAPER_GAMES.items():
        assert in_catalog(gb.load_game(row.open_spiel, teams=row.teams, focal=row.focal)) is row
        assert in_catalog(gb.load_game(name)) is row
        assert in_catalog(dataclasses.replace(gb.load_game("kuhn_poker"), name=name)) is None


def test_optimal_values_are_found_by_search():
    for name, optimum in (("TinyHanabi-A", 10), ("TinyHanabi-B", 1), ("TinyHanabi-C", 2.5)):
        assert gb.optimal_value(gb.load_game(name)) == pytest.approx(optimum, abs=1e-12)


def test_chance_and_players_together_reach_some_terminal():
    for game in map(gb.load_game, PAPER):
        constant = tuple(game.sequence_form._replace(payoffs=np.ones_like(game.sequence_form.payoffs)))
        rows = np.stack([gb.random_policy(game, seed).probabilities for seed in range(3)])
        assert kernels.expected_values(constant, rows) == pytest.approx(1, abs=1e-12), game


def test_a_shorthand_is_the_same_game_as_its_parts():
    assert gb.load_game("Kuhn-B").fingerprint == gb.load_game("kuhn_poker(players=2)", focal=1).fingerprint
    by_parts = gb.load_game("kuhn_poker(players=3)", teams=[[2, 0], [1]])
    assert gb.load_game("MCCKuhn-B").fingerprint == by_parts.fingerprint
    assert len({gb.load_game(name).fingerprint for name in PAPER}) == 15


def test_open_spiel_s_own_game_of_the_same_name_is_still_there():
    assert gb.load_game("trade_comm(num_items=2)").category == "cooperative"  # what its payoffs say
    assert gb.load_game("KUHN").num_players == 3
    assert gb.load_game("bargaining(max_turns=2)").num_decision_points == 9326  # as docs/reproduction.md says


def test_largest_payoffs():
    sizes = {name: gb.load_game(name).max_abs_payoff for name in PAPER}
    assert sizes["Leduc"] == 13
    assert sizes["Kuhn"] == 4
    assert sizes["TinyHanabi-A"] == 10
    payoffs = gb.load_game("Kuhn").sequence_form.payoffs
    team_payoffs = np.stack([(payoffs[0] + payoffs[1]) / 2, payoffs[2]])
    assert sizes["MCCKuhn-A"] == np.abs(team_payoffs).max()
    assert sizes["Kuhn-A"] == 2  # the focal player's own, before terminals are merged into their mean


# Games of papers on solvers. OpenSpiel's documentation has the rules; one die with n sides each means n 2^(2n)
# decision points.
FIELD = {
    "Kuhn-2": (2, 12),
    "LiarsDice-4": (2, 4 * 2**8),
    "LiarsDice-5": (2, 5 * 2**10),
    "LiarsDice-6": (2, 6 * 2**12),
    "Goofspiel-4": (2, 162),
    "Goofspiel-5": (2, 2124),
    "Battleship-3": (2, 3286),
    "Leduc-3": (3, 25800),
}


@pytest.mark.slow
def test_games_of_the_field():
    assert list(FIELD_GAMES) == list(FIELD)
    for name, row in FIELD_GAMES.items():
        game = gb.load_game(name)
        assert (game.name, game.category) == (name, "zero-sum")
        assert (game.num_players, game.num_decision_points) == FIELD[name] == (row.players, row.decision_points)
        assert game.fingerprint == row.fingerprint
        assert game_with(game.fingerprint) is row
        assert in_catalog(game) is None  # so that it has the hyper-parameters of games that are not in the paper
        chosen = gb.algorithms.CMD().configured(game, 1)
        assert (chosen.history, chosen.radius) == (row.history, row.radius)


# Large games, with the same rule for dice. In Kuhn poker with six players and seven cards, each player decides after 32
# betting histories.
LARGE = {
    "LiarsDice-7": (2, 7 * 2**14),
    "LiarsDice-8": (2, 8 * 2**16),
    "Goofspiel-6": (2, 34482),
    "Goofspiel-7": (2, 667896),
    "Battleship-3x2": (2, 81027),
    "Kuhn-6": (6, 6 * 7 * 32),
    "Leduc-3": (3, 25800),
    "UniversalPoker": (2, 20160),
    "BigLeduc": (2, 100800),
}


def test_large_games_have_rows():
    for name, sizes in LARGE.items():
        assert (LARGE_GAMES[name].players, LARGE_GAMES[name].decision_points) == sizes
    assert LARGE_GAMES["Leduc-3"] is FIELD_GAMES["Leduc-3"]
    assert list(NAMED_GAMES) == list(dict.fromkeys((*PAPER, *FIELD_GAMES, *LARGE_GAMES, *COORDINATED_GAMES)))
    assert named_game("bigleduc") is game_with(LARGE_GAMES["BigLeduc"].fingerprint) is LARGE_GAMES["BigLeduc"]
    assert len({row.fingerprint for row in NAMED_GAMES.values()}) == len(NAMED_GAMES)


@pytest.mark.slow
def test_large_games_are_those_that_load():
    for name, sizes in {
        "Goofspiel-6": (74076, 969523, 518400),
        "Battleship-3x2": (327068, 732607, 552132),
        "Leduc-3": (59064, 1831601, 1043952),
    }.items():
        game, row = gb.load_game(name), LARGE_GAMES[name]
        assert (game.name, game.category) == (name, "zero-sum")
        assert (game.num_players, game.num_decision_points) == LARGE[name]
        assert game.fingerprint == row.fingerprint
        assert in_catalog(game) is None
        assert (game.num_sequences, game.num_histories, game.num_terminals) == sizes


def test_game_strings_with_spaces():
    parameters = "numRounds=2,blind=1 1,raiseSize=1 1,firstPlayer=1 1,maxRaises=1 1,numSuits=2,numRanks=2"
    text = f"universal_poker(betting=limit,numPlayers=2,{parameters},numHoleCards=1,numBoardCards=0 1)"
    game = gb.load_game(text)
    assert (game.name, game.category, game.num_players) == (text, "zero-sum", 2)
    assert gb.load_game(text.replace("blind=1 1", "blind=1 2")).fingerprint != game.fingerprint
