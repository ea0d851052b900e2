"""Terminals grouped by a kernel and by NumPy give the same arrays; gradients without entries that pay nothing."""

from itertools import product

import numpy as np
import pyspiel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamebench as gb
from gamebench import kernels
from gamebench.games import terminals as grouping
from gamebench.kernels.compiling import compiled
from gamebench.kernels.gradients import differentiate_with_magnitude
from tests.algorithms.test_regret_minimiser import Own
from tests.oracles import random_games

GAMES = [*gb.catalogue.PAPER_GAMES, "leduc_poker", "kuhn_poker(players=4)", "matching_pennies_3p"]
WITHOUT_MASS = ["CFR", "CFR+", "DCFR", "PCFR+", "APCFR+", "RTCFR+", "DOMWU", "DOGDA", "CRD"]


def grouped_naively(form, only_paying):
    """The entries of each sequence, one by one: (c, c u, the others' last sequences)."""
    entries = [[] for _ in range(form.num_sequences + form.num_players)]
    for terminal, chance in enumerate(form.chance.tolist()):
        last = form.last_sequences[:, terminal].tolist()
        for player, own in enumerate(last):
            payoff = chance * float(form.payoffs[player, terminal])
            if payoff != 0.0 or not only_paying:
                entries[own].append((chance, payoff, last[:player] + last[player + 1 :]))
    return entries


def check_groups(form, at_once):
    for only_paying in (False, True):
        by_numpy = grouping._grouped_by_numpy(form, only_paying)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(grouping, "PIECE", at_once)
            by_kernel = grouping._grouped_by_kernel(form, only_paying)
        for one, other in zip(by_numpy[:4], by_kernel[:4], strict=True):
            assert (one.dtype, one.shape, one.flags.c_contiguous) == (other.dtype, other.shape, True)
            assert one.tobytes() == other.tobytes()
        grouped = grouped_naively(form, only_paying)
        entries = [entry for own in grouped for entry in own]
        assert np.diff(by_numpy.starts).tolist() == [len(own) for own in grouped]
        assert by_numpy.chance.tolist() == ([] if only_paying else [chance for chance, _, _ in entries])
        assert by_numpy.payoffs.tolist() == [payoff for _, payoff, _ in entries]
        assert by_numpy.others.T.tolist() == [others for _, _, others in entries]


@compiled
def sum_with_magnitude(endings, begin, end, x, g, a):
    """The gradient and its magnitude, as regret methods need them."""
    differentiate_with_magnitude(endings, begin, end, x, g, a)


def check_gradients(game, seed):
    """Gradients without mass are the same, bit for bit, and do not read the chance array that is left out."""
    size = game.num_sequences + game.num_players
    probabilities = np.array(gb.random_policy(game, seed).probabilities)
    x = np.empty(size)
    kernels.realise(game.sequence_form, probabilities, x)
    found = []
    for endings in (game.endings, game.paying_endings):
        g, single, third, magnitudes = np.full((4, size), np.nan)
        kernels.differentiate_all(endings, x, g)
        sum_with_magnitude(endings, 0, size, x, third, magnitudes)
        for player in range(game.num_players):
            kernels.differentiate_player(game.sequence_form, endings, player, x, single)
        everyone = np.ones(game.num_players, dtype=bool)
        gains = kernels.own_deviations(tuple(game.sequence_form), tuple(endings), probabilities[None], everyone)
        found.append([array.tobytes() for array in (g, single, third, magnitudes, gains)])
    assert found[0] == found[1]


def test_games():
    for game in map(gb.load_game, GAMES):
        check_groups(game.sequence_form, 1000)
        check_gradients(game, 3)


@settings(max_examples=50)
@given(random_games.efg_games(min_players=1), st.integers(0, 99), st.integers(1, 9))
def test_random_games(text, seed, at_once):
    game = gb.load_game(pyspiel.load_efg_game(text))
    check_groups(game.sequence_form, at_once)
    check_gradients(game, seed)


def test_products_that_underflow_pay_nothing():
    game = gb.Game.from_payoffs([[[1e-200, 1.0], [-1e-200, 0.0]]])
    form = game.sequence_form._replace(chance=np.array([1e-200, 1.0]))
    check_groups(form, 1)
    assert grouping.endings_of(form, only_paying=True).payoffs.tolist() == [-1e-200, 1e-200]


def test_algorithms_that_need_no_mass_compute_the_same(monkeypatch):
    """Bit for bit, with all entries and without those that pay nothing."""
    for name, algorithm in product(("Kuhn", "TradeComm", "Goofspiel", "MCCKuhn-A"), [*WITHOUT_MASS, Own()]):
        few = gb.solve(gb.load_game(name), algorithm, 20, seed=1)
        with monkeypatch.context() as patch:
            patch.setattr(gb.Game, "paying_endings", gb.Game.endings)
            every = gb.solve(gb.load_game(name), algorithm, 20, seed=1)
        assert few.policy.probabilities.tobytes() == every.policy.probabilities.tobytes()
        assert few.state.policy.tobytes() == every.state.policy.tobytes()


def test_each_grouping_is_made_only_if_it_is_needed():
    for algorithm in ("CFR", "RTCFR+", "DOMWU"):
        game = gb.load_game("Kuhn")
        gb.solve(game, algorithm, 3, measures=["NashConv"])
        assert "_paying_endings" in vars(game)
        assert "_endings" not in vars(game)
    other = gb.load_game("Kuhn")
    gb.algorithms.MD().advance(other, gb.algorithms.MD().configured(other, 3).start(other, 0), 3)
    assert "_endings" in vars(other)
    assert "_paying_endings" not in vars(other)


def test_large_games_are_grouped_by_the_kernel(monkeypatch):
    used = []
    by_numpy = grouping._grouped_by_numpy
    monkeypatch.setattr(grouping, "_grouped_by_kernel", lambda *given: used.append(given[1]) or by_numpy(*given))
    form = gb.load_game("Kuhn").sequence_form
    grouping.endings_of(form, only_paying=True)
    assert used == []
    monkeypatch.setattr(grouping, "KERNEL_PAYS_FROM", form.last_sequences.size)
    assert not grouping.endings_of(form, only_paying=True).payoffs.flags.writeable
    assert used == [True]
