"""``gamebench solve-exactly`` and ``gamebench list games --values``."""

import pytest

import gamebench as gb
from tests.cli.commands import MATCHING_PENNIES, done, gamebench, on_screen, plain_rows


def test_what_is_printed_for_programs():
    process = gamebench("solve-exactly", "kuhn_poker")
    assert process.returncode == 0, process.stderr
    facts, policy = process.stdout.split("\n\n")
    rows = {row["quantity"]: row["result"] for row in plain_rows(facts)}
    assert rows["solution"] == "minimax"
    assert rows["value as a fraction"] == "-1/18"
    for quantity in ("value", "lower bound", "upper bound", "payoff of player 0"):
        assert float(rows[quantity]) == pytest.approx(-1 / 18, abs=1e-11)
    assert float(rows["payoff of player 1"]) == pytest.approx(1 / 18, abs=1e-11)
    assert 0 <= float(rows["gap"]) < 1e-12
    assert 0 <= float(rows["largest incentive to deviate"]) < 1e-12
    assert float(rows["seconds"]) > 0
    lines = plain_rows(policy)
    assert [(line["player"], line["information state"]) for line in lines[:2]] == [("0", "0"), ("0", "0pb")]
    assert len(lines) == 12
    [king] = [line for line in lines if line["information state"] == "2b"]
    assert (king["player"], king["policy"]) == ("1", "Pass 0, Bet 1")


def test_a_long_policy_is_cut_unless_more_rows_are_requested():
    process = gamebench("solve-exactly", "leduc_poker(suit_isomorphism=True)")
    assert process.stderr.endswith("20 of 288 decision points; --rows 288 shows all.\n")
    assert len(plain_rows(process.stdout.split("\n\n")[1])) == 20
    process = gamebench("solve-exactly", "leduc_poker(suit_isomorphism=True)", "--rows", 288)
    assert "--rows" not in process.stderr
    assert len(plain_rows(process.stdout.split("\n\n")[1])) == 288


def test_the_joint_policies_of_a_correlated_equilibrium(tmp_path):
    chicken = gb.Game.from_payoffs(
        [[[6, 6], [2, 7]], [[7, 2], [0, 0]]], actions=[["swerve", "dare"]] * 2, players=["Ann", "Bob"]
    )
    gb.save_game(chicken, tmp_path / "chicken.nfg")
    shown = gamebench("solve-exactly", tmp_path / "chicken.nfg", "--concept", "EFCE").stdout
    rows = plain_rows(shown.split("\n\n")[1])
    assert {(row["Ann"], row["Bob"]) for row in rows} == {("swerve", "swerve"), ("swerve", "dare"), ("dare", "swerve")}
    assert (rows[0]["Ann"], rows[0]["Bob"], float(rows[0]["weight"])) == ("swerve", "swerve", pytest.approx(0.5))
    assert (float(rows[0]["payoff of Ann"]), float(rows[0]["payoff of Bob"])) == (6, 6)
    cut = gamebench("solve-exactly", tmp_path / "chicken.nfg", "--concept", "EFCE", "--rows", 1)
    assert "1 of 3 joint policies; --rows 3 shows all." in cut.stderr


def test_json_has_the_policy_by_name(tmp_path):
    (tmp_path / "pennies.efg").write_text(MATCHING_PENNIES)
    told = done("solve-exactly", tmp_path / "pennies.efg")
    half = pytest.approx(0.5)
    assert told["policy"] == {"A": {"a": {"L": half, "R": half}}, "B": {"b": {"l": half, "r": half}}}
    game = gb.load_game(tmp_path / "pennies.efg")
    assert gb.evaluate(game, gb.combine(told["policy"], game), "NashConv") < 1e-12


def test_json_is_the_solution():
    told = done("solve-exactly", "matrix_cd", "--concept", "EFCE", "--objective", "Fairness(smallest)")
    game = gb.load_game("matrix_cd")
    solution = gb.solve_exactly(game, concept="EFCE", objective="Fairness(smallest)")
    assert told.pop("seconds") > 0
    mixture = told.pop("mixture")
    assert [part["weight"] for part in mixture] == solution.policy.weights.tolist()
    plans = [{name: row for sets in part["policy"].values() for name, row in sets.items()} for part in mixture]
    read = [gb.Policy.from_dict(game, plan) for plan in plans]
    assert read == list(solution.policy.policies)
    assert told == {
        **{"game": "matrix_cd", "fingerprint": game.fingerprint, "category": "general-sum"},
        **{"concept": "EFCE", "objective": "Fairness(smallest)", "value": solution.value, "fraction": "8/3"},
        **{"lower": solution.lower, "upper": solution.upper, "gap": solution.gap},
        **{"payoffs": solution.payoffs.tolist(), "incentive": solution.incentive},
    }


def test_teams_that_coordinate_on_a_terminal_and_their_policy(tmp_path):
    words = ("solve-exactly", "kuhn_poker(players=3)", "--teams", "1,2/0", "--coordinated", "--payoff-scale", "2")
    process = on_screen(*words, "--save", "team.npz", cwd=tmp_path)
    assert process.returncode == 0, process.stderr
    lines = process.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "5/132" in process.stdout
    assert any(line.startswith("payoff of each of 1, 2 ") for line in lines)
    assert any(line.startswith("payoff of player 0 ") for line in lines)
    said = ["20 of 451 decision points; --rows 451 shows all.", "The policy is in team.npz."]
    assert process.stderr.splitlines() == said
    game = gb.load_game("kuhn_poker(players=3)", teams=[[1, 2], [0]], coordinated=True, payoff_scale=2)
    policy = gb.Policy.load(tmp_path / "team.npz", game)
    assert gb.evaluate(game, policy, "NashConv") < 1e-12


def test_optima():
    assert done("solve-exactly", "TinyHanabi-A")["concept"] == "optimum"
    assert done("solve-exactly", "kuhn_poker", "--focal", 0)["value"] == 0.5


def test_a_policy_that_cannot_be_written(tmp_path):
    (tmp_path / "taken").mkdir()
    process = gamebench("solve-exactly", "kuhn_poker", "--save", "taken", cwd=tmp_path)
    assert process.returncode == 2
    assert "solution\tminimax" in process.stdout  # the solution is not lost
    assert "The policy cannot be written to 'taken'" in process.stderr


def test_values_of_solved_games():
    process = gamebench("list", "games", "--values")
    rows = plain_rows(process.stdout)
    assert [row["game"] for row in rows] == [entry.name for entry in gb.solved_games()]
    values = {(row["game"], row["solution"]): row for row in rows}
    kuhn = values["Kuhn-2", "minimax"]
    assert (kuhn["kind"], kuhn["fraction"]) == ("zero-sum", "-1/18")
    assert float(kuhn["value"]) == pytest.approx(-1 / 18, abs=1e-11)
    assert (values["Goofspiel-4", "minimax"]["value"], values["Kuhn", "equilibrium"]["value"]) == ("0", "-")
    assert "its gap is NashConv" in process.stderr
    told = done("list", "--values")
    assert [entry["name"] for entry in told] == [row["game"] for row in rows]
    [leduc] = [entry for entry in told if entry["game"] == "Leduc"]
    assert leduc["fingerprint"] == gb.catalogue.PAPER_GAMES["Leduc"].fingerprint
    shown = on_screen("list", "games", "--values").stdout
    assert max(map(len, shown.splitlines())) <= 80
