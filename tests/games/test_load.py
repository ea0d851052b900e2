"""Loading games: what is accepted, and an error of one clear sentence for everything else."""

import warnings

import numpy as np
import pyspiel
import pytest

import gamebench as gb
from gamebench.games.loading import load


def refused(capfd, expected, *args, match, **kwargs):
    with pytest.raises(expected, match=match) as caught:
        gb.load_game(*args, **kwargs)
    message = str(caught.value)
    assert "\n" not in message.replace("\\n", "")
    assert len(message) < 400
    assert message.endswith((".", "?"))
    assert capfd.readouterr().err == ""  # OpenSpiel prints its own exceptions; a user sees one sentence
    return message


def test_unknown_names_suggest_the_nearest(capfd):
    refused(capfd, gb.errors.UnknownNameError, "Kuhn-C", match="did you mean 'Kuhn' or 'Kuhn-B' or 'Kuhn-A'")
    refused(capfd, gb.errors.UnknownNameError, "leduc_pokr(players=2)", match="'leduc_poker'")
    refused(capfd, gb.errors.UnknownNameError, "rps", match="'matrix_rps'")
    refused(capfd, gb.errors.UnknownNameError, "KUHN_POKER", match="'kuhn_poker'")
    refused(capfd, gb.errors.UnknownNameError, "qqqqq", match="available: Kuhn-A, Kuhn-B")
    refused(capfd, gb.errors.UnknownNameError, "python_kuhn_pokr", match="'python_kuhn_poker'")
    refused(capfd, gb.errors.UnknownNameError, "", match="There is no game called ''")


def test_malformed_strings(capfd):
    for parameters in ("(players=2", "(players=3)x", "(players=abc)", "(player=2)", "(players=99)"):
        complaint = "OpenSpiel cannot load the game|does not end with the bracket"
        refused(capfd, gb.errors.GameError, f"leduc_poker{parameters}", match=complaint)


def test_wrong_types(capfd):
    refused(capfd, gb.errors.GameError, 3, match="not by int")
    refused(capfd, gb.errors.GameError, gb.load_game("Kuhn"), match="'Kuhn' is already loaded; with_teams()")
    refused(capfd, gb.errors.GameError, (np.eye(2), np.eye(2)), match="a file or an array of payoffs, not by tuple")
    refused(capfd, gb.errors.GameError, "Kuhn", max_histories=0, match="must be a whole number of at least 1")
    refused(capfd, gb.errors.GameError, "Kuhn", max_histories=1e6, match="must be a whole number of at least 1")


def test_games_that_cannot_become_arrays(capfd):
    refused(capfd, gb.errors.GameTooLargeError, "pig()", match="more than half of the free memory")
    refused(capfd, gb.errors.ImperfectRecallError, "liars_dice_ir", match="lacks perfect recall")
    refused(capfd, gb.errors.GameError, "mfg_crowd_modelling", match="mean-field")
    refused(capfd, gb.errors.GameError, "negotiation", match="samples its chance events")
    refused(capfd, gb.errors.GameError, "crossword()", match="OpenSpiel failed while 'crossword")


def test_teams_that_are_no_partition(capfd):
    for teams, complaint in [
        ([[0, 1], [1, 2]], "player 1 more than once"),
        ([[0, 1]], "leave out player 2"),
        ([[0, 1], [2, 3]], "player 3, which 'Kuhn' does not have"),
        ([[0, 1, 2], []], "no members"),
        ([[-1, 0, 1, 2]], "player -1"),
    ]:
        refused(capfd, gb.errors.TeamsError, "Kuhn", teams=teams, match=complaint)
    for wrong in ([0, 1, 2], [[0.5, 1.9], [2]], ["01", "2"], [[True, 0], [2]], "01/2", [["a"], [0, 1, 2]]):
        refused(capfd, gb.errors.TeamsError, "Kuhn", teams=wrong, match="lists of player numbers")


def test_focal_players_that_are_not_there(capfd):
    for focal in (3, -1, 0.5, True, "0"):
        complaint = f"'Kuhn' must be a whole number from 0 to 2, not {focal!r}"
        refused(capfd, gb.errors.FocalError, "Kuhn", focal=focal, match=complaint)


def test_transforms_on_top_of_transforms(capfd):
    refused(capfd, gb.errors.FocalError, "Kuhn-A", focal=0, match="already has a focal player")
    refused(capfd, gb.errors.TeamsError, "MCCKuhn-A", teams=[[0], [1, 2]], match="already")
    refused(capfd, gb.errors.TeamsError, "Kuhn-A", teams=[[0]], match="already")
    refused(capfd, gb.errors.FocalError, "Kuhn", others=gb.uniform_policy(gb.load_game("Kuhn")), match="needs focal=")


def test_coordinators(capfd):
    game = gb.load_game("kuhn_poker(players=3)", teams=[[0, 1], [2]], coordinated=True)
    assert game.name == "kuhn_poker(players=3) [teams 0,1/2] [coordinated]"
    assert game.fingerprint == gb.load_game("mcckuhn-a", coordinated=True).fingerprint
    assert gb.load_game("MCCKuhn-A", coordinated=False).coordination is None
    refused(
        capfd, gb.errors.TeamsError, "Kuhn", coordinated=True, match="no team of several players who could coordinate"
    )
    refused(capfd, gb.errors.TeamsError, "Kuhn-A", coordinated=True, match="has a focal player, so nobody is left")
    focal = {"teams": [[0, 1], [2]], "focal": 0, "coordinated": True}
    refused(
        capfd,
        gb.errors.FocalError,
        "Kuhn",
        **focal,
        match="singles out a player, but with coordinated= the players are",
    )


def test_the_budget_of_coordinators(capfd):
    refused(
        capfd,
        gb.errors.TeamsError,
        "MCCKuhn-A",
        max_beliefs=10,
        match="the budget of coordinators, so it needs coordinated=",
    )
    small = {"coordinated": True, "max_beliefs": 100}
    message = refused(capfd, gb.errors.GameTooLargeError, "MCCKuhn-A", **small, match="raise max_beliefs=")
    assert "10" in message
    large = {"teams": [[0, 1], [2, 3]], "coordinated": True, "max_beliefs": 2000}
    refused(
        capfd,
        gb.errors.GameTooLargeError,
        "kuhn_poker(players=4)",
        **large,
        match=r"\(2,0\d\d beliefs were found after expanding",
    )
    assert gb.load_game("MCCKuhn-A", coordinated=True, max_beliefs=846).num_players == 2


def test_a_registered_game_may_be_one_of_coordinators(own_names):
    @gb.register_game
    def coordinated_kuhn():
        return gb.load_game("MCCKuhn-B", coordinated=True)

    game = gb.load_game("coordinated_kuhn")
    assert game.name == "coordinated_kuhn"
    assert game.fingerprint == gb.load_game("MCCKuhn-B", coordinated=True).fingerprint
    assert gb.random_policy(game, 1).sample_plan(0).game.name == "MCCKuhn-B"


def test_the_size_budget(capfd, empty_cache):
    refused(
        capfd, gb.errors.GameTooLargeError, "chess()", match=r"more than 1e\+15 histories.*TB of memory, more than half"
    )
    about = r"about \d(\.\d)?e\+08 histories.*5,000,000"
    refused(capfd, gb.errors.GameTooLargeError, "leduc_poker(players=4)", max_histories=5_000_000, match=about)
    refused(
        capfd,
        gb.errors.GameTooLargeError,
        "Leduc",
        max_histories=9456,
        match=r"about (9\.\d|1)e\+0[34].*budget of 9,456",
    )
    assert not empty_cache.exists()
    assert gb.load_game("Leduc", max_histories=9457).num_histories == 9457


@pytest.mark.slow
def test_every_game_of_open_spiel_loads_or_says_why(monkeypatch, capfd):
    """Each registered game loads, or is refused in one sentence, within a short time."""
    monkeypatch.setenv("GAMEBENCH_CACHE", "off")
    monkeypatch.setattr(
        "gamebench.games.loading.budget.ROUGH_PROBES", 1
    )  # the sizes of those that are too large do not matter
    loaded, complaints = 0, []
    for name in pyspiel.registered_names():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of the games' own code
                game = gb.load_game(f"{name}()", max_histories=2000)
        except gb.errors.GameBenchError as error:
            complaints.append(str(error))
        else:
            loaded += 1
            assert gb.evaluate(game, gb.uniform_policy(game), "NashConv") >= -1e-12
    assert all("\n" not in complaint and len(complaint) < 500 for complaint in complaints)
    assert loaded >= 15


def test_progress_is_reported_with_an_estimate(monkeypatch):
    seen = []

    class Recorder:
        def __init__(self, what):
            seen.append(what)

        def __enter__(self):
            return lambda done, expected: seen.append((done, expected))

        def __exit__(self, *_):
            return None

    monkeypatch.setenv("GAMEBENCH_CACHE", "off")
    monkeypatch.setattr(load, "progress_bar", Recorder)
    game = gb.load_game("liars_dice(numdice=1,dice_sides=5)")
    title, *reports = seen
    assert title == "Walking liars_dice(numdice=1,dice_sides=5)"
    assert [done for done, _ in reports] == sorted(done for done, _ in reports)
    assert len(reports) >= 2
    assert all(1 / 3 < expected / game.num_histories < 3 for _, expected in reports)


def test_open_spiel_s_own_game_objects_are_welcome():
    assert gb.load_game(pyspiel.load_game("kuhn_poker(players=3)")).fingerprint == gb.load_game("Kuhn").fingerprint
    matrix = gb.load_game(pyspiel.load_game("matrix_rps"))
    assert (matrix.category, matrix.num_sequences) == ("zero-sum", 6)


def test_payoffs_are_a_game_wherever_one_is_taken(capfd):
    rng = np.random.default_rng(0)
    payoffs = rng.normal(size=(2, 3, 2, 3))
    named = gb.Game.from_payoffs(payoffs)
    assert gb.load_game(payoffs.tolist()).fingerprint == gb.load_game(payoffs).fingerprint == named.fingerprint
    policy = gb.solve(payoffs, "CFR+", 10).policy
    assert gb.evaluate(payoffs.tolist(), policy) == gb.evaluate(named, policy)
    teams = gb.load_game(payoffs, teams=[[0, 1], [2]], payoff_scale=2)
    assert teams.fingerprint == gb.with_payoff_scale(gb.with_teams(named, [[0, 1], [2]]), 2).fingerprint
    others = gb.random_policy(named, 1)
    focal = gb.load_game(payoffs, focal=1, others=others)
    assert focal.fingerprint == gb.with_focal(named, 1, others).fingerprint
    assert gb.load_game(payoffs, teams=[[0, 1], [2]], coordinated=True).num_players == 2
    refused(capfd, gb.errors.GameTooLargeError, payoffs, max_histories=5, match="'payoffs' has about 21 histories")
    refused(
        capfd, gb.errors.GameError, np.eye(2), match=r"one axis per player and a last one of length N; got \(2, 2\)"
    )
    refused(capfd, gb.errors.GameError, ["kuhn_poker"], match="The payoffs must be an array of numbers of shape")
    refused(capfd, gb.errors.TeamsError, payoffs, teams=[[0], [1]], match="teams")
