"""Every error, of whatever kind, is described in one sentence."""

import os
import sys

import pytest

import gamebench as gb
from gamebench.core.errors import brief, contained, sentence
from tests.helpers import refuses


def test_a_sentence_is_one_line_whatever_it_quotes():
    assert str(gb.errors.GameBenchError("made for '\n\u2028\x1b[2J'.")) == r"made for '\n\u2028\x1b[2J'."


def test_a_sentence_that_quotes_thousands_of_characters_is_shortened():
    long = gb.errors.GameBenchError(f"What was given is {'x' * 10_000}; what would be right is short.")
    assert len(str(long)) < 510
    assert str(long).startswith("What was given is xxx")
    assert str(long).endswith("xxx; what would be right is short.")
    assert sentence(long) == str(long)
    with pytest.raises(gb.errors.GameError, match="OpenSpiel cannot load the game") as error:
        gb.load_game(f"kuhn_poker(players{'0' * 5000})")
    assert len(str(error.value)) < 510


def test_values_that_cannot_be_shown():
    class Hostile:
        def __repr__(self):
            raise KeyError("no")

    class Leaving:
        def __repr__(self):
            sys.exit(1)

    class MuteError(Exception):
        def __str__(self):
            raise ValueError("no words")

    assert "Hostile" in brief(Hostile())
    assert brief(Leaving()) == "<Leaving>"
    assert sentence(MuteError()) == "MuteError."
    assert "int" in brief(10**5000)  # Python refuses to convert it to a string


def test_errors_that_would_end_the_process():
    assert sentence(SystemExit()) == "SystemExit: sys.exit() would end the whole process."
    assert sentence(SystemExit(3)) == "SystemExit: sys.exit(3) would end the whole process."
    assert sentence(SystemExit("bye")) == "SystemExit: sys.exit('bye') would end the whole process."
    with pytest.raises(gb.errors.GameBenchError, match=r"^It cannot be: SystemExit"), contained("It cannot be"):
        sys.exit(1)
    for error in (KeyboardInterrupt(), ValueError("x")):
        with pytest.raises(type(error)) as raised, contained("It cannot be"):
            raise error
        assert raised.value is error


OWN = """
import os, sys
import numpy as np
import gamebench as gb

@gb.register_algorithm
class Ends(gb.Algorithm):
    name = "Ends"

    def start(self, game, seed):
        return gb.algorithms.State(seed=seed, policy=np.array(gb.uniform_policy(game).probabilities))

    def advance(self, game, state, iterations):
        sys.exit()

class Panic(BaseException):  # as libraries written in Rust raise it
    pass

@gb.register_algorithm
class Panics(Ends):
    name = "Panics"

    def advance(self, game, state, iterations):
        raise Panic("index out of bounds")

@gb.register_measure
def leaving(game, policy):
    sys.exit(4)

@gb.register_game
def my_game():
    sys.exit("no game today")
"""
EXPECTED = {
    "Ends": "It stopped after iteration 0: SystemExit: sys.exit() would end the whole process (own.py, line 14).",
    "Panics": "It stopped after iteration 0: Panic: index out of bounds (own.py, line 24).",
}


@pytest.fixture
def own(tmp_path, own_names):
    path = tmp_path / "own.py"
    path.write_text(OWN)
    gb.load_plugin(path)
    return path


@pytest.mark.parametrize("executor", ["serial", "local"])
def test_code_that_wants_to_end_everything_ends_its_own_run(executor, own, tmp_path):
    """In this process and in workers, the run fails with a sentence, and the other runs continue."""
    sweep = {"games": "Kuhn", "algorithms": ["Ends", "Panics", "CFR"], "iterations": 3}
    workers = {"workers": 1} if executor == "local" else {}
    outcome = gb.sweep(sweep, tmp_path / "out", executor=executor, **workers)
    names = {plan.id: plan.algorithm.name for plan in outcome.plans}
    assert {names[run]: message for run, message in outcome.failures.items()} == EXPECTED
    assert [names[run] for run in outcome.records] == ["CFR"]
    assert {run.record["message"] for run in gb.Store(tmp_path / "out").runs() if not run.is_finished} == {
        *EXPECTED.values()
    }


def test_measures_games_and_solve_that_want_to_end_everything(own):
    game = gb.load_game("Kuhn")
    with pytest.raises(
        gb.errors.RunError, match=r"stopped after iteration 0: SystemExit: sys\.exit\(\) would"
    ) as stopped:
        gb.solve("Kuhn", "Ends", 5)
    assert stopped.value.result.state.iteration == 0
    with pytest.raises(gb.errors.MeasureError, match=r"The measure 'leaving' raised SystemExit: sys\.exit\(4\)"):
        gb.evaluate(game, gb.uniform_policy(game), "leaving")
    with pytest.raises(
        gb.errors.GameError, match=r"'my_game' cannot be made: SystemExit: sys\.exit\('no game today'\)"
    ):
        gb.load_game("my_game")
    with pytest.raises(gb.errors.ConvexError, match=r"raised: SystemExit: sys\.exit\(\)"):
        gb.solve("Kuhn", "MD", 5, convex=lambda x: sys.exit())


def test_plans_that_want_to_end_everything(own_names, tmp_path):
    @gb.register_algorithm
    class Undecided(gb.algorithms.CFR):
        name = "Undecided"

        def configured(self, game, iterations):
            sys.exit()

    with pytest.raises(
        gb.errors.GameBenchError, match=r"^Undecided on Kuhn cannot be planned: SystemExit: sys\.exit\(\)"
    ):
        gb.sweep({"games": "Kuhn", "algorithms": "Undecided"}, tmp_path, executor="serial")

    @gb.register_experiment
    def none_today():
        sys.exit()

    with pytest.raises(gb.errors.SpecError, match=r"'none_today' cannot be described: SystemExit: sys\.exit\(\)"):
        gb.sweep("none_today", tmp_path, executor="serial")


def test_plug_ins_that_want_to_end_everything(tmp_path):
    path = tmp_path / "leaves.py"
    path.write_text("import sys\nsys.exit(2)\n")
    refuses(
        gb.errors.PluginError, r"cannot be loaded: SystemExit: sys\.exit\(2\).* \(line 2\)\.$", gb.load_plugin, path
    )


def test_checks_of_code_that_wants_to_end_everything(own):
    from gamebench.testing import ConformanceError, checks_of

    failures = []
    for check in checks_of("leaving"):
        try:
            check()
        except ConformanceError as error:
            failures.append(str(error))
    assert any("SystemExit: sys.exit(4)" in failure for failure in failures)


def test_a_report_may_end_everything(tmp_path):
    """It belongs to the caller, so what it raises is not a failure of the run."""

    def report(event):
        if event.kind == "started":
            sys.exit(5)

    with pytest.raises(SystemExit):
        gb.sweep({"games": "Kuhn", "algorithms": "CFR", "iterations": 3}, tmp_path, executor="serial", report=report)
    assert [run.status()[0] for run in gb.Store(tmp_path).runs()] == ["waiting"]
    assert os.listdir(tmp_path / "runs")  # noqa: PTH208  (only whether)
