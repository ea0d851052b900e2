"""``gamebench check``: games by name, and games of plug-ins that are registered with OpenSpiel."""

import pytest

from gamebench.core import plugins
from gamebench.testing import checks_of_own, checks_of_plugin
from tests.cli.commands import assert_one_sentence, done, gamebench

GAME = """
import pyspiel

TYPE = pyspiel.GameType(
    "{name}", "One choice", pyspiel.GameType.Dynamics.SEQUENTIAL, pyspiel.GameType.ChanceMode.DETERMINISTIC,
    pyspiel.GameType.Information.PERFECT_INFORMATION, pyspiel.GameType.Utility.GENERAL_SUM,
    pyspiel.GameType.RewardModel.TERMINAL, 1, 1, True, False, False, False, dict(moves=3),
)

class OneChoice(pyspiel.Game):
    def __init__(self, params=None):
        self.moves = int((params or dict()).get("moves", 3))
        super().__init__(TYPE, pyspiel.GameInfo(self.moves, 0, 1, 0.0, 9.0, None, 1), params or dict())

    def new_initial_state(self):
        return Choice(self)

class Choice(pyspiel.State):
    def __init__(self, game):
        super().__init__(game)
        self.moves, self.chosen = game.moves, None

    def current_player(self):
        return 0 if self.chosen is None else pyspiel.PlayerId.TERMINAL

    def _legal_actions(self, player):
        return [*range(self.moves)]

    def _apply_action(self, action):
        self.chosen = action

    def information_state_string(self, player=None):
        return "start"

    def _action_to_string(self, player, action):
        return str(action)

    def is_terminal(self):
        return self.chosen is not None

    def returns(self):
        return [float(self.chosen or 0)]

    def __str__(self):
        return str(self.chosen)

pyspiel.register_game(TYPE, OneChoice)
"""


def write_game(folder, name):
    (folder / "choice.py").write_text(GAME.format(name=name))
    return folder / "choice.py"


def test_an_open_spiel_game_of_a_plug_in_is_checked_by_its_name_and_without(tmp_path):
    file = write_game(tmp_path, "one_choice")
    rows = done("check", "--plugin", file)
    assert {(row["kind"], row["name"], row["wrong"]) for row in rows} == {("game", "one_choice", "")}
    assert "Its expected payoffs are those that OpenSpiel computes on the original game" in [r["check"] for r in rows]
    assert done("check", "one_choice", "--plugin", file) == rows
    larger = done("check", "one_choice(moves=5)", "--plugin", file)
    assert [{**row, "name": "one_choice"} for row in larger] == rows


@pytest.mark.usefixtures("own_names")
def test_a_plug_in_that_is_loaded_again_still_has_its_open_spiel_game(tmp_path):
    file = write_game(tmp_path, "another_choice")
    for _ in range(2):
        subjects = {check.subject for check in checks_of_plugin(file)}
        assert subjects == {check.subject for check in checks_of_own()} == {"another_choice"}
        file.write_text(f"{file.read_text()}\n# changed\n")
    assert ("game", "kuhn_poker") not in plugins.own_names()


@pytest.mark.parametrize("game", ["leduc_poker", "kuhn_poker(players=3)", "Kuhn-2"])
def test_games_that_are_not_in_the_list_are_checked_by_name(game):
    rows = done("check", game)
    assert len(rows) > 5
    assert {(row["name"], row["wrong"]) for row in rows} == {(game, "")}


def test_a_name_that_is_not_known_may_need_a_plug_in():
    told = assert_one_sentence(gamebench("check", "mini_leduc"), 2)
    assert "did you mean 'Leduc'? If one of your files registers it, load the file: --plugin FILE.py" in told
