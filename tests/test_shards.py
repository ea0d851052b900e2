"""One game divided among processes: the same numbers to the last bit, also when processes die.

Ray is pretended here, so that everything can go wrong at will; ``tests/experiments/test_ray.py`` has a real cluster.
"""

import signal
import threading
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest
from numba import typeof

import gamebench as gb
from gamebench import cluster, shards
from gamebench.kernels import board as at
from tests.patience import wait_until

ALGORITHMS = ["CFR", "CFR+", "PDCFR+", "APCFR+", "RTCFR+", "MMD-KL", "MMD-EU", "GMD", "CMD", "DOGDA"]


class RayError(Exception):
    """Somebody died."""


class GetTimeoutError(RayError):
    """Nothing came."""


class RayTaskError(RayError):
    """An actor raised an error."""

    def __init__(self, cause):
        super().__init__(str(cause))
        self.cause = cause


class PretendedRay:
    """Ray with actors in this process; some calls fail, and actors for whom there is no room never answer."""

    exceptions = SimpleNamespace(RayError=RayError, GetTimeoutError=GetTimeoutError, RayTaskError=RayTaskError)

    def __init__(self, cores=8, fails=(), room=100, while_waiting=lambda: None):
        self.cores, self.fails, self.calls, self.actors = cores, dict(fails), 0, []
        self.room, self.while_waiting, self.waits = room, while_waiting, 0

    def is_initialized(self):
        return True

    def cluster_resources(self):
        return {"CPU": float(self.cores)}

    def nodes(self):
        return [
            {"NodeID": "a", "Alive": True, "Resources": {"CPU": 1.0}},
            {"NodeID": "b", "Alive": True, "Resources": {"CPU": self.cores - 1.0}},
            {"NodeID": "c", "Alive": False, "Resources": {"CPU": 9.0}},
            {"NodeID": "d", "Alive": True, "Resources": {}},
        ]

    def remote(self, kind):
        def start(strategy):
            actor = SimpleNamespace(is_alive=True, node=strategy)
            inside = kind()
            for name in ("prepare", "receive", "assemble", "sums"):
                actor.__dict__[name] = SimpleNamespace(
                    remote=lambda *arguments, name=name: (actor, getattr(inside, name), sent(arguments))
                )
            self.actors.append(actor)
            return actor

        def options(scheduling_strategy, **_):
            return SimpleNamespace(remote=lambda: start(scheduling_strategy))

        return SimpleNamespace(options=options)

    def get(self, call, timeout):
        actor, method, arguments = call
        if self.actors.index(actor) >= self.room:
            assert timeout is not None
            self.waits += 1
            self.while_waiting()
            raise GetTimeoutError
        self.calls += 1
        if self.calls in self.fails:
            actor.is_alive = False
        if not actor.is_alive:
            raise self.fails.get(self.calls, RayError)
        return method(*arguments)

    def kill(self, actor):
        actor.is_alive = False


def sent(arguments):
    """What arrives at an actor: arrays are copies that nobody can write to."""
    arrived = [argument.copy() if isinstance(argument, np.ndarray) else argument for argument in arguments]
    for array in arrived:
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
    return arrived


@pytest.fixture
def ray(monkeypatch):
    """A function that sets up a pretended cluster."""

    def pretend(**about):
        pretended = PretendedRay(**about)
        monkeypatch.setattr(cluster, "installed", lambda *_: pretended)
        monkeypatch.setattr(cluster, "preferring", lambda node: node)
        return pretended

    return pretend


def assert_same(one, other):
    assert np.array_equal(one.policy.probabilities, other.policy.probabilities)
    assert {name: list(column) for name, column in one.curve.items() if name != "seconds"} == {
        name: list(column) for name, column in other.curve.items() if name != "seconds"
    }


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_numbers_do_not_depend_on_the_number_of_shards(ray, algorithm):
    ray()
    for game in map(gb.load_game, ("Kuhn", "Leduc")):
        alone = gb.solve(game, algorithm, 5)
        for count in (1, 2, 3):
            assert_same(gb.solve(game, algorithm, 5, shards=count), alone)
    assert game.elsewhere is None


@pytest.mark.parametrize("name", ["Kuhn-A", "TinyHanabi-A", "MCCKuhn-A", "Battleship", "kuhn_poker(players=4)"])
def test_measures_of_all_kinds_of_games(ray, name):
    ray()
    game, again = gb.load_game(name), gb.load_game(name)  # games remember optima
    policy, measure = gb.random_policy(game, 3), gb.main_measure(game)
    with gb.sharded(again, 3):
        assert gb.evaluate(again, policy.probabilities, measure) == gb.evaluate(game, policy, measure)
        assert typeof(again.endings) == typeof(game.endings)  # or else all kernels are compiled again
        assert typeof(again.paying_endings) == typeof(game.paying_endings)
    assert_same(gb.solve(again, "CFR+", 5, shards=2), gb.solve(game, "CFR+", 5))


@pytest.mark.parametrize("failing", [1, 7, 10, 15, 16, 22, 33])
def test_a_shard_that_dies_is_replaced(ray, failing):
    game = gb.load_game("Leduc")
    alone = gb.solve(game, "CFR+", 5)
    pretended = ray(fails={failing: RayError})
    with pytest.warns(RuntimeWarning, match=r"A shard of 'Leduc' was lost \(RayError\); another takes its place\."):
        assert_same(gb.solve(game, "CFR+", 5, shards=2), alone)
    assert len(pretended.actors) == 3
    assert not any(actor.is_alive for actor in pretended.actors)


def test_shards_are_spread_over_the_nodes(ray):
    pretended = ray(cores=4)
    with gb.sharded(gb.load_game("Kuhn"), 3):
        assert [actor.node for actor in pretended.actors] == ["a", "b", "b"]


def test_large_arrays_are_sent_in_pieces(ray, monkeypatch):
    game = gb.load_game("Leduc")
    alone = gb.solve(game, "GMD", 5)
    monkeypatch.setattr(shards, "PIECE", 1000)
    pretended = ray()
    assert_same(gb.solve(game, "GMD", 5, shards=2), alone)
    assert pretended.calls > 200


@pytest.mark.filterwarnings("ignore:A shard of")
def test_machines_that_always_die_end_the_run_and_lose_nothing(ray):
    game = gb.load_game("Leduc")
    ray(fails=dict.fromkeys(range(60, 200), RayError))
    with pytest.raises(gb.RunError, match=r"More than 20 shards were lost, the last one by RayError: ") as caught:
        gb.solve(game, "CFR+", 1000, shards=2)
    result = caught.value.result
    reached = result.state.iteration
    assert 0 < reached < 1000
    assert np.array_equal(result.policy.probabilities, gb.solve(game, "CFR+", reached).policy.probabilities)
    again = gb.solve(game, "CFR+", 100, state=result)
    assert np.array_equal(again.policy.probabilities, gb.solve(game, "CFR+", 100).policy.probabilities)


IN_PASSES = (13, 14, 27)
"""Calls after two shards have their entries: while NashConv is measured, and in an iteration."""


@pytest.mark.filterwarnings("ignore:A shard of")
@pytest.mark.parametrize(
    ("error", "says"),
    [
        (RayError, "The Ray cluster has had no room for a shard for 300 seconds; each shard needs a core."),
        (RayTaskError(ValueError("no such file")), "A shard cannot do its work: no such file."),
    ],
)
def test_what_cannot_be_repaired_is_said(ray, error, says):
    for failing in IN_PASSES:
        ray(fails={failing: error}, room=2)
        with pytest.raises(gb.RunError) as caught:
            gb.solve("Leduc", "CFR+", 1000, shards=2)
        assert str(caught.value).endswith(says)
        game = gb.load_game("Leduc")
        ray(fails={13: error}, room=2)
        with pytest.raises(gb.ExecutorError) as bare, gb.sharded(game, 2):
            gb.evaluate(game, gb.uniform_policy(game), "NashConv")
        assert str(bare.value) == says


@pytest.mark.filterwarnings("ignore:A shard of")
@pytest.mark.parametrize("failing", range(13, 29))
def test_ctrl_c_ends_the_wait_for_room_and_costs_nothing(ray, failing):
    """The kernel waits for the pass in this thread, and another one for Ray."""

    def press():
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        return game.elsewhere._elsewhere[True].is_interrupted

    game = gb.load_game("Leduc")
    pretended = ray(fails={failing: RayError}, room=2, while_waiting=lambda: wait_until(press))
    with pytest.raises(gb.RunInterrupted) as caught:
        gb.solve(game, "CFR+", 1000, shards=2)
    assert pretended.waits == 1
    result = caught.value.result
    assert np.array_equal(
        result.policy.probabilities, gb.solve(game, "CFR+", result.state.iteration).policy.probabilities
    )


@pytest.mark.parametrize("call", range(1, 30, 3))
def test_what_was_sent_before_an_interruption_does_not_count(ray, monkeypatch, call):
    game = gb.load_game("Leduc")
    alone = gb.solve(game, "MMD-KL", 3)
    monkeypatch.setattr(shards, "PIECE", 8000)
    pretended = ray()
    get = pretended.get

    def get_or_press_ctrl_c(*arguments, **settings):
        answer = get(*arguments, **settings)
        if pretended.calls == call:
            raise KeyboardInterrupt
        return answer

    with gb.sharded(game, 2):
        pretended.get = get_or_press_ctrl_c
        with pytest.raises(KeyboardInterrupt):
            game.endings  # noqa: B018  (which are sent to the shards)
        assert_same(gb.solve(game, "MMD-KL", 3), alone)


@pytest.mark.filterwarnings("ignore:A shard of")
def test_a_replacement_that_was_interrupted_gets_its_entries_later(ray):
    """A shard dies while it gets the entries of one kind; the one in its place lacks those of the other kind, too."""
    game = gb.load_game("Leduc")
    alone = gb.solve(game, "MMD-KL", 3), gb.solve(game, "CFR+", 3)
    pretended = ray()
    get = pretended.get

    def get_or_fail(*arguments, **settings):
        answer = get(*arguments, **settings)
        if pretended.calls in failing:
            raise failing.pop(pretended.calls)
        return answer

    with gb.sharded(game, 2):
        game.paying_endings  # noqa: B018  (which are sent to the shards)
        pretended.get = get_or_fail
        failing = {pretended.calls + 2: RayError, pretended.calls + 4: KeyboardInterrupt}
        with pytest.raises(KeyboardInterrupt):
            game.endings  # noqa: B018
        assert not failing
        assert_same(gb.solve(game, "CFR+", 3), alone[1])
        assert_same(gb.solve(game, "MMD-KL", 3), alone[0])


def test_other_errors_stay_what_they_are_after_a_loss(ray):
    game = gb.load_game("Leduc")
    ray(fails={13: RayTaskError(ValueError("no such file"))})

    def solve_and_fail():
        with gb.sharded(game, 2):
            with pytest.raises(gb.RunError, match="no such file"):
                gb.solve(game, "CFR+", 5)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        solve_and_fail()


def test_a_game_by_its_name(ray):
    ray()
    with gb.sharded("Kuhn", 2) as game:
        assert_same(gb.solve(game, "CFR+", 5), gb.solve("Kuhn", "CFR+", 5))
        assert game.elsewhere.traffic > 0
    with pytest.raises(gb.UnknownNameError, match="Nope"), gb.sharded("Nope", 2):
        pass


def test_several_threads_use_the_same_shards(ray):
    ray()
    game, alone, results = gb.load_game("Leduc"), {}, {}
    algorithms = ["CFR+", "MMD-KL", "PDCFR+", "GMD"]
    for algorithm in algorithms:
        alone[algorithm] = gb.solve(game, algorithm, 20)

    def work(algorithm):
        results[algorithm] = gb.solve(game, algorithm, 20)

    with gb.sharded(game, 2):
        threads = [threading.Thread(target=work, args=(algorithm,)) for algorithm in algorithms]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for algorithm in algorithms:
        assert_same(results[algorithm], alone[algorithm])


def test_mistakes(ray, monkeypatch):
    game = gb.load_game("Kuhn")
    ray(cores=2)
    with pytest.raises(gb.ExecutorError, match="The Ray cluster has 2 cores, too few for 3 shards, one core each"):
        gb.solve(game, "CFR", 5, shards=3)
    for wrong in (0, 1.5, "two", 10**6):
        with pytest.raises(gb.SettingError, match="The number of shards must be a whole number from 1 to 1000"):
            gb.solve(game, "CFR", 5, shards=wrong)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    with pytest.raises(gb.SettingError, match="A game in shards needs compiled kernels: unset NUMBA_DISABLE_JIT"):
        gb.solve(game, "CFR", 5, shards=2)
    monkeypatch.delenv("NUMBA_DISABLE_JIT")
    with pytest.raises(gb.SettingError, match="goes with shards"), gb.sharded(game, None, "HOST:6379"):
        pass
    with gb.sharded(game, 2), pytest.raises(gb.SettingError, match="'Kuhn' is divided among shards already"):
        gb.solve(game, "CFR", 5, shards=2)
    assert len(game.endings.board) == 0


def test_the_driver_keeps_no_entries(ray):
    ray()
    game = gb.load_game("Leduc")
    with gb.sharded(game, 2):
        for endings in (game.endings, game.paying_endings):
            assert endings.payoffs.size == endings.others.size == endings.chance.size == 0
            assert endings.board[at.ELSEWHERE]


def test_without_ray(monkeypatch):
    @contextmanager
    def never(*_):
        raise AssertionError
        yield

    def missing():
        raise ImportError

    monkeypatch.setattr(cluster, "import_ray", missing)
    monkeypatch.setattr(cluster, "connected", never)
    with pytest.raises(gb.ExecutorError, match=r'A game in shards needs Ray: pip install "gamebench\[ray\]"\.'):
        gb.solve("Kuhn", "CFR", 5, shards=2)
