"""The arrays of a game are shared if they cannot change, and copied otherwise."""

import copy
import dataclasses
import gc

import numpy as np
import pytest

import gamebench as gb
from gamebench.games import sequence_form
from gamebench.games.game import renamed


def are_shared(one, other):
    return {name: array is getattr(other.sequence_form, name) for name, array in one.sequence_form.arrays().items()}


def test_a_game_with_another_name_shares_all_arrays_and_is_not_checked_again(monkeypatch):
    game = gb.load_game("Kuhn")
    monkeypatch.setattr(sequence_form, "check_form", None)
    for other in (dataclasses.replace(game, name="other"), renamed(game, name="other")):
        assert all(are_shared(game, other).values())
        assert other.labels is game.labels


def test_a_renamed_game_knows_what_was_computed():
    game = gb.load_game("Kuhn")
    fingerprint, endings = game.fingerprint, game.paying_endings
    other = renamed(game, name="other", declared_category=gb.games.Category.GENERAL_SUM)
    assert (other.name, other.category) == ("other", "general-sum")
    assert vars(other)["fingerprint"] == fingerprint
    assert other.paying_endings.payoffs is endings.payoffs
    assert "category" not in vars(renamed(other, declared_category=None))


def test_transforms_share_what_they_keep():
    game = gb.load_game("Kuhn")
    for other in (gb.with_teams(game, [[0, 1], [2]]), gb.with_payoff_scale(game, 3)):
        assert [name for name, shared in are_shared(game, other).items() if not shared] == ["payoffs"]


def test_foreign_arrays_are_copied():
    game = gb.load_game("Kuhn")
    theirs = np.array(game.sequence_form.payoffs)
    locked = theirs.view()
    locked.flags.writeable = False
    for given in (theirs, locked, memoryview(theirs).toreadonly()):
        other = dataclasses.replace(game, sequence_form=game.sequence_form._replace(payoffs=np.asarray(given)))
        assert not np.shares_memory(other.sequence_form.payoffs, theirs)
        assert not other.sequence_form.payoffs.flags.writeable
    theirs[:] = 7
    assert np.array_equal(other.sequence_form.payoffs, game.sequence_form.payoffs)


def test_an_array_that_was_unlocked_is_copied():
    game = dataclasses.replace(gb.load_game("Kuhn"), sequence_form=copy.deepcopy(gb.load_game("Kuhn").sequence_form))
    game.sequence_form.payoffs.flags.writeable = True
    other = dataclasses.replace(game, name="other")
    assert not np.shares_memory(other.sequence_form.payoffs, game.sequence_form.payoffs)
    assert not other.sequence_form.payoffs.flags.writeable


def test_other_types_orders_and_negative_zeros_are_put_right():
    game = gb.load_game("Kuhn")
    given = game.sequence_form._replace(
        payoffs=np.asfortranarray(np.where(game.sequence_form.payoffs == 1, -0.0, game.sequence_form.payoffs)),
        last_sequences=game.sequence_form.last_sequences.astype(np.int64),
        first_sequences=game.sequence_form.first_sequences.tolist(),
    )
    arrays = dataclasses.replace(game, sequence_form=given).sequence_form.arrays()
    assert {name: array.dtype.str for name, array in arrays.items()} == {
        name: array.dtype.str for name, array in game.sequence_form.arrays().items()
    }
    assert all(array.flags.c_contiguous and not array.flags.writeable for array in arrays.values())
    assert not np.signbit(arrays["payoffs"][arrays["payoffs"] == 0]).any()


def test_arrays_that_are_adopted_must_have_no_negative_zeros():
    form = gb.load_game("Kuhn").sequence_form
    for name in ("payoffs", "chance"):
        spoilt = np.array(getattr(form, name))
        spoilt.flat[0] = -0.0
        spoilt = np.frombuffer(spoilt.tobytes()).reshape(spoilt.shape)
        with pytest.raises(gb.errors.GameError, match=name):
            sequence_form.sound_form(sequence_form.adopt(form._replace(**{name: spoilt})))


def test_arrays_of_other_types_are_not_adopted():
    form = gb.load_game("Kuhn").sequence_form
    with pytest.raises(gb.errors.GameError, match="last_sequences must have the type int32, not "):
        sequence_form.adopt(form._replace(last_sequences=form.last_sequences.astype(np.int64)))
    strange = np.frombuffer(form.chance.astype(">f8").tobytes(), ">f8")
    adopted = sequence_form.adopt(form._replace(chance=strange))
    assert adopted.chance.dtype.isnative
    assert np.array_equal(adopted.chance, form.chance)
    assert adopted.payoffs is form.payoffs


def test_an_old_array_with_a_new_one_is_checked():
    game = gb.load_game("Kuhn")
    mixed = game.sequence_form._replace(last_sequences=gb.load_game("leduc_poker").sequence_form.last_sequences)
    with pytest.raises(gb.errors.GameError, match="last_sequences must be given per player and terminal"):
        dataclasses.replace(game, sequence_form=mixed)


def test_records_of_arrays_are_dropped_with_the_arrays():
    gc.collect()
    before = len(sequence_form._known)
    game = gb.Game.from_payoffs(np.ones((2, 2, 2)))
    assert len(sequence_form._known) == before + 7  # six arrays, and their combination
    del game
    gc.collect()
    assert len(sequence_form._known) == before


def test_pieces_are_the_whole(monkeypatch):
    game = gb.load_game("Kuhn")
    expected = game.category, game.is_zero_sum, gb.load_game("TinyHanabi-A").category
    monkeypatch.setattr(sequence_form, "PIECE", 7)
    assert np.array_equal(
        np.concatenate(list(sequence_form.in_pieces(game.sequence_form.payoffs)), axis=1), game.sequence_form.payoffs
    )
    sequence_form.check_form(game.sequence_form)
    again, hanabi = dataclasses.replace(game, name="again"), gb.load_game("TinyHanabi-A")
    assert (again.category, again.is_zero_sum, hanabi.category) == expected
    spoilt = np.array(game.sequence_form.payoffs)
    spoilt[2, -1] = np.nan
    with pytest.raises(gb.errors.GameError, match="payoffs must be finite"):
        sequence_form.check_form(game.sequence_form._replace(payoffs=spoilt))
