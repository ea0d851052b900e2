"""States in files: each goes on bit for bit, and what is none of the algorithm is refused in a sentence."""

from copy import deepcopy

import numpy as np
import pytest

import gamebench as gb
from gamebench.algorithms import pack_state, state_identity
from gamebench.files import save_arrays


def without(name):
    return lambda metadata, arrays: arrays.pop(name)


def replaced(name, change):
    def damage(_, arrays):
        arrays[name] = change(arrays[name])

    return damage


def holding(name, value):
    def damage(_, arrays):
        arrays[name].flat[0] = value

    return damage


def counter(name, value):
    return lambda metadata, _: metadata["counters"].update({name: value})


def generator(**parts):
    return lambda metadata, _: metadata["generator"].update(parts)


DAMAGES = {
    "no array 'duals'": without("duals"),
    "an unknown array 'more'": lambda _, arrays: arrays.update(more=np.zeros(3)),
    "an array 'alpha' of shape (3,) instead of (6,)": replaced("alpha", lambda array: array[:3]),
    "an array 'policy' of type complex128 instead of float64": replaced("policy", lambda array: array + 1j),
    "an array 'counts' of type float64 instead of int64": replaced("counts", lambda array: array + 0.5),
    "NaN or infinity in the array 'duals'": holding("duals", np.nan),
    "negative counts ([-1, 85])": holding("counts", -1),
    "an unknown counter 'more'": counter("more", 1),
    "no counter 'replaced'": lambda metadata, _: metadata["counters"].pop("replaced"),
    "'many' as replaced": counter("replaced", "many"),
    "-1 as replaced": counter("replaced", -1),
    "-2 as seed": counter("seed", -2),
    "0.5 as seed": counter("seed", 0.5),
    "nan as seconds": counter("seconds", float("nan")),
    "[] as seconds": counter("seconds", []),
    "no counters": lambda metadata, _: metadata.pop("counters"),
    "no state of the random generator": lambda metadata, _: metadata.pop("generator"),
    "no state of the random generator (text)": lambda metadata, _: metadata.update(generator="PCG64"),
    "no state of the random generator (kind)": generator(bit_generator="MT19937"),
    "no state of the random generator (size)": generator(state={"state": 2**140, "inc": 1}),
    "a state of the random generator that it cannot have": generator(state={"state": 5, "inc": 4}),
    "a state of the random generator that it cannot have (flag)": generator(has_uint32=7),
}


def test_a_state_that_is_none_is_refused_in_a_sentence(tmp_path):
    result, path = gb.solve("Kuhn", "CMD", 15, seed=1), tmp_path / "state.npz"
    for sentence, damage in DAMAGES.items():
        metadata, arrays = map(deepcopy, pack_state(result.state))
        metadata |= state_identity(result.game, result.algorithm)
        damage(metadata, arrays)
        save_arrays(path, metadata, arrays)
        with pytest.raises(gb.StateError) as refusal:
            gb.load_state(path, result.game, result.algorithm)
        expected = sentence.partition(" (")[0]
        assert str(refusal.value).startswith(f"The state in {str(path)!r} has {expected}")


class Marked(gb.Algorithm):
    """One that begins with infinity and counts down."""

    name = "Marked"

    def start(self, game, seed):
        best = np.full(2, np.inf)
        return MarkedState(seed=seed, policy=np.array(gb.uniform_policy(game).probabilities), best=best)

    def advance(self, game, state, iterations):
        state.count(iterations)
        state.left -= iterations


class MarkedState(gb.State):
    """With marks that are no numbers of the algorithm's."""

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
