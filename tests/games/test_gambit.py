"""Gambit's files: both formats of .nfg, .efg, and what is said about broken ones."""

import numpy as np
import pyspiel
import pytest

import gamebench as gb

PAYOFFS = 'NFG 1 R "three players" { "A" "B" "C" } { 2 3 2 }\n\n' + " ".join(str(number) for number in range(36))
OUTCOMES = """NFG 1 R "Selten, \\"chain\\"" { "Row" "Column" } { { "up" "down" } { "left" "right" } }
"a comment"
{
{ "first" 1, -1 }
{ "" 1/3 0.25 }
}
1 2 0 1
"""
OPEN_SPIEL_S = 'NFG 1 R "by OpenSpiel" { "A" "B" } { 3 2 }\n\n1 -1 0 0 2 1 4 3 -5 1/2 1 -1\n'


def written(tmp_path, text, name="game.nfg"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_payoff_format(tmp_path):
    game = gb.load_game(written(tmp_path, PAYOFFS))
    table = np.empty((2, 3, 2, 3))
    number = iter(range(36))
    for c in range(2):
        for b in range(3):
            for a in range(2):  # the first player's strategy changes fastest
                table[a, b, c] = [next(number) for _ in range(3)]
    assert (
        game.fingerprint == gb.Game.from_payoffs(table, actions=[["1", "2"], ["1", "2", "3"], ["1", "2"]]).fingerprint
    )


def test_outcome_format(tmp_path):
    game = gb.load_game(written(tmp_path, OUTCOMES))
    expected = [[[1, -1], [0, 0]], [[1 / 3, 0.25], [1, -1]]]
    names = [["up", "down"], ["left", "right"]]
    assert game.fingerprint == gb.Game.from_payoffs(expected, actions=names).fingerprint
    assert game.name == "game.nfg"


def test_open_spiel_reads_the_same(tmp_path):
    ours = gb.load_game(written(tmp_path, OPEN_SPIEL_S))
    theirs = pyspiel.load_nfg_game(OPEN_SPIEL_S)
    for row in range(3):
        for column in range(2):
            pure = np.zeros(5)
            pure[[row, 3 + column]] = 1
            values = gb.expected_values(ours, gb.Policy(ours, pure))
            assert values.tolist() == [theirs.player_utility(player, row, column) for player in range(2)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "garbage",
        "EFG 2 R",
        'NFG 1 R "x" { "A" "B" } { 2 2 }',
        'NFG 1 R "x" { "A" "B" } { 2 2 } 1 2 3',
        'NFG 1 R "x" { "A" "B" } { 2 } 1 2 3 4',
        'NFG 1 R "x" { "A" "B" } { 2 2 } 1 2 3 4 5 6 7 x',
        'NFG 1 R "x" { "A" "B" } { 2 2 } 1 2 3 4 5 6 7 1/0',
        'NFG 1 R "x" { "A" "B" } { 1 1 } { { "" 1 } } 1',
        'NFG 1 R "x" { "A" "B" } { 1 1 } { { "" 1 2 } } 7',
        'NFG 1 R "x" { "A" "B',
        'NFG 1 R "x" { } { }',
        'NFG 1 R "x" { "A" "B" } { 0 2 }',
    ],
)
def test_unreadable_nfg(tmp_path, text):
    with pytest.raises(gb.GameError, match=r"game\.nfg|shape"):
        gb.load_game(written(tmp_path, text))


@pytest.mark.parametrize("cut", [0, 3, 10, 40, 100, 300, 1000])
def test_truncated_efg(tmp_path, capfd, cut):
    path = written(tmp_path, pyspiel.get_sample_efg_data()[:cut], "cut.efg")
    with pytest.raises(gb.GameFileError, match=r"'cut\.efg' cannot be read"):
        gb.load_game(path)
    assert capfd.readouterr().err == ""  # OpenSpiel prints its own exceptions; a user sees one sentence


def test_files_that_are_not_there_or_not_text(tmp_path):
    with pytest.raises(gb.GameFileError, match="No such file"):
        gb.load_game(tmp_path / "missing.efg")
    (tmp_path / "binary.nfg").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(gb.GameFileError, match="not text"):
        gb.load_game(tmp_path / "binary.nfg")
    (tmp_path / "folder.efg").mkdir()
    with pytest.raises(gb.GameFileError, match="directory"):
        gb.load_game(tmp_path / "folder.efg")


def test_an_efg_whose_players_forget(tmp_path):
    text = """EFG 2 R "absent-minded" { "Driver" }
p "" 1 1 "crossing" { "on" "off" } 0
p "" 1 1 "crossing" { "on" "off" } 0
t "" 1 "" { 1 }
t "" 2 "" { 4 }
t "" 3 "" { 0 }
"""
    with pytest.raises(gb.ImperfectRecallError, match="crossing"):
        gb.load_game(written(tmp_path, text, "driver.efg"))


def test_an_efg_whose_information_set_changes_its_actions(tmp_path):
    """OpenSpiel reads this without complaint, and then confuses the actions."""
    text = """EFG 2 R "swapped" { "A" "B" }
p "" 1 1 "" { "x" "y" } 0
p "" 2 1 "" { "left" "right" } 0
t "" 1 "" { 1 2 }
t "" 2 "" { 3 4 }
p "" 2 1 "" { "right" "left" } 0
t "" 3 "" { 5 6 }
t "" 4 "" { 7 8 }
"""
    with pytest.raises(gb.GameError, match="actions"):
        gb.load_game(written(tmp_path, text, "swapped.efg"))
