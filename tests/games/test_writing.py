"""Games written as Gambit files are read back as the same games."""

import math
import pickle
import re
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pyspiel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamebench as gb
from gamebench.games.formats import writing
from gamebench.games.formats.writing import in_digits, label, probabilities, quoted, rational
from tests.helpers import game_of, refuses
from tests.oracles import random_games

TITLES = ["plain", 'with "quotes"', "a \\ backslash \\", "ünïcode 博弈", " tabs\tand\nlines  ", "\x00control\ud800", ""]


def again(game, path):
    gb.save_game(game, path)
    return gb.load_game(path)


def check_same(game, same):
    """The same decision points, payoffs and chances; so all policies have the same values and gaps."""
    assert same.sequence_form.player_blocks.tolist() == game.sequence_form.player_blocks.tolist()
    assert same.sequence_form.first_sequences.tolist() == game.sequence_form.first_sequences.tolist()
    assert same.sequence_form.parent_sequences.tolist() == game.sequence_form.parent_sequences.tolist()
    assert (same.num_histories, same.num_terminals) == (game.num_histories, game.num_terminals)
    policy = gb.random_policy(game, seed=1)
    theirs = gb.Policy(same, policy.probabilities)
    assert gb.expected_values(same, theirs) == pytest.approx(gb.expected_values(game, policy), abs=1e-12)
    if game.focus is None:
        assert same.sequence_form.last_sequences.tolist() == game.sequence_form.last_sequences.tolist()
        assert same.sequence_form.payoffs.tolist() == game.sequence_form.payoffs.tolist()  # to the last bit
        assert same.sequence_form.chance == pytest.approx(game.sequence_form.chance, abs=1e-15)


def test_games_of_the_paper(tmp_path):
    for name in gb.catalogue.PAPER_GAMES:
        game = gb.load_game(name)
        same = again(game, tmp_path / "game.efg")
        check_same(game, same)
        assert same.labels.actions == game.labels.actions
        # Files do not contain teams or a declared category.
        assert same.category == replace(game, teams=(), declared_category=None).category
        if game.has_teams:
            assert gb.with_teams(same, game.teams).sequence_form.payoffs.tolist() == game.sequence_form.payoffs.tolist()


def test_other_kinds_of_games(tmp_path):
    """Written in Python, simultaneous, and without information states of their own."""
    repeated = "repeated_game(stage_game=matrix_pd(),num_repetitions=2)"
    for name in ("python_kuhn_poker", "matrix_rps", repeated, "catch(rows=3,columns=2)"):
        check_same(gb.load_game(name), again(gb.load_game(name), tmp_path / "game.efg"))


@given(text=random_games.efg_games())
@settings(max_examples=15)
def test_random_games(tmp_path_factory, text):
    check_same(game_of(text), again(game_of(text), tmp_path_factory.mktemp("random") / "game.efg"))


def test_game_objects_and_payoff_arrays(tmp_path):
    object_ = pyspiel.create_matrix_game([[1, 0], [0, 1 / 3]], [[0.1, 1], [1, 0]])
    for game in (gb.load_game(object_), gb.Game.from_payoffs(np.arange(24.0).reshape(2, 2, 2, 3) / 7)):
        for name in ("game.efg", "game.nfg"):
            check_same(game, again(game, tmp_path / name))
    alone = gb.Game.from_payoffs([[1.5], [2.0]])
    check_same(alone, again(alone, tmp_path / "alone.efg"))


def test_focal_players_and_units(tmp_path):
    full = gb.load_game("kuhn_poker", payoff_scale=1 / 3)
    check_same(full, again(full, tmp_path / "scaled.efg"))
    pure = gb.best_response(full, gb.uniform_policy(full), 0).policy
    for others in (gb.random_policy(full), pure):  # with chances that do not sum to 1, and with some that are 0
        game = gb.with_focal(full, 1, others)
        same = again(game, tmp_path / "focal.efg")
        check_same(game, same)
        assert gb.optimal_value(same) == pytest.approx(gb.optimal_value(game), abs=1e-12)


def test_fractions_are_exact(tmp_path):
    gb.save_game("kuhn_poker", tmp_path / "kuhn.efg")
    lines = (tmp_path / "kuhn.efg").read_text().splitlines()
    assert lines[:6] == [
        'EFG 2 R "kuhn_poker" { "player 0" "player 1" }',
        '"Written by GameBench"',
        "",
        'c "" 1 "" { "Deal:0" 1/3 "Deal:1" 1/3 "Deal:2" 1/3 } 0',
        'c "" 2 "" { "Deal:1" 1/2 "Deal:2" 1/2 } 0',
        'p "" 1 1 "0" { "Pass" "Bet" } 0',
    ]
    assert lines[7] == 't "" 1 "" { -1, 1 }'
    assert not [line for line in lines if "." in line]


def test_the_title_and_the_comment_of_a_file_are_kept(tmp_path):
    head = 'R "A \\"title\\"" { "A" "B" }'
    tree = 'p "" 1 1 "a" { "L" } 0\np "" 2 1 "b" { "l" } 0\nt "end" 1 "Outcome" { 1 2 }\n'
    files = {
        "efg": f'EFG 2 {head} "and\na comment"\n{tree}',
        "nfg": f'NFG 1 {head} {{ {{ "L" }} {{ "l" }} }} "and\na comment"\n1 2\n',
    }
    for suffix, text in files.items():
        (tmp_path / f"game.{suffix}").write_text(text)
        game = gb.load_game(tmp_path / f"game.{suffix}")
        assert (game.name, game.source.title) == (f"game.{suffix}", 'A "title"')
        scaled = pickle.loads(pickle.dumps(gb.load_game(tmp_path / f"game.{suffix}", payoff_scale=2)))
        for written in files:
            same = again(scaled, tmp_path / f"again.{written}")
            assert (same.source.title, same.source.comment) == ('A "title"', "and a comment")


def test_a_game_is_not_written_over_the_file_that_names_it(tmp_path):
    file = tmp_path / "kuhn.efg"
    gb.save_game("kuhn_poker", file)
    before = file.read_text()
    for name in (file, str(file)):
        with pytest.raises(gb.errors.GameFileError, match="is the file that the game is read from"):
            gb.save_game(name, tmp_path / "." / "kuhn.efg")
    gb.save_game(gb.load_game(file), file)  # a loaded game may overwrite its file
    assert file.read_text() == before


@settings(max_examples=50)
@given(st.floats(allow_nan=False, allow_infinity=False) | st.fractions(max_denominator=1000).map(float))
def test_numbers_keep_every_bit(number):
    text = in_digits(rational(number))
    assert re.fullmatch(r"-?\d+(/\d+|\.\d+)?", text)
    assert Fraction(text).numerator / Fraction(text).denominator == number


def test_how_numbers_are_written():
    for text in ("1/6", "-2/3", "0.1", "5/2", "3", "0", "0.30000000000000004", "0.0000001", "1/999983"):
        assert in_digits(rational(float(Fraction(text)))) == text
    assert in_digits(rational(1e20)) == "100000000000000000000"
    assert in_digits(rational(math.pi)) == "3.141592653589793"


@settings(max_examples=50)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=6).filter(lambda weights: sum(weights) > 1e-3))
def test_chances_sum_to_one(weights):
    chances = tuple(weight / math.fsum(weights) for weight in weights)
    exact = probabilities(chances)
    assert sum(exact) == 1
    assert min(exact) >= 0
    assert [float(chance) for chance in exact] == pytest.approx(chances, abs=1e-15)


def test_chances_that_do_not_sum_to_one_are_refused():
    with pytest.raises(gb.errors.GameError, match=r"sum to 0\.9, not to 1"):
        probabilities((0.5, 0.4))


def test_names(tmp_path):
    for title, file in product(TITLES, ("game.efg", "game.nfg")):
        names, actions = [title, "Böb"], [[title or "x", "other"], ["\\λ", 'a "b" c']]
        game = gb.Game.from_payoffs(np.eye(2)[..., None] * [1, 2], title, actions, names)
        assert game.player_names == tuple(names)
        same = again(game, tmp_path / file)
        check_same(game, same)
        shown = label(title).removesuffix("\\") or "(1)"
        assert same.player_names[1] == "Böb"
        assert same.player_name(0).rstrip("/") == (shown if title else "player 0")
        inner = "'" if file == "game.efg" else '"'  # OpenSpiel's reader does not allow quotation marks within names
        assert same.decision_points[1].actions == ("\\λ", f"a {inner}b{inner} c")


@given(st.text(), st.text())
@settings(max_examples=30)
def test_names_are_read_as_they_were_written(first, second):
    from gamebench.games.formats.gambit import _Reader

    names = [label(first), label(second)]
    read = [word.text for word in _Reader(" ".join(map(quoted, names))).words]
    assert read == [re.sub(r'\\(?="|$)', "/", name) for name in names]


def test_derived_games_keep_names(tmp_path):
    payoffs = np.arange(24.0).reshape(2, 2, 2, 3)
    game = gb.Game.from_payoffs(payoffs, players=["Ann", "Bob", ""])
    assert [game.player_name(player) for player in range(3)] == ["Ann", "Bob", "player 2"]
    teams = gb.with_teams(game, [[0, 2], [1]])
    assert teams.player_names == gb.with_payoff_scale(game, 2).player_names == ("Ann", "Bob", "")
    assert gb.with_focal(game, 1).player_name(0) == "Bob"
    assert gb.with_coordination(teams).player_names == ("Ann and player 2", "Bob")
    assert gb.with_coordination(gb.with_teams(gb.Game.from_payoffs(payoffs), [[0, 2], [1]])).player_names == ()
    plain = gb.Game.from_payoffs(payoffs)
    assert plain.fingerprint == game.fingerprint
    assert plain.player_name(0) == "player 0"
    for wrong in (["Ann"], "abc", [1, 2, 3]):
        with pytest.raises(gb.errors.GameError, match="The names of the players must be 3 strings"):
            gb.Game.from_payoffs(payoffs, players=wrong)


def test_normal_form_of_a_game_with_chance(tmp_path):
    """Payoffs are expected values; the strategy of a player who is not reached changes nothing."""
    text = """EFG 2 R "entry" { "A" "B" }
c "" 1 "" { "high" 1/4 "low" 3/4 } 0
t "" 1 "" { 4 8 }
p "" 1 1 "" { "out" "in" } 0
t "" 2 "" { 0 2 }
p "" 2 1 "" { "share" "fight" } 0
t "" 3 "" { 1 1 }
t "" 4 "" { -1 -1 }
"""
    same = again(game_of(text), tmp_path / "entry.nfg")
    assert same.source.payoffs.tolist() == [[[1, 3.5], [1, 3.5]], [[1.75, 2.75], [0.25, 1.25]]]


def test_expected_payoffs_are_exact(tmp_path):
    """In floats, 1/3 * 1/3 * 5 + ... is 4.999999999999999."""
    dice = 'c "" 1 "" { "a" 1/3 "b" 2/3 } 0\n'
    duel = """p "" 1 1 "" { "up" "down" } 0
p "" 2 1 "" { "left" "right" } 0
t "" 1 "" { 5 7/3 }
t "" 2 "" { 5/3 0.1 }
p "" 2 1 "" { "left" "right" } 0
t "" 3 "" { -5/7 1 }
t "" 4 "" { 1 1/3 }
"""
    gb.save_game(game_of('EFG 2 R "dice" { "A" "B" }\n' + dice + (dice + duel + duel) * 2), tmp_path / "dice.nfg")
    assert (tmp_path / "dice.nfg").read_text().splitlines()[4:] == ["5 7/3", "-5/7 1", "5/3 0.1", "1 1/3"]


def test_information_states_of_files_are_kept(tmp_path):
    """Even without a name, with a name that looks like one of OpenSpiel's, or with numbers out of order."""
    text = """EFG 2 R "names" { "A" "B" }
p "" 1 7 "" { "l" "r" } 0
p "" 2 2 "1-1-2-x" { "l" "r" } 0
p "" 1 3 "same" { "l" "r" } 0
t "" 1 "" { 1 2 }
t "" 2 "" { 2 1 }
t "" 3 "" { 0 0 }
p "" 2 1 "same" { "l" "r" } 0
p "" 1 5 "same" { "l" "r" } 0
t "" 4 "" { 1 2 }
t "" 5 "" { 2 1 }
t "" 6 "" { 0 0 }
"""
    (tmp_path / "names.efg").write_text(text)
    game = gb.load_game(tmp_path / "names.efg")
    once = again(game, tmp_path / "once.efg")
    check_same(game, once)
    assert once.labels.information_states == game.labels.information_states
    kuhn = again(gb.load_game("kuhn_poker"), tmp_path / "kuhn.efg")
    assert again(kuhn, tmp_path / "again.efg").labels == kuhn.labels
    assert again(gb.with_focal(kuhn, 1), tmp_path / "focal.efg").labels.information_states[0] == "0-0-1-1p"


UNWRITABLE = [
    ("kuhn_poker", "game.nfg", "'kuhn_poker' is not in normal form, which a .nfg file needs; write it to an .efg file"),
    ("MCCKuhn-A [coordinated]", "game.efg", "a game between coordinators, whose beliefs form a graph"),
    ("kuhn_poker", "game.txt", r"end in \.efg or \.nfg; got '.*game\.txt'"),
    ("kuhn_poker", "missing/game.efg", "The game cannot be written to .*: No such file or directory"),
]


def test_what_cannot_be_written(tmp_path):
    for game, file, complaint in UNWRITABLE:
        with pytest.raises(gb.errors.GameError, match=complaint):
            gb.save_game(game, tmp_path / file)
        assert not list(tmp_path.iterdir())
    kuhn = gb.load_game("kuhn_poker")
    for path in (None, 3, b"kuhn.efg", ["kuhn.efg"], kuhn):
        refuses(gb.errors.GameFileError, "end in .efg or .nfg; got ", gb.save_game, kuhn, path)
    refuses(
        gb.errors.GameError, "is given by its name, .* not by Policy", gb.save_game, gb.uniform_policy(kuhn), "k.efg"
    )


def test_the_budget(tmp_path):
    with pytest.raises(
        gb.errors.GameTooLargeError, match="'kuhn_poker' has 58 histories, more than the 57 allowed in a file"
    ):
        gb.save_game("kuhn_poker", tmp_path / "game.efg", max_histories=57)
    gb.save_game("kuhn_poker", tmp_path / "game.efg", max_histories=58)
    with pytest.raises(gb.errors.GameError, match="max_histories must be a whole number of at least 1, not 0"):
        gb.save_game("kuhn_poker", tmp_path / "game.efg", max_histories=0)


def test_arrays_of_another_game_are_noticed(tmp_path):
    game = gb.load_game("kuhn_poker")
    chance = np.array(game.sequence_form.chance)
    chance[0] *= 2
    labels = replace(game.labels, information_states=tuple("abcdefghijkl"))
    for other in (
        replace(game, sequence_form=game.sequence_form._replace(chance=chance)),
        replace(game, labels=labels),
    ):
        with pytest.raises(gb.errors.GameError, match="The tree of 'kuhn_poker' does not match its arrays"):
            gb.save_game(other, tmp_path / "game.efg")
    payoffs = np.array(game.sequence_form.payoffs)
    payoffs[:, 3] = 1 / 3
    dearer = replace(game, sequence_form=game.sequence_form._replace(payoffs=payoffs))
    check_same(dearer, again(dearer, tmp_path / "game.efg"))


def test_progress_is_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "LOOK_EVERY", 20)
    game, shown = gb.load_game("kuhn_poker"), []
    writing.efg_text(game, 100, lambda done, total: shown.append((done, total)))
    assert shown == [(20, 58), (40, 58)]
