"""The oracle that enumerates Nash equilibria, against known equilibria and against other enumerations."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

import gamebench as gb
from gamebench.games.game import Source
from gamebench.games.loading.flatten import flatten
from gamebench.games.loading.openspiel import original_game
from tests.oracles import naive, random_games
from tests.oracles.catalogued_equilibria import (
    battleship_payoffs,
    battleship_policy,
    best_of_bargaining,
    best_of_battleship,
    best_of_trade_comm,
)
from tests.oracles.equilibria import (
    OBJECTIVES,
    DegenerateGameError,
    TooLargeError,
    best_equilibrium,
    best_pure_equilibrium,
    equilibria,
    extreme_equilibria,
    matrices,
    nash_subsets,
    normal_form,
    num_plans,
    pure_equilibria,
)

SEEDS = range(6)
ENTRY = [[[0, 4], [0, 4]], [[-1, -1], [2, 2]]]
"""Entry deterrence: stay out or enter, and fight or share. Staying out is an equilibrium if a fight is likely."""
NINE_EQUILIBRIA = [[[[9, 8, 12], [0, 0, 0]], [[0, 0, 0], [3, 4, 6]]], [[[0, 0, 0], [3, 4, 6]], [[9, 8, 2], [0, 0, 0]]]]


def check(game, found):
    """Check that each of them is an equilibrium and pays what the oracle states."""
    assert found
    for each in found:
        assert gb.evaluate(game, each.policy, "NashConv") == pytest.approx(0, abs=1e-12)
        assert gb.expected_values(game, each.policy) == pytest.approx([float(v) for v in each.payoffs], abs=1e-12)
    return found


def payoffs_of(found):
    return sorted(tuple(each.payoffs) for each in found)


def by_supports(table):
    """All equilibria of a nondegenerate game: supports of equal size, and one linear system for each player."""
    a, b = table[..., 0], table[..., 1]
    rows, columns = a.shape
    found = []
    for size in range(1, min(rows, columns) + 1):
        for used in itertools.combinations(range(rows), size):
            for other in itertools.combinations(range(columns), size):
                y, v = balanced(a[np.ix_(used, other)])
                x, w = balanced(b[np.ix_(used, other)].T)
                if min(*x, *y) > 0:
                    full_x, full_y = np.zeros(rows), np.zeros(columns)
                    full_x[list(used)], full_y[list(other)] = x, y
                    if max(a @ full_y) < v + 1e-9 and max(full_x @ b) < w + 1e-9:
                        found.append([*full_x, *full_y])
    return found


def balanced(matrix):
    """The mixture of columns against which all rows pay the same, and this payoff."""
    size = len(matrix)
    system = np.block([[matrix, -np.ones((size, 1))], [np.ones((1, size)), np.zeros((1, 1))]])
    *mixture, value = np.linalg.solve(system, [0.0] * size + [1.0])
    return mixture, value


def grid(length, parts):
    """All mixtures whose shares are multiples of 1/parts."""
    for shares in itertools.product(range(parts + 1), repeat=length):
        if sum(shares) == parts:
            yield [Fraction(share, parts) for share in shares]


def grid_equilibria(table, parts):
    """All equilibria among the mixtures on a grid, with their payoffs, by comparing with every pure plan."""
    a, b = (np.vectorize(Fraction, otypes=[object])(table[..., who].astype(int)) for who in (0, 1))
    for x, y in itertools.product(grid(len(a), parts), grid(len(a[0]), parts)):
        rows, columns = a @ y, np.array(x) @ b
        v, w = sum(rows * x), sum(columns * y)
        if max(rows) == v and max(columns) == w:
            yield (x, y), (v, w)


def test_stag_hunt():
    for seed in SEEDS:
        table = random_games.stag_hunt(seed)
        game = gb.Game.from_payoffs(table)
        hare, stag = table[1, 1, 0], table[0, 0, 0]
        assert payoffs_of(check(game, equilibria(game))) == [(hare, hare), (hare, hare), (stag, stag)], seed
        assert best_equilibrium(game, "SocialWelfare").value == 2 * stag, seed
        assert best_equilibrium(game, "smallest").value == stag, seed
        assert best_equilibrium(game, "NashProduct").value == stag**2, seed
        assert best_equilibrium(game, min).equilibrium.policy.probabilities.tolist() == [1, 0, 1, 0], seed


def test_battle_of_the_sexes():
    for seed in SEEDS:
        table = random_games.battle_of_the_sexes(seed)
        game = gb.Game.from_payoffs(table)
        (high, lower), (low, higher) = table[0, 0].tolist(), table[1, 1].tolist()
        mixed = tuple(Fraction(int(one * other), int(one + other)) for one, other in ((low, high), (lower, higher)))
        assert payoffs_of(check(game, equilibria(game))) == sorted([(high, lower), (low, higher), mixed]), seed
        assert best_equilibrium(game, "SocialWelfare").value == max(high + lower, low + higher), seed
        assert best_equilibrium(game, "smallest").value == max(lower, low), seed


def test_chicken():
    for seed in SEEDS:
        table = random_games.chicken(seed)
        game = gb.Game.from_payoffs(table)
        (both, swerve), (drive_on, crash) = table[..., 0].tolist()
        risk = Fraction(int(drive_on - both), int(drive_on - both + swerve - crash))  # that the other drives on
        mixed = (1 - risk) * int(both) + risk * int(swerve)
        expected = [(swerve, drive_on), (drive_on, swerve), (mixed, mixed)]
        assert payoffs_of(check(game, equilibria(game))) == sorted(expected), seed
        assert best_equilibrium(game, "smallest").value == mixed > swerve, seed
        assert best_equilibrium(game, "SocialWelfare").value == max(swerve + drive_on, 2 * mixed), seed


def test_matching_pennies_and_rock_paper_scissors():
    for size in [2, 3]:
        first = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]] if size == 3 else [[1, -1], [-1, 1]]
        game = gb.Game.from_payoffs(np.stack([first, -np.array(first)], axis=-1))
        [only] = check(game, equilibria(game))
        assert only.mixtures == ((Fraction(1, size),) * size,) * 2, size
        assert only.payoffs == (0, 0), size
        assert not pure_equilibria(game), size


def test_a_continuum_of_equilibria():
    game = gb.Game.from_payoffs(ENTRY)
    found = check(game, equilibria(game))
    two_thirds = (Fraction(2, 3), Fraction(1, 3))
    assert {each.mixtures for each in found} == {((0, 1), (0, 1)), ((1, 0), (1, 0)), ((1, 0), two_thirds)}
    subsets = nash_subsets(extreme_equilibria(*matrices(normal_form(game))))
    assert sorted(subsets) == [([(0, 1)], [(0, 1)]), ([(1, 0)], [two_thirds, (1, 0)])]
    assert best_equilibrium(game, "SocialWelfare").value == 4
    assert best_equilibrium(game, "smallest").value == 2


def test_each_player_decides_what_the_other_gets():
    """Everything is an equilibrium. The best one for both is a pair that neither has a reason to choose."""
    game = gb.Game.from_payoffs([[[0, 0], [3, 0]], [[0, 5], [3, 5]]])
    assert len(equilibria(game)) == 4
    [(xs, ys)] = nash_subsets(extreme_equilibria(*matrices(normal_form(game))))
    assert len(xs) == len(ys) == 2
    assert [best_equilibrium(game, name).value for name in OBJECTIVES] == [8, 3, 15]


def test_random_games_against_support_enumeration():
    for shape in [(2, 2), (3, 3), (2, 4), (4, 4)]:
        for seed in SEEDS:
            table = random_games.random_payoffs(seed, *shape, largest=1000)
            game = gb.Game.from_payoffs(table)
            found = check(game, equilibria(game))
            assert len(found) % 2 == 1, shape
            ours = sorted([float(share) for own in each.mixtures for share in own] for each in found)
            assert np.array(ours) == pytest.approx(np.array(sorted(by_supports(table))), abs=1e-9), shape


def test_random_coordination():
    for seed in SEEDS:
        game = gb.Game.from_payoffs(table := random_games.random_coordination(seed))
        assert len(check(game, equilibria(game))) == 7, seed
        assert len(pure_equilibria(game)) >= 3, seed
        on_diagonal = [table[action, action] for action in range(3)]
        assert best_equilibrium(game, "SocialWelfare").value == max(map(sum, on_diagonal)), seed
        assert best_equilibrium(game, "smallest").value == max(map(min, on_diagonal)), seed


def test_two_by_two_games_with_ties():
    """Every equilibrium on a grid is in a Nash subset, and every Nash subset is full of equilibria."""
    for seed in range(25):
        table = random_games.random_payoffs(seed, 2, 2, largest=1)
        extremes = extreme_equilibria(table[..., 0].tolist(), table[..., 1].tolist())
        boxes = [[(min(own), max(own)) for own in subset] for subset in nash_subsets(extremes)]
        on_grid = [(tuple(x), tuple(y)) for (x, y), _ in grid_equilibria(table, 12)]
        inside = [
            pair
            for pair in itertools.product(map(tuple, grid(2, 12)), repeat=2)
            if any(all(low <= own <= high for own, (low, high) in zip(pair, box, strict=True)) for box in boxes)
        ]
        assert on_grid == inside, seed


def test_no_equilibrium_of_a_game_with_ties_is_better_than_the_best():
    for seed in range(10):
        table = random_games.random_payoffs(seed, 3, 3, largest=1)
        game = gb.Game.from_payoffs(table)
        check(game, equilibria(game))
        on_grid = [payoffs for _, payoffs in grid_equilibria(table, 4)]
        for function in OBJECTIVES.values():
            best = best_equilibrium(game, function).value
            assert all(function(payoffs) <= best for payoffs in on_grid), seed


def test_extensive_games():
    for seed in range(15):
        source = Source("efg", random_games.random_efg(seed, max_nodes=18))
        original = original_game(source)
        game = flatten(original, "random", source, 10_000)
        plays, points = naive.histories(original), naive.decision_points(original)
        plans = [naive.pure_plans(plays, points, player) for player in range(2)]
        assert [num_plans(game, player) for player in range(2)] == [len(own) for own in plans], seed
        nowhere = {point: {} for point in points}
        outcomes = [
            naive.mean_returns(plays, naive.with_pure_plan(nowhere, {**one, **other}))
            for one, other in itertools.product(*plans)
        ]
        ours = np.array(list(normal_form(game).payoffs.values()), float)
        distances = np.abs(ours[:, None] - np.array(outcomes)).max(axis=-1)
        assert distances.min(axis=0) == pytest.approx(0, abs=1e-12), seed
        assert distances.min(axis=1) == pytest.approx(0, abs=1e-12), seed
        found = check(game, equilibria(game))
        for name, function in OBJECTIVES.items():
            pure = [function(each.payoffs) for each in pure_equilibria(game)]
            assert best_equilibrium(game, name).value == max(function(each.payoffs) for each in found), seed
            assert max(pure, default=-np.inf) <= best_equilibrium(game, name).value, seed


def test_three_players_with_nine_equilibria():
    """The example of McKelvey and McLennan, as shipped with Gambit: of its 9 equilibria, 2 are fully mixed."""
    game = gb.Game.from_payoffs(NINE_EQUILIBRIA)
    found = check(game, equilibria(game))
    assert len(found) == 9
    assert sum(all(0 < p < 1 for own in each.mixtures for p in own) for each in found) == 2
    assert best_equilibrium(game, "SocialWelfare").value == 29


def test_random_games_of_three_players():
    for seed in range(20):
        game = gb.Game.from_payoffs(random_games.random_payoffs(seed, 2, 2, 2, largest=1000))
        found = check(game, equilibria(game))
        assert len(found) % 2 == 1, seed
        pure = [each for each in found if all(p in (0, 1) for own in each.mixtures for p in own)]
        assert payoffs_of(pure) == payoffs_of(pure_equilibria(game)), seed


def test_pure_equilibria_of_many_players():
    for seed in SEEDS:
        table = random_games.random_coordination(seed, players=3)
        game = gb.Game.from_payoffs(table)
        found = check(game, pure_equilibria(game))
        assert all(tuple(table[action, action, action]) in payoffs_of(found) for action in range(3)), seed
        best = best_pure_equilibrium(game, "SocialWelfare")
        assert best.value == max(table[action, action, action].sum() for action in range(3)), seed


def test_what_cannot_be_enumerated_is_refused():
    with pytest.raises(TooLargeError):
        equilibria(gb.load_game("Leduc"))
    with pytest.raises(TooLargeError):
        equilibria(gb.Game.from_payoffs(random_games.random_payoffs(0, 3, 2, 2)))
    only_together = np.zeros((2, 2, 2, 3))
    only_together[0, 0, 0] = 1
    with pytest.raises(DegenerateGameError):
        equilibria(gb.Game.from_payoffs(only_together))


def test_catalogued_games():
    for best_of, values in [
        (best_of_trade_comm, {"SocialWelfare": 2, "smallest": 1, "NashProduct": 1}),
        (best_of_bargaining, {"SocialWelfare": 15.6, "smallest": 7.8, "NashProduct": 60.84}),
        (best_of_battleship, {"SocialWelfare": 9 / 16, "smallest": 9 / 64, "NashProduct": 27 * 9 / 64**2}),
    ]:
        for name, value in values.items():
            best = best_of(name)
            assert float(best.value) == value, best_of
            check(best.equilibrium.policy.game, [best.equilibrium])


def test_no_policy_of_the_catalogued_games_is_better_for_all():
    """In TradeComm and Bargaining the best equilibria are best among all policies."""
    trade = gb.load_game("TradeComm")
    assert best_of_trade_comm("SocialWelfare").value == trade.sequence_form.payoffs.sum(axis=0).max()
    bargaining = gb.load_game("Bargaining").sequence_form
    instances = bargaining.decision_points_of_sequences()[bargaining.last_sequences[0]]
    most = [bargaining.payoffs[:, instances == instance].sum(axis=0).max() for instance in np.unique(instances)]
    assert float(best_of_bargaining("SocialWelfare").value) == np.mean(most)
    assert float(best_of_bargaining("smallest").value) == np.mean(most) / 2


def test_battleship_with_two_squares():
    """In a game that is small enough to enumerate, all equilibria pay what the argument predicts."""
    game = gb.load_game(
        "battleship(board_width=2,board_height=1,ship_sizes=[1],ship_values=[1.5],num_shots=2,loss_multiplier=0.5)"
    )
    found = check(game, equilibria(game))
    assert len(found) == 16
    assert {each.payoffs for each in found} == {battleship_payoffs(squares=2)}
    assert gb.evaluate(game, battleship_policy(game), "NashConv") == pytest.approx(0, abs=1e-12)
