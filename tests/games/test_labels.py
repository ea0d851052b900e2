"""Packed names behave like tuples."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamebench as gb
from gamebench.games import labels
from gamebench.games.labels import Labels, Numbers, RepeatedTexts, Texts

WORDS = st.lists(st.text(st.characters(), max_size=5), max_size=12)  # lone surrogates included
KINDS = [(Texts.of, WORDS), (RepeatedTexts.of, WORDS), (Numbers, st.lists(st.integers(-(2**63), 2**63 - 1)))]


@pytest.mark.parametrize(("pack", "items"), KINDS, ids=["texts", "repeated texts", "numbers"])
@given(data=st.data())
@settings(max_examples=40)
def test_they_are_like_tuples(pack, items, data):
    expected = tuple(data.draw(items))
    packed, other = pack(expected), data.draw(items)
    count = len(expected)
    assert len(packed) == count
    assert tuple(packed) == expected
    assert list(reversed(packed)) == list(reversed(expected))
    assert [packed[index] for index in range(-count, count)] == [expected[index] for index in range(-count, count)]
    places = data.draw(st.slices(count))
    assert packed[places] == expected[places]
    assert isinstance(packed[places], tuple)
    assert packed == expected
    assert expected == packed
    assert packed == pack(expected)
    assert (packed == pack(tuple(other))) == (expected == tuple(other))
    assert packed != list(expected)
    assert hash(packed) == hash(expected)
    assert repr(packed) == repr(expected)
    for again in (pickle.loads(pickle.dumps(packed)), copy.deepcopy(packed)):
        assert type(again) is type(packed)
        assert again == packed
    for index in (count, -count - 1):
        with pytest.raises(IndexError):
            packed[index]


def test_iterations_go_over_all_pieces(monkeypatch):
    monkeypatch.setattr(labels, "AT_ONCE", 3)
    words = tuple(map(str, range(10)))
    assert tuple(Texts.of(words)) == tuple(RepeatedTexts.of(words)) == words


def test_repetitions_are_equal_in_any_table():
    one = RepeatedTexts(("a", "b"), np.array([0, 1, 1]))
    assert one == RepeatedTexts(("b", "unused", "a"), np.array([2, 0, 0]))
    assert one != RepeatedTexts(("b", "a"), np.array([0, 1, 1]))


def test_items_have_python_types():
    game = gb.load_game("Kuhn")
    assert {type(number) for number in (*game.labels.action_ids[:4], game.labels.action_ids[0])} == {int}
    assert type(game.labels.actions[game.decision_points[3].sequences]) is tuple


def test_invalid_arrays_of_names_are_refused():
    for starts in ([], [0, 3], [1, 4], [0, 3, 2, 4], [0, 5]):
        with pytest.raises(gb.errors.GameError, match="names"):
            Texts(np.frombuffer(b"abcd", np.uint8), np.array(starts, np.int64))
    for codes in ([0, 2], [-1]):
        with pytest.raises(gb.errors.GameError, match="names"):
            RepeatedTexts(("a", "b"), np.array(codes))
    Texts.of(["sound", "sóund", "\ud800"]).check()
    whole = np.frombuffer("é".encode(), np.uint8)
    for starts in ([0, 1, 2], [0, 1]):  # a character is split, or cut off
        with pytest.raises(UnicodeError):
            Texts(whole[: starts[-1]], np.array(starts)).check()


def test_names_do_not_change_with_the_arrays_they_were_made_from():
    numbers = np.arange(3)
    packed = Numbers(numbers)
    numbers[0] = 7
    assert packed == (0, 1, 2)
    with pytest.raises(ValueError, match="read-only"):
        packed.array[0] = 7


def test_lists_and_tuples_are_packed_and_the_rest_is_kept():
    kept = Texts.of("ab")
    made = Labels(kept, ["x", "y", "x"], (5, 6, 5))
    assert made.information_states is kept
    assert (type(made.actions), type(made.action_ids)) == (RepeatedTexts, Numbers)
    assert made.actions.codes.dtype == np.uint8
    assert made == Labels(("a", "b"), ("x", "y", "x"), [5, 6, 5])
    assert hash(made) == hash(Labels(("a", "b"), ("x", "y", "x"), [5, 6, 5]))
