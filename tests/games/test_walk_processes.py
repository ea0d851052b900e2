"""Walks with worker processes give the same games and errors as without, whatever happens to the processes."""

import os
import signal
import subprocess
import sys
import threading
from multiprocessing.connection import Pipe

import numpy as np
import pytest

import gamebench as gb
from gamebench.games.catalogue import FIELD_GAMES
from gamebench.games.game import Source
from gamebench.games.loading import walk_processes
from gamebench.games.loading.flatten import flatten
from gamebench.games.loading.openspiel import original_game, with_information_states
from gamebench.games.loading.walk import LOOK_EVERY
from gamebench.games.loading.walk_worker import serve
from tests.games.test_walk_parts import CATALOGUE, OTHERS
from tests.patience import HANG, is_gone, wait_until

EFG = """EFG 2 R "cards" { "Ann" "Bob" }
c "" 1 "" { "high" 1/3 "low" 2/3 } 0
p "" 1 1 "" { "bet" "pass" } 0
p "" 2 1 "" { "call" "fold" } 0
t "" 1 "" { 2, -2 }
t "" 2 "" { 1, -1 }
t "" 3 "" { -1, 1 }
p "" 1 2 "" { "bet" "pass" } 0
p "" 2 1 "" { "call" "fold" } 0
t "" 4 "" { -2, 2 }
t "" 2 "" { 1, -1 }
t "" 3 "" { -1, 1 }
"""
FORGETFUL = """EFG 2 R "Ann forgets" { "Ann" "Bob" }
c "" 1 "" { "x" 1/2 "y" 1/2 } 0
p "" 1 1 "" { "a" "b" } 0
p "" 2 1 "" { "e" "f" } 0
p "" 1 2 "" { "c" "d" } 0
t "" 1 "" { 2, -2 }
t "" 2 "" { 1, -1 }
t "" 3 "" { -1, 1 }
p "" 2 1 "" { "e" "f" } 0
t "" 4 "" { -2, 2 }
t "" 3 "" { -1, 1 }
p "" 1 3 "" { "a" "b" } 0
p "" 1 2 "" { "c" "d" } 0
t "" 1 "" { 2, -2 }
t "" 2 "" { 1, -1 }
t "" 3 "" { -1, 1 }
"""


def walked(source, workers, max_histories=10**6):
    view = with_information_states(original_game(source), "the game")
    return flatten(view, "the game", source, max_histories, workers=workers)


@pytest.fixture
def cuts(monkeypatch):
    """Cut small games as well, into small parts; the list has the number of histories before each cut."""
    cuts, finish = [], walk_processes._Team.finish

    def count(self, walk, watch):
        cuts.append(walk.histories)
        finish(self, walk, watch)

    monkeypatch.setattr(walk_processes._Team, "finish", count)
    for name, value in {"WORTHWHILE": [(0, -np.inf)], "READY_WAIT": None, "LOOK_EVERY": 3}.items():
        monkeypatch.setattr(walk_processes, name, value)
    monkeypatch.setattr(walk_processes, "LARGEST_PART", 200)
    return cuts


def assert_same_game(game, other):
    for name, array in game.sequence_form.arrays().items():
        assert array.tobytes() == other.sequence_form.arrays()[name].tobytes(), name
    assert game.labels == other.labels
    assert game.fingerprint == other.fingerprint
    assert (game.num_histories, game.num_terminals) == (other.num_histories, other.num_terminals)


def test_the_number_of_workers_does_not_matter(cuts):
    for source, workers in ((Source("open_spiel", "leduc_poker"), 2), (Source("efg", EFG), 3)):
        assert_same_game(walked(source, 1), walked(source, workers))
    assert len(cuts) == 2


class WorkerThread:
    """A worker in a thread of this process, which starts at once, so that several can walk every game."""

    def __init__(self, module):
        self.channel, theirs = Pipe()
        self._thread = threading.Thread(target=self._work, args=[theirs])
        self._thread.start()

    @staticmethod
    def _work(channel):
        with channel:
            serve(channel)

    def send(self, message):
        self.channel.send(message)

    def dismiss(self):
        self.channel.close()

    def wait(self, seconds):
        self._thread.join()


@pytest.mark.parametrize("text", [*CATALOGUE, *OTHERS])
def test_one_two_or_three_workers_for_each_game(text, cuts, monkeypatch):
    source = Source("open_spiel", text)
    alone = walked(source, 1)
    monkeypatch.setattr(walk_processes, "WorkerProcess", WorkerThread)
    for name, value in {
        "LOOK_EVERY": 1 + alone.num_histories // 9,
        "LARGEST_PART": 1 + alone.num_histories // 7,
    }.items():
        monkeypatch.setattr(walk_processes, name, value)
    for workers in (2, 3):
        assert_same_game(alone, walked(source, workers))
    assert len(cuts) == (0 if "add_noise" in text else 2)  # noise depends on which terminal is visited first


@pytest.mark.slow
def test_a_large_game_is_cut(monkeypatch, cuts):
    for name, value in {"LOOK_EVERY": LOOK_EVERY, "LARGEST_PART": 20_000}.items():
        monkeypatch.setattr(walk_processes, name, value)
    entry = FIELD_GAMES["LiarsDice-6"]
    game = walked(Source("open_spiel", entry.open_spiel), 2, 2_000_000)
    assert len(cuts) == 1
    assert (game.fingerprint, game.num_decision_points) == (entry.fingerprint, entry.decision_points)


def test_fewer_workers_where_memory_is_short(monkeypatch):
    monkeypatch.setattr(walk_processes, "num_cores", lambda: 8)
    for free, expected in ((10**12, 8), (2**31, 2), (10**7, 1)):
        monkeypatch.setattr(walk_processes, "free_memory", lambda free=free: free)
        assert walk_processes._usual_workers() == expected


def test_one_process_is_enough_if_no_worker_starts(monkeypatch, cuts):
    for module, name, value in ((walk_processes, "MODULE", "no_such_module"), (sys, "executable", "/nowhere/python")):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, value)
            assert walked(Source("open_spiel", "kuhn_poker"), 2).num_decision_points == 12
    assert not cuts


def test_small_games_and_games_in_python_start_no_processes(monkeypatch, cuts):
    monkeypatch.setattr(walk_processes, "WorkerProcess", None)
    python = Source("open_spiel", "python_kuhn_poker")
    assert walked(python, 2).num_decision_points == 12
    loaded = Source("object", "kuhn", original=original_game(Source("open_spiel", "kuhn_poker")))
    assert walked(loaded, 2).num_decision_points == 12
    monkeypatch.setattr(walk_processes, "WORTHWHILE", [(np.inf, 0)])
    assert walked(Source("open_spiel", "kuhn_poker"), 2).num_decision_points == 12


def test_all_workers_are_started_before_the_first_gets_the_game(monkeypatch, cuts):
    """Sending a long text blocks until the process is there to read it."""
    events = []

    class Watched(WorkerThread):
        def __init__(self, module):
            events.append("started")
            super().__init__(module)

        def send(self, message):
            events.append("sent")
            super().send(message)

    monkeypatch.setattr(walk_processes, "WorkerProcess", Watched)
    walked(Source("efg", EFG), 3)
    assert events[:6] == ["started"] * 3 + ["sent"] * 3


@pytest.mark.parametrize("waits", [True, False])
def test_a_walk_is_announced_when_workers_share_it_or_do_not_come(monkeypatch, cuts, waits):
    told = []
    monkeypatch.setattr(walk_processes, "WorkerProcess", WorkerThread)
    for name, value in {"EARLIEST": 0.0, "TOLD_FROM": 0.0, "LATEST": np.inf if waits else 0.0}.items():
        monkeypatch.setattr(walk_processes, name, value)
    source = Source("open_spiel", "leduc_poker")
    flatten(original_game(source), "Leduc", source, None, workers=2, tell=lambda text: told.append((text, len(cuts))))
    [(sentence, cuts_before)] = told
    assert sentence.startswith("Walking the tree of 'Leduc' (about ")
    assert cuts_before == waits


def test_errors_do_not_depend_on_the_number_of_workers(cuts):
    for source, budget, kind in (
        (Source("efg", FORGETFUL), 100, gb.errors.ImperfectRecallError),
        (Source("open_spiel", "leduc_poker"), 9000, gb.errors.GameTooLargeError),
    ):
        cuts.clear()
        errors = []
        for workers in (1, 2):
            with pytest.raises(kind) as caught:
                walked(source, workers, budget)
            errors.append(str(caught.value))
        assert errors[0] == errors[1]
        assert len(cuts) == 1


def kill_some(monkeypatch, times):
    """Kill this many workers when they receive a part."""
    killed, walk = [], walk_processes._Walker.walk

    def walk_or_die(self, part):
        if len(killed) < times:
            killed.append(self.process.process.pid)
            self.process.process.kill()
        walk(self, part)

    monkeypatch.setattr(walk_processes._Walker, "walk", walk_or_die)
    return killed


def test_the_part_of_a_dead_worker_is_walked_by_another(monkeypatch, cuts):
    source = Source("open_spiel", "kuhn_poker(players=3)")
    alone = walked(source, 1)
    killed = kill_some(monkeypatch, 1)
    assert_same_game(alone, walked(source, 2))
    assert len(killed) == 1


def test_errors_in_a_worker_are_reported(monkeypatch, cuts, tmp_path):
    (tmp_path / "raises.py").write_text(
        "from gamebench.games.loading import walk_worker\n"
        "def walk_part(*_):\n    raise MemoryError('no room for 7 bytes')\n"
        "walk_worker.walk_part = walk_part\n"
        "walk_worker.serve(walk_worker.channel_to_parent())\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(walk_processes, "MODULE", "raises")
    with pytest.raises(
        gb.errors.GameError,
        match=r"the last one ended with exit code 1 \(MemoryError: no room for 7 bytes\); if memory is short",
    ):
        walked(Source("open_spiel", "kuhn_poker(players=3)"), 2)


def test_a_part_that_costs_two_workers(monkeypatch, cuts):
    kill_some(monkeypatch, 100)
    with pytest.raises(
        gb.errors.GameError,
        match=r"^The tree of 'the game' cannot be walked: worker processes died, the last one was ended by SIGKILL; if "
        r"memory is short, close other programs or choose smaller parameters\.$",
    ):
        walked(Source("open_spiel", "kuhn_poker(players=3)"), 2)


LARGE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # background processes start without it
from gamebench.games.loading import walk_processes
from gamebench.games.loading.flatten import flatten
from gamebench.games.game import Source
from gamebench.games.loading.openspiel import original_game

def told(self, *part):
    walk(self, *part)
    print(self.process.process.pid, flush=True)

walk = walk_processes._Walker.walk
walk_processes._Walker.walk = told
walk_processes.WORTHWHILE = [(0, 0)]
source = Source("open_spiel", "goofspiel(imp_info=True,num_cards=7,points_order=descending)")
flatten(original_game(source), "large", source, 10**9, workers=2)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_their_parent(how):
    process = subprocess.Popen([sys.executable, "-c", LARGE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        workers = set()
        while len(workers) < 2:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            workers.add(int(line))
        assert not any(map(is_gone, workers))
        os.kill(process.pid, how)
        _, said = process.communicate(timeout=HANG)
    finally:
        process.kill()
    wait_until(lambda: all(map(is_gone, workers)))
    if how == signal.SIGINT:
        assert said.splitlines()[-1] == "KeyboardInterrupt"
