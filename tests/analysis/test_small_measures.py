"""Measures on games small enough to check by hand, in batches of policies."""

import numpy as np
import pytest

import gamebench as gb
from gamebench.analysis.measures import Solution, lower_is_better, main_measure
from gamebench.analysis.measures.measure import everywhere
from gamebench.analysis.measures.standard import common_payoffs
from tests.helpers import refuses

PENNIES = gb.Game.from_payoffs(np.array([[[1, -1], [-1, 1]], [[-1, 1], [1, -1]]]))
PRISONERS = gb.Game.from_payoffs([[[3, 3], [0, 5]], [[5, 0], [1, 1]]])
TOGETHER = gb.Game.from_payoffs([[[4, 4], [0, 0]], [[0, 0], [2, 2]]])
ALONE = gb.Game.from_payoffs(np.array([[1.0], [3.0], [0.5]]))
ROWS = np.array([[1, 0, 1, 0], [0.5, 0.5, 1, 0], [0.25, 0.75, 0.5, 0.5]])
"""Three joint policies of two players with two actions each."""


def conventions():
    """The first two players gain 1 or 2 if they agree; the third always gets 0."""
    payoffs = np.zeros((2, 2, 2, 3))
    payoffs[0, 0, :, :2], payoffs[1, 1, :, :2] = 1, 2
    return gb.Game.from_payoffs(payoffs)


def teams():
    return gb.with_teams(conventions(), [[0, 1], [2]])


def batch(measure, game, rows=ROWS):
    return gb.measures.MEASURES[measure].of_batch(game, rows)


def test_closed_forms():
    assert gb.evaluate(PENNIES, gb.uniform_policy(PENNIES), "NashConv") == 0
    for game, of_the_first in (
        (PENNIES, {"NashConv": 2, "Exploitability": 1, "SocialWelfare": 0}),
        (PRISONERS, {"NashConv": 4, "SocialWelfare": 6}),
    ):
        assert gb.evaluate(game, gb.Policy(game, ROWS[0]), [*of_the_first]) == of_the_first


def test_teams_can_gain_what_no_member_can_alone():
    """Two players coordinate on the worse of two conventions: neither gains alone, both gain together."""
    plain, game, stuck = conventions(), teams(), [1, 0, 1, 0, 0.5, 0.5]
    assert gb.evaluate(plain, gb.Policy(plain, stuck), "NashConv") == 0
    assert gb.improvements(game, gb.Policy(game, stuck)).tolist() == [1, 0]
    assert gb.evaluate(game, gb.Policy(game, stuck), "NashConv") == 1


def test_nash_conv_and_exploitability_of_a_batch():
    # The sums of gains at (heads, heads), (uniform, heads) and ((1/4, 3/4), uniform).
    assert batch("NashConv", PENNIES) == pytest.approx([2, 1, 0.5], abs=1e-15)
    assert batch("Exploitability", PENNIES) == pytest.approx([1, 0.5, 0.25], abs=1e-15)
    assert batch("CCEGap", PENNIES) == pytest.approx([2, 1, 0.5], abs=1e-15)


def test_social_welfare_of_a_batch():
    assert batch("SocialWelfare", PRISONERS) == pytest.approx([6, 5.5, 4], abs=1e-15)
    assert gb.measures.MEASURES["SocialWelfare"].losses(PRISONERS, ROWS) == pytest.approx([-6, -5.5, -4], abs=1e-15)
    assert gb.measures.MEASURES["NashConv"].losses(PENNIES, ROWS) == pytest.approx([2, 1, 0.5], abs=1e-15)


def test_optimality_gap_of_a_batch():
    assert gb.optimal_value(TOGETHER) == 4
    assert batch("OptGap", TOGETHER) == pytest.approx([0, 2, 4 - (0.125 * 4 + 0.375 * 2)], abs=1e-15)
    assert batch("OptGap", ALONE, [[1, 0, 0], [0.5, 0.5, 0]]) == pytest.approx([2, 1], abs=1e-15)


def test_mixtures():
    both = [gb.Policy(TOGETHER, row) for row in ([1, 0, 1, 0], [0, 1, 0, 1])]
    mixture = gb.Mixture(both, [1, 3])
    assert gb.evaluate(TOGETHER, mixture, "OptGap") == pytest.approx(1.5, abs=1e-15)
    assert gb.evaluate(TOGETHER, mixture, "SocialWelfare") == pytest.approx(5, abs=1e-15)
    alone = gb.Mixture([gb.Policy(ALONE, row) for row in ([1, 0, 0], [0, 1, 0])], [3, 1])
    assert gb.evaluate(ALONE, alone, "OptGap") == pytest.approx(1.5, abs=1e-15)
    # Whoever deviates plays against 3/4 of the second action, which is worth 3/2 instead of 5/2.
    assert gb.evaluate(TOGETHER, mixture, "CCEGap") == pytest.approx(-2, abs=1e-15)
    assert gb.evaluate(TOGETHER, mixture, "CCEGap(average)") == pytest.approx(-2, abs=1e-15)


def test_teams_exactly_and_as_the_paper_has_it():
    game = teams()
    rows = np.array([[1, 0, 1, 0, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]])
    exact, approximate = batch("NashConv", game, rows), batch("NashConv(approximate)", game, rows)
    assert exact == pytest.approx([1, 1.25], abs=1e-15)
    assert (approximate <= exact + 1e-12).all()
    assert approximate[0] == pytest.approx(0, abs=1e-6)  # no member gains alone, so the approximation does not move
    assert approximate[1] > 1.2


def test_where_measures_apply():
    games = {"pennies": PENNIES, "prisoners": PRISONERS, "together": TOGETHER, "alone": ALONE, "teams": teams()}
    of = {
        measure: {name for name, game in games.items() if gb.measures.MEASURES[measure].applies(game)}
        for measure in MEASURES
    }
    assert of["OptGap"] == {"together", "alone"}
    assert of["Exploitability"] == {"pennies"}
    assert of["NashConv(approximate)"] == {"teams"}
    for measure in ("NashConv", *MEASURES[4:]):
        assert of[measure] == set(games)
    assert everywhere(PENNIES)
    assert not common_payoffs(PENNIES)
    main = {name: main_measure(game) for name, game in games.items()}
    assert {name for name, measure in main.items() if measure == "OptGap"} == {"together", "alone"}
    assert {name for name, measure in main.items() if measure == "NashConv"} == {"pennies", "prisoners", "teams"}


MEASURES = (
    "OptGap",
    "NashConv",
    "NashConv(approximate)",
    "Exploitability",
    "CCEGap",
    "CCEGap(average)",
    "SocialWelfare",
    "Fairness(smallest)",
    "Fairness(Nash)",
    "Fairness(Jain)",
)


def test_three_players_have_no_exploitability():
    """Though their payoffs sum to zero."""
    payoffs = np.random.default_rng(0).normal(size=(2, 2, 2, 3))
    payoffs[..., 2] = -payoffs[..., :2].sum(axis=-1)
    game = gb.Game.from_payoffs(payoffs)
    message = r"^Exploitability applies to two-player zero-sum games; .* game of 3 players\. Use NashConv, "
    refuses(gb.errors.MeasureError, message, gb.evaluate, game, gb.uniform_policy(game), "Exploitability")
    with pytest.raises(gb.errors.MeasureError, match=r"is a single-agent game of 1 player\. Use OptGap, NashConv, "):
        gb.evaluate(ALONE, gb.uniform_policy(ALONE), "Exploitability")
    with pytest.raises(gb.errors.MeasureError, match=r"is a general-sum game of 2 players\. Use NashConv, "):
        gb.evaluate(PRISONERS, gb.uniform_policy(PRISONERS), "OptGap")


def test_descriptions_of_measures():
    directions = {name: gb.measures.MEASURES[name].direction for name in MEASURES}
    assert [name for name in MEASURES if directions[name] == gb.measures.Direction.HIGHER] == [*MEASURES[6:]]
    assert [name for name in MEASURES if not lower_is_better(name)] == [*MEASURES[6:]]
    assert lower_is_better("of nobody")
    zero_at = {name: gb.measures.MEASURES[name].zero_at for name in MEASURES}
    equilibria = {"NashConv", "Exploitability", "CCEGap", "CCEGap(average)"}
    assert {name for name, what in zero_at.items() if what is Solution.EQUILIBRIUM} == equilibria
    assert {name for name, what in zero_at.items() if what is Solution.OPTIMUM} == {"OptGap"}
    assert [name for name in MEASURES if gb.measures.MEASURES[name].of_average] == ["CCEGap(average)"]
    assert {name for name in MEASURES if gb.measures.MEASURES[name].of_play} == {*MEASURES[4:], "OptGap"}


def welfare(game, policy):
    return gb.expected_values(game, policy).sum()


def test_a_function_made_into_a_measure():
    made = gb.own_measure(welfare)
    assert (made.name, made.direction, made.unit, made.zero_at) == (
        *("welfare", gb.measures.Direction.LOWER, "as returned by the function", None),
    )
    assert not made.of_average
    assert made.of_play is None
    assert made.applies(PENNIES)
    assert made.of_batch(PRISONERS, ROWS) == pytest.approx([6, 5.5, 4], abs=1e-15)
    assert made(PRISONERS, gb.Policy(PRISONERS, ROWS[1])) == 5.5
    assert made.compute.__wrapped__ is welfare
    for direction in ("higher", "higher is better", gb.measures.Direction.HIGHER):
        assert gb.own_measure(welfare, direction=direction).losses(PRISONERS, ROWS[:1]).tolist() == [-6]
    assert gb.own_measure(welfare, zero_at="optimum").zero_at is Solution.OPTIMUM
    with pytest.raises(gb.errors.MeasureError, match="zero_at must be 'equilibrium' or 'optimum', not 'nowhere'"):
        gb.own_measure(welfare, zero_at="nowhere")
    assert gb.own_measure(type("Callable", (), {"__call__": welfare})()).name == "Callable"


@pytest.mark.usefixtures("own_names")
def test_measures_are_registered_by_calls_and_by_decorators():
    @gb.register_measure(name="Spread(test)", direction="higher")
    def spread(game, policy):
        return np.ptp(gb.expected_values(game, policy))

    assert gb.measures.MEASURES["spread(TEST)"] is spread
    assert not lower_is_better("Spread(test)")
    assert gb.register_measure(welfare).name == "welfare"
    gb.register_measure(spread)  # repeated, as when a notebook cell is run again
    for taken in ("spread(TEST)", "NashConv"):
        refuses(gb.errors.GameBenchError, "already a measure called", gb.register_measure, welfare, name=taken)
    assert lower_is_better("welfare")
    both = gb.evaluate(PRISONERS, gb.Policy(PRISONERS, [1, 0, 0, 1]), ["Spread(test)", "welfare"])
    assert both == {"Spread(test)": 5, "welfare": 5}


def complain(game, policy):
    raise ZeroDivisionError("of no use")


def test_errors_of_user_measures_become_one_sentence():
    policy = gb.uniform_policy(PENNIES)
    complaint = r"^The measure 'complain' raised ZeroDivisionError: of no use \(test_small_measures.py, line \d+\)\.$"
    refuses(gb.errors.MeasureError, complaint, gb.evaluate, PENNIES, policy, complain)
    refuses(gb.errors.ResponseLimitError, "as it is", gb.evaluate, PENNIES, policy, limited)
    two = gb.measures.Measure(
        "two", gb.measures.Direction.LOWER, "", "", everywhere, lambda game, rows: np.zeros(len(rows) + 1)
    )
    none = gb.measures.Measure(
        "none", gb.measures.Direction.LOWER, "", "", everywhere, lambda game, rows: np.full(len(rows), np.nan)
    )
    for measure in (two, none):
        with pytest.raises(
            gb.errors.MeasureError, match=f"'{measure.name}' must return a finite number for each policy, not"
        ):
            measure.of_batch(PENNIES, ROWS)
    with pytest.raises(gb.errors.MeasureError, match=r"^A measure must be a name or a function of game and .*, not 5"):
        gb.evaluate(PENNIES, policy, 5)
    with pytest.raises(gb.errors.MeasureError, match=r"^A measure must be a name or a function of game and .*, not 5"):
        gb.evaluate(PENNIES, policy, ["NashConv", 5])


def limited(game, policy):
    raise gb.errors.ResponseLimitError("It is as it is.")


def test_a_policy_of_another_game_is_refused():
    with pytest.raises(gb.errors.PolicyMismatchError):
        gb.evaluate(PENNIES, gb.uniform_policy(ALONE), "NashConv")
    with pytest.raises(gb.errors.PolicyMismatchError):
        gb.evaluate(PENNIES, gb.Mixture([gb.uniform_policy(ALONE)]), "CCEGap")


def test_what_to_use_for_a_mixture():
    for game, able in ((PENNIES, ""), (TOGETHER, "OptGap, ")):
        message = (
            rf"^NashConv measures a single joint policy, not a mixture; for a mixture, use {able}CCEGap, CCEGap\(a"
        )
        refuses(gb.errors.MeasureError, message, gb.evaluate, game, gb.Mixture([gb.uniform_policy(game)]), "NashConv")
