"""Aggregates over games: checked against SciPy, against loops over all pairs, and where the answer is known."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm, trim_mean

import gamebench as gb
from gamebench.report import aggregates
from gamebench.report.aggregates import (
    SOLVED,
    THRESHOLDS,
    aggregate,
    interquartile_mean,
    normalised_score,
    normalised_scores,
    performance_profile,
    probability_of_improvement,
)
from tests.report.made_up_runs import contests, made_up

HUNDREDTHS = st.integers(0, 100).map(lambda percent: percent / 100)
SCORES = st.dictionaries(
    st.sampled_from("abcdef"), st.lists(HUNDREDTHS, min_size=1, max_size=4), min_size=1, max_size=6
)


@pytest.fixture(autouse=True)
def few_resamples(request, monkeypatch):
    """Fewer resamples for tests that do not look at intervals."""
    if "hypothesis" in request.keywords:
        monkeypatch.setattr(aggregates, "RESAMPLES", 20)


# The normalised score


def test_each_decade_counts_the_same():
    assert [normalised_score(10.0**-power, 1.0) for power in range(8)] == pytest.approx(
        [power / 7 for power in range(8)], abs=1e-15
    )
    assert normalised_score(1e-3, 10.0) == pytest.approx(0.5, abs=1e-15)


def test_scores_stay_between_worse_than_uniform_and_solved():
    assert normalised_score(3.0, 2.0) == normalised_score(2.0, 2.0) == 0.0
    assert [normalised_score(value, 2.0) for value in (SOLVED, 1e-15, 0.0, -1.0)] == [1.0] * 4
    assert normalised_score(SOLVED, 2 * SOLVED) == 1.0


@given(st.floats(2e-7, 1e3), st.floats(-1, 1e3), st.floats(-1, 1e3))
@settings(max_examples=30)
def test_a_lower_measure_never_has_a_lower_score(start, one, other):
    low, high = sorted([one, other])
    assert 0.0 <= normalised_score(high, start) <= normalised_score(low, start) <= 1.0


def test_scores_by_method_game_and_seed_and_what_is_left_out():
    scores, left_out = normalised_scores(
        contests(
            made_up("Kuhn", "CMD", [10, 1e-1], 0),
            made_up("Kuhn", "CMD", [10, 1e-3], 1),
            made_up("Kuhn", "CFR", [1e-5], iterations=[4]),  # where it began is known from the others
            made_up("Market", "CMD", [1, 2], measure="SocialWelfare"),
            made_up("Trivial", "CMD", [1e-7, 0]),
            made_up("Late", "CMD", [1, 0.5], iterations=[1, 2]),
            made_up("Odd", "CMD", [1, 0.5]),
            made_up("Odd", "CFR", [2, 0.5]),
        )
    )
    assert {method: list(games) for method, games in scores.items()} == {"CMD": ["Kuhn"], "CFR": ["Kuhn"]}
    np.testing.assert_allclose(scores["CMD"]["Kuhn"], [0.25, 0.5], rtol=0, atol=1e-15)
    np.testing.assert_allclose(scores["CFR"]["Kuhn"], [0.75], rtol=0, atol=1e-15)
    assert left_out == {
        "Market": "higher SocialWelfare is better",
        "Trivial": "uniform play solves it",
        "Late": "no run was measured at iteration 0",
        "Odd": "runs start from different policies",
    }


# The interquartile mean


def test_the_interquartile_mean_is_scipys_where_four_divides():
    for games, seeds in ((4, 1), (12, 1), (4, 3), (6, 2), (15, 4), (1, 8)):
        scores = np.random.default_rng(games).random((games, seeds))
        estimate = interquartile_mean({f"game {place}": row for place, row in enumerate(scores)})
        assert estimate.value == pytest.approx(trim_mean(scores, 0.25, axis=None), abs=1e-12)
        assert estimate.games == games


def test_the_interquartile_mean_of_other_sizes_takes_parts():
    for scores, expected in (
        ([0.3], 0.3),
        ([0.2, 0.6], 0.4),  # half of each
        ([0.1, 0.2, 0.9], (0.1 / 12 + 0.2 / 3 + 0.9 / 12) * 2),  # a quarter of each outer third is inside
        ([0.0, 0.1, 0.2, 0.4, 1.0], (0.1 * 0.15 + 0.2 * 0.2 + 0.4 * 0.15) * 2),
        ([[0.0, 1.0], [0.5]], 0.5),  # weights 1/4, 1/4, 1/2
        ([[0.0, 0.2, 0.4, 1.0], [0.3]], (0.2 * 0.0 + 0.3 * 0.5) * 2),  # 1/8 each, and 1/2 in the middle
    ):
        found = interquartile_mean({str(place): np.atleast_1d(some) for place, some in enumerate(scores)})
        assert found.value == pytest.approx(expected, abs=1e-12)


def iqm_by_copies(scores):
    """Repeat scores until all weights are whole and their number is divisible by four: then SciPy's mean is exact."""
    copies = 4 * math.lcm(*(len(seeds) for seeds in scores.values()))
    return trim_mean([score for seeds in scores.values() for score in seeds for _ in range(copies // len(seeds))], 0.25)


@given(SCORES, st.randoms())
@settings(max_examples=40)
def test_the_interquartile_mean_for_any_numbers_of_seeds(scores, random):
    estimate = interquartile_mean(scores)
    assert estimate.value == pytest.approx(iqm_by_copies(scores), abs=1e-12)
    names = random.sample(list(scores), len(scores))
    assert interquartile_mean({name: random.sample(scores[name], len(scores[name])) for name in names}) == estimate
    assert interquartile_mean({name: seeds * 2 for name, seeds in scores.items()}).value == pytest.approx(
        estimate.value, abs=1e-12
    )


def test_the_resamples_are_those_of_a_loop():
    """Games, then seeds of each: the exact distribution over all draws of a small case."""
    scores = {"a": [0.1, 0.7], "b": [0.4], "c": [0.9]}
    outcomes = {}
    for games in itertools.product("abc", repeat=3):
        draws = [list(itertools.product(scores[game], repeat=len(scores[game]))) for game in games]
        for drawn in itertools.product(*draws):
            value = round(iqm_by_copies(dict(enumerate(drawn))), 12)
            chance = Fraction(1, 27 * math.prod(map(len, draws)))
            outcomes[value] = outcomes.get(value, 0) + chance
    assert sum(outcomes.values()) == 1
    table = aggregates._table(scores, scores)
    found = np.concatenate(
        [
            aggregates._weighted_iqm(table.scores[games[:, :, None], seeds], table.weights[games])
            for games, (seeds,) in aggregates._draws([table], table.width)
        ]
    )
    assert found.shape == (2000,)
    assert set(np.round(found, 12)) <= set(outcomes)
    for value, chance in outcomes.items():
        share = np.mean(np.abs(found - value) < 1e-9)
        assert share == pytest.approx(float(chance), abs=4.5 * math.sqrt(chance * (1 - chance) / 2000))


def test_intervals_do_not_depend_on_the_hour_and_hold_the_value(monkeypatch):
    generator = np.random.default_rng(3)
    scores = {f"game {place}": generator.random(3) for place in range(15)}
    estimate = interquartile_mean(scores)
    assert estimate == interquartile_mean(scores)
    assert 0 < estimate.low < estimate.value < estimate.high < 1
    monkeypatch.setattr(aggregates, "CHUNK", 1000)  # other draws, since seeds are drawn after each chunk's games
    in_chunks = interquartile_mean(scores)
    assert in_chunks.value == estimate.value
    assert [in_chunks.low, in_chunks.high] == pytest.approx([estimate.low, estimate.high], abs=0.02)


def test_intervals_cover_about_as_often_as_they_say(monkeypatch):
    """Games and seeds drawn from a symmetric distribution, whose interquartile mean is its centre."""
    monkeypatch.setattr(aggregates, "RESAMPLES", 200)
    for seeds in (1, 3):
        generator = np.random.default_rng(0)
        covered = 0
        for _ in range(200):
            drawn = 0.5 + 0.15 * generator.standard_normal((20, 1)) + 0.05 * generator.standard_normal((20, seeds))
            estimate = interquartile_mean({str(game): row for game, row in enumerate(drawn)})
            covered += estimate.low <= 0.5 <= estimate.high
        assert 0.90 <= covered / 200 <= 0.985


# The probability of improvement


def naive_probability(first, second):
    chances = []
    for game in first:
        if game in second:
            points = [(one > other) + 0.5 * (one == other) for one in first[game] for other in second[game]]
            chances.append(sum(points) / len(points))
    return sum(chances) / len(chances)


@given(SCORES, SCORES, st.randoms())
@settings(max_examples=40)
def test_the_probability_of_improvement_is_that_of_all_pairs(first, second, random):
    common = first.keys() & second.keys()
    if not common:
        with pytest.raises(gb.errors.GameBenchError, match="at least one game"):
            probability_of_improvement(first, second)
        return
    estimate = probability_of_improvement(first, second)
    assert estimate.value == pytest.approx(naive_probability(first, second), abs=1e-12)
    assert estimate.games == len(common)
    assert 0 <= estimate.low <= estimate.high <= 1
    assert probability_of_improvement(second, first).value == pytest.approx(1 - estimate.value, abs=1e-12)
    assert probability_of_improvement(first, first).value == 0.5
    names = random.sample(list(first), len(first))
    shuffled = {name: random.sample(first[name], len(first[name])) for name in names}
    assert probability_of_improvement(shuffled, second) == estimate


def test_always_better_never_better_and_equal():
    low, high = {"a": [0.1, 0.2], "b": [0.3]}, {"a": [0.4], "b": [0.5, 0.6, 0.7]}
    better, worse, same = (
        probability_of_improvement(*pair) for pair in ((high, low), (low, high), ({"a": [1.0] * 3}, {"a": [1.0] * 2}))
    )
    assert (better.value, better.low, better.high) == (1, 1, 1)
    assert (worse.value, worse.low, worse.high) == (0, 0, 0)
    assert (same.value, same.low, same.high) == (0.5, 0.5, 0.5)


def test_next_to_nothing_is_no_improvement():
    """The minimum probability of actions leaves a NashConv in Bargaining that differs between methods."""
    low, high = ({"Bargaining": [normalised_score(value, 5.0)]} for value in (1.963e-8, 1.955e-8))
    assert probability_of_improvement(high, low).value == 0.5
    low, high = ({"Leduc": [normalised_score(value, 5.0)]} for value in (1.963e-3, 1.955e-3))
    assert probability_of_improvement(high, low).value == 1.0
    assert probability_of_improvement(high, low, same=0.01).value == 0.5


def test_the_interval_of_one_seed_is_that_of_a_share():
    """One seed each: the resamples are a binomial distribution's, whose quantiles are known."""
    games = [str(place) for place in range(20)]
    first, second = {game: [float(place < 14)] for place, game in enumerate(games)}, {game: [0.5] for game in games}
    estimate = probability_of_improvement(first, second)
    assert (estimate.value, estimate.games) == (0.7, 20)
    spread = norm.ppf(0.975) * math.sqrt(0.7 * 0.3 / 20)
    assert [estimate.low, estimate.high] == pytest.approx([0.7 - spread, 0.7 + spread], abs=0.051)  # a step is 0.05


def test_seeds_of_two_methods_are_drawn_each_on_its_own():
    """One game, two seeds each: in one draw of sixteen the first has only its better seed, the second its worse."""
    estimate = probability_of_improvement({"a": [0.0, 1.0]}, {"a": [0.0, 1.0]})
    assert (estimate.value, estimate.low, estimate.high) == (0.5, 0.0, 1.0)


# Profiles


@given(SCORES)
@settings(max_examples=40)
def test_profiles_fall_and_are_what_a_loop_counts(scores):
    thresholds = [-0.1, *THRESHOLDS]
    profile = performance_profile(scores, thresholds)
    for threshold, share in zip(thresholds, profile, strict=True):
        parts = [sum(score > threshold for score in seeds) / len(seeds) for seeds in scores.values()]
        assert share == pytest.approx(sum(parts) / len(parts), abs=1e-12)
    assert (np.diff(profile) <= 1e-15).all()
    assert (profile[0], profile[-1]) == (1, 0)
    backwards = {name: scores[name][::-1] for name in reversed(scores)}
    np.testing.assert_array_equal(performance_profile(backwards, thresholds), profile)
    mean = np.mean([np.mean(seeds) for seeds in scores.values()])  # scores are whole hundredths, as are the thresholds
    assert profile[1:-1].mean() == pytest.approx(mean, abs=1e-12)


def test_nothing_cannot_be_aggregated():
    for scores in ({}, {"a": []}, {"a": [1.0], "b": []}):
        for function in (interquartile_mean, performance_profile):
            with pytest.raises(gb.errors.GameBenchError, match="at least one game, with at least one seed"):
                function(scores)
    found = aggregate([])
    assert (found.methods, found.iqm, found.improvement, found.left_out) == ((), {}, {}, {})


# Everything


def test_everything_at_once():
    found = aggregate(
        contests(
            made_up("Kuhn", "CMD", [10, 1e-1], 0),
            made_up("Kuhn", "CMD", [10, 1e-3], 1),
            made_up("Leduc", "CMD", [10, 1e-5]),
            made_up("Kuhn", "CFR", [10, 1e-2]),
            made_up("Leduc", "CFR", [10, 1e-7]),
            made_up("Goofspiel", "CFR", [10, 1e-7]),
            made_up("Bargaining", "MD", [1, 1]),
            made_up("Market", "welfare", [1, 1], measure="SocialWelfare"),
        )
    )
    assert found.methods == ("CMD", "CFR", "MD")
    assert found.games == {
        "CMD": ("Kuhn", "Leduc"),
        "CFR": ("Kuhn", "Leduc", "Goofspiel"),
        "MD": ("Bargaining",),
    }
    assert found.seeds == {"CMD": (1, 2), "CFR": (1, 1), "MD": (1, 1)}
    assert list(found.left_out) == ["Market"]
    assert found.iqm["CMD"].value == pytest.approx((0.5 * 0.25 + 0.75 * 0.25) * 2, abs=1e-12)
    assert found.iqm["CFR"].value == pytest.approx((0.375 / 12 + 1 / 3 + 1 / 12) * 2, abs=1e-12)
    assert (found.iqm["MD"].value, found.iqm["MD"].games) == (0, 1)
    assert found.improvement.keys() == {(a, b) for a in found.methods for b in found.methods if a != b}
    assert (found.improvement["CMD", "CFR"].value, found.improvement["CFR", "CMD"].value) == (0.25, 0.75)
    assert found.improvement["CFR", "CMD"].games == 2
    assert found.improvement["CFR", "CMD"].low == 1 - found.improvement["CMD", "CFR"].high
    assert found.improvement["MD", "CMD"] is found.improvement["CFR", "MD"] is None
    np.testing.assert_array_equal(found.thresholds, THRESHOLDS)
    assert found.profiles["CMD"][[0, 40, 60, 80]].tolist() == [1, 0.75, 0.5, 0]
    assert found.profiles["CFR"][[0, 40, 99, 100]].tolist() == pytest.approx([1, 2 / 3, 2 / 3, 0], abs=1e-15)
