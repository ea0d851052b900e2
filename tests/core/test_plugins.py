"""User-defined things by name: from files, scripts, packages and installed plug-ins, here and in worker processes."""

import os
import re
import subprocess
import sys
import textwrap

import pytest

import gamebench as gb
from gamebench.core.plugins import homes, load_homes
from gamebench.core.registry import OpenRegistry, Registry, split_call
from gamebench.experiments.executors.jobs import Job
from gamebench.experiments.store import Store
from gamebench.experiments.sweeps import plan_runs, read_sweep
from gamebench.report.page.payload import Folder
from tests.cli.commands import done, gamebench, started
from tests.patience import HANG

PLUGIN = """
import numpy as np
import gamebench as gb
from gamebench.core.settings import real, setting

@gb.register_algorithm
class Still(gb.Algorithm):
    name = "Still"
    tilt: float = setting(real(0, 1), "towards a random policy", default=0.5)

    def start(self, game, seed):
        return gb.algorithms.State(seed=seed, policy=np.array(gb.uniform_policy(game).probabilities))

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
    assert gb.algorithms.ALGORITHMS["still"] is first.Still
    path.write_text(path.read_text().replace("default=0.5", "default=0.25").replace("def pennies", "def coins"))
    second = gb.load_plugin(path)
    assert gb.algorithms.ALGORITHMS["Still"] is second.Still
    assert second.Still().tilt == 0.25
    assert "coins" in gb.games.OWN_GAMES
    assert "pennies" not in gb.games.OWN_GAMES  # it is no longer in the file


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("import nothing_of_the_kind", r"ModuleNotFoundError: No module named 'nothing_of_the_kind' \(line 1\)"),
        ("x = 1\n1 / 0", r"ZeroDivisionError: division by zero \(line 2\)"),
        ("def f(:", r"SyntaxError: .*mine\.py, line 1\)\.$"),
        ("raise SystemExit(3)", r"SystemExit: sys\.exit\(3\) would end the whole process \(line 1\)"),
        ("import gamebench as gb\ngb.measures.MEASURES['NashConf']", "did you mean 'NashConv'"),
    ],
)
def test_a_plug_in_that_fails_leaves_nothing(tmp_path, text, sentence):
    path = write(tmp_path, PLUGIN + "\n")
    before = OpenRegistry.all_own()
    path.write_text(f"{text}\n")
    with pytest.raises(gb.errors.PluginError, match=f"The plug-in 'mine.py' cannot be loaded: .*{sentence}"):
        gb.load_plugin(path)
    path.write_text(f"{PLUGIN}\nraise KeyError('late')")
    with pytest.raises(gb.errors.PluginError, match="KeyError: 'late'"):
        gb.load_plugin(path)
    assert OpenRegistry.all_own() == before
    assert not [name for name in sys.modules if name.endswith("_mine") and "plugin_" in name and str(tmp_path) in name]


def test_after_a_failure_what_was_loaded_before_is_still_there(tmp_path):
    path = write(tmp_path, PLUGIN)
    first = gb.load_plugin(path)
    path.write_text("1 / 0")
    with pytest.raises(gb.errors.PluginError, match="division by zero"):
        gb.load_plugin(path)
    assert gb.algorithms.ALGORITHMS["Still"] is first.Still


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("none.py", "cannot be read: No such file"), ("notes.txt", "a name that ends in .py"), ("\0", "cannot be read")],
)
def test_files_that_are_not_plug_ins(tmp_path, name, sentence):
    write(tmp_path, "some notes", "notes.txt")
    with pytest.raises(gb.errors.PluginError, match=sentence):
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
    outcome = gb.sweep(SWEEP, tmp_path / executor, executor=executor)
    assert outcome.failures == {}
    game = gb.load_game("pennies(stake=2)")
    expected = gb.solve(game, "Still", 20, measures=["richest"]).curve["richest"][-1]
    [plan] = [plan for plan in outcome.plans if plan.game.name == "pennies(stake=2)"]
    assert outcome.records[plan.id]["last"]["richest"] == expected
    description = outcome.store.run(plan.id).description
    assert description["higher_is_better"] == ["richest"]
    assert description["category"] == "zero-sum"
    assert set(description["own_code"]) == {"game pennies", "algorithm Still", "measure richest"}
    assert description["own_code"]["algorithm Still"]["file"] == "mine.py"


def test_the_command_line_knows_what_a_plug_in_registers(tmp_path):
    path, store = write(tmp_path, PLUGIN), tmp_path / "store"
    [run] = done("run", "pennies", "-a", "still", "-n", 5, "--measure", "richest", "--out", store, "--plugin", path)
    assert run["hyperparameters"] == {"tilt": 0.5}
    write(tmp_path, "games: pennies\nalgorithms: {algorithm: Still, set: {tilt: [0.1, 0.2]}}\n", "sweep.yaml")
    runs = done("sweep", tmp_path / "sweep.yaml", "--out", store, "--plugin", path)
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
    assert "Error: The algorithm 'Still': advance() was asked for 1 iterations" in process.stderr
    path.write_text(
        "import gamebench as gb\n\n@gb.register_game\ndef broken():\n    raise ValueError('no cards left')\n"
    )
    process = gamebench("check", "broken", "--plugin", path)
    assert process.returncode == 1
    assert process.stderr.count("no cards left") == 1  # although it made several checks fail
    assert re.search(r"^\d+ checks, [2-9] failed\.$", process.stderr, re.MULTILINE)
    nothing = gamebench("check")
    assert (nothing.returncode, nothing.stdout) == (2, "")
    assert "You have registered nothing to check." in nothing.stderr


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
    process = subprocess.run([sys.executable, path], capture_output=True, text=True, cwd=tmp_path, timeout=HANG)
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
    process = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=_with(environment), timeout=HANG
    )
    assert process.stdout == "[2.0] {}\n", process.stderr
    with pytest.raises(gb.errors.PluginError, match=r"The module 'own_package.nothing' cannot be imported"):
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
    environment = _with({"PYTHONPATH": os.pathsep.join((str(tmp_path), os.environ.get("PYTHONPATH", "")))})
    process = started("evaluate", "pennies", "--measure", "richest", env=environment)
    assert process.returncode == 0, process.stderr
    assert process.stdout.splitlines()[1] == "richest\t0\thigher is better"
    warning = "Warning: The installed plug-in 'bad' (bad_plugin) is skipped: ZeroDivisionError: division by zero."
    assert process.stderr == f"{warning}\n"
    known = started("evaluate", "Kuhn", "--measure", "NashConv", env=environment)
    assert known.stderr == ""  # known names need no plug-in


def test_notebooks_register_again_and_have_no_file(tmp_path):
    cell = "@gb.register_measure\ndef mine(game, policy): return {value}\n"
    namespace = {"gb": gb, "__name__": "__main__"}
    digests = []
    for value in (1.0, 2.0):
        exec(cell.format(value=value), namespace)
        digests.append(gb.measures.MEASURES.own_origin("mine").digest)
    game = gb.load_game("Kuhn")
    assert gb.evaluate(game, gb.uniform_policy(game), "mine") == 2.0
    assert gb.measures.MEASURES.own_origin("MINE").file is None
    assert digests[0] != digests[1]
    exec("@gb.register_game\ndef own_kuhn(): return 'kuhn_poker'\n", namespace)
    sweep = {"games": "own_kuhn", "algorithms": "CFR", "iterations": 1}
    with pytest.raises(
        gb.errors.SpecError, match="The game own_kuhn is known only in this process, and not to workers"
    ):
        gb.sweep(sweep, tmp_path / "out")
    assert gb.sweep(sweep, tmp_path / "out", executor="serial").failures == {}


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
        with pytest.raises(gb.errors.GameBenchError, match="must be a non-empty string"):
            registry.register(name, 2)
    with pytest.raises(gb.errors.GameBenchError, match="already a thing called 'oNE'"):
        registry.register("oNE", 2)
    with pytest.raises(gb.errors.GameBenchError, match="must be a string, not int"):
        registry[3]
    assert split_call("a(b=1, c='x')") == ("a", {"b": 1, "c": "x"})
    assert split_call("a") == ("a", {})
    assert split_call(" a ") == ("a", {})
    for text in ("a(b=1, b=2)", "a(**{'b': 1})", "a(1)", "a(b=c)", "a("):
        with pytest.raises(ValueError, match="must be a name, or a name with keyword arguments"):
            split_call(text)
    assert gb.measures.MEASURES.own_origin("NashConv") is None
    assert gb.measures.MEASURES.own_origin("nothing") is None


@pytest.mark.parametrize(
    "value",
    [
        "----1",
        "-" * 3000 + "1",
        "(" * 300 + ")" * 300,
        "[" * 5000,
        "2**99999999",
        "{[]: 1}",
        "{{}}",
        "0x" + "f" * 5000,
        "9" * 5000,
        "'\x00'",
        "\x00",
        "\udcff",
        "lambda: 1",
        "1 if 2 else 3",
        "x" * 1_000_000,
        "f'{1}'",
        "*a",
        "-'a'",
    ],
    ids=range(18),
)
def test_nonsensical_parameters_are_refused_whatever_python_makes_of_them(value):
    @gb.register_game
    def made(size=1):
        return gb.load_game("Kuhn")

    with pytest.raises(gb.errors.GameError) as error:
        gb.load_game(f"made(size={value})")
    assert len(str(error.value)) < 400
    assert "\n" not in str(error.value)


def test_where_something_was_registered_is_where_workers_find_it(tmp_path):
    """The place of definition would be wrong: the standard library for a partial, the package for a measure's copy."""
    write(tmp_path, "def zero(game, policy, level=0.0):\n    return level\n", "parts.py")
    text = """
        import functools, dataclasses
        import gamebench as gb
        from parts import zero
        gb.register_measure(functools.partial(zero, level=2.0), name="two")
        gb.register_measure(dataclasses.replace(gb.measures.MEASURES["SocialWelfare"], name="Sum"))
    """
    path = write(tmp_path, text)
    gb.load_plugin(path)
    assert [gb.measures.MEASURES.own_origin(name).file for name in ("two", "Sum")] == [path, path]
    assert homes() == [{"file": str(path), "module": ""}]
    sweep = {"games": "Kuhn", "algorithms": "CFR", "measures": ["two", "Sum"], "iterations": 2}
    outcome = gb.sweep(sweep, tmp_path / "out", workers=1)
    [record] = outcome.records.values()
    assert record["last"]["two"] == 2.0
    assert outcome.failures == {}
    before = gb.measures.MEASURES.own_origin("two").digest
    path.write_text(path.read_text().replace("2.0", "3.0"))
    gb.load_plugin(path)
    assert gb.measures.MEASURES.own_origin("two").digest != before
    sys.modules.pop("parts")


def test_a_change_that_was_not_loaded_does_not_change_the_identity_of_a_run(tmp_path):
    """Otherwise results of the old code would be kept as results of the new code."""
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
class Calm(gb.controllers.Controller):
    name = "Calm"
    def update(self, weights, losses, current_loss, generator):
        return weights
sweep = {"games": "Kuhn", "algorithms": gb.algorithms.CMD(controller=Calm), "iterations": 12}
print(len(gb.sweep(sweep, "out", executor="serial").records))
"""
    code = "import sys, IPython.core.interactiveshell as i; i.InteractiveShell.instance().run_cell(sys.argv[1])"
    process = subprocess.run(
        [sys.executable, "-c", code, cell], capture_output=True, text=True, cwd=tmp_path, timeout=HANG
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
except gb.errors.PluginError: pass
print("kept" in gb.measures.MEASURES, "lost" in gb.measures.MEASURES)
"""
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=HANG)
    assert process.stdout == "True False\n", process.stderr


def test_reports_show_the_version_that_ran_last(tmp_path):
    path = write(tmp_path, PLUGIN)
    for tilt in ("0.5", "0.25"):
        path.write_text(PLUGIN.replace("self.tilt *", f"{tilt} *"))
        gb.load_plugin(path)
        outcome = gb.sweep(
            {"games": "Kuhn", "algorithms": "Still", "iterations": 3}, tmp_path / "out", executor="serial"
        )
    folder = Folder.read(Store(tmp_path / "out"))
    [run] = folder.results.runs
    assert run.stored.id in outcome.records
    assert "the one that ran last is shown; 1 run is left out" in " ".join(folder.notes)


def test_one_game_that_cannot_be_made_does_not_cost_the_list(tmp_path):
    text = "import gamebench as gb\n@gb.register_game\ndef broken(): return 1 / 0\n"
    text += "@gb.register_experiment\ndef bad(): return 3\n"
    path = write(tmp_path, text)
    rows = done("list", "games", "--plugin", path)
    assert len(rows) == 16
    assert "ZeroDivisionError" in rows[-1]["category"]
    assert "must return a mapping" in str(done("list", "experiments", "--plugin", path))
