"""Gambit reads the files that GameBench writes, and agrees on payoffs, equilibria and quantal responses.

pygambit is not a requirement of the tests, because it has to be compiled; these tests run after
``pip install pygambit==16.7.0``.
"""

import numpy as np
import pytest

import gamebench as gb

gambit = pytest.importorskip("pygambit", minversion="16")

CHICKEN = [[[6, 6], [2, 7]], [[7, 2], [0, 0]]]


@pytest.fixture(params=gb.catalogue.PAPER_GAMES)
def both(request, tmp_path):
    """A game of the catalogue, and the same as Gambit reads it from the file that GameBench writes."""
    game = gb.load_game(request.param)
    gb.save_game(game, tmp_path / "game.efg")
    return game, gambit.read_efg(tmp_path / "game.efg")


def as_policy(game, theirs, profile):
    """Convert a Gambit profile to a policy; information sets and actions are in the same order."""
    rows = [
        [float(profile[action]) for action in infoset.actions]
        for player in theirs.players
        for infoset in player.infosets
    ]
    return gb.Policy(game, np.concatenate(rows))


def test_the_same_game(both):
    game, theirs = both
    assert theirs.title == game.name
    assert [player.label for player in theirs.players] == [game.player_name(i) for i in range(game.num_players)]
    assert [len(player.infosets) for player in theirs.players] == np.diff(game.sequence_form.player_blocks).tolist()
    labels = [action.label for player in theirs.players for infoset in player.infosets for action in infoset.actions]
    assert labels == list(game.labels.actions)
    profile = theirs.mixed_behavior_profile(rational=True)
    values = [float(profile.payoff(player)) for player in theirs.players]
    assert values == pytest.approx(gb.expected_values(game, gb.uniform_policy(game)), abs=1e-12)


@pytest.mark.parametrize("name", ["kuhn_poker", "TinyHanabi-B", "first_sealed_auction(max_value=3)"])
def test_its_equilibria_are_equilibria(name, tmp_path):
    game = gb.load_game(name)
    gb.save_game(game, tmp_path / "game.efg")
    theirs = gambit.read_efg(tmp_path / "game.efg")
    for profile in gambit.nash.lcp_solve(theirs, rational=False).equilibria:
        assert gb.evaluate(game, as_policy(game, theirs, profile), "NashConv") < 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_none_of_its_equilibria_is_better_than_ours(seed, tmp_path):
    game = gb.Game.from_payoffs(CHICKEN if seed == 0 else np.random.default_rng(seed).integers(0, 20, (4, 4, 2)))
    gb.save_game(game, tmp_path / "game.nfg")
    theirs = gambit.read_nfg(tmp_path / "game.nfg")
    found = gambit.nash.enummixed_solve(theirs, rational=True).equilibria
    welfare = [sum(profile.payoff(player) for player in theirs.players) for profile in found]
    assert gb.solve_exactly(game, concept="Nash").value == pytest.approx(float(max(welfare)), abs=1e-9)


@pytest.mark.parametrize(("name", "rationality"), [("kuhn_poker", 2.0), ("first_sealed_auction(max_value=3)", 0.5)])
def test_its_logit_equilibria_have_no_gap(name, rationality, tmp_path):
    game = gb.load_game(name)
    gb.save_game(game, tmp_path / "game.efg")
    theirs = gambit.read_efg(tmp_path / "game.efg")
    [found] = gambit.qre.logit_solve_lambda(theirs, lam=rationality)
    policy = gb.Policy(game, [found[index] for index in range(len(found))])
    assert gb.logit_gap(game, policy, rationality) < 1e-9
