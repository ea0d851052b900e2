"""Passes done elsewhere: by a function of the test here, so that several threads and processes can be watched."""

import os
import threading

import numpy as np
import pytest

import gamebench as gb
from gamebench.kernels import board as at
from gamebench.kernels import gradients
from gamebench.kernels.elsewhere import Elsewhere, losses_explained


@pytest.fixture
def game():
    return gb.load_game("kuhn_poker")


def elsewhere(game, sums=None):
    """Endings whose sums are taken by a function, by default from the game's own endings."""

    def taken_here(begin, end, beside, x):
        g, extra = np.empty((2, len(x)))
        gradients.sum_range(game.endings, begin, end, beside, np.array(x), g, extra)
        return g[begin:end], extra[begin:end]

    return Elsewhere(game.endings.starts.copy(), game.num_players, sums or taken_here)


def gradient(endings, x):
    g, extra = np.full((2, len(x)), np.nan)
    gradients.sum_range(endings, 0, len(x), gradients.MASS, x, g, extra)
    return np.stack([g, extra])


def plan(game, seed):
    return np.random.default_rng(seed).uniform(0.1, 1.0, game.num_sequences + game.num_players)


def test_the_sums_are_those_of_the_function(game):
    others = elsewhere(game)
    for seed in range(3):
        assert np.array_equal(gradient(others.endings, plan(game, seed)), gradient(game.endings, plan(game, seed)))
    others.close()
    pipes = [os.pipe() for _ in range(3)]  # some of them have the numbers of those that are closed now
    others.close()  # which does nothing any more
    others.forget()
    for ends in pipes:
        for end in ends:
            os.close(end)


def test_several_threads_take_turns(game):
    others, wrong = elsewhere(game), []

    def work(first):
        for seed in range(first, first + 100):
            x = plan(game, seed)
            if not np.array_equal(gradient(others.endings, x), gradient(game.endings, x)):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(1000 * number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    others.close()
    assert not wrong


def test_who_comes_late_is_told(game):
    """One thread closes while a second one waits for an answer and a third one for its turn."""
    asked, go, said = threading.Event(), threading.Event(), []

    def slowly(begin, end, beside, x):
        asked.set()
        go.wait()
        return np.ones(end - begin), np.ones(end - begin)

    others = elsewhere(game, slowly)

    def work():
        try:
            with losses_explained(lambda: others.error):
                said.append(gradient(others.endings, plan(game, 0)).min())
        except gb.ExecutorError as error:
            said.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    asked.wait()
    closing = threading.Thread(target=others.close)
    closing.start()
    go.set()
    for thread in (*threads, closing):
        thread.join()
    # The third one may have had its turn before the end.
    assert set(said) <= {1.0, "The shards of this game have ended while another thread was using them."}
    assert 1.0 in said
    work()
    assert said[-1] == "The shards of this game have ended while another thread was using them."


def test_what_the_function_raises_is_raised(game):
    def fails(begin, end, beside, x):
        raise gb.ExecutorError("nobody is there")

    others = elsewhere(game, fails)
    explained = losses_explained(lambda: others.error), losses_explained(lambda: others.error)  # a run in a block
    with pytest.raises(gb.ExecutorError, match="nobody is there") as caught, explained[0], explained[1]:
        gradient(others.endings, plan(game, 0))
    assert caught.value.__cause__.args == (at.LOST,)
    with pytest.raises(RuntimeError, match=at.LOST):  # it stays lost
        gradient(others.endings, plan(game, 0))
    others.close()


def test_a_forked_process_is_told_and_does_not_disturb(game):
    others, x = elsewhere(game), plan(game, 0)
    expected = gradient(others.endings, x)
    if not (child := os.fork()):
        try:
            with losses_explained(lambda: others.error):
                gradient(others.endings, x)
        except gb.ExecutorError as error:
            others.close()
            os._exit(7 if "A forked process cannot use the shards of another one" in str(error) else 1)
        finally:  # whatever happens: the tests go on in the other process
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert np.array_equal(gradient(others.endings, x), expected)
    others.close()
