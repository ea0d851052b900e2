"""The pass over the terminals: each sequence gets its own sum, and no other entry is touched."""

import numpy as np
import pytest

import gamebench as gb
from gamebench.kernels.compiling import compiled
from gamebench.kernels.gradients import differentiate, differentiate_with_magnitude, differentiate_with_mass


@compiled
def take_all_sums(endings, begin, end, x, g, with_mass, m, with_magnitude, a):
    """The gradient in each of the three ways, with the sums that come with it."""
    differentiate(endings, begin, end, x, g)
    differentiate_with_mass(endings, begin, end, x, with_mass, m)
    differentiate_with_magnitude(endings, begin, end, x, with_magnitude, a)


def all_sums(endings, begin, end, x):
    """The same as an array of five rows, NaN where nothing was written."""
    g, with_mass, m, with_magnitude, a = found = np.full((5, len(x)), np.nan)
    take_all_sums(endings, begin, end, x, g, with_mass, m, with_magnitude, a)
    return found


@pytest.mark.parametrize("name", ["Kuhn", "TinyHanabi-A"])
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
        found = all_sums(endings, begin, end, x)
        g, with_mass, m, with_magnitude, a = found[:, begin:end]
        assert g == pytest.approx(expected[begin:end], abs=1e-14)
        assert m == pytest.approx(mass[begin:end], abs=1e-14)
        assert a == pytest.approx(magnitude[begin:end], abs=1e-14)
        assert (with_mass == g).all()
        assert (with_magnitude == g).all()
        assert np.isnan(np.delete(found, np.s_[begin:end], axis=1)).all()  # no other entry was touched
