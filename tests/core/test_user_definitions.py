"""What users register and pass: names, objects, settings, and mistakes, each of which gets one sentence."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gamebench as gb
from gamebench.core.settings import real, setting
from gamebench.experiments.executors.jobs import expected_work
from gamebench.experiments.sweeps import plan_runs, read_sweep
from tests.cli.commands import gamebench
from tests.core.test_plugins import PLUGIN, write
from tests.helpers import refuses

pytestmark = pytest.mark.usefixtures("own_names")


class Slow(gb.controllers.Controller):
    name = "Slow"
    pace: float = setting(real(0), "how slow", default=1.0)

    def update(self, weights, losses, current_loss, generator):
        return weights


def test_objects_in_sweeps_become_names(tmp_path):
    mine = gb.load_plugin(write(tmp_path, PLUGIN))
    gb.register_controller(Slow)
    sweep = {
        "games": [gb.load_game("Kuhn"), {"game": mine.pennies.__name__}],
        "algorithms": [
            mine.Still,
            mine.Still(tilt=0.75),
            gb.algorithms.CMD(
                controller=Slow(pace=2.0),
                objective=gb.measures.MEASURES["NashConv"],
                radius_range=(0.01, 0.02),
                convex="x^2",
            ),
            {"algorithm": gb.algorithms.GMD, "set": {"convex": [gb.algorithms.CMD().convex, "x^3"], "history": [1, 2]}},
        ],
        "measures": [mine.richest],
    }
    spec = read_sweep(sweep)
    assert [game.game for game in spec.games] == ["Kuhn", "pennies"]
    assert [one.algorithm for one in spec.algorithms] == ["Still", "Still", "CMD", "GMD"]
    assert spec.algorithms[1].set == {"tilt": 0.75}
    described = spec.algorithms[2].set
    assert described["controller"] == "Slow(pace=2.0)"
    assert (described["objective"], described["convex"]) == ("NashConv", "x^2")
    assert described["radius_range"] == ((0.01, 0.02),)
    assert spec.algorithms[3].set["convex"] == ("x ln x", "x^3")
    assert spec.measures == ("richest",)
    plans = plan_runs(spec.runs())
    assert [plan.algorithm.controller.pace for plan in plans if plan.algorithm.name == "CMD"] == [2.0, 2.0]
    again = plan_runs([plan.spec for plan in plans])  # as a worker would plan it
    assert [plan.id for plan in again] == [plan.id for plan in plans]


def test_objects_without_a_name_are_refused(tmp_path):
    def nameless(game, policy):
        return 0.0

    class Nameless(gb.algorithms.GMD):
        name = "Nameless"

    cases = [
        ({"measures": [nameless]}, "Sweeps can use only registered names, and 'nameless' is a function"),
        (
            {"measures": [gb.own_measure(nameless)]},
            "'nameless' is not registered: decorate it with @gb.register_measure",
        ),
        ({"algorithms": Nameless}, "'Nameless' is not registered: decorate it with @gb.register_algorithm"),
        (
            {"algorithms": gb.algorithms.GMD(convex=np.log)},
            "'log' is not registered: decorate it with @gb.register_convex",
        ),
        ({"games": gb.Game.from_payoffs(np.zeros((2, 2, 2)))}, "loading 'payoffs' does not give this game"),
    ]
    for change, sentence in cases:
        refuses(
            gb.errors.SpecError, sentence, gb.sweep, {"games": "Kuhn", "algorithms": "CMD", **change}, tmp_path / "out"
        )
    assert not (tmp_path / "out").exists()


def test_controllers_with_settings_in_brackets():
    gb.register_controller(Slow)
    refuses(
        gb.errors.GameBenchError,
        "pace must be a finite number above 0, not -1",
        gb.algorithms.CMD,
        controller="Slow(pace=-1)",
    )
    refuses(
        gb.errors.GameBenchError, "must be a name, or a name with", gb.algorithms.CMD, controller="Slow(pace=open('x'))"
    )
    assert gb.algorithms.CMD(controller="slow(pace=1.0)").controller == "Slow"
    assert gb.algorithms.CMD(controller="Slow(pace=3)").configured(gb.load_game("Kuhn"), 5).controller.pace == 3.0


def test_user_defined_games():
    @gb.register_game(name="coins")
    def make(stake=1.0, flipped=False):
        table = stake * np.array([[[1, -1], [-1, 1]], [[-1, 1], [1, -1]]])
        return gb.Game.from_payoffs(-table if flipped else table)

    game = gb.load_game("Coins(stake=2.5, flipped=True)", focal=1)
    assert game.category == gb.games.Category.SINGLE_AGENT
    assert gb.load_game("coins(stake=2.5)").max_abs_payoff == 2.5
    cases = {
        "coins(": "must be a name, or a name with keyword arguments",
        "coins(stakes=1)": "cannot be made with these parameters: got an unexpected keyword argument 'stakes'",
        "coins(stake='x')": "cannot be made: ",
    }
    for text, sentence in cases.items():
        refuses(gb.errors.GameError, sentence, gb.load_game, text)
    with pytest.raises(gb.errors.GameTooLargeError):
        gb.load_game("coins", max_histories=3)
    for name in ("Kuhn", "kuhn_poker", "a(b)", "a/b"):
        refuses(gb.errors.GameError, r"choose another name|cannot contain brackets", gb.register_game, make, name=name)
    refuses(gb.errors.UnknownNameError, "did you mean 'coins'", gb.load_game, "coin")


def test_user_defined_experiments():
    @gb.register_experiment
    def mine():
        return {"games": "Kuhn", "algorithms": gb.algorithms.CFR, "iterations": 2}

    assert [run.algorithm for run in read_sweep("mine", ["iterations=3"]).runs()] == ["CFR"]
    gb.register_experiment(lambda: 5, name="five")
    gb.register_experiment(lambda: 1 / 0, name="broken")
    refuses(gb.errors.SpecError, "'five' must return a mapping", read_sweep, "five")
    refuses(gb.errors.SpecError, "'broken' cannot be described: ZeroDivisionError", read_sweep, "broken")
    refuses(
        gb.errors.GameBenchError,
        "already an experiment called 'overview'",
        gb.register_experiment,
        mine,
        name="overview",
    )
    with pytest.raises(
        gb.errors.UnknownNameError, match="There is no file or experiment called 'mein'; did you mean 'mine'"
    ):
        read_sweep("mein")


def test_settings_of_a_controller_that_is_given_as_an_object_are_kept():
    sweep = {
        "games": "Kuhn",
        "algorithms": [gb.algorithms.CMD(controller=gb.controllers.DRS(radius=0.2, candidates=7))],
    }
    [plan] = plan_runs(read_sweep(sweep).runs())
    assert (plan.algorithm.radius, plan.algorithm.candidates) == (0.2, 7)
    with pytest.raises(gb.errors.SpecError, match="give radius to CMD, not to its controller"):
        read_sweep(
            {"games": "Kuhn", "algorithms": {"algorithm": "CMD", "set": {"controller": gb.controllers.DRS(radius=0.2)}}}
        )


def test_a_controller_may_have_a_radius_of_its_own():
    class Wide(gb.controllers.DRS):
        name = "Wide"
        radius: float = setting(real(0, 1), "wider", default=0.3)

    game = gb.load_game("Kuhn")
    assert gb.algorithms.CMD(controller=Wide).configured(game, 5).radius == 0.3
    assert gb.algorithms.CMD(controller="DRS").configured(game, 5).radius == 0.01
    assert gb.algorithms.CMD(controller=Wide, radius=0.4).configured(game, 5).radius == 0.4


def test_settings_that_cannot_be_written_down_are_refused():
    class Arrays(gb.algorithms.CFR):
        name = "Arrays"
        levels: object = setting(np.asarray, "some numbers", default=(1.0, 2.0))
        thing: object = setting(lambda value: value, "anything", default=None)

    assert Arrays(levels=[3, 4]).description()["levels"] == [3, 4]
    refuses(
        gb.errors.SettingError, "thing has the type object, which JSON cannot store", Arrays(thing=object()).description
    )


def test_measures_are_not_called_like_columns():
    for name in ["run", "game", "method", "algorithm", "seed", "iteration", "seconds", "alpha_0"]:
        measure = gb.own_measure(lambda game, policy: 1.0, name)
        refuses(
            gb.errors.MeasureError,
            "the curve has a column of that name",
            gb.solve,
            "Kuhn",
            "CFR",
            1,
            measures=[measure],
        )


def test_names_of_weights_begin_with_alpha():
    class Weighing(gb.algorithms.CFR):
        name = "Weighing"

        def alpha_by_name(self, state):
            return {"NashConv": 1.0}

    refuses(gb.errors.RunError, "names of Weighing's weights must begin with 'alpha_'", gb.solve, "Kuhn", Weighing, 1)


def test_mistakes_get_one_sentence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for mistake, sentence in [
        (lambda: gb.register_algorithm(gb.solve), "must be a subclass of gb.algorithms.Algorithm"),
        (lambda: gb.register_algorithm(type("X", (gb.algorithms.CFR,), {"name": None})), "needs a name: name = 'X'"),
        (lambda: gb.register_controller(3), "must be a subclass of gb.controllers.Controller"),
        (lambda: gb.register_game(lambda: None), "Only a function with a name can be registered as a"),
        (lambda: gb.register_game("chess"), "Only a function with a name can be registered as a"),
        (lambda: gb.register_measure(lambda game, policy: 0.0, foo=1), "zero_at, but not foo"),
        (
            lambda: gb.register_measure(gb.measures.MEASURES["NashConv"], name="N"),
            "has its own name; make another",
        ),
        (lambda: gb.register_measure("NashConv", name="N"), "takes a function of game and policy"),
        (lambda: gb.register_convex("x^2", name="square"), "'x\\^2' is built in"),
        (lambda: gb.register_experiment(3), "Only a function with a name can be registered as a"),
        (lambda: gb.sweep(5, "out"), "A sweep is a YAML file, a name, or a mapping, not int"),
        (lambda: gb.sweep({"games": "Kuhn", "algorithms": "CFR"}, "out", save_every="a"), "must be a finite number"),
        (lambda: gb.algorithms.GMD(history=10**12), "history must be a whole number from 1 to 1000"),
    ]:
        refuses(gb.errors.GameBenchError, sentence, mistake)


def test_an_own_game_has_one_name_however_it_is_written():
    @gb.register_game
    def chick(crash=0.0, size=2):
        return gb.Game.from_payoffs(np.full((size, size, 2), crash))

    names = {gb.load_game(text).name for text in ("chick", " Chick", "chick()", "chick(crash=0)", "CHICK(size=2)")}
    assert names == {"chick"}
    assert gb.load_game("chick(size=3, crash=1.5)").name == "chick(crash=1.5, size=3)"
    plans = plan_runs(read_sweep({"games": ["chick", "Chick(size=2)"], "algorithms": "CFR"}).runs())
    assert len(plans) == 1

    @gb.register_game
    def circle():
        return "circle"

    with pytest.raises(
        gb.errors.GameError, match="game 'circle' cannot be made: RecursionError: maximum recursion depth"
    ):
        gb.load_game("circle")


def test_an_own_game_can_be_loaded_by_several_threads_at_once():
    both = threading.Barrier(2)

    @gb.register_game
    def shared():
        both.wait()
        return gb.Game.from_payoffs(np.zeros((2, 2, 2)))

    with ThreadPoolExecutor(2) as pool:
        assert [game.name for game in pool.map(gb.load_game, ["shared"] * 2)] == ["shared"] * 2


def test_a_folder_of_the_name_of_an_experiment_does_not_hide_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()

    @gb.register_experiment
    def mine():
        return {"games": "Kuhn", "algorithms": "CFR"}

    assert len(list(read_sweep("mine").runs())) == 1
    assert len(list(read_sweep("MINE").runs())) == 1


def test_an_algorithm_s_own_interval_is_its_own():
    """The cost of a run is not guessed from the names of settings."""

    class Odd(gb.algorithms.CFR):
        name = "Odd"
        interval: int = setting(lambda value: value, "of its own", default=0)
        candidates: object = setting(lambda value: value, "of its own", default=(1, 2))

    gb.register_algorithm(Odd)
    [odd, cfr, cmd] = plan_runs(read_sweep({"games": "Kuhn", "algorithms": ["Odd", "CFR", "CMD"]}).runs())
    assert expected_work(odd) == expected_work(cfr) < expected_work(cmd)


def test_errors_in_own_code_say_where(tmp_path):
    path = write(
        tmp_path, "import gamebench as gb\n\n@gb.register_measure\ndef broken(game, policy):\n    return 1 / 0\n"
    )
    gb.load_plugin(path)
    game = gb.load_game("Kuhn")
    with pytest.raises(
        gb.errors.MeasureError, match=r"raised ZeroDivisionError: division by zero \(mine.py, line 5\)\.$"
    ):
        gb.evaluate(game, gb.uniform_policy(game), "broken")
    process = gamebench("run", "Kuhn", "--measure", "broken", "--plugin", path, "--out", tmp_path / "out", "--debug")
    assert process.returncode == 1
    assert "Traceback" in process.stderr
    assert "(mine.py, line 5)" in gamebench("status", tmp_path / "out").stderr


def test_a_game_that_makes_nothing_is_named():
    @gb.register_game
    def forgetful():
        """No return."""

    refuses(gb.errors.GameError, "makes the game 'forgetful' returns nothing", gb.load_game, "forgetful")


def test_a_page_does_not_replace_another_file(tmp_path):
    gb.sweep({"games": "Kuhn-A", "algorithms": "CFR", "iterations": 1}, tmp_path / "out", executor="serial")
    precious = tmp_path / "sweep.yaml"
    precious.write_text("games: Kuhn\n")
    process = gamebench("report", tmp_path / "out", "--output", precious)
    assert process.returncode == 2
    assert "must end in .html" in process.stderr
    assert precious.read_text() == "games: Kuhn\n"
