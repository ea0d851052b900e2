"""Searches for hyper-parameters: trials, storage, resuming and failures."""

import math
import shutil
import warnings

import pytest

import gamebench as gb
from gamebench.analysis.measures import standard
from gamebench.experiments import search_space, tuning
from gamebench.experiments.executors import local
from gamebench.experiments.perform import Kind
from gamebench.experiments.store import Store
from tests.helpers import refuses


def tune(games, algorithm, out, **options):
    """Search in this process, with short runs."""
    return gb.tune(games, algorithm, out, **{"executor": "serial", "iterations": 50, **options})


# Searches


def test_a_better_step_size_than_the_default_is_found(tmp_path):
    found = tune("Kuhn", "MMD-KL", tmp_path, trials=12, iterations=300, vary="step_size")
    assert found.value < found.defaults.value / 2
    [step_size] = found.best.values()
    expected = gb.solve("Kuhn", "MMD-KL", 300, step_size=step_size).curve.last["NashConv"]
    assert found.value == expected
    assert found.defaults.value == gb.solve("Kuhn", "MMD-KL", 300).curve.last["NashConv"]
    values = [trial.value for trial in found.trials]
    assert [trial.value for trial in found.ranking] == sorted(values)
    assert [trial.number for trial in found.trials] == list(range(1, 13))
    assert repr(found) == f"Tuning(MMD-KL, 12 trials: step_size={step_size})"


def test_the_value_is_the_geometric_mean_over_games_and_seeds(tmp_path):
    found = tune(["Kuhn-A", "Kuhn"], "CMD", tmp_path, trials=3, seeds=[0, 5], fixed={"history": 2}, vary="radius")
    for trial in found.trials:
        ends = [
            gb.solve(game, "CMD", 50, seed=seed, history=2, **trial.settings).curve.last[measure]
            for game, measure in (("Kuhn-A", "OptGap"), ("Kuhn", "NashConv"))
            for seed in (0, 5)
        ]
        expected = math.exp(sum(math.log(max(value, 1e-12)) for value in ends) / 4)
        assert trial.value == pytest.approx(expected, rel=1e-12)
        assert len(trial.runs) == 4
        assert all(Store(tmp_path).run(run).is_finished for run in trial.runs)
    assert found.goal.measure == "OptGap and NashConv"
    assert found.best == {"history": 2, **found.best_trial.settings}


def test_where_higher_is_better_it_is_the_mean(tmp_path):
    games = ["Bargaining", "Battleship"]
    found = tune(games, "MMD-KL", tmp_path, trials=4, iterations=20, measure="SocialWelfare", vary="step_size")
    for trial in found.trials:
        ends = [
            gb.solve(game, "MMD-KL", 20, measures=["SocialWelfare"], **trial.settings).curve.last["SocialWelfare"]
            for game in games
        ]
        assert trial.value == pytest.approx(sum(ends) / 2, abs=1e-12)
    assert found.value == max(trial.value for trial in found.trials)
    assert not found.goal.is_geometric


def test_values_that_are_zero_but_for_rounding_tie(tmp_path):
    options = {"trials": 4, "iterations": 300, "vary": "step_size=50..100", "fixed": {"magnet_rate": 1}}
    found = tune("Kuhn-A", "MMD-KL", tmp_path, **options)
    assert (found.value, found.best_trial.number) == (1e-12, 2)  # the first of those in the tie
    assert found.defaults.value > 1e-12


def test_the_first_trial_has_the_defaults_without_those_that_depend_on_the_game(tmp_path):
    found = tune(["Kuhn", "Goofspiel"], "CMD", tmp_path, trials=2, iterations=10)
    assert found.defaults.settings == {"magnet_rate": 0.05, "interval": 10}
    expected = [gb.solve(game, "CMD", 10).curve.last["NashConv"] for game in ("Kuhn", "Goofspiel")]
    assert found.defaults.value == pytest.approx(math.sqrt(math.prod(expected)), rel=1e-12)
    frame = found.to_pandas()
    assert list(frame) == ["trial", "history", "magnet_rate", "interval", "radius", "value", "message"]
    assert frame["history"].isna().tolist() == [True, False]
    assert frame["history"].dtype == "Int64"
    assert frame["value"].tolist() == [trial.value for trial in found.trials]


def test_the_sampler_learns_from_the_defaults_where_they_lie_in_the_space(tmp_path, monkeypatch):
    told = []
    tell = search_space.Sampler.tell

    def listen(self, proposal, loss):
        tell(self, proposal, loss)
        told.append((proposal, [trial.params for trial in self._study.trials if trial.state.is_finished()]))

    monkeypatch.setattr(search_space.Sampler, "tell", listen)
    game = gb.catalogue.PAPER_GAMES["Kuhn"]
    tune("Kuhn", "CMD", tmp_path, trials=1, iterations=10)
    [(_, [known])] = told
    assert known == {"history": game.history, "magnet_rate": 0.05, "interval": 10, "radius": game.radius}
    tune("Kuhn", "CMD", tmp_path, trials=1, iterations=10, vary=["radius=0.3..0.4", "magnet_rate"])
    tune(["Kuhn", "Goofspiel"], "CMD", tmp_path, trials=1, iterations=10)  # whose defaults of history differ
    assert [known for _, known in told[1:]] == [[], []]


def test_numbers_are_short_and_commands_can_repeat_them(whole):
    for trial in whole[0].trials:
        for name, value in trial.settings.items():
            assert float(f"{value:.3g}") == value
            assert 1e-3 <= value <= 100, name


def test_a_finite_space_is_tried_and_no_more(tmp_path):
    found = tune("Kuhn", "CFR", tmp_path, trials=50, iterations=5)
    assert len(found.trials) % 4 == 0
    assert len(found.trials) < 50
    assert {trial.settings["alternating"] for trial in found.trials} == {True, False}
    assert len(found.ranking) == len(Store(tmp_path).runs()) == 2


def test_choices_of_any_kind(tmp_path):
    vary = {"convex": ["x ln x", "x^2"], "weights": [[1, 1], [0.5, 1.0]]}
    found = tune("Kuhn", "GMD", tmp_path, trials=8, iterations=10, vary=vary, fixed={"history": 1})
    assert {str(trial.settings.get("weights")) for trial in found.trials} <= {"None", "[1, 1]", "[0.5, 1.0]"}
    assert {trial.settings["convex"] for trial in found.trials} == {"x ln x", "x^2"}
    assert all(trial.value is not None for trial in found.trials)


def test_objects_stand_for_their_names(tmp_path):
    settings, options = {"convex": "x^2", "weights": [1, 1]}, {"trials": 4, "iterations": 10, "vary": "magnet_rate"}
    by_name = tune("Kuhn", "GMD", tmp_path, fixed=settings, **options)
    game, measure = gb.load_game("Kuhn"), gb.measures.MEASURES["NashConv"]
    as_object = tune(game, gb.algorithms.GMD(**settings), tmp_path, measure=measure, **options)
    assert as_object.trials == by_name.trials
    assert as_object.best["convex"] == "x^2"
    assert tune("Kuhn-A", gb.algorithms.MD, tmp_path, trials=1, iterations=10).algorithm == "MD"


def test_another_seed_is_another_search_of_the_same_beginning(tmp_path):
    one, other = (tune("Kuhn-A", "MD", tmp_path, trials=4, iterations=5, seed=seed) for seed in (0, 1))
    assert one.defaults == other.defaults
    assert not {str(trial.settings) for trial in one.trials[1:]} & {str(trial.settings) for trial in other.trials[1:]}


# Resuming


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A search long enough for the sampler to have learned, and its folder."""
    folder = tmp_path_factory.mktemp("tuning") / "whole"
    return tune("Kuhn", "MMD-KL", folder, trials=14, iterations=20), folder


@pytest.fixture
def copied(whole, tmp_path):
    return shutil.copytree(whole[1], tmp_path / "copied")


def test_a_longer_search_begins_with_the_trials_of_a_shorter_one(whole, tmp_path):
    """Also within a batch, and after the sampler has begun to learn."""
    for fewer in (1, 6, 9):
        short = tune("Kuhn", "MMD-KL", tmp_path / f"{fewer}", trials=fewer, iterations=20)
        assert short.trials == whole[0].trials[:fewer]


def test_the_same_search_again_does_nothing_and_a_longer_one_only_what_is_new(whole, copied):
    first, events = whole[0].trials, []
    assert tune("Kuhn", "MMD-KL", copied, trials=14, iterations=20, report=events.append).trials == first
    assert events == []
    longer = tune("Kuhn", "MMD-KL", copied, trials=17, iterations=20, report=events.append)
    assert longer.trials[:14] == first
    finished = [event.run for event in events if event.kind == Kind.FINISHED]
    assert finished == [run for trial in longer.trials[14:] for run in trial.runs]


def test_a_search_that_is_interrupted_goes_on_where_it_stopped(whole, tmp_path):
    done, after = [], 6

    def stop(event):
        done.append(event.run) if event.kind == Kind.FINISHED else None
        if len(done) == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune("Kuhn", "MMD-KL", tmp_path, trials=14, iterations=20, report=stop)
    rest = []
    assert tune("Kuhn", "MMD-KL", tmp_path, trials=14, iterations=20, report=rest.append).trials == whole[0].trials
    assert len([event for event in rest if event.kind == Kind.FINISHED]) == 14 - after


def test_runs_that_are_lost_are_done_again(whole, copied):
    first, events = whole[0].trials, []
    shutil.rmtree(Store(copied).run(first[2].runs[0]).folder)
    assert tune("Kuhn", "MMD-KL", copied, trials=14, iterations=20, report=events.append).trials == first
    assert {event.run for event in events} == {*first[2].runs}


@pytest.mark.slow
def test_workers_do_the_same_and_are_kept_between_batches(whole, tmp_path, monkeypatch):
    hired = []

    class Counted(local._Worker):
        def __init__(self, *args):
            super().__init__(*args)
            hired.append(self.process.process)

    monkeypatch.setattr(local, "_Worker", Counted)
    together = gb.tune("Kuhn", "MMD-KL", tmp_path, trials=6, iterations=20, workers=2)
    assert together.trials == whole[0].trials[:6]
    assert [process.poll() for process in hired] == [0, 0]


# Failures


def register_fussy(breaks=lambda size: False, refuses=lambda size: False):
    """Mirror descent that cannot be set up with some step sizes, and fails with others."""

    @gb.register_algorithm
    class Fussy(gb.algorithms.MD):
        name = "Fussy"

        def configured(self, game, iterations):
            if refuses(self.step_size):
                raise gb.errors.SettingError(f"step_size={self.step_size} is not to its taste.")
            return super().configured(game, iterations)

        def advance(self, game, state, iterations):
            if breaks(self.step_size):
                raise ArithmeticError("it breaks")
            super().advance(game, state, iterations)

    return Fussy


def test_a_trial_that_fails_costs_only_itself_and_is_avoided(tmp_path, own_names):
    register_fussy(breaks=lambda size: size > 10, refuses=lambda size: size < 0.1)
    found = tune("Kuhn", "Fussy", tmp_path, trials=40, iterations=20, vary="step_size")
    refused = [trial for trial in found.trials if trial.settings["step_size"] < 0.1]
    broken = [trial for trial in found.trials if trial.settings["step_size"] > 10]
    worked = [trial for trial in found.trials if trial not in refused + broken]
    assert len(refused) > 1
    assert len(broken) > 1
    for trial in refused:
        assert (trial.value, trial.runs) == (None, ())
        assert trial.message == f"step_size={trial.settings['step_size']} is not to its taste."
    for trial in broken:
        assert trial.value is None
        assert " on Kuhn: It stopped after iteration 0: ArithmeticError: it breaks" in trial.message
    assert all(trial.value is not None and not trial.message for trial in worked)
    assert found.ranking == sorted(worked, key=lambda trial: (trial.value, trial.number))
    late = [trial for trial in found.trials[20:] if trial in worked]
    assert len(late) > len([trial for trial in found.trials[1:20] if trial in worked])


def test_all_trials_may_fail(tmp_path, own_names):
    register_fussy(breaks=lambda size: True)
    found = tune("Kuhn", "Fussy", tmp_path, trials=3)
    assert found.ranking == []
    assert repr(found) == "Tuning(Fussy, 3 trials: all failed)"
    with pytest.raises(
        gb.errors.GameBenchError, match=r"^All trials failed, the first with: Fussy step_size=1.0 on Kuhn: It"
    ):
        found.best  # noqa: B018  (looking is the test)


def test_defaults_that_fail_are_no_reason_to_stop(tmp_path, own_names):
    register_fussy(breaks=lambda size: size == 1.0)
    found = tune("Kuhn", "Fussy", tmp_path, trials=3)
    assert found.defaults.value is None
    assert found.value == found.ranking[0].value


def test_what_has_no_effect_is_not_varied(tmp_path):
    with pytest.warns(
        UserWarning, match=r"^radius is not varied: radius=0.001 has no effect with the controller GLD; "
    ):
        found = tune("Kuhn-A", "CMD", tmp_path, trials=3, iterations=10, fixed={"controller": "GLD"})
    assert list(found.varied) == ["history", "magnet_rate", "interval"]
    assert all(trial.value is not None for trial in found.trials)
    with pytest.raises(
        gb.errors.SettingError, match=r"^radius=0.001 has no effect with the controller GLD; it is for DRS, RS"
    ):
        tune("Kuhn-A", "CMD", tmp_path, fixed={"controller": "GLD"}, vary=["radius", "history"])


def test_a_search_without_optuna_is_refused_in_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(search_space, "find_spec", lambda name: None)
    with pytest.raises(gb.errors.ExecutorError) as error:
        tune("Kuhn", "MD", tmp_path / "out")
    assert str(error.value) == 'A search for hyper-parameters needs Optuna: pip install "gamebench[tune]".'
    assert not (tmp_path / "out").exists()


def test_optuna_says_nothing_and_is_left_as_it_was(tmp_path, capfd):
    import optuna

    before = optuna.logging.get_verbosity()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tune("Kuhn-A", "MD", tmp_path, trials=10, iterations=5)
    assert optuna.logging.get_verbosity() == before
    assert capfd.readouterr() == ("", "")


def test_measures_of_both_directions_cannot_be_mixed(tmp_path, monkeypatch):
    welfare = standard.CategoryMeasures("SocialWelfare", "SocialWelfare", ())
    changed = {**standard.MEASURES_BY_CATEGORY, gb.games.Category.GENERAL_SUM: welfare}
    monkeypatch.setattr(standard, "MEASURES_BY_CATEGORY", changed)
    with pytest.raises(gb.errors.SpecError) as error:
        tune(["Kuhn", "Bargaining"], "MD", tmp_path / "out")
    assert str(error.value) == (
        "One search cannot have both NashConv (Kuhn), for which lower is better, and SocialWelfare (Bargaining), "
        "for which higher is better: choose one measure for all games."
    )
    assert not (tmp_path / "out").exists()


def test_a_measure_of_ones_own_that_is_negative_is_not_cut_off_silently(tmp_path, own_names):
    @gb.register_measure
    def minus_welfare(game, policy):
        return -1.5

    complaint = r"^minus_welfare is -1.5, but .* geometric mean, .* set direction='higher'\.$"
    refuses(gb.errors.SpecError, complaint, tune, "Kuhn", "MD", tmp_path, measure="minus_welfare")


def test_a_mistake_costs_one_sentence_and_nothing_is_written(tmp_path):
    two = gb.algorithms.MD(step_size=2.0)
    for options, complaint in [
        ({"vary": ["stepsize"]}, "There is no hyper-parameter of MD called 'stepsize'; did you mean 'step_size' or"),
        ({"fixed": {"epsilom": 1}}, "There is no hyper-parameter of MD called 'epsilom'; did you mean 'epsilon' or"),
        ({"vary": ["step_size"], "fixed": {"step_size": 1}}, "step_size cannot be both varied and set to a value."),
        ({"vary": ["step_size", "step_size=1..2"]}, "'step_size' is varied twice."),
        ({"vary": []}, "A search must vary at least one hyper-parameter; vary= is empty."),
        ({"vary": [3]}, "vary takes names of hyper-parameters, not 3."),
        ({"fixed": {"step_size": 1}}, "MD has no hyper-parameter left to vary; give one a range, such as NAME=LOW"),
        ({"vary": ["epsilon"]}, "epsilon has no search range of its own; give one: epsilon=LOW..HIGH or epsilon=[A"),
        ({"vary": ["step_size=0..1"]}, "step_size must be a number from 1e-100 to 1e+100, not 0."),
        ({"vary": ["step_size=2..1"]}, "A search range must end above its beginning; got 2 to 1."),
        (
            {"vary": ["step_size=a..b"]},
            "The range of step_size must be two numbers or a list of values, not ('a', 'b').",
        ),
        ({"vary": ["step_size=[]"]}, "step_size has no values to choose from."),
        ({"vary": ["step_size=[1"]}, "The range of 'step_size' cannot be read as YAML: line 1, column 3"),
        ({"vary": ["step_size="]}, "'step_size=' is not a range: write step_size=LOW..HIGH, step_size=[A, B, C], or"),
        (
            {"vary": {"step_size": (1, 2, 3)}},
            "The range of step_size must be two numbers or a list of values, not (1, 2",
        ),
        ({"vary": ["projection=1..2"]}, "projection must be one of exact, clip, not 1."),
        ({"trials": 0}, "trials must be a whole number from 1 to 100000, not 0."),
        ({"seed": -1}, "The seed of a search must be a whole number from 0 to 4294967295, not -1."),
        ({"games": []}, "The search cannot be read: 'games' must name at least one, not ()."),
        ({"algorithm": two, "fixed": {"step_size": 1}}, "step_size is set twice: in fixed and with the"),
        ({"algorithm": two, "vary": "step_size"}, "step_size cannot be both varied and set to a value."),
        ({"executor": "ray"}, "A search runs on this machine: its executor is 'local' or 'serial', not 'ray'."),
        ({"executor": "mars"}, "There is no executor called 'mars'"),
    ]:
        with pytest.raises(gb.errors.GameBenchError) as error:
            tune(**{"games": "Kuhn", "algorithm": "MD", "out": tmp_path / "out", **options})
        assert str(error.value).startswith(complaint)
        assert str(error.value)[-1] in ".?"
        assert not (tmp_path / "out").exists()


def test_a_grid_is_no_search(tmp_path):
    with pytest.raises(gb.errors.SpecError, match=r"^A search takes no grid such as step_size="):
        tune("Kuhn", {"algorithm": "MD", "set": {"step_size": [1, 2]}}, tmp_path / "out")


def test_the_number_of_trials_in_a_batch_is_fixed():
    """Another number would change searches, so results in users' folders would no longer be found."""
    assert (tuning.BATCH, search_space.RANDOM) == (4, 8)
