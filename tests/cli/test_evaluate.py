"""``gamebench evaluate`` and ``head-to-head``: exported policies, agents in Python files, and payoffs."""

import pytest

import gamebench as gb
from tests.cli.commands import assert_one_sentence, done, gamebench, on_screen, parsed

AGENTS = """import gamebench as gb

def bettor(point):
    return "Bet"

@gb.agent(of="state")
def caller(state):
    return {action: 1 / len(state.legal_actions()) for action in state.legal_actions()}

def broken(point):
    return 1 / 0
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a run of CFR+, its exports, and a file of agents; tests must not write to it."""
    folder = tmp_path_factory.mktemp("agents")
    (folder / "agents.py").write_text(AGENTS)
    [row] = done("run", "kuhn_poker", "--algorithm", "CFR+", "--iterations", 20, cwd=folder)
    for to in ("open-spiel", "json", "csv"):
        assert gamebench("export", row["run"], "--to", to, "--output", f"{to}.file", cwd=folder).returncode == 0
    (folder / "identity").write_text(row["run"])
    return folder


def test_what_export_writes_evaluate_reads(folder):
    run = (folder / "identity").read_text()
    policies = [run[:8], f"gamebench-results/runs/{run}", "open-spiel.file", "json.file"]
    policies.append(f"gamebench-results/runs/{run}/policy.npz")
    told = [done("evaluate", "kuhn_poker", policy, cwd=folder) for policy in policies]
    for each, policy in zip(told, policies, strict=True):
        assert each.pop("policy") == policy
    assert told == [told[0]] * 5
    game = gb.load_game("kuhn_poker")
    policy = gb.solve(game, "CFR+", 20).policy
    assert told[0]["measures"] == pytest.approx(gb.evaluate(game, policy), abs=1e-12)
    payoffs = {each["player"]: each["payoff"] for each in told[0]["payoffs"]}
    assert list(payoffs) == ["player 0", "player 1"]
    assert list(payoffs.values()) == pytest.approx(gb.expected_values(game, policy).tolist(), abs=1e-12)


def test_agents_in_python_files(folder):
    told = done("evaluate", "kuhn_poker", "agents.py:bettor", "--measure", "NashConv", cwd=folder)
    assert told["measures"] == {"NashConv": gb.evaluate("kuhn_poker", lambda point: "Bet", "NashConv")}
    told = done("evaluate", "kuhn_poker", "agents.py:caller", "--measure", "NashConv", cwd=folder)
    assert told["measures"]["NashConv"] == gb.evaluate("kuhn_poker", "uniform", "NashConv")


def test_what_is_not_a_policy_is_refused(folder):
    for policy, complaint in [
        ("agents.py:broken", "ZeroDivisionError: division by zero (agents.py, line 11)"),
        ("agents.py:betor", "did you mean 'bettor'"),
        ("agents.py", "as in agents.py:agent"),
        (
            "gamebench-results",
            "give the path of one of its runs, gamebench-results/runs/RUN_ID",
        ),
        ("abcdef", "no run whose ID begins with 'abcdef'"),
        ("CFR+", "Unknown policy 'CFR+': give a file"),
    ]:
        assert complaint in assert_one_sentence(gamebench("evaluate", "kuhn_poker", policy, cwd=folder), 2)


def test_other_commands_read_the_same_files(folder):
    shown = done("show", "agents.py:bettor", "--game", "kuhn_poker", cwd=folder)
    assert shown["kind"] == "policy"
    drawn = gamebench("draw", "kuhn_poker", "agents.py:bettor", cwd=folder)
    assert (drawn.returncode, drawn.stdout) == (0, f"{gb.draw('kuhn_poker', lambda point: 'Bet')}\n")


def test_payoffs_are_shown_beside_the_measures(folder):
    shown = on_screen("evaluate", "Kuhn", "agents.py:bettor", cwd=folder).stdout
    assert "Expected payoffs" in shown
    assert [line.split() for line in shown.splitlines()[-3:]] == [["player", str(player), "0"] for player in range(3)]


def test_head_to_head(folder):
    agents = ["open-spiel.file", "agents.py:bettor", "uniform"]
    told = done("head-to-head", "kuhn_poker", *agents, cwd=folder)
    game = gb.load_game("kuhn_poker")
    contest = gb.head_to_head(
        game, dict(zip(agents, (gb.solve(game, "CFR+", 20), lambda point: "Bet", "uniform"), strict=True))
    )
    assert told["mean payoffs"] == pytest.approx(contest.scores.to_dict(), abs=1e-12)
    rows = {tuple(row["agents"]): row["payoffs"] for row in told["seatings"]}
    assert len(rows) == 9
    assert rows["uniform", "agents.py:bettor"] == pytest.approx(contest.payoffs[2, 1].tolist(), abs=1e-12)
    shown = on_screen("head-to-head", "kuhn_poker", *agents, cwd=folder).stdout
    assert "Mean over all seats and other agents" in shown
    twice = gamebench("head-to-head", "kuhn_poker", "uniform", "uniform")
    assert "'uniform' is given twice" in assert_one_sentence(twice, 2)
    teams = gamebench("head-to-head", "Kuhn", "uniform", "--teams", "0,1/2", "--json")
    assert parsed(teams.stdout)["seatings"][0]["agents"] == ["uniform"] * 2
