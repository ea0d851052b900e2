"""The reference shows every public name, once, with the directive that suits it."""

import inspect
import re
from collections import Counter
from pathlib import Path

import gamebench as gb

PAGE = (Path(__file__).parent.parent / "docs" / "api.md").read_text()
REGISTERED = [
    ("class", cls.__name__)
    for name in re.findall(r"^\.\. registered:: gamebench\.(\w+)$", PAGE, re.MULTILINE)
    for cls in getattr(gb, name).values()
    if cls.__name__ in gb.__all__
]
SHOWN = [*re.findall(r"^\.\. (?:auto|py:)(\w+):: gamebench\.(\w+)$", PAGE, re.MULTILINE), *REGISTERED]


def suitable(thing):
    """The directive for a function, an exception, a class or data."""
    if inspect.isclass(thing):
        return "exception" if issubclass(thing, BaseException) else "class"
    return "function" if inspect.isfunction(thing) else "data"


def test_every_public_name_is_shown_once():
    assert Counter(name for _, name in SHOWN) == Counter(gb.__all__)


def test_a_name_is_shown_as_what_it_is():
    assert {name: directive for directive, name in SHOWN} == {name: suitable(getattr(gb, name)) for _, name in SHOWN}


def test_what_is_shown_has_words_of_its_own():
    assert not [
        name for kind, name in SHOWN if kind != "data" and not inspect.cleandoc(getattr(gb, name).__doc__ or "")
    ]
