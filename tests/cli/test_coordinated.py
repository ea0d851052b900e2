"""Games between the coordinators of teams, on the command line."""

import json
import shlex
from types import SimpleNamespace

import pytest

import gamebench as gb
from tests.cli.commands import assert_one_sentence, done, gamebench, plain_rows
from tests.experiments.helpers import write_sweep

NAME = "MCCKuhn-A [coordinated]"
FOUR = ("kuhn_poker(players=4)", "--teams", "0,1/2/3", "--coordinated")
ABOUT_THREE = (
    "Warning: 'kuhn_poker(players=4) [teams 0,1/2/3] [coordinated]' is a game between 3 coordinators; with more than "
    "two, an equilibrium guarantees no team its value.\n"
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A folder with a run of coordinators, and one of the same teams without coordination."""
    out = tmp_path_factory.mktemp("kept") / "out"
    common = ("run", "mcckuhn-a", "--algorithm", "CFR+", "--iterations", 64, "--out", out)
    [together], [apart] = done(*common, "--coordinated", "--tensorboard"), done(*common)
    return SimpleNamespace(out=out, together=together, apart=apart)


def test_a_run_is_kept_beside_that_of_the_game_with_teams(kept):
    assert (kept.together["game"], kept.apart["game"]) == (NAME, "MCCKuhn-A")
    assert kept.together["run"] != kept.apart["run"]
    again = gamebench("run", "MCCKuhn-A", "--coordinated", "-a", "CFR+", "-n", 64, "--out", kept.out)
    assert again.stderr == f"Finished already, in {kept.out}: 1 run.\n"
    game = gb.load_game("MCCKuhn-A", coordinated=True)
    assert kept.together["NashConv"] == gb.solve(game, "CFR+", 64).curve.last["NashConv"]
    assert list(kept.out.glob(f"tensorboard/*{kept.together['run'][:8]}*"))


def test_commands_on_the_folder_name_the_coordinators(kept, tmp_path):
    status = plain_rows(gamebench("status", kept.out).stdout)
    assert [(row["game"], row["finished"]) for row in status] == [("MCCKuhn-A", "1"), (NAME, "1")]
    ranks = done("leaderboard", kept.out)
    assert json.dumps(ranks).count("CFR+")
    assert set(gb.load_results(kept.out)["game"]) == {NAME, "MCCKuhn-A"}
    page = tmp_path / "page.html"
    assert gamebench("report", kept.out, "--output", page).returncode == 0
    text = page.read_text()
    assert NAME in text
    assert '"coordinated": true' in text or '"coordinated":true' in text


def test_a_policy_is_measured_and_exported(kept, tmp_path):
    policy = f"{kept.together['folder']}/policy.npz"
    told = done("evaluate", "MCCKuhn-A", policy, "--coordinated", "--measure", "NashConv")
    assert (told["game"], told["measures"]["NashConv"]) == (NAME, kept.together["NashConv"])
    missing = assert_one_sentence(gamebench("evaluate", "MCCKuhn-A", policy), 2)
    assert f"This policy is for the game '{NAME}'" in missing
    whole = json.loads(gamebench("export", kept.together["folder"], "--to", "json").stdout)
    assert len(whole["policy"]) == gb.load_game("MCCKuhn-A", coordinated=True).num_decision_points
    curve = gamebench("export", kept.together["folder"], "--to", "csv").stdout
    assert curve.startswith("iteration,")
    refused = gamebench("export", kept.together["folder"], "--to", "open-spiel", "--output", tmp_path / "policy.json")
    assert "correlates the members of its team, which OpenSpiel's policies cannot" in assert_one_sentence(refused, 2)
    assert not (tmp_path / "policy.json").exists()


def test_every_measure_that_applies_can_be_computed():
    told = done("evaluate", "MCCKuhn-A", "--coordinated")["measures"]
    assert told["NashConv"] == pytest.approx(1.0625, abs=1e-12)  # the uniform policy, and the teams' best responses
    assert {"SocialWelfare", "Fairness(Jain)"} <= told.keys()


def test_three_coordinators_are_warned_of_in_one_line():
    told = gamebench("evaluate", *FOUR, "--measure", "NashConv")
    assert (told.returncode, told.stderr) == (0, ABOUT_THREE)


def test_a_sweep_says_each_thing_once(tmp_path):
    three = {"game": FOUR[0], "teams": [[0, 1], [2], [3]], "coordinated": True, "max_beliefs": 100_000}
    file = write_sweep(
        tmp_path,
        games=[{"game": "MCCKuhn-A", "coordinated": True}, three],
        algorithms=["CFR+", "CFR"],
        iterations=8,
    )
    planned = plain_rows(gamebench("sweep", file, "--dry-run", cwd=tmp_path).stdout)
    assert f"CFR+ on {NAME}" in [row["what it is"] for row in planned]
    told = gamebench("sweep", file, cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    assert told.stderr.count("Warning") == 1
    assert told.stderr.startswith(ABOUT_THREE)
    games = dict.fromkeys(row["game"] for row in plain_rows(told.stdout))
    assert list(games) == [NAME, ABOUT_THREE.split("'")[1]]


def test_tuning_tells_the_command_of_the_best_run(tmp_path):
    search = ("--algorithm", "MD", "--vary", "step_size", "--trials", 2, "-n", 4, "--executor", "serial")
    told = done("tune", "MCCGoofspiel", "--coordinated", "--max-beliefs", 5000, *search, cwd=tmp_path)
    assert told["games"] == ["MCCGoofspiel [coordinated]"]
    [command] = told["commands"]
    assert command.endswith("--max-beliefs 5000 --coordinated")
    shown = gamebench(*shlex.split(command)[1:], cwd=tmp_path)
    assert shown.stderr.startswith("Finished already, in gamebench-results: "), shown.stderr
