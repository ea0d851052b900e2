"""The user's own things by name: from files, scripts, packages and installed plug-ins, here and in worker processes."""

import os
import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import gamebench as gb
from gamebench.experiments.executors.jobs import Job, expected_work
from gamebench.experiments.store import Store
from gamebench.experiments.sweeping import plan_runs, read_sweep
from gamebench.plugins import homes, load_homes
from gamebench.registry import OpenRegistry, Registry, split_call
from gamebench.report.page.reading import read_folder
from gamebench.settings import real, setting
from tests.cli.commands import done, gamebench, started

PLUGIN = """
import numpy as np
import gamebench as gb
from gamebench.report.page.reading import read_folder
from gamebench.settings import real, setting

@gb.register_algorithm
class Still(gb.Algorithm):
    name = "Still"
    tilt: float = setting(real(0, 1), "towards a random policy", default=0.5)

    def start(self, game, seed):
        return gb.State(seed=seed, policy=np.array(gb.uniform_policy(game).probabilities))

    def advance(self, game, state, iterations):
        for _ in range(iterations):
            state.policy += self.tilt * (gb.random_policy(game, state.generator).probabilities - state.policy)
            state.count(1)

@gb.register_game
def pennies(stake=1.0):
    return gb.Game.from_payoffs(stake * np.array([[[1, -1], [-1, 1]], [[-1, 1], [1, -1]]]))

@gb.register_measure(direction="higher")
def richest(game, policy):
    return gb.expected_values(game, policy).max()
"""
SWEEP = {"games": ["pennies(stake=2)", "Kuhn"], "algorithms": "Still", "measures": ["richest"], "iterations": 20}
pytestmark = pytest.mark.usefixtures("own_names")


def write(folder, text, name="mine.py"):
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(textwrap.dedent(text))
    return path


def test_a_file_is_run_once_and_again_after_a_change(tmp_path):
    path = write(tmp_path, PLUGIN + "\nLOADED = np.random.default_rng().random()\n")
    first = gb.load_plugin(path)
    assert gb.load_plugin(str(path)) is first
    assert gb.ALGORITHMS["still"] is first.Still
    path.write_text(path.read_text().replace("default=0.5", "default=0.25").replace("def pennies", "def coins"))
    second = gb.load_plugin(path)
    assert gb.ALGORITHMS["Still"] is second.Still
    assert second.Still().tilt == 0.25
    assert "coins" in gb.OWN_GAMES
    assert "pennies" not in gb.OWN_GAMES  # it is not in the file any more


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("import nothing_of_the_kind", r"ModuleNotFoundError: No module named 'nothing_of_the_kind' \(line 1\)"),
        ("x = 1\n1 / 0", r"ZeroDivisionError: division by zero \(line 2\)"),
        ("def f(:", r"SyntaxError: .* \(line 1\)"),
        ("raise SystemExit(3)", r"SystemExit: 3 \(line 1\)"),
        ("import gamebench as gb\ngb.MEASURES['NashConf']", "did you mean 'NashConv'"),
    ],
)
def test_a_plug_in_that_fails_leaves_nothing(tmp_path, text, sentence):
    path = write(tmp_path, PLUGIN + "\n")
    before = OpenRegistry.all_own()
    path.write_text(f"{text}\n")
    with pytest.raises(gb.PluginError, match=f"The plug-in 'mine.py' cannot be loaded: .*{sentence}"):
        gb.load_plugin(path)
    path.write_text(f"{PLUGIN}\nraise KeyError('late')")
    with pytest.raises(gb.PluginError, match="KeyError: 'late'"):
        gb.load_plugin(path)
    assert OpenRegistry.all_own() == before
    assert not [name for name in sys.modules if name.endswith("_mine") and "plugin_" in name and str(tmp_path) in name]


def test_after_a_failure_what_was_loaded_before_is_still_there(tmp_path):
    path = write(tmp_path, PLUGIN)
    first = gb.load_plugin(path)
    path.write_text("1 / 0")
    with pytest.raises(gb.PluginError, match="division by zero"):
        gb.load_plugin(path)
    assert gb.ALGORITHMS["Still"] is first.Still


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("none.py", "cannot be read: No such file"), ("notes.txt", "whose name ends in .py"), ("\0", "cannot be read")],
)
def test_what_is_no_plug_in(tmp_path, name, sentence):
    write(tmp_path, "some notes", "notes.txt")
    with pytest.raises(gb.PluginError, match=sentence):
        gb.load_plugin(tmp_path / name)


def test_a_plug_in_may_be_called_like_a_module_and_import_what_lies_beside_it(tmp_path):
    write(tmp_path, "STAKE = 3.0", "beside_it.py")
    text = "import random, beside_it\nimport gamebench as gb\n@gb.register_game\ndef g(): return 'kuhn_poker'\n"
    module = gb.load_plugin(write(tmp_path, text, "random.py"))
    assert module.random.random() >= 0.0
    assert str(tmp_path) not in sys.path
    assert gb.load_game("g").fingerprint == gb.load_game("kuhn_poker").fingerprint
    sys.modules.pop("beside_it")


@pytest.mark.parametrize("executor", ["local", "serial"])
def test_sweeps_with_workers_do_what_is_done_here(tmp_path, executor):
    gb.load_plugin(write(tmp_path, PLUGIN))
    outcome = gb.sweep(SWEEP, tmp_path / executor, executor=executor, workers=2)
    assert outcome.failures == {}
    game = gb.load_game("pennies(stake=2)")
    expected = gb.solve(game, "Still", 20, measures=["richest"]).curve["richest"][-1]
    [plan] = [plan for plan in outcome.plans if plan.game.name == "pennies(stake=2)"]
    assert outcome.records[plan.id]["last"]["richest"] == expected
    description = outcome.store.run(plan.id).description
    assert description["higher_is_better"] == ["richest"]
    assert description["category"] == "zero-sum"
    assert set(description["own_code"]) == {"algorithm Still", "measure richest"}
    assert description["own_code"]["algorithm Still"]["file"] == "mine.py"


def test_the_command_line_knows_what_a_plug_in_registers(tmp_path):
    path, store = write(tmp_path, PLUGIN), tmp_path / "store"
    [run] = done("run", "pennies", "-a", "still", "-n", 5, "--measure", "richest", "--out", store, "--plugin", path)
    assert run["hyperparameters"] == {"tilt": 0.5}
    write(tmp_path, "games: pennies\nalgorithms: {algorithm: Still, set: {tilt: [0.1, 0.2]}}\n", "sweep.yaml")
    runs = done("sweep", tmp_path / "sweep.yaml", "--out", store, "--workers", 2, "--plugin", path)
    assert [one["hyperparameters"]["tilt"] for one in runs] == [0.1, 0.2]
    assert "pennies" in [row["game"] for row in done("list", "games", "--plugin", path)]
    assert "richest" in done("evaluate", "pennies", "--plugin", path)["measures"]
    report = gamebench("report", store, "--plugin", path)
    assert report.returncode == 0, report.stderr
    exported = gamebench("export", run["run"], "--to", "json", "--out", store, "--plugin", path)
    assert '"information_state"' in exported.stdout
    without = gamebench("run", "pennies", "-a", "Still")
    assert without.returncode == 2
    assert without.stderr.startswith("Error: There is no game called 'pennies'")


def test_checking_on_the_command_line(tmp_path):
    path = write(tmp_path, PLUGIN)
    checks = done("check", "--plugin", path)
    assert {check["name"] for check in checks} == {"Still", "pennies", "richest"}
    assert not any(check["wrong"] for check in checks)
    path.write_text(path.read_text().replace("state.count(1)", "pass"))
    process = gamebench("check", "Still", "--plugin", path)
    assert process.returncode == 1
    assert "Error: The algorithm 'Still': advance() was to do 1 iterations" in process.stderr
    nothing = started("check")
    assert (nothing.returncode, nothing.stdout) == (2, "")
    assert "nothing of your own to check" in nothing.stderr


@pytest.mark.parametrize("plugin", ["none.py", "broken.py", "notes.txt"])
def test_bad_plug_ins_cost_one_sentence_on_the_command_line(tmp_path, plugin):
    write(tmp_path, "1 / 0", "broken.py")
    write(tmp_path, "", "notes.txt")
    process = gamebench("run", "Kuhn", "--plugin", plugin, cwd=tmp_path)
    assert process.returncode == 2
    assert process.stdout == ""
    assert process.stderr.count("\n") == 1
    assert process.stderr.startswith("Error: ")
    assert {path.name for path in tmp_path.iterdir()} <= {"broken.py", "notes.txt", "__pycache__"}


SCRIPT = """
    import gamebench as gb
    import numpy as np

    @gb.register_measure
    def mine(game, policy):
        return float(policy.probabilities.max())

    {guard}
        outcome = gb.sweep({{"games": "Kuhn", "algorithms": "CFR", "measures": "mine"}}, "out", workers=1)
        print(len(outcome.records), *outcome.failures.values())
"""


@pytest.mark.parametrize(
    ("guard", "printed"),
    [
        ('if __name__ == "__main__":', "1\n"),
        ("if True:", "0 .*calls gb.sweep\\(\\) while it is being loaded as a plug-in"),
    ],
)
def test_a_script_can_define_something_and_start_a_sweep_of_it(tmp_path, guard, printed):
    path = write(tmp_path, SCRIPT.format(guard=guard))
    process = subprocess.run([sys.executable, path], capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert process.returncode == 0, process.stderr
    assert re.match(printed, process.stdout), process.stdout


def test_modules_of_packages_are_imported_by_workers_by_their_names(tmp_path):
    package = tmp_path / "root" / "own_package"
    write(tmp_path / "root", "", "unused.py")
    write(package, "", "__init__.py")
    write(package, "L = 2.0", "levels.py")
    text = "import gamebench as gb\nfrom .levels import L\n@gb.register_measure\ndef level(game, policy): return L\n"
    write(package, text, "measures.py")
    code = (
        "import gamebench as gb, own_package.measures\n"
        "s = {'games': 'Kuhn', 'algorithms': 'CFR', 'measures': 'level', 'iterations': 2}\n"
        "o = gb.sweep(s, 'out', workers=1); print([r['last']['level'] for r in o.records.values()], o.failures)\n"
    )
    command = [sys.executable, "-c", code]
    environment = {"PYTHONPATH": str(tmp_path / "root")}
    process = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=_with(environment), timeout=120)
    assert process.stdout == "[2.0] {}\n", process.stderr
    with pytest.raises(gb.PluginError, match=r"The module 'own_package.nothing' cannot be imported"):
        load_homes([{"file": str(package / "nothing.py"), "module": "own_package.nothing"}])
    sys.path.remove(str(tmp_path / "root"))


def _with(more):
    return {**os.environ, **more}


def test_installed_plug_ins_are_found_when_a_name_is_not_known(tmp_path):
    write(tmp_path, PLUGIN, "good_plugin.py")
    write(tmp_path, "1 / 0", "bad_plugin.py")
    info = tmp_path / "some_plugins-1.0.dist-info"
    write(info, "Name: some-plugins\nVersion: 1.0\n", "METADATA")
    write(info, "[gamebench.plugins]\nbad = bad_plugin\ngood = good_plugin\n", "entry_points.txt")
    environment = _with({"PYTHONPATH": str(tmp_path)})
    process = gamebench("evaluate", "pennies", "--measure", "richest", env=environment)
    assert process.returncode == 0, process.stderr
    assert process.stdout.splitlines()[1] == "richest\t0\thigher is better"
    warning = "Warning: The installed plug-in 'bad' (bad_plugin) is left out: ZeroDivisionError: division by zero."
    assert process.stderr == f"{warning}\n"
    known = gamebench("evaluate", "Kuhn", "--measure", "NashConv", env=environment)
    assert known.stderr == ""  # names that are known need no plug-in


def test_notebooks_register_again_and_have_no_file(tmp_path):
    cell = "@gb.register_measure\ndef mine(game, policy): return {value}\n"
    namespace = {"gb": gb, "__name__": "__main__"}
    digests = []
    for value in (1.0, 2.0):
        exec(cell.format(value=value), namespace)
        digests.append(gb.MEASURES.own_origin("mine").digest)
    game = gb.load_game("Kuhn")
    assert gb.evaluate(game, gb.uniform_policy(game), "mine") == 2.0
    assert gb.MEASURES.own_origin("MINE").file is None
    assert digests[0] != digests[1]
    exec("@gb.register_game\ndef own_kuhn(): return 'kuhn_poker'\n", namespace)
    sweep = {"games": "own_kuhn", "algorithms": "CFR", "iterations": 1}
    with pytest.raises(gb.SpecError, match="The game own_kuhn is known only in this process, and not to workers"):
        gb.sweep(sweep, tmp_path / "out")
    assert gb.sweep(sweep, tmp_path / "out", executor="serial").failures == {}


def test_objects_in_sweeps_become_names(tmp_path):
    mine = gb.load_plugin(write(tmp_path, PLUGIN))

    class Slow(gb.Controller):
        name = "Slow"
        pace: float = setting(real(0), "how slow", default=1.0)

        def update(self, weights, losses, current_loss, generator):
            return weights

    gb.register_controller(Slow)
    sweep = {
        "games": [gb.load_game("Kuhn"), {"game": mine.pennies.__name__}],
        "algorithms": [
            mine.Still,
            mine.Still(tilt=0.75),
            gb.CMD(
                controller=Slow(pace=2.0), objective=gb.MEASURES["NashConv"], radius_range=(0.01, 0.02), convex="x^2"
            ),
            {"algorithm": gb.GMD, "set": {"convex": [gb.CMD().convex, "x^3"], "history": [1, 2]}},
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
    again = plan_runs([plan.spec for plan in plans])  # as a worker plans it
    assert [plan.id for plan in again] == [plan.id for plan in plans]


def test_objects_without_a_name_are_refused(tmp_path):
    def nameless(game, policy):
        return 0.0

    class Nameless(gb.GMD):
        name = "Nameless"

    cases = [
        ({"measures": [nameless]}, "Sweeps go by names, and 'nameless' is a function"),
        (
            {"measures": [gb.own_measure(nameless)]},
            "'nameless' is not registered: decorate it with @gb.register_measure",
        ),
        ({"algorithms": Nameless}, "'Nameless' is not registered: decorate it with @gb.register_algorithm"),
        ({"algorithms": gb.GMD(convex=np.log)}, "'log' is not registered: decorate it with @gb.register_convex"),
        ({"games": gb.Game.from_payoffs(np.zeros((2, 2, 2)))}, "'payoffs' does not lead back to this game"),
    ]
    for change, sentence in cases:
        with pytest.raises(gb.SpecError, match=sentence):
            gb.sweep({"games": "Kuhn", "algorithms": "CMD", **change}, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("formula", "sentence"),
    [
        ("Slow(pace=-1)", "pace must be a finite number above 0, not -1"),
        ("Slow(speed=1)", "There is no hyper-parameter of Slow called 'speed'; known are|did you mean"),
        ("Slow(radius=0.1)", "radius is a hyper-parameter of CMD, too: give it there"),
        ("Slow(1)", "must be a name, or a name with keywords"),
        ("Slow(pace=open('x'))", "must be a name, or a name with keywords"),
        ("Slw(pace=1)", "did you mean 'Slow'"),
    ],
)
def test_controllers_with_settings_in_brackets(formula, sentence):
    @gb.register_controller
    class Slow(gb.Controller):
        name = "Slow"
        pace: float = setting(real(0), "how slow", default=1.0)

        def update(self, weights, losses, current_loss, generator):
            return weights

    with pytest.raises(gb.GameBenchError, match=sentence):
        gb.CMD(controller=formula)
    assert gb.CMD(controller="slow(pace=1.0)").controller == "Slow"
    assert gb.CMD(controller="Slow(pace=3)").configured(gb.load_game("Kuhn"), 5).controller.pace == 3.0


def test_games_of_one_s_own():
    @gb.register_game(name="coins")
    def make(stake=1.0, flipped=False):
        table = stake * np.array([[[1, -1], [-1, 1]], [[-1, 1], [1, -1]]])
        return gb.Game.from_payoffs(-table if flipped else table)

    game = gb.load_game("Coins(stake=2.5, flipped=True)", focal=1)
    assert game.category == gb.Category.SINGLE_AGENT
    assert gb.load_game("coins(stake=2.5)").max_abs_payoff == 2.5
    cases = {
        "coins(": "must be a name, or a name with keywords",
        "coins(stakes=1)": "cannot be made with these parameters: got an unexpected keyword argument 'stakes'",
        "coins(stake='x')": "cannot be made: ",
    }
    for text, sentence in cases.items():
        with pytest.raises(gb.GameError, match=sentence):
            gb.load_game(text)
    with pytest.raises(gb.GameTooLargeError):
        gb.load_game("coins", max_histories=3)
    for name in ("Kuhn", "kuhn_poker", "a(b)", "a/b"):
        with pytest.raises(gb.GameError, match=r"choose another name|no brackets"):
            gb.register_game(make, name=name)
    with pytest.raises(gb.UnknownNameError, match="did you mean 'coins'"):
        gb.load_game("coin")


def test_experiments_of_one_s_own():
    @gb.register_experiment
    def mine():
        return {"games": "Kuhn", "algorithms": gb.CFR, "iterations": 2}

    assert [run.algorithm for run in read_sweep("mine", ["iterations=3"]).runs()] == ["CFR"]
    gb.register_experiment(lambda: 5, name="five")
    gb.register_experiment(lambda: 1 / 0, name="broken")
    with pytest.raises(gb.SpecError, match="'five' must return a mapping"):
        read_sweep("five")
    with pytest.raises(gb.SpecError, match="'broken' cannot be described: ZeroDivisionError"):
        read_sweep("broken")
    with pytest.raises(gb.GameBenchError, match="already an experiment called 'overview'"):
        gb.register_experiment(mine, name="overview")
    with pytest.raises(gb.UnknownNameError, match="There is no file or experiment called 'mein'; did you mean 'mine'"):
        read_sweep("mein")


def test_jobs_tell_workers_where_everything_is(tmp_path):
    path = write(tmp_path, PLUGIN)
    gb.load_plugin(path)
    [plan] = plan_runs(read_sweep({"games": "Kuhn", "algorithms": "CFR"}).runs())
    assert {"file": str(path), "module": ""} in Job(plan).message()["plugins"]
    assert homes() == Job(plan).message()["plugins"]


def test_registries():
    registry = Registry("thing")
    registry.register("One", 1)
    assert (registry["one"], "ONE" in registry, len(registry), repr(registry)) == (1, True, 1, "Registry(One)")
    for name in ("", " ", 3):
        with pytest.raises(gb.GameBenchError, match="must be a text"):
            registry.register(name, 2)
    with pytest.raises(gb.GameBenchError, match="already a thing called 'oNE'"):
        registry.register("oNE", 2)
    with pytest.raises(gb.GameBenchError, match="must be a text, not int"):
        registry[3]
    assert split_call("a(b=1, c='x')") == ("a", {"b": 1, "c": "x"})
    assert split_call("a") == ("a", {})
    assert split_call(" a ") == ("a", {})
    for text in ("a(b=1, b=2)", "a(**{'b': 1})", "a(1)", "a(b=c)", "a("):
        with pytest.raises(ValueError, match="must be a name, or a name with keywords"):
            split_call(text)
    assert gb.MEASURES.own_origin("NashConv") is None
    assert gb.MEASURES.own_origin("nothing") is None


def test_where_something_was_registered_is_where_workers_find_it(tmp_path):
    """Not where it is defined: a partial is defined in the standard library, a copy of a measure in the package."""
    write(tmp_path, "def zero(game, policy, level=0.0):\n    return level\n", "parts.py")
    text = """
        import functools, dataclasses
        import gamebench as gb
        from parts import zero
        gb.register_measure(functools.partial(zero, level=2.0), name="two")
        gb.register_measure(dataclasses.replace(gb.MEASURES["SocialWelfare"], name="Sum"))
    """
    path = write(tmp_path, text)
    gb.load_plugin(path)
    assert [gb.MEASURES.own_origin(name).file for name in ("two", "Sum")] == [path, path]
    assert homes() == [{"file": str(path), "module": ""}]
    sweep = {"games": "Kuhn", "algorithms": "CFR", "measures": ["two", "Sum"], "iterations": 2}
    outcome = gb.sweep(sweep, tmp_path / "out", workers=1)
    [record] = outcome.records.values()
    assert record["last"]["two"] == 2.0
    assert outcome.failures == {}
    before = gb.MEASURES.own_origin("two").digest
    path.write_text(path.read_text().replace("2.0", "3.0"))
    gb.load_plugin(path)
    assert gb.MEASURES.own_origin("two").digest != before
    sys.modules.pop("parts")


def test_a_change_that_was_not_loaded_does_not_change_who_a_run_is(tmp_path):
    """Else numbers of the old code would be kept as those of the new."""
    path = write(tmp_path, PLUGIN)
    gb.load_plugin(path)
    spec = {"games": "Kuhn", "algorithms": "Still"}
    [before] = plan_runs(read_sweep(spec).runs())
    path.write_text(PLUGIN.replace("self.tilt *", "0.1 * self.tilt *"))
    [unloaded] = plan_runs(read_sweep(spec).runs())
    gb.load_plugin(path)
    [loaded] = plan_runs(read_sweep(spec).runs())
    assert before.id == unloaded.id != loaded.id


def test_things_of_the_same_name_in_two_files_both_count(tmp_path):
    first = write(
        tmp_path, "import gamebench as gb\ndef f(game, policy): return 1.0\ngb.register_measure(f, name='A')\n", "a.py"
    )
    write(
        tmp_path, "import gamebench as gb\ndef f(game, policy): return 2.0\ngb.register_measure(f, name='B')\n", "b.py"
    )
    ids = []
    for value in ("1.0", "3.0"):
        first.write_text(first.read_text().replace("1.0", value))
        for name in ("a.py", "b.py"):
            gb.load_plugin(tmp_path / name)
        [plan] = plan_runs(read_sweep({"games": "Kuhn", "algorithms": "CFR", "measures": ["A", "B"]}).runs())
        ids.append(plan.id)
    assert ids[0] != ids[1]


def test_classes_can_be_registered_in_notebooks(tmp_path):
    cell = """
import gamebench as gb
@gb.register_controller
class Calm(gb.Controller):
    name = "Calm"
    def update(self, weights, losses, current_loss, generator):
        return weights
sweep = {"games": "Kuhn", "algorithms": gb.CMD(controller=Calm), "iterations": 12}
print(len(gb.sweep(sweep, "out", executor="serial").records))
"""
    code = "import sys, IPython.core.interactiveshell as i; i.InteractiveShell.instance().run_cell(sys.argv[1])"
    process = subprocess.run(
        [sys.executable, "-c", code, cell], capture_output=True, text=True, cwd=tmp_path, timeout=120
    )
    assert process.stdout.splitlines()[-1] == "1", process.stdout + process.stderr


def test_what_a_failing_plug_in_imported_stays(tmp_path):
    write(
        tmp_path,
        "import gamebench as gb\n@gb.register_measure\ndef kept(game, policy): return 1.0\n",
        "helper_module.py",
    )
    path = write(
        tmp_path, "import helper_module\nimport gamebench as gb\n@gb.register_measure\ndef lost(g, p): pass\n1 / 0\n"
    )
    code = f"""
import gamebench as gb
try: gb.load_plugin({str(path)!r})
except gb.PluginError: pass
print("kept" in gb.MEASURES, "lost" in gb.MEASURES)
"""
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert process.stdout == "True False\n", process.stderr


def test_settings_of_a_controller_that_is_given_as_an_object_are_kept():
    sweep = {"games": "Kuhn", "algorithms": [gb.CMD(controller=gb.DRS(radius=0.2, candidates=7))]}
    [plan] = plan_runs(read_sweep(sweep).runs())
    assert (plan.algorithm.radius, plan.algorithm.candidates) == (0.2, 7)
    with pytest.raises(gb.SpecError, match="radius is given to CMD, not to its controller"):
        read_sweep({"games": "Kuhn", "algorithms": {"algorithm": "CMD", "set": {"controller": gb.DRS(radius=0.2)}}})


def test_a_controller_may_have_a_radius_of_its_own():
    class Wide(gb.DRS):
        name = "Wide"
        radius: float = setting(real(0, 1), "wider", default=0.3)

    game = gb.load_game("Kuhn")
    assert gb.CMD(controller=Wide).configured(game, 5).radius == 0.3
    assert gb.CMD(controller="DRS").configured(game, 5).radius == 0.01
    assert gb.CMD(controller=Wide, radius=0.4).configured(game, 5).radius == 0.4


def test_settings_that_cannot_be_written_down_are_refused():
    class Arrays(gb.CFR):
        name = "Arrays"
        levels: object = setting(np.asarray, "some numbers", default=(1.0, 2.0))
        thing: object = setting(lambda value: value, "anything", default=None)

    assert Arrays(levels=[3, 4]).description()["levels"] == [3, 4]
    with pytest.raises(gb.SettingError, match="thing is object, which cannot be written down"):
        Arrays(thing=object()).description()


@pytest.mark.parametrize("name", ["run", "game", "algorithm", "seed", "iteration", "seconds", "alpha_0"])
def test_measures_are_not_called_like_columns(name):
    measure = gb.own_measure(lambda game, policy: 1.0, name)
    with pytest.raises(gb.MeasureError, match="the curve has a column of that name"):
        gb.solve("Kuhn", "CFR", 1, measures=[measure])


def test_names_of_weights_begin_with_alpha():
    class Weighing(gb.CFR):
        name = "Weighing"

        def alpha_by_name(self, state):
            return {"NashConv": 1.0}

    with pytest.raises(gb.RunError, match="names of Weighing's weights must begin with 'alpha_'"):
        gb.solve("Kuhn", Weighing, 1)


@pytest.mark.parametrize(
    ("slip", "sentence"),
    [
        (lambda: gb.register_algorithm(gb.solve), "must be a subclass of gb.Algorithm"),
        (lambda: gb.register_algorithm(type("X", (gb.CFR,), {"name": None})), "needs a name: name = 'X'"),
        (lambda: gb.register_controller(3), "must be a subclass of gb.Controller"),
        (lambda: gb.register_game(lambda: None), "must be a function with a name"),
        (lambda: gb.register_game("chess"), "must be a function with a name"),
        (lambda: gb.register_measure(lambda game, policy: 0.0, foo=1), "but no foo"),
        (lambda: gb.register_measure(gb.MEASURES["NashConv"], name="N"), "says itself what name is"),
        (lambda: gb.register_measure("NashConv", name="N"), "is a function of game and policy"),
        (lambda: gb.register_convex("x^2", name="square"), "'x\\^2' is built in"),
        (lambda: gb.register_experiment(3), "must be a function with a name"),
        (lambda: gb.sweep(5, "out"), "A sweep is a YAML file, a name, or a mapping, not int"),
        (lambda: gb.sweep({"games": "Kuhn", "algorithms": "CFR"}, "out", save_every="a"), "must be a number"),
        (lambda: gb.GMD(history=10**12), "history must be a whole number from 1 to 1000"),
    ],
)
def test_slips_cost_one_sentence(slip, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(gb.GameBenchError, match=sentence):
        slip()


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

    with pytest.raises(gb.GameError, match="'circle' is made of itself"):
        gb.load_game("circle")


def test_a_folder_of_the_name_of_an_experiment_does_not_hide_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()

    @gb.register_experiment
    def mine():
        return {"games": "Kuhn", "algorithms": "CFR"}

    assert len(list(read_sweep("mine").runs())) == 1
    assert len(list(read_sweep("MINE").runs())) == 1


def test_an_algorithm_s_own_interval_is_its_own():
    """What a run costs is not guessed from the names of settings."""

    class Odd(gb.CFR):
        name = "Odd"
        interval: int = setting(lambda value: value, "of its own", default=0)
        candidates: object = setting(lambda value: value, "of its own", default=(1, 2))

    gb.register_algorithm(Odd)
    [odd, cfr, cmd] = plan_runs(read_sweep({"games": "Kuhn", "algorithms": ["Odd", "CFR", "CMD"]}).runs())
    assert expected_work(odd) == expected_work(cfr) < expected_work(cmd)


def test_reports_show_the_version_that_ran_last(tmp_path):
    path = write(tmp_path, PLUGIN)
    for tilt in ("0.5", "0.25"):
        path.write_text(PLUGIN.replace("self.tilt *", f"{tilt} *"))
        gb.load_plugin(path)
        outcome = gb.sweep(
            {"games": "Kuhn", "algorithms": "Still", "iterations": 3}, tmp_path / "out", executor="serial"
        )
    folder = read_folder(Store(tmp_path / "out"))
    [entry] = folder.entries
    assert entry.run.id in outcome.records
    assert "the one that ran last is shown; 1 run is left out" in " ".join(folder.notes)


def test_one_game_that_cannot_be_made_does_not_cost_the_list(tmp_path):
    text = "import gamebench as gb\n@gb.register_game\ndef broken(): return 1 / 0\n"
    text += "@gb.register_experiment\ndef bad(): return 3\n"
    path = write(tmp_path, text)
    rows = done("list", "games", "--plugin", path)
    assert len(rows) == 16
    assert "ZeroDivisionError" in rows[-1]["category"]
    assert "must return a mapping" in str(done("list", "experiments", "--plugin", path))
