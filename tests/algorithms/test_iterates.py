"""Which policy of a run is reported: averages, the best one, and what recording them costs."""

import json
from itertools import product

import numpy as np
import pytest

import gamebench as gb
from gamebench.algorithms.iterates import AVERAGES
from gamebench.core.choices import ITERATES
from gamebench.runs.curve import TIMES
from gamebench.runs.run import set_up
from gamebench.system.files import load_arrays, save_arrays
from tests.algorithms.helpers import Averaging, Hedge
from tests.helpers import refuses

RECORDED = [name for name in ITERATES if name != "best"]


# --- Averages against their definition -------------------------------------------------------------------------------


def plan_of(game, policy):
    """x(I,a), the product of the player's own probabilities up to and including a, one sequence at a time."""
    form = game.sequence_form
    x = np.ones(game.num_sequences + game.num_players, dtype=np.longdouble)
    for point in game.decision_points:
        for s in range(point.sequences.start, point.sequences.stop):
            x[s] = x[form.parent_sequences[point.index]] * policy[s]
    return x[: game.num_sequences]


def average(game, plans, power):
    """The policy whose plan is proportional to the sum of t^power times the t-th plan."""
    total = sum(np.longdouble(t) ** power * plan for t, plan in enumerate(plans, start=1))
    found = np.empty(game.num_sequences)
    for point in game.decision_points:
        part = total[point.sequences]
        found[point.sequences] = part / part.sum() if part.sum() > 0 else 1 / len(part)
    return found


OFTEN = {"interval": 10, "perturbation": 0.01, "regularisation": 0.1}
METHODS = [
    *((name, {}) for name in ("CFR", "CFR+", "DCFR", "APCFR+", "PDCFR+", "RTCFR+", "DOMWU", "DOGDA", "MD", "CMD")),
    *(("RTCFR+", OFTEN), ("GMD", {"history": 3}), ("GMD", {"convex": "x^2"}), ("MMD-KL", {}), ("MMD-EU", {})),
]


def assert_averages(game, algorithm, iterations=25):
    """One call for all iterations keeps the averages of the policies that single calls play one after another."""
    algorithm = algorithm.configured(game, iterations)
    state, plans = algorithm.start(game, 0), []
    for _ in range(iterations):
        plans.append(plan_of(game, state.policy))
        algorithm.advance(game, state, 1)
    kept = algorithm.begin(game, 0, AVERAGES)
    algorithm.proceed(game, kept, iterations)
    assert (kept.policy == state.policy).all()
    for name, power in AVERAGES.items():
        assert np.abs(algorithm.policy(game, kept, name) - average(game, plans, power)).max() <= 1e-12, name


def test_averages_are_those_of_the_policies_played():
    """A player who moved is averaged with its previous policy, even if the others have seen the new one.

    For an algorithm in Python its author writes nothing: they are kept beside ``advance``.
    """
    for (name, settings), alternating in product(METHODS, (True, False)):
        assert_averages(gb.load_game("Kuhn"), gb.algorithms.ALGORITHMS[name](alternating=alternating, **settings))
    for algorithm in (Hedge(), Averaging()):
        assert_averages(gb.load_game("Goofspiel"), algorithm)


REPORTED = {"CFR": "average", "CFR+": "linear", "LCFR": "linear", "DCFR": "quadratic", "PCFR+": "quadratic"}


def test_the_average_of_that_name_is_the_one_that_authors_report():
    """It is kept twice, with weights from two formulas, and must not differ in a single bit."""
    for (name, iterate), alternating in product(REPORTED.items(), (True, False)):
        own = gb.solve("Kuhn", name, 300, alternating=alternating, checkpoints=50, iterates=[iterate])
        same = gb.solve("Kuhn", name, 300, alternating=alternating, checkpoints=50, iterate=iterate)
        assert own.algorithm.reported == same.algorithm.reported == iterate
        assert (own.policy.probabilities == same.policy.probabilities).all()
        assert (own.curve["NashConv"] == own.curve[f"NashConv [{iterate}]"]).all()
        assert (own.curve["NashConv"] == same.curve["NashConv"]).all()


class CurrentCFR(gb.algorithms.CFR):
    """A user's CFR that reports another policy than CFR does."""

    name = "CurrentCFR"

    def published(self, game, state):
        return state.policy


def test_an_algorithm_says_which_iterate_it_reports():
    """Reports rely on it: a recorded iterate that is the reported one anyway is not shown a second time."""
    assert gb.algorithms.DCFR(gamma=0.5).reported == gb.algorithms.DCFRPlus().reported == ""  # weights without a name
    assert [gb.algorithms.MD().reported, gb.algorithms.RTCFRPlus().reported, Hedge().reported] == ["current"] * 3
    assert Averaging().reported == CurrentCFR().reported == ""
    assert Averaging(iterate="linear").reported == "linear"


# --- The best policy --------------------------------------------------------------------------------------------------


def candidates_of(result_at, iterates):
    """The policies that are measured at the end of a run, each once."""
    state, algorithm, game = result_at.state, result_at.algorithm, result_at.game
    found = [state.policy, algorithm.published(game, state)]
    found += [algorithm.policy(game, state, name) for name in iterates]
    return np.unique(found, axis=0)


@pytest.mark.parametrize(("algorithm", "game"), [("CFR", "Kuhn"), ("RTCFR+", "Kuhn-A"), ("CMD", "MCCKuhn-A")])
def test_the_best_is_the_least_of_all_that_was_measured(algorithm, game):
    """At every point: the current policy, the published one and each average that is kept; each is counted once."""
    points, kept = [0, 3, 4, 11, 20, 30], ["average", "linear"]
    measure = gb.main_measure(gb.load_game(game))
    settings = {"objective": measure} if algorithm == "CMD" else {}
    result = gb.solve(game, algorithm, 30, iterates=["best", *kept], checkpoints=points, **settings)
    curve, least, counted = result.curve, np.inf, 0
    for index, point in enumerate(points):
        at = gb.solve(game, algorithm, point, iterates=kept, measures=[], **settings)
        candidates = candidates_of(at, kept)
        losses = [gb.evaluate(result.game, gb.Policy(result.game, row), measure) for row in candidates]
        least, counted = min(least, *losses), counted + len(candidates)
        assert curve[f"{measure} [best]"][index] == least
        assert curve["policies_evaluated"][index] == at.state.evaluated + counted
    assert (np.diff(curve[f"{measure} [best]"]) <= 0).all()
    assert curve[f"{measure} [best]"][-1] < curve[f"{measure} [best]"][0]


def test_the_best_policy_measures_what_the_curve_says():
    for game in ("Kuhn", "MCCKuhn-B", "TinyHanabi-B"):
        result = gb.solve(game, "CFR+", 40, iterate="best")
        measure = gb.main_measure(result.game)
        assert result.algorithm.objective.name == measure
        assert gb.evaluate(result.game, result.policy, measure) == result.curve.last[measure]
        assert (np.diff(result.curve[measure]) <= 0).all()
        assert (result.policy.probabilities == result.state.best_policy).all()


def test_nothing_is_measured_twice_at_the_same_iteration():
    """A resumed run begins at a point where the last policies have already been measured."""
    first = gb.solve("Kuhn", "CFR", 10, iterate="best")
    again = gb.solve("Kuhn", "CFR", 10, iterate="best", state=first)
    assert again.state.evaluated == first.state.evaluated
    assert again.curve.last["NashConv"] == first.curve.last["NashConv"]


def test_the_best_by_another_objective():
    """CFR learns to defect in the prisoner's dilemma; by welfare, what it played at the beginning was better."""
    game = gb.Game.from_payoffs([[[3.0, 3.0], [0.0, 5.0]], [[5.0, 0.0], [1.0, 1.0]]])
    settings = {"measures": ["SocialWelfare", "NashConv"], "checkpoints": 1}
    best = gb.solve(game, "CFR", 20, iterate="best", objective="SocialWelfare", **settings).curve
    plain = gb.solve(game, "CFR", 20, iterates=["current"], **settings).curve
    measured = np.maximum(plain["SocialWelfare"], plain["SocialWelfare [current]"])
    assert (best["SocialWelfare"] == np.maximum.accumulate(measured)).all()
    assert best.last["SocialWelfare"] == 4.5 > plain.last["SocialWelfare"]
    assert best.last["NashConv"] > plain.last["NashConv"]


def test_cmd_chooses_by_the_objective_that_its_controller_improves():
    given = gb.solve("Bargaining", "CMD", 20, iterate="best", objective="SocialWelfare", measures=["SocialWelfare"])
    assert given.algorithm.objective.name == "SocialWelfare"
    assert (np.diff(given.curve["SocialWelfare"]) >= 0).all()
    left_open = gb.solve("MCCKuhn-A", "CMD", 10, iterates=["best"])
    assert left_open.algorithm.objective.name == "NashConv(approximate)"


MISTAKES = [
    ({"iterate": "averge"}, "There is no iterate called 'averge'; did you mean 'average'?"),
    ({"iterates": ["curent"]}, "There is no iterate called 'curent'; did you mean 'current'?"),
    ({"iterates": "best"}, "iterates must be a list of current, average, linear, quadratic, best, not 'best'."),
    ({"iterate": 3}, "iterate must be one of current, average, linear, quadratic, best, not 3."),
    ({"objective": "NashConv"}, "objective=NashConv has no effect without restart=, explore= or iterate=best."),
    ({"objective": "OptGap", "iterate": "best"}, "OptGap applies to games with one player, or whose players all"),
    ({"objective": "CCEGap(average)", "iterates": ["best"]}, "CCEGap(average) measures a whole run, so it cannot be"),
    ({"objective": "NshConv", "iterate": "best"}, "There is no measure called 'NshConv'; did you mean 'NashConv' or"),
]


def test_mistakes_are_named_in_a_sentence():
    for settings, sentence in MISTAKES:
        with pytest.raises(gb.errors.GameBenchError) as mistake:
            gb.solve("Kuhn", "CFR+", 5, **settings)
        assert str(mistake.value).startswith(sentence)


def test_an_iterate_that_was_not_kept_cannot_be_asked_for():
    game, algorithm = gb.load_game("Kuhn"), gb.algorithms.CFRPlus()
    state = algorithm.begin(game, 0)
    for name, complaint in {
        "average": "does not keep the iterate 'average': name it in iterate= or iterates=",
        "best": "does not look for the best policy: name 'best' in",
        "bst": "There is no iterate called 'bst'; did you mean 'best'",
    }.items():
        refuses(gb.errors.GameBenchError, complaint, algorithm.policy, game, state, name)
    with pytest.raises(gb.errors.SettingError, match=r"CFR\+ is not ready: use solve\(\), or .with_objective"):
        algorithm.look_for_best(game, algorithm.begin(game, 0, ["best"]))


# --- What recording changes -------------------------------------------------------------------------------------------


def test_recording_iterates_changes_nothing_else():
    """Looking for the best takes time and evaluations; all other columns keep their bits."""
    for algorithm in (*gb.algorithms.ALGORITHMS, Hedge):
        plain, recorded, with_best = (
            gb.solve("Kuhn", algorithm, 24, checkpoints=7, iterates=names) for names in ((), RECORDED, ITERATES)
        )
        columns = [f"NashConv [{name}]" for name in RECORDED]
        assert list(recorded.curve) == [*TIMES, *plain.curve.measures, *columns, *plain.curve.weights]
        assert (with_best.curve["policies_evaluated"] > plain.curve["policies_evaluated"]).all()
        for other, changed in ((recorded, {"seconds"}), (with_best, {"seconds", "policies_evaluated"})):
            for name in set(plain.curve) - changed:
                assert other.curve[name].tobytes() == plain.curve[name].tobytes(), (algorithm, name)
            assert (other.state.policy == plain.state.policy).all()
            assert (other.policy.probabilities == plain.policy.probabilities).all()
        assert plain.curve.iterates == []
        assert with_best.curve.iterates == list(ITERATES)
        assert (recorded.curve["NashConv [current]"] == recorded.curve.of_iterate("current")["NashConv"]).all()


def assert_same_curves(one, other):
    assert list(one) == list(other)
    for name in set(one) - {"seconds"}:
        assert one[name].tobytes() == other[name].tobytes(), name


class EnoughError(Exception):
    """Stops a run."""


@pytest.mark.parametrize("at", [1, 13, 32])
def test_a_packed_run_goes_on_with_its_iterates_bit_for_bit(at):
    """Stopped between two points, and at one that has not been measured yet."""
    for algorithm in (*gb.algorithms.ALGORITHMS, Hedge):
        assert_that_it_goes_on(algorithm, at)


def assert_that_it_goes_on(algorithm, at):
    setup = set_up(gb.load_game("Kuhn"), algorithm, 48, {"iterate": "best"}, checkpoints=16, iterates=ITERATES)
    whole, parts, rest = (setup.begin(setup.start(seed=4)) for _ in range(3))
    whole.finish(lambda run: None)

    def look(run):
        if run.state.iteration >= at:
            raise EnoughError

    with pytest.raises(EnoughError):
        parts.finish(look)
    metadata, arrays = parts.pack()
    rest.unpack(json.loads(json.dumps(metadata)), {name: array.copy() for name, array in arrays.items()})
    rest.finish(lambda run: None)
    assert_same_curves(whole.curve, rest.curve)
    assert (whole.policy.probabilities == rest.policy.probabilities).all()


LACKING = [
    ({}, {"iterates": ["average"]}, "average"),
    ({}, {"iterate": "linear"}, "linear"),
    ({}, {"iterates": ["best"]}, "best"),
    ({}, {"iterate": "best"}, "best"),
    ({"iterates": ["average", "best"]}, {"iterates": ["quadratic", "best"]}, "quadratic"),
]


def test_a_state_that_lacks_an_iterate_is_refused(tmp_path):
    """An average cannot begin in the middle of a run."""
    for kept, wanted, lacking in LACKING:
        result, path = gb.solve("Kuhn", "CFR+", 5, **kept), tmp_path / "state.npz"
        result.save_state(path)
        for state in (result, path):
            complaint = f"does not keep the iterate '{lacking}': name it in iterates= from"
            with pytest.raises(gb.errors.StateError, match=complaint):
                gb.solve("Kuhn", "CFR+", 9, state=state, **wanted)
    with pytest.raises(gb.errors.StateError, match="has another objective: 'NashConv', not 'CCEGap'"):
        gb.solve("Kuhn", "CFR+", 9, state=result, iterates=["average", "best"], objective="CCEGap")


def test_any_iterate_that_a_state_keeps_may_be_reported_later(tmp_path):
    """The state does not depend on which iterate was reported."""
    for kept, wanted in (({}, "current"), ({"iterate": "current"}, None), ({}, None)):
        path = tmp_path / "state.npz"
        gb.solve("Kuhn", "CFR+", 5, iterates=["average", "best"], **kept).save_state(path)
        rest = gb.solve("Kuhn", "CFR+", 20, state=path, iterate=wanted)
        through = gb.solve("Kuhn", "CFR+", 20, iterate=wanted)
        assert rest.curve.last["NashConv"] == through.curve.last["NashConv"]
        assert rest.state.kept == ["average"]  # no longer looks for the best: there is no objective


def test_a_file_with_unknown_iterates_is_no_state(tmp_path):
    result, path = gb.solve("Kuhn", "CFR+", 12, iterates=["best"]), tmp_path / "state.npz"
    result.save_state(path)
    metadata, arrays = load_arrays(path)
    for iterates in ("best", [], ["best", 3], None, ["curent"]):
        save_arrays(path, {**metadata, "iterates": iterates}, arrays)
        with pytest.raises(gb.errors.StateError, match=r"does not fit CFR\+: "):
            gb.load_state(path, result.game, result.algorithm)
