"""The user's own things by name: from files, scripts, packages and installed plug-ins, here and in worker processes."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import gamebench as gb
from gamebench.experiments.executors.jobs import Job
from gamebench.experiments.sweeping import plan_runs, read_sweep
from gamebench.plugins import homes, load_homes
from gamebench.registry import OpenRegistry, Registry, origin_of, split_call
from gamebench.settings import real, setting
from tests.cli.commands import done, gamebench

PLUGIN = """
import numpy as np
import gamebench as gb
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
    assert description["own_code"]["Still"]["file"] == str(tmp_path / "mine.py")


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
    nothing = gamebench("check")
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
    for value in (1.0, 2.0):
        exec(cell.format(value=value), namespace)
    game = gb.load_game("Kuhn")
    assert gb.evaluate(game, gb.uniform_policy(game), "mine") == 2.0
    assert origin_of(namespace["mine"].compute).file is None
    exec("@gb.register_game\ndef own_kuhn(): return 'kuhn_poker'\n", namespace)
    sweep = {"games": "own_kuhn", "algorithms": "CFR", "iterations": 1}
    with pytest.raises(gb.SpecError, match="'own_kuhn' is known only in this process, and not to workers: put it into"):
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
    with pytest.raises(gb.SpecError, match="already an experiment called 'overview'"):
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
    assert origin_of(gb.evaluate).is_built_in
    assert not origin_of(test_registries).is_built_in
    assert origin_of(test_registries) == (Path(__file__), __name__, "test_registries")
    assert origin_of(len).file is None
    assert origin_of(3).name == "int"
