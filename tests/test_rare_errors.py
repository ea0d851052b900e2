"""Rare errors: one sentence explains each of them, and nothing is left half done."""

import dataclasses
import sys

import numpy as np
import pytest

import gamebench as gb
from gamebench.algorithms.state_files import load_state
from gamebench.cli import main as command_line
from gamebench.cli.commands import doctor as doctor_command
from gamebench.cli.output import explain
from gamebench.experiments import provenance, tensorboard
from gamebench.report.figures import save_figure
from gamebench.runs.curve import Curve
from gamebench.system.files import is_locked, save_arrays
from tests.helpers import refuses


def test_too_large_an_epsilon_for_so_many_actions():
    game = gb.Game.from_payoffs(np.zeros((200, 2)).reshape(200, 1, 2))
    with pytest.raises(gb.errors.SettingError, match=r"^epsilon is 0\.01, too large for the number of actions in"):
        gb.solve(game, "MD", 1, epsilon=0.01)


def test_candidates_of_the_wrong_shape():
    game = gb.load_game("Kuhn")
    algorithm = gb.algorithms.GMD(history=2).configured(game, 1)
    state = algorithm.start(game, 0)
    for wrong in (np.ones(3), np.ones((2, 2)), np.ones((1, 3, 1))):
        with pytest.raises(
            gb.errors.SettingError, match=r"^Candidates are rows of 3 weights, not an array of shape \("
        ):
            algorithm.look_ahead(game, state, wrong)


def test_a_state_with_an_array_of_another_shape(tmp_path):
    game, path = gb.load_game("Kuhn"), tmp_path / "state.npz"
    result = gb.solve(game, gb.algorithms.GMD(history=2), 3)
    result.state.duals = result.state.duals[:, :2]
    result.save_state(path)
    with pytest.raises(
        gb.errors.StateError, match=r"its array 'duals' has shape \(\d+, 2\) .* instead of shape \(\d+, 3\) "
    ):
        load_state(path, game, result.algorithm)


def test_points_of_a_curve_have_the_same_columns():
    curve = Curve()
    curve.add({"iteration": 0, "NashConv": 1.0})
    complaint = r"^All points of a curve have the same columns: iteration, NashConv\.$"
    refuses(gb.errors.GameBenchError, complaint, curve.add, {"iteration": 1})
    assert curve.num_points == 1


def test_policies_are_read_by_points_of_their_own_game():
    kuhn, leduc = gb.load_game("Kuhn"), gb.load_game("Leduc")
    policy = gb.uniform_policy(kuhn)
    assert repr(policy) == f"Policy('Kuhn', {kuhn.num_decision_points} decision points)"
    with pytest.raises(gb.errors.PolicyError, match=r"^The decision point at .* does not belong to 'Kuhn'\.$"):
        policy[leduc.decision_points[0]]
    assert gb.Mixture([policy]).game is kuhn


def test_a_file_that_is_no_policy(tmp_path):
    path = tmp_path / "policy.npz"
    save_arrays(path, {"format": "of another time"}, {"probabilities": np.ones(2)})
    refuses(gb.errors.PolicyError, r"is not a policy file in the format", gb.Policy.load, path, gb.load_game("Kuhn"))


def test_a_single_measure_needs_no_list():
    alone, in_a_list = (gb.solve("Kuhn-A", "MD", 2, measures=one).curve for one in ("SocialWelfare", ["SocialWelfare"]))
    assert list(alone) == list(in_a_list)
    assert (alone["SocialWelfare"] == in_a_list["SocialWelfare"]).all()


def test_names_that_do_not_match_the_arrays():
    game = gb.load_game("Kuhn")
    labels = dataclasses.replace(game.labels, actions=game.labels.actions[1:])
    complaint = r"^The labels do not match the arrays: each decision point and each action"
    refuses(gb.errors.GameBenchError, complaint, dataclasses.replace, game, labels=labels)


def test_a_file_of_a_game_without_strategies(tmp_path):
    path = tmp_path / "empty.nfg"
    path.write_text('NFG 1 R "empty" { "a" "b" } { { } { "x" "y" } }\n\n')
    refuses(gb.errors.GameBenchError, "a player has no strategies", gb.load_game, str(path))


def test_nobody_holds_the_lock(tmp_path):
    assert not is_locked(tmp_path / "lock")
    (tmp_path / "lock").touch()
    assert not is_locked(tmp_path / "lock")


def test_a_package_that_is_missing(monkeypatch):
    assert provenance.installed("gamebench of tomorrow") is None
    monkeypatch.setattr(tensorboard, "find_spec", lambda name: None)
    refuses(gb.errors.GameBenchError, r"^TensorBoard files need tensorboardX: pip install", tensorboard.check_installed)


def test_a_figure_where_nothing_can_be_written(tmp_path):
    from matplotlib.figure import Figure

    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(
        gb.errors.GameBenchError, match=r"^The figure cannot be written to .*file.*: Not a directory\.$"
    ):
        save_figure(Figure(), tmp_path / "file" / "figure.png")


def test_a_check_that_fails_is_what_the_doctor_says(monkeypatch):
    def fails():
        raise ValueError("it hurts")

    monkeypatch.setattr(doctor_command, "CHECKS", {"knee": fails, "folders": doctor_command._folders})
    monkeypatch.setattr("gamebench.kernels.compiling.FOLDER", None)
    monkeypatch.setenv("GAMEBENCH_CACHE", "off")
    checks = list(doctor_command.examine())
    assert (checks[0]["check"], checks[0]["found"]) == ("knee", "")
    assert "it hurts" in checks[0]["wrong"]
    assert [check["found"] for check in checks[1:]] == [
        *("games: not cached, so rebuilt in every process", "machine code: not cached, so rebuilt in every process"),
    ]
    assert not any(check["wrong"] for check in checks[1:])


def test_a_fault_of_the_package_is_owned(capsys):
    assert explain(ZeroDivisionError("oh")) == 1
    assert capsys.readouterr().err.endswith(" This is a bug in GameBench; --debug shows where.\n")


def test_streams_that_are_closed(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    command_line._open_streams()
    print("nobody hears it")
    sys.stdout.close()


HUGE = 10**5000


def test_numbers_and_texts_that_are_too_long_to_be_repeated(tmp_path, monkeypatch):
    """Python refuses to convert a number of five thousand digits to a string."""
    monkeypatch.chdir(tmp_path)
    for wrong in [
        lambda: gb.solve("Kuhn", "CMD", HUGE),
        lambda: gb.solve("Kuhn", "CMD", 2**63),
        lambda: gb.solve("Kuhn", "CMD", 1, seed=-HUGE),
        lambda: gb.solve("Kuhn", "CMD", 1, checkpoints=-HUGE),
        lambda: gb.solve("Kuhn", "CMD", 1, checkpoints=[-HUGE]),
        lambda: gb.algorithms.CMD(history=HUGE),
        lambda: gb.algorithms.CMD(radius=HUGE),
        lambda: gb.algorithms.CMD(radius_range=(1, HUGE)),
        lambda: gb.load_game("kuhn_poker", teams=[[0, HUGE]]),
        lambda: gb.load_game("kuhn_poker", focal=HUGE),
        lambda: gb.load_game("kuhn_poker", max_histories=-HUGE),
        lambda: gb.load_game("x" * 1_000_000),
        lambda: gb.load_game("x" * 9_000),
        lambda: gb.random_policy(gb.load_game("Kuhn"), -HUGE),
        lambda: gb.uniform_policy(gb.load_game("Kuhn"))[HUGE],
        lambda: gb.sweep({"games": "Kuhn", "algorithms": "CMD", "iterations": HUGE}, "nowhere"),
        lambda: gb.sweep({"games": "Kuhn", "algorithms": "CMD", "seeds": HUGE}, "nowhere"),
        lambda: gb.sweep({"games": "Kuhn", "algorithms": {"algorithm": "CMD", "set": {"radius": HUGE}}}, "nowhere"),
        lambda: gb.sweep({"games": "Kuhn", "algorithms": {"algorithm": "CMD", "set": {"convex": "\ud800"}}}, "nowhere"),
        lambda: gb.sweep({"games": "Kuhn", "algorithms": {"algorithm": "CMD", "set": {"\ud800": 1}}}, "nowhere"),
        lambda: gb.sweep({"games": "Kuhn", "algorithms": "CMD", "\ud800": 1}, "nowhere"),
        lambda: gb.sweep({"games": "Kuhn", "algorithms": "CMD"}, "nowhere", workers=-HUGE),
        lambda: gb.sweep("x" * 1_000_000, "nowhere"),
        lambda: gb.sweep("x" * 1_000_000 + ".yaml", "nowhere"),
    ]:
        with pytest.raises(gb.errors.GameBenchError) as error:
            wrong()
        assert len(str(error.value)) < 600
        assert "\n" not in str(error.value)
    assert not list(tmp_path.iterdir())
