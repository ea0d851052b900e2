"""The loop that finds the beliefs of a team: arrays that are too small, hash tables that are full, and the budget."""

from itertools import pairwise
from unittest.mock import patch

import numpy as np

import gamebench as gb
from gamebench import kernels
from gamebench.games.teams import beliefs
from gamebench.games.teams.coordination import leaves_of
from gamebench.kernels.expansion import BELIEFS, DONE, ENTRIES, EXPANDED, LINKS, NEEDS_ROOM
from tests.games.coordinated_games import PAIRS, TRIOS, by_number, hands
from tests.oracles.coordinated_teams import random_team_game

MANY = 10**6


def games_and_teams():
    games = [random_team_game(seed, teams) for seed in (0, 1) for teams in (*PAIRS[:2], *TRIOS[:2])]
    return [(game, team) for game in (*games, hands([2, 3, 2, 4, 2, 1, 3], PAIRS[0])) for team in game.teams]


class Search:
    """The arrays of a search, of arbitrary size."""

    def __init__(self, game, team, size):
        tuples, _ = leaves_of(game.sequence_form, team)
        self.trie = beliefs._trie(game.sequence_form, tuples, beliefs._order(game.sequence_form, tuples))
        nodes, points = len(self.trie.ranks), len(self.trie.num_actions)
        self.scratch = np.empty((6, nodes + 1), dtype=np.int64)
        self.last_seen = np.zeros(max(points, 1), dtype=np.int64)
        self.members, self.sources, self.targets = np.zeros((3, size), dtype=np.int32)
        self.starts, self.firsts = np.zeros((2, size), dtype=np.int64)
        self.counts = np.zeros(4, dtype=np.int64)

    def enlarge(self, by):
        for name in ("members", "sources", "targets", "starts", "firsts"):
            array = getattr(self, name)
            setattr(self, name, np.concatenate([array, np.zeros(by, dtype=array.dtype)]))

    def go_on(self, last_belief=MANY):
        """Call the kernel once, with the smallest table that it takes."""
        table = np.full(1 << (2 * len(self.starts) - 1).bit_length(), -1, dtype=np.int32)
        kernels.enter_beliefs(self.members, self.starts, self.counts, table)
        arrays = (self.members, self.starts, self.firsts, table, self.sources, self.targets, self.counts)
        return kernels.expand_beliefs(self.trie, last_belief, self.scratch, self.last_seen, *arrays)

    def found(self):
        """Everything found so far, as lists."""
        number, entries, links, _ = self.counts
        return [
            array[:end].tolist()
            for array, end in (
                (self.members, entries),
                (self.starts, number + 1),
                (self.firsts, number + 1),
                (self.sources, links),
                (self.targets, links),
            )
        ]


def searched(game, team, size=50_000):
    search = Search(game, team, size)
    assert search.go_on() == DONE
    return search


def test_small_arrays_are_filled_bit_by_bit():
    """Wherever it stops for lack of room, it continues from there and finds the same."""
    for game, team in games_and_teams():
        expected = searched(game, team)
        search, stops = Search(game, team, 2), 0
        while search.go_on() == NEEDS_ROOM:
            stops += 1
            before = search.found()
            assert search.go_on() == NEEDS_ROOM  # nothing is done twice
            assert search.found() == before
            search.enlarge(1 + stops)
        assert search.found() == expected.found()
        assert stops > 1 or not expected.counts[BELIEFS]


def test_beliefs_are_sorted_and_differ():
    for search in (searched(game, team) for game, team in games_and_teams()):
        members, starts, firsts, sources, targets = search.found()
        nodes = [tuple(members[begin:end]) for begin, end in pairwise(starts)]
        assert len(set(nodes)) == len(nodes) == search.counts[BELIEFS] == search.counts[EXPANDED]
        assert all(list(own) == sorted(set(own)) for own in nodes)
        assert len(members) == search.counts[ENTRIES]
        assert len(sources) == len(targets) == search.counts[LINKS] == len(set(zip(sources, targets, strict=True)))
        lowest = [min(search.trie.ranks[list(own)]) for own in nodes]
        assert np.diff(firsts).tolist() == [search.trie.num_actions[rank] for rank in lowest]
        assert {target for target in targets if target >= 0} == set(range(len(nodes)))
        assert {-1 - target for target in targets if target < 0} == set(range(search.trie.leaves.max() + 1))
        of_source = np.searchsorted(firsts, sources, side="right") - 1
        for belief, target in zip(of_source, targets, strict=True):  # ranks rise along links, so there are no cycles
            assert belief < 0 or target < 0 or lowest[belief] < lowest[target]


def test_it_stops_at_the_budget():
    game = gb.load_game("MCCKuhn-A")
    whole = searched(game, (0, 1)).found()
    for budget in (1, 50, 400, 829):
        search = Search(game, (0, 1), 50_000)
        assert search.go_on(budget) == DONE
        assert search.counts[EXPANDED] <= budget < search.counts[BELIEFS] <= budget + 20
        assert search.go_on() == DONE  # with a larger budget it continues
        assert search.found() == whole


def test_large_beliefs():
    """Each of the first beliefs has forty nodes or more, which are sorted in several passes."""
    with patch.object(beliefs, "_order", by_number):
        search = searched(hands([9] + [1] * 40, [[0, 1], [2]]), (0, 1))
    members, starts, *_ = search.found()
    sizes = np.diff(starts)
    assert sizes.max() == 41
    assert all(np.all(np.diff(members[begin : begin + size]) > 0) for begin, size in zip(starts, sizes, strict=False))
