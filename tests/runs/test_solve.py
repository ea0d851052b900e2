"""``solve``: what it returns, what it records on the way, and its error messages."""

import json
import pickle
import subprocess
import sys

import numpy as np
import pandas
import pytest

import gamebench as gb
from gamebench.runs.curve import TIMES
from tests.helpers import refuses
from tests.patience import HANG


@pytest.fixture(scope="module")
def kuhn():
    return gb.load_game("Kuhn")


def test_the_result(kuhn):
    result = gb.solve(kuhn, "CMD", 100, seed=3, measures=["NashConv", "SocialWelfare"])
    curve = result.curve
    assert list(curve) == [
        *TIMES, "NashConv", "SocialWelfare",
        "alpha_magnet", "alpha_1", "alpha_2", "alpha_3", "alpha_4", "alpha_5",
    ]  # fmt: skip
    assert curve["iteration"].tolist() == [0, 1, 2, 4, 8, 16, 32, 64, 100]
    assert curve["iteration"].dtype == curve["policies_evaluated"].dtype == np.int64
    assert (np.diff(curve["seconds"]) > 0).all()
    assert curve["seconds"][0] == 0
    assert curve["policies_evaluated"][-1] == 100 + 10 * 10
    assert curve["NashConv"][-1] == gb.evaluate(kuhn, result.policy, "NashConv")
    assert curve.last["iteration"] == 100
    assert curve.num_points == 9
    assert (result.game, result.seed, result.state.iteration) == (kuhn, 3, 100)
    assert result.algorithm == gb.algorithms.CMD().configured(kuhn, 100)
    assert repr(result).startswith("Result(CMD on 'Kuhn': iteration=100, seconds=")
    assert repr(curve).startswith("Curve(9 points; NashConv, SocialWelfare, ")
    with pytest.raises(KeyError, match="no column 'nashconv'; it has iteration, seconds"):
        curve["nashconv"]


def test_checkpoints(kuhn):
    for checkpoints, points in [
        (None, [0, 1, 2, 4, 8, 10]),
        (4, [0, 4, 8, 10]),
        (5, [0, 5, 10]),
        (100, [0, 10]),
        ([3, 7, 7, 50], [0, 3, 7, 10]),
        (np.array([0, 10]), [0, 10]),
        ((), [0, 10]),
    ]:
        assert gb.solve(kuhn, "CFR", 10, checkpoints=checkpoints).curve["iteration"].tolist() == points


def test_no_iterations_and_no_measures(kuhn):
    result = gb.solve(kuhn, "CFR", 0, measures=[])
    assert list(result.curve) == [*TIMES]
    assert (result.policy.probabilities == gb.uniform_policy(kuhn).probabilities).all()


def test_by_name_and_as_an_object(kuhn):
    by_name = gb.solve("kuhn", "gmd", 20, history=2, convex="x^2", magnet="none", epsilon=1e-8)
    as_object = gb.solve(kuhn, gb.algorithms.GMD(history=2, convex="x^2", magnet="none", epsilon=1e-8), 20)
    assert (by_name.policy.probabilities == as_object.policy.probabilities).all()
    assert list(by_name.curve)[-2:] == ["alpha_1", "alpha_2"]
    assert by_name.policy.probabilities.min() >= 1e-8


def test_the_papers_hyperparameters_and_one_choice_for_all_other_games():
    for name, row in gb.catalogue.PAPER_GAMES.items():
        made = gb.algorithms.CMD().configured(gb.load_game(name), 1)
        assert (made.history, made.radius, made.candidates, made.interval) == (row.history, row.radius, 5, 10)
        assert (made.epsilon, made.weight_floor, made.radius_range) == (1e-10, 1e-6, (0.01, 0.05))
    by_string = gb.algorithms.CMD().configured(gb.load_game("kuhn_poker(players=3)"), 1)
    assert (by_string.history, by_string.radius) == (5, 0.01)
    other = gb.algorithms.CMD().configured(gb.load_game("kuhn_poker"), 1)
    assert (other.history, other.radius) == (3, 0.05)
    assert gb.algorithms.CMD(history=2, radius=0.5).configured(gb.load_game("Kuhn"), 1).history == 2


def test_the_choice_for_other_games_is_a_sensible_one():
    for game in ("kuhn_poker", "leduc_poker", "matrix_mp"):
        curve = gb.solve(game, iterations=300).curve["NashConv"]
        assert curve[-1] < 0.2 * curve[0] if curve[0] > 0 else curve[-1] < 1e-9


def test_the_average_of_the_play_is_measured_iteration_by_iteration(kuhn):
    result = gb.solve(kuhn, "MMD-KL", 12, measures=["CCEGap(average)", "CCEGap"], checkpoints=4)
    algorithm, play = gb.algorithms.MMDKL(), gb.analysis.AveragePlay(kuhn)
    state = algorithm.start(kuhn, 0)
    play.add(gb.Policy(kuhn, state.policy))
    expected = [play.improvements().sum()]
    for iteration in range(1, 13):
        algorithm.advance(kuhn, state, 1)
        play.add(gb.Policy(kuhn, state.policy))
        if iteration % 4 == 0:
            expected.append(play.improvements().sum())
    assert result.curve["CCEGap(average)"] == pytest.approx(expected, abs=1e-13)


def test_regret_matching_plays_towards_a_coarse_correlated_equilibrium(kuhn):
    """What CFR plays, not the average policy that it reports, has vanishing regret with any number of players."""
    gaps = gb.solve(kuhn, "CFR", 256, measures=["CCEGap(average)"], alternating=False).curve["CCEGap(average)"]
    assert gaps[-1] < 0.05 * gaps[0]


def test_pandas_and_parquet(kuhn, tmp_path):
    result = gb.solve(kuhn, "CMD", 30, seed=4)
    frame = result.curve.to_pandas()
    assert list(frame.columns) == list(result.curve)
    result.curve.save(tmp_path / "curve.parquet")
    pandas.testing.assert_frame_equal(pandas.read_parquet(tmp_path / "curve.parquet"), frame)
    loaded = gb.Curve.load(tmp_path / "curve.parquet")
    assert list(loaded) == list(result.curve)
    assert all(loaded[name].tolist() == result.curve[name].tolist() for name in loaded)
    assert loaded.about == json.loads(json.dumps(result.curve.about))
    assert loaded.about["algorithm"] == "CMD"
    assert loaded.about["hyper-parameters"]["objective"] == "NashConv"
    assert [path.name for path in tmp_path.iterdir()] == ["curve.parquet"]


def test_a_curve_that_cannot_be_read_or_written(kuhn, tmp_path):
    with pytest.raises(gb.errors.GameBenchError, match=r"cannot be written to .*: No such file"):
        gb.solve(kuhn, "CFR", 1).curve.save(tmp_path / "none" / "curve.parquet")
    refuses(gb.errors.GameBenchError, "cannot be read: No such file", gb.Curve.load, tmp_path / "none.parquet")
    (tmp_path / "text.parquet").write_text("no Parquet at all")
    refuses(gb.errors.GameBenchError, r"is not a curve that GameBench wrote", gb.Curve.load, tmp_path / "text.parquet")
    pandas.DataFrame({"a": [1]}).to_parquet(tmp_path / "other.parquet")
    refuses(gb.errors.GameBenchError, "is not a curve that GameBench wrote", gb.Curve.load, tmp_path / "other.parquet")


MISTAKES = {
    "no algorithm called 'CMDD'; did you mean 'CMD'": {"algorithm": "CMDD"},
    "no controller called 'DRSS'; did you mean 'DRS'": {"controller": "DRSS"},
    "no measure called 'NashCon'; did you mean 'NashConv'": {"measures": ["NashCon"]},
    "no convex function called 'x ln y'; did you mean 'x ln x'": {"convex": "x ln y"},
    r"In x\^n, n must be from 1.01 to 20, not 1": {"convex": "x^1"},
    r"A convex function is a formula such as 'x\^2'": {"convex": 2},
    "no projection called 'exakt'; did you mean 'exact'": {"projection": "exakt"},
    "no magnet called 'move'; did you mean 'moving'": {"magnet": "move"},
    "no hyper-parameter of CMD called 'histroy'; did you mean 'history'": {"histroy": 3},
    "no hyper-parameter of CFR called 'radius'; available: alternating": {"algorithm": "CFR", "radius": 3},
    r"weights must be 2 numbers \(one for the magnet, 1 for the history\)": {
        "algorithm": "GMD", "history": 1, "weights": [1, 2, 3],
    },
    "weights must be numbers of at least 0": {"algorithm": "GMD", "weights": [1, -2]},
    "OptGap applies to games with one player": {"objective": "OptGap"},
    r"CCEGap\(average\) measures a whole run, so it cannot be the objective": {"objective": "CCEGap(average)"},
    "NashConv\\(approximate\\) applies to games with opposing teams": {"measures": ["NashConv(approximate)"]},
    "Two of the measures have the same name": {"measures": ["NashConv", "nashconv"]},
    "iterations must be a whole number of at least 0, not -1": {"iterations": -1},
    "checkpoints must be a whole number of at least 1, not 0": {"checkpoints": 0},
    "A checkpoint must be a whole number of at least 0, not -3": {"checkpoints": [-3]},
    "seed must be a whole number of at least 0, not -1": {"seed": -1},
    "Hyper-parameters \\(history\\) can follow an algorithm's name": {"algorithm": gb.algorithms.CFR(), "history": 1},
    "radius is given twice: 0.2, and with the controller DRS": {
        "controller": gb.controllers.DRS(radius=0.1), "radius": 0.2,
    },
}  # fmt: skip


MISTAKES |= {
    "measures= takes a list of names or functions, not int": {"measures": 5},
    "state= takes an earlier result or the path of a state file, not int": {"state": 5},
    "A measure cannot be called 'seconds'": {"measures": [gb.own_measure(lambda g, p: 0.0, "seconds")]},
    "The projection 'clip' is for built-in convex functions": {"convex": np.log, "projection": "clip"},
    "step_size must be a number from": {"algorithm": "MD", "step_size": 10**400},
    "The name of the controller must be a string, not ABCMeta": {"controller": gb.controllers.Controller},
    "The name of the algorithm must be a string, not type": {"algorithm": int},
}


def test_mistakes_are_named_in_one_sentence(kuhn):
    for message, arguments in MISTAKES.items():
        with pytest.raises(gb.errors.GameBenchError, match=message) as caught:
            gb.solve(kuhn, **{"iterations": 5, **arguments})
        assert len(str(caught.value).splitlines()) == 1, message


def test_an_objective_that_fails_stops_the_run_and_the_curve_is_kept(kuhn):
    for outcome, message in [
        (float("nan"), "must return a finite number; it returned nan"),
        ("text", "must return a number; it returned 'text'"),
        (ValueError("no idea"), "raised ValueError: no idea"),
    ]:
        calls = []

        def moody(game, policy, outcome=outcome, calls=calls):
            calls.append(1)
            if len(calls) <= 12:
                return gb.evaluate(game, policy, "NashConv")
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        with pytest.raises(
            gb.errors.RunError, match=f"stopped after iteration 19: The measure 'moody' {message}"
        ) as caught:
            gb.solve(kuhn, iterations=100, history=1, objective=moody)
        result = caught.value.result
        assert result.curve["iteration"].tolist() == [0, 1, 2, 4, 8, 16]
        assert result.state.iteration == 19
        assert gb.evaluate(kuhn, result.policy, "NashConv") > 0


def test_a_failed_update_leaves_nothing_behind(kuhn):
    """A stopped run resumes from its state as if nothing had happened."""
    broken = []

    def moody(game, policy):
        if len(broken) == 1:
            broken.append(1)
            raise ValueError("once")
        return gb.evaluate(game, policy, "NashConv")

    through = gb.solve(kuhn, iterations=60, objective=moody, history=2)
    broken.append(1)
    with pytest.raises(gb.errors.RunError) as caught:
        gb.solve(kuhn, iterations=60, objective=moody, history=2)
    resumed = gb.solve(kuhn, iterations=60, objective=moody, history=2, state=caught.value.result)
    assert (resumed.policy.probabilities == through.policy.probabilities).all()
    assert resumed.curve["policies_evaluated"][-1] == through.curve["policies_evaluated"][-1]


def test_a_controller_that_returns_nonsense_stops_the_run(kuhn):
    nonsense = [None, 0.5, [0.5], [np.nan, 0.5], [-0.5, 0.5], ["a", "b"]]

    class Broken(gb.controllers.Controller):
        name = "broken"

        def update(self, weights, losses, current_loss, generator):
            return nonsense.pop()

    while nonsense:
        with pytest.raises(gb.errors.RunError, match=r"stopped after iteration 9: .*(broken|TypeError|UFuncTypeError)"):
            gb.solve(kuhn, iterations=30, history=1, controller=Broken)


def test_a_controller_given_as_a_class_has_the_games_radius(kuhn):
    assert gb.solve(kuhn, iterations=1, controller=gb.controllers.RS).algorithm.radius == 0.01
    assert gb.solve(kuhn, iterations=1, controller=gb.controllers.RS, radius=0.3).algorithm.radius == 0.3


def test_an_algorithm_that_does_not_count_stops_the_run(kuhn):
    class Lazy(gb.algorithms.CFR):
        name = "lazy"

        def advance(self, game, state, iterations):
            pass

    class Failing(gb.algorithms.CFR):
        name = "failing"

        def advance(self, game, state, iterations):
            raise ZeroDivisionError("by zero")

    refuses(
        gb.errors.RunError, "lazy was asked for 1 iterations, after which its state should", gb.solve, kuhn, Lazy(), 5
    )
    with pytest.raises(
        gb.errors.RunError, match="failing on 'Kuhn' stopped after iteration 0: ZeroDivisionError: by zero"
    ) as it:
        gb.solve(kuhn, Failing, 5)
    assert it.value.result.curve.num_points == 1


def test_an_earlier_result_stays_as_it_is(kuhn):
    first = gb.solve(kuhn, "CFR", 4, seed=np.int64(3))
    policy = first.policy.probabilities
    second = gb.solve(kuhn, "CFR", 40, state=first)
    assert first.state.iteration == 4
    assert (first.policy.probabilities == policy).all()
    assert (second.seed, second.curve.about["seed"]) == (3, 3)
    assert second.curve["iteration"][0] == 4
    assert second.curve["seconds"][0] == first.curve["seconds"][-1]
    refuses(gb.errors.StateError, "another algorithm", gb.solve, kuhn, "CFR+", 40, state=first)
    refuses(gb.errors.StateError, "another game", gb.solve, "MCCKuhn-A", "CFR", 40, state=first)
    with pytest.raises(gb.errors.SettingError, match="started with the seed 3; it cannot continue with 5"):
        gb.solve(kuhn, "CFR", 40, state=first, seed=5)
    with pytest.raises(gb.errors.MeasureError, match=r"CCEGap\(average\) measures a whole run"):
        gb.solve(kuhn, "CFR", 40, state=first, measures=["CCEGap(average)"])


def test_ctrl_c_at_any_moment_leaves_a_state_that_goes_on():
    """Sent to a process in the middle of compiled loops; its state must be that of a clean run so far."""
    code = """
import os, signal, threading, time, gamebench as gb

def interrupt_at(moment):
    while time.process_time() < moment:  # seconds of this process, however many others there are
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # background processes start without it
game = gb.load_game("Leduc")
for algorithm in ("CFR", "CMD"):
    gb.solve(game, algorithm, 20, measures=[])
    for delay in (0.05, 0.13):
        threading.Thread(target=interrupt_at, args=(time.process_time() + delay,)).start()
        try:
            gb.solve(game, algorithm, 10**7, measures=[])
            raise SystemExit(f"{algorithm} is not interrupted")
        except gb.errors.RunInterrupted as interrupted:
            result = interrupted.result
        clean = gb.solve(game, algorithm, result.state.iteration, measures=[])
        assert result.state.iteration > 0, algorithm
        assert (clean.state.policy == result.state.policy).all(), algorithm
        assert clean.state.evaluated == result.state.evaluated, algorithm
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=HANG)


def test_algorithms_and_results_can_be_pickled(kuhn):
    for convex in ("x ln x", "x^2.125", "-x^0.1", "e^(0.3x)", "-ln x"):
        result = pickle.loads(pickle.dumps(gb.solve(kuhn, "CMD", 20, convex=convex)))
        assert result.algorithm.convex.name == convex
        again = gb.solve(kuhn, "CMD", 30, convex=convex, state=result)
        assert again.state.iteration == 30


def test_an_algorithm_that_is_not_ready_says_so(kuhn):
    refuses(gb.errors.SettingError, "GMD needs a history: use solve", gb.algorithms.GMD().start, kuhn, 0)
    with pytest.raises(gb.errors.SettingError, match="CMD is not ready: use solve"):
        gb.algorithms.CMD(history=2).advance(kuhn, gb.algorithms.CMD(history=2).start(kuhn, 0), 10)
    state = gb.algorithms.MD().start(kuhn, 0)
    gb.algorithms.MD().advance(kuhn, state, 0)
    assert state.iteration == 0


def test_weights_shown_are_those_in_use(kuhn):
    curve = gb.solve(kuhn, "GMD(ISR)", 6, history=4, checkpoints=1).curve
    assert curve["alpha_1"].tolist() == pytest.approx([1 / 2, 1 / 2, 1 / 3, 1 / 4, 1 / 2, 5**-0.5, 6**-0.5])
    assert curve["alpha_4"].tolist() == pytest.approx([0, 0, 0, 0, 1 / 2, 5**-0.5, 6**-0.5])


def test_ctrl_c_keeps_what_there_is(kuhn):
    def pressed(game, policy):
        if gb.evaluate(game, policy, "NashConv") < 1.0:
            raise KeyboardInterrupt
        return 1.0

    with pytest.raises(gb.errors.RunInterrupted, match="CFR on 'Kuhn' was interrupted after iteration") as caught:
        gb.solve(kuhn, "CFR", 1000, measures=["NashConv", pressed])
    assert caught.value.result.curve.num_points >= 1
    assert isinstance(caught.value, KeyboardInterrupt)


def test_memory_does_not_grow_with_iterations():
    code = """
import gamebench as gb
from pathlib import Path
game = gb.load_game("Kuhn")
def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
for algorithm in (gb.algorithms.CMD(), gb.algorithms.CFRPlus(), gb.algorithms.MMDKL()):
    made = algorithm.configured(game, 10)
    state = made.start(game, 0)
    made.advance(game, state, 2000)
    before = resident()
    made.advance(game, state, 10000)
    assert resident() - before < 2**20, (algorithm.name, resident() - before)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
