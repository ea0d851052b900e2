"""The pass over the terminals: each sequence's own sum, and nobody else's place is touched."""

import numpy as np
import pytest

import gamebench as gb
from gamebench.kernels import gradients


@pytest.mark.parametrize("name", ["Kuhn", "Kuhn-A", "TinyHanabi-A"])
def test_sums_over_a_range_of_sequences(name):
    game = gb.load_game(name)
    endings, size = game.endings, game.num_sequences + game.num_players
    x = np.random.default_rng(2).uniform(0.1, 1.0, size)
    weights = np.prod(x[endings.others], axis=0)
    expected, mass, magnitude = (
        np.array([column[begin:end].sum() for begin, end in zip(endings.starts[:-1], endings.starts[1:], strict=True)])
        for column in (endings.payoffs * weights, endings.chance * weights, abs(endings.payoffs) * weights)
    )
    for begin, end in ((0, size), (0, 1), (3, size - 1), (2, 2)):
        g, m, again, a, third = (np.full(size, np.nan) for _ in range(5))
        gradients.sum_range(endings, begin, end, gradients.MASS, x, g, m)
        gradients.sum_range(endings, begin, end, gradients.NOTHING, x, again, again)
        gradients.sum_range(endings, begin, end, gradients.MAGNITUDE, x, third, a)
        assert g[begin:end] == pytest.approx(expected[begin:end], abs=1e-14)
        assert m[begin:end] == pytest.approx(mass[begin:end], abs=1e-14)
        assert a[begin:end] == pytest.approx(magnitude[begin:end], abs=1e-14)
        assert (again[begin:end] == g[begin:end]).all()
        assert (third[begin:end] == g[begin:end]).all()
        for array in (g, m, again, a, third):
            assert np.isnan(np.delete(array, np.s_[begin:end])).all()  # nobody else's place was touched
