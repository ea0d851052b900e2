"""The budget of a game in memory or histories; a game that exceeds it is refused in one sentence."""

import math
import os
import re
import subprocess
import sys

import pyspiel
import pytest

import gamebench as gb
from gamebench.games.game import Source
from gamebench.games.loading import budget, walk_processes
from gamebench.games.loading.flatten import flatten

SENTENCE = (
    r"'{}' has about {} histories: loading it takes about {} of memory, more than half of the free "
    r"memory \({}\); choose smaller parameters, or set max_histories= \(--max-histories\) to load it anyway\."
)


@pytest.fixture
def free(monkeypatch, empty_cache):
    """A function that sets the amount of free memory."""
    monkeypatch.setattr(budget, "AT_LEAST", 0)
    return lambda number: monkeypatch.setattr(budget, "free_memory", lambda: number)


def test_half_of_the_free_memory_is_used(free):
    game = gb.load_game("leduc_poker")
    terminals, points = game.num_terminals * budget.bytes_per_terminal(2), game.num_decision_points * budget.PER_POINT
    text = sum(map(len, game.labels.information_states))
    needed = terminals + points + 2 * text
    assert needed == budget.budget_of("it", 2, None).bytes(game.num_terminals, game.num_decision_points, text)
    free(2 * terminals // 10)
    with pytest.raises(
        gb.errors.GameTooLargeError, match=SENTENCE.format("leduc_poker\\(\\)", r"9\.\de\+03", ".*", ".*")
    ):
        gb.load_game("leduc_poker()")
    assert gb.load_game("leduc_poker()", max_histories=10**6).num_histories == 9457


def test_small_games_are_never_refused(monkeypatch, empty_cache):
    monkeypatch.setattr(budget, "free_memory", lambda: 0)
    assert gb.load_game("leduc_poker()").num_histories == 9457


def test_memory_is_also_watched_during_the_walk(free, monkeypatch):
    """Estimates are too low if decision points take most of the memory, as with perfect information."""
    monkeypatch.setattr(walk_processes, "LOOK_EVERY", 100)
    free(10**6)
    with pytest.raises(
        gb.errors.GameTooLargeError, match=r"has more than [\d,]+ histories: loading it takes more than"
    ):
        gb.load_game("leduc_poker()")


def test_a_file_with_too_many_strategies(free, tmp_path):
    free(10**5)
    path = tmp_path / "game.nfg"
    path.write_text('NFG 1 R "large" { "1" "2" } { 1000 1000 }\n')
    with pytest.raises(gb.errors.GameTooLargeError, match=SENTENCE.format("game.nfg", r"1e\+06", "48 MB", "0.05 MB")):
        gb.load_game(path)


def test_a_cached_game_is_within_every_budget_but_the_users(free):
    gb.load_game("kuhn_poker()")
    free(1)
    assert gb.load_game("kuhn_poker()").num_histories == 58
    with pytest.raises(gb.errors.GameTooLargeError, match="beyond the budget of 57"):
        gb.load_game("kuhn_poker()", max_histories=57)


def test_long_walks_are_announced(monkeypatch):
    monkeypatch.setattr(walk_processes, "EARLIEST", 0.0)
    monkeypatch.setattr(walk_processes, "LOOK_EVERY", 1000)
    original, told = pyspiel.load_game("leduc_poker"), []
    source = Source("open_spiel", "leduc_poker")
    monkeypatch.setattr(walk_processes, "TOLD_FROM", math.inf)
    flatten(original, "Leduc", source, None, workers=1, tell=told.append)
    assert told == []
    monkeypatch.setattr(walk_processes, "TOLD_FROM", 0.0)
    flatten(original, "Leduc", source, None, workers=1, tell=told.append)
    [sentence] = told
    assert re.fullmatch(
        r"Walking the tree of 'Leduc' \(about \d(\.\d)?e\+0[34] histories\) takes about [\d.]+ m?s and [\d.]+ MB of "
        r"memory\.",
        sentence,
    )


LIMITED = """
import resource, sys
import gamebench as gb
from gamebench.games.loading import budget
from gamebench.system.machine import STATUS, _field
from gamebench.system.processes import limit_cores
limit_cores(1)
gb.load_game("kuhn_poker")  # which imports everything
budget.AT_LEAST = 0
resource.setrlimit(resource.RLIMIT_AS, (_field(STATUS, "VmSize") + 24 * 2**20, resource.RLIM_INFINITY))
try:
    gb.load_game("liars_dice", max_histories=eval(sys.argv[1]))
except gb.errors.GameTooLargeError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("limit", "says"),
    [
        ("None", "more than half of the free memory ("),
        ("10**7", "Not enough memory to load 'liars_dice'; close other programs or choose smaller parameters."),
    ],
)
def test_a_limit_of_memory_is_a_sentence(limit, says):
    environment = {**os.environ, "GAMEBENCH_CACHE": "off", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.run(
        [sys.executable, "-c", LIMITED, limit], env=environment, capture_output=True, text=True, check=True
    )
    assert says in process.stdout, process
