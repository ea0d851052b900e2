"""Estimated policies: counts, the rate at which errors shrink, and the coverage of intervals."""

import pickle

import numpy as np
import pyspiel
import pytest
from open_spiel.python.bots.uniform_random import UniformRandomBot

import gamebench as gb
from gamebench.analysis import estimation
from tests.helpers import refuses

KUHN = gb.load_game("kuhn_poker")


def drawn(policy, samples, rng):
    """An estimate with counts sampled from the policy."""
    points = policy.game.decision_points
    counts = [rng.multinomial(samples, policy.probabilities[point.sequences]) for point in points]
    return gb.analysis.PolicyEstimate(policy.game, np.concatenate(counts))


def acting(policy):
    def act(point, rng):
        return rng.choice(point.actions, p=[*policy[point].values()])

    return act


def test_an_agent_that_always_does_the_same_is_exact():
    for name in ["kuhn_poker", "Kuhn"]:

        def act(point):
            return point.actions[len(point.information_state) % 2]

        pure = gb.Policy.from_function(name, act)
        estimate = gb.estimate_policy(name, act, samples=2)
        assert estimate.policy.probabilities.tolist() == pure.probabilities.tolist(), name
        interval = estimate.interval("NashConv", resamples=20)
        exact = gb.evaluate(name, pure, "NashConv")
        assert (interval.value, interval.bias) == pytest.approx((exact, 0), abs=1e-12), name
        assert (interval.low, interval.high) == pytest.approx((exact, exact), abs=1e-12), name


def test_the_seed_reproduces_the_counts():
    policy = gb.random_policy(KUHN, 1)
    one, again = (gb.estimate_policy(KUHN, acting(policy), samples=50, seed=3) for _ in range(2))
    assert one.counts.tolist() == again.counts.tolist()
    assert one.counts.reshape(-1, 2).sum(axis=1).tolist() == [50] * 12
    assert gb.evaluate(KUHN, one, "NashConv") == one.interval("NashConv").value
    assert np.abs(one.policy.probabilities - policy.probabilities).max() < 0.2
    smoothed = gb.estimate_policy(KUHN, acting(policy), samples=50, seed=3, smoothing=0.5)
    assert smoothed.policy.probabilities == pytest.approx((one.counts + 0.5) / 51, abs=1e-15)
    assert repr(one) == "PolicyEstimate('kuhn_poker', 600 actions at 12 of 12 decision points)"


def test_the_error_shrinks_with_the_root_of_the_samples():
    policy, rng = gb.random_policy(KUHN, 1), np.random.default_rng(0)
    truth = gb.evaluate(KUHN, policy, "NashConv")
    errors = [
        np.sqrt(np.mean([(gb.evaluate(KUHN, drawn(policy, n, rng), "NashConv") - truth) ** 2 for _ in range(100)]))
        for n in (2000, 32_000)
    ]
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.2)


def test_intervals_have_about_their_nominal_coverage():
    for measure in ["NashConv", "SocialWelfare"]:
        game = KUHN if measure == "NashConv" else gb.Game.from_payoffs(np.random.default_rng(0).normal(size=(3, 3, 2)))
        policy, rng = gb.random_policy(game, 1), np.random.default_rng(1)
        truth = gb.evaluate(game, policy, measure)
        intervals = [drawn(policy, 200, rng).interval(measure, resamples=200, seed=seed) for seed in range(100)]
        hits = sum(interval.low <= truth <= interval.high for interval in intervals)
        assert 90 <= hits <= 99, measure
        if measure == "NashConv":  # biased upwards, as the resamples show
            assert np.mean([interval.value for interval in intervals]) > truth, measure
            assert np.mean([interval.bias for interval in intervals]) > 0, measure


def test_at_an_equilibrium_intervals_still_reach_down_to_it():
    """Plain quantiles of the resamples never would, because every estimate is above the truth."""
    policy, rng = gb.solve(KUHN, "CFR+", 3000).policy, np.random.default_rng(1)
    intervals = [drawn(policy, 200, rng).interval("NashConv", resamples=200, seed=seed) for seed in range(50)]
    assert min(interval.value for interval in intervals) > 1e-3
    assert sum(interval.low <= 1e-4 for interval in intervals) >= 35
    assert all(interval.low >= 0 for interval in intervals)


def test_resamples_in_batches_are_the_same(monkeypatch):
    estimate = drawn(gb.random_policy(KUHN, 1), 50, np.random.default_rng(0))
    whole = estimate.interval("NashConv", resamples=50)
    monkeypatch.setattr(estimation, "AT_ONCE", 50 * KUHN.num_sequences)
    assert estimate.interval("NashConv", resamples=50) == whole


def test_only_what_is_reached():
    """Points that the agent itself never reaches are skipped; payoffs and improvements do not depend on them."""
    asked = []

    def act(point):
        asked.append(point.information_state)
        return "Bet"

    estimate = gb.estimate_policy(KUHN, act, samples=3, only_reached=True)
    assert not {"0pb", "1pb", "2pb"} & set(asked)
    assert len(asked) == 3 * 9
    full = gb.estimate_policy(KUHN, act, samples=3)
    values, others = gb.evaluate(KUHN, estimate), gb.evaluate(KUHN, full)
    del values["LogitGap"], others["LogitGap"]  # depends on every point
    assert values == pytest.approx(others, abs=1e-12)
    mixed = gb.estimate_policy(KUHN, acting(gb.uniform_policy(KUHN)), samples=5, seed=0, only_reached=True)
    assert mixed.counts.reshape(-1, 2).sum(axis=1).tolist() == [5] * 12
    with pytest.raises(gb.errors.PolicyError, match="only_reached= would skip nothing"):
        gb.estimate_policy(KUHN, act, samples=1, only_reached=True, smoothing=1)


class Caller(pyspiel.Bot):
    """A bot that records the states at which it is restarted."""

    def __init__(self):
        pyspiel.Bot.__init__(self)
        self.seen = []

    def restart_at(self, state):
        self.seen.append(str(state))

    def step(self, state):
        return state.legal_actions()[-1]


def test_bots_and_functions_of_states():
    always = gb.estimate_policy(KUHN, [Caller(), gb.agent(lambda state: 1, of="state")], samples=2)
    assert always.policy.probabilities.tolist() == [0.0, 1.0] * 12
    bot = Caller()
    gb.estimate_policy(KUHN, {0: bot, 1: lambda point: "Pass"}, samples=2)
    assert len(bot.seen) == 2 * 6
    built = [pyspiel.make_uniform_random_bot(player, 1) for player in range(2)]
    assert gb.estimate_policy(KUHN, built, samples=20).policy.probabilities.min() > 0
    goofspiel = "goofspiel(players=2,num_cards=3,imp_info=True)"
    bots = [UniformRandomBot(player, np.random.RandomState(0)) for player in range(2)]
    assert gb.estimate_policy(goofspiel, bots, samples=3).counts.sum() > 0
    focal = gb.load_game("kuhn_poker", focal=1)
    states = gb.estimate_policy(focal, lambda state: int(str(state)[2]) % 2, samples=1, of="state").policy
    assert states.probabilities[::2].tolist() == [
        1.0 - int(point.information_state[0]) % 2 for point in focal.decision_points
    ]


FIRST, SECOND = (pyspiel.make_uniform_random_bot(player, 1) for player in range(2))


def test_agents_that_cannot_be_asked():
    for act, options, complaint in [
        (lambda point: "Raise", {}, "The illegal action 'Raise' has probability 1 at the information state '0'"),
        (
            lambda point: {"Bet": 1},
            {},
            "The agent must return one of the actions Pass, Bet at the information state",
        ),
        (lambda point: 1 / 0, {}, "The agent failed to act at the information state '0' of player 0"),
        (lambda point: "Bet", {"samples": 0}, "samples must be a whole number of at least 1"),
        (
            lambda point: "Bet",
            {"of": "tensor"},
            "of= must be 'point' or 'state' for an agent that returns",
        ),
        (gb.agent(lambda x: x, of="tensor"), {}, "must be a bot or a function of one point or state"),
        (lambda point, rng: "Bet", {}, "<lambda> takes a second argument; set seed= to pass it a NumPy generator."),
        ({0: lambda point: "Bet"}, {}, "Player 1 of 'kuhn_poker' has no agent; give every player an agent that"),
        ({0: lambda point: "Bet", 1: "unifrom"}, {}, "did you mean 'uniform'?"),
        (
            {0: lambda point: "Bet", 1: None},
            {},
            "Expected a policy, an agent, a table, an array or the path of a file",
        ),
        ({0: "uniform", 1: "uniform"}, {}, "must be a bot or a function of one point or state, not {0: 'uniform'"),
        (FIRST, {}, "A bot plays for one player, and 'kuhn_poker' has 2"),
        ([FIRST, FIRST], {}, "A bot plays for one player, and 'kuhn_poker' has 2"),
        ([SECOND, FIRST], {}, "has no action at this state, perhaps because it plays for another player"),
        (3, {}, "must be a bot or a function of one point or state, not 3"),
    ]:
        with pytest.raises(gb.errors.GameBenchError) as caught:
            gb.estimate_policy(KUHN, act, **{"samples": 1, **options})
        assert complaint in str(caught.value), act


@pytest.mark.parametrize(
    ("failure", "kind"), [(KeyboardInterrupt, gb.errors.RunInterrupted), (OSError, gb.errors.RunError)]
)
def test_what_was_counted_is_kept(failure, kind):
    calls = []

    def act(point):
        calls.append(point)
        if len(calls) == 30:
            raise failure
        return "Bet"

    with pytest.raises(kind, match=r"29.* actions") as caught:
        gb.estimate_policy(KUHN, act, samples=100)
    kept = caught.value.result
    assert kept.counts.sum() == 29
    assert kept.policy.probabilities.tolist() == [0.0, 1.0] * 12


def test_functions_get_the_generator_if_they_take_one():
    given = []

    def collect(*arguments):
        given.append(len(arguments))
        return "Bet"

    seats = {
        "one": lambda point: collect(point),
        "two": lambda point, rng: collect(point, rng),
        "some": collect,
        "agent": gb.agent(lambda state: collect(state), of="state"),
    }
    for act, seed, expected in [("one", 0, 1), ("two", 0, 2), ("some", 0, 2), ("some", None, 1), ("agent", 0, 1)]:
        given.clear()
        gb.estimate_policy(KUHN, seats[act], samples=1, seed=seed)
        assert given == [expected] * 12, act
    assert gb.estimate_policy(KUHN, max_of_actions, samples=1).counts.sum() == 12


def max_of_actions(point, *, key=None):
    return max(point.actions, key=key)


def test_seats_with_policies_are_not_sampled():
    """They are not counted, smoothed or resampled: the estimate contains exactly the given policy."""
    asked, given = [], gb.random_policy(KUHN, 1)

    def act(point, rng):
        asked.append(point.player)
        return rng.choice(point.actions)

    own = KUHN.sequence_form.sequences_of(1)
    table = given.to_open_spiel()
    for other in (given, table, gb.agent(lambda points: [given[point] for point in points], batch=True)):
        estimate = gb.estimate_policy(KUHN, {0: act, 1: other}, samples=20, seed=0, smoothing=0.5)
        assert estimate.policy.probabilities[own] == pytest.approx(given.probabilities[own], abs=1e-15)
        assert estimate._resampled(np.random.default_rng(0), 3)[:, own] == pytest.approx(
            np.tile(given.probabilities[own], (3, 1)), abs=1e-15
        )
        assert repr(estimate) == "PolicyEstimate('kuhn_poker', 120 actions at 6 of 6 decision points)"
        assert pickle.loads(pickle.dumps(estimate)).policy == estimate.policy
    assert set(asked) == {0}
    alone = gb.estimate_policy(KUHN, [act, "uniform"], samples=20, seed=0, smoothing=0.5)
    assert alone.counts.tolist() == estimate.counts.tolist()
    assert alone.policy == gb.combine({0: estimate, 1: "uniform"}, KUHN)


def test_intervals_of_several_measures():
    estimate = drawn(gb.random_policy(KUHN, 1), 50, np.random.default_rng(0))
    several = estimate.interval(["NashConv", "CCEGap"], resamples=20)
    assert several == {name: estimate.interval(name, resamples=20) for name in ("NashConv", "CCEGap")}
    refuses(
        gb.errors.MeasureError, "Two of the measures have the same name", estimate.interval, ["NashConv", "NashConv"]
    )


def test_intervals_are_checked():
    estimate = gb.estimate_policy(KUHN, lambda point: "Bet", samples=1)
    refuses(gb.errors.MeasureError, "OptGap applies to", estimate.interval, "OptGap")
    refuses(gb.errors.PolicyError, "resamples must be", estimate.interval, "NashConv", resamples=1)
    refuses(gb.errors.PolicyError, "level of an interval must be", estimate.interval, "NashConv", level=95)
