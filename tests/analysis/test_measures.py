"""Measures: identities, directions, applicability, mixtures and user-defined measures."""

import dataclasses
import gc
import weakref

import numpy as np
import pytest

import gamebench as gb
from tests.helpers import refuses, three_policies

MATCHING_PENNIES = np.array([[[1, -1], [-1, 1]], [[-1, 1], [1, -1]]])


def chicken_mixture():
    """The traffic light in the game of chicken: a correlated equilibrium that is not a single policy."""
    game = gb.Game.from_payoffs([[[6, 6], [2, 7]], [[7, 2], [0, 0]]])
    first_yields, second_yields = gb.Policy(game, [1, 0, 0, 1]), gb.Policy(game, [0, 1, 1, 0])
    return game, gb.Mixture([first_yields, second_yields])


def test_a_correlated_equilibrium_has_no_cce_gap():
    game, light = chicken_mixture()
    assert gb.evaluate(game, light, "CCEGap") == pytest.approx(-1, abs=1e-12)  # obeying is strictly better
    assert gb.improvements(game, light) == pytest.approx([-0.5, -0.5], abs=1e-12)
    assert gb.evaluate(game, light, "SocialWelfare") == pytest.approx(9, abs=1e-12)
    average = gb.Policy(game, np.mean([policy.probabilities for policy in light.policies], axis=0))
    assert gb.evaluate(game, average, "NashConv") > 0.4  # the same marginals without correlation


def test_kuhn_poker_s_equilibrium():
    """Kuhn's solution of his game (1950), in closed form."""
    game = gb.load_game("kuhn_poker(players=2)")
    bet = {"0": 0, "1": 0, "2": 0, "0pb": 0, "1pb": 1 / 3, "2pb": 1}
    bet |= {"0p": 1 / 3, "1p": 0, "2p": 1, "0b": 0, "1b": 1 / 3, "2b": 1}
    probabilities = np.array(
        [[1 - bet[point.information_state], bet[point.information_state]] for point in game.decision_points]
    )
    policy = gb.Policy(game, probabilities.ravel())
    assert gb.evaluate(game, policy, "NashConv") == pytest.approx(0, abs=1e-12)
    assert gb.expected_values(game, policy) == pytest.approx([-1 / 18, 1 / 18], abs=1e-12)


def test_identities_on_the_fifteen():
    for name in gb.catalogue.PAPER_GAMES:
        game = gb.load_game(name)
        for policy in three_policies(game).values():
            nash_conv = gb.evaluate(game, policy, "NashConv")
            gains = gb.improvements(game, policy)
            assert gains.shape == (len(game.teams),), name
            assert (gains >= -1e-12).all(), name
            assert nash_conv == pytest.approx(gains.sum(), abs=1e-12), name
            assert gb.evaluate(game, policy, "CCEGap") == pytest.approx(nash_conv, abs=1e-12), name
            as_mixture = gb.Mixture([policy, policy], [1, 3])
            assert gb.evaluate(game, as_mixture, "CCEGap") == pytest.approx(nash_conv, abs=1e-12), name
            values = gb.expected_values(game, policy)
            assert gb.evaluate(game, policy, "SocialWelfare") == pytest.approx(values.sum(), abs=1e-12), name
            if gb.measures.MEASURES["OptGap"].applies(game):
                gap = gb.evaluate(game, policy, "OptGap")
                assert gap == pytest.approx(gb.optimal_value(game) - values[0], abs=1e-12), name
                assert gap >= max(gains) - 1e-12, name
            if gb.measures.MEASURES["NashConv(approximate)"].applies(game):
                assert nash_conv >= gb.evaluate(game, policy, "NashConv(approximate)") - 1e-12, name


def test_a_policy_of_the_same_game_loaded_twice_is_welcome():
    policy = gb.uniform_policy(gb.load_game("Kuhn"))
    assert gb.evaluate(gb.load_game("kuhn_poker(players=3)"), policy, "NashConv") == pytest.approx(2.0625, abs=1e-12)


def test_average_play_is_the_uniform_mixture():
    game = gb.load_game("Kuhn")
    policies = [gb.random_policy(game, seed) for seed in range(5)]
    play = gb.analysis.AveragePlay(game)
    for policy in policies:
        play.add(policy)
    mixture = gb.Mixture(policies)
    for name in ("CCEGap", "CCEGap(average)", "SocialWelfare"):
        assert gb.evaluate(game, play, name) == pytest.approx(gb.evaluate(game, mixture, name), abs=1e-12)
    assert gb.measures.MEASURES["CCEGap(average)"].of_average
    assert not gb.measures.MEASURES["CCEGap"].of_average


def test_average_play_needs_play():
    with pytest.raises(gb.errors.GameBenchError, match="The average play is empty"):
        gb.evaluate(gb.load_game("Kuhn"), gb.analysis.AveragePlay(gb.load_game("Kuhn")), "CCEGap")


def test_unknown_measures_suggest_the_nearest():
    game = gb.load_game("Kuhn")
    refuses(
        gb.errors.UnknownNameError, "did you mean 'NashConv'", gb.evaluate, game, gb.uniform_policy(game), "nash_conv"
    )
    assert gb.evaluate(game, gb.uniform_policy(game), "nashconv") > 2  # case does not matter


def unfairness(game, policy):
    return np.ptp(gb.expected_values(game, policy))


def test_wrong_calls():
    game = gb.load_game("Kuhn")
    policy = gb.uniform_policy(game)
    refuses(gb.errors.MeasureError, "takes a game first", gb.evaluate, policy, game, "NashConv")
    refuses(gb.errors.PolicyError, "for 'Kuhn', got <object", gb.evaluate, game, object(), "NashConv")
    refuses(gb.errors.MeasureError, "same name", gb.evaluate, game, policy, ["NashConv", "nashconv"])
    refuses(gb.errors.MeasureError, "'lower' or 'higher'", gb.own_measure, unfairness, direction="sideways")
    play = gb.analysis.AveragePlay(game)
    play.add(policy)
    refuses(
        gb.errors.GameBenchError,
        "play is of the game 'Kuhn', not of",
        gb.evaluate,
        gb.load_game("Leduc"),
        play,
        "CCEGap",
    )


def test_batches_are_checked_and_compile_nothing_anew():
    from gamebench import kernels

    game = gb.load_game("Kuhn")
    rows = np.stack([gb.random_policy(game, seed).probabilities for seed in range(3)])
    measure = gb.measures.MEASURES["NashConv"]
    expected = measure.of_batch(game, rows)
    compiled = len(kernels.own_deviations.signatures)
    frozen = rows.copy()
    frozen.flags.writeable = False
    for batch in (frozen, np.asfortranarray(rows), np.repeat(rows, 2, axis=0)[::2], rows.tolist()):
        assert measure.of_batch(game, batch) == pytest.approx(expected, abs=0)
    assert len(kernels.own_deviations.signatures) == compiled
    for batch in (np.ones((1, 3)), rows[0], rows[None]):
        refuses(gb.errors.PolicyError, "batch of policies", measure.of_batch, game, batch)


def test_payoffs_that_are_tiny_do_not_change_the_category():
    assert gb.Game.from_payoffs(MATCHING_PENNIES * 1e-13).category == "zero-sum"
    assert gb.Game.from_payoffs(np.array([[[3, 3], [0, 5]], [[5, 0], [1, 1]]]) * 1e-13).category == "general-sum"
    assert gb.Game.from_payoffs(MATCHING_PENNIES * 1e12).category == "zero-sum"


def test_average_play_with_wrong_weights():
    for weight in [-0.5, np.inf, np.nan, None, "heavy"]:
        game = gb.load_game("Kuhn")
        refuses(
            gb.errors.PolicyError,
            "must be a finite number of at least 0",
            gb.analysis.AveragePlay(game).add,
            gb.uniform_policy(game),
            weight,
        )


def test_registries_are_mappings():
    assert gb.measures.MEASURES.get("nothing") is None
    assert gb.catalogue.PAPER_GAMES.get("nothing", 3) == 3
    with pytest.raises(gb.errors.GameBenchError, match="must be a string, not int"):
        gb.measures.MEASURES[5]


def test_an_optimum_that_takes_long_is_searched_for_once(monkeypatch):
    monkeypatch.setattr("gamebench.analysis.responses.team.MAX_BELIEFS", 1)
    game = gb.load_game("TinyHanabi-C")
    refuses(gb.errors.ResponseLimitError, "within 1 steps", gb.optimal_value, game, max_steps=1)
    assert gb.optimal_value(game) == 2.5
    assert gb.optimal_value(game, max_steps=1) == 2.5  # remembered
    refuses(gb.errors.GameBenchError, "different payoffs", gb.optimal_value, gb.load_game("Kuhn"))


def test_coordinators_who_share_their_payoff_get_as_much_as_a_single_one():
    game = gb.load_game("kuhn_poker(players=3)")
    shared = dataclasses.replace(
        game, sequence_form=game.sequence_form._replace(payoffs=np.repeat(game.sequence_form.payoffs[:1], 3, axis=0))
    )
    two, one = (gb.with_coordination(gb.with_teams(shared, teams)) for teams in ([[0, 1], [2]], [[0, 1, 2]]))
    assert (two.category, one.category) == (gb.games.Category.COOPERATIVE, gb.games.Category.SINGLE_AGENT)
    assert two.sequence_form.parent_starts is not None
    assert gb.optimal_value(two) == pytest.approx(gb.optimal_value(one), abs=1e-12)


# Performance on small games


def test_what_is_called_from_python_costs_no_search_for_types_or_modules():
    """Numba determines the type of a plain tuple several times faster than that of a named tuple."""
    from gamebench import kernels

    game = gb.load_game("Kuhn")
    policy = gb.uniform_policy(game)
    gb.evaluate(game, policy, ["NashConv", "SocialWelfare"])
    gb.expected_values(game, policy)
    for kernel in (kernels.own_deviations, kernels.expected_values):
        assert not any(hasattr(kind, "fields") for types in kernel.signatures for kind in types)
    assert {"evaluate", "expected_values"} <= vars(gb).keys()


def test_a_measure_that_writes_to_its_batch_leaves_the_policy_as_it_is():
    def spoil(game, policies):
        policies[:] = 7.0
        return policies[:, 0]

    measure = dataclasses.replace(gb.measures.MEASURES["NashConv"], name="Spoiler", compute=spoil)
    policy = gb.uniform_policy(gb.load_game("Kuhn"))
    assert gb.evaluate(policy.game, policy, measure) == 7.0
    assert policy.probabilities.max() == 0.5


def test_a_measure_that_is_registered_again_is_used_from_then_on(own_names):
    def register(number):
        return gb.register_measure(lambda game, policy: number, name="Changing")

    policy = gb.uniform_policy(gb.load_game("Kuhn"))
    for number in (1.0, 2.0):
        register(number)
        assert gb.evaluate(policy.game, policy, "changing") == number


def test_what_is_remembered_of_a_game_is_forgotten_with_it():
    game = gb.Game.from_payoffs(np.ones((2, 2, 2)))
    gb.evaluate(game, gb.uniform_policy(game), ["NashConv", "OptGap"])
    gone = weakref.ref(game)
    del game
    gc.collect()
    assert gone() is None


def test_gains_stand_in_the_order_of_the_teams():
    game = gb.load_game("kuhn_poker")
    policy = gb.random_policy(game)
    turned = dataclasses.replace(game, teams=((1,), (0,)))
    gains = gb.improvements(game, policy)
    assert gains[0] != gains[1]
    assert gb.improvements(turned, gb.Policy(turned, policy.probabilities)).tolist() == gains[::-1].tolist()
