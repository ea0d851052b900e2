"""How a store records what was run, and the commands that do runs again."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest

import gamebench as gb
from gamebench.experiments import provenance
from gamebench.experiments.commands import command_of
from gamebench.experiments.descriptions import about_request, description_of, is_description
from gamebench.experiments.plan import Planner
from gamebench.experiments.spec import RunSpec
from gamebench.experiments.store import Store
from gamebench.report.page.payload import payload_of
from gamebench.system.files import sealed
from tests.cli.commands import done, gamebench, started
from tests.experiments.helpers import write_sweep

GAME = """import gamebench as gb

@gb.register_game
def pennies(stake=1):
    win, loss = (stake, -stake), (-stake, stake)
    return gb.Game.from_payoffs([[win, loss], [loss, win]])
"""
OPEN_SPIEL_GAME = """import pyspiel

TYPE = pyspiel.GameType(
    "own_pennies", "Own pennies", pyspiel.GameType.Dynamics.SEQUENTIAL, pyspiel.GameType.ChanceMode.DETERMINISTIC,
    pyspiel.GameType.Information.IMPERFECT_INFORMATION, pyspiel.GameType.Utility.ZERO_SUM,
    pyspiel.GameType.RewardModel.TERMINAL, 2, 2, True, False, False, False, {},
)
INFO = pyspiel.GameInfo(2, 0, 2, -1.0, 1.0, 0.0, 2)

class OwnPennies(pyspiel.Game):
    def __init__(self, params=None):
        super().__init__(TYPE, INFO, params or {})

    def new_initial_state(self):
        return OwnPenniesState(self)

class OwnPenniesState(pyspiel.State):
    def __init__(self, game):
        super().__init__(game)
        self.chosen = []

    def current_player(self):
        return len(self.chosen) if len(self.chosen) < 2 else pyspiel.PlayerId.TERMINAL

    def _legal_actions(self, player):
        return [0, 1]

    def _apply_action(self, action):
        self.chosen.append(action)

    def _action_to_string(self, player, action):
        return str(action)

    def is_terminal(self):
        return len(self.chosen) == 2

    def returns(self):
        win = 1.0 if len(set(self.chosen)) == 1 else -1.0
        return [win, -win] if self.is_terminal() else [0.0, 0.0]

    def information_state_string(self, player=None):
        return f"player {player}"

    def __str__(self):
        return str(self.chosen)

pyspiel.register_game(TYPE, OwnPennies)
"""
SWEEP = {"games": ["pennies(stake=2)", "Kuhn-A"], "algorithms": ["CFR+"], "iterations": 4}


def git(folder, *words):
    name = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    return subprocess.run(["git", *name, *words], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def own_code_of(stored):
    return {title: about["file"] for title, about in stored.description["own_code"].items()}


@pytest.fixture
def folder(tmp_path):
    """A repository with a plug-in and a sweep."""
    (tmp_path / "mine.py").write_text(GAME)
    write_sweep(tmp_path, **SWEEP)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "first")
    return tmp_path


def test_a_sweep_on_the_command_line(folder):
    text = (folder / "sweep.yaml").read_bytes()
    command = ("sweep", "sweep.yaml", "seeds=1", "--plugin", "mine.py", "--out", "res ults")
    done(*command, cwd=folder)
    store = Store(folder / "res ults")
    [kept] = (store.folder / "sweeps").iterdir()
    assert kept.read_bytes() == text
    (folder / "sweep.yaml").write_text("games: other")
    (folder / "mine.py").write_text(GAME + "# changed\n")
    for row in done("status", "res ults", cwd=folder)["runs"]:
        assert row["request"] == {
            "command": shlex.join(["gamebench", *command, "--json"]),
            "plugins": [str(folder / "mine.py")],
            "sweep": f"sweeps/{kept.name}",
            "commit": git(folder, "rev-parse", "HEAD"),
            "dirty": False,
        }
    pennies, kuhn = sorted(store.runs(), key=lambda run: run.description["game"], reverse=True)
    assert (own_code_of(pennies), own_code_of(kuhn)) == ({"game pennies": "mine.py"}, {})
    shown = gamebench("show", pennies.id, "--out", "res ults", "--plugin", "mine.py", cwd=folder).stdout
    again = "  gamebench run 'pennies(stake=2)' --algorithm CFR+ --iterations 4 --measure NashConv --plugin mine.py\n"
    assert again in shown
    for part in ("game pennies (mine.py, sha256 ", f"sweeps/{kept.name}", git(folder, "rev-parse", "HEAD")[:12]):
        assert part in shown
    done("sweep", kept, "--plugin", "mine.py", "--out", "again", cwd=folder)
    assert [run.id for run in Store(folder / "again").runs()] == [run.id for run in store.runs()]
    assert all(run.description["request"]["dirty"] for run in Store(folder / "again").runs())


def test_the_page_tells_it_without_folders_from_elsewhere(folder, monkeypatch):
    done(
        "run", "pennies", "--algorithm", "CFR", "--plugin", folder / "mine.py", "--out", folder / "results", cwd=folder
    )
    report = gamebench("report", "results", "--plugin", "mine.py", cwd=folder)
    assert report.returncode == 0, report.stderr
    page = (folder / "results" / "report.html").read_text()
    assert '"command":"gamebench report results --plugin mine.py"' in page
    assert str(folder) not in page
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    requests = payload_of(Store(folder / "results"))["background"]["requests"]
    asked = "gamebench run pennies --algorithm CFR --plugin mine.py --out results --json"
    assert {"name": "Asked for by", "texts": [{"text": asked, "runs": 1}]} in requests
    assert [about["name"] for about in requests] == ["Asked for by", "Git commit", "Own code"]


def test_a_game_that_is_written_for_open_spiel(tmp_path):
    """In a process of its own, because OpenSpiel never forgets a game."""
    (tmp_path / "own_pennies.py").write_text(OPEN_SPIEL_GAME)
    sweep = write_sweep(tmp_path, games=["own_pennies", "Kuhn-A"], algorithms="CFR+", iterations=4)
    process = started("sweep", sweep, "--plugin", tmp_path / "own_pennies.py", "--out", tmp_path / "results")
    assert process.returncode == 0, process.stderr
    own_code = {run.description["game"]: own_code_of(run) for run in Store(tmp_path / "results").runs()}
    assert own_code == {"own_pennies": {"game own_pennies": "own_pennies.py"}, "Kuhn-A": {}}


def test_a_sweep_in_python(tmp_path):
    outcome = gb.sweep({**SWEEP, "games": "Kuhn-A", "seeds": [3]}, tmp_path / "results", executor="serial")
    [run] = outcome.store.runs()
    kept = outcome.store.folder / run.description["request"]["sweep"]
    assert kept.suffix == ".json"
    again = gb.sweep(kept, tmp_path / "again", executor="serial")
    assert [plan.id for plan in again.plans] == [run.id]


def test_without_git(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert provenance.commit() == {}
    git(tmp_path, "init", "--quiet")
    assert provenance.commit() == {}  # nothing is committed yet
    monkeypatch.setenv("PATH", "")
    assert provenance.commit() == {}


@pytest.mark.parametrize(
    ("argv", "command"),
    [
        (["/usr/bin/gamebench", "run", "my game.efg"], "gamebench run 'my game.efg'"),
        (["/lib/gamebench/__main__.py", "run", "Kuhn"], "gamebench run Kuhn"),
        (["train.py", "--seed", "3"], "python train.py --seed 3"),
    ],
)
def test_the_command_that_is_kept(argv, command, monkeypatch):
    monkeypatch.setattr("sys.argv", argv)
    monkeypatch.setattr("sys.modules", {"__main__": provenance})  # which is a file
    assert provenance.command() == command
    monkeypatch.setattr("sys.modules", {"__main__": object()})
    assert provenance.command() == (command if "gamebench" in command else "")


SPECS = [
    {"game": "Kuhn", "hyperparameters": {"history": 3, "convex": "x^2", "radius": 0.02}, "seed": 7},
    {"game": "kuhn_poker(players=3)", "teams": [[0, 1], [2]], "algorithm": "CFR", "coordinated": True},
    {"game": "kuhn_poker", "focal": 1, "payoff_scale": 2.5, "algorithm": "CRD", "max_histories": 1000},
    {"game": "Kuhn", "algorithm": "CFR+", "iterates": ["current"], "checkpoints": [3, 5], "iterations": 9},
    {"game": "Kuhn", "algorithm": "CFR+", "checkpoints": 5, "until": "NashConv=1e-3", "time": "2h"},
    {"game": "Kuhn", "algorithm": "CFR+", "time": 1.5, "measures": ["CCEGap(average)", "NashConv"]},
]


@pytest.mark.parametrize("spec", SPECS)
def test_the_command_that_does_a_run_again(spec, monkeypatch):
    plan = Planner().plan(RunSpec.parse(spec))
    planned = []
    monkeypatch.setattr("gamebench.cli.watcher.watched", lambda plans, *_: planned.extend(plans) or exit())
    words = shlex.split(command_of(description_of(plan)))
    assert words[0] == "gamebench"
    gamebench(*words[1:])
    assert [(again.id, again.methods) for again in planned] == [(plan.id, plan.methods)]


def test_a_run_that_measures_nothing_has_no_command(tmp_path):
    gb.sweep({**SWEEP, "games": "Kuhn-A", "measures": []}, tmp_path, executor="serial")
    [run] = Store(tmp_path).runs()
    assert command_of(run.description) == ""


def test_a_later_name_keeps_the_request_of_the_run_and_a_new_attempt_does_not(tmp_path, monkeypatch):
    def asked(algorithm):
        monkeypatch.setattr(provenance, "command", lambda: f"for {algorithm}")
        gb.sweep({**SWEEP, "games": "Kuhn-A", "algorithms": [algorithm]}, tmp_path, executor="serial")
        [run] = Store(tmp_path).runs()
        return run, run.description

    run, first = asked("CFR+")
    _, named = asked({"algorithm": "CFR+", "set": {"alternating": True}})
    assert named == {**first, "methods": ["CFR+", "CFR+ alternating=True"]}
    run.record_path.unlink()
    _, repeated = asked({"algorithm": "CFR+", "set": {"alternating": [True]}})
    assert repeated["request"]["command"].startswith("for {'algorithm': 'CFR+'")
    assert repeated["methods"] == named["methods"]


def test_stores_from_before_and_damaged_requests(tmp_path):
    outcome = gb.sweep({**SWEEP, "games": "Kuhn-A"}, tmp_path, executor="serial")
    [run] = outcome.store.runs()
    old = {name: value for name, value in run.description.items() if name != "request"}
    run.spec_path.write_bytes(sealed(old))
    assert run.is_finished
    assert about_request(run.description) == {}
    assert payload_of(outcome.store)["background"]["requests"] == []
    assert gb.sweep({**SWEEP, "games": "Kuhn-A"}, tmp_path, executor="serial").unfinished == []
    assert run.description == old
    for wrong in ({"plugins": "mine.py"}, {"command": 3}, {"dirty": 1}, "git"):
        assert not is_description({**old, "request": wrong}), wrong


def test_reports_go_by_the_arrays_of_a_game_and_not_by_its_code(tmp_path, own_names):
    """Runs from before a harmless change of the game's file are not left out, nor are those of older stores."""
    path = Path(tmp_path, "mine.py")
    for algorithm in ("CFR", "CFR+"):
        path.write_text(f"{GAME}# {algorithm}\n")
        gb.load_plugin(path)
        gb.sweep({**SWEEP, "algorithms": algorithm, "seeds": 2}, tmp_path / "results", executor="serial")
    spec = next(run for run in Store(tmp_path / "results").runs() if run.description["own_code"]).spec_path
    about = json.loads(spec.read_bytes())
    spec.write_bytes(sealed({name: value for name, value in about.items() if name != "sha256"} | {"own_code": {}}))
    payload = payload_of(Store(tmp_path / "results"))
    assert payload["notes"] == []
    assert payload["background"]["shown"] == 4
