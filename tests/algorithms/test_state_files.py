"""State files: each is resumed bit for bit, and what does not fit is refused in a sentence."""

from copy import deepcopy

import numpy as np
import pytest

import gamebench as gb
from gamebench.algorithms import pack_state, state_identity
from gamebench.system.files import save_arrays


def without(name):
    return lambda metadata, arrays: arrays.pop(name)


def replaced(name, change):
    def damage(_, arrays):
        arrays[name] = change(arrays[name])

    return damage


DAMAGES = {
    "it has no array 'duals'": without("duals"),
    "it has no array 'counts'": without("counts"),
    "it has an unknown array 'more'": lambda _, arrays: arrays.update(more=np.zeros(3)),
    "its array 'alpha' has shape (3,) and type float64 instead of shape (6,)": replaced(
        "alpha", lambda array: array[:3]
    ),
    "its array 'policy' has shape (96,) and type float32": replaced("policy", lambda array: array.astype("f4")),
    "its array 'counts' has shape (2,) and type float64": replaced("counts", lambda array: array + 0.5),
    "it has an unknown counter 'more'": lambda metadata, _: metadata["counters"].update(more=1),
    "it has no counter 'replaced'": lambda metadata, _: metadata["counters"].pop("replaced"),
    "'counters'": lambda metadata, _: metadata.pop("counters"),
    "state must be for a PCG64": lambda metadata, _: metadata["generator"].update(bit_generator="MT19937"),
    "Python int": lambda metadata, _: metadata["generator"].update(has_uint32=10**30),
}


def test_a_state_that_is_none_is_refused_in_a_sentence(tmp_path):
    result, path = gb.solve("Kuhn", "CMD", 15, seed=1), tmp_path / "state.npz"
    for sentence, damage in DAMAGES.items():
        metadata, arrays = map(deepcopy, pack_state(result.state))
        metadata |= state_identity(result.game, result.algorithm)
        damage(metadata, arrays)
        save_arrays(path, metadata, arrays)
        with pytest.raises(gb.errors.StateError) as refusal:
            gb.load_state(path, result.game, result.algorithm)
        expected = sentence.partition(" (")[0]
        assert str(refusal.value).startswith(f"The state in {str(path)!r} does not fit CMD: {expected}")


def test_arguments_of_a_wrong_type_are_refused_in_a_sentence(tmp_path):
    path = tmp_path / "state.npz"
    result = gb.solve("Kuhn", "CFR+", 5)
    game, algorithm, state = result.game, result.algorithm, result.state
    gb.save_state(path, "Kuhn", algorithm, state)
    assert (gb.load_state(str(path), "Kuhn", algorithm).policy == state.policy).all()
    needs_algorithm = "algorithm must be the one that made the state, such as result.algorithm, not "
    needs_state = "state must be the state of an algorithm, such as result.state, not "
    for sentence, call in {
        "path must be the path of a file, not 5.": lambda: gb.save_state(5, game, algorithm, state),
        "path must be the path of a file, not Game('Kuhn'": lambda: gb.load_state(game, path, algorithm),
        "A game is given by its name": lambda: gb.load_state(path, result, algorithm),
        f"{needs_algorithm}'CFR+'.": lambda: gb.save_state(path, game, "CFR+", state),
        f"{needs_algorithm}CFRPlus.": lambda: gb.load_state(path, game, gb.algorithms.CFRPlus),
        f"{needs_state}Result.": lambda: gb.save_state(path, game, algorithm, result),
    }.items():
        with pytest.raises(gb.errors.GameBenchError) as refusal:
            call()
        assert str(refusal.value).startswith(sentence)


class Marked(gb.Algorithm):
    """An algorithm that begins with infinity and counts down."""

    name = "Marked"

    def start(self, game, seed):
        best = np.full(2, np.inf)
        return MarkedState(seed=seed, policy=np.array(gb.uniform_policy(game).probabilities), best=best)

    def advance(self, game, state, iterations):
        state.count(iterations)
        state.left -= iterations


class MarkedState(gb.algorithms.State):
    """With infinity, `None` and a counter among its fields."""

    best: np.ndarray
    left: int = 3
    least: float = float("inf")
    note: str | None = None


def test_what_an_algorithm_begins_with_it_may_go_on_with(tmp_path):
    result, path = gb.solve("Kuhn", Marked(), 5), tmp_path / "state.npz"
    result.state.note = "x"
    result.save_state(path)
    state = gb.load_state(path, result.game, result.algorithm)
    assert (state.left, state.least, state.note, state.best.tolist()) == (-2, np.inf, "x", [np.inf] * 2)
