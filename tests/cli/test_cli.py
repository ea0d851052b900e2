"""``gamebench list`` and ``evaluate``, and the streams of a command."""

import json
import os
import subprocess
import sys

import pytest

import gamebench as gb
from gamebench.analysis.responses import security, team
from gamebench.cli.commands.list import about_game, games
from gamebench.core.choices import Listed
from gamebench.games.catalogue import COORDINATED_GAMES, FIELD_GAMES
from tests.cli.commands import GAMEBENCH, gamebench, on_screen, plain_rows


def test_list_games_as_plain_lines():
    done = gamebench("list", "games")
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        f"Games used in papers on solvers: {', '.join(FIELD_GAMES)}.",
        f"Mixed games with coordinated teams: {', '.join(COORDINATED_GAMES)}.",
        f"Large games: {', '.join(gb.catalogue.LARGE_GAMES)}.",
    ]
    header, *rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert header[0] == "game"
    assert [row[0] for row in rows] == list(gb.catalogue.PAPER_GAMES)
    assert rows[6] == ["Kuhn", "zero-sum", "3", "48", "617", "4", "NashConv", "2.0625"]


def test_games_that_are_not_loaded_are_listed_from_the_catalogue():
    for kind, known in (("field", FIELD_GAMES), ("large", gb.catalogue.LARGE_GAMES)):
        rows = plain_rows(gamebench("list", kind).stdout)
        assert [row["game"] for row in rows] == list(known)
        [leduc] = [row for row in rows if row["game"] == "Leduc-3"]
        assert leduc == {
            **{"game": "Leduc-3", "category": "zero-sum", "players": "3", "decision points": "25800"},
            "OpenSpiel": "leduc_poker(players=3)",
        }


def test_the_catalogue_says_what_loading_its_games_would():
    for row in games():
        measured = about_game(row["game"])
        assert row == {**measured, "uniform policy": pytest.approx(measured["uniform policy"], rel=1e-12)}


def test_a_terminal_of_80_columns_gets_a_table():
    for what in Listed:
        lines = on_screen("list", what).stdout.splitlines()
        assert max(map(len, lines)) <= 80
        assert not any("…" in line or "\t" in line for line in lines)  # nothing is cut off


def test_brackets_in_a_name_are_shown():
    shown = on_screen("evaluate", "kuhn_poker(players=3)", "--teams", "0,1/2", "--measure", "NashConv").stdout
    assert "kuhn_poker(players=3) [teams 0,1/2]" in shown


def test_evaluate(tmp_path):
    game = gb.load_game("Kuhn")
    gb.random_policy(game, 1).save(tmp_path / "policy.npz")
    done = gamebench("evaluate", "kuhn", tmp_path / "policy.npz", "--measure", "NashConv", "--json")
    expected = gb.evaluate(game, gb.random_policy(game, 1), "NashConv")
    assert json.loads(done.stdout) == {
        "game": "Kuhn",
        "fingerprint": game.fingerprint,
        "policy": str(tmp_path / "policy.npz"),
        "measures": {"NashConv": pytest.approx(expected, abs=1e-12)},
        "payoffs": [
            {"player": f"player {player}", "payoff": pytest.approx(payoff, abs=1e-12)}
            for player, payoff in enumerate(gb.expected_values(game, gb.random_policy(game, 1)))
        ],
    }


def test_evaluate_with_teams_and_focal_player():
    done = gamebench("evaluate", "kuhn_poker(players=3)", "--teams", "0,1/2", "--measure", "NashConv")
    assert done.stdout.splitlines()[1] == "NashConv\t1.0625\tlower is better"
    done = gamebench("evaluate", "kuhn_poker(players=2)", "--focal", "1")
    assert done.stdout.splitlines()[1].startswith("OptGap\t0.541666666667\t")


def test_module_and_version():
    for command in ([GAMEBENCH], [sys.executable, "-m", "gamebench"]):
        done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == gb.__version__


def test_a_measure_beyond_its_limit_does_not_cost_the_others(monkeypatch):
    monkeypatch.setattr(team, "MAX_SLOTS", 10)
    monkeypatch.setattr(team, "MAX_BELIEFS", 10)
    shown = gamebench("evaluate", "TinyHanabi-A", "--measure", "SocialWelfare", "--measure", "OptGap")
    assert shown.returncode == 1
    assert shown.stdout.splitlines()[1].startswith("SocialWelfare\t")
    assert "The optimum of 'TinyHanabi-A'" in shown.stderr


def test_measures_that_nobody_asked_for_may_be_left_out(monkeypatch):
    monkeypatch.setenv("GAMEBENCH_CACHE", "off")  # which may have the levels
    monkeypatch.setattr(security, "MAX_RESPONSES", 1)
    shown = gamebench("evaluate", "Kuhn")
    assert "Fairness(smallest)\t-0.1875" in shown.stdout
    assert shown.stderr.startswith("Skipped Fairness(Nash), Fairness(Jain): The security level of player 0 in 'Kuhn' ")
    assert (shown.returncode, shown.stderr.count("Skipped")) == (0, 1)
    shown = gamebench("evaluate", "Kuhn", "--measure", "Fairness(Nash)")
    assert shown.returncode == 1
    assert shown.stderr.startswith("Error: The security level of player 0 in 'Kuhn' is")


def test_a_cache_that_cannot_be_written_costs_one_line(tmp_path):
    (tmp_path / "file").write_text("in the way")
    done = gamebench("evaluate", "Kuhn", env={**os.environ, "GAMEBENCH_CACHE": str(tmp_path / "file")})
    [line] = done.stderr.splitlines()
    assert line.startswith("Warning: The game cache")
