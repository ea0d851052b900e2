"""The table of measures by category."""

import pyspiel
from hypothesis import given, settings
from hypothesis import strategies as st

import gamebench as gb
from gamebench.analysis.measures import MEASURES_BY_CATEGORY, default_objective, main_measure
from tests.oracles.random_games import random_efg


def test_every_category_has_measures_that_exist():
    assert set(MEASURES_BY_CATEGORY) == set(gb.games.Category)
    for row in MEASURES_BY_CATEGORY.values():
        assert row.recorded[0] == row.main
        assert {row.main, row.papers, *row.recorded} <= set(gb.measures.MEASURES)


def test_the_measures_of_the_paper_s_games_apply_to_them():
    for name in gb.catalogue.PAPER_GAMES:
        game = gb.load_game(name)
        row = MEASURES_BY_CATEGORY[gb.catalogue.PAPER_GAMES[name].category]
        assert all(gb.measures.MEASURES[measure].applies(game) for measure in row.recorded), name
        assert (main_measure(game), default_objective(game)) == (row.main, row.papers), name


@given(st.integers(0, 2**32), st.integers(1, 4), st.data())
@settings(max_examples=40)
def test_random_games_with_and_without_teams(seed, players, data):
    """Opposing teams make a game mixed, and only then is the objective the approximation."""
    game = gb.load_game(pyspiel.load_efg_game(random_efg(seed, players=players, max_nodes=30)))
    members = data.draw(st.lists(st.integers(0, 2), min_size=game.num_players, max_size=game.num_players))
    teams = [[player for player, team in enumerate(members) if team == number] for number in sorted(set(members))]
    for played in (game, gb.with_teams(game, teams)):
        opposing = len(played.teams) > 1 and len(played.teams) < played.num_players
        assert (played.category is gb.games.Category.MIXED) == played.has_teams == opposing
        together = played.num_players == 1 or (not opposing and played.shares_payoffs(range(played.num_players)))
        assert main_measure(played) == ("OptGap" if together else "NashConv")
        assert default_objective(played) == ("NashConv(approximate)" if opposing else main_measure(played))
        assert gb.measures.MEASURES[default_objective(played)].applies(played)
        assert gb.algorithms.CMD().configured(played, 1).objective.name == default_objective(played)
