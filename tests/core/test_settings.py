"""Constraints: what they accept, and the sentence that a user reads; hyper-parameters and their help() texts."""

import inspect
import math
import pydoc

import numpy as np
import pytest

import gamebench as gb
from gamebench.core.settings import (
    SEED,
    Settings,
    as_whole_number,
    checked,
    one_of,
    real,
    setting,
    several,
    whole,
    yes_or_no,
)
from tests.helpers import refuses

TWO = "two numbers above 0 and at most 1, the smaller first"
PAIR = several(real(0, 1), TWO, count=2, rising=True)
RANGES = {
    "a whole number of at least 1": (whole(1), [1, np.int32(7), 2**63 - 1], [0, 1.0, "1", None, math.nan]),
    "a whole number from -1 to 3": (whole(-1, 3), [-1, 3], [-2, 4, np.float64(1), np.array([1, 2])]),
    "0": (whole(0, 0), [0], [1, -1, False]),
    "a whole number of at least 0": (SEED, [0, 10**50], [-1, 0.5, "0"]),
    "a finite number above 0": (real(0), [1e-300, 5, np.float32(2)], [0, -0.0, -1, math.inf, math.nan, "1", 10**400]),
    "a finite number of at least 0": (real(0, or_equal=True), [0, -0.0, 1e300], [-1e-300, math.inf, None, 1j]),
    "a number above 0 and at most 0.5": (real(0, 0.5), [0.5, 1e-9], [0, 0.51, math.nan]),
    "a number from 0 to 1": (real(0, 1, or_equal=True), [0, 1], [-0.1, 1.1, [0.5]]),
    TWO: (PAIR, [(0.1, 0.2), [0.5, 0.5]], [(0.2, 0.1), (0.1,), (0.1, 0.2, 0.3), 0.1, None, ("0.1", 1)]),
    "some numbers": (several(real(0), "some numbers"), [[1], (1, 2)], [[], [0], 1]),
    "one of exact, clip": (one_of("projection", "exact", "clip"), ["exact", "CLIP"], [None, 1, ["exact"]]),
    "True or False": (yes_or_no, [True, False], [0, 1, "True", None, np.True_]),
}


def test_a_constraint_accepts_its_range_and_states_it():
    for words in RANGES:
        check, right, wrong = RANGES[words]
        assert check.range == words, words
        for value in right:
            checked("value", value, check)
        for value in wrong:
            with pytest.raises(gb.errors.SettingError) as error:
                checked("value", value, check)
            assert str(error.value).startswith(f"value must be {words}, not "), words


def test_booleans_are_neither_numbers_nor_names():
    for check in [whole(0), SEED, real(0, or_equal=True), PAIR, one_of("name", "true")]:
        for value in [True, np.True_]:
            with pytest.raises(ValueError, match=r"."):
                check(value)


def test_values_become_what_kernels_expect():
    assert type(whole(1)(np.int32(7))) is int
    assert type(real(0)(np.float32(2))) is float
    assert math.copysign(1, real(0, or_equal=True)(-0.0)) == 1.0
    assert PAIR([np.float32(0.5), 1]) == (0.5, 1.0)
    assert one_of("projection", "exact", "clip")("EXACT") == "exact"
    assert as_whole_number(np.uint8(3)) == 3


def test_what_is_too_large_to_be_counted_is_not_called_too_small():
    with pytest.raises(gb.errors.SettingError, match=r"^iterations must be a whole number below 2\^63, not 9\d+\.$"):
        checked("iterations", 2**63, whole(0))


def test_the_error_can_be_chosen_and_is_left_alone_if_it_is_a_sentence_already():
    with pytest.raises(
        gb.errors.GameError, match=r"^max_histories must be a whole number of at least 1, not 'many'\.$"
    ):
        checked("max_histories", "many", whole(1), gb.errors.GameError)
    with pytest.raises(gb.errors.UnknownNameError, match="no projection called 'exakt'; did you mean 'exact'"):
        checked("projection", "exakt", one_of("projection", "exact", "clip"))


KINDS = [*gb.algorithms.ALGORITHMS.values(), *gb.controllers.CONTROLLERS.values()]


class Search(Settings):
    """A search.

    With a second paragraph.
    """

    width: int = setting(whole(1, 9), "how many at once; all of them unless given", default=None)


class Wider(Search):
    """A wider search."""

    rule: object = setting(str, "what to do", default="nothing", allowed="anything with a name")
    bare: object = setting(str, "no more is known", default=0.5)


def test_a_docstring_lists_the_hyper_parameters_those_of_the_base_first():
    width = "width : a whole number from 1 to 9; default ``None``\n    how many at once; all of them unless given."
    assert Search.__doc__ == f"A search.\n\nWith a second paragraph.\n\n**Hyper-parameters**\n\n{width}"
    rule = "rule : anything with a name; default ``'nothing'``\n    what to do."
    bare = "bare : default ``0.5``\n    no more is known."
    assert Wider.__doc__ == f"A wider search.\n\n**Hyper-parameters**\n\n{width}\n{rule}\n{bare}"


def test_signatures_name_the_hyper_parameters():
    assert str(inspect.signature(Wider)).startswith("(*, width: int = None, rule: object = 'nothing', bare: ")


def test_classes_without_hyper_parameters_keep_their_docstrings():
    class Plain(Settings):
        """Nothing to set."""

    assert Plain.__doc__ == "Nothing to set."


def test_help_has_the_range_the_default_and_a_line_about_every_hyper_parameter():
    for kind in KINDS:
        shown = pydoc.render_doc(kind, renderer=pydoc.plaintext)
        for parameter in kind.settings():
            about = parameter.metadata
            assert about["range"], kind
            assert f"{parameter.name} : {about['range']}" in shown, kind
            assert f"default ``{parameter.default!r}``\n" in shown, kind
            assert about["help"] in shown, kind


def test_a_range_is_stated_by_the_check_that_enforces_it():
    [interval] = [parameter for parameter in gb.algorithms.CMD.settings() if parameter.name == "interval"]
    assert interval.metadata["range"] == "a whole number of at least 1"
    refuses(
        gb.errors.SettingError, "interval must be a whole number of at least 1, not 0", gb.algorithms.CMD, interval=0
    )
    refuses(gb.errors.SettingError, "radius must be " + real(0, 1).range, gb.algorithms.CMD, radius=2)


def test_a_subclass_without_a_docstring_shows_its_own_hyper_parameters():
    class Bolder(gb.controllers.DRS):
        name = "Bolder"
        boost: float = setting(real(0), "a factor", default=2.0)

    assert Bolder.__doc__.startswith("Bolder(*, candidates")
    assert "boost: float = 2.0" in Bolder.__doc__.splitlines()[0]


def test_quiet_settings_come_last_until_a_class_makes_them_its_own():
    """Names of methods list settings in this order, so it must not change when the base class gets a new setting."""

    class Base(Settings):
        shared: int = setting(whole(0), "for all", default=0, quiet=True)
        also: int = setting(whole(0), "for all", default=0, quiet=True)

    class Middle(Base):
        first: int = setting(whole(0), "of its own", default=0)

    class Last(Middle):
        second: int = setting(whole(0), "of its own", default=0)
        shared: int = setting(whole(0), "of its own, too", default=1)
        third: int = setting(whole(0), "of its own", default=0)
        first: int = setting(whole(0), "still the first", default=2)

    def names(kind):
        return [parameter.name for parameter in kind.settings()]

    assert names(Base) == ["shared", "also"]
    assert names(Middle) == ["first", "shared", "also"]
    assert names(Last) == ["first", "second", "shared", "third", "also"]
    assert (Last().shared, Last().first) == (1, 2)
