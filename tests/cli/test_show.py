"""``gamebench show`` explains anything by name, and ``gamebench draw`` draws trees."""

import json
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

import gamebench as gb
from gamebench.cli.explanations import explain_algorithm, explain_controller, explain_measure
from tests.cli.commands import MATCHING_PENNIES, done, gamebench, on_screen

PLUGIN = '''
import gamebench as gb

@gb.register_measure
def DRS(game, policy):
    """A measure that has a controller's name.

    More of it.
    """
    return 0.0
'''


def shown(*arguments):
    done = gamebench("show", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refused(*arguments):
    done = gamebench(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    return done.stderr


def test_an_algorithm():
    about = shown("cmd")
    assert (about["kind"], about["name"], about["reports"]) == (
        "algorithm",
        "CMD",
        "the current policy (iterate=current)",
    )
    assert shown("CFR+")["reports"] == "the average policy (iterate=linear)"
    assert about["description"].startswith("Configurable mirror descent: generalised")
    assert "P. Li et al." in about["reference"]
    parameters = {row["name"]: row for row in about["hyper-parameters"]}
    assert parameters["interval"]["default"] == "10"
    assert parameters["history"]["default"] == ""
    assert parameters["history"]["range"] == "a whole number from 1 to 1000"
    chosen = {row["name"]: row["for the game"] for row in shown("CMD", "--game", "Kuhn")["hyper-parameters"]}
    paper = gb.catalogue.PAPER_GAMES["Kuhn"]
    assert (chosen["history"], chosen["radius"]) == (str(paper.history), str(paper.radius))


def test_every_algorithm_and_controller_can_be_explained():
    for about in [
        *map(explain_algorithm, gb.algorithms.ALGORITHMS),
        *map(explain_controller, gb.controllers.CONTROLLERS),
    ]:
        assert about.text
        assert not set("`*") & set(about.text.replace("V*", ""))
        assert len(about.parameters) >= 1
        assert all(row["what it is"] and row["range"] for row in about.parameters)


def test_every_measure_has_a_definition():
    for name in gb.measures.MEASURES:
        assert explain_measure(name).text.endswith(".")


def test_a_game():
    game = gb.load_game("Leduc")
    about = shown("leduc")
    assert (about["kind"], about["name"], about["category"]) == ("game", "Leduc", "zero-sum")
    assert (about["histories"], about["terminals"], about["payoffs"]) == (9457, 5520, "-13 to 13")
    of_uniform = gb.evaluate(game, gb.uniform_policy(game), "NashConv")
    assert about["NashConv of uniform play"] == pytest.approx(of_uniform, abs=1e-12)
    assert about["OpenSpiel"] == "leduc_poker(players=2)"
    assert float(about["known minimax"]) == pytest.approx(-0.0856064240, abs=1e-9)


def test_a_game_string_and_a_file(tmp_path):
    assert shown("kuhn_poker(players=2)")["known minimax"] == "-1/18"
    file = tmp_path / "one.efg"
    file.write_text('EFG 2 R "one" { "A" } p "" 1 1 "" { "l" "r" } 0 t "" 1 "" { 1 } t "" 2 "" { 0 }')
    assert shown(file)["histories"] == 3


def test_a_measure_a_controller_a_convex_function_and_experiments():
    assert shown("nashconv")["applies to"] == "every game"
    assert shown("DRS")["hyper-parameters"][0]["name"] == "candidates"
    assert shown("convex:-ln x")["family"] == "-ln x"
    assert shown("x^2")["parameter"] == "n from 1.01 to 20"
    assert shown("overview")["runs"] == 105
    assert shown("controllers")["examples"] == ["gamebench reproduce controllers"]


def test_a_run(solved):
    start = solved.ids[0][:8]
    about = shown(start, "--out", solved.folder)
    assert (about["kind"], about["name"], about["status"]) == ("run", solved.ids[0], "finished")
    measured = {key: value for key, value in solved.rows[0].items() if key in ("NashConv", "iteration")}
    assert {key: about[f"at the end: {key}"] for key in measured} == measured
    assert gamebench(*shlex.split(about["examples"][0])[1:]).stdout.startswith("iteration,")  # its suggestion works
    whole = shown(solved.folder / "runs" / solved.ids[0])
    assert whole["policy"] == about["policy"]
    policy = gb.Store(solved.folder).find(start).policy(gb.load_game(solved.rows[0]["game"]))
    assert len(whole["policy"]) == len(policy)
    assert [row["policy"] for row in whole["policy"]] == [dict(row) for row in policy.values()]
    assert [row["reach"] for row in whole["policy"]] == policy.to_pandas().drop_duplicates("information_state")[
        "reach"
    ].tolist()
    cut = on_screen("show", start, "--out", solved.folder, "--rows", "2")
    assert f"2 of {len(policy)} decision points; --rows {len(policy)} shows all." in cut.stderr
    assert len(shown(start, "--out", solved.folder, "--rows", "2")["policy"]) == 2


def test_of_a_run_that_is_not_finished_it_suggests_what_works(tmp_path):
    from gamebench.experiments.descriptions import description_of
    from gamebench.experiments.plan import Planner
    from gamebench.experiments.spec import RunSpec

    plan = Planner().plan(RunSpec(game="Kuhn-2", algorithm="CFR", iterations=2))
    gb.Store(tmp_path, create=True).run(plan.id).write_description(description_of(plan))
    about = shown(plan.id[:8], "--out", tmp_path)
    assert about["status"] == "waiting"
    example, again = about["examples"]
    assert again == "gamebench run Kuhn-2 --algorithm CFR --iterations 2 --measure NashConv"
    assert plan.id in gamebench(*shlex.split(example)[1:]).stdout


def test_a_policy_file(tmp_path):
    policy = gb.random_policy("Kuhn-2", seed=1)
    policy.save(tmp_path / "policy.npz")
    about = shown(tmp_path / "policy.npz")
    assert about["game"] == "Kuhn-2"
    assert about["NashConv"] == pytest.approx(gb.evaluate(policy.game, policy, "NashConv"), abs=1e-12)
    assert len(shown(tmp_path / "policy.npz", "--game", "kuhn_poker", "--rows", 3)["policy"]) == 3
    text = gamebench("show", tmp_path / "policy.npz").stdout
    assert "0pb\tPass" in text
    assert "Error: This policy is for the game" in refused("show", tmp_path / "policy.npz", "--game", "Leduc")


def test_an_exported_run_says_which_game_it_is_for(solved, tmp_path):
    (tmp_path / "run.json").write_text(
        gamebench("export", solved.ids[0], "--to", "json", "--out", solved.folder).stdout
    )
    about, run = shown(tmp_path / "run.json"), shown(solved.ids[0], "--out", solved.folder)
    assert (about["kind"], about["game"], about["policy"]) == ("policy", run["game"], run["policy"])
    (tmp_path / "table.json").write_text('{"0": {"Bet": 1}}')
    assert "does not name its game: add --game GAME" in refused("show", tmp_path / "table.json")


def test_a_run_whose_game_is_not_at_hand(tmp_path):
    game = tmp_path / "pennies.efg"
    game.write_text(MATCHING_PENNIES)
    [row] = done("run", game, "-a", "CFR", "-n", 2, "--out", tmp_path / "out")
    game.unlink()
    about = shown(row["run"], "--out", tmp_path / "out")
    assert about["at the end: NashConv"] == row["NashConv"]
    assert about["policy"].startswith("not shown: ")


def test_names_that_mean_nothing_or_several_things(tmp_path):
    assert "did you mean 'Leduc'" in refused("show", "Leducc")
    assert "did you mean 'NashConv'" in refused("show", "NashConf")
    assert "There is no algorithm called 'Leduc'" in refused("show", "algorithm:Leduc")
    assert "Available parameters are" in refused("show", "leduc_poker(plyers=2)")
    assert "is a folder; gamebench status" in refused("show", tmp_path)
    gb.Store(tmp_path / "out", create=True)
    assert "has no run whose ID begins with 'zz'" in refused("show", "run:zz", "--out", tmp_path / "out")
    file = "my_agents.py:agent"
    assert f"The policy file {file!r} does not name its game: add --game GAME." in refused("show", file)
    assert "The policy file 'os.json' cannot be read" in refused("show", "os.json")
    for arguments in (["show", "my_game"], ["evaluate", "my_game"]):
        assert "A game from a file of your own needs --plugin FILE.py (in Python: gb.load_plugin)." in refused(
            *arguments
        )
    plugin = tmp_path / "plugin.py"
    plugin.write_text(PLUGIN)
    both = refused("show", "DRS", "--plugin", plugin)
    assert "'DRS' is a controller and a measure; specify which: gamebench show controller:DRS or measure:DRS." in both
    assert shown("measure:DRS", "--plugin", plugin)["description"] == "A measure that has a controller's name."


def test_explaining_an_algorithm_imports_little():
    code = (
        "import sys; sys.argv = ['gamebench', 'show', 'CMD']\n"
        "from gamebench.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: print(*sorted(m for m in sys.modules if '.' not in m))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"numba", "pyspiel", "scipy", "pandas", "pyarrow", "rich"} & set(done.splitlines()[-1].split())


def test_draw(tmp_path):
    file = tmp_path / "tree.svg"
    assert gamebench("draw", "kuhn_poker", "--output", file).returncode == 0
    assert file.read_text() == str(gb.draw("kuhn_poker"))
    gb.random_policy("kuhn_poker", seed=1).save(tmp_path / "policy.npz")
    printed = gamebench("draw", "kuhn_poker", tmp_path / "policy.npz").stdout
    assert ET.fromstring(printed).get("class") == "gb-tree"
    assert printed.strip() == str(gb.draw("kuhn_poker", gb.random_policy("kuhn_poker", seed=1)))
    [row] = done("run", "kuhn_poker", "-a", "CFR", "-n", 2, "--out", tmp_path / "out")
    of_run = gamebench("draw", "kuhn_poker", row["run"][:8], "--out", tmp_path / "out", "-o", file)
    assert (of_run.returncode, file.read_text()) == (0, str(gb.draw("kuhn_poker", gb.solve("kuhn_poker", "CFR", 2))))
    focal = gamebench("draw", "kuhn_poker", "uniform", "--focal", "0", "--payoff-scale", "2").stdout
    assert "chance and fixed players" in focal
    assert "such as kuhn_poker" in refused("draw", "Leduc")
    assert "must end with .svg" in refused("draw", "kuhn_poker", "--output", tmp_path / "tree.png")
