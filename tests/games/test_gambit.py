"""Gambit's files: both formats of .nfg, .efg, and error messages for broken files."""

import random
import re

import numpy as np
import pyspiel
import pytest
from hypothesis import given, settings

import gamebench as gb
from gamebench.games.formats.gambit import DEEPEST, canonical_efg, distinct_names
from tests.helpers import game_of, refuses
from tests.oracles import random_games

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


UNREADABLE = [
    "",
    "EFG 2 R",
    'NFG 1 R "x" { "A" "B" } { 2 2 } 1 2 3',
    'NFG 1 R "x" { "A" "B" } { 2 } 1 2 3 4',
    'NFG 1 R "x" { "A" "B" } { 2 2 } 1 2 3 4 5 6 7 x',
    'NFG 1 R "x" { "A" "B" } { 1 1 } { { "" 1 } } 1',
    'NFG 1 R "x" { "A" "B" } { 1 1 } { { "" 1 2 } } 7',
    'NFG 1 R "x" { "A" "B',
    'NFG 1 R "x" { } { }',
    'NFG 1 R "x" { "A" "B" } { 0 2 }',
    'NFG 1 R "x" { "A" "B" } { 1 1 } { x12 } 1',
    'NFG 1 R "x" { "A" "B" } { { {"q"} } 1 } 1 2',
    'NFG 1 R "x" ' + "{ " * 5000,
    *(f'NFG 1 R "" {{ "A" }} {{ {"9" * digits} }} 1' for digits in (400, 5000)),  # a number of strategies
]


def test_unreadable_nfg(tmp_path):
    """Each is refused in one sentence that names the file."""
    for text in UNREADABLE:
        refuses(gb.errors.GameError, r"game\.nfg|shape", gb.load_game, written(tmp_path, text))


def test_truncated_efg(tmp_path, capfd):
    for cut in (0, 3, 10, 40, 100, 300, 1000):
        path = written(tmp_path, pyspiel.get_sample_efg_data()[:cut], "cut.efg")
        complaint = r"'cut\.efg' is not a readable \.efg file: (it ends where|line 2 has)"
        refuses(gb.errors.GameFileError, complaint, gb.load_game, path)
    assert capfd.readouterr().err == ""  # OpenSpiel prints its own exceptions; a user sees one sentence


def test_unreadable_files_are_refused(tmp_path):
    (tmp_path / "binary.nfg").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "folder.efg").mkdir()
    (tmp_path / "game.txt").write_text("EFG")
    for name, complaint in {
        "missing.efg": "No such file",
        "binary.nfg": "not text",
        "folder.efg": "directory",
        "game.txt": r"does not end in \.efg or \.nfg",
    }.items():
        refuses(gb.errors.GameFileError, complaint, gb.load_game, tmp_path / name)


ABBREVIATED = """EFG 2 R "everything optional" { "A" "B" }
"a comment"
c "" 1 "deal" { "red" 1/3 "black" 2/3 } 0
p "" 1 1 "first" { "x" "y" } 7 "bonus" { 10, 1 }
p "" 2 1 "second" { "left" "right" } 0
t "" 1 "win" { 1 2 }
t "" 2 "lose" { 3 4 }
t "" 1
p "" 1 1 7
p "" 2 1 0
t "" 2
t "" 1 "win"
t "" 0
"""


def test_what_gambit_may_leave_out_and_where_it_may_pay(tmp_path):
    game = gb.load_game(written(tmp_path, ABBREVIATED, "short.efg"))
    assert (game.num_players, game.num_decision_points, game.num_terminals) == (2, 2, 6)
    # Everyone gets the bonus; then red-x-left wins, red-x-right loses, red-y wins, and so on.
    assert game.sequence_form.payoffs.T.tolist() == [[11, 3], [13, 5], [11, 3], [13, 5], [11, 3], [10, 1]]
    assert game.sequence_form.chance.tolist() == pytest.approx([1 / 3] * 3 + [2 / 3] * 3, abs=1e-15)
    policy = gb.random_policy(game, 1)
    assert np.array_equal(gb.Policy.from_open_spiel(game, policy.to_open_spiel()).probabilities, policy.probabilities)


FORGETFUL = """EFG 2 R "absent-minded" { "Driver" }
p "" 1 1 "crossing" { "on" "off" } 0
p "" 1 1 "crossing" { "on" "off" } 0
t "" 1 "" { 1 }
t "" 2 "" { 4 }
t "" 3 "" { 0 }
"""
SWAPPED = ABBREVIATED.replace('p "" 2 1 0', 'p "" 2 1 "second" { "right" "left" } 0')
WRONG = [
    (ABBREVIATED.replace('p "" 2 1 "second"', 'p "" 3 1 "second"'), "line 5 has 3 where a player is expected"),
    (ABBREVIATED.replace('p "" 2 1 "second"', 'p "" -1 1 "second"'), "line 5 has -1 where a player is expected"),
    (ABBREVIATED.replace("{ 1 2 }", "{ 1 2 3 }"), "line 6 has 3 where } is expected"),
    (ABBREVIATED.replace("{ 1 2 }", "{ 1 x }"), "line 6 has x where a payoff is expected"),
    (ABBREVIATED.replace("1/3", "2/3"), "negative or do not sum to 1"),
    (ABBREVIATED.replace("1/3", "-1/3").replace("2/3", "4/3"), "negative or do not sum to 1"),
    (ABBREVIATED.replace('t "" 0', 't "" 9'), "outcome 9 is used before"),
    (ABBREVIATED.replace('p "" 2 1 0', 'p "" 2 5 0'), "information set 5 of player 2 is used before"),
    (ABBREVIATED + 't "" 0', "continues after the last node"),
    (ABBREVIATED.replace('{ "x" "y" }', "{ }"), "line 4 lists no actions"),
    (ABBREVIATED.replace('"first"', '"first'), "quotation mark|is expected"),
    ('EFG 2 R "nobody" { }', "names no players"),
    ('EFG 1 R "old" { "A" }', "line 1 has 1 where 2 is expected"),
    (SWAPPED, "line 10 lists other actions for information set 1 than an earlier line"),  # OpenSpiel would confuse them
]


def test_errors_in_efg_files_name_the_line(tmp_path):
    """Some of these crash OpenSpiel, and the interpreter with it."""
    for text, complaint in WRONG:
        refuses(gb.errors.GameFileError, complaint, gb.load_game, written(tmp_path, text, "wrong.efg"))
    refuses(gb.errors.ImperfectRecallError, "crossing", gb.load_game, written(tmp_path, FORGETFUL, "driver.efg"))


@given(random_games.efg_games())
@settings(max_examples=50)
def test_writing_a_file_anew_does_not_change_the_game(text):
    games = [game_of(version) for version in (text, canonical_efg(text, "random")[0].text)]
    assert games[0].labels == games[1].labels
    assert games[0].sequence_form.payoffs.tolist() == games[1].sequence_form.payoffs.tolist()
    assert games[0].sequence_form.chance == pytest.approx(
        games[1].sequence_form.chance, abs=1e-6
    )  # OpenSpiel does not normalise


def test_the_budget_holds_for_nfg_before_anything_is_built(tmp_path):
    path = written(tmp_path, 'NFG 1 R "huge" { "A" "B" } { 2000000000 2 } 1 2')
    with pytest.raises(gb.errors.GameTooLargeError, match=r"6e\+09 histories"):
        gb.load_game(path)


STRANGE = ["0", "-1", "99", "1/0", "nan", "1e999", '"', '""', "{", "}", "p", "c", "t", "\x00", "é", '"x\ny"']


FILES = [(pyspiel.get_sample_efg_data(), "efg"), (ABBREVIATED, "efg"), (OUTCOMES, "nfg"), (PAYOFFS, "nfg")]


def test_files_with_words_changed_lost_and_added(tmp_path, monkeypatch):
    """Loading a changed file gives a game or an error in one sentence; OpenSpiel's own reader crashes on some."""
    monkeypatch.setenv("GAMEBENCH_CACHE", "off")
    rng, complaints = random.Random(0), []
    for text, suffix in FILES * 100:
        words = re.findall(r'"[^"]*"|[{}]|[^\s{}"]+|\s+', text)
        for _ in range(rng.randint(1, 3)):
            place = rng.randrange(len(words))
            words[place : place + rng.randint(0, 1)] = rng.choice([[], [rng.choice(STRANGE)], [rng.choice(words)]])
        try:
            gb.load_game(written(tmp_path, "".join(words), f"changed.{suffix}"))
        except gb.errors.GameBenchError as error:
            complaints.append(str(error))
    assert len(complaints) > 130
    assert all("\n" not in complaint and len(complaint) < 400 for complaint in complaints)


# Small files that describe something huge


HUGE = ["1e999999999", "-1e999999999", "1e-999999999", "1/1e999999999", "9" * 5000, "1/" + "9" * 4000]
NO_NUMBERS = ["1_000", "0x10", "nan", "inf", "1/0", "1/-2", "1.5/2", "\u0663"]


def test_numbers_that_no_float_can_hold_are_refused_at_once(tmp_path):
    """Written out, the first of these has a billion digits."""
    for number in (*HUGE, *NO_NUMBERS):
        for name, text in (("game.nfg", f'NFG 1 R "" {{ "A" }} {{ 1 }}\n{number}'), ("game.efg", ONE_END % number)):
            with pytest.raises(
                gb.errors.GameFileError, match=r"line 2 has \S+ where a payoff is expected, which must be 0 or"
            ):
                gb.load_game(written(tmp_path, text, name))


ONE_END = 'EFG 2 R "" { "A" }\nt "" 1 "" { %s }'


def test_numbers_as_gambit_writes_them(tmp_path):
    numbers = {"1/3": 1 / 3, "-7/2": -3.5, "+.5": 0.5, "5.": 5.0, "1e-5": 1e-05, "0e999999999": 0.0, "-0/7": 0.0}
    numbers |= {"0." + "9" * 4000: 1.0, "1E3": 1000.0, "123456789123456789/1000": 123456789123456789 / 1000}
    for number, value in numbers.items():
        game = gb.load_game(written(tmp_path, ONE_END % number, "game.efg"))
        assert game.sequence_form.payoffs.tolist() == [[value]]


def test_players_beyond_reason(tmp_path):
    players = 60_000
    text = f'NFG 1 R "" {{ {chr(34) * 2 * players} }} {{ {"2 " * players} }} 1'
    with pytest.raises(gb.errors.GameTooLargeError, match=r"more than 1e\+15 histories"):
        gb.load_game(written(tmp_path, text))


def test_names_are_told_apart_without_comparing_each_with_each():
    compared = 0

    class Name(str):
        __slots__ = ()

        def __eq__(self, other):
            nonlocal compared
            compared += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    count = 500
    found = distinct_names([Name(f"s{number // 2}") for number in range(count)])
    assert len(set(found)) == count
    assert compared < 20 * count


def test_a_tree_deeper_than_open_spiel_can_read(tmp_path):
    """OpenSpiel's reader is recursive: a deeper tree crashed the interpreter."""
    depth = 20_000
    moves = 'c "" 1 "" { "on" 1 } 0\n' * depth
    with pytest.raises(gb.errors.GameFileError, match=f"more than {DEEPEST:,} moves from the root"):
        gb.load_game(written(tmp_path, f'EFG 2 R "deep" {{ "A" }}\n{moves}t "" 1 "" {{ 1 }}', "deep.efg"))


# What a reader of Gambit's files must accept


def test_numbers_of_information_sets_may_have_gaps(tmp_path):
    text = """EFG 2 R "gaps" { "A" "B" }
c "" 9 "" { "red" 1/2 "black" 1/2 } 0
p "" 1 %d "first" { "x" "y" } 0
p "" 2 %d "" { "l" "r" } 0
t "" 1 "" { 1 -1 }
t "" 2 "" { 2 -2 }
t "" 3 "" { 3 -3 }
p "" 1 %d "second" { "x" "y" } 0
p "" 2 %d "" { "l" "r" } 0
t "" 2
t "" 3
t "" 1
"""
    with_gaps = gb.load_game(written(tmp_path, text % (40, 7, 3, 7), "gaps.efg"))
    without = gb.load_game(written(tmp_path, text % (2, 1, 1, 1), "none.efg"))
    assert with_gaps.fingerprint == without.fingerprint
    assert [point.player for point in with_gaps.decision_points] == [0, 0, 1]
    numbered_from_0 = gb.load_game(written(tmp_path, text % (1, 0, 0, 0), "zero.efg"))
    assert numbered_from_0.fingerprint == without.fingerprint


DISTINCT = [
    (["A", "A", "A (1)"], ["A (1) (1)", "A (2)", "A (1)"]),
    (["", "(1)", ""], ["(1) (1)", "(1)", "(3)"]),
    (["A", "A", "A (1)", "A (1)"], ["A (1)", "A (2)", "A (1) (3)", "A (1) (4)"]),
    (["A", "B"], ["A", "B"]),
]


def test_names_that_are_the_same_are_numbered_and_no_number_makes_them_the_same_again(tmp_path):
    for names, distinct in DISTINCT:
        quoted = " ".join(f'"{name}"' for name in names)
        payoffs = " ".join(map(str, range(len(names))))
        ends = "".join(f't "" {place} "" {{ {place} }}\n' for place in range(1, len(names) + 1))
        efg = f'EFG 2 R "" {{ "A" }}\np "" 1 1 "" {{ {quoted} }} 0\n{ends}'
        from_nfg = gb.load_game(written(tmp_path, f'NFG 1 R "" {{ "A" }} {{ {{ {quoted} }} }}\n{payoffs}'))
        from_efg = gb.load_game(written(tmp_path, efg, "g.efg"))
        assert list(from_nfg.labels.actions) == list(from_efg.labels.actions) == distinct


CONFORMING = """EFG 2 D "" { "A" "B" }
"a comment
of two lines"
c "deal" 3 "" { "" 0.333333 "" .333333 "never" 0 "last" 0.333334 } 2 "ante" { -1, -1 }
p "" 1 5 "hand" { "only" } 0
p "" 2 8 "" { "x" "y" } 0
t "" 1 "" { 1/2 -0.5 }
t "end" 4 { 1e1, -1E1 }
t 0
p "" 1 6 { "only" } 0
t 1
t "" 4 ""
"""


def test_optional_parts_and_other_spellings_of_files(tmp_path):
    game = gb.load_game(written(tmp_path, CONFORMING, "game.efg"))
    assert game.sequence_form.payoffs.T.tolist() == [[-0.5, -1.5], [9, -11], [-1, -1], [-0.5, -1.5], [9, -11]]
    assert game.sequence_form.chance.sum() == pytest.approx(4 / 3, abs=1e-5)  # the first deal has two ends
    assert [point.actions for point in game.decision_points] == [("only",), ("only",), ("x", "y")]
