"""Entries divided among processes: each in one of them, and each process gets exactly the weights that it needs."""

from itertools import pairwise

import numpy as np
import pyspiel
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gamebench as gb
from gamebench.games import division
from gamebench.games.tree import entry_counts
from tests.oracles import random_games

GAMES = ["Kuhn", "Leduc", "Goofspiel", "liars_dice(dice_sides=3)", "Battleship", "Kuhn-A", "kuhn_poker(players=4)"]


def portions(game, only_paying, number):
    counts = entry_counts(game.tree, only_paying)
    return list(division.portions_of(game.tree, only_paying, counts, division.divided(game.tree, counts, number)))


def entries_in(endings, sequence, others):
    """What a sequence sums: (c u, the others' last sequences), in their order."""
    own = slice(int(endings.starts[sequence]), int(endings.starts[sequence + 1]))
    return list(zip(endings.payoffs[own].tolist(), others[:, own].T.tolist(), strict=True))


def check(game, number):
    players = division.players_of_sequences(game.tree)
    for only_paying in (False, True):
        whole = game.paying_endings if only_paying else game.endings
        found = portions(game, only_paying, number)
        assert len(found) == number
        seen = []
        for portion, endings in found:
            others = portion.needed[endings.others]
            for own, sequence in enumerate(portion.sequences.tolist()):
                mine = entries_in(endings, own, others)
                assert mine == entries_in(whole, sequence, whole.others)
                assert mine
                segment = slice(*portion.segments[players[sequence] :][:2])
                places = endings.others[:, int(endings.starts[own]) : int(endings.starts[own + 1])]
                assert ((segment.start <= places) & (places < segment.stop)).all()
            assert np.array_equal(np.unique(endings.others), np.arange(len(portion.needed)))  # nothing in vain
            assert (np.diff(portion.sequences.astype(int)) > 0).all()
            seen += portion.sequences.tolist()
        assert sorted(seen) == np.flatnonzero(np.diff(whole.starts.astype(int))).tolist()


@pytest.mark.parametrize("name", GAMES)
def test_games(name):
    game = gb.load_game(name)
    for number in (1, 2, 3, 7):
        check(game, number)


@given(random_games.efg_games(min_players=1), st.integers(1, 5))
def test_random_games(text, number):
    check(gb.load_game(pyspiel.load_efg_game(text)), number)


@pytest.mark.parametrize("name", ["Kuhn", "Leduc", "Goofspiel", "liars_dice(dice_sides=3)"])
def test_all_have_about_as_many_entries_of_each_player(name):
    game = gb.load_game(name)
    counts, players = entry_counts(game.tree, True).astype(int), division.players_of_sequences(game.tree)
    for number in (2, 3, 7):
        shares = division.divided(game.tree, counts, number)
        for player in range(game.num_players):
            sizes = [counts[share][players[share] == player].sum() for share in shares]
            assert max(sizes) - min(sizes) <= 2 * counts[players == player].max()


@pytest.mark.parametrize(
    ("name", "number", "most"),
    [("liars_dice(dice_sides=4)", 16, 1.05), ("Leduc", 16, 1.8), ("Goofspiel-5", 16, 1.7)],
)
def test_few_weights_are_needed_twice(name, number, most):
    """All processes together need hardly more weights than one, and far fewer than if each got the whole plan."""
    game = gb.load_game(name)
    [[alone, _]] = portions(game, True, 1)
    together = sum(len(portion.needed) for portion, _ in portions(game, True, number))
    assert together <= most * len(alone.needed)


def test_in_one_pass_over_the_terminals_or_in_several(monkeypatch):
    game = gb.load_game("Leduc")
    usual = portions(game, True, 5)
    for at_once in (1, 3000):
        monkeypatch.setattr(division, "AT_ONCE", at_once)
        for (portion, endings), (other, same) in zip(portions(game, True, 5), usual, strict=True):
            assert portion.segments == other.segments
            for one, two in ((portion.sequences, other.sequences), (portion.needed, other.needed)):
                assert np.array_equal(one, two)
            assert all(np.array_equal(one, two) for one, two in zip(endings, same, strict=True))


@pytest.mark.parametrize("name", ["Leduc", "Kuhn"])
def test_requests_cover_a_pass(name):
    game = gb.load_game(name)
    size, players = game.num_sequences + game.num_players, division.players_of_sequences(game.tree)
    edges = sorted({0, size, game.num_sequences, *(game.tree.sequences_of(player).stop for player in range(2)), 17})
    for begin, end in [*pairwise(edges), (0, size), (3, size - 1)]:
        asked = []
        for portion, endings in portions(game, True, 3):
            request = division.request_to(portion, players, begin, end)
            if request is None:
                assert not ((begin <= portion.sequences) & (portion.sequences < end)).any()
                continue
            assert np.array_equal(request.sequences, portion.sequences[request.begin : request.end])
            used = endings.others[:, int(endings.starts[request.begin]) : int(endings.starts[request.end])]
            assert used.min() >= request.offset
            assert used.max() < request.offset + len(request.needed)
            assert np.array_equal(request.needed, portion.needed[request.offset :][: len(request.needed)])
            asked += request.sequences.tolist()
        counts = entry_counts(game.tree, True)
        assert sorted(asked) == [s for s in range(begin, end) if counts[s]]
