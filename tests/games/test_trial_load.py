"""Parameters with which OpenSpiel crashes, or takes too much time or memory."""

import pytest

import gamebench as gb
from gamebench.games.loading import openspiel, trial_load


def test_crashes_end_only_the_process_of_the_trial():
    for text, what in {
        "hanabi(players=1)": r"ends the process that plays it \(SIG",
        "breakthrough(rows=2147483647)": "takes more than 2 GiB of memory",
    }.items():
        said = f"^OpenSpiel cannot load the game .* it {what}.*; choose other parameters"
        with pytest.raises(gb.errors.GameError, match=said):
            gb.load_game(text)


def test_unusual_numbers_are_tried_first(monkeypatch):
    tried, unusual = [], ["misere(game=connect_four(rows=0))", "hanabi(players=1)", "pig(winscore=100000)"]
    monkeypatch.setattr(openspiel, "try_in_a_process", tried.append)
    monkeypatch.setattr("pyspiel.load_game", str)
    for text in unusual:
        openspiel._load_string(text)
    assert tried == unusual


def test_negative_numbers_and_games_without_players_are_refused():
    with pytest.raises(gb.errors.GameError, match=r"^'num_cards' of the game 'goofspiel' cannot be negative"):
        gb.load_game("repeated_game(stage_game=goofspiel(num_cards=-1),num_repetitions=2)")
    with pytest.raises(gb.errors.GameError, match=r"^The game 'quoridor' cannot be played without players"):
        gb.load_game("quoridor(players=0)")
    assert gb.load_game("goofspiel(num_turns=-1,num_cards=2)").num_players == 2


def test_unusual_but_sound_parameters_pass_the_trial():
    assert gb.load_game("deep_sea(size=2,seed=12345)").num_decision_points == 3
    assert gb.load_game("mnk(k=0)").num_decision_points == 1


def test_usual_parameters_need_no_trial(monkeypatch):
    def forbidden(text):
        raise AssertionError(text)

    monkeypatch.setattr(openspiel, "try_in_a_process", forbidden)
    for text in ("kuhn_poker(players=3)", "goofspiel(num_cards=3,num_turns=-1)", "leduc_poker(players=2)", "catch"):
        openspiel.original_game(gb.games.game.Source("open_spiel", text))


def test_a_text_that_no_process_takes_is_left_to_openspiel():
    trial_load.try_in_a_process("kuhn_poker(players=\0)")
