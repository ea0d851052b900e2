"""``gamebench convert``, and names of Gambit files on the command line."""

import pytest

import gamebench as gb
from gamebench.games.loading.load import MAX_WRITTEN
from tests.cli.commands import assert_one_sentence, gamebench, plain_rows

BATTLE = """EFG 2 R "Battle of the sexes" { "Ann Lee" "Böb \\"B\\"" }
p "" 1 1 "" { "Opera" "Fight" } 0
p "" 2 1 "" { "Opera" "Fight" } 0
t "" 1 "" { 2 1 }
t "" 2 "" { 0 0 }
p "" 2 1 "" { "Opera" "Fight" } 0
t "" 3 "" { 0 0 }
t "" 4 "" { 1 2 }
"""


def test_a_game_becomes_a_file(tmp_path):
    process = gamebench("convert", "kuhn_poker", "kuhn.efg", "--payoff-scale", "0.1", cwd=tmp_path)
    assert (process.returncode, process.stdout) == (0, "")
    assert process.stderr == "Wrote kuhn_poker [payoffs x 0.1] to kuhn.efg: 2 players, 12 decision points.\n"
    assert gb.load_game(tmp_path / "kuhn.efg").max_abs_payoff == pytest.approx(0.2)


def test_names_and_equilibria_of_a_file(tmp_path):
    (tmp_path / "battle.efg").write_text(BATTLE)
    process = gamebench("solve-exactly", "battle.efg", "--concept", "nash", cwd=tmp_path)
    assert process.returncode == 0, process.stderr
    rows = {row["quantity"]: row["result"] for row in plain_rows(process.stdout.split("\n\n")[0])}
    assert rows["solution"] == "Nash"
    assert sorted([rows["payoff of Ann Lee"], rows['payoff of Böb "B"']]) == ["1", "2"]
    assert gamebench("convert", "battle.efg", "battle.nfg", cwd=tmp_path).returncode == 0
    assert (tmp_path / "battle.nfg").read_text().splitlines()[:2] == [
        'NFG 1 R "Battle of the sexes" { "Ann Lee" "Böb \\"B\\"" }',
        '{ { "Opera" "Fight" } { "Opera" "Fight" } }',
    ]


def test_a_file_is_not_written_over_itself(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "battle.efg").write_text(BATTLE)
    (tmp_path / "link.efg").symlink_to("battle.efg")
    for spelling in ["battle.efg", "./battle.efg", "folder/../battle.efg", "link.efg"]:
        for words in (("battle.efg", spelling), (spelling, "battle.efg")):
            said = assert_one_sentence(gamebench("convert", *words, "--payoff-scale", 2, cwd=tmp_path), 2)
            assert "is the file that the game is read from; write to another file." in said
        assert (tmp_path / "battle.efg").read_text() == BATTLE


def test_the_limit_in_the_help_is_that_of_files():
    shown = " ".join(gamebench("convert", "--help").stdout.split())
    assert f"(default: {MAX_WRITTEN})" in shown
